//! Textures of Unreal meshes, by the scripts that import them.

use meshlens::unreal::{Triangle, VertexEncoding, write};
use meshlens_assets::Rule;
use meshlens_assets::material::{Alpha, ImageLimits, Material, TextureAlpha};

use super::{Memory, codes, tga};

/// A mesh of two files with a triangle for each type and texture slot.
fn mesh(triangles: &[(u8, u8)]) -> write::Files {
    let mut model = write::Model::new(VertexEncoding::Packed, 3);
    for (bits, slot) in triangles {
        let triangle = Triangle {
            vertices: [0, 1, 2],
            triangle_type: meshlens::unreal::TriangleType(*bits),
            texture: *slot,
            ..Triangle::default()
        };
        model.triangles.push(triangle);
    }
    model.add_integer_frame(&[[0, 0, 0], [8, 0, 0], [0, 8, 0]]).unwrap();
    model.write().unwrap()
}

const IMPORT: &str = r"#exec MESH IMPORT MESH=gun ANIVFILE=Models\gun_a.3d DATAFILE=Models\gun_d.3d";

fn package(triangles: &[(u8, u8)], script: &str) -> Memory {
    let files = mesh(triangles);
    Memory::default()
        .with("Guns/Models/gun_d.3d", files.geometry)
        .with("Guns/Models/gun_a.3d", files.frames)
        .with("Guns/Classes/Gun.uc", format!("class Gun expands Actor;\n{IMPORT}\n{script}"))
}

fn materials(memory: &Memory) -> (Vec<Material>, Vec<String>, Vec<&'static str>) {
    let asset = memory.mounted().open("Guns/Models/gun_d.3d").unwrap();
    let scripts = asset.files().iter().filter(|file| file.rule == Rule::Script);
    let scripts = scripts.map(|file| file.path.as_str().to_owned()).collect();
    (asset.model().materials.clone(), scripts, codes(asset.findings()))
}

#[test]
fn files_of_imports_are_found_in_the_package_with_any_extension() {
    let script = r"#exec TEXTURE IMPORT NAME=Steel FILE=Textures\Steel.pcx GROUP=Skins
#exec TEXTURE IMPORT NAME=Grip FILE=..\Shared\Grip.bmp
#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=0 TEXTURE=Guns.Skins.steel
#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=1 TEXTURE=Grip
#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=2 TEXTURE=Botpack.Flare";
    let memory = package(&[(0, 0), (0, 1), (0, 2), (0, 3)], script)
        .with("Guns/textures/steel.PNG", "")
        .with("Shared/Grip.bmp", "")
        .with("Guns/Models/Flare.tga", "");
    let (materials, scripts, codes) = materials(&memory);
    let found: Vec<_> = materials.iter().map(|material| material.texture.as_deref()).collect();
    // Slot 2 has a texture of another package, and slot 3 has none.
    let expected =
        [Some("Guns/textures/steel.PNG"), Some("Shared/Grip.bmp"), Some("Guns/Models/Flare.tga"), None];
    assert_eq!(found, expected);
    assert_eq!((scripts.len(), codes.len()), (1, 0), "{scripts:?} {codes:?}");
}

#[test]
fn another_script_of_the_package_may_import_the_texture() {
    let script = "#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=0 TEXTURE=Shared";
    let memory = package(&[(0, 0)], script)
        .with("Guns/Classes/Resources.uc", r"#exec TEXTURE IMPORT NAME=shared FILE=Textures\Common.pcx")
        .with("Guns/Textures/Common.pcx", "");
    let (materials, scripts, _) = materials(&memory);
    assert_eq!(materials[0].texture.as_deref(), Some("Guns/Textures/Common.pcx"));
    assert_eq!(scripts, ["Guns/Classes/Gun.uc", "Guns/Classes/Resources.uc"]);
}

#[test]
fn scripts_that_are_not_searched_are_one_finding() {
    let script = "#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=0 TEXTURE=Shared";
    let name = |number: usize| format!("Guns/Classes/Other{number:03}.uc");
    let other = |count: usize| {
        (0..count)
            .fold(package(&[(0, 0)], script), |memory, number| memory.with(&name(number), "class Other;"))
    };
    assert_eq!(materials(&other(512)).2, ["TEXTURE_NOT_FOUND"]);

    let asset = other(514).mounted().open("Guns/Models/gun_d.3d").unwrap();
    let found: Vec<_> =
        asset.findings().findings().map(|found| (found.code, found.message.clone())).collect();
    let [(code, message), ("TEXTURE_NOT_FOUND", _)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(*code, "COMPANION_UNREADABLE");
    let expected = "2 scripts were not searched for the import of a texture: there are more than 512 scripts";
    assert_eq!(&**message, expected);

    // Scripts over the limit do not matter if the texture is found.
    let found = other(514).with("Guns/Textures/Shared.pcx", "");
    let (materials_found, _, codes) = materials(&found);
    assert_eq!(materials_found[0].texture.as_deref(), Some("Guns/Textures/Shared.pcx"));
    assert!(codes.is_empty(), "{codes:?}");

    // The total size has a limit, too.
    let large = other(0).with(&name(0), vec![b' '; (16 << 20) + 1]);
    assert_eq!(materials(&large).2, ["COMPANION_UNREADABLE", "TEXTURE_NOT_FOUND"]);
}

#[test]
fn scripts_are_read_once() {
    // The texture is imported by another script, which is searched for it.
    let script = "#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=0 TEXTURE=Shared";
    let other = "#exec TEXTURE IMPORT NAME=Shared FILE=Common.pcx";
    let memory = package(&[(0, 0)], script)
        .with("Guns/Classes/Another.uc", "class Another;")
        .with("Guns/Classes/Other.uc", other)
        .with("Guns/Common.pcx", "");
    let assets = memory.mounted();
    for _ in 0..2 {
        let asset = assets.open("Guns/Models/gun_d.3d").unwrap();
        assert_eq!(asset.model().materials[0].texture.as_deref(), Some("Guns/Common.pcx"));
    }
    // The scripts before the one that has the import are not read.
    let read = memory.take_read();
    let mut scripts: Vec<_> = read.iter().filter(|name| name.ends_with(".uc")).collect();
    scripts.sort();
    assert_eq!(scripts, ["Guns/Classes/Gun.uc", "Guns/Classes/Other.uc"]);

    // No script is read for a texture that has the name of its file.
    let memory = package(&[(0, 0)], script).with("Guns/Classes/Other.uc", other).with("Guns/Shared.pcx", "");
    let asset = memory.mounted().open("Guns/Models/gun_d.3d").unwrap();
    assert_eq!(asset.model().materials[0].texture.as_deref(), Some("Guns/Shared.pcx"));
    assert!(!memory.take_read().iter().any(|name| name.ends_with("Other.uc")));
}

#[test]
fn a_path_that_leads_out_of_the_mounts_is_refused() {
    let script = "#exec TEXTURE IMPORT NAME=T FILE=..\\..\\..\\etc\\passwd\n#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=0 TEXTURE=T";
    let memory = package(&[(0, 0)], script);
    let (materials, _, codes) = materials(&memory);
    assert_eq!(codes, ["TEXTURE_NAME_REFUSED", "TEXTURE_NOT_FOUND"]);
    assert_eq!(materials[0].texture.as_deref(), Some(r"..\..\..\etc\passwd"));
    assert!(memory.take_read().iter().all(|name| name.starts_with("Guns/")));
}

#[test]
fn triangle_types_and_textures_determine_the_blend_mode() {
    let script = "#exec TEXTURE IMPORT NAME=Plain FILE=T.tga\n#exec TEXTURE IMPORT NAME=Holes FILE=T.tga FLAGS=2
#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=0 TEXTURE=Plain\n#exec MESHMAP SETTEXTURE MESHMAP=gun NUM=1 TEXTURE=Holes";
    // A palette of red and green, and two pixels: the first color is a hole.
    let mut image = tga(2, 1, 8, &[0, 0, 255, 0, 255, 0, 0, 1]);
    (image[1], image[2], image[5], image[7]) = (1, 1, 2, 24);
    // Normal, two-sided, translucent, masked, modulated; and normal with a texture that has holes.
    let memory =
        package(&[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1)], script).with("Guns/Classes/T.tga", image);
    let asset = memory.mounted().open("Guns/Models/gun_d.3d").unwrap();
    let materials = &asset.model().materials;
    let found: Vec<_> = materials
        .iter()
        .map(|material| (material.alpha, material.texture_alpha, material.two_sided))
        .collect();
    let expected = [
        (Alpha::Opaque, TextureAlpha::Stored, false),
        (Alpha::Opaque, TextureAlpha::Stored, true),
        (Alpha::Blend, TextureAlpha::Add, true),
        (Alpha::Mask, TextureAlpha::FirstColor, true),
        (Alpha::Blend, TextureAlpha::Multiply2x, true),
        (Alpha::Mask, TextureAlpha::FirstColor, false),
    ];
    assert_eq!(found, expected);
    let pixels = |number: usize| {
        let image = asset.assets().texture_image(&materials[number], &ImageLimits::DEFAULT);
        image.unwrap().unwrap().rgba
    };
    assert_eq!(pixels(0), [255, 0, 0, 255, 0, 255, 0, 255]);
    assert_eq!(pixels(3), [255, 0, 0, 0, 0, 255, 0, 255]);
    // Alpha is the brightness of a pixel: full red and full green are opaque.
    assert_eq!(pixels(2), [255, 0, 0, 255, 0, 255, 0, 255]);
}
