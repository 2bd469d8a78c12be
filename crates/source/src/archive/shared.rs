//! Bytes of entries that own what they need: they are shared with an archive in memory, or read.

use std::borrow::Cow;
use std::sync::Arc;

use super::Archive;
use crate::entry::Entry;
use crate::{ReadAt, Result};

/// Bytes of an entry. If the archive is in memory or mapped, stored bytes are not copied, and keep the archive alive.
#[derive(Debug)]
pub struct SharedBytes<B>(Bytes<B>);

#[derive(Debug)]
enum Bytes<B> {
    Owned(Vec<u8>),
    Shared { archive: Arc<Archive<B>>, start: u64, len: u64 },
}

impl<B: ReadAt> AsRef<[u8]> for SharedBytes<B> {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Owned(bytes) => bytes,
            Bytes::Shared { archive, start, len } => match archive.bytes.read_at(*start, *len) {
                Ok(Cow::Borrowed(bytes)) => bytes,
                // Bytes in memory are borrowed every time.
                Ok(Cow::Owned(_)) | Err(_) => &[],
            },
        }
    }
}

impl<B: ReadAt> Archive<B> {
    /// Whether the bytes of the archive are in memory or mapped, so that stored entries are not copied.
    pub fn is_in_memory(&self) -> bool {
        matches!(self.bytes.read_at(0, 0), Ok(Cow::Borrowed(_)))
    }

    /// Like [`read`](Self::read), with bytes that keep the archive alive.
    ///
    /// # Errors
    ///
    /// Same as [`read`](Self::read).
    pub fn share(self: &Arc<Self>, entry: &Entry<'_>) -> Result<SharedBytes<B>> {
        self.shared(entry, 0, self.read(entry)?)
    }

    /// Like [`read_stored`](Self::read_stored), with bytes that keep the archive alive.
    ///
    /// # Errors
    ///
    /// Same as [`read_stored`](Self::read_stored).
    ///
    /// ```
    /// # use std::io::Write;
    /// # let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    /// # let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    /// # zip.start_file("lower.md3", stored)?;
    /// # zip.write_all(b"IDP3")?;
    /// # let pk3 = zip.finish()?.into_inner();
    /// use std::sync::Arc;
    /// use meshlens_source::{Archive, Source};
    ///
    /// // Or, in an unsafe block, `Source::map`.
    /// let archive = Arc::new(Archive::open(Source::from_vec(pk3))?);
    /// let entry = archive.find("lower.md3").ok_or("no entry")?;
    /// let bytes = archive.share_stored(&entry, 1, 2)?;
    /// drop(archive);
    /// assert_eq!(bytes.as_ref(), b"DP");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn share_stored(
        self: &Arc<Self>,
        entry: &Entry<'_>,
        offset: u64,
        len: u64,
    ) -> Result<SharedBytes<B>> {
        self.shared(entry, offset.min(entry.size()), self.read_stored(entry, offset, len)?)
    }

    fn shared(
        self: &Arc<Self>,
        entry: &Entry<'_>,
        offset: u64,
        bytes: Cow<'_, [u8]>,
    ) -> Result<SharedBytes<B>> {
        Ok(SharedBytes(match bytes {
            Cow::Owned(bytes) => Bytes::Owned(bytes),
            Cow::Borrowed(bytes) => {
                let start = self.content().packed_start(entry)? + offset;
                Bytes::Shared { archive: self.clone(), start, len: bytes.len() as u64 }
            }
        }))
    }
}
