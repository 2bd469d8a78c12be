//! Backends: the sources of the bytes of files.
//!
//! | the bytes are in | backend |
//! |---|---|
//! | files | [`FileBackend`] |
//! | files that the caller maps | [`MappedBackend`] |
//! | an archive (PK3, zip), also one that is not a file | [`ArchiveBackend`] |
//! | the folders, archives and file systems of [`Assets`](meshlens_assets::Assets) | [`AssetsBackend`] |
//! | an S3 bucket or an HTTP server | `open_url` and `ObjectStoreBackend`, with the feature `object-store` |
//! | anything that a blocking function reads: an own client or archive | [`BlockingBackend`], in five lines |
//! | anything that an async function reads | the trait [`Backend`], in ten lines |

mod answer;
mod archive;
#[cfg(feature = "assets")]
mod assets;
mod blocking;
#[cfg(feature = "object-store")]
mod connection;
mod files;
mod mapped;
mod mark;
mod neighbours;
#[cfg(feature = "object-store")]
mod objects;
mod read;
#[cfg(feature = "object-store")]
mod remote;
#[cfg(feature = "object-store")]
mod settings;
mod throttled;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::sync::channel;
use crate::{Error, FileName, Known, Result};

pub(crate) use answer::Receive;
pub use answer::{Answer, Version};
pub use archive::ArchiveBackend;
#[cfg(feature = "assets")]
pub use assets::AssetsBackend;
pub use blocking::BlockingBackend;
pub use files::FileBackend;
pub use mapped::MappedBackend;
pub(crate) use mark::{Mark, Probed};
#[cfg(feature = "object-store")]
pub use meshlens_source::RangeCache;
#[cfg(all(feature = "object-store", feature = "assets"))]
pub use objects::ObjectFolder;
#[cfg(feature = "object-store")]
pub use objects::{ObjectBytes, ObjectStoreBackend, ObjectStoreOptions};
pub use read::Read;
pub(crate) use read::{Done, ReadMemory};
#[cfg(feature = "object-store")]
pub use remote::{RemoteError, RemoteOptions, Remotes, open_url};
pub use throttled::{Throttle, Throttled};

/// A source of the bytes of files. An implementation starts reads, and finishes them on any thread. If reading blocks,
/// [`BlockingBackend`] takes a function; an async client starts a task:
///
/// ```
/// use meshlens_stream::backend::{Backend, Read};
///
/// # struct Client;
/// # impl Client {
/// #     async fn get(&self, _: &str, range: std::ops::Range<u64>) -> std::io::Result<(Vec<u8>, u64)> {
/// #         Ok((vec![7; (range.end - range.start) as usize], 1 << 20))
/// #     }
/// # }
/// # #[derive(Clone)]
/// # struct Runtime;
/// # impl Runtime {
/// #     fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
/// #         let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #         assert!(std::pin::pin!(task).poll(&mut context).is_ready());
/// #     }
/// # }
/// # use std::sync::Arc;
/// struct Remote(Runtime, Arc<Client>);
///
/// impl Backend for Remote {
///     fn begin(&self, read: Read) {
///         let client = self.1.clone();
///         self.0.spawn(async move {
///             match client.get(read.file(), read.range()).await {
///                 Ok((bytes, file_len)) => read.finish_with(bytes.into(), file_len, None),
///                 Err(error) => read.fail_with(&error),
///             }
///         });
///     }
/// }
///
/// # let (runtime, client) = (Runtime, Arc::new(Client));
/// let answer = Remote(runtime, client).read("any".into(), 16..20)?;
/// assert_eq!((&answer.bytes[..], answer.file_len), (&[7; 4][..], 1 << 20));
/// # Ok::<(), meshlens_stream::Error>(())
/// ```
pub trait Backend: Send + Sync + 'static {
    /// Starts a read and returns at once, because the scheduler thread calls this. The answer is given by a call of
    /// [`Read::finish`], [`Read::finish_with`] or [`Read::fail`], on any thread. Unless [`Description::is_remote`] is set, that
    /// call parses the first bytes of a model.
    fn begin(&self, read: Read);

    /// The largest number of reads that may be in progress at one time.
    fn max_reads(&self) -> usize {
        16
    }

    /// Returns the properties of a file that are known without reading it. Returns at once. A streamer asks once for each file of a
    /// model that it opens.
    fn describe(&self, file: &FileName) -> Description {
        let _ = file;
        Description::default()
    }

    /// Returns what is known about the model of these files without reading them, such as from the [table](crate::PlanTable) of a
    /// pack. Returns at once.
    fn known(&self, files: &[FileName]) -> Option<Known> {
        let _ = files;
        None
    }

    /// Reads, and blocks until the answer is available. Do not call it on threads that must not block.
    ///
    /// # Errors
    ///
    /// The errors of the backend; [`Error::Length`] if it returns another number of bytes than requested.
    fn read(&self, file: FileName, range: Range<u64>) -> Result<Answer> {
        let (sender, mut receiver) = channel();
        self.begin(Read::new(file.clone(), range, move |answer| sender.send(answer)));
        receiver.recv().unwrap_or(Err(Error::NoAnswer { file }))
    }
}

/// The largest number of reads of a backend, at least 1. The scheduler calls it, which a panic must not end: it counts as 1.
pub(crate) fn max_reads(backend: &dyn Backend) -> usize {
    catch_unwind(AssertUnwindSafe(|| backend.max_reads())).unwrap_or(1).max(1)
}

/// The description of a file by a backend. It is empty if the backend panics.
pub(crate) fn describe(backend: &dyn Backend, file: &FileName) -> Description {
    catch_unwind(AssertUnwindSafe(|| backend.describe(file))).unwrap_or_default()
}

/// What a backend knows about a model. Nothing if it panics.
pub(crate) fn known(backend: &dyn Backend, files: &[FileName]) -> Option<Known> {
    catch_unwind(AssertUnwindSafe(|| backend.known(files))).unwrap_or_default()
}

/// The properties of a file that a backend knows without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// The length of the file, if it is known.
    pub file_len: Option<u64>,
    /// Whether reading any range reads the whole file, like a deflated entry of an archive. The length must be known.
    pub is_whole: bool,
    /// Whether the bytes take no additional memory, like the bytes of a mapped file.
    pub is_mapped: bool,
    /// Whether a server sends the bytes, so that a read takes as long as about 1 MiB.
    pub is_remote: bool,
}
