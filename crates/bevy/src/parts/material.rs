//! Materials and textures.

use bevy::color::{Color, LinearRgba};
use bevy::image::{Image, ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::material::AlphaMode;
use bevy::mesh::UvChannel;
use bevy::pbr::StandardMaterial;
use bevy::render::render_resource::{Extent3d, Face, TextureDimension, TextureFormat};
use meshlens::model::{Alpha, Material, TextureCoordinates, Wrap};
use meshlens_assets::material::{Image as Pixels, ImageLimits};

use super::{MaterialPart, MeshlensParts};

impl MeshlensParts {
    /// Adds the materials of a node and their textures.
    pub(super) fn add_materials(&mut self, node: usize, limits: &ImageLimits) {
        let model = self.model.clone();
        let usages = model.settings().load_materials;
        let (Some(of), Some(assets)) = (model.scene().nodes.get(node), model.assets(node)) else {
            return;
        };
        for material in &of.model.materials {
            let mut read = |material: &Material| {
                if usages.is_empty() {
                    return None;
                }
                assets.texture_image(material, limits).unwrap_or_else(|error| {
                    self.problems.push(error.into());
                    None
                })
            };
            let mut made = standard(material);
            let mut image = read(material);
            let normals = material.height_map.as_ref().and_then(|map| read(&map.material()));
            if material.texture_coordinates == TextureCoordinates::Environment {
                // The coordinates of the surface are not those of the image, so that a metal has its average color.
                if let Some(image) = image.take() {
                    let average = image.average(material.alpha == Alpha::Opaque);
                    let [red, green, blue, alpha] =
                        std::array::from_fn(|part| material.color[part] * average[part]);
                    made.base_color = Color::linear_rgba(red, green, blue, alpha);
                    (made.metallic, made.perceptual_roughness) = (1.0, 0.25);
                }
            }
            if let Some(image) = &mut image
                && material.alpha == Alpha::Opaque
            {
                image.make_opaque();
            }
            let mut add = |image: Pixels, format| {
                let size = Extent3d { width: image.width, height: image.height, depth_or_array_layers: 1 };
                let mut texture = Image::new(size, TextureDimension::D2, image.rgba, format, usages);
                texture.sampler = sampler(material);
                self.textures.push(texture);
                self.textures.len() - 1
            };
            let texture = image.map(|image| add(image, TextureFormat::Rgba8UnormSrgb));
            let normal_map = normals.map(|image| add(image, TextureFormat::Rgba8Unorm));
            self.materials.push(MaterialPart {
                name: material.name.clone(),
                material: made,
                texture,
                normal_map,
            });
        }
    }
}

/// The addressing of a texture outside 0 to 1.
fn sampler(material: &Material) -> ImageSampler {
    let [address_mode_u, address_mode_v] = material.wrap.map(|wrap| match wrap {
        Wrap::Repeat => ImageAddressMode::Repeat,
        Wrap::Mirror => ImageAddressMode::MirrorRepeat,
        Wrap::Clamp => ImageAddressMode::ClampToEdge,
    });
    let filter =
        if material.nearest { ImageSamplerDescriptor::nearest() } else { ImageSamplerDescriptor::linear() };
    ImageSampler::Descriptor(ImageSamplerDescriptor { address_mode_u, address_mode_v, ..filter })
}

/// The vertex attribute of a set of texture coordinates.
const fn channel(set: usize) -> UvChannel {
    if set == 0 { UvChannel::Uv0 } else { UvChannel::Uv1 }
}

/// A material without its textures. The formats do not define gloss, so surfaces are rough.
fn standard(material: &Material) -> StandardMaterial {
    let [red, green, blue, alpha] = material.color;
    let [emissive_red, emissive_green, emissive_blue] = material.emissive;
    StandardMaterial {
        base_color: Color::linear_rgba(red, green, blue, alpha),
        emissive: LinearRgba::rgb(emissive_red, emissive_green, emissive_blue),
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        double_sided: material.two_sided,
        cull_mode: (!material.two_sided).then_some(Face::Back),
        unlit: material.unlit,
        alpha_mode: match material.alpha {
            Alpha::Opaque => AlphaMode::Opaque,
            Alpha::Mask => AlphaMode::Mask(material.cutoff),
            Alpha::Blend => AlphaMode::Blend,
        },
        base_color_channel: channel(material.texture_set),
        normal_map_channel: channel(material.height_map.as_ref().map_or(0, |map| map.set)),
        ..StandardMaterial::default()
    }
}
