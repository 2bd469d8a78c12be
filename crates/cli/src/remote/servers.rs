//! The servers of URLs, as search paths.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use meshlens_assets::{AssetPath, Assets, Bytes, Entry, FilePart, FileSystem, FindOptions};
use meshlens_stream::backend::{ObjectStoreBackend, ObjectStoreOptions, RemoteOptions};
use meshlens_stream::{Error, ProbeOptions, WaitingReader, backend};

use super::found::{Failure, FoundModels, Headers, JOBS};
use crate::errors;
use crate::item::Item;
use crate::status::Status;

/// The number of bytes that are read to recognize a file of another program.
const MAGIC: u64 = 64;

/// The servers of URLs, each with one client.
pub(crate) struct Remotes {
    servers: backend::Remotes,
    /// The search paths of buckets, which keep what was listed.
    buckets: Mutex<HashMap<String, Assets>>,
}

fn failed(message: impl ToString) -> Failure {
    Failure { message: message.to_string(), status: Status::Failed }
}

impl Remotes {
    pub(crate) fn new(allows_redirects: bool) -> Remotes {
        let store = ObjectStoreOptions { max_reads: JOBS, ..ObjectStoreOptions::default() };
        let options = RemoteOptions { store, allows_redirects, ..RemoteOptions::default() };
        Remotes { servers: backend::Remotes::new(options), buckets: Mutex::default() }
    }

    /// The model at a URL, or the models in a folder of a bucket, whose URL ends with `/`. Companion files are found in
    /// the bucket, and in `assets`. A web server does not list its files, so models on it have no companions.
    pub(crate) fn models(
        &self,
        assets: &Assets,
        url: &str,
        options: FindOptions<'static>,
    ) -> Result<FoundModels, Failure> {
        let (objects, name) = self.open(url)?;
        let start = url.find("://").map_or(0, |at| at + "://".len());
        let server = url.get(start..).and_then(|rest| rest.find('/')).and_then(|end| url.get(..start + end));
        let server = server.unwrap_or(url).to_owned();
        let is_bucket = server.get(..3).is_some_and(|scheme| scheme.eq_ignore_ascii_case("s3:"));
        let path = AssetPath::new(&name).map_err(failed)?;
        let with = |names: Option<Vec<String>>| {
            let mut assets = assets.clone();
            assets.mount(&server, Files { objects: objects.clone(), names });
            assets
        };
        let assets = if is_bucket {
            let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
            buckets.entry(server.clone()).or_insert_with(|| with(None)).clone()
        } else {
            with(Some(pair(&name).unwrap_or_else(|| vec![name.to_string()])))
        };
        if url.ends_with('/') {
            if !is_bucket {
                return Err(failed("a web server has no list of its files; only folders of s3:// are read"));
            }
            // Checking the first bytes of files with other names would need a request for each file.
            let options = FindOptions { content: false, ..options };
            return Ok(FoundModels::Several(assets.each_model(&path, &options)));
        }
        let located = assets.locate(path.as_str()).map_err(|error| match error {
            error if error.is_not_found() => failed("not found"),
            error => failed(errors::reason(url, &error)),
        })?;
        Ok(FoundModels::One(located))
    }

    fn open(&self, url: &str) -> Result<(Arc<ObjectStoreBackend>, meshlens_stream::FileName), Failure> {
        self.servers.open(url).map_err(|error| {
            let text = error.to_string();
            failed(text.strip_prefix(&format!("{url}: ")).unwrap_or(&text))
        })
    }

    /// Reads the headers of a model. Returns the name of the format if the model is a file of another program and was
    /// not named.
    pub(crate) fn headers(&self, item: &Item) -> Result<Result<Headers, &'static str>, Failure> {
        let files = item.located.files().files();
        let names: Vec<String> = files.iter().map(|file| file.path().to_string()).collect();
        let server = files.first().map(|file| file.mount()).unwrap_or_default();
        // The name of the object does not matter, only its server.
        let (objects, _) = self.open(&format!("{server}/x"))?;
        let opened =
            WaitingReader::open(&*objects, names.iter().map(|name| &**name), ProbeOptions::default());
        let reader = match opened {
            Ok(reader) => reader,
            Err(Error::Format { error, .. }) => {
                let start =
                    files.first().and_then(|file| item.located.assets().read_range(file, 0..MAGIC).ok());
                let other = start.and_then(|start| meshlens_assets::foreign_format(&start.bytes));
                return match other {
                    Some(other) if !item.is_named => Ok(Err(other)),
                    Some(other) => {
                        Err(Failure { message: format!("this is {other}"), status: Status::Findings })
                    }
                    None => Err(Failure { message: error.to_string(), status: Status::Findings }),
                };
            }
            Err(error) => return Err(failed(reason(&error))),
        };
        let bytes_read = reader.bytes_read();
        Ok(Ok(Headers { model: reader.into_model(), names, bytes_read }))
    }
}

/// The objects of a server.
struct Files {
    objects: Arc<ObjectStoreBackend>,
    /// The names of the objects that are known; `None` if the server lists them.
    names: Option<Vec<String>>,
}

impl FileSystem for Files {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        self.objects.read(path, limit).map_err(told)
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        self.objects.read_range(path, range).map_err(told)
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let Some(names) = &self.names else {
            return FileSystem::list(&*self.objects, folder).map_err(told);
        };
        let entry = |name: &String| {
            let below = match folder.as_str() {
                "" => name,
                folder => name.strip_prefix(folder)?.strip_prefix('/')?,
            };
            Some(
                below.split_once('/').map_or_else(|| Entry::file(below), |(folder, _)| Entry::folder(folder)),
            )
        };
        let mut entries: Vec<Entry> = names.iter().filter_map(entry).collect();
        entries.dedup();
        Ok(entries)
    }
}

/// Converts an error to the form in which users see it.
fn told(error: io::Error) -> io::Error {
    match error.get_ref().and_then(|error| error.downcast_ref()).map(reason) {
        Some(text) => io::Error::new(error.kind(), text),
        None => error,
    }
}

fn reason(error: &Error) -> String {
    match error {
        error if error.is_not_found() => "not found".into(),
        Error::Redirect { to, .. } => {
            format!("redirects to {to}, another host; --allow-redirects permits it")
        }
        Error::Read { reason, .. } => reason.to_string(),
        error => error.to_string(),
    }
}

/// The two files of an Unreal mesh, geometry first, if `name` is one of them.
fn pair(name: &str) -> Option<Vec<String>> {
    let at = name.len().checked_sub("d.3d".len())?;
    let (stem, kind) = (name.get(..at)?, name.get(at..at + 1)?);
    let is_one = stem.ends_with('_') && name.get(at + 1..)?.eq_ignore_ascii_case(".3d");
    let kinds = match kind {
        "d" | "a" => ["d", "a"],
        "D" | "A" => ["D", "A"],
        _ => return None,
    };
    is_one.then(|| kinds.map(|kind| format!("{stem}{kind}{}", &name[at + 1..])).into())
}
