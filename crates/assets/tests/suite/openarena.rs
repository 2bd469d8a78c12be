//! Archives of OpenArena as they ship, in the folder that `MESHLENS_OPENARENA` names (`baseoa`).

use std::path::PathBuf;

use meshlens_assets::{AssetPath, Assets, FindOptions, OpenOptions};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("MESHLENS_OPENARENA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: MESHLENS_OPENARENA is not set");
    }
    folder
}

#[test]
fn a_player_of_an_archive_is_joined() {
    let Some(folder) = folder() else { return };
    let given = Assets::new().user_path(folder.join("pak0.pk3!models/players/sarge")).unwrap();
    let sarge = given.locate().unwrap().open(&OpenOptions::default()).unwrap();
    let nodes = &sarge.scene().nodes;
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["lower", "upper", "head"]);
    let attached: Vec<_> = nodes.iter().map(|node| node.attachment.map(|at| at.node)).collect();
    assert_eq!(attached, [None, Some(0), Some(1)]);
    assert_eq!(nodes[0].lods.len(), 2);
    assert!(nodes[0].model.find_clip("LEGS_RUN").is_some());
    assert!(sarge.files().iter().any(|file| file.path.as_str() == "models/players/sarge/lower_default.skin"));
}

#[test]
fn every_model_and_player_opens() {
    let Some(folder) = folder() else { return };
    let mut assets = Assets::new();
    for name in ["pak0.pk3", "pak2-players.pk3"] {
        assets.mount_archive(folder.join(name)).unwrap();
    }
    let found = assets.find_models(&AssetPath::root(), &FindOptions::default());
    assert!(found.faults.is_empty(), "{:?}", found.faults);
    assert_eq!(found.models.len(), 210);
    for model in found.models {
        let path = model.path().clone();
        model.open(&OpenOptions::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let players = AssetPath::new("models/players").unwrap();
    let names = assets.folders(&players);
    let parts = |name: &String| match assets.open(players.join(name).unwrap().as_str()) {
        Ok(player) => player.scene().nodes.len(),
        // Some folders have only textures, for the models of another player.
        Err(error) if error.is_not_found() => 0,
        Err(error) => panic!("{error}"),
    };
    let mut counts: Vec<usize> = names.iter().map(parts).collect();
    counts.sort_unstable();
    assert_eq!(counts, [[0; 3].as_slice(), &[3; 14]].concat(), "{names:?}");
}
