//! File systems that do not list their files, such as web servers.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use meshlens_assets::{AssetPath, Assets, Bytes, Entry, FilePart, FileSystem, ModelFiles};

use meshlens_testkit::files::Files;

use crate::corpus;

/// Files that are not listed, and the paths that were asked for.
#[derive(Default)]
struct Unlisted {
    files: Vec<(&'static str, Bytes)>,
    asked: Mutex<Vec<String>>,
}

impl FileSystem for Unlisted {
    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> io::Result<FilePart> {
        self.asked.lock().unwrap().push(path.to_string());
        let found = self.files.iter().find(|(name, _)| path.as_str() == *name);
        found.map(|(_, bytes)| FilePart::of(bytes, range)).ok_or(io::ErrorKind::NotFound.into())
    }

    fn list(&self, folder: &AssetPath) -> io::Result<Vec<Entry>> {
        if folder.is_root() { Ok(Vec::new()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn has_unlisted(&self) -> bool {
        true
    }
}

fn server(files: &[(&'static str, &str)]) -> Arc<Unlisted> {
    let files = files.iter().map(|(name, file)| (*name, corpus(file).into())).collect();
    Arc::new(Unlisted { files, ..Unlisted::default() })
}

#[test]
fn models_are_opened_by_their_names() {
    let server = server(&[("m/a.md3", "md3/animated.md3"), ("pak0.pk3", "md3/models.pk3")]);
    let mut assets = Assets::new();
    assets.mount("server", server.clone());
    assert_eq!(assets.open("m/a.md3").unwrap().model().frame_count(), 5);
    assert_eq!(assets.open("pak0.pk3!models/deflated.md3").unwrap().scene().nodes.len(), 1);
    assert!(assets.open("no.md3").is_err_and(|error| error.is_not_found()));
    // Nothing in an archive is looked for outside it.
    server.asked.lock().unwrap().clear();
    assert!(assets.open("pak0.pk3!no.md3").is_err_and(|error| error.is_not_found()));
    assert!(!server.asked.lock().unwrap().contains(&"no.md3".into()));
    // Companions are only looked up in lists.
    assert_eq!(assets.find(&AssetPath::new("m/a.md3").unwrap()).unwrap().map(|_| ()), None);
}

#[test]
fn a_model_is_taken_from_the_server_that_has_it() {
    let mut assets = Assets::new();
    let [first, last] =
        [("a.md3", "md3/animated.md3"), ("b.md3", "md3/static.md3")].map(|file| server(&[file]));
    assets.mount("first", first);
    assets.mount("last", last);
    for (name, mount) in [("a.md3", "first"), ("b.md3", "last"), ("no.md3", "first")] {
        assert_eq!(assets.locate(name).unwrap().files().files()[0].mount(), mount);
    }
    assert!(assets.open("a.md3").is_ok() && assets.open("b.md3").is_ok());
}

#[test]
fn the_mount_that_was_added_last_is_searched_first() {
    let folder = Files::new().with("a.md3", corpus("md3/static.md3")).with("b.md3", corpus("md3/static.md3"));
    let server = server(&[("a.md3", "md3/animated.md3")]);
    let frames = |assets: &Assets, name| assets.open(name).unwrap().model().frame_count();
    let mut assets = folder.mounted();
    assets.mount("server", server.clone());
    assert_eq!((frames(&assets, "a.md3"), frames(&assets, "b.md3")), (5, 1));
    let mut assets = Assets::new();
    assets.mount("server", server.clone());
    assets.mount("folder", folder);
    server.asked.lock().unwrap().clear();
    assert_eq!(frames(&assets, "a.md3"), 1);
    assert_eq!(*server.asked.lock().unwrap(), [""; 0]);
}

#[test]
fn the_other_file_of_a_mesh_is_requested_in_each_spelling() {
    let (geometry, frames) = ("unreal/Models/ring_d.3d", "unreal/Models/ring_a.3d");
    for (given, other) in
        [("m/x_d.3d", "m/x_a.3d"), ("X_D.3D", "X_a.3D"), ("DATA07.3d", "ANIV07.3d"), ("Data1.3d", "aniv1.3d")]
    {
        let mut assets = Assets::new();
        assets.mount("server", server(&[(given, geometry), (other, frames)]));
        for name in [given, other] {
            let located = assets.locate(name).unwrap();
            assert!(matches!(located.files(), ModelFiles::Pair { .. }), "{name}: {located:?}");
            assert_eq!(located.path().as_str(), given);
        }
        assert!(assets.open(given).is_ok());
    }
    let mut assets = Assets::new();
    assets.mount("server", server(&[("x_d.3d", geometry)]));
    let error = assets.open("x_d.3d").unwrap_err().to_string();
    assert!(error.ends_with("the other file of this mesh was not found; looked for x_a.3d"), "{error}");
}
