//! The pictures of `meshlens-thumb`, which need no GPU, and those of the renderer.

use meshlens::Model;
use meshlens::model::Space;
use meshlens::scene::Scene;
use meshlens_gpu::UploadOptions;
use meshlens_gpu::render::{GpuScene, RenderOptions, Renderer, Textures};
use meshlens_thumb::{Background, Options, camera, picture, surface_color};

use crate::{files, gpu};

#[test]
fn a_model_is_lit_as_by_thumb() {
    const SIDE: u32 = 128;
    let color = |material| surface_color(material).map(|channel| (channel * 255.0).round() as u8);
    // Their sides are flat: thumb computes the light of vertices, and the renderer that of pixels.
    for name in ["box_ms14.mesh", "crate.md3", "crate.u3d", "crate.mesh"] {
        let path = files::corpus().into_iter().find(|path| path.ends_with(name)).unwrap();
        let files = files::model_files(&path).unwrap();
        let scene = Scene::from(Model::new(files::document(&files).unwrap()).unwrap());
        // Surfaces without a material have the first color.
        let count = scene.nodes[0].model.materials.len();
        let color = |material| color(if material < count { material } else { 0 });
        let options = Options { size: SIDE, background: Background::Transparent, ..Options::default() };
        let expected = picture(&scene, &options).unwrap();
        let camera = camera(&scene, &options).unwrap();

        let [eye, target] =
            [camera.eye, camera.target].map(|point| point.map(|axis| axis as f32));
        let seen = RenderOptions {
            view_projection: camera.view_projection(1.0),
            background: [0.0; 4],
            ..RenderOptions::looking(eye, target, 1.0)
        };
        let view = scene.view(&Space::GLTF);
        let uploaded = GpuScene::new(
            gpu(),
            &view,
            &UploadOptions { smooth_normals: true, ..UploadOptions::default() },
            |_, model| Textures::with_colors(gpu(), model, |_| None, color),
        );
        let uploaded = uploaded.unwrap();
        let instances = uploaded.instances(&view, &scene.rest_pose());
        let mut renderer = Renderer::new(gpu()).with_antialiasing();
        let found = renderer.render_image(&seen, &uploaded.draws(&instances), [SIDE; 2]).unwrap();

        let (mut inside, mut different, mut apart) = (0, 0, 0);
        for (a, b) in found.pixels.as_chunks::<4>().0.iter().zip(expected.rgba.as_chunks::<4>().0) {
            inside += usize::from(a[3] == 255 && b[3] == 255);
            different += usize::from(a[3].abs_diff(b[3]) > 200);
            let far = a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 6);
            apart += usize::from(a[3] == 255 && b[3] == 255 && far);
        }
        // Pixels at edges inside of the model are blended from other samples.
        assert!(inside > 1000, "{name}: {inside}");
        assert!(
            different * 100 <= inside,
            "{name}: {different} of {inside} pixels are covered in one picture"
        );
        assert!(apart * 10 <= inside, "{name}: {apart} of {inside} pixels have another color");
    }
}
