//! The overloads of the aggregate.
//!
//! DuckDB fixes the type of a result when a function is registered, and ids
//! come back in the type that they came in: so there is an overload for each
//! pair of types of annotators and items. ENUM and JSON become text by DuckDB's
//! own rules. Other types are refused, by overloads as well: what no overload
//! takes, DuckDB refuses with a list of them all.

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, DuckDBSuccess, duckdb_aggregate_function, duckdb_aggregate_function_set,
};

use super::aggregate;
use super::connection::Connection;
use super::handles::{LogicalType, c_string};
use super::result::fit_type;

/// An aggregate over votes: what it is called and what comes out.
#[derive(Clone, Copy)]
struct Aggregate {
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

const AGGREGATES: [Aggregate; 2] = [
    Aggregate {
        name: NAME,
        annotators: &ID_TYPES,
        finalize: aggregate::finalize,
        result: fit_type,
    },
    Aggregate {
        name: "me_hodgerank_model",
        annotators: &[ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY],
        finalize: aggregate::finalize_model,
        result: |_, _| LogicalType::new(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB),
    },
];

/// The name of the aggregate that returns the result sets.
pub const NAME: &str = "me_hodgerank_fit";

/// The fewest arguments, and the most.
pub const ARGUMENTS: std::ops::RangeInclusive<usize> = 4..=7;

/// The types that ids come back in.
const ID_TYPES: [DUCKDB_TYPE; 15] = [
    BIGINT,
    VARCHAR,
    UUID,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT,
    // Refused: decimals and dates are cast to these by DuckDB.
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN,
    ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
];

const BIGINT: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT;
const VARCHAR: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR;
const UUID: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_UUID;

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
pub fn register(connection: &Connection) -> Result<(), String> {
    AGGREGATES
        .iter()
        .try_for_each(|aggregate| register_one(connection, aggregate))
}

fn register_one(connection: &Connection, aggregate: &Aggregate) -> Result<(), String> {
    let name = c_string(aggregate.name);
    // SAFETY: the set is made, filled, registered (which copies it) and destroyed.
    unsafe {
        let mut set = ffi::duckdb_create_aggregate_function_set(name.as_ptr());
        add_overloads(set, aggregate);
        add_refusals(set, aggregate);
        let outcome = ffi::duckdb_register_aggregate_function_set(connection.raw(), set);
        ffi::duckdb_destroy_aggregate_function_set(&mut set);
        if outcome == DuckDBSuccess {
            Ok(())
        } else {
            Err(format!("could not register {}", aggregate.name))
        }
    }
}

/// # Safety
///
/// The set must be valid.
unsafe fn add_overloads(set: duckdb_aggregate_function_set, aggregate: &Aggregate) {
    let any = LogicalType::new(ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY);
    for &annotator in aggregate.annotators {
        for item in ID_TYPES {
            let fit = (aggregate.result)(annotator, item);
            let (annotator, item) = (LogicalType::new(annotator), LogicalType::new(item));
            for count in ARGUMENTS {
                let mut arguments = vec![&annotator, &item, &item];
                arguments.resize(count, &any);
                // SAFETY: the caller's promise.
                unsafe { add_overload(set, aggregate, &arguments, &fit) };
            }
        }
    }
}

/// Overloads that are there to say what is wrong.
///
/// # Safety
///
/// The set must be valid.
unsafe fn add_refusals(set: duckdb_aggregate_function_set, aggregate: &Aggregate) {
    let any = LogicalType::new(ffi::DUCKDB_TYPE_DUCKDB_TYPE_ANY);
    let fit = (aggregate.result)(BIGINT, BIGINT);
    for annotator in [BIGINT, VARCHAR, UUID].map(LogicalType::new) {
        for pair in NO_PAIRS {
            let [left, right] = pair.map(LogicalType::new);
            for count in ARGUMENTS {
                let mut arguments = vec![&annotator, &left, &right];
                arguments.resize(count, &any);
                // SAFETY: the caller's promise.
                unsafe { add_overload(set, aggregate, &arguments, &fit) };
            }
        }
    }
    for count in [0, 1, 2, 3, 8, 9] {
        // SAFETY: the caller's promise.
        unsafe { add_overload(set, aggregate, &vec![&any; count], &fit) };
    }
}

/// # Safety
///
/// The set must be valid.
unsafe fn add_overload(
    set: ffi::duckdb_aggregate_function_set,
    aggregate: &Aggregate,
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
        // Rows with a NULL are counted and named, not left out in silence.
        ffi::duckdb_aggregate_function_set_special_handling(function);
        ffi::duckdb_add_aggregate_function_to_set(set, function);
        ffi::duckdb_destroy_aggregate_function(&mut function);
    }
}
