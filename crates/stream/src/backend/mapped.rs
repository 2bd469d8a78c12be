//! A backend for mapped files, whose bytes are borrowed and not copied.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use meshlens_source::{Advice, Source};

use super::{Backend, BlockingBackend, Description, Read};
use crate::FileName;
use crate::sync::{Mutex, lock};

/// The distance at which the pages of a map are touched. Pages are not smaller on any system.
const PAGE: usize = 4096;

/// A backend for files that the caller has mapped, with names that the caller chooses.
///
/// Mapping a file is `unsafe`, because the file must not change while it is mapped: see [`Source::map`]. All calls of
/// this backend are safe. Loaded parts borrow bytes from the map and keep it alive. These bytes do not count against
/// the memory budget, because the system can reclaim their pages.
///
/// Each read advises the system of the needed pages and then touches them, on threads of the backend, so that the
/// thread that uses the bytes does not wait for the disk.
///
/// ```
/// use meshlens_source::Source;
/// use meshlens_stream::backend::{Backend, MappedBackend};
///
/// let backend = MappedBackend::new(1)?;
/// // Or, in an unsafe block, `Source::map`.
/// backend.insert("lower", Source::from_vec(b"IDP3\x0f".to_vec()));
/// assert_eq!(&backend.read("lower".into(), 1..100)?.bytes[..], b"DP3\x0f");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MappedBackend {
    files: Arc<Files>,
    reads: BlockingBackend,
}

type Files = Mutex<HashMap<FileName, Arc<Mapped>>>;

/// A map, and `Bytes` that keep it alive.
struct Mapped {
    source: Arc<Source>,
    bytes: Bytes,
}

/// The bytes of a shared source.
struct SharedSource(Arc<Source>);

impl AsRef<[u8]> for SharedSource {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl MappedBackend {
    /// Makes a backend without files. Pages are loaded on `threads` threads, at least one.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        let files = Arc::<Files>::default();
        let mapped = files.clone();
        let reads = BlockingBackend::named("meshlens-map", threads, move |read, _| {
            match find(&mapped, read.file()) {
                Some(mapped) => mapped.answer(read),
                None => read.fail_with(&io::Error::new(io::ErrorKind::NotFound, "is not mapped")),
            }
        })?;
        Ok(MappedBackend { files, reads })
    }

    /// Adds a file with a name, replacing a file with the same name. Parts that were loaded from the replaced file stay
    /// valid.
    pub fn insert(&self, name: impl Into<FileName>, source: Source) {
        let source = Arc::new(source);
        let mapped = Mapped { bytes: Bytes::from_owner(SharedSource(source.clone())), source };
        lock(&self.files).insert(name.into(), Arc::new(mapped));
    }
}

fn find(files: &Files, name: &FileName) -> Option<Arc<Mapped>> {
    lock(files).get(name).cloned()
}

impl Backend for MappedBackend {
    fn begin(&self, read: Read) {
        self.reads.begin(read);
    }

    fn max_reads(&self) -> usize {
        self.reads.max_reads()
    }

    fn describe(&self, file: &FileName) -> Description {
        let file_len = find(&self.files, file).map(|mapped| mapped.source.len() as u64);
        Description { file_len, is_mapped: true, ..Description::default() }
    }
}

impl Mapped {
    fn answer(&self, read: Read) {
        let len = self.source.len();
        let clamp = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(len);
        let range = clamp(read.range().start)..clamp(read.range().end);
        // A hint only: if the system refuses it, the pages are loaded one after the other.
        let _ = self.source.advise(range.clone(), Advice::WillNeed);
        let bytes = self.bytes.slice(range);
        let touched = bytes.iter().step_by(PAGE).chain(bytes.last()).fold(0u8, |sum, byte| sum ^ byte);
        std::hint::black_box(touched);
        read.finish_with(bytes, len as u64, None);
    }
}

impl fmt::Debug for MappedBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedBackend").field("files", &lock(&self.files).len()).finish()
    }
}
