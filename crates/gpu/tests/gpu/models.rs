//! Models of every format: pictures of stored arrays are compared with pictures of arrays that the CPU decoded, and
//! with the positions of the points.

use glam::{Mat4, Quat, Vec3};
use meshlens::Model;
use meshlens::lens::VertexFormat;
use meshlens::model::{Blend, Material, Sample, Semantic, Space, VertexLayout, world_into};
use meshlens::scene::{Node, Pose, Scene, Socket, View, ViewMesh};
use meshlens_gpu::plan::Storage;
use meshlens_gpu::render::{Draw, GpuScene, Image, Instance, RenderOptions, Renderer, Shading, Textures};
use meshlens_gpu::{Gpu, GpuModel, UploadOptions};

use crate::{files, gpu};

const SIZE: [u32; 2] = [160, 120];

/// A camera from the side and from above that shows a whole box of the world.
fn options_for(center: Vec3, radius: f32) -> RenderOptions {
    let camera = center + Vec3::new(0.5, 0.35, 1.0).normalize() * radius * 3.2;
    RenderOptions::looking(camera.to_array(), center.to_array(), SIZE[0] as f32 / SIZE[1] as f32)
}

/// The matrix to a right-handed world whose Y points up.
fn to_world(model: &Model<'_>) -> [[f32; 4]; 4] {
    model.space.to(&Space::GLTF).linear()
}

/// The points of a frame in the world.
fn world_points(model: &Model<'_>, frame: usize) -> Vec<Vec3> {
    let world = Mat4::from_cols_array_2d(&to_world(model));
    model.points_at_rest(frame).into_iter().map(|point| world.transform_point3(point.into())).collect()
}

fn sphere_around(points: &[Vec3]) -> (Vec3, f32) {
    let min = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let max = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    ((min + max) * 0.5, ((max - min).length() * 0.5).max(1e-3))
}

fn picture(renderer: &mut Renderer, uploaded: &GpuModel, scene: &RenderOptions, instance: Instance) -> Image {
    let textures = Textures::new(renderer.gpu(), uploaded, |_| None).unwrap();
    let draw = Draw { model: uploaded, textures: &textures, instances: &[instance] };
    renderer.render_image(scene, &[draw], SIZE).unwrap()
}

/// The number of pixels that differ by more than 2 of 255 in a channel.
fn differing(a: &Image, b: &Image) -> usize {
    let far = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 2);
    a.pixels.as_chunks::<4>().0.iter().zip(b.pixels.as_chunks().0).filter(|pair| far(*pair)).count()
}

/// The number of pixels that are not background, and the box around them.
fn drawn(image: &Image) -> (usize, [f32; 4]) {
    let background = image.pixel(0, 0).unwrap();
    let mut bounds = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
    let mut count = 0;
    for y in 0..image.height {
        for x in 0..image.width {
            if image.pixel(x, y).unwrap() != background {
                count += 1;
                let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
                bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
            }
        }
    }
    (count, bounds)
}

/// The box around points on the screen.
fn projected(scene: &RenderOptions, points: impl Iterator<Item = Vec3>) -> [f32; 4] {
    points.fold([f32::MAX, f32::MAX, f32::MIN, f32::MIN], |bounds, point| {
        let clip = Mat4::from_cols_array_2d(&scene.view_projection).project_point3(point);
        let x = (clip.x * 0.5 + 0.5) * SIZE[0] as f32;
        let y = (0.5 - clip.y * 0.5) * SIZE[1] as f32;
        [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)]
    })
}

/// Compares the first, the middle and the last frame, and a blend of two frames. Returns the number of pictures.
fn compare(renderer: &mut Renderer, model: &Model<'_>, name: &str) -> usize {
    let gpu = &renderer.gpu().clone();
    let stored = GpuModel::new(gpu, model, &UploadOptions::default()).unwrap();
    let decoded =
        GpuModel::new(gpu, model, &UploadOptions { storage: Storage::Decoded, ..UploadOptions::default() })
            .unwrap();
    let count = model.frame_count().max(1);
    let mut frames: Vec<Blend> = [0, count / 2, count - 1].map(Blend::from).into();
    frames.dedup();
    frames.push(Blend { a: count - 1, b: count / 2, weight: 0.375 });
    for blend in &frames {
        let points = world_points(model, blend.a);
        if points.is_empty() {
            return 0;
        }
        let (center, radius) = sphere_around(&points);
        for shading in [Shading::Lit, Shading::Normals] {
            let scene = RenderOptions { shading, ..options_for(center, radius) };
            let instance = Instance::new(to_world(model)).showing(*blend);
            let a = picture(renderer, &stored, &scene, instance.clone());
            let b = picture(renderer, &decoded, &scene, instance);
            let differing = differing(&a, &b);
            assert_eq!(differing, 0, "{name}, {blend:?}, {shading:?}: {differing} pixels differ");
        }
    }
    frames.len()
}

#[test]
fn pictures_of_the_corpus_equal_pictures_of_decoded_arrays() {
    let (mut models, mut pictures) = (0, 0);
    let mut renderer = Renderer::new(gpu());
    for path in files::corpus() {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(model) = files::document(&files).and_then(|document| Model::new(document).ok()) else {
            continue;
        };
        if model.meshes.is_empty() {
            continue;
        }
        let count = compare(&mut renderer, &model, &path.display().to_string());
        models += usize::from(count > 0);
        pictures += count;
    }
    assert!(models >= 35 && pictures >= 100, "{models} models, {pictures} pictures");
}

#[test]
fn the_limits_of_webgl2_are_enough() {
    let gpu = Gpu::with_webgl2_limits().unwrap();
    assert!(!gpu.has_storage_buffers());
    let mut renderer = Renderer::new(&gpu);
    let mut models = 0;
    for path in files::corpus() {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(model) = files::document(&files).and_then(|document| Model::new(document).ok()) else {
            continue;
        };
        models += usize::from(
            !model.meshes.is_empty() && compare(&mut renderer, &model, &path.display().to_string()) > 0,
        );
    }
    assert!(models >= 35, "{models}");
}

#[test]
fn pictures_of_real_models_equal_pictures_of_decoded_arrays() {
    let mut renderer = Renderer::new(gpu());
    for path in files::real() {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(model) = files::document(&files).and_then(|document| Model::new(document).ok()) else {
            continue;
        };
        if !model.meshes.is_empty() {
            compare(&mut renderer, &model, &path.display().to_string());
        }
    }
}

/// The other tests on real files compare pictures of the GPU. This test compares with points that the CPU computes.
#[test]
fn pictures_cover_the_points_of_the_model() {
    let mut checked = 0;
    let mut renderer = Renderer::new(gpu());
    for path in files::corpus() {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(model) = files::document(&files).and_then(|document| Model::new(document).ok()) else {
            continue;
        };
        // In these files, every point belongs to a drawn triangle, and no point is inside the model.
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if !["animated.md3", "figure_d.3d", "v1_animated.u3d", "v2_animated.u3d", "box_ms14.mesh"]
            .contains(&&*name)
        {
            continue;
        }
        let uploaded = GpuModel::new(gpu(), &model, &UploadOptions::default()).unwrap();
        for frame in [0, model.frame_count() - 1] {
            let points = world_points(&model, frame);
            let (center, radius) = sphere_around(&points);
            let scene = options_for(center, radius);
            let image =
                picture(&mut renderer, &uploaded, &scene, Instance::new(to_world(&model)).showing(frame));
            let (count, found) = drawn(&image);
            let expected = projected(&scene, points.into_iter());
            assert!(count > 300, "{name}: {count} pixels");
            // A pixel is drawn if its center is covered, so boxes differ by up to one pixel, and by more at sharp corners.
            let far = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 2.5, "{name}, frame {frame}: drawn at {found:?}, points at {expected:?}");
            // The surfaces are closed, so back faces are hidden whether they are drawn or not.
            let mut open = model.clone();
            open.materials.iter_mut().for_each(|material| material.two_sided = true);
            let two_sided = open.materials.len();
            open.materials.push(Material { two_sided: true, ..Material::new("") });
            open.meshes.iter_mut().for_each(|mesh| mesh.material = mesh.material.or(Some(two_sided)));
            let open = GpuModel::new(gpu(), &open, &UploadOptions::default()).unwrap();
            let flat = RenderOptions { shading: Shading::Flat, ..scene };
            let instance = Instance::new(to_world(&model)).showing(frame);
            let culled = picture(&mut renderer, &uploaded, &flat, instance.clone());
            let differing = differing(&culled, &picture(&mut renderer, &open, &flat, instance));
            assert!(
                differing * 50 <= count,
                "{name}, frame {frame}: {differing} of {count} pixels show back faces"
            );
            // All light is ambient, so no pixel is black.
            let darkest = image.pixels.as_chunks::<4>().0.iter().map(|[r, g, b, _]| r.max(g).max(b)).min();
            assert!(darkest >= Some(&30), "{name}: {darkest:?}");
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked}");
}

/// The vertices of a view, which an engine would draw.
fn view_points(view: &View<'_, '_>, pose: &Pose) -> Vec<Vec3> {
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let points = |mesh: ViewMesh<'_, '_>| {
        let mut out = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(pose, &layout, &mut out).unwrap();
        bytemuck::pod_collect_to_vec::<u8, [f32; 3]>(&out).into_iter().map(Vec3::from)
    };
    view.meshes().flat_map(|mesh| points(mesh.unwrap())).collect()
}

/// A model of each format is attached to a hand of the one-armed figure, with a script that mirrors, rotates and
/// scales.
#[test]
fn nodes_are_drawn_at_the_positions_of_their_view() {
    let open = |path: &str| {
        let path = files::corpus().into_iter().find(|found| found.ends_with(path)).unwrap();
        files::model_files(&path).unwrap()
    };
    let hand = open("tagged.md3");
    let mut renderer = Renderer::new(gpu());
    for name in ["animated.md3", "figure_d.3d", "v1_animated.u3d", "v2_animated.u3d", "box_ms14.mesh"] {
        for mirror in [1.0, -1.0] {
            let files = open(name);
            let mut held = Model::new(files::document(&files).unwrap()).unwrap();
            held.placement = Mat4::from_scale_rotation_translation(
                Vec3::new(0.5, 0.25 * mirror, 0.75),
                Quat::from_rotation_y(0.4),
                Vec3::new(3.0, -2.0, 1.0),
            )
            .to_cols_array_2d();
            // The hand itself has no triangles here, so that the picture only shows the held model.
            let mut figure = Model::new(files::document(&hand).unwrap()).unwrap();
            figure.meshes.clear();
            let mut scene = Scene::from(figure);
            scene.nodes.push(Node::new("held", held).attached_to(0, Socket::Tag(0)));
            let view = scene.view(&Space::GLTF);
            let pose = scene.rest_pose();
            let points = view_points(&view, &pose);
            let (center, radius) = sphere_around(&points);
            let options = options_for(center, radius);
            let mut show = |options: &RenderOptions| {
                let textures = |_, model: &GpuModel| Textures::new(gpu(), model, |_| None);
                let uploaded = GpuScene::new(gpu(), &view, &UploadOptions::default(), textures).unwrap();
                let instances = uploaded.instances(&view, &pose);
                renderer.render_image(options, &uploaded.draws(&instances), SIZE).unwrap()
            };
            let image = show(&options);
            let (count, found) = drawn(&image);
            let expected = projected(&options, points.into_iter());
            let far = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(count > 200 && far < 2.5, "{name}: {count} drawn at {found:?}, vertices at {expected:?}");
            // The surfaces are closed, so back faces are hidden by front faces.
            let flat = RenderOptions { shading: Shading::Flat, ..options };
            let open = RenderOptions { culling: false, ..flat };
            let differing = differing(&show(&flat), &show(&open));
            assert!(
                differing * 50 <= count,
                "{name}, {mirror}: {differing} of {count} pixels show back faces"
            );
        }
    }
}

#[test]
fn joints_move_vertices_as_on_the_cpu() {
    let mut checked = 0;
    for path in files::corpus() {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(model) = files::document(&files).and_then(|document| Model::new(document).ok()) else {
            continue;
        };
        let Some(clip) = model.clips.iter().find(|clip| clip.animation.is_some()) else { continue };
        if model.meshes.iter().all(|mesh| mesh.skin.is_none()) {
            continue;
        }
        let mut pose = Vec::new();
        assert_eq!(model.sample(clip, clip.duration() * 0.4, &mut pose), Sample::Pose);
        let mut world = Vec::new();
        world_into(&model.joints, &pose, &mut world);

        // The same model, with vertices that the CPU has moved.
        let mut moved = Model::empty(None, model.space);
        for mesh in &model.meshes {
            let topology = mesh.topology().unwrap();
            let (mut positions, mut normals) = (Vec::new(), Vec::new());
            mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals).unwrap();
            let frame = meshlens::model::PlainFrame { positions, normals, ..Default::default() };
            let triangles = topology.triangles().to_vec();
            let plain = meshlens::model::PlainMesh { frames: vec![frame], triangles, ..Default::default() };
            let mut plain = plain.into_mesh("").unwrap();
            plain.lod = mesh.lod;
            moved.meshes.push(plain);
        }
        let points = world_points(&moved, 0);
        let (center, radius) = sphere_around(&points);
        let scene = options_for(center, radius);
        let on_cpu = GpuModel::new(gpu(), &moved, &UploadOptions::default()).unwrap();
        let expected = picture(&mut Renderer::new(gpu()), &on_cpu, &scene, Instance::new(to_world(&model)));
        for gpu in [gpu(), &Gpu::with_webgl2_limits().unwrap()] {
            let uploaded = GpuModel::new(gpu, &model, &UploadOptions::default()).unwrap();
            let instance = Instance { joints: world.clone(), ..Instance::new(to_world(&model)) };
            let found = picture(&mut Renderer::new(gpu), &uploaded, &scene, instance);
            let (count, _) = drawn(&expected);
            let differing = differing(&found, &expected);
            // Weights are rounded to 1/65535, which may move an edge across the center of a pixel.
            assert!(count > 300 && differing * 100 <= count, "{}: {differing} of {count}", path.display());
        }
        checked += 1;
    }
    assert!(checked >= 2, "{checked}");
}
