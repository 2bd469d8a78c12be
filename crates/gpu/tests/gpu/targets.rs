//! Pictures of one triangle in textures of the program, and the options of a scene.

use meshlens::Model;
use meshlens::model::{PlainFrame, PlainMesh, Space};
use meshlens_gpu::render::{Draw, Image, Instance, RenderOptions, Renderer, Shading, Target, Textures};
use meshlens_gpu::wgpu::{self, TextureFormat};
use meshlens_gpu::{Gpu, GpuModel, UploadOptions};

use crate::gpu;

const SIZE: [u32; 2] = [64, 64];

/// A triangle that faces the camera and covers the left half of the picture below a diagonal.
fn triangle() -> Model<'static> {
    let frame = PlainFrame {
        positions: vec![[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [-2.0, 2.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        ..PlainFrame::default()
    };
    let plain = PlainMesh { frames: vec![frame], triangles: vec![[0, 1, 2]], ..PlainMesh::default() };
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(plain.into_mesh("triangle").unwrap());
    model
}

/// A camera that looks at the triangle along Z, without perspective. A pixel is 1/16.
fn scene() -> RenderOptions {
    RenderOptions {
        view_projection: [
            [0.5, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.0, 0.0],
            [0.0, 0.0, -0.1, 0.0],
            [0.0, 0.0, 0.5, 1.0],
        ],
        background: [0.2, 0.4, 0.6, 1.0],
        light: [0.0, 0.0, 1.0],
        ..RenderOptions::looking([0.0, 0.0, 4.0], [0.0; 3], 1.0)
    }
}

fn draw(renderer: &mut Renderer, scene: &RenderOptions) -> Image {
    let gpu = renderer.gpu().clone();
    let model =
        GpuModel::new(&gpu, &triangle(), &UploadOptions { wires: true, ..UploadOptions::default() }).unwrap();
    let textures = Textures::new(&gpu, &model, |_| None).unwrap();
    let instances = [Instance::default()];
    let draws = [Draw { model: &model, textures: &textures, instances: &instances }];
    renderer.render_image(scene, &draws, SIZE).unwrap()
}

/// The red, green and blue of a texel.
type Color = fn(&[u8]) -> [f32; 3];

const BACKGROUND: [u8; 4] = [51, 102, 153, 255];
const WHITE: [u8; 4] = [255; 4];
/// Pixels inside the triangle, outside it, and on its lower edge, which is in the lowest row.
const INSIDE: (u32, u32) = (16, 40);
const OUTSIDE: (u32, u32) = (50, 10);
const EDGE: (u32, u32) = (30, 63);

fn pixels(image: &Image) -> [[u8; 4]; 3] {
    [INSIDE, OUTSIDE, EDGE].map(|(x, y)| image.pixel(x, y).unwrap())
}

/// The bytes of a texture, in rows of this size.
fn read(gpu: &Gpu, texture: &wgpu::Texture, row: u32) -> Vec<u8> {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(64 * row),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), to, texture.size());
    gpu.queue().submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.unwrap());
    gpu.wait().unwrap();
    buffer.slice(..).get_mapped_range().unwrap().to_vec()
}

/// A device that a program has created.
pub(crate) fn own_device(required_limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions::default();
    let adapter = pollster::block_on(instance.request_adapter(&options)).unwrap();
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..wgpu::DeviceDescriptor::default() };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

/// Formats of targets, the size of a texel, and the color in its bytes.
const FORMATS: [(TextureFormat, u32, Color); 7] = [
    (TextureFormat::Rgba8Unorm, 4, |b| [b[0], b[1], b[2]].map(|byte| f32::from(byte) / 255.0)),
    (TextureFormat::Bgra8Unorm, 4, |b| [b[2], b[1], b[0]].map(|byte| f32::from(byte) / 255.0)),
    // An sRGB format gets the same bytes.
    (TextureFormat::Rgba8UnormSrgb, 4, |b| [b[0], b[1], b[2]].map(|byte| f32::from(byte) / 255.0)),
    (TextureFormat::Bgra8UnormSrgb, 4, |b| [b[2], b[1], b[0]].map(|byte| f32::from(byte) / 255.0)),
    (TextureFormat::Rgba16Float, 8, |b| {
        // Positive half floats of at least 2^-14.
        let half = |at: usize| {
            let bits = u16::from_le_bytes([b[at], b[at + 1]]);
            f32::from_bits((u32::from(bits) << 13) + (112 << 23))
        };
        [half(0), half(2), half(4)]
    }),
    (TextureFormat::Rgb10a2Unorm, 4, |b| {
        let word = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        [word, word >> 10, word >> 20].map(|field| (field & 1023) as f32 / 1023.0)
    }),
    (TextureFormat::Rg8Unorm, 2, |b| [f32::from(b[0]) / 255.0, f32::from(b[1]) / 255.0, -1.0]),
];

#[test]
fn textures_of_the_program_are_drawn_into_in_any_color_format() {
    let (device, queue) = own_device(wgpu::Limits::downlevel_webgl2_defaults());
    let gpu = Gpu::from_device(device.clone(), queue.clone());
    let uploaded = GpuModel::new(&gpu, &triangle(), &UploadOptions::default()).unwrap();
    let textures = Textures::new(&gpu, &uploaded, |_| None).unwrap();
    let mut renderer = Renderer::new(&gpu);
    // The normal of Z in Shading::Normals is (0.5, 0.5, 1).
    let scene = RenderOptions { shading: Shading::Normals, ..scene() };
    for (format, texel, color) in FORMATS {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 64, height: 64, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        // The commands belong to the program.
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let instances = [Instance::default()];
        let draw = Draw { model: &uploaded, textures: &textures, instances: &instances };
        let target = Target { view: &view, format, size: SIZE };
        renderer.encode(&mut encoder, &scene, &[draw], &target).unwrap();
        queue.submit([encoder.finish()]);
        let row = (64 * texel).max(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = read(&gpu, &texture, row);
        for ((x, y), expected) in [(INSIDE, [0.5, 0.5, 1.0]), (OUTSIDE, [0.2, 0.4, 0.6])] {
            let at = (y * row + x * texel) as usize;
            let found = color(&bytes[at..at + texel as usize]);
            let far = found
                .iter()
                .zip(expected)
                .any(|(a, b): (&f32, f32)| *a >= 0.0 && (a - b).abs() > 1.5 / 255.0);
            assert!(!far, "{format:?} at {x}, {y}: {found:?}, expected {expected:?}");
        }
    }
    // A format that cannot be blended.
    let view = &attachment(&device, TextureFormat::Rgba8Uint);
    let target = Target { view, format: TextureFormat::Rgba8Uint, size: SIZE };
    let error = renderer.render(&scene, &[], &target).unwrap_err();
    assert_eq!(error.to_string(), "a target of the format Rgba8Uint cannot be drawn into");
}

fn attachment(device: &wgpu::Device, format: TextureFormat) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 64, height: 64, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

#[test]
fn edges_are_drawn_with_or_without_surfaces() {
    let mut renderer = Renderer::new(gpu());
    assert_eq!(pixels(&draw(&mut renderer, &scene())), [WHITE, BACKGROUND, WHITE]);
    let wires = RenderOptions { shading: Shading::Wires, ..scene() };
    assert_eq!(pixels(&draw(&mut renderer, &wires)), [BACKGROUND, BACKGROUND, WHITE]);
    let red = RenderOptions { edges: Some([1.0, 0.0, 0.0, 1.0]), ..wires };
    assert_eq!(pixels(&draw(&mut renderer, &red)), [BACKGROUND, BACKGROUND, [255, 0, 0, 255]]);
    let over = RenderOptions { shading: Shading::Lit, ..red };
    assert_eq!(pixels(&draw(&mut renderer, &over)), [WHITE, BACKGROUND, [255, 0, 0, 255]]);
    // Nothing is drawn if edges were not uploaded.
    let model = GpuModel::new(gpu(), &triangle(), &UploadOptions::default()).unwrap();
    let textures = Textures::new(gpu(), &model, |_| None).unwrap();
    let instances = [Instance::default()];
    let draws = [Draw { model: &model, textures: &textures, instances: &instances }];
    assert_eq!(pixels(&renderer.render_image(&wires, &draws, SIZE).unwrap()), [BACKGROUND; 3]);
}

#[test]
fn light_depends_on_the_angle_and_unlit_surfaces_keep_their_color() {
    let mut renderer = Renderer::new(gpu());
    // 0.35 of the light is ambient, and the rest comes from an angle of 60 degrees.
    let light = [0.0, 0.75f32.sqrt(), 0.5];
    let slanted = RenderOptions { light, ..scene() };
    let level = (255.0 * (0.35 + 0.65 * 0.5f32)).round() as u8;
    for shading in [Shading::Lit, Shading::Flat] {
        let [inside, ..] = pixels(&draw(&mut renderer, &RenderOptions { shading, ..slanted }));
        assert!(inside[0].abs_diff(level) <= 1, "{shading:?}: {inside:?}, expected {level}");
    }
    let unlit = RenderOptions { shading: Shading::Unlit, ..slanted };
    assert_eq!(pixels(&draw(&mut renderer, &unlit))[0], WHITE);
}

#[test]
fn back_faces_are_drawn_without_culling() {
    let mut renderer = Renderer::new(gpu());
    let mut from_behind = scene();
    // The world is rotated by 180 degrees around Y.
    let [x, _, z, _] = &mut from_behind.view_projection;
    for axis in [x, z] {
        *axis = axis.map(|value| -value);
    }
    let mirrored = (63 - INSIDE.0, INSIDE.1);
    let pixel = |image: Image| image.pixel(mirrored.0, mirrored.1).unwrap();
    assert_eq!(pixel(draw(&mut renderer, &from_behind)), BACKGROUND);
    let open = RenderOptions { culling: false, shading: Shading::Unlit, ..from_behind };
    assert_eq!(pixel(draw(&mut renderer, &open)), WHITE);
}

#[test]
fn antialiasing_blends_the_pixels_of_an_edge() {
    let scene = RenderOptions { shading: Shading::Unlit, ..scene() };
    let kinds = |mut renderer: Renderer| {
        let image = draw(&mut renderer, &scene);
        assert_eq!(pixels(&image), [WHITE, BACKGROUND, WHITE]);
        image
            .pixels
            .as_chunks::<4>()
            .0
            .iter()
            .filter(|pixel| **pixel != WHITE && **pixel != BACKGROUND)
            .count()
    };
    assert_eq!(kinds(Renderer::new(gpu())), 0);
    // The diagonal crosses 64 pixels.
    assert!(kinds(Renderer::new(gpu()).with_antialiasing()) >= 60);
}
