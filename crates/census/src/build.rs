//! Builds the arrays of record batches from rows.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    FixedSizeListBuilder, Float32Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
    UInt32Builder, UInt64Builder,
};
use arrow_schema::{DataType, Field, Fields};

/// A cell of a row in a list.
pub(crate) enum Cell<'r> {
    Text(&'r str),
    U32(u32),
    U64(Option<u64>),
    I64(Option<i64>),
    F32(f32),
}

/// The items of lists, which are not null.
fn item(kind: DataType) -> Field {
    Field::new("item", kind, false)
}

/// The field of a list, which may be null.
pub(crate) fn list_field(name: &str, kind: DataType) -> Field {
    Field::new(name, DataType::List(Arc::new(item(kind))), true)
}

/// The field of a list of structs.
pub(crate) fn structs_field(name: &str, fields: &Fields) -> Field {
    list_field(name, DataType::Struct(fields.clone()))
}

/// A list of structs for each row.
pub(crate) fn structs<'r, T: 'r, const N: usize>(
    fields: Fields,
    rows: impl Iterator<Item = Option<&'r [T]>>,
    cells: impl Fn(&'r T) -> [Cell<'r>; N],
) -> ArrayRef {
    let field = item(DataType::Struct(fields.clone()));
    let mut lists = ListBuilder::new(StructBuilder::from_fields(fields, 0)).with_field(field);
    for row in rows {
        for value in row.into_iter().flatten() {
            for (column, cell) in cells(value).into_iter().enumerate() {
                put(lists.values(), column, cell);
            }
            lists.values().append(true);
        }
        lists.append(row.is_some());
    }
    Arc::new(lists.finish())
}

/// Appends a cell with the builder of its column. The builder has the type of the field.
fn put(row: &mut StructBuilder, column: usize, cell: Cell<'_>) {
    match cell {
        Cell::Text(text) => {
            row.field_builder::<StringBuilder>(column).map(|builder| builder.append_value(text))
        }
        Cell::U32(number) => {
            row.field_builder::<UInt32Builder>(column).map(|builder| builder.append_value(number))
        }
        Cell::U64(number) => {
            row.field_builder::<UInt64Builder>(column).map(|builder| builder.append_option(number))
        }
        Cell::I64(number) => {
            row.field_builder::<Int64Builder>(column).map(|builder| builder.append_option(number))
        }
        Cell::F32(number) => {
            row.field_builder::<Float32Builder>(column).map(|builder| builder.append_value(number))
        }
    };
}

/// A list of texts for each row.
pub(crate) fn texts<'r>(rows: impl Iterator<Item = Option<&'r [String]>>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8));
    for row in rows {
        row.into_iter().flatten().for_each(|text| lists.values().append_value(text));
        lists.append(row.is_some());
    }
    Arc::new(lists.finish())
}

/// Three numbers for each row, as a list of variable length, which every engine can read.
pub(crate) fn points(rows: impl Iterator<Item = Option<[f32; 3]>>) -> ArrayRef {
    let mut lists = ListBuilder::new(Float32Builder::new()).with_field(item(DataType::Float32));
    for row in rows {
        lists.values().append_slice(row.as_ref().map(<[f32; 3]>::as_slice).unwrap_or_default());
        lists.append(row.is_some());
    }
    Arc::new(lists.finish())
}

/// The field of [`fixed_points`].
pub(crate) fn fixed_points_field(name: &str) -> Field {
    Field::new(name, DataType::FixedSizeList(Arc::new(item(DataType::Float32)), 3), true)
}

/// Three numbers for each row, as a list of fixed size.
pub(crate) fn fixed_points(rows: impl Iterator<Item = Option<[f32; 3]>>) -> ArrayRef {
    let lists = FixedSizeListBuilder::new(Float32Builder::new(), 3);
    let mut lists = lists.with_field(item(DataType::Float32));
    for row in rows {
        lists.values().append_slice(&row.unwrap_or_default());
        lists.append(row.is_some());
    }
    Arc::new(lists.finish())
}
