//! Materials and their textures.

use meshlens::model::{Alpha, Material};
use serde_json::{Map, Value};

use crate::builder::Builder;
use crate::json;

/// A texture that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Texture {
    /// A file beside the output, by its relative path.
    File(String),
    /// A PNG or JPEG file's content, to be embedded.
    Embedded {
        /// `image/png` or `image/jpeg`.
        mime_type: &'static str,
        /// The file.
        bytes: Vec<u8>,
    },
}

impl Builder<'_, '_, '_> {
    /// The number of a material in the document, made when it is not there yet.
    pub(crate) fn material(&mut self, material: &Material) -> usize {
        let key = format!("{material:?}");
        if let Some(index) = self.materials.get(&key) {
            return *index;
        }
        let texture = material.texture.as_deref().and_then(|path| self.texture(path));
        let mut extras = Map::new();
        if let Some(path) = &material.texture {
            extras.insert("texture".into(), path.as_str().into());
            if texture.is_none() {
                self.loss(format!(
                    "texture {path}: not found as PNG or JPEG; its path is in the material's extras"
                ));
            }
        }
        let mut extensions = Map::new();
        if material.unlit {
            self.use_extension("KHR_materials_unlit", false);
            extensions.insert("KHR_materials_unlit".into(), Value::Object(Map::new()));
        }
        // JSON has no numbers that are none, and what is to be drawn would be anybody's guess.
        let share = |value: f32, otherwise: f32| {
            if value.is_nan() { otherwise } else { value.clamp(0.0, 1.0) }
        };
        if material.color.iter().chain(&material.emissive).any(|value| value.is_nan()) {
            self.loss(format!("material {}: colours that are no numbers", material.name));
        }
        self.root.materials.push(json::Material {
            name: material.name.clone(),
            pbr_metallic_roughness: json::Pbr {
                base_color_factor: material.color.map(|value| share(value, 1.0)),
                base_color_texture: texture.map(|index| json::TextureInfo { index }),
                metallic_factor: 0.0,
            },
            emissive_factor: material.emissive.map(|value| share(value, 0.0)),
            alpha_mode: match material.alpha {
                Alpha::Opaque => None,
                Alpha::Mask => Some("MASK"),
                Alpha::Blend => Some("BLEND"),
            },
            double_sided: material.two_sided,
            extensions,
            extras,
        });
        let index = self.root.materials.len() - 1;
        self.materials.insert(key, index);
        index
    }

    fn texture(&mut self, path: &str) -> Option<usize> {
        if let Some(index) = self.textures.get(path) {
            return *index;
        }
        let found = self.options.textures.and_then(|find| find(path)).map(|texture| {
            let image = match texture {
                Texture::File(uri) => json::Image { uri: Some(uri), ..json::Image::default() },
                Texture::Embedded { mime_type, bytes } => json::Image {
                    mime_type: Some(mime_type),
                    buffer_view: Some(self.bytes_view(bytes)),
                    name: Some(path.into()),
                    ..json::Image::default()
                },
            };
            self.root.images.push(image);
            self.root.textures.push(json::Texture { source: self.root.images.len() - 1 });
            self.root.textures.len() - 1
        });
        self.textures.insert(path.into(), found);
        found
    }
}
