//! A mesh in GPU memory: its tables, its shader and its triangles.

use std::ops::Range;
use std::sync::Arc;

use glam::Mat4;
use meshlens::model::{IndexFormat, Mesh};
use wgpu::BufferUsages;

use super::{GpuModel, Memory};
use crate::error::Result;
use crate::groups;
use crate::layout::Binding;
use crate::plan::{MeshPlan, Per, TablePlan, Triangles};
use crate::shader::{BufferSlot, Joints, MeshLayout};
use crate::upload::{Table, Uploader};

/// A mesh in GPU memory.
#[derive(Debug)]
pub(crate) struct GpuMesh {
    /// The index of the mesh in the model.
    pub(crate) index: usize,
    pub(crate) layout: MeshLayout,
    pub(crate) tables: Vec<Table>,
    /// The size of a frame of each table in bytes.
    pub(crate) frame_sizes: Vec<u64>,
    /// Whether each frame is uploaded.
    pub(crate) loaded: Vec<bool>,
    /// The shader. Its first line has the strides, so that equal texts have equal pipelines.
    pub(crate) shader: Arc<str>,
    /// The source of the joints in the shader.
    pub(crate) joints: Joints,
    /// The vertex buffers of the shader.
    pub(crate) slots: Vec<BufferSlot>,
    /// The bind group of its counts and texels.
    pub(crate) group: wgpu::BindGroup,
    /// The index buffer; `None` if vertices are drawn in their order.
    pub(crate) indices: Option<(wgpu::Buffer, wgpu::IndexFormat)>,
    /// The material of each part, and its indices.
    pub(crate) parts: Vec<(Option<usize>, Range<u32>)>,
    pub(crate) wires: Option<(wgpu::Buffer, u32)>,
    /// Inverse bind matrices, if joints move the mesh.
    pub(crate) binds: Option<Vec<Mat4>>,
    pub(crate) material: Option<usize>,
    /// The triangles without their indices, if frames are missing. They determine how arrays are indexed.
    pub(super) vertices: Option<Triangles>,
}

impl GpuMesh {
    /// Records the upload of mesh `index` of a model with these frames. `None` if it has no triangles.
    pub(super) fn new(
        uploader: &mut Uploader<'_>,
        memory: &mut Memory,
        model: &GpuModel,
        index: usize,
        mesh: &Mesh<'_>,
        frames: Range<usize>,
    ) -> Result<Option<GpuMesh>> {
        let (gpu, options) = (uploader.gpu, &model.options);
        let material = model.mesh_materials.get(index).copied().flatten();
        let has_sprites = model.materials.iter().any(|material| material.sprites);
        let sprites = has_sprites && mesh.topology()?.are_sprites(&model.materials, material);
        let plan = &MeshPlan::of_frames(mesh, &options.plan(sprites), frames)?;
        if plan.triangles.triangles.is_empty() {
            return Ok(None);
        }
        let joints = Joints::of(gpu, model.joint_count());
        let layout = MeshLayout::new(plan, &gpu.limits());
        let tables = upload_tables(uploader, plan, &layout, memory)?;
        let indices = if plan.triangles.is_separate {
            None
        } else {
            let bytes = plan.triangles.index_bytes()?;
            let buffer = uploader.bytes("the triangles of a mesh", bytes, BufferUsages::INDEX)?;
            memory.indices += buffer.size();
            Some((buffer, index_format(plan.triangles.index_format())))
        };
        let wires = if options.wires {
            let lines = edges(&plan.triangles.triangles);
            let count = lines.len() as u32;
            let bytes = lines.into_iter().flat_map(u32::to_le_bytes).collect();
            Some((uploader.bytes("the edges of a mesh", bytes, BufferUsages::INDEX)?, count))
        } else {
            None
        };
        let group = bind_group(uploader, plan, &layout, &tables)?;
        // A model has fewer than 2^32 indices, because every index takes at least one byte of a file in memory.
        let range = |part: Range<usize>| part.start as u32 * 3..part.end as u32 * 3;
        let parts = plan.triangles.submeshes.iter();
        let given = plan.tables.iter().find(|table| table.is_animated());
        let given = given
            .map_or(0..plan.frame_count, |table| table.first_frame..table.first_frame + table.frames.len());
        let loaded: Vec<bool> = (0..plan.frame_count).map(|frame| given.contains(&frame)).collect();
        let skin = mesh.skin.as_ref().filter(|_| layout.is_skinned());
        Ok(Some(GpuMesh {
            index,
            frame_sizes: plan.tables.iter().map(TablePlan::frame_size).collect(),
            shader: layout.pipeline_key(joints).into(),
            joints,
            slots: layout.buffers(),
            group,
            layout,
            tables,
            indices,
            parts: parts.map(|part| (part.material, range(part.triangles.clone()))).collect(),
            wires,
            binds: skin.map(|skin| skin.iter().map(Mat4::from_cols_array_2d).collect()),
            material,
            vertices: loaded.contains(&false).then(|| plan.triangles.clone()),
            loaded,
        }))
    }

    /// The number of frames.
    pub(crate) const fn frame_count(&self) -> usize {
        self.loaded.len()
    }

    /// Whether the mesh can show a frame of the model. Meshes with fewer frames show their last one.
    pub(crate) fn has_frame(&self, frame: usize) -> bool {
        let frame = frame.min(self.loaded.len().saturating_sub(1));
        self.loaded.get(frame).copied().unwrap_or(false)
    }
}

/// Records the upload of the tables of a mesh.
fn upload_tables(
    uploader: &mut Uploader<'_>,
    plan: &MeshPlan<'_>,
    layout: &MeshLayout,
    memory: &mut Memory,
) -> Result<Vec<Table>> {
    let tables = plan.tables.iter().zip(&layout.tables).map(|(plan, bound)| {
        let before = uploader.bytes;
        let table = match &bound.binding {
            Binding::Attributes(_) => uploader.attributes(plan)?,
            Binding::Texels(texels) => uploader.texels(plan, *texels)?,
        };
        if plan.is_animated() {
            memory.per_frame += plan.frame_size();
        }
        if plan.is_made() {
            memory.made += uploader.bytes - before;
        }
        Ok(table)
    });
    tables.collect()
}

const fn index_format(format: IndexFormat) -> wgpu::IndexFormat {
    match format {
        IndexFormat::Uint16 => wgpu::IndexFormat::Uint16,
        IndexFormat::Uint32 => wgpu::IndexFormat::Uint32,
    }
}

/// The counts of a mesh (points, corners and vertices of a frame) if its shader needs them, and its tables that are texels.
fn bind_group(
    uploader: &mut Uploader<'_>,
    plan: &MeshPlan<'_>,
    layout: &MeshLayout,
    tables: &[Table],
) -> Result<wgpu::BindGroup> {
    let count = |table: &TablePlan<'_>| table.count as u32;
    let of = |per| plan.tables.iter().find(|table| table.per == per).map_or(0, count);
    let counts = if layout.needs_counts() {
        let counts = [of(Per::Point), of(Per::Corner), plan.triangles.vertex_count as u32, 0];
        let counts = counts.into_iter().flat_map(u32::to_le_bytes).collect();
        Some(uploader.bytes("the counts of a mesh", counts, BufferUsages::UNIFORM)?)
    } else {
        None
    };
    let view = |table: &Table| match table {
        Table::Texels(texture) => Some(texture.create_view(&wgpu::TextureViewDescriptor::default())),
        Table::Attributes(_) => None,
    };
    let views: Vec<_> = tables.iter().map(view).collect();
    let counts = counts.iter().map(|counts| (0, counts.as_entire_binding()));
    let texels = (1..)
        .zip(&views)
        .filter_map(|(binding, view)| Some((binding, wgpu::BindingResource::TextureView(view.as_ref()?))));
    let (device, resources) = (uploader.gpu.device(), counts.chain(texels));
    Ok(groups::bind_group(device, "mesh", &groups::mesh_layout(device, layout), resources))
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
