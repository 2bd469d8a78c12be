//! The servers of URLs, as search paths.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use meshlens::Format;
use meshlens::unreal::pairing::other_names;
use meshlens_assets::{AssetPath, Assets, FindOptions, ModelFiles};
use meshlens_stream::backend::{
    ObjectFolder, ObjectStoreBackend, ObjectStoreOptions, RangeCache, RemoteOptions,
};
use meshlens_stream::{Error, ProbeOptions, WaitingReader, backend};

use super::found::{FoundModels, Headers, JOBS, NoHeaders};
use crate::args::Servers;
use crate::errors;
use crate::failure::Failure;
use crate::item::Item;
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
type Folder = (Assets, Arc<ObjectFolder>);

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
    /// permitted. A web server does not list its files, so models on it only have the files that they name.
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
        let assets = if is_bucket {
            self.bucket(assets, server, objects, &path, is_folder)
        } else {
            let mut assets = assets.clone();
            assets.mount(&server, objects);
            assets
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
        let located = assets.locate(path.as_str()).map_err(|error| match error {
            error if error.is_not_found() => Failure::system("not found"),
            error => Failure::system(errors::reason(url, &error)),
        })?;
        if matches!(located.files(), ModelFiles::Player(_)) && !keeps_players {
            return Ok(FoundModels::Several(Box::new(assets.each_model(&path, &options))));
        }
        Ok(FoundModels::One(Box::new(located)))
    }

    /// The search path of a model in a bucket, or of a folder of a bucket.
    fn bucket(
        &self,
        assets: &Assets,
        server: String,
        objects: Arc<ObjectStoreBackend>,
        path: &AssetPath,
        is_folder: bool,
    ) -> Assets {
        // The archive or the script that the model is in.
        let outer = path.as_str().split_once('!').and_then(|(outer, _)| AssetPath::new(outer).ok());
        let file = outer.as_ref().unwrap_or(path);
        let folder = match file.extension() {
            _ if is_folder => path.clone(),
            // A script names files in the folders beside its own.
            extension if extension.eq_ignore_ascii_case("uc") => file.folder().folder(),
            _ => file.folder(),
        };
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let (assets, files) = folders.entry((server.clone(), folder.clone())).or_insert_with(|| {
            let files = Arc::new(ObjectFolder::new(objects, folder));
            let mut assets = assets.clone();
            assets.mount(&server, files.clone());
            (assets, files)
        });
        // A name without an extension may be the folder of a player.
        if !is_folder && (outer.is_some() || !path.extension().is_empty()) {
            let other = other_names(file.file_name()).into_iter().next();
            let other = other.and_then(|name| file.with_file_name(&name).ok());
            [Some(file.clone()), other].into_iter().flatten().for_each(|file| files.add(file));
        }
        assets.clone()
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
            Err(error) => return Err(Failure::system(errors::server(&error)).into()),
        };
        let bytes_read = reader.bytes_read();
        Ok(Ok(Headers { model: reader.into_model(), names, bytes_read }))
    }
}
