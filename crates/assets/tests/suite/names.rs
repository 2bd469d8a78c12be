//! Mounts: order, case, and what is refused.

use std::fs;

use meshlens_assets::{AssetPath, Assets, Error};

fn model(name: &str) -> Vec<u8> {
    meshlens::md3::write::Model::new(name).unwrap().write().unwrap()
}

#[test]
fn later_mounts_override_earlier_ones_in_any_case() {
    let [first, second] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    fs::create_dir_all(first.path().join("Models")).unwrap();
    fs::create_dir_all(second.path().join("models")).unwrap();
    fs::write(first.path().join("Models/A.md3"), model("first")).unwrap();
    fs::write(first.path().join("Models/B.md3"), model("only")).unwrap();
    fs::write(second.path().join("models/a.MD3"), model("second")).unwrap();
    let mut assets = Assets::new();
    assets.mount_folder(first.path()).unwrap();
    assets.mount_folder(second.path()).unwrap();

    assert_eq!(assets.open("MODELS/a.md3").unwrap().model().name, "second");
    assert_eq!(assets.open("models\\b.md3").unwrap().model().name, "only");
    assert_eq!(assets.files(&AssetPath::new("models").unwrap()), ["B.md3", "a.MD3"]);
}

#[test]
fn names_that_differ_only_in_case_are_found_by_their_exact_spelling() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md3"), model("lower")).unwrap();
    fs::write(folder.path().join("A.md3"), model("upper")).unwrap();
    let mut assets = Assets::new();
    assets.mount_folder(folder.path()).unwrap();

    assert_eq!(assets.open("a.md3").unwrap().model().name, "lower");
    assert_eq!(assets.open("A.md3").unwrap().model().name, "upper");
    let error = assets.open("a.MD3").unwrap_err();
    let at = folder.path().display();
    assert!(matches!(error, Error::Ambiguous { .. }));
    assert_eq!(
        error.to_string(),
        format!("a.MD3: 2 files differ from it only in case: {at}/A.md3, {at}/a.md3")
    );
}
