//! From the names of materials to images: extensions, folders, scripts of several mounts, and names that lead elsewhere.

use meshlens_assets::material::{Alpha, ImageLimits, Material, TextureAlpha};
use meshlens_assets::{Asset, Assets, Error, Rule};

use super::image::gray_jpeg;
use super::{Memory, codes, md3, tga};

fn texture(asset: &Asset) -> Option<&str> {
    asset.model().materials[0].texture.as_deref()
}

/// The texture that is found for this name, for a model in `models/x/`.
fn found(name: &str, files: &[&str]) -> Option<String> {
    let memory = Memory::default().with("models/x/x.md3", md3(&[name]));
    let memory = files.iter().fold(memory, |memory, file| memory.with(file, "image"));
    let asset = memory.mounted().open("models/x/x.md3").unwrap();
    let path = texture(&asset).unwrap().to_owned();
    asset.assets().find_texture(&asset.model().materials[0]).map(|_| path)
}

#[test]
fn an_image_is_found_by_the_name_without_or_with_another_extension() {
    let name = "models/x/skin";
    assert_eq!(found(name, &["models/x/skin.tga"]).as_deref(), Some("models/x/skin.tga"));
    assert_eq!(found("models/x/skin.tga", &["models/x/skin.jpg"]).as_deref(), Some("models/x/skin.jpg"));
    assert_eq!(found(r"Models\X\SKIN.JPG", &["models/x/Skin.PNG"]).as_deref(), Some("models/x/Skin.PNG"));
    // The name itself comes first, then the extensions in their order.
    let both = ["models/x/skin.tga", "models/x/skin.png", "models/x/skin.pcx"];
    assert_eq!(found("models/x/skin.png", &both).as_deref(), Some("models/x/skin.png"));
    assert_eq!(found("models/x/skin.gif", &both).as_deref(), Some("models/x/skin.tga"));
    for extension in ["dds", "pcx", "bmp", "jpeg"] {
        let file = format!("models/x/skin.{extension}");
        assert_eq!(found(name, &[&file]), Some(file));
    }
    // A suffix that looks like an extension may be a part of the name.
    assert_eq!(
        found("models/x/skin.red", &["models/x/skin.red.tga"]).as_deref(),
        Some("models/x/skin.red.tga")
    );
    assert_eq!(found(name, &["models/x/skin"]), None);
}

#[test]
fn an_image_is_found_from_the_root_then_beside_the_model() {
    let both = ["models/x/textures/a.tga", "textures/a.tga"];
    assert_eq!(found("textures/a", &both).as_deref(), Some("textures/a.tga"));
    assert_eq!(found("textures/a", &both[..1]).as_deref(), Some("models/x/textures/a.tga"));
    // Paths on the author's machine.
    let file = "models/x/skin.tga";
    assert_eq!(found(r"c:\quake3\baseq3\models\x\skin.tga", &[file]).as_deref(), Some(file));
    assert_eq!(found("baseq3/models/x/skin", &[file]).as_deref(), Some(file));
    assert_eq!(found("/home/me/skin.bmp", &[file]).as_deref(), Some(file));
    assert_eq!(found("somewhere/else/skin", &[file]).as_deref(), Some(file));
}

#[test]
fn a_name_that_leads_out_of_the_mounts_is_refused_and_listed() {
    let memory = Memory::default().with("models/x.md3", md3(&["../../../etc/passwd"]));
    let asset = memory.mounted().open("models/x.md3").unwrap();
    assert_eq!(codes(asset.findings()), ["TEXTURE_NAME_REFUSED", "TEXTURE_NOT_FOUND"]);
    assert_eq!(memory.take_read(), ["models/x.md3"]);
    // The name is refused, so no texture was looked up.
    assert!(asset.lookups().iter().all(|lookup| lookup.rule != Rule::Texture));
}

#[test]
fn opening_finds_textures_but_does_not_read_them() {
    let script = "models/x/skin { { map models/x/other.tga alphaFunc GE128 } }";
    let memory = Memory::new([("scripts/x.shader", script)])
        .with("models/x/x.md3", md3(&["models/x/skin", "models/x/plain"]))
        .with("models/x/other.jpg", gray_jpeg())
        .with("models/x/plain.tga", tga(1, 1, 32, &[1, 2, 3, 4]));
    let assets = memory.mounted();
    let asset = assets.open("models/x/x.md3").unwrap();
    assert_eq!(memory.take_read(), ["models/x/x.md3", "scripts/x.shader"]);
    let [masked, plain] = &asset.model().materials[..] else { panic!("two materials") };
    assert_eq!(
        (masked.name.as_str(), masked.texture.as_deref()),
        ("models/x/skin", Some("models/x/other.jpg"))
    );
    assert_eq!((masked.alpha, masked.unlit), (Alpha::Mask, true));
    // Without a shader, an image is opaque, independent of its alpha.
    assert_eq!(
        (plain.texture.as_deref(), plain.alpha, plain.unlit),
        (Some("models/x/plain.tga"), Alpha::Opaque, false)
    );
    let files: Vec<_> = asset.files().iter().map(|file| (file.rule, file.path.as_str())).collect();
    assert_eq!(files, [(Rule::Named, "models/x/x.md3"), (Rule::Shader, "scripts/x.shader")]);

    let limits = ImageLimits::DEFAULT;
    let kept = assets.texture_file(masked, &limits).unwrap().unwrap();
    assert_eq!((kept.mime_type, kept.extension(), kept.is_unchanged), ("image/jpeg", "jpg", true));
    assert_eq!(kept.bytes, gray_jpeg());
    let png = assets.texture_file(plain, &limits).unwrap().unwrap();
    assert_eq!((png.mime_type, png.extension(), png.is_unchanged), ("image/png", "png", false));
    assert!(png.bytes.starts_with(b"\x89PNG"));
    assert_eq!(assets.texture_image(plain, &limits).unwrap().unwrap().rgba, [3, 2, 1, 4]);
    assert_eq!(memory.take_read(), ["models/x/other.jpg", "models/x/plain.tga", "models/x/plain.tga"]);

    let added = Material { texture_alpha: TextureAlpha::Add, ..masked.clone() };
    assert_eq!(assets.texture_file(&added, &limits).unwrap().unwrap().mime_type, "image/png");
    assert!(assets.texture_file(&Material::new("none"), &limits).unwrap().is_none());
    // The scripts are read once.
    assets.open("models/x/x.md3").unwrap();
    assert_eq!(memory.take_read(), ["models/x/other.jpg", "models/x/x.md3"]);
}

#[test]
fn an_image_that_cannot_be_decoded_is_named() {
    let memory = Memory::default().with("x.md3", md3(&["a"])).with("a.tga", &b"short"[..]);
    let asset = memory.mounted().open("x.md3").unwrap();
    let error = asset.assets().texture_file(&asset.model().materials[0], &ImageLimits::DEFAULT).unwrap_err();
    assert!(matches!(error, Error::Image { .. }));
    assert!(error.to_string().starts_with("a.tga: expected a TGA, JPEG"), "{error}");
}

#[test]
fn shaders_of_later_mounts_come_first_then_the_last_script_by_name() {
    let shader = |image: &str| format!("models/skin {{ {{ map {image} }} }}");
    let early = Memory::default()
        .with("scripts/z.shader", shader("z"))
        .with("scripts/same.shader", "models/gone { }")
        .with("x.md3", md3(&["models/skin.tga"]));
    let late = Memory::default()
        .with("scripts/a.shader", shader("a"))
        .with("scripts/b.shader", format!("{}\n{}", shader("b"), shader("second")))
        .with("scripts/same.shader", "models/other { }")
        .with("scripts/notes.txt", "models/skin { cull none }");
    let mut assets = Assets::new();
    assets.mount("early", early);
    assets.mount("late", late);
    let shaders = assets.shaders();
    assert_eq!(shaders.get("Models/Skin.jpg").unwrap().shader.image(), Some("b"));
    assert_eq!(shaders.get("models/skin").unwrap().file.to_string(), "late/scripts/b.shader");
    assert!(shaders.get("models/gone").is_none() && shaders.get("models/other").is_some());
    assert_eq!((shaders.len(), shaders.iter().count(), shaders.files().len()), (2, 2, 4));
    assert!(shaders.findings().is_empty());
    // After a mount is added, everything is searched again.
    assets.mount("last", Memory::default().with("scripts/0.shader", shader("last")));
    assert_eq!(assets.shaders().get("models/skin").unwrap().shader.image(), Some("last"));
}

#[test]
fn scripts_over_the_limit_are_listed() {
    let name = |number: usize| format!("scripts/{number:04}.shader");
    let scripts = (0..4098).map(|number| (name(number), format!("models/{number} {{ }}")));
    let memory = scripts.fold(Memory::default(), |memory, (name, script)| memory.with(&name, script));
    let shaders = memory.mounted().shaders();
    // Scripts with later names come first.
    let is_there = [0, 1, 2, 4097].map(|number| shaders.get(&format!("models/{number}")).is_some());
    assert_eq!(is_there, [false, false, true, true]);
    let found: Vec<_> = shaders.findings().findings().collect();
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((found.code, &*found.pointer), ("SHADER_SCRIPT_UNREADABLE", "scripts/0001.shader"));
    assert_eq!(found.message, "2 scripts are not read: there are more than 4096");
}

#[test]
fn faults_of_scripts_are_listed_and_have_no_other_effect() {
    let memory = Memory::default()
        .with("scripts/faulty.shader", "models/a { { map b")
        .with("scripts/large.shader", vec![b' '; (16 << 20) + 1]);
    let shaders = memory.mounted().shaders();
    assert_eq!(shaders.get("models/a").unwrap().shader.image(), Some("b"));
    let lines: Vec<String> = shaders.findings().groups().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("warning SHADER_SCRIPT_UNREADABLE: "), "{lines:?}");
    assert_eq!(
        lines[1],
        "info SHADER_SCRIPT_FAULTY: scripts/faulty.shader: 1 faults; the first one: shader: expected a brace at the end of the stage at 0x12 (scripts/faulty.shader)"
    );
}

#[test]
fn surfaces_without_an_image_are_hidden_or_plain() {
    let script = "models/gone { surfaceparm nodraw }\n\
        models/white { { map $whiteimage rgbGen const ( 0 0 0 ) } }\n\
        models/own { surfaceparm trans qer_editorimage models/editor }\n\
        models/shown { qer_editorimage models/editor }";
    let names =
        ["models/gone", "textures/common/NoDraw", "*off", "models/white", "models/own", "models/shown"];
    let memory =
        Memory::new([("scripts/x.shader", script), ("models/own.tga", ""), ("models/editor.tga", "")])
            .with("x.md3", md3(&names));
    let asset = memory.mounted().open("x.md3").unwrap();
    let found: Vec<_> = asset.model().materials.iter().map(|m| (m.hidden, m.texture.as_deref())).collect();
    assert_eq!(
        found,
        [
            (true, None),
            (true, None),
            (true, None),
            (false, None),
            (false, Some("models/own.tga")),
            (false, Some("models/editor.tga")),
        ]
    );
    assert_eq!(asset.model().materials[3].color, [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(codes(asset.findings()), ["SHADER_IMAGE_GUESSED"]);
}
