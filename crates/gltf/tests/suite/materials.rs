//! Materials in glTF: alpha modes, samplers, shared images, and hidden surfaces.

use super::one_node;
use meshlens::Model;
use meshlens::md3::write;
use meshlens::model::{Alpha, HeightMap, ImageSource, Material, TextureAlpha, Wrap};
use meshlens_gltf::{Export, ImportOptions, Options, Texture};

use crate::merged::import;
use serde_json::{Value, json};

/// A model with one triangle for each material. The model's file does not determine how they are drawn.
fn with_materials(materials: &[Material], check: impl FnOnce(&Model<'_>)) {
    let mut file = write::Model::new("flag").unwrap();
    file.frames.push(write::Frame::named("idle").unwrap());
    for material in materials {
        let mut surface = write::Surface::new(&material.name).unwrap();
        surface.add_shader(&material.name).unwrap();
        surface.triangles.push([0, 1, 2]);
        surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        let positions = [[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).unwrap();
        file.surfaces.push(surface);
    }
    let bytes = file.write().unwrap();
    let mut model = Model::parse(&bytes).unwrap();
    model.materials = materials.to_vec();
    check(&model);
}

fn document(model: &Model<'_>, options: &Options<'_>) -> (Value, Vec<String>) {
    let scene = one_node("flag", model);
    let mut export = Export::plan(&scene, options).unwrap();
    let mut text = Vec::new();
    export.write_json("flag.bin", &mut text).unwrap();
    let losses = export.losses().groups().map(ToString::to_string).collect();
    (serde_json::from_slice(&text).unwrap(), losses)
}

#[test]
fn alpha_modes_samplers_and_shared_images() {
    let named = |name: &str| Material { texture: Some("a.tga".into()), ..Material::new(name) };
    let clamped = Wrap::Clamp;
    let materials = [
        named("plain"),
        Material { alpha: Alpha::Mask, cutoff: 0.25, two_sided: true, ..named("mask") },
        Material { alpha: Alpha::Mask, wrap: [clamped, Wrap::Mirror], ..named("clamped") },
        Material { alpha: Alpha::Blend, texture_alpha: TextureAlpha::Add, ..named("added") },
    ];
    let asked = std::cell::Cell::new(0);
    let find = |material: &Material| {
        asked.set(asked.get() + 1);
        Some(Texture::File(format!("{:?}.png", material.texture_alpha)))
    };
    let options = Options { textures: Some(&find), ..Options::default() };
    with_materials(&materials, |model| {
        let (document, _) = document(model, &options);
        let found: Vec<Value> = document["materials"].as_array().unwrap().clone();
        assert_eq!(found[0]["alphaMode"], Value::Null);
        assert_eq!(found[1]["alphaMode"], "MASK");
        assert_eq!((&found[1]["alphaCutoff"], &found[1]["doubleSided"]), (&json!(0.25), &json!(true)));
        assert_eq!((&found[2]["alphaMode"], &found[2]["alphaCutoff"]), (&json!("MASK"), &Value::Null));
        assert_eq!(found[3]["alphaMode"], "BLEND");
        let texture =
            |material: &Value| material["pbrMetallicRoughness"]["baseColorTexture"]["index"].clone();
        assert_eq!(found.iter().map(texture).collect::<Vec<_>>(), [0, 0, 1, 2]);
        assert_eq!(document["samplers"], json!([{ "wrapS": 33071, "wrapT": 33648 }]));
        let textures = json!([{ "source": 0 }, { "sampler": 0, "source": 0 }, { "source": 1 }]);
        assert_eq!(document["textures"], textures);
        assert_eq!(document["images"], json!([{ "uri": "Stored.png" }, { "uri": "Add.png" }]));
        // The materials are opaque, masked and additive. Two of them share an image, but one of these may need it
        // without alpha.
        assert_eq!(asked.get(), 3);
    });
}

#[test]
fn a_hidden_surface_is_left_out_and_named() {
    let hidden = Material { hidden: true, ..Material::new("nodraw") };
    with_materials(&[Material::new("body"), hidden], |model| {
        let (document, losses) = document(model, &Options::default());
        assert_eq!(document["meshes"].as_array().unwrap().len(), 1);
        assert_eq!(document["meshes"][0]["name"], "body");
        assert!(
            losses.contains(&"info SURFACE_HIDDEN: mesh nodraw: its material is not drawn".to_owned()),
            "{losses:?}"
        );
    });
}

#[test]
fn cutoff_and_wrap_are_read_back() {
    let mask = Material {
        texture: Some("a.tga".into()),
        alpha: Alpha::Mask,
        cutoff: 0.25,
        wrap: [Wrap::Mirror, Wrap::Clamp],
        ..Material::new("mask")
    };
    let find = |_: &Material| Some(Texture::File("a.png".into()));
    let options = Options { textures: Some(&find), ..Options::default() };
    with_materials(std::slice::from_ref(&mask), |model| {
        let scene = one_node("flag", model);
        let export = Export::plan(&scene, &options).unwrap();
        let mut glb = Vec::new();
        export.write_glb(&mut glb).unwrap();
        let (back, _) = import(&glb, &ImportOptions::default(), &|_, _| None).unwrap();
        let image = Some(ImageSource::File("a.png".into()));
        assert_eq!(back.materials, [Material { image, ..mask.clone() }]);
    });
}

#[test]
fn a_height_map_is_a_normal_texture_with_its_own_set() {
    let height = HeightMap { texture: "bumps.tga".into(), scale: 0.5, set: 0 };
    let color = Material { texture: Some("a.tga".into()), nearest: true, ..Material::new("stone") };
    let stone = Material { height_map: Some(height), texture_set: 1, ..color.clone() };
    let materials = [stone, Material { name: "flat".into(), ..color }];
    let find = |material: &Material| {
        let scale = material.height_scale.map_or("color".into(), |scale| scale.to_string());
        Some(Texture::File(format!("{} {scale}", material.texture.as_ref().unwrap())))
    };
    let options = Options { textures: Some(&find), ..Options::default() };
    with_materials(&materials, |model| {
        let (document, _) = document(model, &options);
        let found = &document["materials"];
        assert_eq!(
            found[0]["pbrMetallicRoughness"]["baseColorTexture"],
            json!({ "index": 0, "texCoord": 1 })
        );
        assert_eq!(found[0]["normalTexture"], json!({ "index": 1 }));
        assert_eq!(found[1]["pbrMetallicRoughness"]["baseColorTexture"], json!({ "index": 0 }));
        assert_eq!(found[1]["normalTexture"], Value::Null);
        assert_eq!(document["images"], json!([{ "uri": "a.tga color" }, { "uri": "bumps.tga 0.5" }]));
        let nearest = json!({ "magFilter": 9728, "minFilter": 9728, "wrapS": 10497, "wrapT": 10497 });
        assert_eq!(document["samplers"], json!([nearest]));
    });
}

#[test]
fn a_color_brighter_than_white_is_a_loss() {
    with_materials(&[Material { color: [2.0, 1.0, 0.5, 1.0], ..Material::new("sun") }], |model| {
        let (document, losses) = document(model, &Options::default());
        let color = &document["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"];
        assert_eq!(*color, json!([1.0, 1.0, 0.5, 1.0]));
        let loss = "info COLOR_CLAMPED: material sun: 1 components of its color are above 1";
        assert_eq!(losses, [loss]);
    });
}
