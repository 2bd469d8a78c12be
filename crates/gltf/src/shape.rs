//! The vertices of one mesh as they go into the file: welded, in glTF's space, relative to the base where they are the
//! displacement of a morph target. Planning measures them, writing writes them; both come here, so they agree to the bit.

use glam::Vec3;
use meshlens::Result;
use meshlens::model::{Conversion, Mesh, Model, Space, Topology, decode_gathered};

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
        let conversion = if quantized {
            // Positions and normals stay in the file's space, and the node turns them; triangles turn over here.
            let mut conversion = model.space.to(&model.space).scaled(QUANTUM);
            conversion.swaps_winding = to_gltf.swaps_winding;
            conversion
        } else {
            to_gltf.scaled(scale)
        };
        Ok(Shape { mesh, topology: mesh.topology()?, conversion, base, quantized })
    }

    pub(crate) fn has_normals(&self) -> bool {
        self.mesh.normals(0).is_ok_and(|normals| normals.is_some())
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
                for value in &mut *values {
                    *value = self.conversion.position(*value);
                    if !value.iter().all(|axis| axis.is_finite()) {
                        *value = [0.0; 3];
                        scratch.replaced += 1;
                    }
                }
            }
            Attribute::Normal => {
                let Some(normals) = self.mesh.normals(frame)? else {
                    values.clear();
                    return Ok(());
                };
                let unit = normals.encoding() == "Md3Normal";
                decode_gathered(normals, self.topology.corners(), decoded, values);
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
                *value = [x - a, y - b, z - c];
            }
        }
        Ok(&mut scratch.values)
    }

    /// Texture coordinates, one for each vertex.
    pub(crate) fn texcoords<'s>(&self, set: usize, scratch: &'s mut Scratch) -> &'s [[f32; 2]] {
        let Scratch { pairs, decoded_pairs, .. } = scratch;
        pairs.clear();
        if let Some(texcoords) = self.mesh.texcoords(set) {
            decode_gathered(texcoords, self.topology.corners(), decoded_pairs, pairs);
        }
        for value in pairs.as_flattened_mut() {
            if !value.is_finite() {
                *value = 0.0;
                scratch.replaced += 1;
            }
        }
        pairs
    }
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
