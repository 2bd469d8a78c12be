//! Models on a web server, which does not list its files.

use meshlens_testkit::doors;
use meshlens_testkit::server::{Reply, Server};
use serde_json::Value;

use crate::shared::{meshlens, stderr, utf8};

/// A web server with files.
fn server(files: &[(&str, Vec<u8>)]) -> Server {
    let files: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (format!("/{name}"), bytes.clone())).collect();
    Server::new(move |asked| match files.iter().find(|(name, _)| *name == asked.path) {
        Some((_, bytes)) => Reply::sound(asked, bytes).with("ETag", "\"1\""),
        None => Reply::status("404 Not Found"),
    })
}

/// The rows of `inspect` without the name of the model.
fn rows(path: &str) -> Value {
    let output = meshlens(&["inspect", "--format", "json", path]);
    let mut document: Value = serde_json::from_slice(&output.stdout).expect(path);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{path}");
    for row in document["files"].as_array_mut().expect(path) {
        row["uri"] = Value::Null;
    }
    document["files"].take()
}

#[test]
fn a_format_without_headers_is_recognized_by_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join("player");
    let bytes = std::fs::read(doors::path("player.glb")).unwrap();
    std::fs::write(&local, &bytes).unwrap();
    let server = server(&[("player", bytes.clone()), ("player.md3", bytes)]);
    for name in ["player", "player.md3"] {
        assert_eq!(rows(&format!("{}/{name}", server.url)), rows(utf8(&local)), "{name}");
    }
}

#[test]
fn the_other_file_of_a_mesh_is_found_by_every_form_of_its_name() {
    let corpus = |name: &str| std::fs::read(doors::path(name)).unwrap();
    let (geometry, frames) = (corpus("unreal/Models/ring_d.3d"), corpus("unreal/Models/ring_a.3d"));
    let names = [("DATA07.3d", "ANIV07.3d"), ("m/aniv1.3d", "m/DATA1.3d"), ("X_D.3D", "X_a.3D")];
    for (given, other) in names {
        let (first, last) = if given.starts_with("m/") { (&frames, &geometry) } else { (&geometry, &frames) };
        let server = server(&[(given, first.clone()), (other, last.clone())]);
        let row = &rows(&format!("{}/{given}", server.url))[0];
        let local = &rows("corpus/unreal/Models/ring_d.3d")[0];
        for member in ["format", "frames", "vertices", "triangles", "bytes"] {
            assert_eq!(row[member], local[member], "{member} of {given}");
        }
    }
}
