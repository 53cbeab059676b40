//! Fits a CSV file of votes and prints result sets as CSV, one after the other with an empty
//! line between them.
//!
//! ```text
//! cargo run --release --example fit_csv -- votes.csv ranking,annotators '{"choice": "y"}'
//! ```
//!
//! The file has a header, no quotes, integer ids and numbers for choices.
//! Numbers are printed so that reading them gives the same bits again, texts in quotes.

use std::error::Error;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::DataType;
use me_hodgerank::{Fit, Options, ResultSet, VoteBuilder};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, sets, options @ ..] = arguments.as_slice() else {
        return Err("usage: fit_csv FILE SET,... [OPTIONS]".into());
    };
    let sets: Vec<ResultSet> = sets.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let options = Options::from_json(options.first().map_or("{}", String::as_str))?;

    let mut votes = VoteBuilder::new(&options);
    votes.push_batch(&read(
        file,
        options.columns.choice.as_deref().unwrap_or("choice"),
    )?)?;
    let fit = Fit::new(&votes.finish()?, &options)?;

    for (index, set) in sets.into_iter().enumerate() {
        if index > 0 {
            println!();
        }
        print(set, &fit.table(set)?);
    }
    Ok(())
}

fn print(set: ResultSet, table: &RecordBatch) {
    let names: Vec<_> = set.columns().iter().map(|column| column.name).collect();
    println!("{}", names.join(","));
    for row in 0..table.num_rows() {
        let values: Vec<_> = table
            .columns()
            .iter()
            .map(|array| show(array, row))
            .collect();
        println!("{}", values.join(","));
    }
}

/// Every column holds integers, except the choice.
fn read(file: &str, choice: &str) -> Result<RecordBatch, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let mut lines = text.lines();
    let names: Vec<_> = lines.next().ok_or("an empty file")?.split(',').collect();
    let rows: Vec<Vec<_>> = lines.map(|line| line.split(',').collect()).collect();
    let mut columns = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let values = rows.iter().map(|row| row[index]);
        let array: ArrayRef = if *name == choice {
            let numbers: Result<Vec<f64>, _> = values.map(str::parse).collect();
            Arc::new(Float64Array::from(numbers?))
        } else {
            let numbers: Result<Vec<i64>, _> = values.map(str::parse).collect();
            Arc::new(Int64Array::from(numbers?))
        };
        columns.push((*name, array));
    }
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn show(array: &ArrayRef, row: usize) -> String {
    match array.data_type() {
        _ if array.is_null(row) => String::new(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        _ => {
            let text = array.as_string::<i32>().value(row);
            format!("\"{}\"", text.replace('"', "\"\""))
        }
    }
}
