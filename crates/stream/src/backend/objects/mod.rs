//! Objects of a store: S3, HTTP servers and others, through the crate `object_store`.

mod cached;
mod fetch;
#[cfg(feature = "assets")]
mod files;
#[cfg(feature = "assets")]
mod folder;
mod list;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use object_store::ObjectStore;
use object_store::list::PaginatedListStore;
use object_store::path::Path;
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use meshlens_source::RangeCache;

use super::{Backend, Description, Read};
use crate::sync::spawn;
use crate::{Error, FileName, Result};

use cached::Objects;
pub use fetch::ObjectBytes;
#[cfg(feature = "assets")]
pub use folder::ObjectFolder;

/// The largest read that is fetched together with others. The bytes of such reads are in memory twice for a short time.
const LARGEST_JOINED: u64 = 64 << 10;
/// The longest name of an object, and the longest token of a list, in bytes. `object_store` panics if a URL is longer than
/// 65,534 bytes; S3 has keys of at most 1,024 bytes.
const LONGEST_NAME: usize = 8 << 10;

/// Options of an [`ObjectStoreBackend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectStoreOptions {
    /// The maximum number of concurrent requests.
    pub max_reads: usize,
    /// The largest gap in bytes between reads of an object that are fetched in one request. Only reads of at most 64
    /// KiB that begin together are joined.
    pub join_gap: u64,
}

impl Default for ObjectStoreOptions {
    /// 32 requests, and gaps of 4 KiB.
    fn default() -> Self {
        ObjectStoreOptions { max_reads: 32, join_gap: 4096 }
    }
}

/// The work that the thread of a backend does.
enum Work {
    Read(Box<Read>),
    /// Requests a page of a list, and passes it on.
    List(BoxFuture<'static, ()>),
}

/// The objects of a store. The name of a file is the key of its object in the form of [`Path`]: without a leading `/`.
///
/// Retries and timeouts are options of the store: `object_store::RetryConfig` and `object_store::ClientOptions`.
/// [`open_url`](super::open_url) builds a store for a URL. A program that builds a store for a server itself enables a
/// feature of `object_store` that includes TLS, such as `aws` or `http`, or installs a `rustls::crypto::CryptoProvider`
/// first. Each read requires the state of the object at its first read
/// (its entity tag, or its time of modification and size): if the object was replaced, the read fails with
/// [`Error::Changed`]. If a server does not support ranges, each read fetches the object up to the end of the range,
/// and keeps the range.
///
/// ```
/// use std::sync::Arc;
///
/// use meshlens_stream::backend::{Backend, ObjectStoreBackend, ObjectStoreOptions};
/// use object_store::local::LocalFileSystem;
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("lower.md3"), b"IDP3\x0f")?;
/// # let folder = folder.path();
/// let store = Arc::new(LocalFileSystem::new_with_prefix(folder)?);
/// let backend = ObjectStoreBackend::new(store, ObjectStoreOptions::default())?;
/// assert_eq!(&backend.read("lower.md3".into(), 1..100)?.bytes[..], b"DP3\x0f");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ObjectStoreBackend {
    work: UnboundedSender<Work>,
    objects: Arc<Objects>,
    /// The same store, if its lists can be requested page by page.
    pages: Option<Arc<dyn PaginatedListStore>>,
    /// Whether the server lists its objects.
    #[cfg_attr(not(feature = "assets"), expect(dead_code, reason = "only search paths list folders"))]
    lists: bool,
    options: ObjectStoreOptions,
}

impl ObjectStoreBackend {
    /// Makes a backend with its own `tokio` runtime on one thread, which ends when the backend is dropped.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread, or cannot provide the resources of the runtime.
    pub fn new(store: Arc<dyn ObjectStore>, options: ObjectStoreOptions) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (backend, serve) = Self::parts(store, options);
        spawn("meshlens-objects", move || {
            runtime.block_on(serve);
            // Looking up host names may take long, so this does not wait for the runtime.
            runtime.shutdown_background();
        })?;
        Ok(backend)
    }

    /// Makes a backend that uses a runtime of the caller. The runtime needs timers and, for servers, I/O. Dropping the
    /// backend cancels unfinished requests.
    pub fn on_runtime(runtime: &Handle, store: Arc<dyn ObjectStore>, options: ObjectStoreOptions) -> Self {
        let (backend, serve) = Self::parts(store, options);
        runtime.spawn(serve);
        backend
    }

    fn parts(
        store: Arc<dyn ObjectStore>,
        options: ObjectStoreOptions,
    ) -> (Self, impl Future<Output = ()> + use<>) {
        let (work, receiver) = unbounded_channel();
        let objects = Arc::new(Objects::new(store));
        let serve = serve(objects.clone(), options, receiver);
        (ObjectStoreBackend { work, objects, pages: None, lists: true, options }, serve)
    }

    /// The same backend, whose lists are requested page by page, with limits.
    pub(super) fn with_pages(self, pages: Arc<dyn PaginatedListStore>) -> Self {
        ObjectStoreBackend { pages: Some(pages), ..self }
    }

    /// The same backend, for a server that does not list its objects.
    pub(super) fn without_lists(self) -> Self {
        ObjectStoreBackend { lists: false, ..self }
    }

    /// Keeps ranges in a cache on the disk, once for each backend. `url` distinguishes the store from others, such as
    /// `s3://bucket`. Only objects with a strong entity tag are kept. The first read of an object asks the server whether
    /// the tag is still the same; later ones that are in the cache send no request. If the server cannot be reached,
    /// nothing is read.
    #[must_use]
    pub fn with_cache(self, cache: RangeCache, url: &str) -> Self {
        self.objects.set_cache(cache, url);
        self
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.objects.store
    }
}

impl Backend for ObjectStoreBackend {
    fn begin(&self, read: Read) {
        // If the runtime has ended, the read is dropped, which fails it.
        let _ = self.work.send(Work::Read(Box::new(read)));
    }

    fn max_reads(&self) -> usize {
        self.options.max_reads
    }

    fn describe(&self, _: &FileName) -> Description {
        Description { is_remote: true, ..Description::default() }
    }
}

debug_fields!(self, ObjectStoreBackend { store: self.store() });

/// Runs until the backend is dropped. Unfinished reads are then dropped with the set.
async fn serve(objects: Arc<Objects>, options: ObjectStoreOptions, mut work: UnboundedReceiver<Work>) {
    let mut tasks = JoinSet::new();
    let mut begun = Vec::new();
    while work.recv_many(&mut begun, options.max_reads.max(1)).await > 0 {
        while tasks.try_join_next().is_some() {}
        let mut joined: BTreeMap<FileName, Vec<Read>> = BTreeMap::new();
        for work in begun.drain(..) {
            let read = match work {
                Work::Read(read) => *read,
                Work::List(page) => {
                    tasks.spawn(page);
                    continue;
                }
            };
            match fetch::seen(&read) {
                // The length of the object must be known, so that joined ranges do not end after it.
                Some(seen) if seen.has_ranges && fetch::len(&read.range()) <= LARGEST_JOINED => {
                    joined.entry(read.file().clone()).or_default().push(read);
                }
                _ => {
                    let objects = objects.clone();
                    tasks.spawn(async move { fetch::one(&objects, read).await });
                }
            }
        }
        for mut together in joined.into_values() {
            let objects = objects.clone();
            tasks.spawn(async move {
                match (together.pop(), together.is_empty()) {
                    (Some(read), true) => fetch::one(&objects, read).await,
                    (read, _) => {
                        together.extend(read);
                        fetch::several(&objects, together, options.join_gap).await;
                    }
                }
            });
        }
    }
}

/// The path of an object or a folder.
fn path_of(name: &FileName) -> Result<Path> {
    if name.len() > LONGEST_NAME {
        let reason = format!("a name of {} bytes; the limit is {LONGEST_NAME}", name.len()).into();
        let file = list::shortened(name).into();
        return Err(Error::Read { file, reason, kind: io::ErrorKind::Other });
    }
    Path::parse(&**name).map_err(|error| Error::read(name, &error))
}
