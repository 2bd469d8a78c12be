//! A model in GPU memory: the stored arrays of all frames of all meshes.

use std::ops::Range;
use std::sync::Arc;

use glam::Mat4;
use meshlens::Model;
use meshlens::model::{Blend, Handedness, IndexFormat, Material, Winding};
use wgpu::BufferUsages;

use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::layout::Binding;
use crate::plan::{MeshPlan, Per, Storage, TablePlan};
use crate::shader::{BufferSlot, Joints, MeshLayout};
use crate::upload::{Table, Uploader};

/// Options of an upload.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UploadOptions {
    /// The form of the arrays: stored or decoded.
    pub storage: Storage,
    /// Whether edges are uploaded too, so that the model can be drawn as a wireframe.
    pub wires: bool,
    /// The level of detail, 0 for the finest. Meshes of other levels are not uploaded; for a level that no mesh has, no
    /// meshes are uploaded.
    pub lod: usize,
}

impl UploadOptions {
    /// The same options with decoded arrays.
    #[must_use]
    pub const fn decoded(self) -> Self {
        UploadOptions { storage: Storage::Decoded, ..self }
    }

    /// The same options with edges.
    #[must_use]
    pub const fn with_wires(self) -> Self {
        UploadOptions { wires: true, ..self }
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
    /// Data computed for drawing that are not stored as arrays in the file: numbers of points and corners, joints,
    /// weights.
    pub made: u64,
}

/// A model in GPU memory. It does not borrow the file.
#[derive(Debug)]
pub struct GpuModel {
    pub(crate) meshes: Vec<GpuMesh>,
    pub(crate) materials: Vec<Material>,
    pub(crate) winding: Winding,
    /// Whether the space of the model is left-handed, so that a conversion to a right-handed world mirrors coordinates.
    pub(crate) is_left_handed: bool,
    pub(crate) placement: Mat4,
    /// The matrices of the joints in the space of the model, at rest.
    pub(crate) rest: Vec<Mat4>,
    frame_count: usize,
    memory: Memory,
}

/// A mesh in GPU memory.
#[derive(Debug)]
pub(crate) struct GpuMesh {
    pub(crate) layout: MeshLayout,
    pub(crate) tables: Vec<Table>,
    /// The size of a frame of each table in bytes.
    pub(crate) frame_sizes: Vec<u64>,
    pub(crate) frame_count: usize,
    /// The shader. Its first line has the strides, so that equal texts have equal pipelines.
    pub(crate) shader: Arc<str>,
    /// The source of the joints in the shader.
    pub(crate) joints: Joints,
    /// The vertex buffers of the shader.
    pub(crate) slots: Vec<BufferSlot>,
    /// The bind group of its numbers and texels.
    pub(crate) group: wgpu::BindGroup,
    pub(crate) indices: wgpu::Buffer,
    pub(crate) index_format: wgpu::IndexFormat,
    /// The material of each part, and its indices.
    pub(crate) parts: Vec<(Option<usize>, Range<u32>)>,
    pub(crate) wires: Option<(wgpu::Buffer, u32)>,
    /// Inverse bind matrices, if joints move the mesh.
    pub(crate) binds: Option<Vec<Mat4>>,
    pub(crate) material: Option<usize>,
}

impl GpuModel {
    /// Uploads a model. The bytes of the file are copied once, into mapped memory of the GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if an index is out of range, before anything of its mesh is uploaded; [`Error::Limit`] with the
    /// limit of the device that is too small; errors of the device.
    pub fn new(gpu: &Gpu, model: &Model<'_>, options: &UploadOptions) -> Result<GpuModel> {
        gpu.check()?;
        let mut uploader = Uploader::new(gpu);
        let mut memory = Memory::default();
        let mut meshes = Vec::new();
        for mesh in model.meshes.iter().filter(|mesh| mesh.lod == options.lod && mesh.triangle_count() > 0) {
            let plan = MeshPlan::new(mesh, options.storage)?;
            if plan.triangles.triangles.is_empty() {
                continue;
            }
            let joints = Joints::of(gpu, model.joints.len());
            let mut uploaded = upload(gpu, &mut uploader, &plan, joints, options, &mut memory)?;
            uploaded.binds =
                mesh.skin.as_ref().filter(|_| uploaded.layout.is_skinned()).map(|skin| skin.to_vec());
            uploaded.material = mesh.material;
            meshes.push(uploaded);
        }
        memory.total = uploader.finish()?;
        let pose: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut rest = Vec::new();
        meshlens::model::world_into(&model.joints, &pose, &mut rest);
        Ok(GpuModel {
            meshes,
            materials: model.materials.clone(),
            winding: model.space.winding,
            is_left_handed: model.space.handedness() == Handedness::Left,
            placement: model.placement,
            rest,
            frame_count: model.frame_count(),
            memory,
        })
    }

    /// The GPU memory of the model.
    pub const fn memory(&self) -> Memory {
        self.memory
    }

    /// The number of meshes that have triangles.
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
            return Err(Error::Argument(format!("{blend:?} of a model with {count} frames")));
        }
        Ok(())
    }
}

fn upload(
    gpu: &Gpu,
    uploader: &mut Uploader<'_>,
    plan: &MeshPlan<'_>,
    joints: Joints,
    options: &UploadOptions,
    memory: &mut Memory,
) -> Result<GpuMesh> {
    let layout = MeshLayout::new(plan, &gpu.limits());
    let mut tables = Vec::new();
    for (plan, bound) in plan.tables.iter().zip(&layout.tables) {
        let before = uploader.bytes;
        tables.push(match &bound.binding {
            Binding::Attributes(_) => uploader.attributes(plan)?,
            Binding::Texels(texels) => uploader.texels(plan, *texels)?,
        });
        if plan.frames.len() > 1 {
            memory.per_frame += plan.frame_size();
        }
        if plan.is_made() {
            memory.made += uploader.bytes - before;
        }
    }
    let format = plan.triangles.index_format();
    let triangles = &plan.triangles.triangles;
    let indices = plan.triangles.index_bytes()?;
    let indices = uploader.bytes("the triangles of a mesh", indices, BufferUsages::INDEX)?;
    memory.indices += indices.size();
    let wires = if options.wires {
        let lines = edges(triangles);
        let count = lines.len() as u32;
        let bytes = lines.into_iter().flat_map(u32::to_le_bytes).collect();
        Some((uploader.bytes("the edges of a mesh", bytes, BufferUsages::INDEX)?, count))
    } else {
        None
    };
    let group = bind_group(gpu, uploader, plan, &layout, &tables)?;
    // A model has fewer than 2^32 indices, because every index takes at least one byte of a file in memory.
    let range = |part: Range<usize>| part.start as u32 * 3..part.end as u32 * 3;
    Ok(GpuMesh {
        frame_sizes: plan.tables.iter().map(|table| table.frame_size()).collect(),
        frame_count: plan.frame_count,
        shader: layout.pipeline_key(joints).into(),
        joints,
        slots: layout.buffers(),
        group,
        layout,
        tables,
        indices,
        index_format: match format {
            IndexFormat::Uint16 => wgpu::IndexFormat::Uint16,
            IndexFormat::Uint32 => wgpu::IndexFormat::Uint32,
        },
        parts: plan
            .triangles
            .parts
            .iter()
            .map(|part| (part.material, range(part.triangles.clone())))
            .collect(),
        wires,
        binds: None,
        material: None,
    })
}

/// The numbers of a mesh (points, corners and vertices of a frame) and its tables that are texels.
fn bind_group(
    gpu: &Gpu,
    uploader: &mut Uploader<'_>,
    plan: &MeshPlan<'_>,
    layout: &MeshLayout,
    tables: &[Table],
) -> Result<wgpu::BindGroup> {
    let count = |table: &TablePlan<'_>| table.count as u32;
    let of = |per| plan.tables.iter().find(|table| table.per == per).map_or(0, count);
    let counts = [of(Per::Point), of(Per::Corner), plan.triangles.vertex_count as u32, 0];
    let counts = counts.into_iter().flat_map(u32::to_le_bytes).collect();
    let counts = uploader.bytes("the numbers of a mesh", counts, BufferUsages::UNIFORM)?;
    let view = |table: &Table| match table {
        Table::Texels(texture) => Some(texture.create_view(&wgpu::TextureViewDescriptor::default())),
        Table::Attributes(_) => None,
    };
    let views: Vec<_> = tables.iter().map(view).collect();
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: counts.as_entire_binding() }];
    for (binding, view) in (1..).zip(&views) {
        if let Some(view) = view {
            entries
                .push(wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) });
        }
    }
    Ok(gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("mesh"),
        layout: &crate::render::pipeline::mesh_layout(gpu.device(), layout),
        entries: &entries,
    }))
}

/// The edges of triangles, each once: two vertex indices for each.
fn edges(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_flattened()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_of_two_triangles_is_drawn_once() {
        assert_eq!(edges(&[[0, 1, 2], [2, 1, 3]]), [0, 1, 0, 2, 1, 2, 1, 3, 2, 3]);
    }
}
