//! Selects the vertex buffers that are filled in registers without intermediate memory: the buffers of positions and
//! normals in records of eight bytes, in formats with a kernel.

use crate::encoding::{Internal, position_zenith_azimuth};
use crate::simd::records::{NormalFormat, PositionFormat, RECORD, RecordVertices, Turn};
use crate::stored::{Parts, Stored, StoredKind};
use crate::{Level, VertexAttribute, VertexFormat};

/// An attribute whose elements are [`Parts`].
struct RecordAttribute<'a> {
    offset: usize,
    format: VertexFormat,
    parts: Parts<'a>,
}

/// Vertices of these attributes, if they are a position and a normal of the same records and, optionally, texture
/// coordinates that need no conversion, in this order and without gaps.
pub(crate) fn record_vertices<'a>(
    level: Level,
    attributes: &'a [VertexAttribute<'a>],
    stride: usize,
    count: usize,
) -> Option<RecordVertices<'a>> {
    if Level::avx2().is_none_or(|avx2| level < avx2) || !matches!(attributes.len(), 2 | 3) {
        return None;
    }
    let (mut position, mut normal, mut texcoords) = (None, None, None);
    for attribute in attributes {
        let VertexAttribute { source, offset, format } = *attribute;
        let found = RecordAttribute { offset, format, parts: source.parts(Internal)? };
        let slot = match found.parts.first.kind {
            StoredKind::Position16(_) => &mut position,
            StoredKind::ZenithAzimuth => &mut normal,
            _ => &mut texcoords,
        };
        if slot.replace(found).is_some() {
            return None;
        }
    }
    let (position, normal) = (position?, normal?);
    let StoredKind::Position16(scale) = position.parts.first.kind else { return None };
    let first = frame(position.parts.first, normal.parts.first, count)?;
    let (second, blend) = match (position.parts.second, normal.parts.second) {
        (None, None) => (first, None),
        (Some((positions, of_positions)), Some((normals, of_normals))) => {
            let is_usual = !position.parts.is_direction && normal.parts.is_direction;
            let are_alike =
                positions.kind == position.parts.first.kind && normals.kind == StoredKind::ZenithAzimuth;
            // The kernel first multiplies the weights by the scale, which must be exact.
            let is_exact = |weight: f32| weight * scale / 65536.0 * 65536.0 / scale == weight;
            if !(is_usual && are_alike && is_exact(of_positions) && is_exact(1.0 - of_positions)) {
                return None;
            }
            (frame(positions, normals, count)?, Some([of_positions, of_normals]))
        }
        _ => return None,
    };
    let (position_format, normal_format) = formats(position.format, normal.format)?;
    let vertices = RecordVertices {
        tables: position_zenith_azimuth(scale),
        frames: [first, second],
        blend,
        position: position_format,
        normal: normal_format,
        turns: turns(position.parts.turn, normal.parts.turn)?,
        texcoords: texcoords.as_ref().map_or(Some(None), |found| pairs(found, count).map(Some))?,
        count,
    };
    let after_position = position.offset.checked_add(position.format.size())?;
    let after_normal = normal.offset.checked_add(normal.format.size())?;
    let is_dense = position.offset == 0
        && normal.offset == after_position
        && texcoords.is_none_or(|texcoords| texcoords.offset == after_normal)
        && vertices.stride() == stride;
    (is_dense && vertices.has_kernel(level)).then_some(vertices)
}

/// The formats of positions and normals, if there is a kernel for both.
fn formats(position: VertexFormat, normal: VertexFormat) -> Option<(PositionFormat, NormalFormat)> {
    let position = match position {
        VertexFormat::Float32x3 => PositionFormat::Float32x3,
        VertexFormat::Float16x4 => PositionFormat::Float16x4,
        _ => return None,
    };
    let normal = match normal {
        VertexFormat::Float32x3 => NormalFormat::Float32x3,
        VertexFormat::Octahedral16x2 => NormalFormat::Octahedral16x2,
        VertexFormat::Snorm8x4 => NormalFormat::Snorm8x4,
        _ => return None,
    };
    Some((position, normal))
}

/// The records of a frame: all records except the last one, and the last record, whose position has six bytes.
fn frame<'a>(positions: Stored<'a>, normals: Stored<'a>, count: usize) -> Option<(&'a [u8], [u8; RECORD])> {
    let are_records = positions.bytes.as_ptr().wrapping_add(6) == normals.bytes.as_ptr();
    if !are_records || positions.stride != RECORD || normals.stride != RECORD {
        return None;
    }
    let whole = count.checked_sub(1)?.checked_mul(RECORD)?;
    let [a, b, c, d, e, f] = *positions.bytes.get(whole..)?.first_chunk()?;
    let [g, h] = *normals.bytes.get(whole..)?.first_chunk()?;
    Some((positions.bytes.get(..whole)?, [a, b, c, d, e, f, g, h]))
}

/// Pairs of floats without gaps, which need no conversion.
fn pairs<'a>(found: &RecordAttribute<'a>, count: usize) -> Option<&'a [u8]> {
    let Parts { first, second, turn, .. } = found.parts;
    let is_plain = second.is_none() && turn.is_none() && first.stride == 8;
    let is_pair = first.kind == StoredKind::As(found.format)
        && found.format == VertexFormat::Float32x2
        && cfg!(target_endian = "little");
    if is_plain && is_pair { first.bytes.get(..count.checked_mul(8)?) } else { None }
}

/// The exchange and multiplication of the components of a source.
type Swizzle = Option<([usize; 4], [f32; 4])>;

/// The exchanges of components of positions and normals. `None` if the source of a component does not exist.
fn turns(position: Swizzle, normal: Swizzle) -> Option<Option<[Turn; 2]>> {
    if position.is_none() && normal.is_none() {
        return Some(None);
    }
    let turn = |swizzle: Swizzle| {
        let ([x, y, z, _], [by_x, by_y, by_z, _]) = swizzle.unwrap_or(([0, 1, 2, 3], [1.0; 4]));
        let turn = Turn { from: [x, y, z], factor: [by_x, by_y, by_z] };
        (x.max(y).max(z) < 3).then_some(turn)
    };
    Some(Some([turn(position)?, turn(normal)?]))
}
