//! The table of vertices: the indices of the point and the corner of each vertex, and gathered texture coordinates.

use meshlens::lens::encoding::{F32, U8, U16, U32, Unorm8};
use meshlens::lens::{Described, Semantic};
use meshlens::model::Mesh;

use super::record::{bytes_of, field, made};
use super::{Per, TablePlan, Triangles};
use crate::layout::Field;

/// The semantic of the indices of a vertex: of its point and of its corner.
pub(crate) const NUMBERS: Semantic = Semantic::PointIndices;

/// The table of vertices: the indices of the point and the corner of each vertex, if `tables` are indexed by them, and
/// texture coordinates of set 0 that are not stored as an array. `None` if it would be empty.
///
/// Records are not padded, so that most tables without texture coordinates are bound as texels.
pub(super) fn vertices<'m>(
    mesh: &Mesh<'_>,
    triangles: &Triangles,
    tables: &[TablePlan<'_>],
) -> meshlens::Result<Option<TablePlan<'m>>> {
    let uses = |per| tables.iter().any(|table| table.per == per);
    let points = triangles.points.as_deref().filter(|_| uses(Per::Point));
    let corners = triangles.corners.as_deref().filter(|_| uses(Per::Corner));
    let numbers: Vec<&[u32]> = match (points, corners) {
        // If only corners are indexed, the record still has the index of the point first.
        (points, Some(corners)) => vec![points.unwrap_or(corners), corners],
        (Some(points), None) => vec![points],
        (None, None) => Vec::new(),
    };
    let is_stored = |table: &TablePlan<'_>| {
        let mut fields = table.table.fields.iter();
        fields.any(|field| field.semantic == Semantic::Texcoord && field.set == 0)
    };
    let mut texcoords = Vec::new();
    if mesh.texcoord_sets() > 0 && !tables.iter().any(is_stored) {
        let mut all = Vec::new();
        mesh.texcoords_into(0, &mut all)?;
        texcoords.resize(triangles.vertex_count, [0.0; 2]);
        meshlens::model::gather(&all, triangles.corners.as_deref(), &mut texcoords);
    }
    if numbers.is_empty() && texcoords.is_empty() {
        return Ok(None);
    }
    // Coordinates are stored as bytes if all of them are multiples of 1/255, as in Unreal.
    let steps: Option<Vec<[u8; 2]>> = texcoords.iter().map(|texcoord| bytes_of(*texcoord)).collect();
    let (fields, width, stride) = record(&numbers, !texcoords.is_empty(), steps.is_some());
    let mut bytes = Vec::with_capacity(triangles.vertex_count * stride);
    for vertex in 0..triangles.vertex_count {
        let end = bytes.len() + stride;
        for number in numbers.iter().filter_map(|numbers| numbers.get(vertex)) {
            bytes.extend(&number.to_le_bytes()[..width]);
        }
        match steps.as_ref().map(|steps| steps.get(vertex)) {
            Some(step) => bytes.extend(step.into_iter().flatten()),
            None => {
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                let texcoord = texcoords.get(vertex).into_iter().flatten();
                bytes.extend(texcoord.flat_map(|value| value.to_le_bytes()));
            }
        }
        bytes.resize(end, 0);
    }
    Ok(Some(made(fields, stride, Per::Vertex, bytes)))
}

/// The fields of a record, the size of a number, and the stride.
fn record(numbers: &[&[u32]], has_texcoords: bool, are_bytes: bool) -> (Vec<Field>, usize, usize) {
    let largest = numbers.iter().flat_map(|numbers| numbers.iter()).max().copied().unwrap_or(0);
    let width = match largest {
        0..=0xff if !has_texcoords => 1,
        0..=0xffff => 2,
        _ => 4,
    };
    let mut fields = Vec::new();
    if !numbers.is_empty() {
        let format = match (width, numbers.len()) {
            (1, 1) => U8::<1>::FORMAT,
            (1, _) => U8::<2>::FORMAT,
            // No vertex format has a single 16-bit integer, so the second component contains the next bytes.
            (2, 1) if has_texcoords => U16::<2>::FORMAT,
            (2, 1) => U16::<1>::FORMAT,
            (2, _) => U16::<2>::FORMAT,
            (_, 1) => U32::<1>::FORMAT,
            (_, _) => U32::<2>::FORMAT,
        };
        fields.push(field(NUMBERS, format, 0));
    }
    let mut at = numbers.len() * width;
    if has_texcoords {
        let format = if are_bytes { Unorm8::<2>::FORMAT } else { F32::<2>::FORMAT };
        if !are_bytes {
            at = at.next_multiple_of(4);
        }
        fields.push(field(Semantic::Texcoord, format, at));
        at = (at + format.size()).next_multiple_of(4);
    }
    (fields, width, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_use_the_smallest_type() {
        let of = |numbers: &[&[u32]], texcoords, are_bytes| {
            let (fields, width, stride) = record(numbers, texcoords, are_bytes);
            (fields.iter().map(|field| field.offset).collect::<Vec<_>>(), width, stride)
        };
        assert_eq!(of(&[&[255]], false, true), (vec![0], 1, 1));
        assert_eq!(of(&[&[255], &[3]], false, true), (vec![0], 1, 2));
        assert_eq!(of(&[&[256], &[3]], false, true), (vec![0], 2, 4));
        assert_eq!(of(&[&[65536]], false, true), (vec![0], 4, 4));
        // An index and two bytes, as in Unreal; an index and two floats.
        assert_eq!(of(&[&[255]], true, true), (vec![0, 2], 2, 4));
        assert_eq!(of(&[&[255]], true, false), (vec![0, 4], 2, 12));
        assert_eq!(of(&[], true, false), (vec![0], 2, 8));
    }
}
