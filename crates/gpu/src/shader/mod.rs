//! The bindings of the tables of a mesh, and the shader that is generated for them.

mod text;

use meshlens::lens::{Semantic, VertexFormat};

use crate::layout::{Binding, Field, Limits, Table, Texels};
use crate::plan::numbers::NUMBERS;
use crate::plan::sprites::FIRST_CORNER;
use crate::plan::{MeshPlan, Per, TablePlan};

/// The number of attributes of an instance: three rows of a matrix, and numbers.
pub(crate) const INSTANCE_ATTRIBUTES: u32 = 4;

/// The source of joint matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Joints {
    /// A storage buffer of any size.
    Storage,
    /// A uniform buffer with this number of matrices of three rows, which works within the limits of WebGL2.
    Uniform(u32),
}

#[cfg(feature = "wgpu")]
impl Joints {
    /// The source of the matrices of this number of joints on a device.
    pub(crate) fn of(gpu: &crate::Gpu, joint_count: usize) -> Joints {
        match gpu.has_storage_buffers() {
            true => Joints::Storage,
            false => Joints::Uniform(joint_count.max(1) as u32),
        }
    }
}

/// The binding of one table of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundTable {
    /// The table.
    pub table: Table,
    /// The index that selects its records.
    pub per: Per,
    /// Whether frames differ. The table is then bound twice, for two frames.
    pub is_animated: bool,
    /// The binding: attributes or texels.
    pub binding: Binding,
}

/// The bindings of the tables of a mesh. Meshes with the same bindings use the same shader.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshLayout {
    /// The tables, in the order of the plan.
    pub tables: Vec<BoundTable>,
}

/// A vertex buffer of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferSlot {
    /// The index of the table; `None` for the instances.
    pub table: Option<usize>,
    /// Whether the buffer has the second frame.
    pub is_second: bool,
    /// The stride in bytes.
    pub stride: usize,
    /// The attributes: location, format, and offset in bytes.
    pub attributes: Vec<(u32, VertexFormat, usize)>,
}

impl MeshLayout {
    /// Determines the bindings of the tables of a plan. A table is bound as attributes if its format allows it and the
    /// limits on attributes and buffers are not exceeded; otherwise it is bound as texels.
    pub fn new(plan: &MeshPlan<'_>, limits: &Limits) -> Self {
        // The instances have their own buffer and attributes.
        let mut buffers = limits.vertex_buffers.saturating_sub(1);
        let mut attributes = limits.vertex_attributes.saturating_sub(INSTANCE_ATTRIBUTES as usize);
        // Indices of points come first, because all other tables depend on them.
        let mut order: Vec<usize> = (0..plan.tables.len()).collect();
        order.sort_by_key(|index| plan.tables[*index].field(NUMBERS).is_none());
        let mut bindings = vec![None; plan.tables.len()];
        for index in order {
            let TablePlan { table, per, frame_count, .. } = &plan.tables[index];
            let times = if *frame_count > 1 { 2 } else { 1 };
            let found = table
                .attributes(limits)
                .filter(|found| *per == Per::Vertex && times <= buffers && times * found.len() <= attributes);
            if let Some(found) = &found {
                (buffers, attributes) = (buffers - times, attributes - times * found.len());
            }
            bindings[index] = found.map(Binding::Attributes);
        }
        let tables = plan.tables.iter().zip(bindings).map(|(plan, binding)| BoundTable {
            table: plan.table.clone(),
            per: plan.per,
            is_animated: plan.is_animated(),
            binding: binding.unwrap_or_else(|| Binding::Texels(plan.table.texels())),
        });
        MeshLayout { tables: tables.collect() }
    }

    fn find(&self, semantic: Semantic, set: usize) -> Option<(usize, &BoundTable, &Field)> {
        self.tables.iter().enumerate().find_map(|(index, bound)| {
            let is_it = |field: &&Field| field.semantic == semantic && field.set == set;
            Some((index, bound, bound.table.fields.iter().find(is_it)?))
        })
    }

    /// Whether the shader needs the numbers of points, corners and vertices of a frame, to locate a frame in the
    /// texels.
    pub fn needs_counts(&self) -> bool {
        let needs = |bound: &BoundTable| bound.is_animated && matches!(bound.binding, Binding::Texels(_));
        self.tables.iter().any(needs)
    }

    /// Whether joints move the vertices.
    pub fn is_skinned(&self) -> bool {
        self.find(Semantic::Joints, 0).is_some()
    }

    /// Whether the vertices are the corners of squares that turn to the camera.
    pub fn are_sprites(&self) -> bool {
        self.find(Semantic::Position, FIRST_CORNER).is_some()
    }

    /// The vertex buffers, in the order of their slots. The first has the instances.
    pub fn buffers(&self) -> Vec<BufferSlot> {
        let instance = [VertexFormat::Float32x4; 3].into_iter().chain([VertexFormat::Uint32x4]);
        let attributes = (0..).zip(instance).map(|(index, format)| (index, format, index as usize * 16));
        let mut slots =
            vec![BufferSlot { table: None, is_second: false, stride: 64, attributes: attributes.collect() }];
        let mut location = INSTANCE_ATTRIBUTES;
        for (index, bound) in self.tables.iter().enumerate() {
            let Binding::Attributes(attributes) = &bound.binding else { continue };
            let frames: &[bool] = if bound.is_animated { &[false, true] } else { &[false] };
            for &is_second in frames {
                let attributes = attributes.iter().map(|attribute| {
                    location += 1;
                    (location - 1, attribute.format, attribute.offset)
                });
                let attributes = attributes.collect();
                slots.push(BufferSlot {
                    table: Some(index),
                    is_second,
                    stride: bound.table.stride,
                    attributes,
                });
            }
        }
        slots
    }
}

/// The width and height of the texture of a table. `None` if it needs more rows than `limit`.
pub fn texture_size(size: u64, texels: Texels, limit: u32) -> Option<(u32, u32)> {
    let count = size.div_ceil(texels.word as u64).max(1);
    let height = count.div_ceil(u64::from(limit));
    // The texture is as narrow as possible, so that there are fewer unused texels than rows.
    let width = count.div_ceil(height);
    (height <= u64::from(limit)).then_some((width as u32, height as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_have_few_unused_texels() {
        let texels = |word| Texels { word, stride: 1 };
        assert_eq!(texture_size(2048, texels(1), 2048), Some((2048, 1)));
        assert_eq!(texture_size(2049, texels(1), 2048), Some((1025, 2)));
        assert_eq!(texture_size(0, texels(4), 2048), Some((1, 1)));
        assert_eq!(texture_size(2048 * 2048 * 2, texels(2), 2048), Some((2048, 2048)));
        assert_eq!(texture_size(2048 * 2048 * 2 + 1, texels(2), 2048), None);
    }
}
