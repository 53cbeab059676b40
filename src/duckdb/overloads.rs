//! The overloads of the aggregates.
//!
//! The type of a result is fixed when a function is registered, and ids have the
//! same type in the result as in the arguments. So there is an overload for each
//! pair of types of annotators and items. DuckDB casts ENUM and JSON to text.
//! Types that are refused have overloads as well: without them DuckDB's error
//! would list all overloads.

use libduckdb_sys as ffi;
use libduckdb_sys::{DUCKDB_TYPE, duckdb_aggregate_function, duckdb_aggregate_function_set};

use super::aggregate;
use super::arguments::{ARGUMENT_COUNTS, FIT};
use super::connection::{Connection, registered};
use super::error::{SqlError, c_string};
use super::fit_struct::fit_type;
use super::logical_type::LogicalType;
use super::type_ids::*;

/// An aggregate over votes: what it is called and what comes out.
#[derive(Clone, Copy)]
struct VoteAggregate {
    name: &'static str,
    /// The types of annotators that the result's type depends on.
    annotators: &'static [DUCKDB_TYPE],
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
        name: FIT,
        annotators: &ID_TYPES,
        finalize: aggregate::finalize_fit,
        result: fit_type,
    },
    VoteAggregate {
        name: "me_hodgerank_model",
        annotators: &[ANY],
        finalize: aggregate::finalize_model,
        result: |_, _| LogicalType::new(BLOB),
    },
];

/// The types of ids that have overloads.
const ID_TYPES: [DUCKDB_TYPE; 15] = [
    BIGINT, VARCHAR, UUID, INTEGER, TINYINT, SMALLINT, HUGEINT, UTINYINT, USMALLINT, UINTEGER,
    UBIGINT, // Refused. DuckDB casts decimals and dates to these.
    DOUBLE, TIMESTAMP, BOOLEAN, BLOB,
];

/// Types of items that do not compare with each other.
const NO_PAIRS: [[DUCKDB_TYPE; 2]; 6] = [
    [BIGINT, VARCHAR],
    [VARCHAR, BIGINT],
    [UUID, VARCHAR],
    [VARCHAR, UUID],
    [UUID, BIGINT],
    [BIGINT, UUID],
];

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
        add_overloads(set, aggregate);
        add_refusals(set, aggregate);
        let outcome = ffi::duckdb_register_aggregate_function_set(connection.raw(), set);
        ffi::duckdb_destroy_aggregate_function_set(&mut set);
        registered(outcome, aggregate.name)
    }
}

/// Overloads for all pairs of types of annotators and items.
///
/// # Safety
///
/// The set must be valid.
unsafe fn add_overloads(set: duckdb_aggregate_function_set, aggregate: &VoteAggregate) {
    for &annotator in aggregate.annotators {
        for item in ID_TYPES {
            let result = (aggregate.result)(annotator, item);
            let ids = [annotator, item, item];
            // SAFETY: the caller's promise.
            unsafe { add_every_count(set, aggregate, ids, &result) };
        }
    }
}

/// Overloads whose only purpose is an error text that says what is wrong.
///
/// # Safety
///
/// The set must be valid.
unsafe fn add_refusals(set: duckdb_aggregate_function_set, aggregate: &VoteAggregate) {
    let result = (aggregate.result)(BIGINT, BIGINT);
    for annotator in [BIGINT, VARCHAR, UUID] {
        for [left, right] in NO_PAIRS {
            let ids = [annotator, left, right];
            // SAFETY: the caller's promise.
            unsafe { add_every_count(set, aggregate, ids, &result) };
        }
    }
    let any = LogicalType::new(ANY);
    for count in [0, 1, 2, 3, 8, 9] {
        // SAFETY: the caller's promise.
        unsafe { add_overload(set, aggregate, &vec![&any; count], &result) };
    }
}

/// An overload for every number of arguments, of which the first three have the
/// types of `ids` and the others any type.
///
/// # Safety
///
/// The set must be valid.
unsafe fn add_every_count(
    set: duckdb_aggregate_function_set,
    aggregate: &VoteAggregate,
    ids: [DUCKDB_TYPE; 3],
    result: &LogicalType,
) {
    let (ids, any) = (ids.map(LogicalType::new), LogicalType::new(ANY));
    for count in ARGUMENT_COUNTS {
        let mut arguments = Vec::from(ids.each_ref());
        arguments.resize(count, &any);
        // SAFETY: the caller's promise.
        unsafe { add_overload(set, aggregate, &arguments, result) };
    }
}

/// # Safety
///
/// The set must be valid.
unsafe fn add_overload(
    set: duckdb_aggregate_function_set,
    aggregate: &VoteAggregate,
    arguments: &[&LogicalType],
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
