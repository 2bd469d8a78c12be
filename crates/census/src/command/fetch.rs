//! Reads the files of a list and makes their rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshlens::wire::ErrorKind;
use meshlens_census::{Bytes, Columns, Input, Needs, ReadBeside, Row, Status, frames_of, headers, rows_with};
use meshlens_stream::backend::ObjectStoreBackend;
use meshlens_stream::{Error, FileName, FileRange, ProbeOptions, WaitingReader};

use crate::beside::Beside;
use crate::local::read_unchanged;
use crate::manifest::Listed;
use crate::memory::{MEMORY, Memory, Share, Short};
use crate::product::Make;
use crate::server::{Servers, failed};
use crate::stop::{Result, Stop};

/// Objects of at most this size are read completely, because a second request would take longer.
pub(crate) const SMALL: u64 = 256 << 10;

/// The code of an object that its server does not send.
pub(crate) const REFUSED: &str = "REFUSED";

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
    memory: Memory,
}

/// The status, the code and the message of a file whose bytes could not be read.
pub(crate) type Fault = (Status, &'static str, String);

/// The reason why the bytes of a file are missing.
pub(crate) enum Gap {
    Fault(Fault),
    /// The bytes are not needed.
    Known(Box<Row>),
    /// The bytes have to be read again.
    Short(Short),
}

impl From<Fault> for Gap {
    fn from(fault: Fault) -> Gap {
        Gap::Fault(fault)
    }
}

impl From<Short> for Gap {
    fn from(short: Short) -> Gap {
        Gap::Short(short)
    }
}

/// The bytes of a file, or the reason why they are missing.
pub(crate) type Got = std::result::Result<Bytes, Gap>;

impl Fetcher {
    pub(crate) fn new(columns: Columns, make: Option<Make>) -> Fetcher {
        Fetcher { servers: Servers::new(), columns, make, memory: Memory::new() }
    }

    /// The rows of files of the file system.
    pub(crate) async fn local(self: Arc<Self>, files: Vec<(Listed, PathBuf)>) -> Result<Vec<Row>> {
        self.servers.read_file();
        let (files, mut rows) = (Arc::new(files), Vec::new());
        let (mut next, mut wanted) = (0, SMALL);
        while next < files.len() {
            let share = self.memory.wait(wanted).await;
            let (this, files) = (self.clone(), files.clone());
            let read = move || {
                let mut rows = Vec::new();
                for (index, (listed, path)) in files.iter().enumerate().skip(next) {
                    match this.read_local(&share, listed, path) {
                        Ok(more) => rows.extend(more),
                        Err(Short(bytes)) => return (rows, index, bytes),
                    }
                    share.shrink(SMALL);
                }
                (rows, files.len(), SMALL)
            };
            let more = tokio::task::spawn_blocking(read).await.map_err(Stop::new)?;
            rows.extend(more.0);
            (next, wanted) = (more.1, more.2);
        }
        Ok(rows)
    }

    /// The rows of a file of the file system. Blocks.
    fn read_local(
        &self,
        share: &Share,
        listed: &Listed,
        path: &Path,
    ) -> std::result::Result<Vec<Row>, Short> {
        match read_unchanged(listed, path, share) {
            Ok(bytes) => {
                let beside = Beside::of_file(path, bytes.len(), share);
                self.rows(listed, bytes, Some(beside), share)
            }
            Err(gap) => known(listed, gap),
        }
    }

    /// The rows of an object of a server.
    pub(crate) async fn remote(self: Arc<Self>, listed: Listed, url: String) -> Result<Vec<Row>> {
        let mut wanted = listed.size.unwrap_or(SMALL);
        loop {
            let share = self.memory.wait(wanted).await;
            let bytes = match self.get(&listed, &url, &share).await {
                Ok(bytes) => bytes,
                Err(Gap::Short(short)) => {
                    wanted = enlarged(wanted, short);
                    continue;
                }
                Err(gap) => return known(&listed, gap).map_err(|_| Stop::new("no memory")),
            };
            let (this, of, url) = (self.clone(), listed.clone(), url.clone());
            let decode = move || {
                let beside = Beside::of_object(&this.servers, &url, bytes.len(), &share);
                this.rows(&of, bytes, beside, &share)
            };
            match tokio::task::spawn_blocking(decode).await.map_err(Stop::new)? {
                Ok(rows) => return Ok(rows),
                Err(short) => wanted = enlarged(wanted, short),
            }
        }
    }

    /// The rows of a file whose bytes are charged to the share already. The models in an archive are charged here.
    fn rows(
        &self,
        listed: &Listed,
        bytes: Bytes,
        beside: Option<Arc<Beside>>,
        share: &Share,
    ) -> std::result::Result<Vec<Row>, Short> {
        let files = beside.clone().map(|beside| beside as Arc<dyn ReadBeside>);
        let input = Input { uri: listed.uri.clone(), etag: listed.etag.clone(), bytes, beside: files };
        match input.unpacked_size() {
            0 => {}
            unpacked => share.grow(input.bytes.len() as u64 + unpacked)?,
        }
        let rows = match self.make {
            Some(make) => rows_with(&input, self.columns, Some(&|row, scene| make.visit(row, scene))),
            None => rows_with(&input, self.columns, None),
        };
        beside.and_then(|beside| beside.short()).map_or(Ok(rows), Err)
    }

    /// The bytes of an object, or its row if its headers suffice.
    async fn get(&self, listed: &Listed, url: &str, share: &Share) -> Got {
        let is_large = listed.size.is_some_and(|size| size > SMALL) && frames_of(name(url)).is_empty();
        if self.columns.needs() <= Needs::Headers
            && is_large
            && let Some(row) = self.get_headers(listed, url).await
        {
            return Err(Gap::Known(row));
        }
        let (objects, name, server) =
            self.servers.open(url).map_err(|error| (Status::Unread, "URL", error))?;
        server.check().map_err(|error| (Status::Unread, REFUSED, error))?;
        match receive(listed, &objects, &name, share).await {
            Ok(got) => {
                server.succeed();
                got
            }
            Err(error) => Err(failed(&server, url, &error).into()),
        }
    }

    /// The row of an object of which only the headers are read. `None` if the headers do not suffice for any reason,
    /// which reading the whole object finds.
    async fn get_headers(&self, listed: &Listed, url: &str) -> Option<Box<Row>> {
        listed.size.filter(|size| *size <= MEMORY)?;
        let (objects, name, server) = self.servers.open(url).ok()?;
        server.check().ok()?;
        let options = ProbeOptions { read: PORTION, ..ProbeOptions::default() };
        let note = |error| match error {
            // The object as a whole shows what is wrong with it.
            Error::Format { .. } | Error::Changed { .. } => {}
            error => drop(failed(&server, url, &error)),
        };
        let opened = WaitingReader::open_async(&*objects, vec![name], options).await;
        let mut reader = opened.map_err(note).ok()?;
        server.succeed();
        let size = reader.model().plan().file_lens().first().copied()?;
        let etag = reader.version(0).and_then(ObjectStoreBackend::etag);
        if changed(listed, size, etag).is_some() {
            return None;
        }
        for _ in 0..MOST_ROUNDS {
            let (mut found, model) = (row(listed, None), reader.model());
            let (format, version) = (model.plan().format(), model.plan().version());
            let described = model
                .document()
                .and_then(|document| headers(&mut found, format, version, document, self.columns));
            // Names of frames and bones are outside the headers, next to the arrays.
            let (needed, available) = match described.map_err(|error| *error.kind()) {
                Ok(()) => return Some(Box::new(found)),
                Err(ErrorKind::Incomplete { needed, available }) => (needed, available),
                Err(_) => return None,
            };
            let end = needed.max(available.saturating_add(PORTION)).min(size);
            if available >= end {
                return None;
            }
            reader.read_async(&[FileRange::new(0, available..end)]).await.map_err(note).ok()?;
        }
        None
    }
}

/// The memory to wait for after an attempt with less. It doubles, so that an attempt has all of the memory after a few that had
/// too little, whatever a server sends.
fn enlarged(before: u64, Short(needed): Short) -> u64 {
    needed.max(before.saturating_mul(2)).min(MEMORY)
}

/// Receives an object. Its bytes are charged as they arrive, because the list may state another size.
async fn receive(
    listed: &Listed,
    objects: &ObjectStoreBackend,
    name: &FileName,
    share: &Share,
) -> std::result::Result<Got, Error> {
    let mut found = objects.get(name).await?;
    let size = found.file_len();
    if let Some(fault) = changed(listed, size, found.etag()).or_else(|| too_large(0, size)) {
        return Ok(Err(fault.into()));
    }
    let mut bytes = Vec::new();
    while let Some(portion) = found.next().await? {
        let end = (bytes.len() + portion.len()) as u64;
        if share.grow(end).is_err() {
            return Ok(Err(Short(size).into()));
        }
        // Twice as much at a time, and never more than the file.
        let room = (size - bytes.len() as u64).min(bytes.len().max(portion.len()).max(1 << 20) as u64);
        let is_full = bytes.capacity() - bytes.len() < portion.len();
        if is_full && bytes.try_reserve_exact(room as usize).is_err() {
            return Ok(Err((Status::Unread, "MEMORY", "no memory for the file".into()).into()));
        }
        bytes.extend_from_slice(&portion);
    }
    Ok(Ok(bytes.into()))
}

/// The rows of a file without its bytes.
fn known(listed: &Listed, gap: Gap) -> std::result::Result<Vec<Row>, Short> {
    match gap {
        Gap::Fault(fault) => Ok(vec![row(listed, Some(fault))]),
        Gap::Known(row) => Ok(vec![*row]),
        Gap::Short(short) => Err(short),
    }
}

/// The last component of a URL.
fn name(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or_default()
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

pub(crate) fn too_large(other: u64, size: u64) -> Option<Fault> {
    (other.saturating_add(size) > MEMORY).then(|| {
        let text = format!("the file has {size} bytes, and at most {MEMORY} are read");
        (Status::Unread, "LIMIT", text)
    })
}

/// The fault of an object that differs from the entry in the list.
fn changed(listed: &Listed, size: u64, etag: Option<&str>) -> Option<Fault> {
    let plain = |etag: &str| etag.trim_matches('"').to_owned();
    let (expected, found) = (listed.etag.as_deref().map(plain), etag.map(plain));
    let text = match (expected, found) {
        (Some(expected), Some(found)) if expected != found => {
            format!("the entity tag is {found}, and was {expected} when the file was listed")
        }
        _ => size_changed(listed, size)?,
    };
    Some((Status::Changed, "CHANGED", text))
}

pub(crate) fn size_changed(listed: &Listed, size: u64) -> Option<String> {
    let expected = listed.size.filter(|expected| *expected != size)?;
    Some(format!("the file has {size} bytes, and had {expected} when it was listed"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn few_attempts_lead_to_all_of_the_memory() {
        assert_eq!(enlarged(SMALL, Short(100 << 20)), 100 << 20);
        // A file beside the input that needs a little more each time, or whose size is smaller with each request.
        for needed in [|before: u64| before + 1, |_: u64| 1] {
            let steps = std::iter::successors(Some(SMALL), |before| {
                (*before < MEMORY).then(|| enlarged(*before, Short(needed(*before))))
            });
            assert_eq!(steps.count(), 13);
        }
        assert_eq!(enlarged(MEMORY, Short(u64::MAX)), MEMORY);
    }

    #[test]
    fn the_models_in_an_archive_are_charged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("maps.pk3");
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        let noise = (0..1u32 << 16).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_be_bytes());
        for (name, bytes) in [("noise", noise.collect()), ("zeros.md3", vec![0; 8 << 20])] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap();
        let size = std::fs::metadata(&path).unwrap().len();
        let listed = Listed { uri: path.to_str().unwrap().into(), ..Listed::default() };
        let fetcher = Fetcher::new(Columns::default(), None);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let needed = size + (8 << 20) + (1 << 18);
        let others = runtime.block_on(fetcher.memory.wait(MEMORY - needed + (1 << 10)));
        let share = runtime.block_on(fetcher.memory.wait(SMALL));
        let short = fetcher.read_local(&share, &listed, &path).unwrap_err();
        assert!(size < SMALL * 2 && short.0 == needed, "{} of {needed}", short.0);
        drop(others);
        assert_eq!(fetcher.read_local(&share, &listed, &path).unwrap().len(), 2);
    }
}
