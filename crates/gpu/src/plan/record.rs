//! Tables that are computed: colors, further sets of texture coordinates, joints and weights.

use std::borrow::Cow;

use meshlens::lens::encoding::{F32, U8, U16, Unorm8, Unorm16};
use meshlens::lens::{ArrayFormat, Described, Semantic};
use meshlens::model::Mesh;

use super::{Per, Storage, TablePlan};
use crate::layout::{Field, Table};

/// A table with computed records, the same in all frames.
pub(super) fn made<'m>(fields: Vec<Field>, stride: usize, per: Per, bytes: Vec<u8>) -> TablePlan<'m> {
    TablePlan {
        table: Table { stride, fields },
        per,
        count: bytes.len().checked_div(stride).unwrap_or(0),
        frame_count: 1,
        frames: vec![vec![Cow::Owned(bytes)]],
        first_frame: 0,
    }
}

/// The bytes of these floats in a table.
pub(super) fn float_bytes(floats: impl IntoIterator<Item = f32>) -> Vec<u8> {
    floats.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A field of set 0.
pub(super) fn field(semantic: Semantic, format: &'static ArrayFormat, offset: usize) -> Field {
    Field { semantic, set: 0, format, offset }
}

/// The joints and the weights of each point: bytes if there are at most 256 joints, and unorm16. `None` if no joint
/// moves the mesh.
pub(super) fn influences<'m>(mesh: &Mesh<'_>, per: Per) -> meshlens::Result<Option<TablePlan<'m>>> {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    if mesh.skin.is_none() || !mesh.influences_into(&mut joints, &mut weights)? {
        return Ok(None);
    }
    let is_wide = joints.iter().flatten().any(|joint| *joint > 255);
    let (format, offset) = if is_wide { (U16::<4>::FORMAT, 8) } else { (U8::<4>::FORMAT, 4) };
    let mut bytes = Vec::with_capacity(joints.len() * (offset + 8));
    for (joints, weights) in joints.iter().zip(&weights) {
        if is_wide {
            bytes.extend(joints.iter().flat_map(|joint| joint.to_le_bytes()));
        } else {
            bytes.extend(joints.map(|joint| joint as u8));
        }
        bytes.extend(unorm_weights(*weights).iter().flat_map(|weight| weight.to_le_bytes()));
    }
    let fields =
        vec![field(Semantic::Joints, format, 0), field(Semantic::Weights, Unorm16::<4>::FORMAT, offset)];
    Ok(Some(made(fields, offset + 8, per, bytes)))
}

/// Weights as unorm16 with a sum of 65535: the largest weight takes the rounding error.
fn unorm_weights(weights: [f32; 4]) -> [u16; 4] {
    let mut rounded = weights.map(|weight| (weight * 65535.0).round().clamp(0.0, 65535.0) as i32);
    let rest = 65535 - rounded.iter().sum::<i32>();
    if let Some(largest) = rounded.iter_mut().max_by_key(|weight| **weight) {
        *largest += rest;
    }
    rounded.map(|weight| weight.clamp(0, 65535) as u16)
}

/// The colors of the corners: bytes if these are exact, otherwise floats. `None` if the mesh does not have the set.
pub(super) fn colors<'m>(
    mesh: &Mesh<'_>,
    set: usize,
    per: Per,
    storage: Storage,
) -> meshlens::Result<Option<TablePlan<'m>>> {
    let mut colors = Vec::new();
    if !mesh.colors_into(set, &mut colors)? {
        return Ok(None);
    }
    let steps: Option<Vec<[u8; 4]>> = colors.iter().map(|color| bytes_of(*color)).collect();
    let (format, bytes) = match steps.filter(|_| storage == Storage::Stored) {
        Some(steps) => (Unorm8::<4>::FORMAT, steps.into_flattened()),
        None => (F32::<4>::FORMAT, float_bytes(colors.into_flattened())),
    };
    let field = Field { set, ..field(Semantic::Color, format, 0) };
    Ok(Some(made(vec![field], format.size(), per, bytes)))
}

/// Texture coordinates of the corners that are not stored as one array. `None` if the mesh does not have the set.
pub(super) fn texcoords<'m>(
    mesh: &Mesh<'_>,
    set: usize,
    per: Per,
) -> meshlens::Result<Option<TablePlan<'m>>> {
    let mut texcoords = Vec::new();
    if !mesh.texcoords_into(set, &mut texcoords)? {
        return Ok(None);
    }
    let bytes = float_bytes(texcoords.into_flattened());
    let field = Field { set, ..field(Semantic::Texcoord, F32::<2>::FORMAT, 0) };
    Ok(Some(made(vec![field], 8, per, bytes)))
}

/// The bytes that decode to these numbers exactly; `None` if no bytes do.
pub(super) fn bytes_of<const D: usize>(values: [f32; D]) -> Option<[u8; D]> {
    let bytes = values.map(|value| (value * 255.0).round().clamp(0.0, 255.0) as u8);
    (bytes.map(|byte| f32::from(byte) / 255.0) == values).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one() {
        assert_eq!(unorm_weights([1.0, 0.0, 0.0, 0.0]), [65535, 0, 0, 0]);
        let third = unorm_weights([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
        assert_eq!(third.iter().map(|weight| u32::from(*weight)).sum::<u32>(), 65535);
    }

    #[test]
    fn texture_coordinates_are_bytes_only_if_that_is_exact() {
        assert_eq!(bytes_of([0.2, 1.0]), Some([51, 255]));
        assert_eq!(bytes_of([0.3333, 0.0]), None);
        assert_eq!(bytes_of([1.5, 0.0]), None);
    }
}
