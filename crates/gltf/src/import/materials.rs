//! The materials of models (glTF 2.0: 5.19. Material, 5.29. Texture).

use meshlens::model::{Alpha, Material, Wrap};

use super::document::{self, Document};
use super::images::name;
use super::json::values;
use crate::json::{AlphaMode, Float, NEAREST, WrapMode};

impl Document {
    /// The texture of a material's color, and the index of its image.
    fn color(&self, material: &document::Material) -> Option<(&document::Texture, Option<usize>)> {
        let info = material.pbr_metallic_roughness.base_color_texture.as_ref()?;
        let texture = self.textures.get(info.index)?;
        Some((texture, texture.image()))
    }

    /// The index of the image of a material's color.
    pub(super) fn color_image(&self, material: &document::Material) -> Option<usize> {
        self.color(material)?.1
    }

    /// The index of the image of a material's normals, if they have the texture coordinates of its color.
    pub(super) fn normal_image(&self, material: &document::Material) -> Option<usize> {
        let color = material.pbr_metallic_roughness.base_color_texture.as_ref()?;
        let normals = material.normal_texture.as_ref().filter(|normals| normals.has_place_of(color))?;
        self.textures.get(normals.index)?.image()
    }

    /// The materials of a model, without their images.
    pub(super) fn model_materials(&self) -> Vec<Material> {
        self.materials.iter().map(|material| self.model_material(material)).collect()
    }

    fn model_material(&self, material: &document::Material) -> Material {
        let mut made = Material::new(material.name.clone().unwrap_or_default());
        made.color = material.pbr_metallic_roughness.base_color_factor.map_or(made.color, values);
        if let Some((texture, image)) = self.color(material) {
            let image = image.and_then(|index| self.images.get(index));
            made.texture = image.and_then(name);
            let sampler = texture.sampler.and_then(|index| self.samplers.get(index));
            let sampler = sampler.copied().unwrap_or_default();
            made.nearest = sampler.mag_filter == Some(NEAREST);
            made.wrap = [sampler.wrap_s, sampler.wrap_t].map(|mode| match mode {
                WrapMode::Repeat => Wrap::Repeat,
                WrapMode::Mirror => Wrap::Mirror,
                WrapMode::Clamp => Wrap::Clamp,
            });
        }
        made.texture = material.extras.texture.clone().or(made.texture);
        made.emissive = material.emissive_factor.map_or([0.0; 3], values);
        made.two_sided = material.double_sided;
        made.alpha = match material.alpha_mode {
            AlphaMode::Opaque => Alpha::Opaque,
            AlphaMode::Mask => Alpha::Mask,
            AlphaMode::Blend => Alpha::Blend,
        };
        made.cutoff = material.alpha_cutoff.map_or(made.cutoff, |Float(cutoff)| cutoff);
        made.unlit = material.extensions.unlit.is_some();
        made
    }
}
