//! All files of the corpus and of `MESHLENS_REAL` load, and broken files are errors.

use std::fs;
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bevy_meshlens::MeshlensScene;

use crate::app::{app, load, spawn, workspace};

/// The model files below a folder, as relative paths. The geometry file represents both files of an Unreal mesh.
fn models(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(&below).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let name = entry.strip_prefix(folder).expect("a path below").display().to_string();
            let lower = name.to_ascii_lowercase();
            let is_model =
                [".md3", ".u3d", ".mesh", ".3d"].iter().any(|extension| lower.ends_with(extension));
            if is_model {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// Loads and spawns each file, and returns the errors.
fn load_all(folder: &Path) -> (usize, Vec<(String, String)>) {
    let mut app = app(folder);
    let (mut loaded, mut errors) = (0, Vec::new());
    for name in models(folder) {
        match load(&mut app, &name) {
            Ok(scene) => {
                let root = spawn(&mut app, &scene);
                let mut meshes = app.world_mut().query::<(&Mesh3d, &MeshMaterial3d<StandardMaterial>)>();
                let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
                assert!(of.meshes.is_empty() || meshes.iter(app.world()).count() > 0, "{name}");
                app.world_mut().entity_mut(root).despawn();
                loaded += 1;
            }
            Err(error) => errors.push((name, error)),
        }
    }
    (loaded, errors)
}

#[test]
fn every_file_of_the_corpus_loads_or_has_a_reason() {
    let (loaded, errors) = load_all(&workspace().join("corpus"));
    println!("{loaded} files load");
    for (name, error) in &errors {
        println!("{name}: {error}");
        let stem = Path::new(name).file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(error.contains(&stem), "{name}: the error does not name the file: {error}");
        assert!(error.contains("; "), "{name}: the error has no remedy: {error}");
    }
    assert!(loaded >= 50, "{loaded} files");
}

#[test]
fn every_real_file_loads_or_has_a_reason() {
    let Some(folder) = std::env::var_os("MESHLENS_REAL") else { return };
    let (loaded, errors) = load_all(&workspace().join(PathBuf::from(folder)));
    println!("{loaded} files load");
    for (name, error) in &errors {
        println!("{name}: {error}");
        assert!(error.contains("; "), "{name}: the error has no remedy: {error}");
    }
    assert!(loaded > 0);
}

#[test]
fn errors_of_broken_files_have_name_offset_and_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = fs::read(workspace().join("corpus/md3/player/lower.md3")).expect("a file");
    fs::write(folder.path().join("cut.md3"), &bytes[..200]).expect("a file");
    fs::write(folder.path().join("x_d.3d"), [0; 64]).expect("a file");
    let mut app = app(folder.path());
    let error = load(&mut app, "cut.md3").expect_err("a file that is cut off");
    assert!(
        error.contains("cut.md3") && error.contains("0x") && error.contains("export the file again"),
        "{error}"
    );
    let error = load(&mut app, "x_d.3d").expect_err("half a mesh");
    assert!(error.contains("x_a.3d") && error.contains("put the other file into the same folder"), "{error}");
    let error = load(&mut app, "missing.md3").expect_err("no file");
    assert!(error.contains("missing.md3"), "{error}");
}
