//! Missing halves, names that differ only in case, files that change, many mounts, and too little memory.

use std::fs;
use std::io::{Cursor, Write};

use meshlens::wire::Budget;
use meshlens_assets::{AssetPath, Assets, Error, OpenOptions, Rule};
use meshlens_testkit::files::Files;
use meshlens_testkit::share::few_or_all;

use crate::corpus;

#[test]
fn the_error_for_a_missing_half_lists_the_paths() {
    let files = Files::new()
        .with("Models/gun_d.3d", corpus("unreal/Models/ring_d.3d"))
        .with("Models/ANIV07.3d", corpus("unreal/Models/ring_a.3d"))
        .with("Models/cut_d.3d", "");
    let error = |name: &str| files.mounted().open(name).unwrap_err().to_string();
    let missing = "the other file of this mesh was not found; looked for";
    assert_eq!(error("models/GUN_D.3d"), format!("Models/gun_d.3d: {missing} models/GUN_A.3d"));
    assert_eq!(error("Models/ANIV07.3d"), format!("Models/ANIV07.3d: {missing} Models/DATA07.3d"));
    assert!(error("Models/cut_d.3d").starts_with("Models/cut_d.3d: unreal"), "{}", error("Models/cut_d.3d"));
}

#[test]
fn the_error_for_a_script_without_files_lists_the_paths() {
    let script = r"#exec MESH IMPORT MESH=Gun ANIVFILE=Models\gun_a.3d DATAFILE=Models\gun_d.3d";
    let assets = Files::new().with("Pack/Classes/Gun.uc", script).mounted();
    assert_eq!(
        assets.open("Pack/Classes/Gun.uc").unwrap_err().to_string(),
        "Pack/Classes/Gun.uc: the files of mesh Gun do not exist; looked for Pack/Models/gun_d.3d, \
         Pack/Classes/Models/gun_d.3d, Models/gun_d.3d, Pack/Classes/gun_d.3d, Pack/Models/gun_a.3d, \
         Pack/Classes/Models/gun_a.3d, Models/gun_a.3d, Pack/Classes/gun_a.3d"
    );
}

#[test]
fn the_error_for_a_missing_file_lists_the_mounts_in_order() {
    let mut assets = Assets::new();
    assert_eq!(
        assets.open("a.md3").unwrap_err().to_string(),
        "a.md3: not found; looked for a.md3 nowhere, because nothing is mounted"
    );
    for name in ["baseq3", "mod"] {
        assets.mount(name, Files::new().with("models/x/readme.txt", ""));
    }
    let error = assets.open("models/x.md3").unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.to_string(), "models/x.md3: not found; looked for models/x.md3 in mod, baseq3");
    assert_eq!(
        assets.open("models/x").unwrap_err().to_string(),
        "models/x: not found; looked for models/x/lower.md3, models/x/upper.md3, models/x/head.md3, \
         models/x/animation.cfg in mod, baseq3"
    );
}

#[test]
fn companions_that_differ_only_in_case_are_a_finding() {
    let files = Files::new()
        .with("x/upper.md3", corpus("md3/player/upper.md3"))
        .with("x/Animation.cfg", corpus("md3/player/animation.cfg"))
        .with("x/animation.CFG", "");
    let asset = files.mounted().open("x/upper.md3").unwrap();
    let finding = asset.findings().findings().find(|finding| finding.code == "NAME_AMBIGUOUS").unwrap();
    assert_eq!(
        finding.message,
        "x/animation.cfg: 2 files differ from it only in case: x/Animation.cfg, x/animation.CFG"
    );
    assert!(asset.model().find_clip("TORSO_STAND").is_some(), "the first is taken");
}

#[test]
fn folders_that_differ_only_in_case_are_one_folder() {
    let files = Files::new()
        .with("Models/a.md3", corpus("md3/static.md3"))
        .with("models/b.md3", corpus("md3/tagged.md3"));
    let assets = files.mounted();
    for (name, model) in [("MODELS/a.md3", "models/static.md3"), ("Models/b.md3", "models/tagged.md3")] {
        assert_eq!(assets.open(name).unwrap().model().name, model);
    }
}

fn archive(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

#[test]
fn an_archive_that_changes_while_it_is_open_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    fs::write(&path, archive("a.md3", &corpus("md3/static.md3"))).unwrap();
    let mut direct = Assets::new();
    direct.mount_archive(&path).unwrap();
    let mut inside = Assets::new();
    inside.mount_folder(folder.path()).unwrap();
    direct.open("a.md3").unwrap();
    let asset = inside.open("pak0.pk3!a.md3").unwrap();

    fs::write(&path, archive("b.md3", &corpus("md3/tagged.md3"))).unwrap();
    let changed = format!("{}: changed while it was being read", path.display());
    for error in [direct.open("a.md3").unwrap_err(), inside.open("pak0.pk3!a.md3").unwrap_err()] {
        assert_eq!(error.to_string(), changed);
    }
    assert_eq!(asset.model().name, "models/static.md3", "what is open stays what it is");
    // The caller refreshes the search path after the change.
    inside.refresh();
    assert_eq!(inside.open("pak0.pk3!b.md3").unwrap().model().name, "models/tagged.md3");
    direct.refresh();
    assert_eq!(direct.open("b.md3").unwrap().model().name, "models/tagged.md3");
    assert!(matches!(direct.open("a.md3"), Err(Error::NotFound { .. })));
    // An archive that is gone stays mounted.
    fs::remove_file(&path).unwrap();
    direct.refresh();
    assert!(matches!(direct.open("b.md3"), Err(Error::Source(_))));
}

#[test]
fn mounts_are_removed_by_name() {
    let files = Files::new().with("packs/a.pk3", archive("a.md3", &corpus("md3/static.md3")));
    let mut assets = files.mounted();
    let outer = assets.mounts().next().unwrap().to_owned();
    let pack = assets.find(&AssetPath::new("packs/a.pk3").unwrap()).unwrap().unwrap();
    assets.mount_inner_archive(&pack).unwrap();
    let before = assets.clone();
    assets.open("a.md3").unwrap();
    assert!(!assets.unmount("other") && assets.unmount(pack.to_string()));
    assert!(matches!(assets.open("a.md3"), Err(Error::NotFound { .. })));
    assert!(assets.unmount(&outer) && !assets.unmount(&outer));
    assert_eq!((assets.mounts().count(), before.mounts().count()), (0, 2));
    before.open("a.md3").unwrap();
}

#[test]
fn thousands_of_mounts_are_searched_once() {
    let mut assets = Assets::new();
    let count = few_or_all(2_000, 10_000);
    for number in 0..count {
        let files = Files::new().with(&format!("models/{number}.md3"), corpus("md3/static.md3"));
        let files =
            if number % 1000 == 7 { files.with("models/same.md3", corpus("md3/tagged.md3")) } else { files };
        assets.mount(&format!("pak{number:04}"), files);
    }
    for number in [0, count - 1, count / 2] {
        assert_eq!(assets.open(&format!("models/{number}.md3")).unwrap().model().name, "models/static.md3");
    }
    assert_eq!(
        assets.open("models/same.md3").unwrap().files()[0].name,
        format!("pak{:04}/models/same.md3", count - 993)
    );
    let error = assets.open("models/none.md3").unwrap_err().to_string();
    let start = format!(
        "models/none.md3: not found; looked for models/none.md3 in pak{}, pak{},",
        count - 1,
        count - 2
    );
    assert!(error.starts_with(&start) && error.ends_with(&format!(" and {} more", count - 8)), "{error}");
}

#[test]
fn memory_is_reserved_for_files_until_the_asset_is_dropped() {
    let bytes = corpus("md3/static.md3");
    let budget = Budget::new(bytes.len() + bytes.len() / 2);
    let mut assets = Files::new().with("a.md3", bytes.clone()).with("b.md3", bytes.clone()).mounted();
    assets.set_budget(budget.clone());
    let asset = assets.open("a.md3").unwrap();
    assert_eq!(budget.reserved(), bytes.len());
    let error = assets.open("b.md3").unwrap_err();
    assert!(matches!(&error, Error::Memory { over, .. } if over.fits_alone()), "{error}");
    drop(asset);
    assert_eq!(budget.reserved(), 0);
    assets.open("b.md3").unwrap();
}

#[test]
fn a_broken_companion_is_an_error_that_names_it() {
    let files =
        Files::new().with("x/upper.md3", corpus("md3/player/upper.md3")).with("x/upper_bad.skin", ",path");
    let options = OpenOptions { skin: Some("bad".into()), ..OpenOptions::default() };
    let error = files.mounted().open_with("x/upper.md3", &options).unwrap_err();
    assert!(error.to_string().starts_with("x/upper_bad.skin: "), "{error}");
}

#[test]
fn a_limit_on_companions_is_a_finding() {
    let files = Files::new()
        .with("a.md3", corpus("md3/static.md3"))
        .with("a_1.md3", corpus("md3/static_1.md3"))
        .with("a.animation.cfg", "0 1 0 5 // Still\n");
    let mut assets = files.mounted();
    assets.set_limit(4);
    let asset = assets.open("a.md3").unwrap();
    let codes: Vec<&str> = asset.findings().findings().map(|finding| finding.code).collect();
    assert!(codes.contains(&"COMPANION_UNREADABLE"), "{codes:?}");
    assert!(asset.lookups().iter().any(|lookup| lookup.rule == Rule::NamedClips && lookup.found.is_some()));
}
