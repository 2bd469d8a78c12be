//! Materials, shaders, textures and images.
//!
//! [`Assets::open`](crate::Assets::open) resolves the materials of a model. A Quake 3 surface gets the properties of its shader
//! ([`Shader::apply`]), an Unreal mesh the texture files that its script imports, and a UNIGINE surface the material
//! with its name. Textures are found, but not read or decoded. [`Assets::texture_file`](crate::Assets::texture_file) returns the texture of a
//! material as PNG or JPEG, [`Assets::texture_image`](crate::Assets::texture_image) its pixels, and
//! [`Assets::texture_blocks`](crate::Assets::texture_blocks) the compressed blocks of a DDS file as a GPU reads them.
//!
//! # Names of textures
//!
//! A name is looked up from the root of the mounts, then from the folder of the model. Each of these is searched for
//! the unchanged name, and then for the name with every extension of [`IMAGE_EXTENSIONS`] instead of its own, because
//! games often name a file of another type. If a name is still not found, the part that starts with its component
//! `models`, `textures`, `gfx`, `sprites`, `icons` or `env` is looked up, and then its last component in the folder of
//! the model. Only the mounts are searched.
//!
//! # Alpha
//!
//! A material without a shader is opaque, independent of the alpha of its image. `alphaFunc` makes a mask, and
//! `blendFunc` makes the surface transparent. For colors that are added or multiplied, the alpha is computed from the
//! color ([`TextureAlpha`]).

pub mod codes;
mod find;
mod image;
mod parser;
mod resolve;
mod scripts;
mod shader;
mod surface;
mod text;
mod texture;
mod unigine;
mod unreal;
mod words;
mod write;

pub use find::IMAGE_EXTENSIONS;
pub use image::{BlockFormat, Image, ImageError, ImageFormat, ImageLimits};
pub use meshlens::model::{Alpha, Material, TextureAlpha, TextureCoordinates, Wrap};
pub use scripts::{FoundShader, Shaders};
pub use shader::{
    AlphaTest, BlendFactor, ColorGen, Cull, MAX_FAULTS, MAX_STAGES, Shader, ShaderScript, Stage, StageImage,
};
pub use texture::{BlockTexture, TextureFile};
pub use write::shader_text;

pub(crate) use resolve::{named_shader, numbered_skin, resolve};
pub(crate) use shader::key;
pub(crate) use write::drawn;
