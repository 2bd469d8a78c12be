//! Materials of UNIGINE meshes: libraries, files of one material, parents, and nodes.

use meshlens::unigine::{Version, write};
use meshlens_assets::material::{Alpha, Material, TextureAlpha, Wrap};
use meshlens_assets::{Asset, Rule};

use super::{Memory, codes};

fn mesh(surfaces: &[&str]) -> Vec<u8> {
    let mut mesh = write::Model::new(Version::Ms11);
    for name in surfaces {
        let mut surface = write::Surface::new(name).unwrap();
        surface.targets[0].positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        surface.targets[0].add_tangents(Version::Ms11, &[[0.0, 0.0, 0.0, 1.0]; 3]);
        surface.add_triangle([[0, 0], [1, 1], [2, 2]]);
        mesh.surfaces.push(surface);
    }
    mesh.recompute_bounds();
    mesh.write().unwrap()
}

fn rules(asset: &Asset) -> Vec<(Rule, &str)> {
    asset.files().iter().map(|file| (file.rule, file.path.as_str())).collect()
}

#[test]
fn a_surface_has_the_material_of_its_name_in_a_library() {
    let library = r#"<?xml version="1.0" encoding="utf-8"?>
<materials version="1.11">
    <material name="base" parent="mesh_base">
        <texture name="normal">textures/n.dds</texture>
        <texture name="diffuse" wrap="clamp_y">textures/skin.dds</texture>
        <parameter name="diffuse_color">1 0.5 0 0.25</parameter>
    </material>
    <material name="Skin" parent="base"><options two_sided="1" alpha_test="1"/></material>
    <material name="glass" parent="base">
        <blend src="one" dest="one"/>
        <texture name="diffuse">guid://b6674b045b8932059769ee326a8eb293037aeb19</texture>
    </material>
    <material name="loop" parent="loop"/>
</materials>"#;
    let memory = Memory::new([
        ("data/materials/people.mat", library),
        ("data/textures/skin.png", ""),
        ("data/.runtimes/b6/b6674b045b8932059769ee326a8eb293037aeb19.dds", ""),
        ("data/meshes/notes.xml", "no XML at all"),
    ])
    .with("data/meshes/man.mesh", mesh(&["skin", "glass", "hat", "loop"]));
    let asset = memory.mounted().open("data/meshes/man.mesh").unwrap();
    let [skin, glass, hat, _] = &asset.model().materials[..] else { panic!("a material for each surface") };
    // A stored value of 0.5 (sRGB) is less than a quarter of the light.
    let [r, g, b, a] = skin.color;
    assert_eq!((r, b, a), (1.0, 0.0, 0.25));
    assert!((g - 0.2140).abs() < 1e-4, "{g}");
    let expected = Material {
        texture: Some("data/textures/skin.png".into()),
        wrap: [Wrap::Repeat, Wrap::Clamp],
        color: skin.color,
        two_sided: true,
        alpha: Alpha::Mask,
        ..Material::new("Skin")
    };
    assert_eq!(*skin, expected);
    assert_eq!((glass.alpha, glass.texture_alpha), (Alpha::Blend, TextureAlpha::Add));
    let runtime = "data/.runtimes/b6/b6674b045b8932059769ee326a8eb293037aeb19.dds";
    assert_eq!((glass.texture.as_deref(), glass.wrap), (Some(runtime), [Wrap::Repeat; 2]));
    assert_eq!(*hat, Material::new("hat"));
    let files = [(Rule::Named, "data/meshes/man.mesh"), (Rule::MaterialFile, "data/materials/people.mat")];
    assert_eq!(rules(&asset), files);
    assert!(asset.findings().is_empty());
    // Files are read once for all meshes.
    memory.take_read();
    asset.assets().open("data/meshes/man.mesh").unwrap();
    assert_eq!(memory.take_read(), ["data/meshes/man.mesh"]);
}

#[test]
fn material_files_over_the_limit_are_listed() {
    let files = (0..1025).map(|number| format!("props/materials/{number:04}.mat"));
    let memory = files.fold(Memory::default(), |memory, name| memory.with(&name, "<material/>"));
    let asset =
        memory.with("props/meshes/cube.mesh", mesh(&["side"])).mounted().open("props/meshes/cube.mesh");
    let asset = asset.unwrap();
    let found = asset.findings().findings().find(|finding| finding.code == "MATERIAL_FILE_FAULTY").unwrap();
    assert_eq!(
        found.message,
        "props/materials/1024.mat: not read, like the files after it: there are more than 1024"
    );
}

#[test]
fn nodes_say_which_material_a_surface_has() {
    let guid = "e8c0dffb417bf8053c05f154bed9d69310cc0b28";
    let node = format!(
        r#"<nodes version="2.19.0.3"><node type="NodeDummy"><node type="ObjectMeshStatic" name="box">
        <mesh_name>props/meshes/Cube.mesh</mesh_name>
        <surface name="side" shadow_mode="1" material="{guid}"/>
        <surface name="top" material="steel"/>
        </node></node></nodes>"#
    );
    let blue = format!(
        r#"<material version="2.19.0.3" guid="{guid}" base_material="ec1f">
        <options transparent="2"/><texture name="albedo">textures/blue.texture</texture></material>"#
    );
    let memory = Memory::default()
        .with("props/cube.node", node)
        .with("props/materials/blue.mat", blue)
        .with("props/materials/broken.mat", "<material")
        .with("textures/blue.texture", "")
        .with("props/meshes/cube.mesh", mesh(&["side", "top"]));
    let asset = memory.mounted().open("props/meshes/cube.mesh").unwrap();
    let [side, top] = &asset.model().materials[..] else { panic!("a material for each surface") };
    // The name is the name of the file, and the engine's own format of textures is not read.
    assert_eq!((side.name.as_str(), side.alpha), ("blue", Alpha::Blend));
    assert_eq!(side.texture.as_deref(), Some("textures/blue.texture"));
    assert_eq!(*top, Material::new("steel"));
    assert_eq!(codes(asset.findings()), ["MATERIAL_FILE_FAULTY", "TEXTURE_FORMAT_UNKNOWN"]);
    assert_eq!(
        rules(&asset),
        [
            (Rule::Named, "props/meshes/cube.mesh"),
            (Rule::MaterialFile, "props/cube.node"),
            (Rule::MaterialFile, "props/materials/blue.mat"),
        ]
    );
}
