//! The native module of the Python package, `me_hodgerank._native`: glue, and nothing
//! statistical is decided here.
//!
//! Votes come in and result sets go out by Arrow's C stream interface, in PyCapsules
//! (`arrow_stream.rs`): any frame that speaks it is read, and none has to be installed.
//! Python waits without its lock while a fit runs, and looks for signals meanwhile
//! (`call.rs`). What a user sees is Python, in `python/me_hodgerank/`: it names the options,
//! documents them, and hands them over as JSON, as the SQL hosts do.

mod arrow_stream;
mod call;
mod cells;
mod columns;
mod error;
mod fit;
mod frame;
mod ranks;
mod table;

use pyo3::prelude::*;

/// The functions behind `me_hodgerank.fit` and `me_hodgerank.Fit`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::columns::read_columns;
    #[pymodule_export]
    use super::fit::{PythonFit, fit, simulate};
    #[pymodule_export]
    use super::ranks::{PythonCoordinator, PythonRankFit, PythonRankVotes, assign_ranks};
    #[pymodule_export]
    use super::table::PythonTable;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", crate::VERSION)
    }
}
