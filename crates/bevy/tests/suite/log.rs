//! Log messages: everything that cannot be loaded is logged with its file, its offset and a remedy, and the rest is
//! loaded.

use std::fs;
use std::path::Path;

use bevy::prelude::*;
use bevy_meshlens::meshlens::md3::write::{Frame, Model, Surface};
use bevy_meshlens::{MeshlensMesh, MeshlensScene};

use crate::app::{app, load, spawn, update_until, workspace};
use crate::kept::{errors, keep};

/// An MD3 file whose surfaces have one triangle each, and these shaders.
fn triangles(shaders: &[&str]) -> Vec<u8> {
    let mut file = Model::new("triangles").expect("a name");
    file.frames.push(Frame::named("still").expect("a name"));
    for (number, shader) in shaders.iter().enumerate() {
        let mut surface = Surface::new(&format!("surface{number}")).expect("a name");
        surface.triangles.push([0, 1, 2]);
        surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        surface
            .add_frame(&[[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])
            .expect("a frame");
        surface.add_shader(shader).expect("a name");
        file.surfaces.push(surface);
    }
    file.write().expect("a file")
}

/// Loads and spawns a file, and returns its meshes and its problems.
fn spawned(folder: &Path, name: &str) -> (Vec<MeshlensMesh>, Vec<String>) {
    keep();
    let mut app = app(folder);
    let scene = load(&mut app, name).expect("a scene");
    spawn(&mut app, &scene);
    let mut entities = app.world_mut().query::<(&Mesh3d, &MeshMaterial3d<StandardMaterial>)>();
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    assert_eq!(entities.iter(app.world()).count(), of.meshes.len());
    (of.meshes.clone(), of.problems.clone())
}

#[test]
fn other_meshes_load_without_a_broken_mesh() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = triangles(&["", ""]);
    // The offset of the first surface is stored at 100, and the offset of its triangles 88 bytes after the start of the
    // surface.
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let surface = word(&bytes, 100);
    let triangles = surface + word(&bytes, surface + 88);
    bytes[triangles..triangles + 4].copy_from_slice(&999u32.to_le_bytes());
    fs::write(folder.path().join("half_broken.md3"), bytes).expect("a file");
    let (meshes, problems) = spawned(folder.path(), "half_broken.md3");
    assert_eq!(meshes.iter().map(|mesh| mesh.label.to_string()).collect::<Vec<_>>(), ["Node0/Mesh1"]);
    // The surfaces have no shader, either.
    let errors = errors("half_broken.md3");
    let [error] = &*errors.iter().filter(|error| error.contains("node 0, mesh 0")).collect::<Vec<_>>() else {
        panic!("{errors:?}")
    };
    assert!(error.contains(&format!("{triangles:#x}")), "{error}");
    assert!(error.contains("999") && error.ends_with("; export the file again"), "{error}");
    assert!(problems.iter().any(|problem| error.ends_with(problem)), "{problems:?}");
}

#[test]
fn a_mesh_loads_without_a_missing_texture() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bare.md3"), triangles(&["models/nothing_here"])).expect("a file");
    let (meshes, problems) = spawned(folder.path(), "bare.md3");
    assert_eq!((meshes.len(), problems.len()), (1, 1), "{problems:?}");
    let [error] = &*errors("bare.md3") else { panic!("{:?}", errors("bare.md3")) };
    assert!(error.contains("texture models/nothing_here: not found"), "{error}");
    assert!(error.contains("; put a TGA, JPEG, PNG, BMP or DDS file of this name there"), "{error}");
}

#[test]
fn a_mesh_loads_without_a_broken_texture() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("painted.md3"), triangles(&["broken_paint"])).expect("a file");
    let mut picture = fs::read(workspace().join("corpus/gallery/flag.tga")).expect("a file");
    // The width of the image.
    picture[12..14].fill(0);
    fs::write(folder.path().join("broken_paint.tga"), picture).expect("a file");
    let (meshes, problems) = spawned(folder.path(), "painted.md3");
    assert_eq!((meshes.len(), problems.len()), (1, 1), "{problems:?}");
    let [error] = &*errors("broken_paint.tga") else { panic!("{:?}", errors("broken_paint.tga")) };
    assert!(error.contains("0x") && error.contains("; save the image again"), "{error}");
}

#[test]
fn a_file_that_cannot_be_loaded_is_logged() {
    keep();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("cut_off.md3"), &triangles(&[""])[..120]).expect("a file");
    fs::write(folder.path().join("alone_d.3d"), [0; 64]).expect("a file");
    let mut app = app(folder.path());
    for (name, contents) in [
        ("cut_off.md3", ["0x", "export the file again"]),
        ("alone_d.3d", ["alone_a.3d", "put the other file into the same folder"]),
    ] {
        load(&mut app, name).expect_err("a broken file");
        // The state of the asset may be known before the error is logged.
        update_until(&mut app, "an error in the log", |_| !errors(name).is_empty());
        let logged = errors(name);
        for content in contents {
            assert!(logged.iter().all(|error| error.contains(content)), "{logged:?}");
        }
    }
}
