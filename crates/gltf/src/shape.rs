//! The vertices of one mesh as they go into the file: welded, in glTF's space, relative to the base where they are the
//! displacement of a morph target. Planning measures them, writing writes them; both come here, so they agree to the bit.

use glam::{Mat3, Mat4, Vec3};
use meshlens::Result;
use meshlens::lens::Value;
use meshlens::model::{Conversion, Mesh, Model, Space, Topology, decode_gathered, gather};

/// Units of a quantised position: what MD3 divides by.
pub(crate) const QUANTUM: f32 = 64.0;

/// A mesh that is being written.
pub(crate) struct Shape<'m, 'a> {
    pub(crate) mesh: &'m Mesh<'a>,
    pub(crate) topology: Topology,
    /// From the file's space to that of the vertices written.
    pub(crate) conversion: Conversion,
    /// The frame that targets are displacements from.
    pub(crate) base: usize,
    /// Whether positions are stored as the integers that the file has.
    pub(crate) quantized: bool,
    /// What positions are moved by first, where it is not nothing.
    placement: Option<Mat4>,
    /// The rotation of the placement, and -1 where it also mirrors: what normals are turned by.
    turn: (Mat3, f32),
}

/// Memory that decoding reuses.
#[derive(Default)]
pub(crate) struct Scratch {
    decoded: Vec<[f32; 3]>,
    values: Vec<[f32; 3]>,
    pairs: Vec<[f32; 2]>,
    decoded_pairs: Vec<[f32; 2]>,
    /// The base values of the last shape that displacements were asked of.
    base: Option<(usize, Attribute)>,
    base_values: Vec<[f32; 3]>,
    /// Values that were no numbers, or normals of no length, and were replaced.
    pub(crate) replaced: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    Position,
    Normal,
}

/// What of a shape is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The number of the shape, by which its base is kept.
    pub(crate) shape: usize,
    pub(crate) attribute: Attribute,
    pub(crate) frame: usize,
    /// Displacements from the base frame, not values.
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
        let quantized =
            quantize && mesh.positions(0).is_ok_and(|positions| positions.encoding() == "Md3Position");
        let to_gltf = model.space.to(&Space::GLTF);
        let mut conversion = if quantized {
            // Positions and normals stay in the file's space, and the node turns them; triangles turn over here.
            let mut conversion = model.space.to(&model.space).scaled(QUANTUM);
            conversion.swaps_winding = to_gltf.swaps_winding;
            conversion
        } else {
            to_gltf.scaled(scale)
        };
        let mut turn = (Mat3::IDENTITY, 1.0);
        let placement = Some(model.placement).filter(|placement| *placement != Mat4::IDENTITY);
        if let Some(placement) = placement {
            let mirrors = placement.determinant() < 0.0;
            conversion.swaps_winding ^= mirrors;
            // Normals come from scaled positions already, and a mirror turns them inside out.
            let axes = Mat3::from_mat4(placement);
            let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::normalize_or_zero);
            let axes = Mat3::from_cols(axes[0], axes[1], axes[2]);
            let signs = if mirrors { -1.0 } else { 1.0 };
            turn = (axes, signs);
        }
        Ok(Shape { mesh, topology: mesh.topology()?, conversion, base, quantized, placement, turn })
    }

    pub(crate) fn has_normals(&self) -> bool {
        self.mesh.normals_into(0, &mut Vec::new()).unwrap_or_default()
    }

    /// The frame a mesh shows when the model shows `frame`: a mesh with fewer stays at its last.
    pub(crate) fn clamp(&self, frame: usize) -> usize {
        frame.min(self.mesh.frame_count().saturating_sub(1))
    }

    fn absolute(&self, attribute: Attribute, frame: usize, scratch: &mut Scratch) -> Result<()> {
        let frame = self.clamp(frame);
        let Scratch { decoded, values, .. } = scratch;
        match attribute {
            Attribute::Position => {
                decode_gathered(self.mesh.positions(frame)?, self.topology.points(), decoded, values);
                if let Some(placement) = &self.placement {
                    for value in &mut *values {
                        *value = placement.transform_point3(Vec3::from(*value)).to_array();
                    }
                }
                for value in &mut *values {
                    *value = self.conversion.position(*value);
                    if !value.iter().all(|axis| axis.is_finite()) {
                        *value = [0.0; 3];
                        scratch.replaced += 1;
                    }
                }
            }
            Attribute::Normal => {
                let unit = match self.mesh.normals(frame)? {
                    Some(normals) => {
                        decode_gathered(normals, self.topology.corners(), decoded, values);
                        self.quantized || normals.encoding() == "Md3Normal"
                    }
                    None => {
                        let into =
                            if self.topology.corners().is_some() { &mut *decoded } else { &mut *values };
                        self.mesh.normals_into(frame, into)?;
                        gathered(decoded, self.topology.corners(), values);
                        false
                    }
                };
                if self.placement.is_some() {
                    let (axes, sign) = self.turn;
                    for value in &mut *values {
                        *value = (axes * Vec3::from(*value) * sign).to_array();
                    }
                }
                for value in &mut *values {
                    *value = self.conversion.direction(*value);
                    if !unit {
                        let normal = Vec3::from(*value).try_normalize();
                        scratch.replaced += u64::from(normal.is_none());
                        *value = normal.unwrap_or(Vec3::Y).into();
                    }
                }
                if self.quantized && frame == self.clamp(self.base) {
                    // What a reader will see, so that displacements start from there.
                    values
                        .iter_mut()
                        .for_each(|value| *value = value.map(|axis| f32::from(to_i8(axis)) / 127.0));
                }
            }
        }
        Ok(())
    }

    /// The values wanted, one for each vertex.
    pub(crate) fn values<'s>(&self, wanted: Wanted, scratch: &'s mut Scratch) -> Result<&'s mut [[f32; 3]]> {
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
                let ([x, y, z], [a, b, c]) = (*value, *base);
                *value = [x - a, y - b, z - c].map(finite);
            }
        }
        Ok(&mut scratch.values)
    }

    /// Texture coordinates, one for each vertex.
    pub(crate) fn texcoords<'s>(&self, set: usize, scratch: &'s mut Scratch) -> &'s [[f32; 2]] {
        let Scratch { pairs, decoded_pairs, .. } = scratch;
        pairs.clear();
        let into = if self.topology.corners().is_some() { &mut *decoded_pairs } else { &mut *pairs };
        self.mesh.texcoords_into(set, into);
        gathered(decoded_pairs, self.topology.corners(), pairs);
        for value in pairs.as_flattened_mut() {
            if !value.is_finite() {
                *value = 0.0;
                scratch.replaced += 1;
            }
        }
        pairs
    }
}

/// Puts decoded corners or points where vertices want them; nothing where vertices take them as they are.
fn gathered<V: Value>(decoded: &[V], map: Option<&[u32]>, out: &mut Vec<V>) {
    if let Some(map) = map {
        out.resize(map.len(), V::zeroed());
        gather(decoded, Some(map), out);
    }
}

impl Shape<'_, '_> {
    /// Tangents of the base frame, one for each vertex; empty where there are none.
    pub(crate) fn tangents(&self) -> Result<Vec<[f32; 4]>> {
        let mut decoded = Vec::new();
        if self.placement.is_some() || !self.mesh.tangents_into(self.clamp(self.base), &mut decoded)? {
            return Ok(Vec::new());
        }
        for tangent in &mut decoded {
            let [x, y, z, w] = self.conversion.tangent(*tangent);
            let [x, y, z] = Vec3::new(x, y, z).try_normalize().unwrap_or(Vec3::X).to_array();
            *tangent = [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }];
        }
        Ok(self.per_vertex(decoded, self.topology.corners()))
    }

    /// Colours, one for each vertex; empty where there are none.
    pub(crate) fn colors(&self) -> Vec<[f32; 4]> {
        let mut decoded = Vec::new();
        if !self.mesh.colors_into(&mut decoded) {
            return Vec::new();
        }
        self.per_vertex(decoded, self.topology.corners())
    }

    /// Joints and weights, one of each for each vertex; empty where no joint moves the mesh.
    pub(crate) fn influences(&self) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if self.mesh.skin.is_none() || !self.mesh.influences_into(&mut joints, &mut weights) {
            return (Vec::new(), Vec::new());
        }
        let points = self.topology.points();
        (self.per_vertex(joints, points), self.per_vertex(weights, points))
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

/// What JSON and readers take: the greatest number for what is past it, and 0 for what is none.
pub(crate) fn finite(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(f32::MIN, f32::MAX) }
}

/// A component of a normal as glTF's normalised bytes store it.
pub(crate) fn to_i8(value: f32) -> i8 {
    (value * 127.0).round() as i8
}

/// Least and greatest of each component.
pub(crate) fn bounds(values: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let first = values.first().copied().unwrap_or_default();
    values.iter().fold([first; 2], |[min, max], [x, y, z]| {
        [[min[0].min(*x), min[1].min(*y), min[2].min(*z)], [max[0].max(*x), max[1].max(*y), max[2].max(*z)]]
    })
}
