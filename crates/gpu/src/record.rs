//! Tables that are not stored in the form in which they are drawn: the numbers of the point and the corner of each
//! vertex, gathered texture coordinates, joints and weights.

use std::borrow::Cow;

use meshlens::lens::encoding::{F32, U8, U16, U32, Unorm8, Unorm16};
use meshlens::lens::{ArrayFormat, Described, Semantic};
use meshlens::model::Mesh;

use crate::layout::{Field, Table};
use crate::plan::{Per, TablePlan, Triangles};

/// The semantic of the numbers of a vertex: of its point, and of its corner.
pub(crate) const NUMBERS: Semantic = Semantic::PointIndices;

/// A table with computed records.
fn made<'m>(
    fields: &[(Semantic, &'static ArrayFormat, usize)],
    per: Per,
    bytes: Vec<u8>,
) -> Option<TablePlan<'m>> {
    let fields: Vec<Field> = fields
        .iter()
        .map(|(semantic, format, offset)| Field { semantic: *semantic, format, offset: *offset })
        .collect();
    let stride = fields.iter().map(|field| field.offset + field.format.size()).max()?.next_multiple_of(4);
    let count = bytes.len() / stride;
    Some(TablePlan { table: Table { stride, fields }, per, count, frames: vec![vec![Cow::Owned(bytes)]] })
}

/// The joints and the weights of each point: bytes if there are at most 256 joints, and unorm16. `None` if no joint moves the
/// mesh.
pub(crate) fn influences<'m>(mesh: &Mesh<'_>, per: Per) -> meshlens::Result<Option<TablePlan<'m>>> {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    if mesh.skin.is_none() || !mesh.influences_into(&mut joints, &mut weights)? {
        return Ok(None);
    }
    let is_wide = joints.iter().flatten().any(|joint| *joint > 255);
    let mut bytes = Vec::with_capacity(joints.len() * if is_wide { 16 } else { 12 });
    for (joints, weights) in joints.iter().zip(&weights) {
        if is_wide {
            bytes.extend(joints.iter().flat_map(|joint| joint.to_le_bytes()));
        } else {
            bytes.extend(joints.map(|joint| joint as u8));
        }
        bytes.extend(unorm_weights(*weights).iter().flat_map(|weight| weight.to_le_bytes()));
    }
    let (format, offset) = if is_wide { (U16::<4>::FORMAT, 8) } else { (U8::<4>::FORMAT, 4) };
    let fields = [(Semantic::Joints, format, 0), (Semantic::Weights, Unorm16::<4>::FORMAT, offset)];
    Ok(made(&fields, per, bytes))
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

/// The table of vertices: the numbers of its point and of its corner, if `tables` are indexed by them, and texture
/// coordinates that are not stored as an array. `None` if it would be empty.
pub(crate) fn vertices<'m>(
    mesh: &Mesh<'_>,
    triangles: &Triangles,
    tables: &[TablePlan<'_>],
) -> meshlens::Result<Option<TablePlan<'m>>> {
    let uses = |per| tables.iter().any(|table| table.per == per);
    let points = triangles.points.as_deref().filter(|_| uses(Per::Point));
    let corners = triangles.corners.as_deref().filter(|_| uses(Per::Corner));
    let numbers: Vec<&[u32]> = match (points, corners) {
        (points, Some(corners)) => {
            // A table of corners without one of points still has the number of the point first.
            vec![points.unwrap_or(corners), corners]
        }
        (Some(points), None) => vec![points],
        (None, None) => Vec::new(),
    };
    let mut texcoords = Vec::new();
    let stored = tables.iter().any(|table| table.field(Semantic::Texcoord).is_some());
    if !stored && mesh.texcoord_sets() > 0 {
        let mut all = Vec::new();
        mesh.texcoords_into(0, &mut all)?;
        texcoords.resize(triangles.vertex_count, [0.0; 2]);
        meshlens::model::gather(&all, triangles.corners.as_deref(), &mut texcoords);
    }
    if numbers.is_empty() && texcoords.is_empty() {
        return Ok(None);
    }

    let is_wide = numbers.iter().any(|numbers| numbers.iter().any(|number| *number > 0xffff));
    let width = if is_wide { 4 } else { 2 };
    // Bytes if all coordinates are multiples of 1/255, as in Unreal.
    let steps: Option<Vec<[u8; 2]>> = texcoords.iter().map(|texcoord| bytes_of(*texcoord)).collect();
    let mut fields = Vec::new();
    if !numbers.is_empty() {
        // There is no format of one 16-bit integer: the second component contains the next bytes.
        let format = match (is_wide, numbers.len()) {
            (false, _) => U16::<2>::FORMAT,
            (true, 1) => U32::<1>::FORMAT,
            (true, _) => U32::<2>::FORMAT,
        };
        fields.push((NUMBERS, format, 0));
    }
    let mut at = numbers.len() * width;
    if !texcoords.is_empty() {
        let format = if steps.is_some() { Unorm8::<2>::FORMAT } else { F32::<2>::FORMAT };
        if steps.is_none() {
            at = at.next_multiple_of(4);
        }
        fields.push((Semantic::Texcoord, format, at));
        at += format.size();
    }
    let stride = at.max(4).next_multiple_of(4);
    let mut bytes = vec![0; triangles.vertex_count * stride];
    for (vertex, record) in bytes.chunks_exact_mut(stride).enumerate() {
        let mut own: Vec<u8> = Vec::with_capacity(stride);
        for number in numbers.iter().filter_map(|numbers| numbers.get(vertex)) {
            own.extend(&number.to_le_bytes()[..width]);
        }
        if let Some(texcoord) = texcoords.get(vertex) {
            match steps.as_ref().and_then(|steps| steps.get(vertex)) {
                Some(step) => own.extend(step),
                None => {
                    own.resize(own.len().next_multiple_of(4), 0);
                    own.extend(texcoord.iter().flat_map(|value| value.to_le_bytes()));
                }
            }
        }
        for (slot, byte) in record.iter_mut().zip(own) {
            *slot = byte;
        }
    }
    Ok(made(&fields, Per::Vertex, bytes))
}

/// The bytes that decode to these texture coordinates exactly; `None` if there are none.
fn bytes_of(texcoord: [f32; 2]) -> Option<[u8; 2]> {
    let bytes = texcoord.map(|value| (value * 255.0).round().clamp(0.0, 255.0) as u8);
    (bytes.map(|byte| f32::from(byte) / 255.0) == texcoord).then_some(bytes)
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
    fn texture_coordinates_are_bytes_only_if_those_are_exact() {
        assert_eq!(bytes_of([0.2, 1.0]), Some([51, 255]));
        assert_eq!(bytes_of([0.3333, 0.0]), None);
        assert_eq!(bytes_of([1.5, 0.0]), None);
    }
}
