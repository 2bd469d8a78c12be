//! Objects on servers.

use std::fs;
use std::path::Path;

use meshlens_testkit::doors;

use crate::servers::Server;
use crate::table::{batches, census, corpus, finish, integers, run, states, texts};

fn file(path: &str) -> Vec<u8> {
    fs::read(corpus().join(path)).unwrap()
}

/// A list of objects of a server.
fn list(folder: &Path, rows: &[(String, Option<usize>, &str)]) -> String {
    let path = folder.join("list.csv");
    let row = |(uri, size, etag): &(String, Option<usize>, &str)| {
        format!("{uri},{},{etag}\n", size.map(|size| size.to_string()).unwrap_or_default())
    };
    let rows: String = rows.iter().map(row).collect();
    fs::write(&path, format!("uri,size,etag\n{rows}")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn objects_are_read_like_files() {
    let names = ["md3/static.md3", "md3/models.pk3", "gallery/crate_d.3d", "gallery/crate_a.3d", "walk.gltf"];
    // The buffer is not in the list.
    let stored = names.into_iter().chain(["walk.bin"]);
    let (server, _keep) =
        Server::start(stored.map(|name| (name.to_owned(), fs::read(doors::path(name)).unwrap())));
    let folder = tempfile::tempdir().unwrap();
    let (remote, local) = (folder.path().join("remote"), folder.path().join("local"));
    let urls: Vec<String> = names.iter().map(|name| server.url(name)).collect();
    let paths: Vec<String> = names.iter().map(|name| doors::path(name).display().to_string()).collect();
    for (table, inputs) in [(&remote, urls), (&local, paths)] {
        let inputs = inputs.iter().map(String::as_str);
        let arguments: Vec<&str> =
            ["census", "-o", table.to_str().unwrap()].into_iter().chain(inputs).collect();
        run(&arguments, 0);
    }
    let same = |table: &Path| {
        let batches = batches(table);
        let batch = &batches[0];
        let names = ["entry", "status", "hash", "version"].map(|name| texts(batch, name));
        let corners = ["min", "max"].map(|name| format!("{:?}", batch.column_by_name(name).unwrap()));
        (names, corners, ["frames", "vertices", "triangles", "errors"].map(|name| integers(batch, name)))
    };
    assert_eq!(same(&remote), same(&local));
    let count =
        |expected: &str| states(&remote).iter().filter(|[_, _, status, _]| status == expected).count();
    assert_eq!((count("half"), count("incomplete")), (1, 0));
}

#[test]
fn a_glb_may_have_its_buffer_in_an_object() {
    let (glb, buffer) = (crate::beside::glb_without_its_buffer(), fs::read(doors::path("walk.bin")).unwrap());
    let stored = [("a/walk.glb", glb.clone()), ("a/walk.bin", buffer), ("b/walk.glb", glb)];
    let (server, _keep) = Server::start(stored.map(|(name, bytes)| (name.to_owned(), bytes)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    run(&["census", &server.url("a/walk.glb"), &server.url("b/walk.glb"), "-o", path], 0);
    let statuses: Vec<_> = states(folder.path()).into_iter().map(|[_, _, status, _]| status).collect();
    assert_eq!(statuses, ["ok", "incomplete"]);
}

#[test]
fn frames_to_which_access_is_denied_have_a_code() {
    let stored = [("x_d.3d", "gallery/crate_d.3d"), ("x_a.3d", "gallery/crate_a.3d")];
    let (server, _keep) = Server::start(stored.map(|(name, path)| (name.to_owned(), file(path))));
    let folder = tempfile::tempdir().unwrap();
    let state = |name: &str| {
        let table = folder.path().join(name);
        run(&["census", &server.url("x_d.3d"), "-o", table.to_str().unwrap()], 0);
        let [_, _, status, code] = states(&table).remove(0);
        (status, code, texts(&batches(&table)[0], "message").remove(0).unwrap_or_default())
    };
    assert_eq!(state("both"), ("ok".into(), String::new(), String::new()));
    server.deny("x_a.3d");
    let (status, code, message) = state("denied");
    assert_eq!((&*status, &*code), ("incomplete", "REFUSED"));
    assert!(message.starts_with("x_a.3d: ") && message.contains("403"), "{message}");
}

#[test]
fn requests_to_a_busy_server_are_repeated() {
    let (server, _keep) = Server::start([("a.md3".to_owned(), file("md3/static.md3"))]);
    let folder = tempfile::tempdir().unwrap();
    for (number, status) in ["503 Slow Down", "429 Too Many Requests"].into_iter().enumerate() {
        let table = folder.path().join(number.to_string());
        server.refuse(3, status);
        let before = server.requests();
        run(&["census", &server.url("a.md3"), "-o", table.to_str().unwrap()], 0);
        assert_eq!(states(&table)[0][2], "ok");
        assert_eq!(server.requests() - before, 4, "three refusals and an answer");
    }
}

#[test]
fn a_server_that_refuses_everything_is_one_error() {
    let (server, _keep) = Server::start([]);
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<_> = (0..500).map(|number| (server.url(&format!("{number}.md3")), None, "")).collect();
    for (number, (status, count)) in
        [("403 Forbidden", 500), ("401 Unauthorized", 500), ("403 Forbidden", 2)].into_iter().enumerate()
    {
        let list = list(folder.path(), &rows[..count]);
        let table = folder.path().join(number.to_string());
        server.refuse(usize::MAX, status);
        let command = ["census", "--manifest", &list, "-o", table.to_str().unwrap()];
        let text = finish(census(&command).output().unwrap(), 2);
        // The port may have the digits of the status.
        assert_eq!(text.matches(status).count(), 1, "{text}");
        assert!(text.contains("the server refuses or does not answer"), "{text}");
        assert!(!table.join("part-00000.parquet").exists());
    }
}

#[test]
fn missing_and_changed_objects_are_rows() {
    let bytes = file("md3/static.md3");
    let (server, _keep) = Server::start([("a.md3".to_owned(), bytes.clone())]);
    let folder = tempfile::tempdir().unwrap();
    let etag = blake3::hash(&bytes).to_string();
    let (a, size) = (server.url("a.md3"), Some(bytes.len()));
    let rows = [
        (a.clone(), size, &*etag),
        (a.clone(), None, "old"),
        (a, Some(7), ""),
        (server.url("b.md3"), None, ""),
    ];
    let (list, table) = (list(folder.path(), &rows), folder.path().join("table"));
    run(&["census", "--manifest", &list, "-o", table.to_str().unwrap()], 0);
    let found = states(&table);
    let found: Vec<_> = found.iter().map(|[_, _, status, code]| (status.as_str(), code.as_str())).collect();
    let changed = ("changed", "CHANGED");
    assert_eq!(found, [("ok", ""), changed, changed, ("unread", "NOT_FOUND")]);
}

#[test]
fn headers_of_large_objects_are_read_by_ranges() {
    // Many frames, of which only the headers are needed.
    let bytes = meshlens::md3::write::sample(&vec![8.0; 4000]).unwrap();
    let (server, _keep) = Server::start([("a.md3".to_owned(), bytes.clone())]);
    let folder = tempfile::tempdir().unwrap();
    let list = list(folder.path(), &[(server.url("a.md3"), Some(bytes.len()), "")]);
    let mut sent = Vec::new();
    let mut rows = Vec::new();
    for columns in ["headers", "all"] {
        let table = folder.path().join(columns);
        run(&["census", "--manifest", &list, "-o", table.to_str().unwrap(), "--columns", columns], 0);
        sent.push(server.take_sent());
        let batch = &batches(&table)[0];
        rows.push(["frames", "meshes", "vertices", "triangles"].map(|name| integers(batch, name)));
    }
    assert_eq!(rows[0], rows[1]);
    assert_eq!(rows[0][0], [Some(4000)]);
    assert_eq!(sent[1], bytes.len());
    // The records of 4000 frames are headers, but most of their vertices are not read.
    assert!(sent[0] + 2 * 8 * 4000 <= sent[1], "{sent:?}");
}
