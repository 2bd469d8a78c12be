//! Object stores as file systems that are mounted.

use std::sync::{Arc, Mutex};

use meshlens_assets::{AssetPath, Assets, FileSystem, FindOptions};
use meshlens_stream::backend::{
    ObjectFolder, ObjectStoreBackend, ObjectStoreOptions, RemoteOptions, open_url,
};
use meshlens_testkit::server::{Reply, Server};
use object_store::ObjectStoreExt;
use object_store::memory::InMemory;

use crate::common::file;

#[test]
fn a_web_server_is_never_asked_for_a_list() {
    let model = file("md3/animated.md3");
    let other = Arc::new(Mutex::new(Vec::new()));
    let log = other.clone();
    let server = Server::new(move |asked| {
        if asked.path == "/m/a.md3" {
            return Reply::sound(asked, &model).with("ETag", "\"1\"");
        }
        log.lock().unwrap().push(asked.path.clone());
        Reply::status("404 Not Found")
    });
    let (objects, name) = open_url(&format!("{}/m/a.md3", server.url), &RemoteOptions::default()).unwrap();
    let mut assets = Assets::new();
    assets.mount("server", objects);
    let opened = assets.open(&name).unwrap();
    assert_eq!(opened.model().frame_count(), 5);
    assert!(opened.findings().findings().all(|finding| finding.code != "FOLDER_UNREADABLE"));
    assert!(assets.find_models(&AssetPath::root(), &FindOptions::default()).models.is_empty());
    assert_eq!(*other.lock().unwrap(), [""; 0], "only the model is requested");
    assert!(assets.open("m/no.md3").is_err_and(|error| error.is_not_found()));
    assert_eq!(*other.lock().unwrap(), ["/m/no.md3"]);
}

#[test]
fn only_one_folder_of_a_store_is_listed() {
    let memory = InMemory::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for name in ["a.md3", "m/b.md3", "m/n/c.md3", "m/n/deep/d.md3", "m/o/e.md3"] {
        runtime.block_on(memory.put(&name.into(), file("md3/static.md3").into())).unwrap();
    }
    let objects = ObjectStoreBackend::new(Arc::new(memory), ObjectStoreOptions::default()).unwrap();
    let path = |name: &str| AssetPath::new(name).unwrap();
    let folder = Arc::new(ObjectFolder::new(Arc::new(objects), path("m/n")));
    let names = |of: &str| {
        let of = if of.is_empty() { AssetPath::root() } else { path(of) };
        let mut names = Vec::new();
        let each = folder.list_each(&of, &mut |name, _| {
            names.push(name.to_owned());
            Ok(())
        });
        let listed = folder.list(&of).map(|entries| entries.into_iter().map(|entry| entry.name).collect());
        assert_eq!(listed.as_ref().ok(), each.is_ok().then_some(&names), "{of}");
        listed.map(|mut listed: Vec<_>| {
            listed.sort();
            listed.join(" ")
        })
    };
    assert_eq!((names("").unwrap(), names("m").unwrap()), ("m".into(), "n".into()));
    assert_eq!((names("m/n").unwrap(), names("m/n/deep").unwrap()), ("c.md3 deep".into(), "d.md3".into()));
    assert!(names("m/o").is_err() && names("m/na").is_err());
    let mut assets = Assets::new();
    assets.mount("store", folder.clone());
    assert!(assets.open("m/n/c.md3").is_ok() && assets.open("m/b.md3").is_err());
    folder.add(path("m/b.md3"));
    assert!(assets.open("m/b.md3").is_ok() && assets.open("a.md3").is_err());
}
