//! `me_hodgerank_simulate(annotators := 100, items := 20, …)`: made-up votes.

use std::ffi::c_void;
use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, duckdb_bind_info, duckdb_data_chunk, duckdb_destroy_value, duckdb_function_info,
    duckdb_init_info, duckdb_value, duckdb_vector_size,
};

use super::connection::{Connection, registered};
use super::error::{SqlError, c_string, callback};
use super::logical_type::LogicalType;
use super::output_vector::OutputVector;
use super::type_ids::{BIGINT, BOOLEAN, DOUBLE, UBIGINT, VARCHAR};
use crate::{Simulation, Simulator};

const NAME: &str = "me_hodgerank_simulate";

type SimulationSetter = fn(&mut Simulation, &Argument) -> Result<(), SqlError>;

/// Sets a field to the value of an argument.
macro_rules! set {
    ($field:ident, $value:expr) => {
        |simulation, argument| {
            simulation.$field = $value(argument);
            Ok(())
        }
    };
}

/// Every argument: its name, its type and how it is set.
const ARGUMENTS: &[(&str, DUCKDB_TYPE, SimulationSetter)] = &[
    ("annotators", BIGINT, |s, a| a.count(&mut s.annotators)),
    ("items", BIGINT, |s, a| a.count(&mut s.items)),
    ("votes_each", BIGINT, |s, a| a.count(&mut s.votes_each)),
    ("careless", DOUBLE, set!(careless, Argument::some_number)),
    (
        "adversarial",
        DOUBLE,
        set!(adversarial, Argument::some_number),
    ),
    ("personal", DOUBLE, set!(personal, Argument::some_number)),
    ("ties", DOUBLE, set!(ties, Argument::number)),
    ("graded", BOOLEAN, set!(graded, Argument::boolean)),
    ("seed", UBIGINT, set!(seed, Argument::unsigned)),
];

/// The value of an argument, which is not NULL.
struct Argument {
    name: &'static str,
    value: duckdb_value,
}

impl Argument {
    fn count(&self, field: &mut usize) -> Result<(), SqlError> {
        // SAFETY: a valid value, as in all methods below.
        let value = unsafe { ffi::duckdb_get_int64(self.value) };
        *field = value
            .try_into()
            .map_err(|_| format!("{} must be 0 or greater, not {value}", self.name))?;
        Ok(())
    }

    fn number(&self) -> f64 {
        // SAFETY: as above.
        unsafe { ffi::duckdb_get_double(self.value) }
    }

    fn some_number(&self) -> Option<f64> {
        Some(self.number())
    }

    fn boolean(&self) -> bool {
        // SAFETY: as above.
        unsafe { ffi::duckdb_get_bool(self.value) }
    }

    fn unsigned(&self) -> u64 {
        // SAFETY: as above.
        unsafe { ffi::duckdb_get_uint64(self.value) }
    }
}

impl Drop for Argument {
    fn drop(&mut self) {
        // SAFETY: the caller of `duckdb_bind_get_named_parameter` destroys the value.
        unsafe { duckdb_destroy_value(&mut self.value) };
    }
}

/// Makes the function known to DuckDB.
pub fn register(connection: &Connection) -> Result<(), SqlError> {
    let name = c_string(NAME);
    // SAFETY: registering copies the function, which is then destroyed.
    let outcome = unsafe {
        let mut function = ffi::duckdb_create_table_function();
        ffi::duckdb_table_function_set_name(function, name.as_ptr());
        for (name, argument_type, _) in ARGUMENTS {
            let (name, argument_type) = (c_string(name), LogicalType::new(*argument_type));
            let (name, raw_type) = (name.as_ptr(), argument_type.raw());
            ffi::duckdb_table_function_add_named_parameter(function, name, raw_type);
        }
        ffi::duckdb_table_function_set_bind(function, Some(bind));
        ffi::duckdb_table_function_set_init(function, Some(init));
        ffi::duckdb_table_function_set_function(function, Some(produce));
        let outcome = ffi::duckdb_register_table_function(connection.raw(), function);
        ffi::duckdb_destroy_table_function(&mut function);
        outcome
    };
    registered(outcome, NAME)
}

unsafe extern "C" fn bind(info: duckdb_bind_info) {
    let body = || {
        for field in Simulation::schema().fields() {
            let column_type = LogicalType::new(match field.data_type() {
                DataType::Int64 => BIGINT,
                DataType::Float64 => DOUBLE,
                _ => VARCHAR,
            });
            let name = c_string(field.name());
            // SAFETY: `info` is valid here; DuckDB copies the name and the type.
            unsafe { ffi::duckdb_bind_add_result_column(info, name.as_ptr(), column_type.raw()) };
        }
        let simulation = arguments(info)?;
        let votes = simulation.annotators.saturating_mul(simulation.votes_each);
        // A simulation that is not possible is refused here, before its first row.
        simulation.clone().run()?;
        // SAFETY: as above; DuckDB frees the data with `drop_box`.
        unsafe {
            ffi::duckdb_bind_set_cardinality(info, votes as u64, !simulation.graded);
            let data = Box::into_raw(Box::new(simulation)).cast();
            ffi::duckdb_bind_set_bind_data(info, data, Some(drop_box::<Simulation>));
        }
        Ok(())
    };
    // SAFETY: `info` is that of this callback.
    unsafe { callback(info, ffi::duckdb_bind_set_error, body) };
}

/// The simulation that the arguments ask for.
fn arguments(info: duckdb_bind_info) -> Result<Simulation, SqlError> {
    let mut simulation = Simulation::default();
    for (name, _, setter) in ARGUMENTS {
        // SAFETY: `info` is valid while binding; null if the argument was not given.
        let value = unsafe { ffi::duckdb_bind_get_named_parameter(info, c_string(name).as_ptr()) };
        if value.is_null() {
            continue;
        }
        let argument = Argument { name, value };
        // SAFETY: a valid value.
        if !unsafe { ffi::duckdb_is_null_value(value) } {
            setter(&mut simulation, &argument)?;
        }
    }
    Ok(simulation)
}

unsafe extern "C" fn drop_box<T>(data: *mut c_void) {
    // SAFETY: made by `Box::into_raw` of a `Box<T>`, and freed once.
    drop(unsafe { Box::from_raw(data.cast::<T>()) });
}

/// What a running call still has to return.
struct SimulationProgress {
    simulator: Simulator,
    batch: Option<RecordBatch>,
    /// Rows of the batch that were returned.
    done: usize,
}

impl SimulationProgress {
    /// The next rows, at most `max_rows`; None at the end.
    fn next(&mut self, max_rows: usize) -> crate::Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = &self.batch {
                let rows = max_rows.min(batch.num_rows() - self.done);
                if rows > 0 {
                    let slice = batch.slice(self.done, rows);
                    self.done += rows;
                    return Ok(Some(slice));
                }
            }
            self.batch = self.simulator.next().transpose()?;
            self.done = 0;
            if self.batch.is_none() {
                return Ok(None);
            }
        }
    }
}

unsafe extern "C" fn init(info: duckdb_init_info) {
    let body = || {
        // SAFETY: the bind data is what `bind` set.
        let simulation = unsafe { &*ffi::duckdb_init_get_bind_data(info).cast::<Simulation>() };
        let progress = Mutex::new(SimulationProgress {
            simulator: simulation.clone().run()?,
            batch: None,
            done: 0,
        });
        // SAFETY: DuckDB frees the data with `drop_box`.
        unsafe {
            // The votes come from one stream of random numbers.
            ffi::duckdb_init_set_max_threads(info, 1);
            let data = Box::into_raw(Box::new(progress)).cast();
            let drop_progress = drop_box::<Mutex<SimulationProgress>>;
            ffi::duckdb_init_set_init_data(info, data, Some(drop_progress));
        }
        Ok(())
    };
    // SAFETY: `info` is that of this callback.
    unsafe { callback(info, ffi::duckdb_init_set_error, body) };
}

unsafe extern "C" fn produce(info: duckdb_function_info, chunk: duckdb_data_chunk) {
    // SAFETY: `info` is that of this callback and its data what `init` set; the
    // chunk has a vector for each column of the schema, with memory for
    // `duckdb_vector_size` rows.
    unsafe {
        callback(info, ffi::duckdb_function_set_error, || {
            let data = ffi::duckdb_function_get_init_data(info);
            let progress = &*data.cast::<Mutex<SimulationProgress>>();
            let mut progress = progress.lock().map_err(|error| error.to_string())?;
            let Some(batch) = progress.next(duckdb_vector_size() as usize)? else {
                ffi::duckdb_data_chunk_set_size(chunk, 0);
                return Ok(());
            };
            for (index, array) in batch.columns().iter().enumerate() {
                let vector = ffi::duckdb_data_chunk_get_vector(chunk, index as u64);
                OutputVector::new(vector).write(0, array);
            }
            ffi::duckdb_data_chunk_set_size(chunk, batch.num_rows() as u64);
            Ok(())
        });
    }
}
