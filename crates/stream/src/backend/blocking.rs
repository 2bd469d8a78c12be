//! A backend that reads with a function that may block.

use std::io;
use std::sync::Arc;

use super::{Backend, Read};
use crate::workers::{Waiting, Workers};

/// A backend that passes each read to a function, on its own threads. The function may block, for example on a disk, on
/// the client of a server, or on a decoder. It answers with [`Read::finish`], [`Read::finish_with`], [`Read::fail`] or
/// [`Read::fail_with`]. Reads are passed on in the order of their priorities, and not after they are cancelled.
///
/// ```
/// use std::io;
/// use std::ops::Range;
///
/// use meshlens_stream::backend::{Backend, BlockingBackend};
///
/// # struct Client;
/// # impl Client {
/// #     fn get(&self, name: &str, range: Range<u64>) -> io::Result<(Vec<u8>, u64)> {
/// #         match name {
/// #             "lower.md3" => Ok((b"IDP3\x0f"[range.start as usize..5.min(range.end as usize)].to_vec(), 5)),
/// #             _ => Err(io::ErrorKind::NotFound.into()),
/// #         }
/// #     }
/// # }
/// # let client = Client;
/// // `client.get` represents the call of an HTTP or S3 client. It returns the bytes of a range, and the length of the
/// // file.
/// let backend = BlockingBackend::new(16, move |read| match client.get(read.file(), read.range()) {
///     Ok((bytes, file_len)) => read.finish_with(bytes.into(), file_len, None),
///     Err(error) => read.fail_with(&error),
/// })?;
/// assert_eq!(&backend.read("lower.md3".into(), 1..100)?.bytes[..], b"DP3\x0f");
/// assert!(backend.read("upper.md3".into(), 0..4).is_err_and(|error| error.is_not_found()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The example `own_backend` has a backend for an HTTP server and one for an archive.
pub struct BlockingBackend {
    workers: Workers<Read>,
    threads: usize,
}

impl BlockingBackend {
    /// Makes a backend with `threads` threads, at least one. At most so many reads are in the function at one time.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(threads: usize, run: impl Fn(Read) + Send + Sync + 'static) -> io::Result<Self> {
        Self::on("meshlens-read", threads, false, move |read, _| run(read))
    }

    /// Makes a backend whose threads have a name. The function ends after it has answered, and may take more reads.
    pub(crate) fn named(
        name: &str,
        threads: usize,
        run: impl Fn(Read, &Waiting<'_, Read>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::on(name, threads, true, run)
    }

    fn on(
        name: &str,
        threads: usize,
        takes_turns: bool,
        run: impl Fn(Read, &Waiting<'_, Read>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let run = Arc::new(run);
        let run = move |read: Read, waiting: &Waiting<'_, Read>| {
            if !read.is_cancelled() {
                run(read, waiting);
            }
        };
        Ok(BlockingBackend {
            workers: Workers::new(name, threads, takes_turns, run)?,
            threads: threads.max(1),
        })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Ends the threads, waits for the reads that are in the function, and drops the function. Other reads fail. Must not
    /// be called by the function.
    pub fn close(&self) {
        self.workers.close();
    }
}

impl Backend for BlockingBackend {
    fn begin(&self, read: Read) {
        // A closed backend drops the read, which fails it.
        self.workers.add(read.priority(), read);
    }

    /// Two for each thread, so that no thread waits for its next read.
    fn max_reads(&self) -> usize {
        self.threads.saturating_mul(2)
    }
}

debug_fields!(self, BlockingBackend { threads: self.threads });
