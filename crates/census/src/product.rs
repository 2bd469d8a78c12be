//! Record batches of products: the columns of a census, and additional columns.

use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use meshlens::Severity;

use crate::build::{Number, Records};
use crate::row::{Row, schema, to_batch};

type Losses = Records<(&'static str, Severity, u64)>;

/// The [schema](crate::schema()) of a census, and the columns `product` (the name of the file), `product_size`, `losses` (code,
/// severity and count) and `content`.
pub fn product_schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        let census = schema();
        let mut fields = census.fields().to_vec();
        for field in [
            Field::new("product", DataType::Utf8, true),
            Field::new("product_size", Number::kind(), true),
            Field::new("losses", Losses::kind(), true),
            Field::new("content", DataType::Binary, true),
        ] {
            fields.push(Arc::new(field));
        }
        Arc::new(Schema::new(fields).with_metadata(census.metadata().clone()))
    });
    SCHEMA.clone()
}

/// Rows as a record batch of the [`product_schema`]. `names` are the names of the products. The column `content` is
/// null unless it is requested.
///
/// # Panics
///
/// The texts or the contents of a column have more than 2 GiB together.
pub fn to_product_batch(rows: &[Row], names: &[Option<String>], has_content: bool) -> RecordBatch {
    let contents = rows.iter().map(|row| row.product.as_ref().filter(|_| has_content));
    let mut columns = to_batch(rows).columns().to_vec();
    let more: [ArrayRef; 4] = [
        Arc::new(names.iter().map(Option::as_deref).collect::<StringArray>()),
        Number::array(rows, |row| Some(row.product.as_ref()?.bytes.len() as u64)),
        Losses::array(rows, |row| Some(&row.product.as_ref()?.losses)),
        Arc::new(contents.map(|product| Some(&*product?.bytes)).collect::<BinaryArray>()),
    ];
    columns.extend(more);
    // Every array has the type of its field and the length of the rows.
    RecordBatch::try_new(product_schema(), columns).unwrap_or_else(|error| unreachable!("{error}"))
}
