//! How the aggregates of the table functions are registered.

use libduckdb_sys as ffi;
use libduckdb_sys::{DUCKDB_TYPE, duckdb_aggregate_function, duckdb_aggregate_function_set};

use super::aggregate;
use super::connection::{Connection, registered};
use super::error::{SqlError, c_string};
use super::fit_struct::{RESULT_TYPES, fit_type};
use super::logical_type::LogicalType;
use super::type_ids::*;

/// An aggregate over votes: what it is called and what comes out.
struct VoteAggregate {
    name: &'static str,
    /// The types of annotators and items that the result's type depends on.
    types: &'static [[DUCKDB_TYPE; 2]],
    finalize: Finalize,
    result: fn(DUCKDB_TYPE, DUCKDB_TYPE) -> LogicalType,
}

type Finalize = unsafe extern "C" fn(
    ffi::duckdb_function_info,
    *mut ffi::duckdb_aggregate_state,
    ffi::duckdb_vector,
    ffi::idx_t,
    ffi::idx_t,
);

const AGGREGATES: [VoteAggregate; 2] = [
    VoteAggregate {
        name: "me_hodgerank_table_fit",
        types: &RESULT_TYPES,
        finalize: aggregate::finalize_fit,
        result: fit_type,
    },
    VoteAggregate {
        name: "me_hodgerank_table_model",
        types: &[[ANY; 2]],
        finalize: aggregate::finalize_model,
        result: |_, _| LogicalType::new(BLOB),
    },
];

/// The arguments after annotator and item: left, right, choice, weight, fold, options.
const MORE_ARGUMENTS: usize = 6;

/// Makes the aggregates known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    AGGREGATES
        .iter()
        .try_for_each(|aggregate| register_one(connection, aggregate))
}

fn register_one(connection: &Connection, aggregate: &VoteAggregate) -> Result<(), SqlError> {
    let name = c_string(aggregate.name);
    // SAFETY: the set is made, filled, registered (which copies it) and destroyed.
    unsafe {
        let mut set = ffi::duckdb_create_aggregate_function_set(name.as_ptr());
        for [annotator, item] in aggregate.types {
            let arguments = [*annotator, *item].into_iter();
            let arguments = arguments.chain([ANY; MORE_ARGUMENTS]).map(LogicalType::new);
            let result = (aggregate.result)(*annotator, *item);
            add_overload(set, aggregate, arguments, &result);
        }
        let outcome = ffi::duckdb_register_aggregate_function_set(connection.raw(), set);
        ffi::duckdb_destroy_aggregate_function_set(&mut set);
        registered(outcome, aggregate.name)
    }
}

/// # Safety
///
/// The set must be valid.
unsafe fn add_overload(
    set: duckdb_aggregate_function_set,
    aggregate: &VoteAggregate,
    arguments: impl Iterator<Item = LogicalType>,
    result: &LogicalType,
) {
    let name = c_string(aggregate.name);
    // SAFETY: the set copies the function, which copies its name and types.
    unsafe {
        let mut function: duckdb_aggregate_function = ffi::duckdb_create_aggregate_function();
        ffi::duckdb_aggregate_function_set_name(function, name.as_ptr());
        for argument in arguments {
            ffi::duckdb_aggregate_function_add_parameter(function, argument.raw());
        }
        ffi::duckdb_aggregate_function_set_return_type(function, result.raw());
        ffi::duckdb_aggregate_function_set_functions(
            function,
            Some(aggregate::state_size),
            Some(aggregate::init),
            Some(aggregate::update),
            Some(aggregate::combine),
            Some(aggregate.finalize),
        );
        ffi::duckdb_aggregate_function_set_destructor(function, Some(aggregate::destroy));
        // Rows with a NULL are passed too: they are counted and reported.
        ffi::duckdb_aggregate_function_set_special_handling(function);
        ffi::duckdb_add_aggregate_function_to_set(set, function);
        ffi::duckdb_destroy_aggregate_function(&mut function);
    }
}
