//! The writer: makes a canonical file from plain arrays.
//!
//! A canonical file of version 1.0 has zeros in unused fields and ends after its last section. A canonical file of
//! version 2.0 has its chunks in the order of the documents (file header, model header, meshes, materials and bones by
//! number, action range, then unknown ones), and chunks without undocumented bytes. In both, booleans are 0 or 1. A
//! canonical file that is read with [`U3d::parse`](crate::U3d::parse) and written again is the same byte for byte.

mod fields;
mod mend;
mod mesh;
mod read;
mod upgrade;
mod v1;
mod v2;

use alloc::vec::Vec;

use meshlens_wire::{Checks, Result, Writer};

use crate::header::Version;
use crate::layout::STAGES;
use crate::{FORMAT, HeaderV1, codes};
pub use mend::MENDED;
pub(crate) use mend::numbers;
pub use mesh::{Mesh, Shadow};
pub(crate) use read::read_material;

/// The checks of the writer.
const CHECKS: Checks = Checks::new(FORMAT);

/// A model as plain arrays. Fields that only one version has are ignored when the other version is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The version to write.
    pub version: Version,
    /// nMeshPerFrame: the number of meshes that make up one frame in one level of detail.
    pub meshes_per_frame: u32,
    /// nFrame: the number of frames.
    pub frames: u32,
    /// The levels of detail, the highest first.
    pub lods: Vec<Lod>,
    /// VertexTweening: whether frames of meshes are blended.
    pub vertex_tweening: bool,
    /// Version 2.0: the number of floats of a texture coordinate in each set, the same for every mesh.
    pub texcoord_dimensions: [u8; STAGES],
    /// Version 2.0: the number of stored weights of a vertex, the same for every mesh.
    pub skin_weights: u8,
    /// The fields that only the header of version 1.0 has. nLOD is always written with two bytes.
    pub v1: HeaderV1,
    /// Version 2.0: the body of the shader pack template.
    pub shader_pack: Option<Vec<u8>>,
    /// Version 2.0: bytes after the documented fields of the model header chunk.
    pub extra: Vec<u8>,
    /// The meshes, in file order.
    pub meshes: Vec<Mesh>,
    /// The materials, by number.
    pub materials: Vec<Material>,
    /// The bones, by number.
    pub bones: Vec<Bone>,
    /// Version 2.0: the actions; `None` for a file without an action range chunk.
    pub actions: Option<Vec<Action>>,
    /// Version 2.0: identifier and body of chunks that are not part of the format. They are written last.
    pub unknown: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lod {
    /// Version 1.0: the fraction of triangles, 0 to 1; not written for the highest level.
    pub fraction: f32,
    /// Version 1.0: the squared distance at which it begins; not written for the highest level. Version 2.0: the
    /// distance at which it ends.
    pub distance: f32,
}

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name, without NUL.
    pub name: Vec<u8>,
    /// Ambient color, r, g, b, a.
    pub ambient: [f32; 4],
    /// Diffuse color.
    pub diffuse: [f32; 4],
    /// Specular color.
    pub specular: [f32; 4],
    /// Emissive color.
    pub emissive: [f32; 4],
    /// The exponent of the specular highlights.
    pub specular_power: f32,
    /// Version 2.0: MaterialDepth, for parallax mapping.
    pub depth: f32,
    /// Version 2.0: ParallaxQuality, 1.0 by default.
    pub parallax_quality: f32,
    /// Version 1.0: nTexture, the number of texture stages in use.
    pub texture_count: u16,
    /// pColorOp: the color operation of each texture stage.
    pub color_ops: [u32; STAGES],
    /// piTexCoordSet: the texture coordinate set of each stage.
    pub texcoord_sets: [u32; STAGES],
    /// The texture of each stage.
    pub textures: [Option<Texture>; STAGES],
    /// Version 1.0: the bytes that an opaque material has after its stages, instead of textures.
    pub opaque: Option<Vec<u8>>,
    /// Version 2.0: the body of the shader pack.
    pub shader_pack: Option<Vec<u8>>,
    /// Version 2.0: bytes after the documented fields of the chunk.
    pub extra: Vec<u8>,
}

impl Material {
    /// The bytes of the material with number 0; `None` if it cannot be written.
    pub(crate) fn stored(&self, version: Version) -> Option<Vec<u8>> {
        let mut out = Writer::new(FORMAT);
        let written = match version {
            Version::V1 => v1::write_material(&mut out, self),
            _ => v2::write_material(&mut out, self, 0),
        };
        written.ok().map(|()| out.finish())
    }
}

/// A texture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Version 1.0: a unique identifier.
    pub identifier: Vec<u8>,
    /// The width; in version 1.0 at most 65535.
    pub width: u32,
    /// The height; in version 1.0 at most 65535.
    pub height: u32,
    /// Version 2.0: whether it is a height map.
    pub is_normal_map: bool,
    /// Version 2.0: HeightScalar, the height of the height map.
    pub height_scalar: f32,
    /// One path, or the six paths of a cube texture in version 2.0.
    pub files: Vec<Vec<u8>>,
}

/// A bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The name, without NUL.
    pub name: Vec<u8>,
    /// The number of the parent; `None` for a root.
    pub parent: Option<u32>,
    /// BoneFrame: the frame that the bone is always at, unless it is negative.
    pub bone_frame: f32,
    /// PassOnBoneFrame: whether children inherit the frame of this bone.
    pub pass_on: bool,
    /// The index and the column-major mesh to bone space matrix of each appended mesh.
    pub meshes: Vec<(u32, [[f32; 4]; 4])>,
    /// The scaling keys: frame and vector.
    pub scaling_keys: Vec<(u32, [f32; 3])>,
    /// The translation keys: frame and vector.
    pub translation_keys: Vec<(u32, [f32; 3])>,
    /// The rotation keys: frame and quaternion x, y, z, w.
    pub rotation_keys: Vec<(u32, [f32; 4])>,
    /// Version 2.0: bytes after the documented fields of the chunk.
    pub extra: Vec<u8>,
}

/// An action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Action {
    /// The name, without NUL.
    pub name: Vec<u8>,
    /// The first frame.
    pub first: u32,
    /// The last frame.
    pub last: u32,
}

impl Model {
    /// Makes an empty model with one frame and one level of detail.
    pub fn new(version: Version) -> Self {
        Model {
            version,
            meshes_per_frame: 1,
            frames: 1,
            lods: [Lod { fraction: 1.0, distance: if version.is_v1() { 0.0 } else { f32::MAX } }].into(),
            vertex_tweening: false,
            texcoord_dimensions: [0; STAGES],
            skin_weights: 0,
            v1: HeaderV1::default(),
            shader_pack: None,
            extra: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            bones: Vec::new(),
            actions: None,
            unknown: Vec::new(),
        }
    }

    /// Writes the canonical file. O(file).
    ///
    /// # Errors
    ///
    /// The lengths of arrays do not match, an index is out of range, a number or size does not fit in its field, or a
    /// string contains a NUL.
    pub fn write(&self) -> Result<Vec<u8>> {
        match self.version {
            Version::V1 => v1::write(self),
            Version::V2 { minor, sub_minor } => v2::write(self, minor, sub_minor),
        }
    }

    /// Writes the canonical file and encrypts it. O(file).
    ///
    /// # Errors
    ///
    /// Same as [`write`](Self::write). Also if the version is 1.0, whose encryption is not documented, or the password
    /// is empty or longer than 16 bytes.
    #[cfg(feature = "aes")]
    pub fn write_encrypted(&self, password: impl AsRef<[u8]>) -> Result<Vec<u8>> {
        crate::U3d::encrypt(&self.write()?, password)
    }
}

impl Material {
    /// Makes a white material without textures.
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        Material {
            name: name.as_ref().into(),
            ambient: [1.0; 4],
            diffuse: [1.0; 4],
            specular: [0.0, 0.0, 0.0, 1.0],
            emissive: [0.0, 0.0, 0.0, 1.0],
            specular_power: 0.0,
            depth: 0.0,
            parallax_quality: 1.0,
            texture_count: 0,
            color_ops: [1; STAGES],
            texcoord_sets: [0; STAGES],
            textures: Default::default(),
            opaque: None,
            shader_pack: None,
            extra: Vec::new(),
        }
    }
}

impl Texture {
    /// Makes a texture from one image file, in the size of the image.
    pub fn new(file: impl AsRef<[u8]>) -> Self {
        let file = file.as_ref();
        Texture { identifier: file.into(), files: [file.into()].into(), ..Texture::default() }
    }
}

impl Bone {
    /// Makes a bone without keys or meshes.
    pub fn new(name: impl AsRef<[u8]>, parent: Option<u32>) -> Self {
        Bone {
            name: name.as_ref().into(),
            parent,
            bone_frame: -1.0,
            pass_on: false,
            meshes: Vec::new(),
            scaling_keys: Vec::new(),
            translation_keys: Vec::new(),
            rotation_keys: Vec::new(),
            extra: Vec::new(),
        }
    }
}
