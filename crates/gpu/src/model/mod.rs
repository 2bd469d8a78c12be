//! A model in GPU memory: the stored arrays of all frames of all meshes.

mod mesh;
mod streamed;

use meshlens::Model;
use meshlens::model::{Blend, Material, Winding};

use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::plan::{PlanOptions, Storage};
use crate::upload::Uploader;
pub(crate) use mesh::GpuMesh;

/// Options of an upload.
#[derive(Clone, Copy, Debug, Default)]
pub struct UploadOptions {
    /// The form of the arrays: stored or decoded.
    pub storage: Storage,
    /// Whether normals are computed for meshes that have no stored normals (Unreal): 8 bytes for each vertex in each
    /// frame. Without them, such meshes have flat shading.
    pub smooth_normals: bool,
    /// Whether edges are uploaded too, so that the model can be drawn as a wireframe.
    pub wires: bool,
    /// The level of detail, 0 for the finest. Meshes of other levels are not uploaded; if no mesh has this level, no
    /// meshes are uploaded.
    pub lod: usize,
}

impl UploadOptions {
    /// The options of the plan of a mesh.
    pub(crate) const fn plan(&self, sprites: bool) -> PlanOptions {
        PlanOptions { storage: self.storage, smooth_normals: self.smooth_normals, sprites }
    }
}

/// The GPU memory of a model, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The total.
    pub total: u64,
    /// The memory of one frame of all meshes.
    pub per_frame: u64,
    /// The indices.
    pub indices: u64,
    /// The data that are computed for drawing, because the file does not store them as arrays: indices of points and
    /// corners, joints, weights, colors and computed normals.
    pub made: u64,
}

/// A model in GPU memory. It does not borrow the file.
///
/// Arrays are uploaded as they are stored, all frames of an array into one buffer or texture. To change the frame, the
/// renderer binds the buffer at two other offsets.
///
/// The arrays take the same amount of memory as in the file. In addition:
///
/// - Indices take 2 bytes for each corner of a triangle, or 4 if there are more than 65,535 vertices. MD3 stores 4.
/// - If a format indexes positions and other arrays separately (Unreal, UNIGINE), each vertex has the indices of its
///   point and its corner: 1, 2 or 4 bytes each. If the index buffer and these indices together take over 5 % more
///   memory than the indices of the point and the corner for each corner of each triangle, the latter are uploaded,
///   without an index buffer.
/// - The size of a buffer is rounded up to a multiple of 4 bytes. Arrays whose stride is not a multiple of 4 are textures
///   of integers without padding; the last row of a texture may have unused texels, fewer than there are rows.
/// - A mesh with several frames has 16 bytes of counts if one of its arrays is a texture.
#[derive(Debug)]
pub struct GpuModel {
    pub(crate) meshes: Vec<GpuMesh>,
    pub(crate) materials: Vec<Material>,
    pub(crate) winding: Winding,
    /// Whether the space of the model is left-handed, so that a conversion to a right-handed world mirrors coordinates.
    pub(crate) is_left_handed: bool,
    /// The matrices of the joints in the space of the model, at rest.
    pub(crate) rest: Vec<[[f32; 4]; 4]>,
    /// The material of each mesh of the model.
    mesh_materials: Vec<Option<usize>>,
    options: UploadOptions,
    frame_count: usize,
    memory: Memory,
}

impl GpuModel {
    /// Uploads a model. The bytes of the file are copied once, into mapped memory of the GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if an index is out of range, before any part of its mesh is uploaded; [`Error::Limit`] with the
    /// limit of the device that is too small; errors of the device.
    pub fn new(gpu: &Gpu, model: &Model<'_>, options: &UploadOptions) -> Result<GpuModel> {
        let mut uploaded = GpuModel::streamed(gpu, model, options)?;
        let (mut uploader, mut memory) = (Uploader::new(gpu), Memory::default());
        for (index, mesh) in model.meshes.iter().enumerate() {
            if mesh.lod != options.lod || mesh.triangle_count() == 0 {
                continue;
            }
            let frames = 0..mesh.frame_count();
            let made = GpuMesh::new(&mut uploader, &mut memory, &uploaded, index, mesh, frames)?;
            uploaded.meshes.extend(made);
        }
        uploaded.memory = Memory { total: uploader.finish()?, ..memory };
        Ok(uploaded)
    }

    /// The GPU memory of the model.
    pub const fn memory(&self) -> Memory {
        self.memory
    }

    /// The number of meshes that have triangles and are uploaded.
    pub const fn mesh_count(&self) -> usize {
        self.meshes.len()
    }

    /// The number of vertex frames.
    pub const fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// The number of joints.
    pub fn joint_count(&self) -> usize {
        self.rest.len()
    }

    /// The materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Checks that the frames of a blend exist.
    pub(crate) fn check_blend(&self, blend: Blend) -> Result<()> {
        let count = self.frame_count.max(1);
        if blend.a >= count || blend.b >= count || !blend.weight.is_finite() {
            return Err(Error::argument(format!("{blend:?} of a model with {count} frames")));
        }
        Ok(())
    }
}
