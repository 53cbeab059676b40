//! What a table function returns for the arguments of one call.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use rusqlite::{Connection, Result};

use super::candidates::read_candidates;
use super::error::message;
use super::ingest::{Depth, Ingest};
use super::memory::ResultMemory;
use super::poll::interruptible;
use super::predict::predict;
use super::table_arguments::{FirstArgument, TableArguments};
use super::table_function::TableFunction;
use crate::fit::{Fit, cache};
use crate::options::Options;
use crate::render::arrow::ResultSet;
use crate::render::arrow::hodgerank_ranking;

/// The rows of a call.
pub(super) type Batches = Box<dyn Iterator<Item = crate::Result<RecordBatch>>>;

/// One call of a table function.
pub(super) struct TableCall<'a> {
    pub function: TableFunction,
    pub arguments: &'a TableArguments,
    pub connection: Connection,
}

impl TableCall<'_> {
    /// The rows; those of votes that this statement fitted before are kept in memory.
    pub fn run(&self, memory: &mut ResultMemory) -> Result<Batches> {
        if self.arguments.ask_for_null(self.function) {
            return Ok(Box::new(std::iter::empty()));
        }
        if self.function == TableFunction::Simulate {
            let simulation = self.arguments.simulation(self.function)?;
            return Ok(Box::new(simulation.run()?));
        }
        // A wrong argument is an error before the fit, which may take long.
        match self.function {
            TableFunction::Plot => drop(self.arguments.plot(self.function)?),
            TableFunction::Predict => drop(self.arguments.test(self.function)?),
            TableFunction::Report => drop(self.arguments.report(self.function)?),
            TableFunction::Fit(set) | TableFunction::Unpack(set) => {
                drop(self.arguments.of_set(self.function, set)?);
            }
            _ => {}
        }
        let batch = match self.arguments.first(self.function)? {
            FirstArgument::Null => return Ok(Box::new(std::iter::empty())),
            FirstArgument::Model(_) if self.arguments.has_options(self.function) => {
                return Err(message(
                    "a model is fitted already: options belong to me_hodgerank_model",
                ));
            }
            FirstArgument::Model(bytes) => self.table(Arc::new(Fit::from_bytes(bytes)?))?,
            FirstArgument::Votes(text) => match memory.get(self.arguments) {
                Some(batch) => batch,
                None => {
                    let batch = self.table_of_votes(text)?;
                    memory.put(self.arguments, &batch);
                    batch
                }
            },
        };
        Ok(Box::new(std::iter::once(Ok(batch))))
    }

    /// Fits the votes that a text names.
    fn table_of_votes(&self, text: &str) -> Result<RecordBatch> {
        let options = self.options()?;
        let ingest = Ingest::read(&self.connection, text, &options)?;
        let limit = options.max_seconds;
        let ranking_alone = self.function == TableFunction::Fit(ResultSet::Ranking);
        if ranking_alone && options.is_hodgerank_only() {
            // The ranking of a model without effects takes less time than a fit.
            return interruptible(&self.connection, limit, |execution| {
                let votes = ingest.finish(execution)?;
                hodgerank_ranking(&votes, &options, execution)
            });
        }
        let fit = interruptible(&self.connection, limit, |execution| {
            let votes = ingest.finish(execution)?;
            execution.set_extent(self.function.extent());
            cache::fit(&votes, &options, execution)
        })?;
        self.table(fit)
    }

    /// The table of a fit.
    fn table(&self, fit: Arc<Fit>) -> Result<RecordBatch> {
        let limit = || Ok::<_, rusqlite::Error>(self.options()?.max_seconds);
        match self.function {
            TableFunction::Fit(set) | TableFunction::Unpack(set) => self.set(&fit, set),
            TableFunction::UnpackRanking => self.set(&fit, ResultSet::Ranking),
            TableFunction::Plot => {
                let kind = self.arguments.plot(self.function)?;
                self.one_text(fit.plot(kind)?)
            }
            TableFunction::Report => {
                let top = self.arguments.report(self.function)?;
                let page = interruptible(&self.connection, limit()?, |execution| {
                    fit.report_within(&top, execution)
                });
                self.one_text(page?)
            }
            TableFunction::Predict => {
                let _depth = Depth::enter()?;
                let test = self.arguments.test(self.function)?;
                predict(&self.connection, test, &self.options()?.columns, fit)
            }
            TableFunction::Simulate => Err(message("no fit")),
        }
    }

    fn set(&self, fit: &Fit, set: ResultSet) -> Result<RecordBatch> {
        let options = self.options()?;
        let arguments = self.arguments.of_set(self.function, set)?;
        let candidates = match &arguments.candidates {
            Some(_) if self.function.is_pure() => {
                return Err(message(
                    "me_hodgerank_model_next reads no tables: candidates are an argument of \
                     me_hodgerank_next, which takes a model too",
                ));
            }
            Some(text) => Some(read_candidates(&self.connection, text, &options.columns)?),
            None => None,
        };
        interruptible(&self.connection, options.max_seconds, |execution| {
            fit.table_with(set, &arguments, candidates.as_ref(), execution)
        })
    }

    fn options(&self) -> Result<Options> {
        self.arguments.options(self.function)
    }

    /// A table of one text.
    fn one_text(&self, text: String) -> Result<RecordBatch> {
        if text.len() > i32::MAX as usize {
            return Err(message(
                "the text would be longer than 2 GB: use shorter ids",
            ));
        }
        let name = self.function.columns().remove(0).0;
        let array = Arc::new(StringArray::from(vec![text])) as ArrayRef;
        RecordBatch::try_from_iter([(name, array)]).map_err(|error| message(error.to_string()))
    }
}
