//! A table of many game models: one row for each file, with its format, counts, bounds, materials, clips and findings.
//!
//! [`batch`] is a pure function from bytes to an Arrow record batch. Every input is valid: a file that cannot be read
//! as a model becomes a row with the reason. Rows do not depend on other rows, on the order of inputs, or on the
//! machine. A file depends on no other, except the frames of an Unreal mesh and the buffers of a glTF file, which
//! [`ReadBeside`] reads; a model in an archive is opened with its companions there, such as scripts and clips.
//!
//! ```
//! use meshlens_census::{Columns, Input, batch};
//!
//! # let flag = meshlens::md3::write::sample(&[8.0])?;
//! let rows = batch([Input::new("flag.md3", flag), Input::new("readme.txt", "Read me")], Columns::default());
//! assert_eq!(rows.num_rows(), 2);
//! # Ok::<(), meshlens::Error>(())
//! ```
//!
//! A PK3 or zip archive has one row, and another row for each file of a model in it: [`rows`].
#![forbid(unsafe_code)]

mod beside;
mod build;
mod column;
mod describe;
mod fault;
mod imports;
mod product;
mod read;
mod row;

pub use arrow_array::RecordBatch;
pub use beside::{ReadBeside, Unread, frames_of};
pub use bytes::Bytes;
pub use column::{Column, Columns, Needs};
pub use describe::{Visit, headers, panic_text};
pub use fault::{Fault, asset_code, gltf_code, model_code};
pub use product::{product_schema, to_product_batch};
pub use read::{Input, rows, rows_with};
pub use row::{Product, Row, SCHEMA_VERSION, Status, Stored, schema, to_batch};

/// Reads every input, and returns the rows in the order of the inputs. See [`rows`].
pub fn batch(inputs: impl IntoIterator<Item = Input>, columns: Columns) -> RecordBatch {
    let rows: Vec<Row> = inputs.into_iter().flat_map(|input| rows(&input, columns)).collect();
    to_batch(&rows)
}
