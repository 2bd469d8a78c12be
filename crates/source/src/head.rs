//! Reads the first bytes of a file, to detect its format without reading the rest.

use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::file::OpenFile;
use crate::{Error, Result};

/// The number of bytes that is enough for a header: one page. Reading it costs the same at every file size: 1 us, where
/// mapping costs 5 to 9 us (`cargo bench -p meshlens-benches --bench source`).
pub const HEAD_LEN: usize = 4096;

/// The first bytes of a file, in the caller's buffer.
#[derive(Debug, Clone, Copy)]
pub struct Head<'b> {
    bytes: &'b [u8],
    file_len: Option<u64>,
    ended: bool,
}

impl<'b> Head<'b> {
    /// The first bytes of the file: as many as fit in the buffer, or all if there are fewer.
    pub fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// The length of the whole file, if the file states one (files of `/proc` do not).
    pub fn file_len(&self) -> Option<u64> {
        self.file_len
    }

    /// Whether these bytes are known to be the whole file.
    pub fn is_whole(&self) -> bool {
        self.ended || self.file_len == Some(self.bytes.len() as u64)
    }
}

/// Reads the start of a file into `buffer`, without allocating. [`HEAD_LEN`] is a good size for the buffer.
///
/// # Errors
///
/// Same as [`Source::read`](crate::Source::read).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lower.md3");
/// # std::fs::write(&path, [b"IDP3".as_slice(), &[0; 5000]].concat())?;
/// use meshlens_source::{HEAD_LEN, read_head};
///
/// let mut buffer = [0; HEAD_LEN];
/// let head = read_head(&path, &mut buffer)?;
/// assert!(head.bytes().starts_with(b"IDP3"));
/// assert_eq!((head.bytes().len(), head.file_len(), head.is_whole()), (4096, Some(5004), false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_head(path: impl AsRef<Path>, buffer: &mut [u8]) -> Result<Head<'_>> {
    let path = path.as_ref();
    let OpenFile { mut file, len: file_len, .. } = OpenFile::open(path)?;
    // A file that states its length is not read again to find its end.
    let wanted = file_len.map_or(buffer.len(), |len| buffer.len().min(len.try_into().unwrap_or(usize::MAX)));
    let mut filled = 0;
    let mut ended = false;
    while filled < wanted {
        match file.read(&mut buffer[filled..wanted]) {
            Ok(0) => {
                ended = true;
                break;
            }
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(path, "read")(error)),
        }
    }
    Ok(Head { bytes: &buffer[..filled], file_len, ended })
}
