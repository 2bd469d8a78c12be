//! Reads the files of a list and makes their rows.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use futures_util::StreamExt;
use meshlens::wire::ErrorKind;
use meshlens_assets::{Assets, DEFAULT_MAX_FILE_BYTES};
use meshlens_census::{Bytes, Columns, Input, Needs, Row, Status, headers, rows_with};
use meshlens_source::Source;
use meshlens_stream::{PartialModel, Probe, ProbeOptions, Step};
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};
use tokio::sync::Semaphore;

use crate::manifest::Listed;
use crate::place::{Place, frames_of, is_gltf_text};
use crate::product::Make;
use crate::server::{Failure, Server, Servers};
use crate::stop::{Result, Stop};

/// The memory for the bytes of objects that are being read, in KiB. While a larger object is read, no other object is.
const MEMORY: u32 = 512 << 10;
/// Objects of at most this size are read completely, because a second request would take longer.
const SMALL: u64 = 256 << 10;

/// The minimum number of bytes of a range.
const PORTION: u64 = 16 << 10;
/// The largest number of ranges that are read after the headers.
const MOST_ROUNDS: usize = 16;

/// Reads files.
pub(crate) struct Fetcher {
    pub(crate) servers: Servers,
    columns: Columns,
    /// The products of each model.
    make: Option<Make>,
    memory: Semaphore,
}

/// The status, the code and the message of an object whose bytes could not be read.
type Fault = (Status, &'static str, String);

/// The bytes of an object, or the result of reading it without them.
enum Got {
    Bytes(Bytes),
    Row(Box<Row>),
    Fault(Fault),
}

impl Fetcher {
    pub(crate) fn new(columns: Columns, make: Option<Make>) -> Fetcher {
        Fetcher { servers: Servers::new(), columns, make, memory: Semaphore::new(MEMORY as usize) }
    }

    /// The rows of a file of the file system. Blocks.
    pub(crate) fn local(&self, listed: &Listed, path: &Path) -> Vec<Row> {
        let bytes = match read_local(listed, path) {
            Ok(bytes) => bytes,
            Err(fault) => return vec![row(listed, Some(fault))],
        };
        let mut assets = Assets::new();
        if is_gltf_text(&listed.uri) {
            // Without the folder, the row states that buffers are missing.
            let _ = assets.mount_folder(path.parent().unwrap_or(Path::new("")));
        }
        for frames in frames_of(&listed.uri) {
            if let Ok(Place::Local(path)) = Place::of(&frames)
                && let Ok(source) = Source::read_limited(&path, DEFAULT_MAX_FILE_BYTES)
            {
                assets = beside(&frames, Bytes::from_owner(source));
                break;
            }
        }
        self.rows(listed, bytes, assets)
    }

    /// The rows of an object of a server.
    ///
    /// # Errors
    ///
    /// The server refuses all requests.
    pub(crate) async fn remote(self: Arc<Self>, listed: Listed, url: String) -> Result<Vec<Row>> {
        let wanted = listed.size.unwrap_or(SMALL).div_ceil(1024).clamp(1, MEMORY.into());
        // The semaphore is never closed.
        let held = self.memory.acquire_many(u32::try_from(wanted).unwrap_or(MEMORY)).await;
        let got = self.get(&listed, &url).await?;
        let bytes = match got {
            Got::Bytes(bytes) => bytes,
            Got::Row(found) => return Ok(vec![*found]),
            Got::Fault(fault) => return Ok(vec![row(&listed, Some(fault))]),
        };
        let mut assets = Assets::new();
        for frames in frames_of(&url) {
            let unlisted = Listed { uri: frames.clone(), ..Listed::default() };
            if let Got::Bytes(bytes) = self.get_whole(&unlisted, &frames).await? {
                assets = beside(&frames, bytes);
                break;
            }
        }
        let this = self.clone();
        let decoded = tokio::task::spawn_blocking(move || this.rows(&listed, bytes, assets)).await;
        drop(held);
        decoded.map_err(Stop::new)
    }

    fn rows(&self, listed: &Listed, bytes: Bytes, assets: Assets) -> Vec<Row> {
        let input = Input { uri: listed.uri.clone(), etag: listed.etag.clone(), bytes, assets };
        match self.make {
            Some(make) => rows_with(&input, self.columns, Some(&|row, scene| make.visit(row, scene))),
            None => rows_with(&input, self.columns, None),
        }
    }

    async fn get(&self, listed: &Listed, url: &str) -> Result<Got> {
        let is_large = listed.size.is_some_and(|size| size > SMALL) && frames_of(url).is_empty();
        if self.columns.needs() <= Needs::Headers
            && is_large
            && let Some(row) = self.get_headers(listed, url).await?
        {
            return Ok(Got::Row(row));
        }
        self.get_whole(listed, url).await
    }

    async fn get_whole(&self, listed: &Listed, url: &str) -> Result<Got> {
        let (store, path, server) = match self.servers.open(url) {
            Ok(opened) => opened,
            Err(error) => return Ok(Got::Fault((Status::Unread, "URL", error))),
        };
        let outcome = async {
            let found = store.get_opts(&path, GetOptions::default()).await?;
            let meta = found.meta.clone();
            if let Some(fault) = changed(listed, &meta).or_else(|| too_large(meta.size)) {
                return Ok(Got::Fault(fault));
            }
            let mut bytes = Vec::new();
            let mut stream = found.into_stream();
            while let Some(portion) = stream.next().await {
                bytes.extend_from_slice(&portion?);
            }
            Ok(Got::Bytes(bytes.into()))
        };
        match outcome.await {
            Ok(got) => {
                server.succeed();
                Ok(got)
            }
            Err(error) => failed(&server, url, &error).map(Got::Fault),
        }
    }

    /// The row of an object of which only the headers are read. `None` if the headers do not suffice for any reason,
    /// which reading the whole object finds.
    async fn get_headers(&self, listed: &Listed, url: &str) -> Result<Option<Box<Row>>> {
        let (Ok((store, path, server)), Some(size)) = (self.servers.open(url), listed.size) else {
            return Ok(None);
        };
        let ranges = Ranges { store, path, server, listed, url };
        let mut probe = Probe::new(&[size], ProbeOptions { read: PORTION, ..ProbeOptions::default() });
        let plan = loop {
            let wanted = match probe.step() {
                Ok(Step::Plan(plan)) => break plan,
                Ok(Step::Wants(wanted)) => wanted,
                Err(_) => return Ok(None),
            };
            for range in wanted {
                let Some(bytes) = ranges.read(range.range()).await? else { return Ok(None) };
                probe.feed(range.file, range.start, bytes);
            }
        };
        let mut model = PartialModel::with_files(plan, probe.into_files());
        for _ in 0..MOST_ROUNDS {
            let mut found = row(listed, None);
            let (format, version) = (model.plan().format(), model.plan().version());
            let described = model
                .document()
                .and_then(|document| headers(&mut found, format, version, document, self.columns));
            // Names of frames and bones are outside the headers, next to the arrays.
            let (needed, available) = match described.map_err(|error| *error.kind()) {
                Ok(()) => return Ok(Some(Box::new(found))),
                Err(ErrorKind::Incomplete { needed, available }) => (needed, available),
                Err(_) => return Ok(None),
            };
            let end = needed.max(available.saturating_add(PORTION)).min(size);
            let Some(bytes) = ranges.read(available..end).await? else { return Ok(None) };
            model.insert(0, available, bytes);
        }
        Ok(None)
    }
}

/// The ranges of an object.
struct Ranges<'r> {
    store: Arc<dyn ObjectStore>,
    path: object_store::path::Path,
    server: Arc<Server>,
    listed: &'r Listed,
    url: &'r str,
}

impl Ranges<'_> {
    /// The bytes of a range. `None` if they cannot be read, or if the object has changed.
    async fn read(&self, range: Range<u64>) -> Result<Option<Bytes>> {
        if range.is_empty() {
            return Ok(None);
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let outcome = async {
            let found = self.store.get_opts(&self.path, options).await?;
            let meta = found.meta.clone();
            Ok((meta, found.bytes().await?))
        };
        match outcome.await {
            Ok((meta, bytes)) => {
                self.server.succeed();
                Ok(changed(self.listed, &meta).is_none().then_some(bytes))
            }
            Err(error) => failed(&self.server, self.url, &error).map(|_| None),
        }
    }
}

/// A search path with one file.
fn beside(uri: &str, bytes: Bytes) -> Assets {
    let mut assets = Assets::new();
    assets.mount("", meshlens_census::Beside::new(uri, bytes));
    assets
}

fn failed(server: &Server, url: &str, error: &object_store::Error) -> Result<Fault> {
    Ok(match server.fail(url, error)? {
        Failure::NotFound => (Status::Unread, "NOT_FOUND", "there is no such object".into()),
        Failure::Refused(text) => (Status::Unread, "REFUSED", text),
    })
}

/// The row of a file of which only the entry in the list is known.
pub(crate) fn row(listed: &Listed, fault: Option<Fault>) -> Row {
    let (uri, etag, size) = (listed.uri.clone(), listed.etag.clone(), listed.size);
    let mut row = Row { uri, etag, size, ..Row::default() };
    if let Some((status, code, message)) = fault {
        row.fail(status, (code, None), &message);
    }
    row
}

fn too_large(size: u64) -> Option<Fault> {
    (size > DEFAULT_MAX_FILE_BYTES).then(|| {
        let text = format!("the file has {size} bytes, and at most {DEFAULT_MAX_FILE_BYTES} are read");
        (Status::Unread, "LIMIT", text)
    })
}

/// The fault of an object that differs from the entry in the list.
fn changed(listed: &Listed, meta: &ObjectMeta) -> Option<Fault> {
    let plain = |etag: &str| etag.trim_matches('"').to_owned();
    let (expected, found) = (listed.etag.as_deref().map(plain), meta.e_tag.as_deref().map(plain));
    let text = match (expected, found) {
        (Some(expected), Some(found)) if expected != found => {
            format!("the entity tag is {found}, and was {expected} when the file was listed")
        }
        _ => size_changed(listed, meta.size)?,
    };
    Some((Status::Changed, "CHANGED", text))
}

fn size_changed(listed: &Listed, size: u64) -> Option<String> {
    let expected = listed.size.filter(|expected| *expected != size)?;
    Some(format!("the file has {size} bytes, and had {expected} when it was listed"))
}

/// The start of the entity tags of files of the file system.
const MODIFIED: &str = "mtime:";

/// The entity tag of a file of the file system: its time of modification, in nanoseconds.
pub(crate) fn local_etag(meta: &std::fs::Metadata) -> Option<String> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{MODIFIED}{}", since.as_nanos()))
}

fn read_local(listed: &Listed, path: &Path) -> std::result::Result<Bytes, Fault> {
    let unread = |code, error: &dyn std::fmt::Display| (Status::Unread, code, error.to_string());
    let meta = std::fs::metadata(path).map_err(|error| {
        unread(if error.kind() == std::io::ErrorKind::NotFound { "NOT_FOUND" } else { "IO" }, &error)
    })?;
    let text = size_changed(listed, meta.len()).or_else(|| {
        let expected = listed.etag.as_deref().filter(|etag| etag.starts_with(MODIFIED))?;
        (local_etag(&meta).as_deref() != Some(expected))
            .then(|| "the file was written to after it was listed".into())
    });
    if let Some(text) = text {
        return Err((Status::Changed, "CHANGED", text));
    }
    match Source::read_limited(path, DEFAULT_MAX_FILE_BYTES) {
        Ok(source) => Ok(Bytes::from_owner(source)),
        Err(error @ meshlens_source::Error::TooLarge { .. }) => Err(unread("LIMIT", &error)),
        Err(error) => Err(unread("IO", &error)),
    }
}
