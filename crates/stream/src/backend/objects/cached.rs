//! A store whose ranges are kept in a cache on the disk.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, try_unfold};
use meshlens_source::{CachedRange, KeptRange, RangeCache};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, ObjectStore, Result,
};

/// The number of bytes that are read from the cache, or written to it, at a time.
const PORTION: usize = 256 << 10;

/// A store, and the cache of its ranges.
pub(super) struct Objects {
    pub(super) store: Arc<dyn ObjectStore>,
    cache: OnceLock<Cache>,
}

struct Cache {
    ranges: RangeCache,
    /// The URL of the store.
    url: Box<str>,
}

impl Objects {
    pub(super) const fn new(store: Arc<dyn ObjectStore>) -> Self {
        Objects { store, cache: OnceLock::new() }
    }

    /// Sets the cache, once.
    pub(super) fn set_cache(&self, ranges: RangeCache, url: &str) {
        let _ = self.cache.set(Cache { ranges, url: url.into() });
    }

    /// Requests an object. `options` have no conditions but `if_match`. A range in the cache is served without a request if
    /// the state is known; otherwise the server is asked whether its state is still the same.
    pub(super) async fn get(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let Some(cache) = self.cache.get() else { return self.store.get_opts(path, options).await };
        let wanted = match &options.range {
            None => 0..u64::MAX,
            Some(GetRange::Bounded(range)) => range.clone(),
            Some(_) => return self.store.get_opts(path, options).await,
        };
        let object = format!("{}/{path}", cache.url);
        let (ranges, known) = (cache.ranges.clone(), options.if_match.clone());
        let found = {
            let (object, wanted) = (object.clone(), wanted.clone());
            on_disk(move || ranges.find(&object, known.as_deref(), wanted)).await.flatten()
        };
        let answer = match found {
            Some(found) if options.if_match.is_some() => return Ok(self.cached(path, found, wanted)),
            Some(found) => {
                let if_none_match = Some(found.tag().to_owned());
                match self.store.get_opts(path, GetOptions { if_none_match, ..options }).await {
                    Err(Error::NotModified { .. }) => return Ok(self.cached(path, found, wanted)),
                    other => other?,
                }
            }
            None => self.store.get_opts(path, options).await?,
        };
        Ok(keep(&cache.ranges, object, answer).await)
    }

    /// The answer from the cache.
    fn cached(&self, path: &Path, found: CachedRange, wanted: Range<u64>) -> GetResult {
        let (size, tag) = (found.object_len(), found.tag().to_owned());
        let range = wanted.start..wanted.end.min(size);
        let meta = ObjectMeta {
            location: path.clone(),
            // States with a tag differ by their tags alone.
            last_modified: Default::default(),
            size,
            e_tag: Some(tag.clone()),
            version: None,
        };
        let rest = Rest { store: self.store.clone(), path: path.clone(), tag, size, left: range.clone() };
        let stream = try_unfold((rest, Some(found), None), portion).boxed();
        let payload = GetResultPayload::Stream(stream);
        GetResult { payload, meta, range, attributes: Default::default(), extensions: Default::default() }
    }
}

/// The bytes of a cached range that were not passed on yet.
struct Rest {
    store: Arc<dyn ObjectStore>,
    path: Path,
    tag: String,
    size: u64,
    left: Range<u64>,
}

type Portions = BoxStream<'static, Result<Bytes>>;
type State = (Rest, Option<CachedRange>, Option<Portions>);

/// The next bytes: from the cache, or from the store after the cache was found to be damaged.
async fn portion((mut rest, found, mut stream): State) -> Result<Option<(Bytes, State)>> {
    let (start, end) = (rest.left.start, rest.left.end);
    if start >= end && stream.is_none() {
        return Ok(None);
    }
    if let Some(mut found) = found {
        let len = usize::try_from(end - start).unwrap_or(usize::MAX).min(PORTION);
        let read = move || {
            let mut bytes = vec![0; len];
            found.read(start, &mut bytes).then_some((found, bytes))
        };
        if let Some((found, bytes)) = on_disk(read).await.flatten() {
            rest.left.start += len as u64;
            return Ok(Some((bytes.into(), (rest, Some(found), None))));
        }
        stream = Some(rest.request().await?);
    }
    let Some(mut stream) = stream else { return Ok(None) };
    let next = stream.next().await.transpose()?;
    Ok(next.map(|bytes| (bytes, (rest, None, Some(stream)))))
}

impl Rest {
    /// Requests what is left from the store, if the object is still in the same state.
    async fn request(&self) -> Result<Portions> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(self.left.clone())),
            if_match: Some(self.tag.clone()),
            ..GetOptions::default()
        };
        let answer = self.store.get_opts(&self.path, options).await?;
        let is_same = answer.meta.e_tag.as_deref() == Some(&*self.tag) && answer.meta.size == self.size;
        if is_same && answer.range == self.left {
            return Ok(answer.into_stream());
        }
        Err(Error::Precondition { path: self.path.to_string(), source: "the object was replaced".into() })
    }
}

/// Keeps the bytes of an answer as they arrive. The range is complete when the answer is.
async fn keep(ranges: &RangeCache, object: String, answer: GetResult) -> GetResult {
    let GetResult { payload: GetResultPayload::Stream(stream), meta, range, attributes, extensions } = answer
    else {
        return answer;
    };
    // A weak tag does not say that the bytes are the same.
    let tag = meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
    let (ranges, size, kept) = (ranges.clone(), meta.size, range.clone());
    let begin = move || ranges.keep(&object, &tag?, size, kept);
    let stream = match on_disk(begin).await.flatten() {
        Some(kept) => {
            try_unfold(Keeping { stream, kept: Some(kept), bytes: Vec::new() }, Keeping::next).boxed()
        }
        None => stream,
    };
    GetResult { payload: GetResultPayload::Stream(stream), meta, range, attributes, extensions }
}

struct Keeping {
    stream: Portions,
    kept: Option<KeptRange>,
    /// The bytes that are not written yet.
    bytes: Vec<Bytes>,
}

impl Keeping {
    async fn next(mut self) -> Result<Option<(Bytes, Keeping)>> {
        let next = self.stream.next().await.transpose()?;
        if let Some(bytes) = &next {
            self.bytes.push(bytes.clone());
        }
        let is_over = next.is_none();
        if (is_over || self.bytes.iter().map(Bytes::len).sum::<usize>() >= PORTION)
            && let Some(mut kept) = self.kept.take()
        {
            let bytes = std::mem::take(&mut self.bytes);
            let write = move || {
                bytes.iter().for_each(|bytes| kept.write(bytes));
                if !is_over {
                    return Some(kept);
                }
                kept.finish();
                None
            };
            self.kept = on_disk(write).await.flatten();
        }
        Ok(next.map(|bytes| (bytes, self)))
    }
}

/// Runs a function that waits for the disk. `None` if the runtime ends.
async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
