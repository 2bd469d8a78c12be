//! Surfaces: textures, sets of texture coordinates, vertex colors, computed normals.

use glam::{Mat4, Vec3};
use meshlens::Model;
use meshlens::model::{
    Alpha, Material, PlainFrame, PlainMesh, Space, TextureAlpha, TextureCoordinates, Wrap,
};
use meshlens_gpu::plan::Storage;
use meshlens_gpu::render::{Draw, Image, Instance, RenderOptions, Renderer, Shading, Textures};
use meshlens_gpu::{Gpu, GpuModel, UploadOptions};

use crate::{files, gpu};

/// A square that faces Z and covers the picture. Its texture coordinates of set 0 are in the upper left texel of a
/// texture of 2 by 2 texels, and the coordinates of set 1 in the lower right texel.
fn square(color: Option<[f32; 4]>, material: Material) -> Model<'static> {
    let frame = PlainFrame {
        positions: vec![[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]],
        ..PlainFrame::default()
    };
    let plain = PlainMesh {
        frames: vec![frame],
        texcoords: vec![vec![[0.25, 0.25]; 4], vec![[0.75, 0.75]; 4]],
        colors: color.map_or_else(Vec::new, |color| vec![vec![color; 4]]),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::GLTF);
    let mut mesh = plain.into_mesh("square").unwrap();
    mesh.material = Some(0);
    model.meshes.push(mesh);
    model.materials.push(material);
    model
}

fn scene() -> RenderOptions {
    let shading = Shading::Unlit;
    let background = [0.0, 0.0, 0.0, 1.0];
    RenderOptions { shading, background, ..RenderOptions::looking([0.0, 0.0, 4.0], [0.0; 3], 1.0) }
}

/// The pixel in the middle of the picture of a square.
fn pixel(gpu: &Gpu, model: &Model<'_>, scene: &RenderOptions) -> [u8; 4] {
    let uploaded = GpuModel::new(gpu, model, &UploadOptions::default()).unwrap();
    // Red, green, blue, and white with an alpha of 0.5.
    let pixels = vec![255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128];
    let image = Image { width: 2, height: 2, pixels };
    let textures = Textures::new(gpu, &uploaded, |_| Some(image.clone())).unwrap();
    let instances = [Instance::default()];
    let draws = [Draw { model: &uploaded, textures: &textures, instances: &instances }];
    Renderer::new(gpu).render_image(scene, &draws, [16, 16]).unwrap().pixel(8, 8).unwrap()
}

#[test]
fn each_set_of_texture_coordinates_can_be_shown() {
    let model = square(None, Material::new("square"));
    assert_eq!(pixel(gpu(), &model, &scene()), [255, 0, 0, 255]);
    // Opaque materials ignore alpha.
    let second = RenderOptions { texcoord_set: 1, ..scene() };
    assert_eq!(pixel(gpu(), &model, &second), [255; 4]);
    let third = RenderOptions { texcoord_set: 2, ..scene() };
    assert_eq!(pixel(gpu(), &model, &third), [255, 0, 0, 255]);
    // A material may choose a set.
    let model = square(None, Material { texture_set: 1, ..Material::new("square") });
    assert_eq!(pixel(gpu(), &model, &scene()), [255; 4]);
}

#[test]
fn alpha_is_blended_or_masked_by_the_material() {
    let second = RenderOptions { texcoord_set: 1, ..scene() };
    let blended = Material { alpha: Alpha::Blend, ..Material::new("square") };
    let [red, ..] = pixel(gpu(), &square(None, blended), &second);
    assert!(red.abs_diff(128) <= 1, "{red}");
    let mask = |cutoff| Material { alpha: Alpha::Mask, cutoff, ..Material::new("square") };
    assert_eq!(pixel(gpu(), &square(None, mask(0.6)), &second), [0, 0, 0, 255]);
    assert_eq!(pixel(gpu(), &square(None, mask(0.4)), &second), [255; 4]);
    let hidden = Material { hidden: true, ..Material::new("square") };
    assert_eq!(pixel(gpu(), &square(None, hidden), &second), [0, 0, 0, 255]);
}

#[test]
fn colors_of_vertices_multiply_textures() {
    let white = RenderOptions { texcoord_set: 1, ..scene() };
    // Colors that are multiples of 1/255 are stored as bytes, others as floats.
    for (color, expected) in
        [([0.2, 0.4, 1.0, 1.0], [51, 102, 255, 255]), ([0.25, 0.5, 0.125, 1.0], [64, 128, 32, 255])]
    {
        let model = square(Some(color), Material::new("square"));
        for gpu in [gpu(), &Gpu::with_webgl2_limits().unwrap()] {
            assert_eq!(pixel(gpu, &model, &white), expected);
            let without = RenderOptions { vertex_colors: false, ..white };
            assert_eq!(pixel(gpu, &model, &without), [255; 4]);
        }
    }
}

#[test]
fn normals_that_are_not_stored_are_flat_or_computed() {
    let path = files::corpus().into_iter().find(|path| path.ends_with("figure_d.3d")).unwrap();
    let files = files::model_files(&path).unwrap();
    let model = Model::new(files::document(&files).unwrap()).unwrap();
    let turn = Mat4::from_cols_array_2d(&model.space.to(&Space::GLTF).linear());
    let points: Vec<Vec3> =
        model.points_at_rest(0).into_iter().map(|point| turn.transform_point3(point.into())).collect();
    let radius = points.iter().map(|point| point.length()).fold(0.0, f32::max);
    let scene = RenderOptions {
        shading: Shading::Normals,
        ..RenderOptions::looking([0.75 * radius, 0.5 * radius, 2.5 * radius], [0.0; 3], 1.0)
    };
    let mut renderer = Renderer::new(gpu());
    let mut show = |options: UploadOptions| {
        let uploaded = GpuModel::new(gpu(), &model, &options).unwrap();
        let textures = Textures::new(gpu(), &uploaded, |_| None).unwrap();
        let instances = [Instance::new(turn.to_cols_array_2d()).showing(1)];
        let draws = [Draw { model: &uploaded, textures: &textures, instances: &instances }];
        (renderer.render_image(&scene, &draws, [96, 96]).unwrap(), uploaded.memory())
    };
    let (flat, small) = show(UploadOptions::default());
    let (smooth, large) = show(UploadOptions { smooth_normals: true, ..UploadOptions::default() });
    let (floats, _) =
        show(UploadOptions { smooth_normals: true, storage: Storage::Decoded, ..UploadOptions::default() });
    assert_ne!(flat, smooth);
    let far = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 2;
    assert_eq!(smooth.pixels.iter().zip(&floats.pixels).filter(|pair| far(*pair)).count(), 0);
    // Computed normals take eight bytes for each vertex in each frame.
    let frames = model.frame_count() as u64;
    assert_eq!((large.total - small.total) % (8 * frames), 0);
    assert!(large.total > small.total);
}

#[test]
fn material_colors_are_linear_and_emissive_light_is_added() {
    let second = RenderOptions { texcoord_set: 1, ..scene() };
    // Linear 0.214 is displayed as 0.5.
    let half = Material { color: [0.214_041, 0.0, 0.0, 1.0], ..Material::new("square") };
    let [red, green, ..] = pixel(gpu(), &square(None, half.clone()), &second);
    assert!(red.abs_diff(128) <= 1 && green == 0, "{red} {green}");
    let bright = Material { emissive: [0.0, 0.214_041, 1.0], ..half };
    let [red, green, blue, _] = pixel(gpu(), &square(None, bright), &second);
    assert!(red.abs_diff(128) <= 1 && green.abs_diff(128) <= 1 && blue == 255, "{red} {green} {blue}");
}

#[test]
fn colors_are_added_and_multiplied() {
    // The lower right texel is white with an alpha of 0.5, and the upper left texel is red. The background is gray.
    let gray = RenderOptions { background: [0.4, 0.4, 0.4, 1.0], ..scene() };
    let white = RenderOptions { texcoord_set: 1, ..gray };
    let mode = |texture_alpha| Material { texture_alpha, alpha: Alpha::Blend, ..Material::new("square") };
    let shown = |mode_of, scene: &RenderOptions| {
        let [r, g, b, _] = pixel(gpu(), &square(None, mode(mode_of)), scene);
        [r, g, b]
    };
    assert_eq!(shown(TextureAlpha::Add, &gray), [255, 102, 102]);
    // White multiplied by an alpha of one half.
    let [red, ..] = shown(TextureAlpha::AddAlpha, &white);
    assert!(red.abs_diff(230) <= 1, "{red}");
    assert_eq!(shown(TextureAlpha::Multiply, &gray), [102, 0, 0]);
    assert_eq!(shown(TextureAlpha::Multiply2x, &gray), [204, 0, 0]);
    assert_eq!(shown(TextureAlpha::MultiplyInverse, &gray), [0, 102, 102]);
}

#[test]
fn a_material_without_an_image_is_not_added() {
    let added = Material { texture_alpha: TextureAlpha::Add, alpha: Alpha::Blend, ..Material::new("square") };
    let uploaded = GpuModel::new(gpu(), &square(None, added), &UploadOptions::default()).unwrap();
    let textures = Textures::with_colors(gpu(), &uploaded, |_| None, |_| [10, 20, 30]).unwrap();
    let instances = [Instance::default()];
    let draws = [Draw { model: &uploaded, textures: &textures, instances: &instances }];
    let gray = RenderOptions { background: [0.4, 0.4, 0.4, 1.0], ..scene() };
    let image = Renderer::new(gpu()).render_image(&gray, &draws, [16, 16]).unwrap();
    assert_eq!(image.pixel(8, 8), Some([10, 20, 30, 255]));
}

#[test]
fn an_environment_map_shows_the_normal_that_the_camera_sees() {
    let material =
        Material { texture_coordinates: TextureCoordinates::Environment, ..Material::new("square") };
    let model = square(None, material);
    let uploaded = GpuModel::new(gpu(), &model, &UploadOptions::default()).unwrap();
    // Both rows have red on the left and green on the right.
    let (red, green) = ([255, 0, 0, 255], [0, 255, 0, 255]);
    let image = Image { width: 2, height: 2, pixels: [red, green, red, green].concat() };
    let textures = Textures::new(gpu(), &uploaded, |_| Some(image.clone())).unwrap();
    let shown = |turn: f32| {
        let instances = [Instance::new(Mat4::from_rotation_y(turn).to_cols_array_2d())];
        let draws = [Draw { model: &uploaded, textures: &textures, instances: &instances }];
        Renderer::new(gpu()).render_image(&scene(), &draws, [16, 16]).unwrap().pixel(8, 8).unwrap()
    };
    // A normal to the right of the picture shows the right half of the image. With a component of one half, it shows
    // the center of a texel.
    let turn = core::f32::consts::FRAC_PI_6;
    let near = |found: [u8; 4], wanted: [u8; 4]| found.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 3);
    let (right, left) = (shown(turn), shown(-turn));
    assert!(near(right, green) && near(left, red), "{right:?} {left:?}");
}

#[test]
fn sprites_turn_to_the_camera_and_show_the_whole_texture() {
    // A flat square with a side of 2, whose texture coordinates are not used for sprites.
    let sprite = |sprites| {
        let corners = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]];
        let plain = PlainMesh {
            frames: [1.0, 2.0]
                .map(|x: f32| PlainFrame {
                    positions: corners.map(|c| [c[0] * x, c[1], c[2] * x]).into(),
                    ..PlainFrame::default()
                })
                .into(),
            texcoords: vec![vec![[0.5, 0.5]; 4]],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..PlainMesh::default()
        };
        let mut model = Model::empty(None, Space::GLTF);
        let mut mesh = plain.into_mesh("sprite").unwrap();
        mesh.material = Some(0);
        model.meshes.push(mesh);
        model.materials.push(Material { sprites, wrap: [Wrap::Clamp; 2], ..Material::new("sprite") });
        model
    };
    let (red, green) = ([255, 0, 0, 255], [0, 255, 0, 255]);
    let (blue, white) = ([0, 0, 255, 255], [255; 4]);
    let image = Image { width: 2, height: 2, pixels: [red, green, blue, white].concat() };
    for gpu in [gpu(), &Gpu::with_webgl2_limits().unwrap()] {
        let shown = |sprites, scene: RenderOptions, instance: Instance| {
            let uploaded = GpuModel::new(gpu, &sprite(sprites), &UploadOptions::default()).unwrap();
            let textures = Textures::new(gpu, &uploaded, |_| Some(image.clone())).unwrap();
            let instances = [instance];
            let draws = [Draw { model: &uploaded, textures: &textures, instances: &instances }];
            let picture = Renderer::new(gpu).render_image(&scene, &draws, [32, 32]).unwrap();
            [(10, 10), (21, 10), (10, 21), (21, 21)].map(|(x, y)| picture.pixel(x, y).unwrap())
        };
        let all = [red, green, blue, white];
        let none = [[0, 0, 0, 255]; 4];
        let still = Instance::default();
        // From the front, the square is seen edge-on. A sprite is completely visible from every side.
        assert_eq!(shown(false, scene(), still.clone()), none);
        for camera in [Vec3::Z, Vec3::X, Vec3::new(1.0, 0.4, -1.0), Vec3::new(-0.2, -1.0, 0.1)] {
            let around = RenderOptions::looking((camera.normalize() * 4.0).to_array(), [0.0; 3], 1.0);
            let around =
                RenderOptions { shading: Shading::Unlit, background: [0.0, 0.0, 0.0, 1.0], ..around };
            assert_eq!(shown(true, around, still.clone()), all, "from {camera}");
            // A mirrored sprite still faces the camera.
            let mirrored = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)).to_cols_array_2d();
            assert_eq!(shown(true, around, Instance::new(mirrored)), all);
        }
        // At a distance of 8 units, the square leaves these pixels free. At twice its size, it covers them.
        let far = RenderOptions {
            view_projection: RenderOptions::looking([0.0, 0.0, 8.0], [0.0; 3], 1.0).view_projection,
            ..scene()
        };
        assert_eq!(shown(true, far, still.clone()), none);
        assert_eq!(shown(true, far, still.showing(1)), all);
    }
}
