use meshlens::model::export::{Target, to_files};
use meshlens::model::{Alpha, HeightMap, ImageBytes, ImageSource, Material, NormalMap};
use meshlens::model::{TextureAlpha, TextureCoordinates, Wrap};

use super::Fate::{Computed, Kept};
use super::fields;
use crate::export::{model_of, triangle};

fn plain() -> Material {
    Material { texture: Some("a.png".into()), ..Material::new("a.png") }
}

fn masked() -> Material {
    Material { alpha: Alpha::Mask, ..plain() }
}

/// The files of a target and the messages about losses.
fn written(material: &Material, target: Target) -> (Vec<(String, Vec<u8>)>, Vec<String>) {
    let mut mesh = triangle(8.0);
    mesh.frames.iter_mut().for_each(|frame| frame.normals = vec![[0.0, 0.0, 1.0]; 3]);
    let mut model = model_of(mesh);
    model.materials = vec![material.clone()];
    model.meshes[0].material = Some(0);
    let made = to_files(&model, target, "a", 1.0, None).unwrap();
    (made.files, made.losses.findings().map(|finding| finding.message.clone()).collect())
}

#[test]
fn every_property_of_a_material_is_written_or_lost() {
    let mut changes = Vec::new();
    fields!(changes, Material {
        name: [plain, Computed, |material| material.name = "b".into()];
        texture: [plain, Kept, |material| material.texture = Some("b.png".into())];
        // Who writes the model writes the image beside it.
        image: [plain, Computed, |material| {
            material.image = Some(ImageSource::Embedded(ImageBytes::new(vec![1])));
        }];
        texture_alpha: [masked, Kept, |material| material.texture_alpha = TextureAlpha::FirstColor];
        texture_coordinates: [plain, Kept, |material| {
            material.texture_coordinates = TextureCoordinates::Environment;
        }];
        texture_set: [plain, Kept, |material| material.texture_set = 1];
        height_map: [plain, Kept, |material| {
            material.height_map = Some(HeightMap { texture: "b.png".into(), scale: 1.0, set: 0 });
        }];
        // Only for the function that finds the normal map.
        height_scale: [plain, Computed, |material| material.height_scale = Some(1.0)];
        normal_map: [plain, Kept, |material| {
            let image = ImageSource::File("b.png".into());
            material.normal_map = Some(NormalMap { image, is_y_down: false });
        }];
        flips_y: [plain, Computed, |material| material.flips_y = true];
        wrap: [plain, Kept, |material| material.wrap = [Wrap::Clamp; 2]];
        nearest: [plain, Kept, |material| material.nearest = true];
        color: [plain, Kept, |material| material.color = [0.5; 4]];
        emissive: [plain, Kept, |material| material.emissive = [0.5; 3]];
        two_sided: [plain, Kept, |material| material.two_sided = true];
        unlit: [plain, Kept, |material| material.unlit = true];
        alpha: [plain, Kept, |material| material.alpha = Alpha::Mask];
        cutoff: [masked, Kept, |material| material.cutoff = 0.25];
        sprites: [plain, Kept, |material| material.sprites = true];
        hidden: [plain, Kept, |material| material.hidden = true];
    });
    for target in [Target::Md3, Target::Unreal, Target::U3d, Target::Unigine] {
        for super::Change { field, base, fate, set } in &changes {
            let mut material = base();
            let before = written(&material, target);
            set(&mut material);
            let is_seen = before != written(&material, target);
            assert!(is_seen || matches!(fate, Computed), "{target:?}: {field}");
        }
    }
}
