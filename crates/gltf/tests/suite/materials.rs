//! Materials in glTF: alpha modes, samplers, shared images, and hidden surfaces.

use super::one_node;
use meshlens::Model;
use meshlens::model::{
    Alpha, HeightMap, ImageSource, Material, NormalMap, PlainFrame, PlainMesh, Space, TextureAlpha,
    TextureCoordinates, Wrap,
};
use meshlens_gltf::{Export, ImportOptions, Options, Texture};

use crate::merged::import;
use serde_json::{Value, json};

/// A model with one triangle for each material, with two sets of texture coordinates.
fn with_materials(materials: &[Material], check: impl FnOnce(&Model<'_>)) {
    let mut model = Model::empty(None, Space::GLTF);
    for (index, material) in materials.iter().enumerate() {
        let positions = vec![[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
        let mesh = PlainMesh {
            frames: vec![PlainFrame { positions, ..PlainFrame::default() }],
            texcoords: vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]; 2],
            triangles: vec![[0, 1, 2]],
            ..PlainMesh::default()
        };
        let mut mesh = mesh.into_mesh(&*material.name).unwrap();
        mesh.material = Some(index);
        model.meshes.push(mesh);
    }
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

/// A change of one field, and the message of its loss. No message: the material is the same after export and import.
type Change = (&'static str, fn(&mut Material), Option<&'static str>);

/// Does not compile if a field is missing.
macro_rules! changes {
    ($($field:ident: $set:expr, $loss:expr;)*) => {{
        let _ = |Material { $($field: _),* }: &Material| {};
        let changes: [Change; _] = [$((stringify!($field), $set, $loss)),*];
        changes
    }};
}

#[test]
fn every_property_of_a_material_comes_back_or_is_lost() {
    let base = || Material {
        texture: Some("a.tga".into()),
        image: Some(ImageSource::File("Stored.png".into())),
        alpha: Alpha::Mask,
        ..Material::new("leaf")
    };
    // The alpha is in the image that is written.
    let find = |material: &Material| {
        let alpha = material.texture_alpha;
        let is_relief = material.height_scale.is_some() || material.flips_y;
        Some(Texture::File(if is_relief { "bumps.png".into() } else { format!("{alpha:?}.png") }))
    };
    let with_images = Options { textures: Some(&find), ..Options::default() };
    let changes = changes! {
        name: |material| material.name = "bark".into(), None;
        texture: |material| material.texture = Some("b.tga".into()), None;
        image: |material| material.image = None, None;
        texture_alpha: |material| material.texture_alpha = TextureAlpha::FirstColor, None;
        texture_coordinates: |material| material.texture_coordinates = TextureCoordinates::Environment,
            Some("info MATERIAL_LOST: material leaf: its environment map");
        texture_set: |material| material.texture_set = 3,
            Some("info MATERIAL_LOST: material leaf: its texture coordinate set");
        height_map: |material| {
            material.height_map = Some(HeightMap { texture: "b.tga".into(), scale: 1.0, set: 0 });
        }, None;
        normal_map: |material| {
            let image = ImageSource::File("n.png".into());
            material.normal_map = Some(NormalMap { image, is_y_down: true });
        }, None;
        flips_y: |material| material.flips_y = true, None;
        // For the finder: the texture itself is the height map.
        height_scale: |material| material.height_scale = Some(1.0), None;
        wrap: |material| material.wrap = [Wrap::Mirror, Wrap::Clamp], None;
        nearest: |material| material.nearest = true, None;
        color: |material| material.color = [0.0, 0.25, 1.0, 0.5], None;
        emissive: |material| material.emissive = [0.0, 0.25, 1.0], None;
        two_sided: |material| material.two_sided = true, None;
        unlit: |material| material.unlit = true, None;
        alpha: |material| material.alpha = Alpha::Blend, None;
        cutoff: |material| material.cutoff = 0.25, None;
        sprites: |material| material.sprites = true,
            Some("info MATERIAL_LOST: material leaf: its sprites");
        hidden: |material| material.hidden = true,
            Some("info SURFACE_HIDDEN: mesh leaf: its material is not drawn");
    };
    for (field, set, loss) in changes {
        let mut material = base();
        set(&mut material);
        with_materials(&[Material::new("leaf")], |model| {
            let mut model = model.clone();
            model.materials = vec![material.clone()];
            let scene = one_node("flag", &model);
            let mut glb = Vec::new();
            let export = Export::plan(&scene, &with_images).unwrap();
            export.write_glb(&mut glb).unwrap();
            let (back, losses) = import(&glb, &ImportOptions::default(), &|_, _| None).unwrap();
            let losses: Vec<_> =
                export.losses().groups().chain(losses.groups()).map(ToString::to_string).collect();
            assert_eq!(losses, loss.into_iter().collect::<Vec<_>>(), "{field}");
            if loss.is_none() {
                // The image has the alpha that the material takes from it.
                let Some(Texture::File(image)) = find(&material) else { unreachable!() };
                let image = Some(ImageSource::File(image));
                let texture_alpha = TextureAlpha::Stored;
                // Normals of glTF are an image, with y to its top.
                let has_normals = material.height_map.is_some() || material.normal_map.is_some();
                let normals = ImageSource::File("bumps.png".into());
                let normals = NormalMap { image: normals, is_y_down: false };
                let written = Material {
                    image,
                    texture_alpha,
                    height_scale: None,
                    flips_y: false,
                    height_map: None,
                    normal_map: has_normals.then_some(normals),
                    ..material
                };
                assert_eq!(back.materials, [written], "{field}");
            }
        });
    }
}

#[test]
fn what_is_placed_by_a_texture_that_is_missing_is_lost() {
    let height = HeightMap { texture: "bumps.tga".into(), scale: 0.5, set: 0 };
    let stone = Material {
        texture: Some("a.tga".into()),
        wrap: [Wrap::Clamp; 2],
        height_map: Some(height),
        emissive: [2.0, 0.0, 0.0],
        ..Material::new("stone")
    };
    with_materials(&[stone], |model| {
        let (_, losses) = document(model, &Options::default());
        let loss = "info MATERIAL_LOST: material stone: its height map, wrapping, emitted light";
        assert_eq!(losses, [loss]);
    });
}
