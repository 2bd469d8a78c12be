//! The tables of a mesh: its stored arrays, grouped by the records that contain them.

use std::borrow::Cow;
use std::ops::Range;

use meshlens::lens::encoding::{F32, Snorm16};
use meshlens::lens::{AnyLens, Described, Semantic};
use meshlens::model::Mesh;

use super::{Frame, Per, PlanOptions, Storage, TablePlan, Triangles, numbers, record, sprites};
use crate::layout::{Field, Table};

/// One array in some frames.
struct Frames<'m> {
    semantic: Semantic,
    /// The number of the set of texture coordinates; 0 for other arrays.
    set: usize,
    per: Per,
    lenses: Vec<AnyLens<'m>>,
    /// The number of all frames, and the index of the first of `lenses`.
    frame_count: usize,
    first_frame: usize,
}

/// All tables of a mesh.
pub(super) fn tables<'m>(
    mesh: &'m Mesh<'_>,
    triangles: &Triangles,
    options: &PlanOptions,
    frames: Range<usize>,
) -> meshlens::Result<Vec<TablePlan<'m>>> {
    let mut tables = animated(mesh, triangles, options, frames)?;
    let (point, corner) = triangles.per();
    if options.sprites {
        tables.push(sprites::texcoords(triangles));
    }
    // Sprites always show the whole texture.
    for set in 0..if options.sprites { 0 } else { mesh.texcoord_sets() } {
        match mesh.texcoords(set)? {
            Some(lens) => {
                let lenses = vec![lens.into()];
                let semantic = Semantic::Texcoord;
                let one = Frames { semantic, set, per: corner, lenses, frame_count: 1, first_frame: 0 };
                push(&mut tables, &one, options.storage);
            }
            // The texture coordinates of set 0 are gathered with the indices of vertices.
            None if set == 0 => {}
            None => tables.extend(record::texcoords(mesh, set, corner)?),
        }
    }
    for set in 0..mesh.color_sets() {
        tables.extend(record::colors(mesh, set, corner, options.storage)?);
    }
    tables.extend(record::influences(mesh, point)?);
    tables.extend(numbers::vertices(mesh, triangles, &tables)?);
    Ok(tables)
}

/// The tables of positions and normals, with the bytes of these frames.
pub(super) fn animated<'m>(
    mesh: &'m Mesh<'_>,
    triangles: &Triangles,
    options: &PlanOptions,
    frames: Range<usize>,
) -> meshlens::Result<Vec<TablePlan<'m>>> {
    if options.sprites {
        return Ok(vec![sprites::squares(mesh, triangles, frames)?]);
    }
    let all =
        |get: &dyn Fn(usize) -> meshlens::Result<Option<AnyLens<'m>>>| -> meshlens::Result<Option<Vec<_>>> {
            frames.clone().map(get).collect()
        };
    let (point, corner) = triangles.per();
    let positions = all(&|frame| Ok(Some(mesh.positions(frame)?.into())))?;
    let mut normals = (Semantic::Normal, all(&|frame| Ok(mesh.normals(frame)?.map(AnyLens::from)))?);
    if normals.1.is_none() {
        let frames = all(&|frame| Ok(mesh.tangent_frames(frame)?.map(AnyLens::from)))?;
        normals = (Semantic::TangentFrame, frames);
    }
    let are_computed = normals.1.is_none() && options.smooth_normals;
    let arrays = [(Semantic::Position, point, positions), (normals.0, corner, normals.1)];
    let (frame_count, first_frame) = (mesh.frame_count(), frames.start);
    let mut tables = Vec::new();
    for (semantic, per, lenses) in arrays {
        let lenses = lenses.unwrap_or_default();
        let array = Frames { semantic, set: 0, per, lenses, frame_count, first_frame };
        push(&mut tables, &array, options.storage);
    }
    if are_computed {
        tables.extend(computed_normals(mesh, triangles, options.storage, frames)?);
    }
    Ok(tables)
}

/// Adds an array as it is stored, or decoded.
fn push<'m>(tables: &mut Vec<TablePlan<'m>>, array: &Frames<'m>, storage: Storage) {
    let Some(first) = array.lenses.first().copied() else { return };
    // All frames of a mesh must have the same encoding to be blended.
    let alike = |lens: &AnyLens<'_>| {
        (lens.format(), lens.stride(), lens.len()) == (first.format(), first.stride(), first.len())
    };
    if storage == Storage::Stored && array.lenses.iter().all(alike) {
        push_stored(tables, array, first);
    } else {
        tables.push(decoded(array));
    }
}

/// Adds the frames of an array to the table whose records contain them, or as a separate table.
fn push_stored<'m>(tables: &mut Vec<TablePlan<'m>>, array: &Frames<'m>, first: AnyLens<'m>) {
    let field = |offset| Field { semantic: array.semantic, set: array.set, format: first.format(), offset };
    let count = first.len();
    for table in tables.iter_mut() {
        if (table.per, table.count, table.table.stride, table.frame_count)
            != (array.per, count, first.stride(), array.frame_count)
        {
            continue;
        }
        if let Some(offset) = shared_records(table, &array.lenses) {
            for (frame, lens) in table.frames.iter_mut().zip(&array.lenses) {
                // The bytes that this array covers after the other arrays: the rest of the last record.
                let covered: usize = frame.iter().map(|piece| piece.len()).sum();
                if let Some(rest) = lens.as_bytes().get(covered.saturating_sub(offset)..) {
                    frame.push(Cow::Borrowed(rest));
                }
            }
            table.table.fields.push(field(offset));
            return;
        }
    }
    tables.push(TablePlan {
        table: Table { stride: first.stride(), fields: vec![field(0)] },
        per: array.per,
        count,
        frame_count: array.frame_count,
        frames: array.lenses.iter().map(|lens| vec![Cow::Borrowed(lens.as_bytes())]).collect(),
        first_frame: array.first_frame,
    });
}

/// The offset of the elements of `lenses` in the records of a table, if the records of every frame contain them after
/// the other fields.
fn shared_records(table: &TablePlan<'_>, lenses: &[AnyLens<'_>]) -> Option<usize> {
    let end = table.table.fields.iter().map(|field| field.offset + field.format.size()).max()?;
    let offset_in = |frame: &Frame<'_>, lens: &AnyLens<'_>| match frame.first()? {
        Cow::Borrowed(start) => lens.as_bytes().as_ptr().addr().checked_sub(start.as_ptr().addr()),
        Cow::Owned(_) => None,
    };
    let mut offsets = table.frames.iter().zip(lenses).map(|(frame, lens)| offset_in(frame, lens));
    let offset = offsets.next()??;
    let size = lenses.first()?.format().size();
    let fits = offset >= end && offset.checked_add(size)? <= table.table.stride;
    (fits && offsets.all(|other| other == Some(offset))).then_some(offset)
}

/// The frames of an array as floats; for tangent frames, the normals.
fn decoded<'m>(array: &Frames<'m>) -> TablePlan<'m> {
    let components = array.lenses.first().map_or(0, |lens| lens.format().float_components());
    let frame = |lens: &AnyLens<'_>| -> Frame<'m> {
        let floats = match array.semantic {
            Semantic::TangentFrame => lens.typed().map_or_else(Vec::new, |frames| {
                frames.iter().flat_map(|frame: meshlens::lens::TangentFrame| frame.normal).collect()
            }),
            _ => lens.to_floats(),
        };
        vec![Cow::Owned(record::float_bytes(floats))]
    };
    let (semantic, format) = match (array.semantic, components) {
        (Semantic::TangentFrame, _) => (Semantic::Normal, F32::<3>::FORMAT),
        (semantic, 2) => (semantic, F32::<2>::FORMAT),
        (semantic, _) => (semantic, F32::<3>::FORMAT),
    };
    let field = Field { semantic, set: array.set, format, offset: 0 };
    TablePlan {
        table: Table { stride: format.size(), fields: vec![field] },
        per: array.per,
        count: array.lenses.first().map_or(0, AnyLens::len),
        frame_count: array.frame_count,
        frames: array.lenses.iter().map(frame).collect(),
        first_frame: array.first_frame,
    }
}

/// Normals that the file does not store, one for each vertex: snorm16, or floats. `None` if the mesh has none.
fn computed_normals<'m>(
    mesh: &Mesh<'_>,
    triangles: &Triangles,
    storage: Storage,
    frames: Range<usize>,
) -> meshlens::Result<Option<TablePlan<'m>>> {
    let (format, stride) = match storage {
        // Three integers, and padding to a multiple of 4.
        Storage::Stored => (Snorm16::<3>::FORMAT, 8),
        Storage::Decoded => (F32::<3>::FORMAT, 12),
    };
    let first_frame = frames.start;
    let mut out = Vec::new();
    let (mut normals, mut gathered) = (Vec::new(), vec![[0.0; 3]; triangles.vertex_count]);
    for frame in frames {
        if !mesh.normals_into(frame, &mut normals)? {
            return Ok(None);
        }
        meshlens::model::gather(&normals, triangles.corners.as_deref(), &mut gathered);
        let bytes: Vec<u8> = match storage {
            Storage::Decoded => record::float_bytes(gathered.iter().flatten().copied()),
            Storage::Stored => {
                let snorm = |value: f32| (value * 32767.0).round().clamp(-32767.0, 32767.0) as i16;
                let record = |normal: &[f32; 3]| {
                    let [x, y, z] = normal.map(snorm);
                    [x, y, z, 0].into_iter().flat_map(i16::to_le_bytes)
                };
                gathered.iter().flat_map(record).collect()
            }
        };
        out.push(vec![Cow::Owned(bytes)]);
    }
    let field = Field { semantic: Semantic::Normal, set: 0, format, offset: 0 };
    Ok(Some(TablePlan {
        table: Table { stride, fields: vec![field] },
        per: Per::Vertex,
        count: triangles.vertex_count,
        frame_count: mesh.frame_count(),
        frames: out,
        first_frame,
    }))
}
