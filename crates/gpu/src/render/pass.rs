//! The draw calls of a picture.

use core::ops::Range;

use super::batch::{Batch, front_face};
use super::options::InstanceRecord;
use super::pipeline::{Pipelines, Variant};
use super::{Instance, RenderOptions, Shading};
use crate::model::GpuMesh;
use crate::upload::Table;

/// The phases of a picture, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Opaque and masked parts.
    Opaque,
    /// Blended parts.
    Blended,
    /// Edges.
    Edges,
}

impl Phase {
    /// The phases of a scene.
    pub(super) const fn of(scene: &RenderOptions) -> &'static [Phase] {
        match (scene.shading, scene.edges) {
            (Shading::Wires, _) => &[Phase::Edges],
            (_, None) => &[Phase::Opaque, Phase::Blended],
            (_, Some(_)) => &[Phase::Opaque, Phase::Blended, Phase::Edges],
        }
    }
}

/// The data that all draws of a picture share.
pub(super) struct Frame<'a> {
    pub(super) device: &'a wgpu::Device,
    pub(super) format: wgpu::TextureFormat,
    pub(super) samples: u32,
    pub(super) instances: &'a wgpu::Buffer,
    pub(super) scene: &'a RenderOptions,
}

impl Frame<'_> {
    /// Draws the parts of a mesh that belong to a phase.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipelines: &mut Pipelines,
        batch: &Batch<'_>,
        phase: Phase,
    ) {
        let (mesh, model) = (batch.mesh, batch.draw.model);
        let (edges, blended) = (phase == Phase::Edges, phase == Phase::Blended);
        let runs = batch.runs();
        pass.set_bind_group(2, &mesh.group, &[]);
        for (material, indices) in &mesh.parts {
            let material = material.or(mesh.material);
            let look = material.and_then(|material| model.materials.get(material));
            let mode = batch.draw.textures.mode(material).filter(|_| !edges);
            if mode.is_some() != blended || look.is_some_and(|look| look.hidden) {
                continue;
            }
            let Some(group) = batch.draw.textures.group(material) else { continue };
            pass.set_bind_group(1, group, &[]);
            let two_sided =
                !self.scene.culling || look.is_some_and(|look| look.two_sided) || mesh.layout.are_sprites();
            let mut bound = None;
            for run in &runs {
                let Some(instance) = self.bind_run(pass, batch, run) else { continue };
                let front = front_face(model, &instance.transform);
                for cull in culled_faces(two_sided, phase) {
                    let variant = Variant {
                        target: self.format,
                        samples: self.samples,
                        front,
                        cull: *cull,
                        blended: mode,
                        edges,
                        // Surfaces are moved back slightly, so that edges can be drawn over them.
                        behind: self.scene.edges.is_some() && !edges,
                    };
                    if bound.replace(variant) != Some(variant) {
                        let pipeline = pipelines.get(self.device, mesh, batch.shader, variant);
                        let Some(pipeline) = pipeline else { continue };
                        pass.set_pipeline(pipeline);
                    }
                    // The bound buffer begins with the first instance, because WebGL2 has no first instance.
                    let instances = 0..run.len() as u32;
                    if edges {
                        draw_edges(pass, mesh, instances);
                    } else if let Some((buffer, format)) = &mesh.indices {
                        pass.set_index_buffer(buffer.slice(..), *format);
                        pass.draw_indexed(indices.clone(), 0, instances);
                    } else {
                        pass.draw(indices.clone(), instances);
                    }
                }
            }
            if edges {
                // The edges of all parts are drawn at once.
                break;
            }
        }
    }

    /// Binds the instances of a run, their joints and their two frames, and returns the first. Only these change between
    /// frames. `None` if a frame is not loaded: frames of a streamed model may be missing.
    fn bind_run<'b>(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        batch: &'b Batch<'_>,
        run: &Range<usize>,
    ) -> Option<&'b Instance> {
        let mesh = batch.mesh;
        let instance = batch.draw.instances.get(run.start)?;
        if !mesh.has_frame(instance.blend.a) || !mesh.has_frame(instance.blend.b) {
            return None;
        }
        if let Some(group) = &batch.joint_group {
            let offset: &[u32] = batch.joints.get(run.start..=run.start).unwrap_or(&[]);
            pass.set_bind_group(3, group, offset);
        }
        let size = size_of::<InstanceRecord>() as u64;
        let last = mesh.frame_count().saturating_sub(1);
        for (slot, buffer) in (0..).zip(&mesh.slots) {
            let Some(table) = buffer.table else {
                let start = (batch.first + run.start) as u64 * size;
                pass.set_vertex_buffer(slot, self.instances.slice(start..start + run.len() as u64 * size));
                continue;
            };
            let (Some(Table::Attributes(vertices)), Some(bound), Some(frame_size)) =
                (mesh.tables.get(table), mesh.layout.tables.get(table), mesh.frame_sizes.get(table))
            else {
                continue;
            };
            let frame = if buffer.is_second { instance.blend.b } else { instance.blend.a };
            let start = if bound.is_animated { frame.min(last) as u64 * frame_size } else { 0 };
            pass.set_vertex_buffer(slot, vertices.slice(start..start + frame_size));
        }
        Some(instance)
    }
}

/// The faces that are culled in each draw of a part. Both sides of blended parts are drawn, the far side first.
const fn culled_faces(two_sided: bool, phase: Phase) -> &'static [Option<wgpu::Face>] {
    match (two_sided, phase) {
        (_, Phase::Edges) | (true, Phase::Opaque) => &[None],
        (true, Phase::Blended) => &[Some(wgpu::Face::Front), Some(wgpu::Face::Back)],
        (false, _) => &[Some(wgpu::Face::Back)],
    }
}

fn draw_edges(pass: &mut wgpu::RenderPass<'_>, mesh: &GpuMesh, instances: Range<u32>) {
    if let Some((buffer, count)) = &mesh.wires {
        pass.set_index_buffer(buffer.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..*count, 0, instances);
    }
}
