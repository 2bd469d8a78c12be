//! Skins and images of models that are not players: names of Quake 1 engines, surfaces without a shader, hints.

use meshlens_assets::{Asset, Error, OpenOptions};

use super::{Memory, codes, md3};

const IMAGE: &str = "not read";

/// The texture of each material, and the codes of the findings.
fn worn(asset: &Asset) -> (Vec<String>, Vec<&'static str>) {
    let texture =
        |material: &meshlens_assets::material::Material| material.texture.clone().unwrap_or_default();
    (asset.model().materials.iter().map(texture).collect(), codes(asset.findings()))
}

fn with_skin(memory: &Memory, skin: &str) -> Result<Asset, Error> {
    let options = OpenOptions { skin: Some(skin.into()), ..OpenOptions::default() };
    memory.mounted().open_with("progs/demon.md3", &options)
}

/// A model whose shader has no image, with two images for it.
fn demon() -> Memory {
    Memory::new([("progs/red.png", IMAGE), ("progs/blue.png", IMAGE)])
        .with("progs/demon.md3", md3(&["models/monsters/wrong"]))
}

#[test]
fn skins_of_quake_1_engines_have_numbers() {
    let files = demon()
        .with("progs/demon.md3_0.skin", "surface0,progs/red")
        .with("progs/demon.md3_1.skin", "replace \"surface0\" \"progs/blue.png\"");
    let columns = demon().with("progs/demon.md3.skin", "surface0,progs/red,progs/blue");
    let images = demon().with("progs/surface0_0.png", IMAGE).with("progs/surface0_1.png", IMAGE);
    for (memory, wanted) in [
        (files, ["progs/red.png", "progs/blue.png"]),
        (columns, ["progs/red.png", "progs/blue.png"]),
        (images, ["progs/surface0_0.png", "progs/surface0_1.png"]),
    ] {
        let first = memory.mounted().open("progs/demon.md3").unwrap();
        assert_eq!(worn(&first), (vec![wanted[0].into()], Vec::new()));
        for (skin, wanted) in ["0", "1"].into_iter().zip(wanted) {
            assert_eq!(worn(&with_skin(&memory, skin).unwrap()), (vec![wanted.into()], Vec::new()));
        }
        assert!(matches!(with_skin(&memory, "2"), Err(Error::NoSkin { .. })));
    }
    // An image of the shader is not replaced without a request.
    let own = demon().with("models/monsters/wrong.png", IMAGE).with("progs/surface0_0.png", IMAGE);
    let asset = own.mounted().open("progs/demon.md3").unwrap();
    assert_eq!(worn(&asset).0, ["models/monsters/wrong.png"]);
}

#[test]
fn a_surface_without_a_shader_has_the_image_of_its_name() {
    let memory =
        Memory::default().with("models/m/x.md3", md3(&["", ""])).with("models/m/surface0.jpg", IMAGE);
    let asset = memory.mounted().open("models/m/x.md3").unwrap();
    let names: Vec<_> = asset.model().materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["surface0", "surface1"]);
    assert_eq!(
        worn(&asset),
        (vec!["models/m/surface0.jpg".into(), String::new()], vec!["TEXTURE_NOT_FOUND"])
    );
    let message = asset.findings().findings().next().unwrap().message.clone();
    assert_eq!(message, "surface surface1: names no shader, and no image has its name");
}

#[test]
fn a_slash_at_the_start_of_a_name_is_skipped() {
    let script = "models/x/box { { map /models/x/other.png } }";
    let memory =
        Memory::new([("scripts/x.shader", script), ("weapons/y.png", IMAGE), ("models/x/other.png", IMAGE)])
            .with("a/x.md3", md3(&["/weapons/y.png", "\\models/x/box"]));
    let asset = memory.mounted().open("a/x.md3").unwrap();
    assert_eq!(worn(&asset), (vec!["weapons/y.png".into(), "models/x/other.png".into()], Vec::new()));
}

#[test]
fn skins_of_a_model_with_missing_textures_are_named() {
    let memory = Memory::new([("models/guy/body_default.skin", ""), ("models/guy/body_red.skin", "")])
        .with("models/guy/body.md3", md3(&["none"]));
    let asset = memory.mounted().open("models/guy/body.md3").unwrap();
    let finding = asset.findings().findings().find(|finding| finding.code == "SKINS_NOT_WORN").unwrap();
    assert_eq!(finding.message, "skins beside the model name textures: default, red");
    let found = memory.with("none.tga", IMAGE);
    assert!(found.mounted().open("models/guy/body.md3").unwrap().findings().is_empty());
}
