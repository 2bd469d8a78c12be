//! The textures and colors of a model's materials, as bind groups.

use meshlens::model::{Alpha, Material, TextureAlpha, TextureCoordinates, Wrap};
use wgpu::util::DeviceExt;

use super::image::Image;
use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::groups;
use crate::model::GpuModel;
use crate::upload::texture;

/// The textures of a model: one for each material, and a white texture for parts without a material.
#[derive(Debug)]
pub struct Textures {
    pub(super) groups: Vec<wgpu::BindGroup>,
    /// The blend mode of each group; `None` if it is not blended.
    modes: Vec<Option<TextureAlpha>>,
}

impl Textures {
    /// Uploads the textures of a model. `load` returns the image of a material, with the [stored
    /// alpha](TextureAlpha::without_blend_mode), because the renderer adds and multiplies colors itself; `None` for a
    /// white texture.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] if an image is too large, [`Error::Argument`] if it has too few pixels; errors of the device.
    pub fn new(
        gpu: &Gpu,
        model: &GpuModel,
        load: impl FnMut(&Material) -> Option<Image>,
    ) -> Result<Textures> {
        Textures::with_colors(gpu, model, load, |_| [255; 3])
    }

    /// Uploads the textures of a model, like [`new`](Self::new), with the red, green and blue that `color` returns for
    /// the index of a material without an image. The index after the last material represents parts without a material.
    ///
    /// # Errors
    ///
    /// Same as [`new`](Self::new).
    pub fn with_colors(
        gpu: &Gpu,
        model: &GpuModel,
        mut load: impl FnMut(&Material) -> Option<Image>,
        color: impl Fn(usize) -> [u8; 3],
    ) -> Result<Textures> {
        let device = gpu.device();
        let layout = groups::material_layout(device);
        let plain = Material::new("");
        let (mut groups, mut modes) = (Vec::new(), Vec::new());
        for material in model.materials().iter().chain([&plain]) {
            let [red, green, blue] = color(groups.len());
            let plain_image = || Image { width: 1, height: 1, pixels: vec![red, green, blue, 255] };
            let image = load(material).filter(|_| !core::ptr::eq(material, &plain));
            // Without an image, the plain color would be added to everything, or darken everything.
            let mode = if image.is_some() { material.texture_alpha } else { TextureAlpha::Stored };
            modes.push((material.alpha == Alpha::Blend).then_some(mode));
            let image = image.unwrap_or_else(plain_image);
            let texture = upload(gpu, &image)?;
            // Textures and light are displayed colors, which are not converted.
            let [red, green, blue] = displayed([material.color[0], material.color[1], material.color[2]]);
            let alpha = material.color[3];
            let [r, g, b] = displayed(material.emissive);
            let cutoff = if material.alpha == Alpha::Mask { material.cutoff } else { -1.0 };
            let unlit = f32::from(u8::from(material.unlit));
            let blended = f32::from(u8::from(material.alpha == Alpha::Blend));
            let is_environment = material.texture_coordinates == TextureCoordinates::Environment;
            let (mode, set) = (number(mode), if is_environment { -1.0 } else { material.texture_set as f32 });
            let uniform = [red, green, blue, alpha, r, g, b, mode, cutoff, unlit, blended, set];
            let contents = bytemuck::cast_slice(&uniform);
            let buffer = super::buffer(device, "material", contents, wgpu::BufferUsages::UNIFORM);
            let [u, v] = material.wrap.map(address);
            let filter = if material.nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear };
            let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
                address_mode_u: u,
                address_mode_v: v,
                mag_filter: filter,
                min_filter: filter,
                ..wgpu::SamplerDescriptor::default()
            });
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let resources = [
                (0, buffer.as_entire_binding()),
                (1, wgpu::BindingResource::TextureView(&view)),
                (2, wgpu::BindingResource::Sampler(&sampler)),
            ];
            groups.push(groups::bind_group(device, "material", &layout, resources));
        }
        gpu.check()?;
        Ok(Textures { groups, modes })
    }

    /// Uploads the textures of a model that was opened from `assets`. A material is white if its texture is not found, or
    /// cannot be read or decoded. An image that is larger than `limits` or the device allow is not decoded.
    ///
    /// Returns the textures and the errors of reading and decoding them. A texture that is not found is not an error.
    ///
    /// ```no_run
    /// use meshlens_assets::{Assets, material::ImageLimits};
    /// use meshlens_gpu::{Gpu, GpuModel, UploadOptions, render::Textures};
    ///
    /// let gpu = Gpu::new()?;
    /// let asset = Assets::new().open_path("pak0.pk3/models/players/sarge/upper.md3")?;
    /// let model = GpuModel::new(&gpu, asset.model(), &UploadOptions::default())?;
    /// let (textures, errors) = Textures::of_assets(&gpu, &model, asset.assets(), &ImageLimits::DEFAULT)?;
    /// for error in errors {
    ///     eprintln!("{error}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    #[cfg(feature = "assets")]
    pub fn of_assets(
        gpu: &Gpu,
        model: &GpuModel,
        assets: &meshlens_assets::Assets,
        limits: &meshlens_assets::material::ImageLimits,
    ) -> Result<(Textures, Vec<meshlens_assets::Error>)> {
        let side = limits.side.min(gpu.limits().texture_size);
        let limits = meshlens_assets::material::ImageLimits { side, ..*limits };
        let mut errors = Vec::new();
        let textures = Textures::new(gpu, model, |material| {
            let found = assets.texture_pixels(material, &limits).map_err(|error| errors.push(error));
            let image = found.ok()??;
            Some(Image { width: image.width, height: image.height, pixels: image.rgba })
        })?;
        Ok((textures, errors))
    }

    /// The group of a material, or the group of parts without a material.
    pub(super) fn group(&self, material: Option<usize>) -> Option<&wgpu::BindGroup> {
        let (plain, groups) = self.groups.split_last()?;
        Some(material.and_then(|material| groups.get(material)).unwrap_or(plain))
    }

    /// The blend mode of a material; `None` if it is not blended.
    pub(super) fn mode(&self, material: Option<usize>) -> Option<TextureAlpha> {
        material.and_then(|material| self.modes.get(material).copied()).flatten()
    }
}

/// The number of a blend mode in the shader.
const fn number(mode: TextureAlpha) -> f32 {
    match mode {
        TextureAlpha::Stored | TextureAlpha::FirstColor => 0.0,
        TextureAlpha::Add => 1.0,
        TextureAlpha::AddAlpha => 2.0,
        TextureAlpha::Multiply => 3.0,
        TextureAlpha::Multiply2x => 4.0,
        TextureAlpha::MultiplyInverse => 5.0,
    }
}

/// Linear components as they are displayed (sRGB).
fn displayed(linear: [f32; 3]) -> [f32; 3] {
    linear.map(|linear| {
        let linear = if linear.is_nan() { 0.0 } else { f64::from(linear.clamp(0.0, 1.0)) };
        // Computed in `f32`, 1 would become slightly less than 1.
        (if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }) as f32
    })
}

const fn address(wrap: Wrap) -> wgpu::AddressMode {
    match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    }
}

fn upload(gpu: &Gpu, image: &Image) -> Result<wgpu::Texture> {
    let limit = u64::from(gpu.limits().texture_size);
    let side = u64::from(image.width.max(image.height));
    Error::check("a texture", "max_texture_dimension_2d", limit, side)?;
    let size = u64::from(image.width) * u64::from(image.height) * 4;
    if size == 0 || image.pixels.len() as u64 != size {
        let (width, height, found) = (image.width, image.height, image.pixels.len());
        return Err(Error::argument(format!("an image of {width} x {height} pixels with {found} bytes")));
    }
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let size = [image.width, image.height];
    let descriptor = texture("texture", size, wgpu::TextureFormat::Rgba8Unorm, usage);
    let order = wgpu::util::TextureDataOrder::LayerMajor;
    Ok(gpu.device().create_texture_with_data(gpu.queue(), &descriptor, order, &image.pixels))
}
