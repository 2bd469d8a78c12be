//! Runs the command, and reads the tables that it writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

/// The corpus of the repository.
pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").canonicalize().unwrap()
}

/// The command, without the user's settings.
pub(crate) fn census(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens-census"));
    command.args(arguments).env_remove("AWS_PROFILE").env("MESHLENS_CENSUS_RETRY_SECONDS", "20");
    command
}

/// Runs the command, asserts its exit status, and returns its output.
pub(crate) fn run(arguments: &[&str], status: i32) -> String {
    finish(census(arguments).output().unwrap(), status)
}

/// Asserts the exit status of a command, and returns the texts that it printed.
pub(crate) fn finish(output: Output, status: i32) -> String {
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(status), "{text}");
    text
}

/// The record batches of a table, part by part.
pub(crate) fn batches(folder: &Path) -> Vec<RecordBatch> {
    let mut parts: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    parts.retain(|path| path.extension().is_some_and(|extension| extension == "parquet"));
    parts.sort();
    let read = |path: &PathBuf| {
        let file = std::fs::File::open(path).unwrap();
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().map(Result::unwrap)
    };
    parts.iter().flat_map(read).collect()
}

/// A text column.
pub(crate) fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap();
    column.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
}

/// An integer column.
pub(crate) fn integers(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().iter().collect()
}

/// A value of a column. Lists and structs become lists.
pub(crate) fn value(column: &ArrayRef, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(row).into(),
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            (0..items.len()).map(|item| value(&items, item)).collect()
        }
        DataType::Struct(_) => column.as_struct().columns().iter().map(|field| value(field, row)).collect(),
        other => panic!("{other} is no type of these tests"),
    }
}

/// The uri, the entry, the status and the code of each row.
pub(crate) fn states(folder: &Path) -> Vec<[String; 4]> {
    let rows = |batch: &RecordBatch| {
        let columns = ["uri", "entry", "status", "code"].map(|name| texts(batch, name));
        let row = |row: usize| columns.each_ref().map(|column| column[row].clone().unwrap_or_default());
        (0..batch.num_rows()).map(row).collect::<Vec<_>>()
    };
    batches(folder).iter().flat_map(rows).collect()
}

/// The number of rows by status.
pub(crate) fn counts(folder: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for [_, _, status, _] in states(folder) {
        *counts.entry(status).or_default() += 1;
    }
    counts
}

/// Whether a column is null in every row.
pub(crate) fn is_null(folder: &Path, name: &str) -> bool {
    batches(folder).iter().all(|batch| {
        let column = batch.column_by_name(name).unwrap();
        column.null_count() == column.len()
    })
}
