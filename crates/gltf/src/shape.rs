//! The vertices of one mesh as they are written: welded, in glTF's space, and relative to the base frame if they are
//! displacements of a morph target. Planning and writing use the same code, so that bounds and arrays agree exactly.

use glam::Vec3;
use meshlens::Result;
use meshlens::lens::{Numbers, Value};
use meshlens::model::{Mesh, Model, Placement, Space, Topology, decode_gathered, gather, unit_direction};

use crate::Options;
use crate::quantized::Quantized;

/// A mesh that is being written.
pub(crate) struct Shape<'m, 'a> {
    pub(crate) mesh: &'m Mesh<'a>,
    pub(crate) topology: Topology,
    /// From the source's space to glTF's space.
    placement: Placement,
    /// The frame that targets are displacements from.
    pub(crate) base: usize,
    /// How positions are stored, if they are the integers of the source file.
    pub(crate) quantized: Option<Quantized>,
}

/// The memory of a shape for each vertex: maps, frames in [`Scratch`], and attributes while they are encoded.
pub(crate) type VertexArrays =
    ([u32; 4], [[f32; 3]; 6], [[f32; 2]; 3], [u8; 12], [[f32; 4]; 6], [[u16; 4]; 3]);

/// The memory of a shape for each triangle: decoded, while it is welded, and encoded.
pub(crate) type TriangleArrays = [[u32; 3]; 8];

/// Memory that decoding reuses.
#[derive(Default)]
pub(crate) struct Scratch {
    decoded: Vec<[f32; 3]>,
    values: Vec<[f32; 3]>,
    pairs: Vec<[f32; 2]>,
    decoded_pairs: Vec<[f32; 2]>,
    /// Encoded elements.
    pub(crate) bytes: Vec<u8>,
    /// The shape and attribute of `base_values`.
    base: Option<(usize, Attribute)>,
    base_values: Vec<[f32; 3]>,
    /// The number of values that were replaced: values that are not finite, and normals of length 0.
    pub(crate) replaced: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Attribute {
    Position,
    Normal,
}

/// Values of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeValues {
    /// The index of the shape.
    pub(crate) shape: usize,
    pub(crate) attribute: Attribute,
    pub(crate) frame: usize,
    /// Whether these are displacements from the base frame.
    pub(crate) relative: bool,
}

impl<'m, 'a> Shape<'m, 'a> {
    pub(crate) fn new(
        model: &Model<'_>,
        mesh: &'m Mesh<'a>,
        base: usize,
        scale: f32,
        quantize: bool,
    ) -> Result<Self> {
        let placement = model.placement_in(&Space::GLTF).scaled(scale);
        let quantized = if quantize { Quantized::new(&placement, mesh)? } else { None };
        Ok(Shape { mesh, topology: mesh.topology()?, placement, base, quantized })
    }

    /// The corners of a triangle in the winding of the written vertices.
    pub(crate) fn corners(&self, corners: [u32; 3]) -> [u32; 3] {
        let [a, b, c] = self.placement.corners(corners);
        // Readers exchange corners if the node mirrors.
        if self.quantized.is_some_and(|quantized| quantized.mirrors()) { [a, c, b] } else { [a, b, c] }
    }

    /// Whether the mesh has normals. Normals that are not stored as an array must be computed to determine this.
    pub(crate) fn has_normals(&self) -> Result<bool> {
        match self.mesh.normals(0)? {
            Some(stored) => Ok(!stored.is_empty()),
            None => self.mesh.normals_into(0, &mut Vec::new()),
        }
    }

    fn absolute(&self, attribute: Attribute, frame: usize, scratch: &mut Scratch) -> Result<()> {
        let frame = self.mesh.clamp_frame(frame);
        let Scratch { decoded, values, .. } = scratch;
        match attribute {
            Attribute::Position => {
                decode_gathered(self.mesh.positions(frame)?, self.topology.points(), decoded, values)?;
                for value in &mut *values {
                    *value = match &self.quantized {
                        Some(Quantized { step, .. }) => (Vec3::from(*value) / *step).round().to_array(),
                        None => self.placement.position(*value),
                    };
                    let [x, y, z] = *value;
                    if !(x.is_finite() && y.is_finite() && z.is_finite()) {
                        *value = [0.0; 3];
                        scratch.replaced += 1;
                    }
                }
            }
            Attribute::Normal => {
                let unit = match self.mesh.normals(frame)? {
                    Some(normals) => {
                        decode_gathered(normals, self.topology.corners(), decoded, values)?;
                        self.quantized.is_some() || normals.format().numbers() == Numbers::Angles
                    }
                    None => {
                        let into =
                            if self.topology.corners().is_some() { &mut *decoded } else { &mut *values };
                        self.mesh.normals_into(frame, into)?;
                        gathered(decoded, self.topology.corners(), values);
                        false
                    }
                };
                for value in &mut *values {
                    *value = match &self.quantized {
                        Some(quantized) => quantized.normal(&self.placement, *value),
                        None => self.placement.normal(*value),
                    };
                    if !unit || self.quantized.is_some_and(|quantized| quantized.normals.is_some()) {
                        let normal = unit_direction(*value);
                        scratch.replaced += u64::from(normal.is_none());
                        *value = normal.unwrap_or([0.0, 1.0, 0.0]);
                    }
                }
                if self.quantized.is_some() && frame == self.mesh.clamp_frame(self.base) {
                    // The value that readers get after they add the displacement.
                    for axis in values.as_flattened_mut() {
                        *axis = f32::from(to_i8(*axis)) / 127.0;
                    }
                }
            }
        }
        Ok(())
    }

    /// The values of a frame, one for each vertex.
    pub(crate) fn values<'s>(
        &self,
        wanted: ShapeValues,
        scratch: &'s mut Scratch,
    ) -> Result<&'s mut Vec<[f32; 3]>> {
        if wanted.relative {
            let key = Some((wanted.shape, wanted.attribute));
            if scratch.base != key {
                self.absolute(wanted.attribute, self.base, scratch)?;
                std::mem::swap(&mut scratch.base_values, &mut scratch.values);
                scratch.base = key;
            }
        }
        self.absolute(wanted.attribute, wanted.frame, scratch)?;
        if wanted.relative {
            for (value, base) in scratch.values.iter_mut().zip(&scratch.base_values) {
                let moved = Vec3::from(*value) - Vec3::from(*base);
                scratch.replaced += u64::from(!moved.is_finite());
                *value = moved.to_array().map(finite);
            }
        }
        Ok(&mut scratch.values)
    }

    /// The bytes of a texture coordinate: one if that is exact and requested, two if that is requested for skinned meshes.
    pub(crate) fn texcoord_size(
        &self,
        set: usize,
        options: &Options<'_>,
        scratch: &mut Scratch,
    ) -> Result<usize> {
        let is_compact = options.compact_joints && self.mesh.skin.is_some();
        let values = self.texcoords(set, scratch)?.as_flattened();
        let is_inside = |value: &f32| (0.0..=1.0).contains(value);
        Ok(match options.quantize {
            true if are_bytes(values) => 1,
            true if is_compact && values.iter().all(is_inside) => 2,
            _ => 4,
        })
    }

    /// Texture coordinates, one for each vertex.
    pub(crate) fn texcoords<'s>(&self, set: usize, scratch: &'s mut Scratch) -> Result<&'s [[f32; 2]]> {
        let Scratch { pairs, decoded_pairs, .. } = scratch;
        pairs.clear();
        let into = if self.topology.corners().is_some() { &mut *decoded_pairs } else { &mut *pairs };
        self.mesh.texcoords_into(set, into)?;
        gathered(decoded_pairs, self.topology.corners(), pairs);
        for value in pairs.as_flattened_mut() {
            if !value.is_finite() {
                *value = 0.0;
                scratch.replaced += 1;
            }
        }
        Ok(pairs)
    }
}

/// Gathers decoded corners or points for each vertex. Does nothing without a map.
fn gathered<V: Value>(decoded: &[V], map: Option<&[u32]>, out: &mut Vec<V>) {
    if let Some(map) = map {
        out.resize(map.len(), V::zeroed());
        gather(decoded, Some(map), out);
    }
}

/// The joints and the weights of each vertex.
type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>);

impl Shape<'_, '_> {
    /// The tangents of the base frame, one for each vertex; empty if there are none. Counts tangents that are not finite
    /// in `replaced`.
    pub(crate) fn tangents(&self, replaced: &mut u64) -> Result<Vec<[f32; 4]>> {
        let mut decoded = Vec::new();
        if !self.mesh.tangents_into(self.mesh.clamp_frame(self.base), &mut decoded)? {
            return Ok(Vec::new());
        }
        for tangent in &mut decoded {
            // The node turns the tangents of a quantized mesh.
            let [x, y, z, w] = match self.quantized {
                Some(_) => *tangent,
                None => self.placement.tangent(*tangent),
            };
            *replaced += u64::from(!(x.is_finite() && y.is_finite() && z.is_finite()));
            let [x, y, z] = unit_direction([x, y, z]).unwrap_or([1.0, 0.0, 0.0]);
            *tangent = [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }];
        }
        Ok(self.per_vertex(decoded, self.topology.corners()))
    }

    /// The colors of a set, one for each vertex, from 0 to 1; empty if there are none. Counts numbers that are not finite in
    /// `replaced`.
    pub(crate) fn colors(&self, set: usize, replaced: &mut u64) -> Result<Vec<[f32; 4]>> {
        let mut decoded = Vec::new();
        if !self.mesh.colors_into(set, &mut decoded)? {
            return Ok(Vec::new());
        }
        for value in decoded.as_flattened_mut() {
            *replaced += u64::from(!value.is_finite());
            *value = finite(*value).clamp(0.0, 1.0);
        }
        Ok(self.per_vertex(decoded, self.topology.corners()))
    }

    /// The joints and weights of each vertex; empty if no joint moves the mesh.
    pub(crate) fn influences(&self) -> Result<Influences> {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if self.mesh.skin.is_none() || !self.mesh.influences_into(&mut joints, &mut weights)? {
            return Ok((Vec::new(), Vec::new()));
        }
        let points = self.topology.points();
        Ok((self.per_vertex(joints, points), self.per_vertex(weights, points)))
    }

    fn per_vertex<V: Value>(&self, decoded: Vec<V>, map: Option<&[u32]>) -> Vec<V> {
        if map.is_none() {
            return decoded;
        }
        let mut out = Vec::new();
        gathered(&decoded, map, &mut out);
        out
    }
}

/// A finite value: infinities become the greatest number, and NaN becomes 0.
#[inline]
pub(crate) fn finite(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(f32::MIN, f32::MAX) }
}

/// Whether every value is exactly a multiple of 1/255 from 0 to 1.
pub(crate) fn are_bytes(values: &[f32]) -> bool {
    let is_byte = |value: &f32| (0.0..=1.0).contains(value) && (value * 255.0).round() / 255.0 == *value;
    !values.is_empty() && values.iter().all(is_byte)
}

/// A component of a normal as a normalized byte.
#[inline]
pub(crate) fn to_i8(value: f32) -> i8 {
    (value * 127.0).round() as i8
}

/// The minimum and maximum of each component.
pub(crate) fn bounds(values: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let first = values.first().copied().unwrap_or_default();
    values.iter().fold([first; 2], |[min, max], [x, y, z]| {
        [[min[0].min(*x), min[1].min(*y), min[2].min(*z)], [max[0].max(*x), max[1].max(*y), max[2].max(*z)]]
    })
}
