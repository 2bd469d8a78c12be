//! The light for dark models, and a contrasting background. They are measured in a small picture that needs no GPU, so
//! that the model looks the same as in the pictures of the list.

use std::collections::HashMap;

use meshlens::model::{ImageSource, Material, TextureAlpha};
use meshlens::scene::Scene;
use meshlens_assets::material::Image;
use meshlens_thumb::{Options, Texture, tone};

pub use meshlens_thumb::{Background, Tone};

/// The side of the picture that is measured, in pixels.
const SIDE: u32 = 64;

/// The largest side of the textures in it.
const TEXTURE_SIDE: u32 = 256;

/// The properties that determine the pixels of a texture.
type Key = (Option<String>, Option<ImageSource>, TextureAlpha);

/// Small copies of the textures of a model.
#[derive(Debug, Default)]
pub struct Samples(HashMap<Key, Texture>);

impl Samples {
    /// Adds the texture of a material. O(pixels of the copy).
    pub fn add(&mut self, material: &Material, image: &Image) {
        if let Some(copy) = reduced(image) {
            self.0.insert(key(material), copy);
        }
    }

    /// The light and the background of a scene with these textures. O(triangles).
    pub fn tone(&self, scene: &Scene<'_>) -> Tone {
        let textures = |material: &Material| self.0.get(&key(material)).cloned();
        let options = Options { size: SIDE, textures: Some(&textures), ..Options::default() };
        // A model that cannot be drawn without a GPU is shown unchanged.
        tone(scene, &options).unwrap_or(Tone { fill: 0.0, background: Background::Auto })
    }
}

fn key(material: &Material) -> Key {
    (material.texture.clone(), material.image.clone(), material.texture_alpha)
}

/// Every n-th pixel of every n-th row.
fn reduced(image: &Image) -> Option<Texture> {
    let step = image.width.max(image.height).div_ceil(TEXTURE_SIDE).max(1) as usize;
    let rows = image.rgba.chunks_exact((image.width as usize * 4).max(1)).step_by(step);
    let pixels: Vec<u8> =
        rows.flat_map(|row| row.as_chunks::<4>().0.iter().step_by(step)).flatten().copied().collect();
    let [width, height] = [image.width, image.height].map(|side| side.div_ceil(step as u32));
    Texture::new(width, height, &pixels)
}
