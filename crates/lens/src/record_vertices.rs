//! Selects the vertex buffers that are filled in registers without intermediate memory: the buffers of positions and
//! normals in records of eight bytes, in formats with a kernel. Beside other attributes, these are one column.

use crate::encoding::{Internal, position_zenith_azimuth};
use crate::simd::records::{NormalFormat, PositionFormat, RECORD, RecordMotion, RecordVertices, Turn};
use crate::stored::{Motion, Parts, Stored, StoredKind};
use crate::{Level, VertexAttribute, VertexFormat};

/// An attribute whose elements are [`Parts`].
struct RecordAttribute<'a> {
    offset: usize,
    format: VertexFormat,
    parts: Parts<'a>,
}

/// A position and a normal of the same records that are adjacent in the vertex.
pub(crate) struct RecordPair<'a> {
    /// The indices of the attributes.
    pub(crate) position: usize,
    pub(crate) normal: usize,
    /// The number of bytes before the position.
    pub(crate) offset: usize,
    pub(crate) vertices: RecordVertices<'a>,
}

/// The first position and the first normal of records, if there is a kernel for both. Other attributes do not matter.
pub(crate) fn record_pair<'a>(
    level: Level,
    attributes: &'a [VertexAttribute<'a>],
    count: usize,
) -> Option<RecordPair<'a>> {
    if Level::avx2().is_none_or(|avx2| level < avx2) {
        return None;
    }
    let find = |wanted: fn(StoredKind) -> bool| {
        attributes.iter().enumerate().find_map(|(index, attribute)| {
            let VertexAttribute { source, offset, format } = *attribute;
            let parts = source.parts(Internal).filter(|parts| wanted(parts.first.kind))?;
            Some((index, RecordAttribute { offset, format, parts }))
        })
    };
    let (position_index, position) = find(|kind| matches!(kind, StoredKind::Position16(_)))?;
    let (normal_index, normal) = find(|kind| kind == StoredKind::ZenithAzimuth)?;
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
        motion: motion(
            position.parts.motion,
            normal.parts.motion,
            blend.is_none().then_some(scale / 65536.0),
        )?,
        texcoords: None,
        count,
    };
    let after_position = position.offset.checked_add(position.format.size())?;
    let is_adjacent = normal.offset == after_position && vertices.has_kernel(level);
    let offset = position.offset;
    is_adjacent.then_some(RecordPair { position: position_index, normal: normal_index, offset, vertices })
}

/// Vertices of these attributes, if they are a position and a normal of the same records and, optionally, texture
/// coordinates that need no conversion, in this order and without gaps.
pub(crate) fn record_vertices<'a>(
    level: Level,
    attributes: &'a [VertexAttribute<'a>],
    stride: usize,
    pair: &RecordPair<'a>,
) -> Option<RecordVertices<'a>> {
    let RecordPair { position, normal, offset, vertices } = pair;
    let texcoords = match attributes {
        [_, _] => None,
        [_, _, _] => {
            let (_, texcoords) =
                attributes.iter().enumerate().find(|(index, _)| index != position && index != normal)?;
            if texcoords.offset != vertices.stride() {
                return None;
            }
            Some(pairs(texcoords, vertices.count)?)
        }
        _ => return None,
    };
    let vertices = RecordVertices { texcoords, ..*vertices };
    (*offset == 0 && vertices.stride() == stride && vertices.has_kernel(level)).then_some(vertices)
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
fn pairs<'a>(found: &VertexAttribute<'a>, count: usize) -> Option<&'a [u8]> {
    let Parts { first, second, motion, .. } = found.source.parts(Internal)?;
    let is_plain = second.is_none() && motion.is_none() && first.stride == 8;
    let is_pair = first.kind == StoredKind::As(found.format)
        && found.format == VertexFormat::Float32x2
        && cfg!(target_endian = "little");
    if is_plain && is_pair { first.bytes.get(..count.checked_mul(8)?) } else { None }
}

/// The conversions of positions and normals. `None` if the source of a component does not exist, or if there is no kernel
/// for both of them. The matrix of positions is multiplied by `scale` if there is one.
fn motion(position: Option<Motion>, normal: Option<Motion>, scale: Option<f32>) -> Option<RecordMotion> {
    let turn = |motion: Option<Motion>| {
        let ([x, y, z, _], [by_x, by_y, by_z, _]) = match motion {
            None => ([0, 1, 2, 3], [1.0; 4]),
            Some(Motion::Turn(from, factor)) => (from, factor),
            Some(_) => return None,
        };
        let turn = Turn { from: [x, y, z], factor: [by_x, by_y, by_z] };
        (x.max(y).max(z) < 3).then_some(turn)
    };
    match (position, normal) {
        (None, None) => Some(RecordMotion::None),
        (Some(Motion::Positions(mut positions)), Some(Motion::Directions(normals))) => {
            if let Some(scale) = scale {
                let [columns @ .., _] = &mut positions;
                let factors = columns.as_flattened_mut();
                // Vertices are the same if no factor loses bits.
                if !keeps_lengths(&normals) || factors.iter().any(|factor| factor * scale / scale != *factor)
                {
                    return None;
                }
                factors.iter_mut().for_each(|factor| *factor *= scale);
            }
            Some(RecordMotion::Matrices { positions, normals })
        }
        _ => Some(RecordMotion::Turns([turn(position)?, turn(normal)?])),
    }
}

/// Whether the products of all directions and the first three columns of a matrix have lengths that are neither rounded to 0 nor
/// infinite.
fn keeps_lengths([a, b, c, _]: &[[f32; 3]; 4]) -> bool {
    let [a, b, c] = [a, b, c].map(|column| column.map(f64::from));
    let across = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let volume = (across[0] * c[0] + across[1] * c[1] + across[2] * c[2]).abs();
    let squares: f64 = [a, b, c].as_flattened().iter().map(|factor| factor * factor).sum();
    // The longest product is at most the root of the squares. The shortest is at least the volume divided by half of the squares,
    // because the volume is the product of the three lengths of the axes of the ellipsoid that the sphere becomes.
    let (longest, shortest) = (libm::sqrt(squares), 2.0 * volume / squares);
    shortest > 1e-3 * longest && shortest > 1e-12 && longest < 1e12
}
