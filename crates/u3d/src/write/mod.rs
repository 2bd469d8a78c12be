//! The writer: plain arrays in, a canonical file out.
//!
//! Canonical means, of version 1.0: unused fields zero, nothing behind the last section. Of version 2.0: chunks in the
//! documents' order (file header, model header, meshes, materials and bones by number, action range, then unknown
//! ones), chunks as long as what is documented of them. In both: booleans 0 or 1. A canonical file read with
//! [`U3d::parse`](crate::U3d::parse) and written again is the same byte for byte.

mod out;
mod read;
mod v1;
mod v2;

use alloc::vec::Vec;

use meshlens_lens::Encode;
use meshlens_lens::encoding::{U3dNormal8, U3dNormal16};
use meshlens_wire::{ErrorKind, Limits, Result};

use crate::header::Version;
use crate::layout::STAGES;
use crate::{HeaderV1, Matrix};
use out::{Out, at, check_corners, error, same};

/// A model as plain arrays. What only one version has is left out when the other is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The version to write.
    pub version: Version,
    /// nMeshPerFrame.
    pub meshes_per_frame: u32,
    /// nFrame.
    pub frames: u32,
    /// The levels of detail, the highest first.
    pub lods: Vec<Lod>,
    /// VertexTweening.
    pub vertex_tweening: bool,
    /// Version 2.0: floats of a texture coordinate in each set, the same for every mesh.
    pub texcoord_dimensions: [u8; STAGES],
    /// Version 2.0: weights of a vertex besides the last one, the same for every mesh.
    pub skin_weights: u8,
    /// What only the header of version 1.0 has. The width of nLOD is always 2.
    pub v1: HeaderV1,
    /// Version 2.0: the body of the shader pack template.
    pub shader_pack: Option<Vec<u8>>,
    /// Version 2.0: bytes behind what is documented of the model header chunk.
    pub extra: Vec<u8>,
    /// The meshes, in file order.
    pub meshes: Vec<Mesh>,
    /// The materials, by number.
    pub materials: Vec<Material>,
    /// The bones, by number.
    pub bones: Vec<Bone>,
    /// Version 2.0: the actions; `None` writes no action range chunk.
    pub actions: Option<Vec<Action>>,
    /// Version 2.0: identifier and body of chunks that are not part of the format, written at the end.
    pub unknown: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lod {
    /// Version 1.0: the share of triangles, 0 to 1; not written for the highest level.
    pub level: f32,
    /// Version 1.0: the squared distance at which it begins; not written for the highest level. Version 2.0: the
    /// distance at which it ends.
    pub distance: f32,
}

/// A mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The name, without NUL.
    pub name: Vec<u8>,
    /// Version 2.0: iMeshPerFrame.
    pub mesh_in_frame: u32,
    /// Version 2.0: iLOD.
    pub lod: u32,
    /// Version 1.0: the share of triangles.
    pub level_of_detail: f32,
    /// The frame.
    pub frame: u32,
    /// NormalScalar.
    pub normal_scalar: f32,
    /// ValidMeshToTangentSpaceMatrices.
    pub has_tangents: bool,
    /// Version 1.0: iMaxBlendingMatrix.
    pub max_bone: u8,
    /// Version 1.0: UseTextureCoordinateBuffer.
    pub uses_texcoord_buffer: bool,
    /// Version 2.0: write normals of two bytes, as early files have them.
    pub legacy_normals: bool,
    /// One for each vertex.
    pub positions: Vec<[f32; 3]>,
    /// Stored latitude and longitude, one for each vertex; of bytes in version 1.0 and where they are legacy.
    pub normals: Vec<[i16; 2]>,
    /// Floats of a texture coordinate in each set.
    pub texcoord_dimensions: [u8; STAGES],
    /// The texture coordinates of each set; `None` to borrow them, in version 1.0.
    pub texcoords: Option<[Vec<f32>; STAGES]>,
    /// Weights of a vertex besides the last one.
    pub skin_weight_count: u8,
    /// That many for each vertex.
    pub skin_weights: Vec<f32>,
    /// The bones of each vertex; empty without weights.
    pub skin_bones: Vec<[u8; 4]>,
    /// Three vertex numbers each, clockwise, and the material of each; `None` to borrow them.
    pub triangles: Option<(Vec<[u32; 3]>, Vec<u16>)>,
    /// nTriangle of a mesh that borrows its triangles.
    pub borrowed_triangles: u32,
    /// Shadow optimized geometry.
    pub shadow: Option<Shadow>,
    /// Version 2.0: bytes behind what is documented of the chunk.
    pub extra: Vec<u8>,
}

/// Shadow optimized geometry of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shadow {
    /// The vertices as they lie, as [`Shadow::vertex_bytes`](crate::Shadow::vertex_bytes) says.
    pub vertices: Vec<u8>,
    /// Three vertex numbers each.
    pub triangles: Vec<[u32; 3]>,
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
    /// Exponent of the specular highlights.
    pub specular_power: f32,
    /// Version 2.0: MaterialDepth.
    pub depth: f32,
    /// Version 2.0: ParallaxQuality.
    pub parallax_quality: f32,
    /// Version 1.0: nTexture.
    pub texture_count: u16,
    /// pColorOp.
    pub color_ops: [u32; STAGES],
    /// piTexCoordSet.
    pub texcoord_sets: [u32; STAGES],
    /// The texture of each stage.
    pub textures: [Option<Texture>; STAGES],
    /// Version 1.0: what an opaque material has behind its stages, instead of textures.
    pub opaque: Option<Vec<u8>>,
    /// Version 2.0: the body of the shader pack.
    pub shader_pack: Option<Vec<u8>>,
    /// Version 2.0: bytes behind what is documented of the chunk.
    pub extra: Vec<u8>,
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
    /// Version 2.0: HeightScalar.
    pub height_scalar: f32,
    /// One path, or in version 2.0 the six of a cube.
    pub files: Vec<Vec<u8>>,
}

/// A bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The name, without NUL.
    pub name: Vec<u8>,
    /// The number of the parent.
    pub parent: Option<u32>,
    /// BoneFrame.
    pub bone_frame: f32,
    /// PassOnBoneFrame.
    pub pass_on: bool,
    /// Number and mesh to bone space matrix of each appended mesh.
    pub meshes: Vec<(u32, Matrix)>,
    /// Scaling keys.
    pub scaling_keys: Vec<(u32, [f32; 3])>,
    /// Translation keys.
    pub translation_keys: Vec<(u32, [f32; 3])>,
    /// Rotation keys, quaternions x, y, z, w.
    pub rotation_keys: Vec<(u32, [f32; 4])>,
    /// Version 2.0: bytes behind what is documented of the chunk.
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
    /// A model of one frame and one level of detail, without content.
    pub fn new(version: Version) -> Self {
        Model {
            version,
            meshes_per_frame: 1,
            frames: 1,
            lods: [Lod { level: 1.0, distance: if version.is_v1() { 0.0 } else { f32::MAX } }].into(),
            vertex_tweening: false,
            texcoord_dimensions: [0; STAGES],
            skin_weights: 0,
            v1: HeaderV1 {
                file_version: 1.0,
                alpha_blending: true,
                lod_count_width: 2,
                ..HeaderV1::default()
            },
            shader_pack: None,
            extra: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            bones: Vec::new(),
            actions: None,
            unknown: Vec::new(),
        }
    }

    /// The canonical file.
    ///
    /// # Errors
    ///
    /// Arrays whose lengths disagree, a vertex number past the vertices, a number or a chunk that its field cannot
    /// hold, a string with a NUL, an encrypted payload asked of version 1.0.
    pub fn write(&self) -> Result<Vec<u8>> {
        match self.version {
            Version::V1 => v1::write(self),
            Version::V2 { minor, sub_minor } => v2::write(self, minor, sub_minor),
        }
    }

    /// The canonical file, encrypted.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); version 1.0, whose encryption nobody has documented; an empty password or one longer
    /// than 16 bytes.
    #[cfg(feature = "aes")]
    pub fn write_encrypted(&self, password: impl AsRef<[u8]>) -> Result<Vec<u8>> {
        crate::encryption::encrypt(&self.write()?, password.as_ref())
    }
}

impl Mesh {
    /// A mesh of this name without content.
    pub fn new(name: &str) -> Self {
        Mesh {
            name: name.into(),
            mesh_in_frame: 0,
            lod: 0,
            level_of_detail: 1.0,
            frame: 0,
            normal_scalar: 1.0,
            has_tangents: false,
            max_bone: 0,
            uses_texcoord_buffer: false,
            legacy_normals: false,
            positions: Vec::new(),
            normals: Vec::new(),
            texcoord_dimensions: [0; STAGES],
            texcoords: Some(Default::default()),
            skin_weight_count: 0,
            skin_weights: Vec::new(),
            skin_bones: Vec::new(),
            triangles: Some(Default::default()),
            borrowed_triangles: 0,
            shadow: None,
            extra: Vec::new(),
        }
    }

    /// Sets positions and normals, encoded as `version` has them; normals need not have length 1.
    ///
    /// # Errors
    ///
    /// Arrays of different lengths.
    pub fn set_vertices(
        &mut self,
        positions: &[[f32; 3]],
        normals: &[[f32; 3]],
        version: Version,
    ) -> Result<()> {
        same("normals", positions.len(), normals.len())?;
        self.positions = positions.to_vec();
        let is_bytes = version.is_v1() || self.legacy_normals;
        let code = |normal: &[f32; 3]| match is_bytes {
            true => U3dNormal8.encode(*normal).map(|byte| i16::from(byte as i8)),
            false => U3dNormal16.encode(*normal).map(|short| short.get()),
        };
        self.normals = normals.iter().map(code).collect();
        Ok(())
    }

    /// Sets the texture coordinates of one set, `dimension` floats for each vertex.
    ///
    /// # Errors
    ///
    /// A set past the eighth; a mesh that borrows its texture coordinates.
    pub fn set_texcoords(&mut self, set: usize, dimension: u8, values: &[f32]) -> Result<()> {
        let sets = self.texcoords.as_mut().and_then(|sets| sets.get_mut(set));
        let (Some(slot), Some(slot_dimension)) = (sets, self.texcoord_dimensions.get_mut(set)) else {
            let index = i64::try_from(set).unwrap_or(i64::MAX);
            let count = STAGES as u64;
            return Err(error(ErrorKind::Index { what: "texture coordinate set", index, count }));
        };
        *slot = values.to_vec();
        *slot_dimension = dimension;
        Ok(())
    }

    /// Sets triangles and the material of each.
    ///
    /// # Errors
    ///
    /// Arrays of different lengths.
    pub fn set_triangles(&mut self, triangles: &[[u32; 3]], materials: &[u16]) -> Result<()> {
        same("triangle materials", triangles.len(), materials.len())?;
        self.triangles = Some((triangles.to_vec(), materials.to_vec()));
        Ok(())
    }

    /// Borrows triangles, and in version 1.0 texture coordinates, from the mesh of frame 0.
    #[must_use]
    pub fn borrowing(mut self, triangles: u32, version: Version) -> Self {
        self.triangles = None;
        self.borrowed_triangles = triangles;
        if version.is_v1() {
            self.texcoords = None;
            self.uses_texcoord_buffer = true;
        }
        self
    }

    /// nTriangle.
    fn triangle_count(&self) -> usize {
        self.triangles.as_ref().map_or(self.borrowed_triangles as usize, |(triangles, _)| triangles.len())
    }

    fn check(&self) -> Result<()> {
        let vertices = self.positions.len();
        same("normals", vertices, self.normals.len())?;
        if let Some(sets) = &self.texcoords {
            for (set, dimension) in sets.iter().zip(self.texcoord_dimensions) {
                same("texture coordinates", vertices.saturating_mul(dimension.into()), set.len())?;
            }
        }
        let weights = usize::from(self.skin_weight_count);
        same("skin weights", vertices.saturating_mul(weights), self.skin_weights.len())?;
        same("bones of vertices", if weights > 0 { vertices } else { 0 }, self.skin_bones.len())?;
        if let Some((triangles, materials)) = &self.triangles {
            same("triangle materials", triangles.len(), materials.len())?;
            check_corners(triangles, vertices)?;
        }
        if let Some(shadow) = &self.shadow {
            let size = self.shadow_vertex_size();
            let vertices = shadow.vertices.len().checked_div(size).unwrap_or_default();
            same("bytes of shadow vertices", vertices.saturating_mul(size), shadow.vertices.len())?;
            check_corners(&shadow.triangles, vertices)?;
        }
        Ok(())
    }

    fn shadow_vertex_size(&self) -> usize {
        (crate::layout::shadow_floats(self.skin_weight_count) as usize).saturating_mul(4)
    }
}

impl Material {
    /// A white material of this name without textures.
    pub fn new(name: &str) -> Self {
        Material {
            name: name.into(),
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
    /// A texture of one file, at its own size.
    pub fn new(file: &str) -> Self {
        Texture { identifier: file.into(), files: [file.into()].into(), ..Texture::default() }
    }
}

impl Bone {
    /// A bone of this name without keys or meshes.
    pub fn new(name: &str, parent: Option<u32>) -> Self {
        Bone {
            name: name.into(),
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

/// What the writer may walk when it reads a model back.
const LIMITS: Limits = Limits::DEFAULT;
