//! Flat columns of Parquet files, as bytes and integers, for any types that the file declares.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::stop::{Result, Stop};

/// A Parquet file.
pub(crate) struct ParquetFile {
    reader: SerializedFileReader<File>,
    name: String,
}

impl ParquetFile {
    pub(crate) fn open(path: &Path) -> Result<ParquetFile> {
        let file = File::open(path).map_err(Stop::at(path))?;
        let reader = SerializedFileReader::new(file).map_err(Stop::at(path))?;
        Ok(ParquetFile { reader, name: path.display().to_string() })
    }

    /// The number of rows in each row group.
    pub(crate) fn groups(&self) -> Vec<u64> {
        let groups = self.reader.metadata().row_groups().iter();
        groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect()
    }

    /// The names of the columns that have one value for each row.
    pub(crate) fn names(&self) -> Vec<&str> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let flat = schema.columns().iter().filter(|column| column.max_rep_level() == 0);
        flat.filter(|column| column.path().parts().len() == 1).map(|column| column.name()).collect()
    }

    /// The texts of a column in one row group. `None` if the file has no such column.
    pub(crate) fn texts(&self, group: usize, name: &str) -> Result<Option<Vec<Option<ByteArray>>>> {
        match self.column(group, name)? {
            None => Ok(None),
            Some(ColumnReader::ByteArrayColumnReader(reader)) => self.values(reader).map(Some),
            Some(_) => Err(self.wrong(name, "of texts")),
        }
    }

    /// The integers of a column in one row group. `None` if the file has no such column.
    pub(crate) fn integers(&self, group: usize, name: &str) -> Result<Option<Vec<Option<i64>>>> {
        match self.column(group, name)? {
            None => Ok(None),
            Some(ColumnReader::Int64ColumnReader(reader)) => self.values(reader).map(Some),
            Some(ColumnReader::Int32ColumnReader(reader)) => {
                let values = self.values(reader)?;
                Ok(Some(values.into_iter().map(|value| value.map(i64::from)).collect()))
            }
            Some(_) => Err(self.wrong(name, "of integers")),
        }
    }

    fn wrong(&self, name: &str, expected: &str) -> Stop {
        Stop(format!("{}: the column {name} is not one {expected}", self.name))
    }

    fn failed(&self, error: impl std::fmt::Display) -> Stop {
        Stop(format!("{}: {error}", self.name))
    }

    fn column(&self, group: usize, name: &str) -> Result<Option<ColumnReader>> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let index = schema.columns().iter().position(|column| {
            column.path().parts().len() == 1 && column.name() == name && column.max_rep_level() == 0
        });
        let Some(index) = index else { return Ok(None) };
        let group = self.reader.get_row_group(group).map_err(|error| self.failed(error))?;
        group.get_column_reader(index).map(Some).map_err(|error| self.failed(error))
    }

    fn values<T: DataType>(&self, mut reader: ColumnReaderImpl<T>) -> Result<Vec<Option<T::T>>> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            let read = reader.read_records(1 << 16, Some(&mut levels), None, &mut values);
            let (rows, ..) = read.map_err(|error| self.failed(error))?;
            if rows == 0 {
                break;
            }
        }
        if levels.is_empty() {
            // No value is null.
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(levels.into_iter().map(|level| if level == 0 { None } else { values.next() }).collect())
    }
}
