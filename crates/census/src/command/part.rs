//! Writes Parquet files atomically: a file is complete and on the disk before it gets its name.

use std::fs::File;
use std::path::Path;

use arrow_schema::SchemaRef;
use meshlens_source::AtomicFile;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::stop::{Result, Stop};

/// The number of rows in a row group of a table.
pub(crate) const GROUP_ROWS: usize = 1 << 16;

/// Starts a Parquet file with zstd compression.
pub(crate) fn writer(
    file: AtomicFile,
    schema: SchemaRef,
    group_rows: usize,
) -> Result<ArrowWriter<AtomicFile>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(group_rows))
        .set_created_by(concat!("meshlens ", env!("CARGO_PKG_VERSION")).into())
        .build();
    let path = file.path().to_owned();
    ArrowWriter::try_new(file, schema, Some(properties)).map_err(Stop::at(&path))
}

/// Completes a file, flushes it to the disk, and then moves it to its final path.
pub(crate) fn finish(writer: ArrowWriter<AtomicFile>) -> Result<()> {
    let path = writer.inner().path().to_owned();
    let mut file = writer.into_inner().map_err(Stop::at(&path))?;
    file.sync()?;
    file.commit()?;
    sync_folder(&path)
}

/// Flushes the name of a file to the disk.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Only Unix can open folders.
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(Stop::at(folder))?;
    }
    Ok(())
}
