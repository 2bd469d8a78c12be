//! Reads ranges of objects.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, coalesce_ranges};

use super::super::connection::OtherHost;
use super::super::{Mark, Read, Version};
use super::ObjectStoreBackend;
use super::cached::Objects;
use crate::{Error, FileName, Result};

/// The time between two checks whether a read was cancelled.
const CANCEL_INTERVAL: Duration = Duration::from_millis(10);
/// The longest range for which memory is allocated before its bytes arrive, if no budget limits it.
const LARGEST_TRUSTED: u64 = 1 << 20;

/// The state of an object at its first read.
pub(super) struct Seen {
    pub(super) meta: ObjectMeta,
    /// Whether the server supports ranges.
    pub(super) has_ranges: bool,
}

pub(super) const fn len(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

pub(super) fn seen(read: &Read) -> Option<Arc<Seen>> {
    read.version().and_then(|version| version.clone().downcast().ok())
}

/// Reads one range directly into its buffer.
pub(super) async fn one(store: &Objects, mut read: Read) {
    let cancelled = read.cancel_mark();
    let outcome = until(|| cancelled.is_set(), fetch(store, &mut read)).await;
    match outcome {
        Some(Ok((len, seen))) => read.finish(len, seen.meta.size, Some(seen)),
        Some(Err(error)) => read.fail(error),
        None => {}
    }
}

/// Reads several ranges of one object, whose state is known.
pub(super) async fn several(store: &Objects, reads: Vec<Read>, gap: u64) {
    let Some((file, seen)) = reads.first().and_then(|read| Some((read.file().clone(), seen(read)?))) else {
        return;
    };
    let ranges: Vec<Range<u64>> = reads.iter().map(Read::range).collect();
    let (file, seen) = (&file, &seen);
    let fetch = |range: Range<u64>| async move {
        let wanted = len(&range);
        let found = get(store, file, Some(range.clone()), Some(seen)).await?;
        let mut bytes = Vec::new();
        // These are adjacent ranges, each of which is short.
        let len = usize::try_from(wanted).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(len).map_err(|_| Error::NoMemory { file: file.clone(), bytes: wanted })?;
        let mut portions = ObjectBytes::new(file, found, range.clone());
        while let Some(portion) = portions.next().await? {
            bytes.extend_from_slice(&portion);
        }
        if bytes.len() as u64 == wanted {
            Ok(Bytes::from(bytes))
        } else {
            Err(Error::Length { file: file.clone(), offset: range.start, wanted, found: bytes.len() as u64 })
        }
    };
    let marks: Vec<_> = reads.iter().map(Read::cancel_mark).collect();
    let are_cancelled = || marks.iter().all(Mark::is_set);
    match until(are_cancelled, coalesce_ranges(&ranges, fetch, gap)).await {
        Some(Ok(parts)) => {
            for (mut read, bytes) in reads.into_iter().zip(parts) {
                // Copied, so that a part does not keep the bytes around it in memory.
                read.buffer().iter_mut().zip(&bytes).for_each(|(to, from)| *to = *from);
                read.finish(bytes.len(), seen.meta.size, Some(seen.clone()));
            }
        }
        Some(Err(error)) => reads.into_iter().for_each(|read| read.fail(error.clone())),
        None => {}
    }
}

/// The output of a future; `None` if it was cancelled. `is_over` is polled at intervals.
async fn until<T>(is_over: impl Fn() -> bool, future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    while !is_over() {
        if let Ok(output) = tokio::time::timeout(CANCEL_INTERVAL, &mut future).await {
            return Some(output);
        }
    }
    None
}

/// Fills the buffer of a read. Returns the number of bytes and the state of the object.
async fn fetch(store: &Objects, read: &mut Read) -> Result<(usize, Arc<Seen>)> {
    let (file, range, known) = (read.file().clone(), read.range(), seen(read));
    let mut has_ranges = known.as_ref().is_none_or(|seen| seen.has_ranges);
    let mut result = Err(Error::NoAnswer { file: file.clone() });
    if has_ranges {
        result = get(store, &file, Some(range.clone()), known.as_ref()).await;
        has_ranges = !matches!(&result, Err(error) if is_refusal_of_range(error));
    }
    let found = match result {
        Ok(found) => found,
        Err(error) if has_ranges => return Err(error),
        // Without support for ranges, the object is read from its start.
        Err(_) => get(store, &file, None, known.as_ref()).await?,
    };
    let meta = found.meta.clone();
    let wanted = range.start..range.end.min(meta.size).max(range.start);
    read.clamp(meta.size);
    let mut portions = ObjectBytes::new(&file, found, wanted.clone());
    let mut filled = 0;
    if read.is_budgeted() || len(&wanted) <= LARGEST_TRUSTED {
        while let Some(portion) = portions.next().await? {
            let room = read.try_buffer()?.get_mut(filled..).unwrap_or_default();
            room.iter_mut().zip(&portion).for_each(|(to, from)| *to = *from);
            filled += portion.len();
        }
    } else {
        // The server may send less than its stated length.
        let mut bytes = Vec::new();
        while let Some(portion) = portions.next().await? {
            let no_memory = |_| Error::NoMemory { file: file.clone(), bytes: len(&wanted) };
            bytes.try_reserve(portion.len()).map_err(no_memory)?;
            bytes.extend_from_slice(&portion);
        }
        filled = bytes.len();
        read.set_buffer(bytes);
    }
    Ok((filled, known.unwrap_or_else(|| Arc::new(Seen { meta, has_ranges }))))
}

/// The bytes of an object, as they arrive: [`ObjectStoreBackend::get`].
pub struct ObjectBytes {
    file: FileName,
    meta: ObjectMeta,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    wanted: Range<u64>,
    /// The offset of the next byte.
    at: u64,
    /// Whether more bytes were requested from the server than are needed.
    is_longer: bool,
}

impl ObjectStoreBackend {
    /// Requests an object as a whole, for callers that decide by its length whether they receive it. Needs a runtime of
    /// `tokio`.
    ///
    /// # Errors
    ///
    /// The object cannot be read.
    pub async fn get(&self, file: &FileName) -> Result<ObjectBytes> {
        let found = get(&self.objects, file, None, None).await?;
        let wanted = 0..found.meta.size;
        Ok(ObjectBytes::new(file, found, wanted))
    }

    /// The entity tag of an object, by its version in an [`Answer`](crate::backend::Answer) of such a backend.
    pub fn etag(version: &Version) -> Option<&str> {
        version.downcast_ref::<Seen>()?.meta.e_tag.as_deref()
    }
}

impl ObjectBytes {
    fn new(file: &FileName, found: GetResult, wanted: Range<u64>) -> Self {
        let (file, meta) = (file.clone(), found.meta.clone());
        let (at, is_longer) = (found.range.start, found.range != wanted);
        ObjectBytes { file, meta, stream: found.into_stream(), wanted, at, is_longer }
    }

    /// The length of the object, as the server states it.
    pub const fn file_len(&self) -> u64 {
        self.meta.size
    }

    /// The entity tag of the object.
    pub fn etag(&self) -> Option<&str> {
        self.meta.e_tag.as_deref()
    }

    /// The next requested bytes; `None` at the end. If the answer must have exactly the requested length, it is read to
    /// its end and fails if it is longer.
    ///
    /// # Errors
    ///
    /// The server sends more than it states, or the connection fails.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let is_complete = self.at >= self.wanted.end;
            if self.wanted.is_empty() || is_complete && self.is_longer {
                return Ok(None);
            }
            let Some(bytes) = self.stream.next().await else { return Ok(None) };
            let mut bytes = bytes.map_err(|error| failure(&self.file, error))?;
            let end = self.at.saturating_add(bytes.len() as u64);
            if end > self.wanted.end && !self.is_longer {
                let (offset, wanted) = (self.wanted.start, len(&self.wanted));
                return Err(Error::TooLong { file: self.file.clone(), offset, wanted });
            }
            let inside = |offset: u64| (offset.clamp(self.at, end) - self.at) as usize;
            bytes = bytes.slice(inside(self.wanted.start)..inside(self.wanted.end));
            self.at = end;
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }
}

/// Requests a range of an object, or all of it, on condition that it is still in the known state.
async fn get(
    store: &Objects,
    file: &FileName,
    range: Option<Range<u64>>,
    seen: Option<&Arc<Seen>>,
) -> Result<GetResult> {
    let path = super::path_of(file)?;
    let options = GetOptions {
        range: range.map(GetRange::Bounded),
        // A condition with a weak tag, which servers generate for compressed responses, never matches.
        if_match: seen.and_then(|seen| seen.meta.e_tag.clone()).filter(|tag| !tag.starts_with("W/")),
        ..GetOptions::default()
    };
    let found = store.get(&path, options).await.map_err(|error| failure(file, error))?;
    let is_same = |seen: &Arc<Seen>| {
        let (was, is) = (&seen.meta, &found.meta);
        let is_same_time = was.e_tag.is_some() || was.last_modified == is.last_modified;
        was.size == is.size && was.e_tag == is.e_tag && is_same_time
    };
    if seen.is_none_or(is_same) { Ok(found) } else { Err(Error::Changed { file: file.clone() }) }
}

debug_fields!(self, ObjectBytes { meta: self.meta });

pub(super) fn failure(file: &FileName, error: object_store::Error) -> Error {
    let causes =
        std::iter::successors(Some(&error as &(dyn std::error::Error + 'static)), |error| error.source());
    let other = causes.filter_map(|cause| cause.downcast_ref::<OtherHost>()).next();
    if let Some(OtherHost { to }) = other {
        return Error::Redirect { file: file.clone(), to: to.as_str().into() };
    }
    let kind = match error {
        object_store::Error::Precondition { .. } => return Error::Changed { file: file.clone() },
        object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => return Error::read(file, &error),
    };
    Error::read_as(file, &error, kind)
}

/// Whether the error of a request for a range means that ranges are not supported, or that the range is empty, as for
/// an empty object. The crate distinguishes these errors only by their messages.
fn is_refusal_of_range(error: &Error) -> bool {
    let Error::Read { reason, kind: io::ErrorKind::Other, .. } = error else { return false };
    ["non-partial response", "Range request not supported", "416 Range Not Satisfiable", "bytes long"]
        .iter()
        .any(|text| reason.contains(text))
}
