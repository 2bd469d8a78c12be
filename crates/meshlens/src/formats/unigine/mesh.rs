//! The arrays of a surface as the arrays of a mesh of the model. A surface whose arrays cannot be read in place is
//! decoded.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use meshlens_lens::encoding::Unorm8;
use meshlens_lens::{FrameVectors, Lens, TangentFrame, ValueLens};
use meshlens_unigine::{Geometry, Influence, Surface, Welder};
use meshlens_wire::{Limits, Result};

use crate::model::arrays::{Arrays, no_frame};
use crate::model::sources::{Computed, Influences, Joints, ValueSource};
use crate::model::{Mesh, Part, PlainFrame, PlainMesh, Topology};

#[derive(Clone, Debug)]
struct UnigineMesh<'a> {
    geometry: Geometry<'a>,
    joints: usize,
}

/// A surface as a mesh of a model with `joints` joints.
pub(super) fn surface_mesh<'a>(surface: &Surface<'a>, joints: usize) -> Result<Mesh<'a>> {
    let name = surface.name().to_text().into_owned();
    match surface.geometry_in_place() {
        Some(geometry) => Ok(Mesh::new(name, UnigineMesh { geometry, joints })),
        None => {
            let mut unpacked = Vec::new();
            let geometry = surface.geometry_with(&mut unpacked, &Limits::DEFAULT)?;
            plain(&UnigineMesh { geometry, joints })?.into_mesh(name)
        }
    }
}

/// Decodes the arrays of an unpacked surface, whose buffer is dropped afterwards.
fn plain(mesh: &UnigineMesh<'_>) -> Result<PlainMesh> {
    let mut topology = Topology::default();
    mesh.topology_into(None, &mut topology)?;
    let mut made = PlainMesh {
        points: topology.points.into_indices(),
        corners: topology.corners.into_indices(),
        triangles: topology.triangles,
        ..PlainMesh::default()
    };
    for frame in 0..mesh.frame_count() {
        let mut plain = PlainFrame {
            name: mesh.frame_name(frame).into_owned(),
            positions: mesh.positions(frame)?.to_vec(),
            ..PlainFrame::default()
        };
        mesh.normals_into(frame, &mut plain.normals)?;
        mesh.tangents_into(frame, &mut plain.tangents)?;
        made.frames.push(plain);
    }
    for set in 0..mesh.texcoord_sets() {
        made.texcoords.extend(mesh.texcoords(set)?.map(|set| set.to_vec()));
    }
    mesh.colors_into(&mut made.colors)?;
    mesh.influences_into(&mut made.joints, &mut made.weights)?;
    Ok(made)
}

impl UnigineMesh<'_> {
    fn target(&self, frame: usize) -> Result<meshlens_unigine::Target<'_>> {
        let target = self.geometry.target(frame);
        // Targets of other sizes than the first cannot be blended with it.
        let same = |target: &meshlens_unigine::Target<'_>| {
            target.positions.len() == self.geometry.vertex_count()
                && target.tangents.len() == self.geometry.tangent_count()
        };
        target.filter(same).ok_or_else(|| no_frame(frame, self.frame_count()))
    }
}

impl Arrays for UnigineMesh<'_> {
    fn point_count(&self) -> usize {
        self.geometry.vertex_count()
    }

    fn corner_count(&self) -> usize {
        self.geometry.tangent_count()
    }

    fn triangle_count(&self) -> usize {
        self.geometry.corner_count() / 3
    }

    fn frame_count(&self) -> usize {
        let (points, corners) = (self.geometry.vertex_count(), self.geometry.tangent_count());
        let targets = self.geometry.targets();
        targets
            .take_while(|target| target.positions.len() == points && target.tangents.len() == corners)
            .count()
    }

    fn is_welded(&self) -> bool {
        false
    }

    fn positions(&self, frame: usize) -> Result<ValueLens<'_, [f32; 3]>> {
        Ok(self.target(frame)?.positions.into())
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        out.clear();
        out.extend(self.target(frame)?.tangent_frames.iter().map(|frame| frame.normal));
        Ok(!out.is_empty())
    }

    fn tangent_frames(&self, frame: usize) -> Result<Option<ValueLens<'_, TangentFrame>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then_some(frames))
    }

    fn tangents_into(&self, frame: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        out.clear();
        out.extend(self.target(frame)?.tangent_frames.iter().map(|frame| {
            let [normal, tangent, binormal] =
                [frame.normal, frame.tangent, frame.binormal].map(glam::Vec3::from);
            let [x, y, z] = frame.tangent;
            [x, y, z, if normal.cross(tangent).dot(binormal) < 0.0 { -1.0 } else { 1.0 }]
        }));
        Ok(!out.is_empty())
    }

    fn texcoord_sets(&self) -> usize {
        let is_present =
            |set: &usize| self.geometry.texcoords(*set).is_ok_and(|texcoords| !texcoords.is_empty());
        (0..2).take_while(is_present).count()
    }

    fn texcoords(&self, set: usize) -> Result<Option<ValueLens<'_, [f32; 2]>>> {
        if set > 1 {
            return Ok(None);
        }
        let texcoords = self.geometry.texcoords(set)?;
        Ok((texcoords.len() == self.corner_count() && !texcoords.is_empty()).then(|| texcoords.into()))
    }

    fn colors_into(&self, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        let colors = self.geometry.colors()?;
        if colors.is_empty() || colors.len() != self.corner_count() {
            return Ok(false);
        }
        out.clear();
        out.extend(colors.iter().map(|color| color.map(|value| f32::from(value) / 255.0)));
        Ok(true)
    }

    fn normal_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then(|| Box::new(FrameVectors::normals(frames)) as ValueSource<'_>))
    }

    fn tangent_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then(|| Box::new(FrameVectors::tangents(frames)) as ValueSource<'_>))
    }

    fn color_source(&self) -> Result<Option<ValueSource<'_>>> {
        let colors = self.geometry.colors()?;
        if colors.is_empty() || colors.len() != self.corner_count() {
            return Ok(None);
        }
        let bytes = (colors.as_bytes(), colors.byte_range().start, colors.stride());
        let normalized = Lens::new(Unorm8::<4>, bytes.0, bytes.1, bytes.2, colors.len())?;
        Ok(Some(Box::new(normalized)))
    }

    /// Records have different sizes. The index of them takes one number for each 16 points.
    fn influence_sources(&self) -> Result<Option<Influences<'_>>> {
        let influences = self.geometry.weights()?;
        if influences.len() != self.point_count() || influences.len() == 0 || self.joints == 0 {
            return Ok(None);
        }
        let (count, joints, influences) = (influences.len(), self.joints, Arc::new(influences.index()));
        let get = move |point: usize| normalized(&influences.get(point).unwrap_or_default(), joints);
        let get_joints = get.clone();
        let joints = Joints { count, get: move |point| get_joints(point).0 };
        Ok(Some([Box::new(joints), Box::new(Computed::new(count, move |point| get(point).1))]))
    }

    fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> Result<bool> {
        let influences = self.geometry.weights()?;
        if influences.len() != self.point_count() || influences.len() == 0 || self.joints == 0 {
            return Ok(false);
        }
        joints.clear();
        weights.clear();
        for influence in influences {
            let (joint, weight) = normalized(&influence, self.joints);
            joints.push(joint);
            weights.push(weight);
        }
        Ok(true)
    }

    fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.geometry.target(frame).map_or(Cow::Borrowed(""), |target| target.name.to_text())
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let welded = Welder::default().weld(&self.geometry)?;
        topology.vertex_count = welded.vertices.len();
        topology.points.fill().extend(welded.vertices.iter().map(|vertex| vertex.coordinate));
        topology.corners.fill().extend(welded.vertices.iter().map(|vertex| vertex.triangle));
        topology.triangles.extend_from_slice(welded.indices.as_chunks().0);
        topology.parts.push(Part { material, triangles: 0..topology.triangles.len() });
        Ok(())
    }
}

/// The joints and weights of one point, with each joint once, sorted by weight; the weights add up to 1. Joints that do
/// not exist are left out. A point without weights is moved by the first joint.
fn normalized(influence: &Influence, joints: usize) -> ([u16; 4], [f32; 4]) {
    let mut merged: [(u16, u32); 4] = [(0, 0); 4];
    let mut count = 0usize;
    for (bone, weight) in influence.parts() {
        let Some(joint) = u16::try_from(bone).ok().filter(|joint| usize::from(*joint) < joints) else {
            continue;
        };
        if weight == 0 {
            continue;
        }
        let known = merged.iter().take(count).position(|(known, _)| *known == joint);
        let place = known.unwrap_or(count);
        count = count.max(place + 1);
        if let Some(slot) = merged.get_mut(place) {
            *slot = (joint, slot.1 + u32::from(weight));
        }
    }
    let sum: u32 = merged.iter().map(|(_, weight)| *weight).sum();
    if sum == 0 {
        return ([0; 4], [1.0, 0.0, 0.0, 0.0]);
    }
    merged.sort_by_key(|(_, weight)| core::cmp::Reverse(*weight));
    (merged.map(|(joint, _)| joint), merged.map(|(_, weight)| weight as f32 / sum as f32))
}
