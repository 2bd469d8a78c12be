//! The plan of an upload: the stored arrays of a mesh, and the data that must be computed for drawing.

mod frames;
pub(crate) mod numbers;
mod record;
pub(crate) mod sprites;
mod triangles;

use std::borrow::Cow;
use std::ops::Range;

use meshlens::lens::Semantic;
use meshlens::model::Mesh;

use crate::layout::{Field, Table};
pub use triangles::Triangles;

/// The index that selects a record of a table.
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
    /// The format in the file.
    #[default]
    Stored,
    /// Decoded to floats by the CPU, for comparison.
    Decoded,
}

/// Options of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// The form of the arrays: stored or decoded.
    pub storage: Storage,
    /// Whether normals are computed for meshes that have no stored normals (Unreal): 8 bytes for each vertex in each
    /// frame. Without them, such meshes have flat shading.
    pub smooth_normals: bool,
    /// Whether the mesh consists of [sprites](meshlens::model::Topology::are_sprites), which turn to the camera.
    pub sprites: bool,
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
    /// The number of frames that have memory. A table that is the same in all frames has one.
    pub frame_count: usize,
    /// The frames whose bytes are known: all frames, or some of them if the mesh is loaded in parts.
    pub frames: Vec<Frame<'m>>,
    /// The index of the first of `frames`.
    pub first_frame: usize,
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
        self.frame_size() * self.frame_count as u64
    }

    /// Whether frames differ.
    pub const fn is_animated(&self) -> bool {
        self.frame_count > 1
    }

    /// Whether the bytes were computed instead of stored in the file.
    pub fn is_made(&self) -> bool {
        self.frames.iter().flatten().any(|piece| matches!(piece, Cow::Owned(_)))
    }

    /// The field of the first array with this semantic, if the table has one.
    pub fn field(&self, semantic: Semantic) -> Option<&Field> {
        self.table.fields.iter().find(|field| field.semantic == semantic)
    }
}

impl<'m> MeshPlan<'m> {
    /// Plans the upload of a mesh. Normals are uploaded if the file stores them as arrays or as tangent frames, or if
    /// the options ask for computed ones; other meshes have flat shading. O(triangles); with [`Storage::Decoded`] or
    /// computed normals, O(points of all frames).
    ///
    /// # Errors
    ///
    /// An index is out of range; the error has its absolute offset. No part of such a mesh is uploaded.
    pub fn new(mesh: &'m Mesh<'_>, options: &PlanOptions) -> meshlens::Result<Self> {
        MeshPlan::of_frames(mesh, options, 0..mesh.frame_count())
    }

    /// Plans the upload of a mesh if only some of its frames are loaded. The plan has memory for all frames.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new), and `Incomplete` if indices, texture coordinates, colors, weights or one of
    /// these frames are not loaded.
    pub fn of_frames(
        mesh: &'m Mesh<'_>,
        options: &PlanOptions,
        frames: Range<usize>,
    ) -> meshlens::Result<Self> {
        let welded = if options.sprites { sprites::triangles(mesh)? } else { Triangles::new(mesh)? };
        let plan = |triangles: Triangles| {
            let tables = frames::tables(mesh, &triangles, options, frames.clone())?;
            Ok(MeshPlan { tables, triangles, frame_count: mesh.frame_count() })
        };
        let plan_welded: Self = plan(welded)?;
        if plan_welded.find(numbers::NUMBERS).is_none() || options.sprites {
            return Ok(plan_welded);
        }
        // Small meshes share few vertices. Without an index buffer, they take as much memory as in the file.
        let separate = plan(plan_welded.triangles.separate())?;
        let is_large = plan_welded.size() * 20 > separate.size() * 21;
        Ok(if is_large { separate } else { plan_welded })
    }

    /// Returns the tables that change from frame to frame, with the bytes of one frame. `triangles` are the triangles
    /// of the plan of another frame.
    ///
    /// # Errors
    ///
    /// The frame is out of range or not loaded.
    pub fn frame_tables(
        mesh: &'m Mesh<'_>,
        triangles: &Triangles,
        options: &PlanOptions,
        frame: usize,
    ) -> meshlens::Result<Vec<TablePlan<'m>>> {
        frames::animated(mesh, triangles, options, frame..frame + 1)
    }

    /// Finds an array by its semantic. Returns the index of its table and its field; `None` if there is none.
    pub fn find(&self, semantic: Semantic) -> Option<(usize, Field)> {
        self.tables.iter().enumerate().find_map(|(index, table)| Some((index, *table.field(semantic)?)))
    }

    /// The size of tables and indices in bytes.
    fn size(&self) -> u64 {
        let indices = self.triangles.index_size() as u64;
        self.tables.iter().map(TablePlan::size).sum::<u64>() + indices
    }
}
