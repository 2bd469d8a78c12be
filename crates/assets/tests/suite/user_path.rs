//! Paths that a user gives: the game around them, their names, and their roots.

use std::fs;
use std::path::{Path, PathBuf};

use meshlens_assets::{Assets, FindOptions, ModelFiles, OpenOptions};

use crate::corpus;

/// A game with a loose model, one in an archive, and a texture.
fn game() -> (tempfile::TempDir, PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap().join("baseq3");
    for folder in ["models/in", "textures", "scripts"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("models/in/m.md3"), corpus("md3/multi_surface.md3")).unwrap();
    fs::write(root.join("textures/ring.jpg"), b"\xff\xd8\xff").unwrap();
    fs::copy(Path::new(&corpus_path("md3/models.pk3")), root.join("pak0.pk3")).unwrap();
    fs::write(keep.path().join("secret.md3"), corpus("md3/static.md3")).unwrap();
    (keep, root)
}

fn corpus_path(name: &str) -> PathBuf {
    meshlens_testkit::real::workspace_root().join("corpus").join(name)
}

#[test]
fn the_game_around_a_path_is_mounted_with_its_archives() {
    let (_keep, root) = game();
    let given = Assets::new().user_path(root.join("models/in/m.md3")).unwrap();
    let mounts: Vec<&str> = given.assets().mounts().collect();
    let root_name = root.display().to_string();
    assert_eq!(mounts, [root_name.clone(), format!("{root_name}/pak0.pk3")]);
    assert_eq!(given.path().as_str(), "models/in/m.md3");
    let asset = given.locate().unwrap().open(&meshlens_assets::OpenOptions::default()).unwrap();
    let texture = asset.model().materials.iter().find_map(|material| asset.assets().find_texture(material));
    assert_eq!(texture.unwrap().to_string(), format!("{root_name}/textures/ring.jpg"));

    // For a model in an archive, the archive is searched first.
    let given = Assets::new().user_path(root.join("pak0.pk3!models/stored.md3")).unwrap();
    let mounts: Vec<&str> = given.assets().mounts().collect();
    assert_eq!(mounts, [format!("{root_name}/pak0.pk3"), root_name]);
}

#[test]
fn without_a_game_only_the_folder_of_the_file_is_mounted() {
    let keep = tempfile::tempdir().unwrap();
    let folder = keep.path().join("a/b");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("m.md3"), corpus("md3/multi_surface.md3")).unwrap();
    let given = Assets::new().user_path(folder.join("m.md3")).unwrap();
    assert_eq!(given.assets().mounts().collect::<Vec<_>>(), [folder.display().to_string()]);
    assert_eq!(given.path().as_str(), "m.md3");
}

#[test]
fn mounts_are_used_instead_of_the_folder_of_a_game() {
    let (keep, root) = game();
    let mut assets = Assets::new();
    assets.mount_folder(&root).unwrap();
    let inside = assets.user_path(root.join("models/in/m.md3")).unwrap();
    assert_eq!((inside.path().as_str(), inside.assets().mounts().count()), ("models/in/m.md3", 1));
    // The folder of a path outside the mounts is searched before them, and no folder around it is searched.
    let outside = assets.user_path(keep.path().join("secret.md3")).unwrap();
    let keep_name = keep.path().display().to_string();
    let mounts: Vec<&str> = outside.assets().mounts().collect();
    assert_eq!(mounts, [keep_name, root.display().to_string()]);
}

#[test]
fn models_have_the_names_that_the_caller_gave() {
    let (_keep, root) = game();
    let names = |path: &Path| -> Vec<String> {
        let options = FindOptions { content: true, archives: true, ..FindOptions::default() };
        let found = Assets::new().user_path(path).unwrap().models(&options);
        assert!(found.faults.is_empty(), "{:?}", found.faults);
        found.models.iter().map(|model| model.files().to_string()).collect()
    };
    let at = |name: &str| root.join(name).display().to_string();
    assert_eq!(names(&root.join("models")), [at("models/in/m.md3")]);
    let all = names(&root);
    assert_eq!(all[0], at("models/in/m.md3"));
    assert!(all[1].starts_with(&at("pak0.pk3!")), "{}", all[1]);
    assert_eq!(names(&root.join("models/../models/in/m.md3")), [at("models/../models/in/m.md3")]);
    let entry = root.join("pak0.pk3!MODELS/STORED.md3");
    assert!(names(&entry)[0].starts_with(&at("pak0.pk3!")), "{:?}", names(&entry));
}

#[test]
fn a_pair_of_two_user_files_needs_no_names() {
    let keep = tempfile::tempdir().unwrap();
    fs::write(keep.path().join("one.bin"), corpus("unreal/Models/ring_d.3d")).unwrap();
    fs::write(keep.path().join("two.bin"), corpus("unreal/Models/ring_a.3d")).unwrap();
    let assets = Assets::new();
    let [one, two] = ["one.bin", "two.bin"].map(|name| assets.user_path(keep.path().join(name)).unwrap());
    let pair = one.with_frames(&two).unwrap();
    assert!(matches!(pair.files(), ModelFiles::Pair { .. }));
    assert_eq!(pair.files().to_string(), format!("{}/one.bin + two.bin", keep.path().display()));
    assert!(pair.load(None).unwrap().document().unwrap().as_unreal().is_some());
    assert!(assets.user_path(keep.path()).unwrap().with_frames(&two).is_none());
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_found_and_opened() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let keep = tempfile::tempdir().unwrap();
    let path = keep.path().join(OsStr::from_bytes(b"m\xff.md3"));
    fs::write(&path, corpus("md3/static.md3")).unwrap();
    let found = Assets::new().user_path(keep.path()).unwrap().models(&FindOptions::default());
    let file = found.models[0].files().files()[0].clone();
    assert_eq!(file.os_path().unwrap(), path);
    assert_eq!(found.models[0].load(None).unwrap().first(), corpus("md3/static.md3"));
    assert_eq!(Assets::new().open_path(&path).unwrap().model().name, "models/static.md3");
}

#[test]
fn folders_that_stand_for_archives_are_mounted_with_the_archives_by_name() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap().join("wop");
    let file = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    file("b.pk3dir/models/m.md3", &corpus("md3/multi_surface.md3"));
    file("A.PK3DIR/textures/ring.tga", b"");
    file("c.pk3dir/textures/ring.tga", b"");
    fs::copy(corpus_path("md3/models.pk3"), root.join("b.pk3")).unwrap();
    let shown = |name: &str| root.join(name).display().to_string();
    for path in ["b.pk3dir/models/m.md3", "b.pk3dir", ""] {
        let given = Assets::new().user_path(root.join(path)).unwrap();
        let mounts: Vec<String> =
            given.assets().mounts().map(|name| name.trim_end_matches('/').into()).collect();
        assert_eq!(
            mounts,
            ["", "c.pk3dir", "b.pk3dir", "b.pk3", "A.PK3DIR"]
                .map(|name| shown(name).trim_end_matches('/').to_owned()),
            "{path}"
        );
        let found = given.models(&FindOptions::default());
        let names: Vec<String> = found.models.iter().map(|model| model.files().to_string()).collect();
        assert_eq!(names, [shown("b.pk3dir/models/m.md3")], "each model once");
        let asset = found.models.into_iter().next().unwrap().open(&OpenOptions::default()).unwrap();
        let texture =
            asset.model().materials.iter().find_map(|material| asset.assets().find_texture(material));
        assert_eq!(texture.unwrap().to_string(), shown("c.pk3dir/textures/ring.tga"));
    }
}
