//! Which effects of annotators the votes allow.

use crate::error::Result;
use crate::options::Options;
use crate::votes::Votes;

impl Options {
    /// These options for some votes. What a caller did not choose depends on them: without
    /// annotators the model is HodgeRank alone, and in a table of winners and losers there
    /// is no position bias.
    pub(crate) fn for_votes(&self, votes: &Votes) -> Result<Self> {
        self.check()?;
        let (annotators, sides) = (votes.has_annotators(), votes.has_sides());
        if !annotators {
            self.refuse_effects()?;
        }
        let mut options = self.clone();
        options.position_bias.get_or_insert(annotators && sides);
        options.personal.get_or_insert(annotators);
        Ok(options)
    }
}
