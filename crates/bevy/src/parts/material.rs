//! Materials and textures.

use bevy::color::{Color, LinearRgba};
use bevy::image::{Image, ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::material::AlphaMode;
use bevy::pbr::StandardMaterial;
use bevy::render::render_resource::{Extent3d, Face, TextureDimension, TextureFormat};
use meshlens::model::{Alpha, Material, Wrap};
use meshlens_assets::material::ImageLimits;

use super::{MaterialPart, MeshlensParts};

impl MeshlensParts {
    /// Adds the materials of a node and their textures.
    pub(super) fn add_materials(&mut self, node: usize, limits: &ImageLimits) {
        let model = self.model.clone();
        let usages = model.settings().load_materials;
        let (Some(scene), Some(assets)) = (model.node_scene(node), model.assets(node)) else {
            return;
        };
        let Some(of) = scene.nodes.first() else { return };
        for material in &of.model.materials {
            let image = if usages.is_empty() {
                None
            } else {
                assets.texture_image(material, limits).unwrap_or_else(|error| {
                    self.fail(error.into());
                    None
                })
            };
            let texture = image.map(|mut image| {
                if material.alpha == Alpha::Opaque {
                    image.make_opaque();
                }
                let size = Extent3d { width: image.width, height: image.height, depth_or_array_layers: 1 };
                let format = TextureFormat::Rgba8UnormSrgb;
                let mut texture = Image::new(size, TextureDimension::D2, image.rgba, format, usages);
                texture.sampler = sampler(material);
                self.textures.push(texture);
                self.textures.len() - 1
            });
            self.materials.push(MaterialPart {
                name: material.name.clone(),
                material: standard(material),
                texture,
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
    ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u,
        address_mode_v,
        ..ImageSamplerDescriptor::linear()
    })
}

/// A material without its texture. The formats do not define gloss, so surfaces are rough.
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
        ..StandardMaterial::default()
    }
}
