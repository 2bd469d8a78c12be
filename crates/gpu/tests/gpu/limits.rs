//! Pictures with more instances and joints than the buffers of a device hold.

use meshlens::Model;
use meshlens_gpu::render::{Draw, Instance, RenderOptions, Renderer, Textures};
use meshlens_gpu::wgpu;
use meshlens_gpu::{Error, Gpu, GpuModel, UploadOptions};

use crate::{files, targets};

/// The error of a picture with this many instances of a model of the corpus.
fn error(limits: wgpu::Limits, has_joints: bool, count: usize) -> Option<String> {
    let (device, queue) = targets::own_device(limits);
    let gpu = Gpu::from_device(device, queue);
    for path in files::corpus() {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(model) = files::document(&files).and_then(|document| Model::new(document).ok()) else {
            continue;
        };
        if model.meshes.is_empty() || model.meshes.iter().any(|mesh| mesh.skin.is_some() != has_joints) {
            continue;
        }
        let model = GpuModel::new(&gpu, &model, &UploadOptions::default()).unwrap();
        let textures = Textures::new(&gpu, &model, |_| None).unwrap();
        let instances = vec![Instance::default(); count];
        let draws = [Draw { model: &model, textures: &textures, instances: &instances }];
        let scene = RenderOptions::looking([0.0, 0.0, 1.0], [0.0; 3], 1.0);
        let picture = Renderer::new(&gpu).render_image(&scene, &draws, [16, 16]);
        return picture.err().map(|error| match error {
            Error::Limit { what, limit, allowed, .. } => format!("{what}, {limit}, {allowed}"),
            other => other.to_string(),
        });
    }
    panic!("the corpus has no such model");
}

#[test]
fn instances_and_joints_that_do_not_fit_into_a_buffer_are_an_error() {
    let webgl2 = wgpu::Limits { max_buffer_size: 1 << 20, ..wgpu::Limits::downlevel_webgl2_defaults() };
    // The record of an instance has 64 bytes, so 16384 instances of one mesh fill a mebibyte.
    assert_eq!(error(webgl2.clone(), false, 1), None);
    let expected = "the instances of a picture, max_buffer_size, 1048576";
    assert_eq!(error(webgl2.clone(), false, 16385).as_deref(), Some(expected));
    // The matrices of an instance begin at a multiple of 16 * 48 bytes. The matrices of instance 1366 begin after one
    // mebibyte.
    assert_eq!(error(webgl2.clone(), true, 1), None);
    let expected = "the joints of a picture, max_buffer_size, 1048576";
    assert_eq!(error(webgl2, true, 1367).as_deref(), Some(expected));

    let storage = wgpu::Limits { max_storage_buffer_binding_size: 1 << 16, ..wgpu::Limits::default() };
    assert_eq!(error(storage.clone(), true, 1), None);
    // At least one matrix for each instance.
    let expected = "the joints of a picture, max_storage_buffer_binding_size, 65536";
    assert_eq!(error(storage, true, 1367).as_deref(), Some(expected));
}
