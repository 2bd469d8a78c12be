//! The types of columns, and their arrays for rows.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float32Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{Float64Array, Int64Array, StringArray};
use arrow_schema::{DataType, Field, Fields};

/// A cell of a record in a list.
pub(crate) enum Cell<'r> {
    Text(&'r str),
    Number(Option<u64>),
    Float(f32),
}

/// An item of a list, which becomes a struct.
pub(crate) trait Record {
    /// The names and types of the fields, and whether they may be null.
    const FIELDS: &'static [(&'static str, DataType, bool)];

    /// A cell for each field.
    fn cells(&self) -> Vec<Cell<'_>>;
}

/// Counts and offsets saturate, which only happens in hostile files.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The type of a list of items, which are not null. Lists have variable length, which every engine can read.
fn list_of(kind: DataType) -> DataType {
    DataType::List(Arc::new(item(kind)))
}

fn item(kind: DataType) -> Field {
    Field::new("item", kind, false)
}

/// Texts.
pub(crate) struct Text;

impl Text {
    pub(crate) const fn kind() -> DataType {
        DataType::Utf8
    }

    pub(crate) fn array<R>(rows: &[R], cell: fn(&R) -> Option<&str>) -> ArrayRef {
        Arc::new(rows.iter().map(cell).collect::<StringArray>())
    }
}

/// Numbers, signed so that every engine can read them.
pub(crate) struct Number;

impl Number {
    pub(crate) const fn kind() -> DataType {
        DataType::Int64
    }

    pub(crate) fn array<R>(rows: &[R], cell: fn(&R) -> Option<u64>) -> ArrayRef {
        Arc::new(rows.iter().map(|row| cell(row).map(signed)).collect::<Int64Array>())
    }
}

/// Times.
pub(crate) struct Time;

impl Time {
    pub(crate) const fn kind() -> DataType {
        DataType::Float64
    }

    pub(crate) fn array<R>(rows: &[R], cell: fn(&R) -> Option<f64>) -> ArrayRef {
        Arc::new(rows.iter().map(cell).collect::<Float64Array>())
    }
}

/// Three numbers for each row.
pub(crate) struct Corner;

impl Corner {
    pub(crate) fn kind() -> DataType {
        list_of(DataType::Float32)
    }

    pub(crate) fn array<R>(rows: &[R], cell: fn(&R) -> Option<[f32; 3]>) -> ArrayRef {
        let mut lists = ListBuilder::new(Float32Builder::new()).with_field(item(DataType::Float32));
        for cell in rows.iter().map(cell) {
            lists.values().append_slice(cell.as_ref().map(<[f32; 3]>::as_slice).unwrap_or_default());
            lists.append(cell.is_some());
        }
        Arc::new(lists.finish())
    }
}

/// Lists of texts.
pub(crate) struct Texts;

impl Texts {
    pub(crate) fn kind() -> DataType {
        list_of(DataType::Utf8)
    }

    pub(crate) fn array<R>(rows: &[R], cell: fn(&R) -> Option<&[String]>) -> ArrayRef {
        let mut lists = ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8));
        for cell in rows.iter().map(cell) {
            cell.into_iter().flatten().for_each(|text| lists.values().append_value(text));
            lists.append(cell.is_some());
        }
        Arc::new(lists.finish())
    }
}

/// Lists of structs.
pub(crate) struct Records<T>(std::marker::PhantomData<T>);

impl<T: Record> Records<T> {
    fn fields() -> Fields {
        T::FIELDS.iter().map(|(name, kind, nullable)| Field::new(*name, kind.clone(), *nullable)).collect()
    }

    pub(crate) fn kind() -> DataType {
        list_of(DataType::Struct(Self::fields()))
    }

    pub(crate) fn array<R>(rows: &[R], cell: fn(&R) -> Option<&[T]>) -> ArrayRef {
        let field = item(DataType::Struct(Self::fields()));
        let mut lists = ListBuilder::new(StructBuilder::from_fields(Self::fields(), 0)).with_field(field);
        for cell in rows.iter().map(cell) {
            for record in cell.into_iter().flatten() {
                for (column, cell) in record.cells().into_iter().enumerate() {
                    put(lists.values(), column, cell);
                }
                lists.values().append(true);
            }
            lists.append(cell.is_some());
        }
        Arc::new(lists.finish())
    }
}

/// Appends a cell with the builder of its column. The builder has the type of the field.
fn put(row: &mut StructBuilder, column: usize, cell: Cell<'_>) {
    match cell {
        Cell::Text(text) => {
            row.field_builder::<StringBuilder>(column).map(|builder| builder.append_value(text))
        }
        Cell::Number(number) => {
            row.field_builder::<Int64Builder>(column).map(|builder| builder.append_option(number.map(signed)))
        }
        Cell::Float(number) => {
            row.field_builder::<Float32Builder>(column).map(|builder| builder.append_value(number))
        }
    };
}
