//! Models that cannot be uploaded or drawn are errors with a reason.

use meshlens::Model;
use meshlens::md3::write;
use meshlens::model::Blend;
use meshlens_gpu::render::{Draw, Image, Instance, RenderOptions, Renderer, Textures};
use meshlens_gpu::{Error, Gpu, GpuModel, UploadOptions};

use crate::gpu;

/// An MD3 triangle with two frames.
fn triangle() -> Vec<u8> {
    let mut file = write::Model::new("triangle").unwrap();
    let mut surface = write::Surface::new("triangle").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for height in [8.0, 4.0] {
        file.frames.push(write::Frame::named("frame").unwrap());
        let positions = [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, height]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    file.surfaces.push(surface);
    file.write().unwrap()
}

#[test]
fn an_index_past_the_vertices_is_never_uploaded() {
    let mut bytes = triangle();
    let place = {
        let document = meshlens::Document::parse(&bytes).unwrap();
        let triangles = document.arrays().find(|array| array.semantic == meshlens::lens::Semantic::Triangles);
        triangles.unwrap().lens.byte_range().start as usize
    };
    bytes[place + 4..place + 8].copy_from_slice(&3i32.to_le_bytes());
    let model = Model::parse(&bytes).unwrap();
    let error = GpuModel::new(gpu(), &model, &UploadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Model(_)), "{error}");
    assert!(
        error.to_string().contains(&format!("{:#x}", place)) || error.to_string().contains("3"),
        "{error}"
    );
}

#[test]
fn missing_frames_are_not_drawn() {
    let bytes = triangle();
    let model = GpuModel::new(gpu(), &Model::parse(&bytes).unwrap(), &UploadOptions::default()).unwrap();
    let textures = Textures::new(gpu(), &model, |_| None).unwrap();
    let scene = RenderOptions::looking([20.0, 0.0, 0.0], [0.0; 3], 1.0);
    let draw = |blend| {
        let instances = [Instance::default().showing(blend)];
        let draw = Draw { model: &model, textures: &textures, instances: &instances };
        Renderer::new(gpu()).render_image(&scene, &[draw], [8, 8])
    };
    assert!(draw(Blend { a: 1, b: 0, weight: 0.5 }).is_ok());
    for blend in [Blend::from(2), Blend { a: 0, b: 2, weight: 0.0 }, Blend { a: 0, b: 1, weight: f32::NAN }] {
        let error = draw(blend).unwrap_err();
        assert!(error.to_string().contains("of a model with 2 frames"), "{error}");
    }
    let empty = Draw { model: &model, textures: &textures, instances: &[] };
    let image = Renderer::new(gpu()).render_image(&scene, &[empty], [8, 8]).unwrap();
    assert!(image.pixels.as_chunks::<4>().0.iter().all(|pixel| *pixel == image.pixel(0, 0).unwrap()));
    let error = Renderer::new(gpu()).render_image(&scene, &[], [0, 8]).unwrap_err();
    assert_eq!(error.to_string(), "a picture of 0 x 8 pixels");
}

#[test]
fn errors_name_the_limit_that_is_too_small() {
    let gpu = Gpu::with_webgl2_limits().unwrap();
    let scene = RenderOptions::looking([20.0, 0.0, 0.0], [0.0; 3], 1.0);
    let error = Renderer::new(&gpu).render_image(&scene, &[], [4096, 8]).unwrap_err();
    let expected = "a picture: 4096 is more than the device's max_texture_dimension_2d of 2048";
    assert_eq!(error.to_string(), expected);

    let bytes = triangle();
    let mut model = Model::parse(&bytes).unwrap();
    model.materials.push(meshlens::model::Material::new("large"));
    let model = GpuModel::new(&gpu, &model, &UploadOptions::default()).unwrap();
    let image = |width, height, bytes| Image { width, height, pixels: vec![0; bytes] };
    let error = Textures::new(&gpu, &model, |_| Some(image(2049, 1, 2049 * 4))).unwrap_err();
    assert!(error.to_string().contains("max_texture_dimension_2d of 2048"), "{error}");
    let error = Textures::new(&gpu, &model, |_| Some(image(2, 2, 15))).unwrap_err();
    assert_eq!(error.to_string(), "an image of 2 x 2 pixels with 15 bytes");
}

/// Set in the child process that has no driver.
const NO_DRIVER: &str = "MESHLENS_TEST_NO_DRIVER";

#[test]
fn without_a_driver_the_error_says_what_to_install() {
    if std::env::var_os(NO_DRIVER).is_some() {
        let error = Gpu::new().unwrap_err();
        assert!(matches!(error, Error::NoAdapter { .. }), "{error}");
        assert!(error.to_string().contains("mesa-vulkan-drivers"), "{error}");
        println!("no adapter, as expected");
        return;
    }
    // Runs this test again in a process in which the Vulkan loader finds no driver.
    let name = "inputs::without_a_driver_the_error_says_what_to_install";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(NO_DRIVER, "1")
        .env("VK_DRIVER_FILES", "no driver")
        .env("VK_ICD_FILENAMES", "no driver")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("no adapter, as expected"), "{text}");
}

#[test]
fn a_lost_device_is_an_error() {
    let gpu = Gpu::new().unwrap();
    let bytes = triangle();
    let model = Model::parse(&bytes).unwrap();
    GpuModel::new(&gpu, &model, &UploadOptions::default()).unwrap();
    gpu.device().destroy();
    let error = GpuModel::new(&gpu, &model, &UploadOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("the GPU device"), "{error}");
    assert!(gpu.wait().is_err());
}

#[test]
fn memory_is_counted() {
    let bytes = triangle();
    let model = GpuModel::new(gpu(), &Model::parse(&bytes).unwrap(), &UploadOptions::default()).unwrap();
    let memory = model.memory();
    // Three records of 8 bytes in each of two frames, three texture coordinates of 8 bytes, and six bytes of indices,
    // rounded up.
    assert_eq!((memory.per_frame, memory.indices, memory.made), (24, 8, 0));
    assert_eq!(memory.total, 2 * 24 + 24 + 8);
}
