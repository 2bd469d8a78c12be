//! Lists files: folders, buckets, and single paths and URLs.

use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{FuturesUnordered, TryStreamExt};
use meshlens::Format;
use object_store::ObjectStore;
use object_store::path::Path as Key;
use url::Url;
use walkdir::WalkDir;

use crate::args::{List, Search};
use crate::fetch::local_etag;
use crate::manifest::{Listed, Writer};
use crate::place::Place;
use crate::server::{Failure, Servers};
use crate::stop::{Result, Stop};

/// The number of rows that are passed on together.
const ROWS: usize = 4096;
/// If a bucket has fewer folders than this, their content is listed folder by folder. Otherwise, each folder is listed
/// with everything below it.
const FOLDERS: usize = 32;

/// `meshlens list`.
pub(crate) fn run(arguments: &List) -> Result<u8> {
    let mut writer = Writer::create(&arguments.output, crate::part::GROUP_ROWS)?;
    let requests = usize::from(arguments.requests);
    list(&arguments.inputs, arguments.search, requests, &mut |rows| writer.write(&rows))?;
    let rows = writer.finish()?;
    eprintln!("{rows} files: {}", arguments.output.display());
    Ok(0)
}

/// Calls `each` with the files that paths and URLs name, several at a time. Folders of the file system are listed in
/// the order of names, and buckets in the order of the server's answers.
pub(crate) fn list(
    inputs: &[String],
    search: Search,
    requests: usize,
    each: &mut dyn FnMut(Vec<Listed>) -> Result<()>,
) -> Result<()> {
    for input in inputs {
        match Place::of(input).map_err(|error| Stop(format!("{input}: {error}")))? {
            Place::Local(path) if path.is_dir() => list_folder(&path, search, each)?,
            Place::Local(path) => {
                let meta = path.metadata().map_err(Stop::at(&path))?;
                let (size, etag) = (Some(meta.len()), local_etag(&meta));
                each(vec![Listed { uri: input.clone(), size, etag, fault: None }])?;
            }
            Place::Remote(url) if url.ends_with('/') => list_bucket(&url, search, requests, each)?,
            Place::Remote(url) => each(vec![Listed { uri: url, ..Listed::default() }])?,
        }
    }
    Ok(())
}

/// Whether a file has the name of a model or an archive.
fn is_listed(name: &str, search: Search) -> bool {
    let extension =
        name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    search.all
        || Format::from_extension(&extension).is_some()
        || ["glb", "gltf", "pk3", "zip"].contains(&extension.as_str())
}

fn list_folder(folder: &Path, search: Search, each: &mut dyn FnMut(Vec<Listed>) -> Result<()>) -> Result<()> {
    let mut rows = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                // The other files are listed, and the census has a row about this error.
                let uri = error.path().unwrap_or(folder).display().to_string();
                rows.push(Listed { uri, fault: Some(error.to_string()), ..Listed::default() });
                continue;
            }
        };
        if !entry.file_type().is_file() || !is_listed(&entry.file_name().to_string_lossy(), search) {
            continue;
        }
        let uri = entry.path().to_str().map(str::to_owned);
        let fault = uri.is_none().then(|| "the path is not UTF-8".to_owned());
        let meta = entry.metadata().ok();
        rows.push(Listed {
            uri: uri.unwrap_or_else(|| entry.path().display().to_string()),
            size: meta.as_ref().map(std::fs::Metadata::len),
            etag: meta.as_ref().and_then(local_etag),
            fault,
        });
        if rows.len() >= ROWS {
            each(std::mem::take(&mut rows))?;
        }
    }
    each(rows)
}

/// Lists a folder of a bucket. Folders are listed one by one until there are many. Then, many folders are listed
/// concurrently, each with everything below it.
fn list_bucket(
    url: &str,
    search: Search,
    requests: usize,
    each: &mut dyn FnMut(Vec<Listed>) -> Result<()>,
) -> Result<()> {
    let servers = Servers::new();
    let (store, start, server) = servers.open(url).map_err(Stop)?;
    if !url.get(..3).is_some_and(|scheme| scheme.eq_ignore_ascii_case("s3:")) {
        return Err(Stop(format!(
            "{url}: a web server has no list of its files; only folders of s3:// are read"
        )));
    }
    let base = Url::parse(url).map_err(|error| Stop(format!("{url}: {error}")))?;
    let listed = |object: object_store::ObjectMeta| {
        let key = object.location.as_ref();
        is_listed(key, search).then(|| {
            let mut url = base.clone();
            url.set_path(&encoded(key));
            Listed { uri: url.into(), size: Some(object.size), etag: object.e_tag, fault: None }
        })
    };
    let stopped = |error: object_store::Error| match server.fail(url, &error) {
        Ok(Failure::Refused(text)) => Stop(format!("{url}: {text}")),
        Ok(Failure::NotFound) => Stop(format!("{url}: there is no such bucket")),
        Err(stop) => stop,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Stop::new)?;
    runtime.block_on(async {
        let mut folders = vec![start];
        while !folders.is_empty() && folders.len() < FOLDERS {
            let mut found = FuturesUnordered::new();
            let mut waiting = std::mem::take(&mut folders).into_iter();
            loop {
                while found.len() < requests
                    && let Some(folder) = waiting.next()
                {
                    found.push(list_one(store.clone(), folder));
                }
                let Some(page) = found.next().await else { break };
                let page = page.map_err(stopped)?;
                each(page.objects.into_iter().filter_map(listed).collect())?;
                folders.extend(page.common_prefixes);
            }
            folders.sort();
        }
        let streams = folders.into_iter().map(|folder| store.list(Some(&folder)));
        let streams = futures_util::stream::iter(streams).flatten_unordered(requests);
        let mut chunks = streams.map_err(stopped).try_chunks(ROWS);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| error.1)?;
            each(chunk.into_iter().filter_map(listed).collect())?;
        }
        Ok(())
    })
}

async fn list_one(
    store: Arc<dyn ObjectStore>,
    folder: Key,
) -> object_store::Result<object_store::ListResult> {
    store.list_with_delimiter(Some(&folder)).await
}

/// A key as the path of a URL. Its characters `%`, `?` and `#` are escaped.
fn encoded(key: &str) -> String {
    key.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
}
