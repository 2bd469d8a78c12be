//! A mesh in GPU memory: its tables, its shader and its triangles.

use std::ops::Range;
use std::sync::Arc;

use glam::Mat4;
use meshlens::model::{IndexFormat, Mesh};
use wgpu::BufferUsages;

use super::{Memory, UploadOptions};
use crate::device::Gpu;
use crate::error::Result;
use crate::groups::mesh_layout;
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
    /// Records the upload of a mesh.
    pub(super) fn new(
        gpu: &Gpu,
        uploader: &mut Uploader<'_>,
        plan: &MeshPlan<'_>,
        joints: Joints,
        options: &UploadOptions,
        memory: &mut Memory,
    ) -> Result<GpuMesh> {
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
        let group = bind_group(gpu, uploader, plan, &layout, &tables)?;
        // A model has fewer than 2^32 indices, because every index takes at least one byte of a file in memory.
        let range = |part: Range<usize>| part.start as u32 * 3..part.end as u32 * 3;
        let parts = plan.triangles.submeshes.iter();
        let given = plan.tables.iter().find(|table| table.is_animated());
        let given = given
            .map_or(0..plan.frame_count, |table| table.first_frame..table.first_frame + table.frames.len());
        let loaded: Vec<bool> = (0..plan.frame_count).map(|frame| given.contains(&frame)).collect();
        Ok(GpuMesh {
            index: 0,
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
            binds: None,
            material: None,
            vertices: loaded.contains(&false).then(|| plan.triangles.clone()),
            loaded,
        })
    }

    /// Sets the properties that the plan does not have: the index and the material of a mesh, and its inverse bind
    /// matrices.
    pub(super) fn set_source(&mut self, index: usize, mesh: &Mesh<'_>, material: Option<usize>) {
        self.index = index;
        self.material = material;
        let skin = mesh.skin.as_ref().filter(|_| self.layout.is_skinned());
        self.binds = skin.map(|skin| skin.iter().map(Mat4::from_cols_array_2d).collect());
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
    gpu: &Gpu,
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
    let mut entries = Vec::new();
    if let Some(counts) = &counts {
        entries.push(wgpu::BindGroupEntry { binding: 0, resource: counts.as_entire_binding() });
    }
    for (binding, view) in (1..).zip(&views) {
        if let Some(view) = view {
            entries
                .push(wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) });
        }
    }
    Ok(gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("mesh"),
        layout: &mesh_layout(gpu.device(), layout),
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
