//! Enumerations of streaming.

/// The kind of a part that can be loaded separately.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_part_kind {
    /// A kind that this version of the header does not define.
    ML_PART_OTHER = 0,
    /// The headers. In UNIGINE, everything before the first table.
    ML_PART_HEADER = 1,
    /// The bounding volume if the file stores one (MD3, UNIGINE), otherwise the positions that it is computed from.
    ML_PART_BOUNDS = 2,
    /// The names of meshes and frames.
    ML_PART_NAMES = 3,
    /// Materials and the paths of textures.
    ML_PART_MATERIALS = 4,
    /// The joints.
    ML_PART_SKELETON = 5,
    /// The tags in every frame (MD3).
    ML_PART_TAGS = 6,
    /// The triangles of a mesh, and their materials.
    ML_PART_INDICES = 7,
    /// All texture coordinates of a mesh.
    ML_PART_TEXCOORDS = 8,
    /// The colors of a mesh.
    ML_PART_COLORS = 9,
    /// The joints that move a mesh, and their weights.
    ML_PART_WEIGHTS = 10,
    /// Positions, normals and tangents of a mesh in one frame or morph target.
    ML_PART_FRAME = 11,
    /// All frames of an animation of joints.
    ML_PART_CLIP = 12,
    /// The data of a vertex buffer and an index buffer of a mesh in one frame.
    ML_PART_MESH = 13,
    /// Every mesh of a level of detail in frame 0.
    ML_PART_LOD = 14,
    /// All bytes of all files.
    ML_PART_WHOLE = 15,
    /// No part: makes the type 32 bits wide.
    ML_PART_FORCE_32_BITS = 0x7fff_ffff,
}

/// The state of a request.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_request_state {
    /// It waits for its turn, or for the plan of its model.
    ML_REQUEST_QUEUED = 0,
    /// Its bytes are being read.
    ML_REQUEST_LOADING = 1,
    /// Its bytes are in memory and are being decoded.
    ML_REQUEST_DECODING = 2,
    /// It was cancelled; its buffers may still be in use.
    ML_REQUEST_CANCELLING = 3,
    /// It has ended: the part is loaded and the buffers are filled.
    ML_REQUEST_READY = 4,
    /// It has ended with an error, which ml_get_loaded returns.
    ML_REQUEST_FAILED = 5,
    /// It has ended: it was cancelled.
    ML_REQUEST_CANCELLED = 6,
    /// No state: makes the type 32 bits wide.
    ML_REQUEST_FORCE_32_BITS = 0x7fff_ffff,
}
