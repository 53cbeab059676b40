//! `me_hodgerank_model(annotator, left, right, choice [, weight [, fold]] [, options])`:
//! the votes of each group to a model. `me_hodgerank_fit` is the name that it had first.
//! `me_hodgerank_collect`, with the same arguments: the votes of each group to a state.

#![allow(unsafe_code)]

use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::error::{guard, message};
use super::flags::PURE;
use super::ingest::{Ingest, SqlRow};
use super::poll::interruptible;
use crate::execution::Execution;
use crate::fit::cache;
use crate::options::Options;

/// Makes the aggregate known to a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    for (name, aggregate) in [
        ("me_hodgerank_model", VoteAggregate::Model),
        ("me_hodgerank_fit", VoteAggregate::Model),
        ("me_hodgerank_collect", VoteAggregate::State),
    ] {
        for arguments in 4..=7 {
            connection.create_aggregate_function(name, arguments, PURE, aggregate)?;
        }
    }
    Ok(())
}

/// What votes become.
#[derive(Clone, Copy)]
enum VoteAggregate {
    Model,
    State,
}

impl VoteAggregate {
    fn options(self, json: &str) -> crate::Result<Options> {
        match self {
            Self::Model => Options::of_aggregate(json),
            Self::State => Options::of_collect(json),
        }
    }

    fn bytes(self, group: VoteGroup, execution: &mut Execution<'_>) -> crate::Result<Vec<u8>> {
        match self {
            Self::Model => {
                let votes = group.ingest.finish(execution)?;
                Ok(cache::fit(&votes, &group.options, execution)?.to_bytes())
            }
            Self::State => Ok(group.ingest.finish_counted(execution)?.to_bytes()),
        }
    }
}

/// The votes of one group so far.
struct VoteGroup {
    ingest: Ingest,
    options: Options,
    /// The text of the options, which must be the same in all rows.
    json: Option<String>,
    optional: OptionalArguments,
}

/// The indices of the optional arguments.
#[derive(Clone, Copy, Default)]
struct OptionalArguments {
    weight: Option<usize>,
    fold: Option<usize>,
    options: Option<usize>,
}

impl OptionalArguments {
    /// Options are text, weights and folds are numbers: the type of the last
    /// argument in the first row decides.
    fn new(arguments: &Context<'_>) -> Self {
        let last = arguments.len() - 1;
        let has_options =
            last == 6 || last > 3 && matches!(arguments.get_raw(last), ValueRef::Text(_));
        let numbers = if has_options { last } else { last + 1 };
        Self {
            weight: (numbers > 4).then_some(4),
            fold: (numbers > 5).then_some(5),
            options: has_options.then_some(last),
        }
    }
}

impl VoteGroup {
    fn new(aggregate: VoteAggregate, arguments: &Context<'_>) -> Result<Self> {
        let optional = OptionalArguments::new(arguments);
        let json = json(arguments, optional)?.map(String::from);
        let mut options = aggregate.options(json.as_deref().unwrap_or("{}"))?;
        options.columns.weight = optional.weight.map(|_| "weight".into());
        options.columns.fold = optional.fold.map(|_| "fold".into());
        Ok(Self {
            ingest: Ingest::new(&options),
            options,
            json,
            optional,
        })
    }

    fn push(&mut self, arguments: &Context<'_>) -> Result<()> {
        if json(arguments, self.optional)? != self.json.as_deref() {
            return Err(message(
                "the options must be the same for all votes of a group",
            ));
        }
        let row = SqlRow {
            annotator: Some(arguments.get_raw(0)),
            left: arguments.get_raw(1),
            right: arguments.get_raw(2),
            choice: Some(arguments.get_raw(3)),
            weight: self.optional.weight.map(|index| arguments.get_raw(index)),
            fold: self.optional.fold.map(|index| arguments.get_raw(index)),
        };
        let outcome = self.ingest.push(&row);
        Ok(outcome.map_err(|error| error.in_group(self.ingest.group()))?)
    }
}

fn json<'a>(arguments: &'a Context<'_>, optional: OptionalArguments) -> Result<Option<&'a str>> {
    options_text(optional.options.map(|index| arguments.get_raw(index)))
}

/// The text of options, if there are any.
pub(super) fn options_text(value: Option<ValueRef<'_>>) -> Result<Option<&str>> {
    match value {
        None | Some(ValueRef::Null) => Ok(None),
        Some(ValueRef::Text(text)) => Ok(Some(std::str::from_utf8(text)?)),
        Some(_) => Err(message(
            "the options must be a JSON object such as {\"kappa\": 10}",
        )),
    }
}

/// A group is None once one of its rows was an error.
impl Aggregate<Option<VoteGroup>, Option<Vec<u8>>> for VoteAggregate {
    fn init(&self, arguments: &mut Context<'_>) -> Result<Option<VoteGroup>> {
        guard(|| VoteGroup::new(*self, arguments).map(Some))
    }

    fn step(&self, arguments: &mut Context<'_>, group: &mut Option<VoteGroup>) -> Result<()> {
        let outcome = guard(|| match group {
            Some(group) => group.push(arguments),
            None => Ok(()),
        });
        if outcome.is_err() {
            *group = None;
        }
        outcome
    }

    /// No votes give no model: NULL. After an error in a row SQLite calls this too,
    /// to clean up, and ignores the result: there is nothing to be fitted then.
    fn finalize(
        &self,
        context: &mut Context<'_>,
        group: Option<Option<VoteGroup>>,
    ) -> Result<Option<Vec<u8>>> {
        let Some(Some(group)) = group else {
            return Ok(None);
        };
        guard(|| {
            // SAFETY: the connection is only used during this call, on its thread.
            let connection = unsafe { context.get_connection()? };
            let which = group.ingest.group();
            interruptible(&connection, group.options.max_seconds, |execution| {
                let bytes = self.bytes(group, execution);
                bytes.map(Some).map_err(|error| error.in_group(which))
            })
        })
    }
}
