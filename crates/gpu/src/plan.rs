//! The plan of an upload: the stored arrays of a mesh, and the data that must be computed for drawing.

use std::borrow::Cow;

use meshlens::lens::encoding::F32;
use meshlens::lens::{AnyLens, Described, Semantic};
use meshlens::model::Mesh;

use crate::layout::{Field, Table};
use crate::record;
pub use crate::triangles::Triangles;

/// The index of the records of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Per {
    /// The index of the vertex.
    Vertex,
    /// The index of the point, which is stored for each vertex.
    Point,
    /// The index of the corner, which is stored for each vertex.
    Corner,
}

/// The form in which arrays are uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Storage {
    /// As they are stored in the file.
    #[default]
    Stored,
    /// Decoded to floats by the CPU: for comparison.
    Decoded,
}

/// The bytes of one frame of a table, in consecutive pieces. Padding after the last element may be missing.
pub type Frame<'m> = Vec<Cow<'m, [u8]>>;

/// A table that is uploaded.
#[derive(Clone, Debug)]
pub struct TablePlan<'m> {
    /// The stride and the arrays.
    pub table: Table,
    /// The index of the records.
    pub per: Per,
    /// The number of records of a frame.
    pub count: usize,
    /// The frames. A table that all frames share has one.
    pub frames: Vec<Frame<'m>>,
}

/// The upload of a mesh.
#[derive(Clone, Debug)]
pub struct MeshPlan<'m> {
    /// The tables.
    pub tables: Vec<TablePlan<'m>>,
    /// The triangles. Every index is below the number of vertices.
    pub triangles: Triangles,
    /// The number of frames.
    pub frame_count: usize,
}

impl TablePlan<'_> {
    /// The size of a frame in bytes.
    pub const fn frame_size(&self) -> u64 {
        self.count as u64 * self.table.stride as u64
    }

    /// The size of all frames in bytes.
    pub const fn size(&self) -> u64 {
        self.frame_size() * self.frames.len() as u64
    }

    /// Whether the bytes were computed instead of stored in the file.
    pub fn is_made(&self) -> bool {
        self.frames.iter().flatten().any(|piece| matches!(piece, Cow::Owned(_)))
    }

    /// The field of an array, if the table has it.
    pub fn field(&self, semantic: Semantic) -> Option<&Field> {
        self.table.fields.iter().find(|field| field.semantic == semantic)
    }
}

impl<'m> MeshPlan<'m> {
    /// Plans the upload of a mesh. Normals are uploaded if the file stores them as arrays or as tangent frames; meshes
    /// without them have flat shading. O(triangles), and with [`Storage::Decoded`] O(points of all frames).
    ///
    /// # Errors
    ///
    /// An index that is out of range, with its absolute offset: nothing of such a mesh is uploaded.
    pub fn new(mesh: &'m Mesh<'_>, storage: Storage) -> meshlens::Result<Self> {
        let triangles = Triangles::new(mesh)?;
        let frame_count = mesh.frame_count();
        let point = if triangles.points.is_some() { Per::Point } else { Per::Vertex };
        let corner = if triangles.corners.is_some() { Per::Corner } else { Per::Vertex };

        let all = |get: &dyn Fn(usize) -> meshlens::Result<Option<AnyLens<'m>>>| -> meshlens::Result<Option<Vec<_>>> {
            (0..frame_count).map(get).collect()
        };
        let mut normal = (Semantic::Normal, all(&|frame| Ok(mesh.normals(frame)?.map(AnyLens::from)))?);
        if normal.1.is_none() {
            let frames = all(&|frame| Ok(mesh.tangent_frames(frame)?.map(AnyLens::from)))?;
            normal = (Semantic::TangentFrame, frames);
        }
        let arrays = [
            (Semantic::Position, point, all(&|frame| Ok(Some(mesh.positions(frame)?.into())))?),
            (normal.0, corner, normal.1),
            (Semantic::Texcoord, corner, mesh.texcoords(0)?.map(|lens| vec![lens.into()])),
        ];
        let mut tables = Vec::new();
        for (semantic, per, lenses) in arrays {
            let lenses: Vec<AnyLens<'m>> = lenses.unwrap_or_default();
            let Some(first) = lenses.first().copied() else { continue };
            // All frames of a mesh must have the same encoding to be blended.
            let alike = |lens: &AnyLens<'_>| {
                (lens.format(), lens.stride(), lens.len()) == (first.format(), first.stride(), first.len())
            };
            if storage == Storage::Stored && lenses.iter().all(alike) {
                push_stored(&mut tables, semantic, per, &lenses);
            } else {
                tables.push(decoded(semantic, per, &lenses));
            }
        }
        tables.extend(record::influences(mesh, point)?);
        tables.extend(record::vertices(mesh, &triangles, &tables)?);
        Ok(MeshPlan { tables, triangles, frame_count })
    }

    /// The table with an array, and its field.
    pub fn find(&self, semantic: Semantic) -> Option<(usize, Field)> {
        let of = |table: &TablePlan<'_>| table.field(semantic).copied();
        self.tables.iter().enumerate().find_map(|(index, table)| Some((index, of(table)?)))
    }
}

/// Adds the frames of an array to the table whose records contain them, or as a separate table.
fn push_stored<'m>(tables: &mut Vec<TablePlan<'m>>, semantic: Semantic, per: Per, lenses: &[AnyLens<'m>]) {
    let Some(first) = lenses.first() else { return };
    let field = |offset| Field { semantic, format: first.format(), offset };
    let count = first.len();
    for table in tables.iter_mut() {
        if (table.per, table.count, table.table.stride, table.frames.len())
            != (per, count, first.stride(), lenses.len())
        {
            continue;
        }
        if let Some(offset) = shared_records(table, lenses) {
            for (frame, lens) in table.frames.iter_mut().zip(lenses) {
                // What the array covers after the end of the others: the rest of the last record.
                let covered: usize = frame.iter().map(|piece| piece.len()).sum();
                if let Some(rest) = lens.as_bytes().get(covered.saturating_sub(offset)..) {
                    frame.push(Cow::Borrowed(rest));
                }
            }
            table.table.fields.push(field(offset));
            return;
        }
    }
    let frames = lenses.iter().map(|lens| vec![Cow::Borrowed(lens.as_bytes())]).collect();
    let table = Table { stride: first.stride(), fields: vec![field(0)] };
    tables.push(TablePlan { table, per, count, frames });
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
fn decoded<'m>(semantic: Semantic, per: Per, lenses: &[AnyLens<'m>]) -> TablePlan<'m> {
    let components = lenses.first().map_or(0, |lens| lens.format().float_components());
    let frame = |lens: &AnyLens<'_>| -> Frame<'m> {
        let floats = match semantic {
            Semantic::TangentFrame => lens.typed().map_or_else(Vec::new, |frames| {
                frames.iter().flat_map(|frame: meshlens::lens::TangentFrame| frame.normal).collect()
            }),
            _ => lens.to_floats(),
        };
        vec![Cow::Owned(floats.into_iter().flat_map(f32::to_le_bytes).collect())]
    };
    let (semantic, format) = match (semantic, components) {
        (Semantic::TangentFrame, _) => (Semantic::Normal, F32::<3>::FORMAT),
        (_, 2) => (semantic, F32::<2>::FORMAT),
        _ => (semantic, F32::<3>::FORMAT),
    };
    TablePlan {
        table: Table { stride: format.size(), fields: vec![Field { semantic, format, offset: 0 }] },
        per,
        count: lenses.first().map_or(0, AnyLens::len),
        frames: lenses.iter().map(frame).collect(),
    }
}
