//! The instances of a picture: their records in a vertex buffer, the matrices of their joints, and the runs of instances
//! that are drawn together.

use core::ops::Range;

use glam::Mat4;
use meshlens::model::Winding;

use super::options::{InstanceRecord, rows};
use super::pipeline::JOINT_SIZE;
use super::{Draw, Instance};
use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::groups::{bind_group, joints_layout};
use crate::layout::Binding;
use crate::model::{GpuMesh, GpuModel};
use crate::shader::Joints;

/// A mesh of a draw with its instances, which are consecutive in the buffer of instances.
pub(super) struct Batch<'a> {
    pub(super) mesh: &'a GpuMesh,
    pub(super) draw: &'a Draw<'a>,
    /// The number of its pipelines, as [`Pipelines::add`](super::pipeline::Pipelines::add) returned it.
    pub(super) shader: usize,
    /// The index of the first instance.
    pub(super) first: usize,
    /// The offset of the joints of each instance, if they are in a uniform buffer.
    pub(super) joints: Vec<u32>,
    /// The bind group of the joints, if joints move the mesh.
    pub(super) joint_group: Option<wgpu::BindGroup>,
}

/// The instances and joints of a picture.
#[derive(Default)]
pub(super) struct Records {
    pub(super) instances: Vec<InstanceRecord>,
    pub(super) joints: Vec<[[f32; 4]; 3]>,
}

impl Records {
    /// Records the instances of a mesh, and the matrices of its joints.
    pub(super) fn push<'a>(
        &mut self,
        draw: &'a Draw<'a>,
        mesh: &'a GpuMesh,
        shader: usize,
        limits: &wgpu::Limits,
    ) -> Result<Batch<'a>> {
        let first = self.instances.len();
        let mut offsets = Vec::new();
        for instance in draw.instances {
            let mut first_joint = 0;
            if let Some(binds) = &mesh.binds {
                let is_uniform = matches!(mesh.joints, Joints::Uniform(_));
                let mut start = self.joints.len();
                if is_uniform {
                    let (what, limit) = ("the joints of a model", "max_uniform_buffer_binding_size");
                    let size = binds.len() as u64 * JOINT_SIZE;
                    Error::check(what, limit, limits.max_uniform_buffer_binding_size, size)?;
                    // 16 matrices are a multiple of 256 bytes, which every device allows as an offset.
                    start = start.next_multiple_of(16);
                }
                let offset = check_joints(start, binds.len(), is_uniform, limits)?;
                if is_uniform {
                    self.joints.resize(start, [[0.0; 4]; 3]);
                    offsets.push(offset);
                } else {
                    first_joint = offset / JOINT_SIZE as u32;
                }
                let world = if instance.joints.is_empty() { &draw.model.rest } else { &instance.joints };
                if world.len() < binds.len() {
                    let (found, count) = (world.len(), binds.len());
                    return Err(Error::argument(format!(
                        "a pose of {found} joints for a model with {count}"
                    )));
                }
                let moved =
                    world.iter().zip(binds).map(|(world, bind)| Mat4::from_cols_array_2d(world) * *bind);
                self.joints.extend(moved.map(|matrix| rows(&matrix)));
            }
            let size = (self.instances.len() as u64 + 1) * size_of::<InstanceRecord>() as u64;
            Error::check("the instances of a picture", "max_buffer_size", limits.max_buffer_size, size)?;
            // Meshes with fewer frames show their last one.
            let last = mesh.frame_count().saturating_sub(1);
            self.instances.push(InstanceRecord {
                rows: rows(&Mat4::from_cols_array_2d(&instance.transform)),
                frames: [instance.blend.a, instance.blend.b].map(|frame| frame.min(last) as u32),
                first_joint,
                weight: instance.blend.weight,
            });
        }
        Ok(Batch { mesh, draw, shader, first, joints: offsets, joint_group: None })
    }
}

/// The offset in bytes of the joints from `start` on, if the buffer may hold `count` more.
fn check_joints(start: usize, count: usize, is_uniform: bool, limits: &wgpu::Limits) -> Result<u32> {
    let what = "the joints of a picture";
    let end = (start as u64 + count as u64) * JOINT_SIZE;
    Error::check(what, "max_buffer_size", limits.max_buffer_size, end)?;
    if !is_uniform {
        let allowed = limits.max_storage_buffer_binding_size;
        Error::check(what, "max_storage_buffer_binding_size", allowed, end)?;
    }
    // Offsets are 32-bit integers.
    let limit = "offset of a binding";
    let offset = start as u64 * JOINT_SIZE;
    u32::try_from(offset).map_err(|_| Error::Limit { what, limit, allowed: u32::MAX.into(), found: offset })
}

impl Batch<'_> {
    /// Creates the bind group of the joints, if joints move the mesh.
    pub(super) fn bind_joints(&mut self, gpu: &Gpu, joints: &wgpu::Buffer) {
        let Some(binds) = &self.mesh.binds else { return };
        let device = gpu.device();
        let size = match self.mesh.joints {
            Joints::Storage => None,
            Joints::Uniform(_) => core::num::NonZeroU64::new(binds.len() as u64 * JOINT_SIZE),
        };
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: joints, offset: 0, size });
        let layout = joints_layout(device, self.mesh.joints);
        self.joint_group = Some(bind_group(device, "joints", &layout, [(0, resource)]));
    }

    /// Runs of instances that can be drawn together: they bind the same two frames and have the same winding.
    pub(super) fn runs(&self) -> Vec<Range<usize>> {
        let is_bound = |binding: &Binding| matches!(binding, Binding::Attributes(_));
        let tables = &self.mesh.layout.tables;
        let binds_frames = tables.iter().any(|table| table.is_animated && is_bound(&table.binding));
        let is_complete = !self.mesh.loaded.contains(&false);
        let together = |a: &Instance, b: &Instance| {
            let same = (a.blend.a, a.blend.b) == (b.blend.a, b.blend.b) || !binds_frames && is_complete;
            // The offset of joints in a uniform buffer applies to a single instance.
            let alone = !self.joints.is_empty();
            same && !alone && is_mirrored(&a.transform) == is_mirrored(&b.transform)
        };
        let mut start = 0;
        let mut runs = Vec::new();
        for run in self.draw.instances.chunk_by(together) {
            runs.push(start..start + run.len());
            start += run.len();
        }
        runs
    }
}

/// The winding of front faces on the screen. A mirrored transform reverses it, unless it only converts a left-handed
/// model to the right-handed world.
pub(super) fn front_face(model: &GpuModel, transform: &[[f32; 4]; 4]) -> wgpu::FrontFace {
    let is_reversed = is_mirrored(transform) != model.is_left_handed;
    match (model.winding == Winding::CounterClockwise) != is_reversed {
        true => wgpu::FrontFace::Ccw,
        false => wgpu::FrontFace::Cw,
    }
}

fn is_mirrored(transform: &[[f32; 4]; 4]) -> bool {
    Mat4::from_cols_array_2d(transform).determinant() < 0.0
}
