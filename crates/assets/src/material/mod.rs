//! Materials as the games mean them: shaders, textures by name, and images.
//!
//! [`Assets::open`] resolves the materials of a model: a Quake 3 surface gets what its shader says ([`Shader::apply`]), an
//! Unreal mesh the files that its script imports, a UNIGINE surface the material of its name. Textures are found, and neither
//! read nor decoded. [`Assets::texture_file`] gives the texture of a material as PNG or JPEG, and [`Assets::texture_image`]
//! its pixels.
//!
//! # Names of textures
//!
//! A name is looked for from the root of the mounts, then from the folder of the model. Each place is searched for the name as
//! it is, and then for every extension of [`IMAGE_EXTENSIONS`] in place of its own, since games name one file and ship another.
//! A name that is still not found is looked for from its folder `models`, `textures`, `gfx`, `sprites`, `icons` or `env` on,
//! and by its last component beside the model. Nothing outside the mounts is looked for.
//!
//! # Alpha
//!
//! A material without a shader is opaque, whatever the alpha of its image. `alphaFunc` makes a mask, `blendFunc` makes the
//! surface transparent, and colours that are added or multiplied get an alpha that is computed from the colours
//! ([`TextureAlpha`]).

pub mod codes;
mod find;
mod image;
mod lexer;
mod parser;
mod resolve;
mod scripts;
mod shader;
mod surface;
mod texture;
mod unigine;
mod unreal;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use find::IMAGE_EXTENSIONS;
pub use image::{Image, ImageError, ImageFormat, ImageLimits};
pub use meshlens::model::{Alpha, Material, TextureAlpha, Wrap};
pub use scripts::{FoundShader, Shaders};
pub use shader::{
    AlphaTest, BlendFactor, ColorGen, Cull, MAX_FAULTS, MAX_STAGES, Shader, ShaderScript, Stage, StageImage,
};
pub use texture::TextureFile;

pub(crate) use resolve::resolve;

use crate::{AssetPath, Assets};

/// What is read once for all models of a search path.
#[derive(Default)]
pub(crate) struct Cache {
    shaders: OnceLock<Arc<Shaders>>,
    /// What the files of a folder say of UNIGINE materials, by the folder.
    libraries: Mutex<HashMap<Box<str>, Arc<unigine::Library>>>,
}

impl Cache {
    fn library(&self, folder: &AssetPath, read: impl FnOnce() -> unigine::Library) -> Arc<unigine::Library> {
        let key = folder.folded();
        let libraries = || self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = libraries().get(&key) {
            return library.clone();
        }
        let library = Arc::new(read());
        libraries().entry(key).or_insert(library).clone()
    }
}

impl Assets {
    /// The shaders of all scripts of the mounts (`scripts/*.shader`). They are read once, when they are asked for or when a
    /// Quake 3 model is opened.
    pub fn shaders(&self) -> Arc<Shaders> {
        self.materials().shaders.get_or_init(|| Arc::new(Shaders::read(self))).clone()
    }
}
