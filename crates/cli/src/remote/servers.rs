//! The servers of URLs, as search paths.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use meshlens::Format;
use meshlens_assets::{
    AssetPath, Assets, Bytes, Entry, EntryKind, FilePart, FileSystem, FindOptions, ModelFiles,
};
use meshlens_stream::backend::{ObjectStoreBackend, ObjectStoreOptions, RangeCache, RemoteOptions};
use meshlens_stream::{Error, ProbeOptions, WaitingReader, backend};

use super::found::{FoundModels, Headers, JOBS, NoHeaders};
use crate::args::Servers;
use crate::errors;
use crate::failure::Failure;
use crate::item::{Item, has_models};
use crate::terminal::tell;

/// The servers of URLs, each with one client.
pub(crate) struct Remotes {
    servers: backend::Remotes,
    /// The search paths of the folders of buckets, which keep what was listed.
    folders: Mutex<HashMap<(String, AssetPath), Folder>>,
    cache: Option<RangeCache>,
}

impl Drop for Remotes {
    /// Nothing that the command was asked for depends on the cache.
    fn drop(&mut self) {
        if let Some(error) = self.cache.as_ref().and_then(RangeCache::error) {
            tell!("warning: {error}; nothing more was kept");
        }
    }
}

/// The search path of a folder of a bucket, and its objects.
type Folder = (Assets, Arc<Files>);

impl Remotes {
    /// # Errors
    ///
    /// The folder of the cache cannot be used.
    pub(crate) fn new(arguments: &Servers) -> Result<Remotes, String> {
        let open = |folder: PathBuf| RangeCache::open(folder, arguments.cache_limit as u64);
        let cache = arguments.cache_folder().map(open).transpose().map_err(|error| error.to_string())?;
        // Ranges that are near to one another are one request.
        let store = ObjectStoreOptions { max_reads: JOBS, join_gap: 64 << 10 };
        let allows_redirects = arguments.allow_redirects;
        let options =
            RemoteOptions { store, allows_redirects, cache: cache.clone(), ..RemoteOptions::default() };
        Ok(Remotes { servers: backend::Remotes::new(options), folders: Mutex::default(), cache })
    }

    /// The model at a URL, or the models in a folder of a bucket, whose URL ends with `/`. Companion files are found in
    /// that folder, or in the folder of the model, and in `assets`. Without
    /// `keeps_players`, a player is the models of its parts. Nothing above it is listed, because that is often not
    /// permitted. A web server does not list its files, so models on it have no companions.
    pub(crate) fn models(
        &self,
        assets: &Assets,
        url: &str,
        options: FindOptions,
        keeps_players: bool,
    ) -> Result<FoundModels, Failure> {
        let (objects, name) = self.open(url)?;
        let start = url.find("://").map_or(0, |at| at + "://".len());
        let server = url.get(start..).and_then(|rest| rest.find('/')).and_then(|end| url.get(..start + end));
        let server = server.unwrap_or(url).to_owned();
        let is_bucket = server.get(..3).is_some_and(|scheme| scheme.eq_ignore_ascii_case("s3:"));
        let is_folder = url.ends_with('/');
        let path = if name.is_empty() { Ok(AssetPath::root()) } else { AssetPath::new(&name) };
        let path = path.map_err(Failure::system)?;
        // The archive or the script that the model is in.
        let outer = path.as_str().split_once('!').and_then(|(outer, _)| AssetPath::new(outer).ok());
        let outer = outer.filter(|outer| is_bucket || has_models(Path::new(outer.as_str())));
        let file = outer.as_ref().unwrap_or(&path);
        let with = |listed: Option<AssetPath>| {
            let mut assets = assets.clone();
            let files = Arc::new(Files { objects: objects.clone(), listed, names: RwLock::default() });
            assets.mount(&server, files.clone());
            (assets, files)
        };
        let (assets, files) = if is_bucket {
            let folder = match file.extension() {
                _ if is_folder => path.clone(),
                // A script names files in the folders beside its own.
                extension if extension.eq_ignore_ascii_case("uc") => file.folder().folder(),
                _ => file.folder(),
            };
            let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (server.clone(), folder.clone());
            folders.entry(key).or_insert_with(|| with(Some(folder))).clone()
        } else {
            with(None)
        };
        // Checking the first bytes of files with other names would need a request for each file.
        let options = FindOptions { content: false, ..options };
        if is_folder {
            if !is_bucket {
                return Err(Failure::system(
                    "a web server has no list of its files; only folders of s3:// are read",
                ));
            }
            if !assets.has_folder(&path) && assets.each_model(&path, &options).next().is_none() {
                return Err(Failure::system("not found"));
            }
            return Ok(FoundModels::Several(Box::new(assets.each_model(&path, &options))));
        }
        // A name without an extension may be the folder of a player.
        if !is_bucket || outer.is_some() || !path.extension().is_empty() {
            let known = pair(file.as_str()).unwrap_or_else(|| vec![file.as_str().into()]);
            files.names.write().unwrap_or_else(PoisonError::into_inner).extend(known);
        }
        let located = assets.locate(path.as_str()).map_err(|error| match error {
            error if error.is_not_found() => Failure::system("not found"),
            error => Failure::system(errors::reason(url, &error)),
        })?;
        if matches!(located.files(), ModelFiles::Player(_)) && !keeps_players {
            return Ok(FoundModels::Several(Box::new(assets.each_model(&path, &options))));
        }
        Ok(FoundModels::One(Box::new(located)))
    }

    fn open(&self, url: &str) -> Result<(Arc<ObjectStoreBackend>, meshlens_stream::FileName), Failure> {
        self.servers.open(url).map_err(|error| {
            let text = error.to_string();
            Failure::system(text.strip_prefix(&format!("{url}: ")).unwrap_or(&text))
        })
    }

    /// Reads the headers of a model. Returns the name of the format if the model is a file of another program and was
    /// not named.
    pub(crate) fn headers(&self, item: &Item) -> Result<Result<Headers, &'static str>, NoHeaders> {
        let files = item.located.files().files();
        let names: Vec<String> = files.iter().map(|file| file.path().to_string()).collect();
        let server = files.first().map(|file| file.mount()).unwrap_or_default();
        // The name of the object does not matter, only its server.
        let (objects, _) = self.open(&format!("{server}/x"))?;
        let opened = WaitingReader::open(&*objects, names.iter().map(|name| &**name), ProbeOptions::REMOTE);
        let reader = match opened {
            Ok(reader) => reader,
            Err(Error::Format { error, .. }) => {
                let part = |file| item.located.assets().read_range(file, 0..Format::DETECT_BYTES as u64);
                let mut parts = files.iter().map_while(|file| part(file).ok());
                let mut start = parts.next();
                if let Some(start) = &mut start {
                    start.file_len += parts.map(|part| part.file_len).sum::<u64>();
                }
                let other = start.as_ref().and_then(|start| meshlens_assets::foreign_format(&start.bytes));
                let message = match other {
                    Some(other) if !item.is_named => return Ok(Err(other)),
                    Some(other) => format!("this is {other}"),
                    None => error.to_string(),
                };
                return Err(NoHeaders(Failure::input(message), start));
            }
            Err(error) => return Err(Failure::system(reason(&error)).into()),
        };
        let bytes_read = reader.bytes_read();
        Ok(Ok(Headers { model: reader.into_model(), names, bytes_read }))
    }
}

/// The objects of a server.
struct Files {
    objects: Arc<ObjectStoreBackend>,
    /// The folder in which files are found by listing; `None` if the server does not list.
    listed: Option<AssetPath>,
    /// The objects that URLs name. They are read without being found.
    names: RwLock<HashSet<String>>,
}

impl Files {
    /// The content of a folder that is not listed; `None` for a folder that is.
    fn unlisted(&self, folder: &AssetPath) -> Option<io::Result<Vec<Entry>>> {
        let below = |path: &AssetPath, folder: &AssetPath| -> Option<String> {
            let rest = path.as_str().strip_prefix(folder.as_str())?;
            if folder.is_root() { Some(rest.into()) } else { rest.strip_prefix('/').map(str::to_owned) }
        };
        let listed = self.listed.as_ref();
        if listed.is_some_and(|listed| listed == folder || below(folder, listed).is_some()) {
            return None;
        }
        // Nothing above the folder is asked for.
        let next = listed.and_then(|listed| below(listed, folder));
        let next = next.map(|below| Entry::folder(below.split('/').next().unwrap_or_default()));
        let is_there = folder.is_root() || next.is_some();
        Some(if is_there { Ok(next.into_iter().collect()) } else { Err(io::ErrorKind::NotFound.into()) })
    }
}

impl FileSystem for Files {
    fn read(&self, path: &AssetPath, limit: u64) -> io::Result<Bytes> {
        self.objects.read(path, limit).map_err(told)
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        self.objects.read_range(path, range).map_err(told)
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        let unlisted = self.unlisted(folder);
        unlisted.unwrap_or_else(|| FileSystem::list(&*self.objects, folder).map_err(told))
    }

    fn list_each(
        &self,
        folder: &AssetPath,
        each: &mut dyn FnMut(&str, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.unlisted(folder) {
            Some(entries) => entries?.into_iter().try_for_each(|entry| each(&entry.name, entry.kind)),
            None => self.objects.list_each(folder, each).map_err(told),
        }
    }

    fn knows(&self, path: &AssetPath) -> bool {
        self.names.read().unwrap_or_else(PoisonError::into_inner).contains(path.as_str())
    }

    fn has_unlisted(&self) -> bool {
        self.listed.is_none()
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
