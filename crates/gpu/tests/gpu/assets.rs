//! Textures that are found through the search path of a model.

use meshlens::md3::write;
use meshlens::model::Space;
use meshlens_assets::Assets;
use meshlens_assets::material::ImageLimits;
use meshlens_gpu::render::{Draw, Instance, RenderOptions, Renderer, Shading, Textures};
use meshlens_gpu::{GpuModel, UploadOptions};

use crate::gpu;

/// A TGA image of one color.
fn tga([red, green, blue]: [u8; 3]) -> Vec<u8> {
    let header = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0];
    header.into_iter().chain([blue, green, red].repeat(4)).collect()
}

/// Two triangles side by side that face X, each with its own shader.
fn flag() -> Vec<u8> {
    let mut file = write::Model::new("flag").unwrap();
    file.frames.push(write::Frame::named("idle").unwrap());
    for (name, left) in [("models/red", -8.0), ("models/broken", 0.0)] {
        let mut surface = write::Surface::new(name).unwrap();
        surface.shaders.push((write::name(name).unwrap(), 0));
        // Front faces are clockwise.
        surface.triangles.extend([[0, 1, 2], [0, 2, 1]]);
        surface.texcoords.extend([[0.5; 2]; 3]);
        let positions = [[0.0, left, -8.0], [0.0, left + 8.0, -8.0], [0.0, left + 4.0, 8.0]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).unwrap();
        file.surfaces.push(surface);
    }
    file.write().unwrap()
}

#[test]
fn textures_come_from_the_search_path() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    std::fs::create_dir(&models).unwrap();
    std::fs::write(models.join("flag.md3"), flag()).unwrap();
    std::fs::write(models.join("red.tga"), tga([255, 0, 0])).unwrap();
    std::fs::write(models.join("broken.tga"), &tga([0, 255, 0])[..20]).unwrap();
    let mut assets = Assets::new();
    assets.mount_folder(folder.path()).unwrap();
    let asset = assets.open("models/flag.md3").unwrap();
    let model = GpuModel::new(gpu(), asset.model(), &UploadOptions::default()).unwrap();
    let (textures, errors) =
        Textures::of_assets(gpu(), &model, asset.assets(), &ImageLimits::DEFAULT).unwrap();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("broken.tga"), "{}", errors[0]);

    let instances = [Instance::new(Space::MD3.to(&Space::GLTF).linear())];
    let draws = [Draw { model: &model, textures: &textures, instances: &instances }];
    let scene = RenderOptions {
        shading: Shading::Unlit,
        view_projection: [
            [0.125, 0.0, 0.0, 0.0],
            [0.0, 0.125, 0.0, 0.0],
            [0.0, 0.0, -0.01, 0.0],
            [0.0, 0.0, 0.5, 1.0],
        ],
        ..RenderOptions::looking([0.0, 0.0, 40.0], [0.0; 3], 1.0)
    };
    let image = Renderer::new(gpu()).render_image(&scene, &draws, [32, 32]).unwrap();
    // Y of MD3 is X of the picture. The red triangle is on the left, and the triangle with the broken image is white.
    assert_eq!(image.pixel(8, 24), Some([255, 0, 0, 255]));
    assert_eq!(image.pixel(24, 24), Some([255; 4]));
}
