//! What all scalar functions share: how they are registered and called.

use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_data_chunk, duckdb_data_chunk_get_column_count, duckdb_data_chunk_get_size,
    duckdb_data_chunk_get_vector, duckdb_function_info, duckdb_scalar_function_set_error,
    duckdb_vector,
};

use super::connection::{Connection, registered};
use super::error::{SqlError, c_string, callback};
use super::input_vector::InputVector;
use super::logical_type::LogicalType;
use super::output_vector::OutputVector;

/// A scalar function.
pub trait ScalarFunction {
    /// The name in SQL.
    const NAME: &'static str;
    /// Whether DuckDB evaluates it once for every call that is written, as it does
    /// with random numbers.
    const VOLATILE: bool = false;

    /// The types of the arguments and of the result, for each overload.
    fn signatures() -> Vec<Signature>;

    /// Writes the result of every row.
    fn run(call: &ScalarCall) -> Result<(), SqlError>;
}

/// The types of one overload.
pub struct Signature {
    pub arguments: Vec<DUCKDB_TYPE>,
    pub result: LogicalType,
}

impl Signature {
    /// The only signature of a function whose types have no parameters.
    pub fn only(arguments: &[DUCKDB_TYPE], result: DUCKDB_TYPE) -> Vec<Self> {
        vec![Self {
            arguments: arguments.to_vec(),
            result: LogicalType::new(result),
        }]
    }
}

/// Makes a function known to DuckDB.
pub fn register<F: ScalarFunction>(connection: &Connection) -> Result<(), SqlError> {
    let name = c_string(F::NAME);
    // SAFETY: the set is made, filled, registered (which copies it) and destroyed.
    let outcome = unsafe {
        let mut set = ffi::duckdb_create_scalar_function_set(name.as_ptr());
        for signature in F::signatures() {
            add_overload::<F>(set, &signature);
        }
        let outcome = ffi::duckdb_register_scalar_function_set(connection.raw(), set);
        ffi::duckdb_destroy_scalar_function_set(&mut set);
        outcome
    };
    registered(outcome, F::NAME)
}

/// # Safety
///
/// The set must be valid.
unsafe fn add_overload<F: ScalarFunction>(
    set: ffi::duckdb_scalar_function_set,
    signature: &Signature,
) {
    let name = c_string(F::NAME);
    // SAFETY: the set copies the function, which copies its name and types.
    unsafe {
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, name.as_ptr());
        for argument in &signature.arguments {
            let argument = LogicalType::new(*argument);
            ffi::duckdb_scalar_function_add_parameter(function, argument.raw());
        }
        ffi::duckdb_scalar_function_set_return_type(function, signature.result.raw());
        // The functions handle NULLs themselves: some versions of DuckDB pass
        // them, others do not.
        ffi::duckdb_scalar_function_set_special_handling(function);
        if F::VOLATILE {
            ffi::duckdb_scalar_function_set_volatile(function);
        }
        ffi::duckdb_scalar_function_set_function(function, Some(run::<F>));
        ffi::duckdb_add_scalar_function_to_set(set, function);
        ffi::duckdb_destroy_scalar_function(&mut function);
    }
}

unsafe extern "C" fn run<F: ScalarFunction>(
    info: duckdb_function_info,
    chunk: duckdb_data_chunk,
    result: duckdb_vector,
) {
    // SAFETY: `info`, the chunk and the result are those of this callback.
    unsafe {
        callback(info, duckdb_scalar_function_set_error, || {
            F::run(&ScalarCall::new(chunk, result))
        });
    }
}

/// The rows of one call: arguments in, results out.
pub struct ScalarCall {
    chunk: duckdb_data_chunk,
    rows: usize,
    output: OutputVector,
}

impl ScalarCall {
    /// # Safety
    ///
    /// The arguments must be those of a scalar function's callback while it runs.
    unsafe fn new(chunk: duckdb_data_chunk, result: duckdb_vector) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                chunk,
                rows: duckdb_data_chunk_get_size(chunk) as usize,
                output: OutputVector::new(result),
            }
        }
    }

    /// The first arguments; at most as many as are registered.
    pub fn arguments<const N: usize>(&self) -> [InputVector<'_>; N] {
        // SAFETY: DuckDB passes flat vectors of `rows` rows, one for each argument.
        std::array::from_fn(|index| unsafe {
            let vector = duckdb_data_chunk_get_vector(self.chunk, index as u64);
            InputVector::new(vector, self.rows)
        })
    }

    /// An argument that not every overload has.
    pub fn argument(&self, index: u64) -> Option<InputVector<'_>> {
        // SAFETY: as above.
        unsafe {
            let given = index < duckdb_data_chunk_get_column_count(self.chunk);
            let vector = || duckdb_data_chunk_get_vector(self.chunk, index);
            given.then(|| InputVector::new(vector(), self.rows))
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Where the results go.
    pub fn output(&self) -> OutputVector {
        self.output
    }

    /// Writes a text for each row; NULL where there is none.
    pub fn write_texts(
        &self,
        text: impl Fn(usize) -> Result<Option<String>, SqlError>,
    ) -> Result<(), SqlError> {
        for row in 0..self.rows {
            match text(row)? {
                Some(text) => self.output.put_text(row, &text),
                None => self.output.set_null(row),
            }
        }
        Ok(())
    }
}
