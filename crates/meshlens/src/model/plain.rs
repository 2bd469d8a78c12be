//! Meshes in memory of their own: what is unpacked, imported or made.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use bytemuck::cast_slice;
use meshlens_lens::encoding::F32;
use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Error, ErrorKind, Result};

use super::arrays::{Arrays, no_frame};
use super::attribute::Attribute;
use super::mesh::Mesh;
use super::topology::{Part, Topology};

/// A mesh as plain arrays. Points and corners are kept apart as in [`Mesh`]; lists that are empty are not there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainMesh {
    /// The frames or morph targets; at least one.
    pub frames: Vec<PlainFrame>,
    /// Sets of texture coordinates, one for each corner, origin at the top left.
    pub texcoords: Vec<Vec<[f32; 2]>>,
    /// Red, green, blue and alpha from 0 to 1, one for each corner.
    pub colors: Vec<[f32; 4]>,
    /// Up to four joints that move each point.
    pub joints: Vec<[u16; 4]>,
    /// How much; adding up to 1.
    pub weights: Vec<[f32; 4]>,
    /// For each vertex its point; empty where vertex `i` is point `i`.
    pub points: Vec<u32>,
    /// For each vertex its corner; empty where vertex `i` is corner `i`.
    pub corners: Vec<u32>,
    /// Three vertex numbers each, wound as the model's space says.
    pub triangles: Vec<[u32; 3]>,
    /// Which triangles wear what; empty where all wear the mesh's own material.
    pub parts: Vec<Part>,
}

/// One frame of a [`PlainMesh`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainFrame {
    /// The name, which may be empty.
    pub name: String,
    /// One for each point.
    pub positions: Vec<[f32; 3]>,
    /// One for each corner, of length 1.
    pub normals: Vec<[f32; 3]>,
    /// One for each corner, of length 1, with the bitangent's sign.
    pub tangents: Vec<[f32; 4]>,
}

impl PlainMesh {
    /// The mesh, once every vertex, point and corner number is known to be in range, and arrays to be of one length.
    ///
    /// # Errors
    ///
    /// A number or a length that is not.
    pub fn into_mesh<'a>(self, name: impl Into<String>) -> Result<Mesh<'a>> {
        let points = self.frames.first().map_or(0, |frame| frame.positions.len());
        let corners = self.corners();
        let vertices = self.vertices();
        let index = |what, found: Option<u32>, count: usize| match found {
            Some(index) if index as usize >= count => {
                let kind = ErrorKind::Index { what, index: index.into(), count: count as u64 };
                Err(Error::new("meshlens", 0, kind))
            }
            _ => Ok(()),
        };
        index("vertex", self.triangles.as_flattened().iter().max().copied(), vertices)?;
        index("point", self.points.iter().max().copied(), points)?;
        index("corner", self.corners.iter().max().copied(), corners)?;
        let length = |what, found: usize, expected: usize| {
            if found == 0 || found == expected {
                return Ok(());
            }
            let to_i64 = |value| i64::try_from(value).unwrap_or(i64::MAX);
            let expected = meshlens_wire::Expected::Exactly(to_i64(expected));
            Err(Error::new("meshlens", 0, ErrorKind::Value { what, expected, found: to_i64(found) }))
        };
        for frame in &self.frames {
            length("positions", frame.positions.len(), points)?;
            length("normals", frame.normals.len(), corners)?;
            length("tangents", frame.tangents.len(), corners)?;
        }
        for set in &self.texcoords {
            length("texture coordinates", set.len(), corners)?;
        }
        length("colours", self.colors.len(), corners)?;
        length("joints", self.joints.len(), points)?;
        length("weights", self.weights.len(), points)?;
        if self.points.is_empty() && points != vertices || self.corners.is_empty() && corners != vertices {
            length("points of vertices", points, vertices)?;
            length("corners of vertices", corners, vertices)?;
        }
        Ok(Mesh::new(name, self))
    }

    fn corners(&self) -> usize {
        let frame = self.frames.first();
        let lengths = [
            frame.map_or(0, |frame| frame.normals.len()),
            self.texcoords.first().map_or(0, Vec::len),
            self.colors.len(),
            if self.corners.is_empty() { frame.map_or(0, |frame| frame.positions.len()) } else { 0 },
        ];
        lengths.into_iter().max().unwrap_or_default()
    }

    fn vertices(&self) -> usize {
        match (self.points.len(), self.corners.len()) {
            (0, 0) => self.frames.first().map_or(0, |frame| frame.positions.len()),
            (0, corners) => corners,
            (points, _) => points,
        }
    }

    fn frame(&self, frame: usize) -> Result<&PlainFrame> {
        self.frames.get(frame).ok_or_else(|| no_frame(frame, self.frames.len()))
    }
}

/// A lens onto floats in memory. The encoding is little-endian, as memory is on the machines this is fast on.
fn floats<'p, E: Encoding + Default, T: bytemuck::Pod>(
    values: &'p [T],
    encoding: E,
) -> Attribute<'p, E::Value> {
    let lens = Lens::new(encoding, cast_slice(values), 0, E::SIZE, values.len());
    lens.unwrap_or(Lens::empty(encoding)).into()
}

impl Arrays for PlainMesh {
    fn point_count(&self) -> usize {
        self.frames.first().map_or(0, |frame| frame.positions.len())
    }

    fn corner_count(&self) -> usize {
        self.corners()
    }

    fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn is_welded(&self) -> bool {
        self.points.is_empty() && self.corners.is_empty()
    }

    fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>> {
        Ok(floats(&self.frame(frame)?.positions, F32::<3>))
    }

    fn normals(&self, frame: usize) -> Result<Option<Attribute<'_, [f32; 3]>>> {
        let normals = &self.frame(frame)?.normals;
        Ok((!normals.is_empty()).then(|| floats(normals, F32::<3>)))
    }

    fn tangents_into(&self, frame: usize, out: &mut Vec<[f32; 4]>) -> Result<bool> {
        let tangents = &self.frame(frame)?.tangents;
        out.clone_from(tangents);
        Ok(!tangents.is_empty())
    }

    fn texcoord_sets(&self) -> usize {
        self.texcoords.len()
    }

    fn texcoords(&self, set: usize) -> Option<Attribute<'_, [f32; 2]>> {
        self.texcoords.get(set).map(|set| floats(set, F32::<2>))
    }

    fn colors_into(&self, out: &mut Vec<[f32; 4]>) -> bool {
        out.clone_from(&self.colors);
        !out.is_empty()
    }

    fn influences_into(&self, joints: &mut Vec<[u16; 4]>, weights: &mut Vec<[f32; 4]>) -> bool {
        joints.clone_from(&self.joints);
        weights.clone_from(&self.weights);
        !joints.is_empty() && joints.len() == weights.len()
    }

    fn frame_name(&self, frame: usize) -> Cow<'_, str> {
        self.frames.get(frame).map_or(Cow::Borrowed(""), |frame| Cow::Borrowed(&frame.name))
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        topology.vertex_count = self.vertices();
        topology.points.clone_from(&self.points);
        topology.corners.clone_from(&self.corners);
        topology.triangles.clone_from(&self.triangles);
        topology.parts.clone_from(&self.parts);
        if topology.parts.is_empty() {
            topology.one_part(material);
        }
        Ok(())
    }
}
