//! `me_hodgerank_merge(state)`: the states of each group to one. `me_hodgerank_model(state
//! [, options])` and `me_hodgerank_fit`: to a model.

#![allow(unsafe_code)]

use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::aggregate::options_text;
use super::error::{guard, message};
use super::flags::PURE;
use super::poll::interruptible;
use crate::execution::Execution;
use crate::fit::cache;
use crate::options::Options;
use crate::votes::CountedVotes;

/// Makes the aggregates known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    connection.create_aggregate_function("me_hodgerank_merge", 1, PURE, StateAggregate::Merge)?;
    for name in ["me_hodgerank_model", "me_hodgerank_fit"] {
        for arguments in 1..=2 {
            connection.create_aggregate_function(name, arguments, PURE, StateAggregate::Model)?;
        }
    }
    Ok(())
}

/// What states become.
#[derive(Clone, Copy)]
enum StateAggregate {
    Merge,
    Model,
}

impl StateAggregate {
    /// None if there are no states.
    fn bytes(
        self,
        group: StateGroup,
        execution: &mut Execution<'_>,
    ) -> crate::Result<Option<Vec<u8>>> {
        let Some(merged) = CountedVotes::merge_within(group.states, execution)? else {
            return Ok(None);
        };
        match self {
            Self::Merge => Ok(Some(merged.to_bytes())),
            Self::Model => {
                let votes = merged.votes_within(execution);
                let fit = votes.and_then(|votes| cache::fit(&votes, &group.options, execution));
                let bytes = fit.map(|fit| Some(fit.to_bytes()));
                bytes.map_err(|error| error.in_group(merged.group()))
            }
        }
    }
}

/// The states of one group so far.
struct StateGroup {
    states: Vec<CountedVotes>,
    options: Options,
    /// The text of the options, which must be the same in all rows.
    json: Option<String>,
}

impl StateGroup {
    fn new(arguments: &Context<'_>) -> Result<Self> {
        if !matches!(arguments.get_raw(0), ValueRef::Null | ValueRef::Blob(_)) {
            return Err(message(
                "one argument, or two with options, is a state made by me_hodgerank_collect, a blob; \
                 votes have four or more: annotator, left, right, choice",
            ));
        }
        let json = json(arguments)?.map(String::from);
        Ok(Self {
            states: Vec::new(),
            options: Options::of_states(json.as_deref().unwrap_or("{}"))?,
            json,
        })
    }

    fn push(&mut self, arguments: &Context<'_>) -> Result<()> {
        if json(arguments)? != self.json.as_deref() {
            return Err(message(
                "the options must be the same for all states of a group",
            ));
        }
        match arguments.get_raw(0) {
            ValueRef::Null => {} // no votes
            ValueRef::Blob(bytes) => self.states.push(CountedVotes::from_bytes(bytes)?),
            _ => return Err(message("a state is a blob made by me_hodgerank_collect")),
        }
        Ok(())
    }
}

/// The options are the second argument.
fn json<'a>(arguments: &'a Context<'_>) -> Result<Option<&'a str>> {
    options_text((arguments.len() > 1).then(|| arguments.get_raw(1)))
}

/// A group is None once one of its rows was an error.
impl Aggregate<Option<StateGroup>, Option<Vec<u8>>> for StateAggregate {
    fn init(&self, arguments: &mut Context<'_>) -> Result<Option<StateGroup>> {
        guard(|| StateGroup::new(arguments).map(Some))
    }

    fn step(&self, arguments: &mut Context<'_>, group: &mut Option<StateGroup>) -> Result<()> {
        let outcome = guard(|| match group {
            Some(group) => group.push(arguments),
            None => Ok(()),
        });
        if outcome.is_err() {
            *group = None;
        }
        outcome
    }

    /// No states give NULL. After an error in a row SQLite calls this too, to clean up, and
    /// ignores the result.
    fn finalize(
        &self,
        context: &mut Context<'_>,
        group: Option<Option<StateGroup>>,
    ) -> Result<Option<Vec<u8>>> {
        let Some(Some(group)) = group else {
            return Ok(None);
        };
        guard(|| {
            // SAFETY: the connection is only used during this call, on its thread.
            let connection = unsafe { context.get_connection()? };
            interruptible(&connection, group.options.max_seconds, |execution| {
                self.bytes(group, execution)
            })
        })
    }
}
