//! Materials and their textures.

use meshlens::model::{Alpha, ImageBytes, Material, TextureAlpha, TextureCoordinates, Wrap};

use crate::Error;
use crate::buffer::Content;
use crate::builder::{Builder, ImageKey, added};
use crate::codes;
use crate::json::{self, AlphaMode, MaterialExtension, MaterialExtras, NEAREST, TextureInfo, WrapMode};
use crate::memory::ROOM;
use crate::stored::{Elements, Use};

/// A texture that [`FindTexture`](crate::FindTexture) returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Texture {
    /// A file that is not embedded, by its URI relative to the output.
    File(String),
    /// The content of a PNG or JPEG file, which is embedded.
    Embedded {
        /// `image/png` or `image/jpeg`.
        mime_type: &'static str,
        /// The bytes of the file, which are shared until the export is dropped. Their memory is not charged to the
        /// export.
        bytes: ImageBytes,
    },
    /// The average linear color of an environment map: red, green, blue and alpha. The material becomes metallic with
    /// this color, because its texture coordinates are not usable ([`TextureCoordinates::Environment`]).
    Reflection([f32; 4]),
}

/// The roughness of a metallic material in place of an environment map.
const ROUGHNESS: f32 = 0.25;

impl Builder<'_, '_, '_> {
    /// The index of the material of a mesh with some sets of texture coordinates. It is added unless an equal one exists.
    pub(crate) fn material(&mut self, material: &Material, sets: usize) -> Result<usize, Error> {
        // glTF has no texture whose coordinates the mesh does not have.
        let in_mesh = |set: usize| sets.checked_sub(1).map(|last| if set <= last { set } else { 0 });
        let set = in_mesh(material.texture_set);
        let relief = material.height_map.as_ref().and_then(|map| Some((map, in_mesh(map.set)?)));
        // The text of an image is only its length.
        let images = [material.image.clone(), material.normal_map.as_ref().map(|map| map.image.clone())];
        let key = (format!("{set:?} {:?} {material:?}", relief.map(|(_, set)| set)), images);
        if let Some(index) = self.materials.get(&key) {
            return Ok(*index);
        }
        let records = size_of::<(json::Material, (String, ImageKey, usize), json::Image, json::Texture)>();
        self.memory.bytes(ROOM * records + 4 * key.0.len(), "a material")?;
        let is_environment = material.texture_coordinates == TextureCoordinates::Environment;
        let texture = match set.filter(|_| !is_environment) {
            Some(tex_coord) => self.texture(material)?.map(|index| TextureInfo { index, tex_coord }),
            None => None,
        };
        let normal_map = material.normal_map.as_ref().filter(|_| relief.is_none());
        let normals =
            normal_map.zip(texture.as_ref()).map(|(map, color)| (map.material(false), color.tex_coord));
        let height = relief.is_some();
        let relief = match relief.map(|(map, set)| (map.material(), set)).or(normals) {
            Some((map, tex_coord)) => {
                let relief = Material { wrap: material.wrap, nearest: material.nearest, ..map };
                self.texture(&relief)?.map(|index| TextureInfo { index, tex_coord })
            }
            None => None,
        };
        let reflection =
            match self.options.textures.filter(|_| is_environment).and_then(|find| find(material)) {
                Some(Texture::Reflection(color)) => Some(color),
                _ => None,
            };
        let reflected = reflection.unwrap_or([1.0; 4]);
        let color: [f32; 4] = std::array::from_fn(|at| material.color[at] * reflected[at]);
        // A metallic material without lighting would be a plain color.
        let unlit = material.unlit && reflection.is_none();
        if unlit {
            self.use_extension("KHR_materials_unlit", false);
        }
        // JSON has no NaN.
        let in_range = |value: f32, otherwise: f32| {
            if value.is_nan() { otherwise } else { value.clamp(0.0, 1.0) }
        };
        let has_texture = texture.is_some();
        let emissive = material.emissive.map(|value| in_range(value, 0.0));
        let cutoff = in_range(material.cutoff, Material::DEFAULT_CUTOFF);
        // Colors have losses of their own, and hidden surfaces are not written.
        let back = Material {
            texture_alpha: if has_texture { material.texture_alpha } else { TextureAlpha::Stored },
            texture_coordinates: if reflection.is_some() {
                material.texture_coordinates
            } else {
                TextureCoordinates::Stored
            },
            texture_set: texture.as_ref().map_or(0, |texture| texture.tex_coord),
            height_map: material
                .height_map
                .clone()
                .filter(|map| relief.as_ref().is_some_and(|found| found.tex_coord == map.set)),
            normal_map: material.normal_map.clone().filter(|_| relief.is_some() && !height),
            wrap: if has_texture { material.wrap } else { [Wrap::Repeat; 2] },
            nearest: has_texture && material.nearest,
            emissive,
            cutoff,
            sprites: false,
            ..material.clone()
        };
        if let Some(message) = material.lost(&back) {
            self.loss(&meshlens::codes::MATERIAL_LOST, 1, message)?;
        }
        if material.color.iter().chain(&material.emissive).any(|value| value.is_nan()) {
            let message = format!("material {}: colors that are not numbers", material.name);
            self.loss(&codes::COLOR_NOT_FINITE, 1, message)?;
        }
        let brighter = color.iter().filter(|part| **part > 1.0).count();
        if brighter > 0 {
            let message =
                format!("material {}: {brighter} components of its color are above 1", material.name);
            self.loss(&codes::COLOR_CLAMPED, brighter, message)?;
        }
        let made = json::Material {
            name: material.name.clone(),
            pbr_metallic_roughness: json::Pbr {
                base_color_factor: color.map(|value| in_range(value, 1.0)),
                base_color_texture: texture,
                metallic_factor: if reflection.is_some() { 1.0 } else { 0.0 },
                roughness_factor: if reflection.is_some() { ROUGHNESS } else { 1.0 },
            },
            normal_texture: relief,
            emissive_factor: emissive,
            alpha_mode: match material.alpha {
                Alpha::Opaque => AlphaMode::Opaque,
                Alpha::Mask => AlphaMode::Mask,
                Alpha::Blend => AlphaMode::Blend,
            },
            alpha_cutoff: (material.alpha == Alpha::Mask)
                .then_some(cutoff)
                .filter(|cutoff| *cutoff != Material::DEFAULT_CUTOFF),
            double_sided: material.two_sided,
            extensions: unlit.then_some(MaterialExtension::Unlit {}),
            extras: MaterialExtras { texture: material.texture.clone() },
        };
        let index = added(&mut self.root.materials, made);
        self.materials.insert(key, index);
        Ok(index)
    }

    fn texture(&mut self, material: &Material) -> Result<Option<usize>, Error> {
        if material.texture.is_none() && material.image.is_none() {
            return Ok(None);
        }
        let (path, image) = (material.texture.clone(), material.image.clone());
        let height = (material.height_scale.map(f32::to_bits), material.flips_y);
        let key = (path, image, material.texture_alpha, material.alpha == Alpha::Opaque, height);
        let image = match self.images.get(&key) {
            Some(image) => *image,
            None => {
                let found = self.options.textures.and_then(|find| find(material));
                let path = material.texture.as_deref();
                let made = found.map(|texture| self.image(path, texture)).transpose()?.flatten();
                self.images.insert(key, made);
                made
            }
        };
        let Some(source) = image else { return Ok(None) };
        let sampler = self.texture_sampler(material);
        if let Some(index) = self.textures.get(&(source, sampler)) {
            return Ok(Some(*index));
        }
        let index = added(&mut self.root.textures, json::Texture { sampler, source });
        self.textures.insert((source, sampler), index);
        Ok(Some(index))
    }

    /// The index of a sampler. It is added unless an equal one exists. Textures without a sampler repeat.
    fn texture_sampler(&mut self, material: &Material) -> Option<usize> {
        if material.wrap == [Wrap::Repeat; 2] && !material.nearest {
            return None;
        }
        let filter = material.nearest.then_some(NEAREST);
        let [wrap_s, wrap_t] = material.wrap.map(|wrap| match wrap {
            Wrap::Repeat => WrapMode::Repeat,
            Wrap::Mirror => WrapMode::Mirror,
            Wrap::Clamp => WrapMode::Clamp,
        });
        let sampler = json::TextureSampler { mag_filter: filter, min_filter: filter, wrap_s, wrap_t };
        let samplers = &mut self.root.samplers;
        let known = samplers.iter().position(|other| *other == sampler);
        Some(known.unwrap_or_else(|| added(samplers, sampler)))
    }

    fn image(&mut self, path: Option<&str>, texture: Texture) -> Result<Option<usize>, Error> {
        let image = match texture {
            // Only environment maps have a reflection.
            Texture::Reflection(_) => return Ok(None),
            Texture::File(uri) => json::Image { uri: Some(uri), ..json::Image::default() },
            Texture::Embedded { mime_type, bytes } => {
                let len = bytes.len() as u64;
                let content = Content::Shared(bytes);
                json::Image {
                    mime_type: Some(mime_type.into()),
                    buffer_view: Some(self.content_view(Use::Image, Elements::Opaque, content, len)?),
                    name: path.map(String::from),
                    ..json::Image::default()
                }
            }
        };
        // Equal bytes are one view.
        let images = &mut self.root.images;
        let is_same = |known: &json::Image| {
            (&known.uri, &known.mime_type, known.buffer_view)
                == (&image.uri, &image.mime_type, image.buffer_view)
        };
        let known = images.iter().position(is_same);
        Ok(Some(known.unwrap_or_else(|| added(images, image))))
    }
}
