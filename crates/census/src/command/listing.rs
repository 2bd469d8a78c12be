//! Lists files: folders, buckets, and single paths and URLs.

use std::error::Error;
use std::path::Path;

use meshlens::Format;
use meshlens_terminal::{catch, tell};
use tokio::sync::mpsc::channel;
use url::Url;
use walkdir::WalkDir;

use crate::args::{List, Search};
use crate::local::local_etag;
use crate::manifest::{Listed, Writer};
use crate::place::Place;
use crate::server::Servers;
use crate::stop::{Result, Stop};

/// The number of rows that are passed on together.
const ROWS: usize = 4096;
/// The largest number of folders inside one another. Only a bucket whose folders do not end has more.
const MOST_DEEP: usize = 256;
/// The largest number of bytes of the name of a folder. Keys of S3 are at most as long.
const LONGEST_FOLDER: usize = 1024;
/// The largest number of folders of a bucket.
const MOST_FOLDERS: usize = 1 << 24;
/// The largest number of bytes of the names of folders that wait to be listed.
const MOST_NAMES: usize = 256 << 20;
/// The largest number of files in a list.
const MOST_FILES: usize = 1 << 28;

/// `meshlens list`.
pub(crate) fn run(arguments: &List) -> Result<u8> {
    let mut writer = Writer::create(&arguments.output, crate::part::GROUP_ROWS, arguments.force)?;
    let requests = usize::from(arguments.requests);
    list(&arguments.inputs, arguments.search, requests, &mut |rows| writer.write(&rows))?;
    let rows = writer.finish()?;
    tell!("{rows} files: {}", arguments.output.display());
    Ok(0)
}

/// Calls `each` with the files that paths and URLs name, several at a time. Folders of the file system are listed in
/// the order of names, with what symbolic links lead to, and buckets in the order of the server's answers.
pub(crate) fn list(
    inputs: &[String],
    search: Search,
    requests: usize,
    each: &mut dyn FnMut(Vec<Listed>) -> Result<()>,
) -> Result<()> {
    let mut count = 0;
    let each = &mut |rows: Vec<Listed>| {
        count += rows.len();
        if count > MOST_FILES {
            return Err(Stop(format!("more than {MOST_FILES} files are not listed")));
        }
        each(rows)
    };
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
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                // The other files are listed, and the census has a row about this error, unless it is a link to nothing that
                // has not the name of a model.
                let is_link = error.path().is_some_and(|path| path.is_symlink() && !path.exists());
                let name = error.path().unwrap_or(folder).to_string_lossy();
                if is_link && !is_listed(&name, search) {
                    continue;
                }
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

/// Lists a folder of a bucket and the folders in it, many at the same time.
fn list_bucket(
    url: &str,
    search: Search,
    requests: usize,
    each: &mut dyn FnMut(Vec<Listed>) -> Result<()>,
) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| Stop(format!("{url}: {error}"));
    if !url.get(..3).is_some_and(|scheme| scheme.eq_ignore_ascii_case("s3:")) {
        return Err(failed(&"a web server has no list of its files; only folders of s3:// are read"));
    }
    let (bucket, start) = Servers::new().bucket(url).map_err(|error| failed(&error))?;
    let base = Url::parse(url).map_err(|error| failed(&error))?;
    let url_of = |key: &str| {
        let mut url = base.clone();
        url.set_path(&encoded(key));
        String::from(url)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(requests)
        .build()
        .map_err(Stop::new)?;
    runtime.block_on(async {
        let (sender, mut pages) = channel(1);
        let (mut folders, mut names, mut running, mut count) = (vec![start], 0, 0, 1);
        loop {
            while running < requests
                && let Some(folder) = folders.pop()
            {
                names -= folder.len().min(names);
                running += 1;
                let (bucket, sender) = (bucket.clone(), sender.clone());
                tokio::task::spawn_blocking(move || {
                    let ended = "the listing ended";
                    let each = |page| sender.blocking_send(Ok(Some(page))).map_err(|_| ended.into());
                    let listed = catch(|| bucket.each_page::<Box<dyn Error>>(&folder, each));
                    let listed = listed.and_then(|listed| listed.map_err(|error| error.to_string()));
                    let _ = sender.blocking_send(listed.map(|()| None));
                });
            }
            if running == 0 {
                return Ok(());
            }
            let Some(page) = pages.recv().await else { return Ok(()) };
            let Some(page) = page.map_err(|error: String| failed(&error))? else {
                running -= 1;
                continue;
            };
            for folder in &page.common_prefixes {
                let folder = folder.as_ref();
                (count, names) = (count + 1, names + folder.len());
                if folder.matches('/').count() > MOST_DEEP || folder.len() > LONGEST_FOLDER {
                    return Err(failed(&format_args!(
                        "more than {MOST_DEEP} folders inside one another, or a name of more than {LONGEST_FOLDER} bytes"
                    )));
                }
                if count > MOST_FOLDERS || names > MOST_NAMES {
                    return Err(failed(&format_args!(
                        "more than {MOST_FOLDERS} folders, or {MOST_NAMES} bytes of their names, are not listed"
                    )));
                }
                folders.push(folder.to_owned());
            }
            let objects = page.objects.into_iter();
            let listed = objects.filter(|object| is_listed(object.location.as_ref(), search)).map(|object| {
                let uri = url_of(object.location.as_ref());
                Listed { uri, size: Some(object.size), etag: object.e_tag, fault: None }
            });
            each(listed.collect())?;
        }
    })
}

/// A key as the path of a URL. Its characters `%`, `?` and `#` are escaped.
fn encoded(key: &str) -> String {
    key.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
}
