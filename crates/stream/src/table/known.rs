//! What a table knows about one model.

use bytes::Bytes;
use meshlens::lens::Bounds;
use meshlens::wire::Cursor;
use meshlens::{Format, Result};

use super::{MOST_FILES, NAME, TableFile};
use crate::pieces::FilePieces;

/// What is known about a model before its files are read: its format, its bounds, and bytes of its headers. Clones share the bytes.
/// [`PlanTable::find`](super::PlanTable::find) finds it.
#[derive(Clone)]
pub struct Known {
    pub(super) format: Format,
    pub(super) bounds: Option<Bounds>,
    /// The files, and the bytes of their headers.
    pub(super) detail: Bytes,
}

impl Known {
    /// The format.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The bounding box of the model in frame 0, as its files give it. `None` if it is not known.
    pub const fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// The bytes of each file that a plan needs. `None` if they are not known. They are shared, not copied.
    pub fn headers(&self) -> Option<Vec<FilePieces>> {
        let mut files = Vec::new();
        let read = each_file(&self.detail, |file, pieces| {
            files.push(self.pieces(file.len, pieces).ok()?);
            Some(())
        });
        read.ok()??;
        files.iter().any(|file| !file.is_empty()).then_some(files)
    }

    fn pieces(&self, len: u64, bytes: &[u8]) -> Result<FilePieces> {
        let mut pieces = FilePieces::new(len);
        let mut cursor = Cursor::new(NAME, bytes);
        while cursor.remaining() > 0 {
            let (offset, len) = (cursor.u64("offset")?, cursor.u32("length")?);
            pieces.insert(offset, self.detail.slice_ref(cursor.take(len.into(), "bytes")?));
        }
        Ok(pieces)
    }

    /// Whether it is about these files.
    pub(super) fn is_of(&self, files: &[TableFile<'_>]) -> bool {
        let mut wanted = files.iter();
        let read = each_file(&self.detail, |file, _| (wanted.next() == Some(&file)).then_some(()));
        matches!(read, Ok(Some(()))) && wanted.next().is_none()
    }
}

debug_fields!(self, Known { format: self.format, bounds: self.bounds });

/// Calls `each` with each file of a model and the bytes of its pieces, until it returns `None`.
fn each_file<'a>(
    detail: &'a [u8],
    mut each: impl FnMut(TableFile<'a>, &'a [u8]) -> Option<()>,
) -> Result<Option<()>> {
    let mut cursor = Cursor::new(NAME, detail);
    let count = cursor.u32("number of files")?;
    for _ in 0..(count as usize).min(MOST_FILES + 1) {
        let (len, crc32) = (cursor.u64("file length")?, cursor.u32("file checksum")?);
        let (name_len, pieces_len) = (cursor.u32("length of a name")?, cursor.u32("length of headers")?);
        let name = std::str::from_utf8(cursor.take(name_len.into(), "name")?).unwrap_or_default();
        let pieces = cursor.take(pieces_len.into(), "headers")?;
        if each(TableFile { name, len, crc32 }, pieces).is_none() {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// Appends a file of a model, with its pieces.
pub(super) fn write_file(file: &TableFile<'_>, pieces: &FilePieces, out: &mut Vec<u8>) {
    let mut all = Vec::new();
    for range in pieces.ranges() {
        let bytes = pieces.get(range.clone()).unwrap_or_default();
        all.extend(range.start.to_le_bytes());
        all.extend((bytes.len() as u32).to_le_bytes());
        all.extend_from_slice(&bytes);
    }
    out.extend(file.len.to_le_bytes());
    out.extend(file.crc32.to_le_bytes());
    out.extend((file.name.len() as u32).to_le_bytes());
    out.extend((all.len() as u32).to_le_bytes());
    out.extend(file.name.as_bytes());
    out.extend(all);
}
