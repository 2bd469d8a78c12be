//! The arrays of a surface as the arrays of a mesh of the model. A surface whose arrays cannot be read in place is
//! decoded.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use meshlens_lens::encoding::Unorm8;
use meshlens_lens::{
    AttributeSource, ComponentType, FloatValue, FrameVectors, Lens, Level, RandomAccess, Semantic,
    TangentFrame, ValueLens, ValueType,
};
use meshlens_unigine::{Geometry, Influence, Surface, Target, TargetLocation, Weights, WeightsIndex, Welder};
use meshlens_wire::{Error, Limits, Partial, Result};

use crate::model::arrays::{Arrays, no_frame};
use crate::model::attribute::Attribute;
use crate::model::{Mesh, PlainFrame, PlainMesh, Submesh, Topology};

#[derive(Clone, Debug)]
struct UnigineMesh<'a> {
    geometry: Geometry<'a, Partial>,
    joints: usize,
    /// The number of frames, and the first one if it is loaded.
    frame_count: usize,
    first: Option<Target<'a>>,
    /// The frames after the first one, up to one that is not loaded, and its error. Targets have different sizes, and are located
    /// one after another.
    rest: Vec<TargetLocation>,
    missing: Option<Error>,
}

/// A surface as a mesh of a model with `joints` joints.
pub(super) fn surface_mesh<'a>(
    surface: &Surface<'a, Partial>,
    name: String,
    joints: usize,
) -> Result<Mesh<'a>> {
    match surface.geometry_in_place() {
        Some(geometry) => Ok(Mesh::new(name, UnigineMesh::new(geometry, joints))),
        None => {
            let mut unpacked = Vec::new();
            let geometry = surface.geometry_with(&mut unpacked, &Limits::DEFAULT)?;
            plain(&UnigineMesh::new(geometry, joints))?.into_mesh(name)
        }
    }
}

/// Whether a target has the size of the first one: others cannot be blended with it.
fn is_alike(geometry: &Geometry<'_, Partial>, target: &Target<'_>) -> bool {
    target.positions.len() == geometry.vertex_count() && target.tangents.len() == geometry.tangent_count()
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
        made.frames.push(PlainFrame {
            name: mesh.frame_name(frame).into_owned(),
            positions: decoded(mesh.attribute(Semantic::Position, 0, frame)?)?,
            normals: decoded(mesh.attribute(Semantic::Normal, 0, frame)?)?,
            tangents: decoded(mesh.attribute(Semantic::Tangent, 0, frame)?)?,
        });
    }
    for set in 0..mesh.texcoord_sets() {
        made.texcoords.push(decoded(mesh.attribute(Semantic::Texcoord, set, 0)?)?);
    }
    for set in 0..mesh.color_sets() {
        made.colors.push(decoded(mesh.attribute(Semantic::Color, set, 0)?)?);
    }
    if let Some(joints) = mesh.attribute(Semantic::Joints, 0, 0)? {
        joints.decode_joints_into(&mut made.joints);
    }
    made.weights = decoded(mesh.attribute(Semantic::Weights, 0, 0)?)?;
    Ok(made)
}

/// All values of an attribute; empty if the attribute does not exist.
fn decoded<V: FloatValue>(attribute: Option<Attribute<'_>>) -> Result<Vec<V>> {
    let mut out = Vec::new();
    attribute.map_or(Ok(()), |attribute| attribute.decode_into(&mut out))?;
    Ok(out)
}

impl<'a> UnigineMesh<'a> {
    fn new(geometry: Geometry<'a, Partial>, joints: usize) -> Self {
        let is_frame = |target: &Result<Target<'a>>| {
            // A target that is not loaded is counted, and its arrays are errors.
            target.as_ref().map_or(true, |target| is_alike(&geometry, target))
        };
        let frame_count = geometry.targets().take_while(is_frame).count();
        let mut missing = None;
        let mut frames = geometry
            .targets()
            .take(frame_count)
            .map_while(|target| target.map_err(|error| missing = Some(error)).ok());
        let first = frames.next();
        let rest =
            if first.is_some() { frames.map(|target| target.location()).collect() } else { Vec::new() };
        UnigineMesh { geometry, joints, frame_count, first, rest, missing }
    }

    fn target(&self, frame: usize) -> Result<Target<'a>> {
        if let (0, Some(first)) = (frame, &self.first) {
            return Ok(*first);
        }
        if let Some(location) = frame.checked_sub(1).and_then(|after| self.rest.get(after)) {
            return self.geometry.target_at(*location);
        }
        let missing = self.missing.filter(|_| frame < self.frame_count);
        Err(missing.unwrap_or_else(|| no_frame(frame, self.frame_count)))
    }

    fn tangent_frames(&self, frame: usize) -> Result<Option<ValueLens<'_, TangentFrame>>> {
        let frames = self.target(frame)?.tangent_frames;
        Ok((!frames.is_empty()).then_some(frames))
    }

    fn influences<const WEIGHTS: bool>(&self) -> Result<Option<Influences<'_, WEIGHTS>>> {
        let records = self.geometry.weights()?;
        let is_whole = records.len() == self.point_count() && records.len() > 0 && self.joints > 0;
        Ok(is_whole.then(|| Influences { records, index: OnceCell::new(), joints: self.joints }))
    }

    fn colors(&self) -> Result<Option<Attribute<'_>>> {
        let colors = self.geometry.colors()?;
        if colors.is_empty() || colors.len() != self.corner_count() {
            return Ok(None);
        }
        let bytes = (colors.as_bytes(), colors.byte_range().start, colors.stride());
        let normalized = Lens::new(Unorm8::<4>, bytes.0, bytes.1, bytes.2, colors.len())?;
        Ok(Some(ValueLens::from(normalized).into()))
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
        self.frame_count
    }

    fn is_welded(&self) -> bool {
        false
    }

    fn texcoord_sets(&self) -> usize {
        self.geometry.parts().texcoords().iter().take_while(|set| !set.is_empty()).count()
    }

    fn color_sets(&self) -> usize {
        let colors = self.geometry.parts().colors().len();
        usize::from(colors > 0 && colors == self.corner_count())
    }

    fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        match semantic {
            Semantic::Position => Ok(Some(ValueLens::from(self.target(frame)?.positions).into())),
            Semantic::Normal => {
                Ok(self.tangent_frames(frame)?.map(|frames| FrameVectors::normals(frames).into()))
            }
            Semantic::Tangent => {
                Ok(self.tangent_frames(frame)?.map(|frames| FrameVectors::tangents(frames).into()))
            }
            Semantic::TangentFrame => Ok(self.tangent_frames(frame)?.map(Attribute::from)),
            Semantic::Texcoord if set < 2 => {
                let texcoords = self.geometry.texcoords(set)?;
                let is_whole = texcoords.len() == self.corner_count() && !texcoords.is_empty();
                Ok(is_whole.then(|| ValueLens::from(texcoords).into()))
            }
            Semantic::Color if set == 0 => self.colors(),
            Semantic::Joints => Ok(self.influences::<false>()?.map(Attribute::computed)),
            Semantic::Weights => Ok(self.influences::<true>()?.map(Attribute::computed)),
            _ => Ok(None),
        }
    }

    fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.target(frame).map_or(Cow::Borrowed(""), |target| target.name.to_text())
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let welded = Welder::default().weld(&self.geometry)?;
        topology.vertex_count = welded.vertices.len();
        topology.points.fill().extend(welded.vertices.iter().map(|vertex| vertex.coordinate));
        topology.corners.fill().extend(welded.vertices.iter().map(|vertex| vertex.triangle));
        topology.triangles.extend_from_slice(welded.indices.as_chunks().0);
        topology.submeshes.push(Submesh { material, triangles: 0..topology.triangles.len() });
        Ok(())
    }
}

/// The weights of each point, or the joints. Records have different sizes, and are read in file order without an index.
struct Influences<'m, const WEIGHTS: bool> {
    records: Weights<'m>,
    /// One number for each 16 points, made when points are read out of order.
    index: OnceCell<WeightsIndex<'m>>,
    joints: usize,
}

impl<const WEIGHTS: bool> Influences<'_, WEIGHTS> {
    fn index(&self) -> &WeightsIndex<'_> {
        self.index.get_or_init(|| self.records.clone().index())
    }

    /// The joints and weights from one point on.
    fn from(&self, first: usize) -> impl Iterator<Item = ([u16; 4], [f32; 4])> {
        let records = if first == 0 { self.records.clone() } else { self.index().iter_from(first) };
        records.map(|influence| normalized(&influence, self.joints))
    }

    fn at(&self, indices: &[u32]) -> impl Iterator<Item = ([u16; 4], [f32; 4])> {
        let index = self.index();
        indices.iter().map(|point| normalized(&index.get(*point as usize).unwrap_or_default(), self.joints))
    }
}

impl<const WEIGHTS: bool> AttributeSource for Influences<'_, WEIGHTS> {
    fn count(&self) -> usize {
        self.records.len()
    }

    fn components(&self) -> usize {
        if WEIGHTS { 4 } else { 0 }
    }

    fn decode_part(&self, _: Level, first: usize, out: &mut [f32]) {
        out.as_chunks_mut().0.iter_mut().zip(self.from(first)).for_each(|(out, (_, weights))| *out = weights);
    }

    fn integers(&self) -> Option<ValueType> {
        (!WEIGHTS).then_some(ValueType { component: ComponentType::U16, components: 4 })
    }

    fn decode_integers(&self, _: Level, first: usize, out: &mut [u32]) {
        let out = out.as_chunks_mut().0.iter_mut();
        out.zip(self.from(first)).for_each(|(out, (joints, _))| *out = joints.map(u32::from));
    }
}

impl<const WEIGHTS: bool> RandomAccess for Influences<'_, WEIGHTS> {
    fn decode_indexed(&self, _: Level, indices: &[u32], out: &mut [f32]) {
        out.as_chunks_mut().0.iter_mut().zip(self.at(indices)).for_each(|(out, (_, weights))| *out = weights);
    }

    fn decode_indexed_integers(&self, _: Level, indices: &[u32], out: &mut [u32]) {
        let out = out.as_chunks_mut().0.iter_mut();
        out.zip(self.at(indices)).for_each(|(out, (joints, _))| *out = joints.map(u32::from));
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
