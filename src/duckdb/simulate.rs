//! `me_hodgerank_simulate(annotators := 100, items := 20, …)`: made-up votes.

use std::ffi::c_void;
use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use libduckdb_sys as ffi;
use libduckdb_sys::{
    DUCKDB_TYPE, DuckDBSuccess, duckdb_bind_info, duckdb_data_chunk, duckdb_destroy_value,
    duckdb_function_info, duckdb_init_info, duckdb_value, duckdb_vector_size,
};

use super::connection::Connection;
use super::handles::{LogicalType, c_string, guard};
use super::result::Output;
use crate::{Simulation, Simulator};

const COUNT: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT;
const SHARE: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE;
const FLAG: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN;
const SEED: DUCKDB_TYPE = ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT;

type Setter = fn(&mut Simulation, &Argument) -> Result<(), String>;

/// Every argument: its name, its type and where it goes.
const ARGUMENTS: &[(&str, DUCKDB_TYPE, Setter)] = &[
    ("annotators", COUNT, |s, a| a.count(&mut s.annotators)),
    ("items", COUNT, |s, a| a.count(&mut s.items)),
    ("votes_each", COUNT, |s, a| a.count(&mut s.votes_each)),
    ("careless", SHARE, |s, a| {
        a.set(&mut s.careless, Some(a.share()))
    }),
    ("adversarial", SHARE, |s, a| {
        a.set(&mut s.adversarial, Some(a.share()))
    }),
    ("personal", SHARE, |s, a| {
        a.set(&mut s.personal, Some(a.share()))
    }),
    ("ties", SHARE, |s, a| a.set(&mut s.ties, a.share())),
    ("graded", FLAG, |s, a| a.set(&mut s.graded, a.flag())),
    ("seed", SEED, |s, a| a.set(&mut s.seed, a.seed())),
];

/// The value of an argument, which is not NULL.
struct Argument {
    name: &'static str,
    value: duckdb_value,
}

impl Argument {
    fn set<T>(&self, slot: &mut T, value: T) -> Result<(), String> {
        *slot = value;
        Ok(())
    }

    fn count(&self, slot: &mut usize) -> Result<(), String> {
        // SAFETY: a valid value, as in all methods below.
        let value = unsafe { ffi::duckdb_get_int64(self.value) };
        *slot = value
            .try_into()
            .map_err(|_| format!("{} must be 0 or greater, not {value}", self.name))?;
        Ok(())
    }

    fn share(&self) -> f64 {
        // SAFETY: as above.
        unsafe { ffi::duckdb_get_double(self.value) }
    }

    fn flag(&self) -> bool {
        // SAFETY: as above.
        unsafe { ffi::duckdb_get_bool(self.value) }
    }

    fn seed(&self) -> u64 {
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
pub fn register(connection: &Connection) -> Result<(), String> {
    // SAFETY: registering copies the function, which is then destroyed.
    let outcome = unsafe {
        let mut function = ffi::duckdb_create_table_function();
        ffi::duckdb_table_function_set_name(function, c"me_hodgerank_simulate".as_ptr());
        for (name, kind, _) in ARGUMENTS {
            let (name, kind) = (c_string(name), LogicalType::new(*kind));
            ffi::duckdb_table_function_add_named_parameter(function, name.as_ptr(), kind.raw());
        }
        ffi::duckdb_table_function_set_bind(function, Some(bind));
        ffi::duckdb_table_function_set_init(function, Some(init));
        ffi::duckdb_table_function_set_function(function, Some(produce));
        let outcome = ffi::duckdb_register_table_function(connection.raw(), function);
        ffi::duckdb_destroy_table_function(&mut function);
        outcome
    };
    if outcome == DuckDBSuccess {
        Ok(())
    } else {
        Err("could not register me_hodgerank_simulate".into())
    }
}

unsafe extern "C" fn bind(info: duckdb_bind_info) {
    let outcome = guard(|| {
        for field in Simulation::schema().fields() {
            let kind = LogicalType::new(match field.data_type() {
                DataType::Int64 => ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
                DataType::Float64 => ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
                _ => ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
            });
            let name = c_string(field.name());
            // SAFETY: `info` is valid here; DuckDB copies the name and the type.
            unsafe { ffi::duckdb_bind_add_result_column(info, name.as_ptr(), kind.raw()) };
        }
        let simulation = arguments(info)?;
        let votes = simulation.annotators.saturating_mul(simulation.votes_each);
        // Refused now rather than when the first vote is asked for.
        simulation
            .clone()
            .run()
            .map_err(|error| error.to_string())?;
        // SAFETY: as above; DuckDB frees the data with `drop_simulation`.
        unsafe {
            ffi::duckdb_bind_set_cardinality(info, votes as u64, !simulation.graded);
            let data = Box::into_raw(Box::new(simulation)).cast();
            ffi::duckdb_bind_set_bind_data(info, data, Some(drop_simulation));
        }
        Ok(())
    });
    if let Err(message) = outcome {
        // SAFETY: DuckDB copies the text.
        unsafe { ffi::duckdb_bind_set_error(info, c_string(&message).as_ptr()) };
    }
}

fn arguments(info: duckdb_bind_info) -> Result<Simulation, String> {
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

unsafe extern "C" fn drop_simulation(data: *mut c_void) {
    // SAFETY: made in `bind`, freed once.
    drop(unsafe { Box::from_raw(data.cast::<Simulation>()) });
}

/// What a running call still has to give out.
struct Progress {
    simulator: Simulator,
    batch: Option<RecordBatch>,
    /// Rows of the batch that were given out.
    done: usize,
}

impl Progress {
    /// The next rows, at most so many.
    fn next(&mut self, most: usize) -> crate::Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = &self.batch {
                let rows = most.min(batch.num_rows() - self.done);
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
    let outcome = guard(|| {
        // SAFETY: the bind data is what `bind` set.
        let simulation = unsafe { &*ffi::duckdb_init_get_bind_data(info).cast::<Simulation>() };
        let simulator = simulation
            .clone()
            .run()
            .map_err(|error| error.to_string())?;
        let progress = Mutex::new(Progress {
            simulator,
            batch: None,
            done: 0,
        });
        // SAFETY: DuckDB frees the data with `drop_progress`.
        unsafe {
            // The votes follow one stream of random numbers.
            ffi::duckdb_init_set_max_threads(info, 1);
            let data = Box::into_raw(Box::new(progress)).cast();
            ffi::duckdb_init_set_init_data(info, data, Some(drop_progress));
        }
        Ok(())
    });
    if let Err(message) = outcome {
        // SAFETY: DuckDB copies the text.
        unsafe { ffi::duckdb_init_set_error(info, c_string(&message).as_ptr()) };
    }
}

unsafe extern "C" fn drop_progress(data: *mut c_void) {
    // SAFETY: made in `init`, freed once.
    drop(unsafe { Box::from_raw(data.cast::<Mutex<Progress>>()) });
}

unsafe extern "C" fn produce(info: duckdb_function_info, chunk: duckdb_data_chunk) {
    let outcome = guard(|| {
        // SAFETY: the init data is what `init` set; the chunk has a vector for
        // each column of the schema, with room for `duckdb_vector_size` rows.
        unsafe {
            let progress = &*ffi::duckdb_function_get_init_data(info).cast::<Mutex<Progress>>();
            let mut progress = progress.lock().map_err(|error| error.to_string())?;
            let batch = progress.next(duckdb_vector_size() as usize);
            let Some(batch) = batch.map_err(|error| error.to_string())? else {
                ffi::duckdb_data_chunk_set_size(chunk, 0);
                return Ok(());
            };
            for (index, array) in batch.columns().iter().enumerate() {
                let vector = ffi::duckdb_data_chunk_get_vector(chunk, index as u64);
                Output::new(vector).write(0, array);
            }
            ffi::duckdb_data_chunk_set_size(chunk, batch.num_rows() as u64);
        }
        Ok(())
    });
    if let Err(message) = outcome {
        // SAFETY: DuckDB copies the text.
        unsafe { ffi::duckdb_function_set_error(info, c_string(&message).as_ptr()) };
    }
}
