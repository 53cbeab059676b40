//! What a fit says, as plain typed structs: one file per finding.
//!
//! ```text
//! Fit ─┬─ ranking()      RankedItem        one per item
//!      ├─ annotators()   AnnotatorFinding  one per annotator, with a Verdict
//!      ├─ personal()     PersonalRank      one per deviating annotator and item
//!      ├─ path()         PathPoint         one per grid time and score or effect
//!      ├─ cv()           CvPoint           one per grid time
//!      ├─ summary()      Summary           one
//!      ├─ cycles()       PairFlow          one per compared pair
//!      ├─ triangles()    TriangleFinding   the worst ones
//!      ├─ compare()      HeadToHead        one per pair of the best items
//!      ├─ next_pairs()   NextPair          one per pair worth asking
//!      └─ caveats()      Caveat            what to know about the votes
//! ```
//!
//! Arrow tables, pictures and the report are renderings of these. A count is a
//! sum of weights and stays a floating-point number here; a rendering rounds it.

mod annotators;
mod caveats;
mod cv;
mod cycles;
mod deviation_entries;
mod effect_lines;
mod entry_order;
mod head_to_head;
mod intervals;
mod loss_words;
mod next_pairs;
mod path;
mod personal;
mod ranking;
mod ranks;
mod settled;
mod similarity;
mod summary;
mod tiers;
mod triangles;
mod verdict;

pub use annotators::AnnotatorFinding;
pub use caveats::Caveat;
pub use cv::CvPoint;
pub use cycles::PairFlow;
pub use head_to_head::{CompareOptions, HeadToHead};
pub use next_pairs::{NextOptions, NextPair};
pub use path::{PathEffect, PathPoint};
pub use personal::PersonalRank;
pub use ranking::RankedItem;
pub use summary::{FlowShares, Summary};
pub use triangles::TriangleFinding;
pub use verdict::Verdict;

pub(crate) use cycles::flow_is_share_of_votes;
pub(crate) use deviation_entries::DeviationEntry;
pub(crate) use effect_lines::{EffectBand, EffectLine};
pub(crate) use head_to_head::head_to_head;
pub(crate) use personal::{OwnRanking, OwnRankings};
pub(crate) use ranks::Ranks;
pub(crate) use settled::SETTLED_Q_VALUE;
pub(crate) use similarity::by_similarity;
pub(crate) use triangles::worst_triangles;
pub(crate) use verdict::MIN_UNTIED_VOTES;
