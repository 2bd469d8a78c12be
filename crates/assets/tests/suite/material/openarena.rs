//! The archives of OpenArena: `MESHLENS_OPENARENA` names the folder that holds `pak0.pk3` and the others, and
//! enables these tests.

use std::collections::HashSet;
use std::path::PathBuf;

use meshlens::md3::{Md3, Skin};
use meshlens_assets::material::ImageLimits;
use meshlens_assets::{AssetPath, Assets};

use super::{Memory, md3};

/// The archives, in the order of their names, which is the order in which the game mounts them.
fn archives() -> Option<Assets> {
    let folder = PathBuf::from(std::env::var_os("MESHLENS_OPENARENA")?);
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pk3"));
    files.sort();
    assert!(!files.is_empty(), "MESHLENS_OPENARENA names no folder of archives");
    let mut assets = Assets::new();
    for file in files {
        assets.mount_archive(file).unwrap();
    }
    Some(assets)
}

#[test]
fn every_script_parses() {
    let Some(assets) = archives() else { return };
    let shaders = assets.shaders();
    assert!(shaders.files().len() >= 70 && shaders.len() >= 1500, "{shaders:?}");
    let faults: Vec<String> = shaders.findings().findings().map(|finding| finding.message.clone()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Every surface that a skin of a player names has an image that can be decoded, or is hidden.
#[test]
fn every_surface_of_a_player_has_an_image_or_is_hidden() {
    let Some(assets) = archives() else { return };
    let players = AssetPath::new("models/players").unwrap();
    let (mut skins, mut surfaces, mut hidden, mut missing) = (0, 0, 0, Vec::new());
    let mut decoded = HashSet::new();
    for player in assets.folders(&players) {
        let folder = players.join(&player).unwrap();
        for name in assets.files(&folder) {
            let path = folder.join(&name).unwrap();
            let Some((part, _)) = path.stem().split_once('_').filter(|_| path.has_extension("skin")) else {
                continue;
            };
            let model = folder.join(&format!("{part}.md3")).unwrap();
            let Some(model) = assets.find(&model).unwrap() else { continue };
            let model = assets.read(&model).unwrap();
            let skin = assets.read(&assets.find(&path).unwrap().unwrap()).unwrap();
            let skin = Skin::parse(&skin).unwrap();
            let names: Vec<String> =
                Md3::parse(&model).unwrap().surfaces().map(|s| s.name().to_string()).collect();
            let shaders: Vec<&str> = names.iter().filter_map(|name| skin.path(name)).collect();
            let shaders: Vec<&str> = shaders.into_iter().filter(|path| !path.is_empty()).collect();
            // A model with the surface names of the skin, opened in the folder of the player.
            let place = folder.join("dressed.md3").unwrap();
            let mut assets = assets.clone();
            assets.mount("made", Memory::default().with(place.as_str(), md3(&shaders)));
            let asset = assets.open(place.as_str()).unwrap();
            skins += 1;
            for mesh in &asset.model().meshes {
                surfaces += 1;
                let material = &asset.model().materials[mesh.material.unwrap()];
                if material.hidden {
                    hidden += 1;
                } else if assets.find_texture(material).is_none() {
                    missing.push(format!("{path}: {}", material.name));
                } else if decoded.insert(material.texture.clone()) {
                    let image = assets.texture_image(material, &ImageLimits::DEFAULT);
                    assert!(
                        image.as_ref().is_ok_and(Option::is_some),
                        "{path}: {}: {image:?}",
                        material.name
                    );
                }
            }
        }
    }
    println!("{skins} skins, {surfaces} surfaces, {hidden} hidden, {} images", decoded.len());
    assert!(missing.is_empty(), "{missing:#?}");
}
