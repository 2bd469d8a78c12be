//! The buffer of a mesh: its stored frames, one after the other.

use meshlens::scene::ViewMesh;
use meshlens_gpu::layout::Table;
use meshlens_gpu::plan::{MeshPlan, Per, PlanOptions, TablePlan, Triangles};

/// The number of words before the frames: three rows of a matrix, the offsets of two tables in a frame, and the offsets
/// of the points and the corners.
pub(super) const HEAD: usize = 16;

/// The frames of a mesh, in words of 4 bytes.
pub(super) struct FrameBuffer {
    /// [`HEAD`] words for the shader, followed by the frames, each with its tables one after the other, and then by the
    /// points and the corners of the vertices.
    pub(super) words: Vec<u32>,
    /// The size of a frame.
    pub(super) frame_size: u32,
    /// The tables of a frame, and the index that selects their records.
    pub(super) tables: Vec<(Table, Per)>,
}

impl FrameBuffer {
    /// Copies the stored frames of a mesh. `matrix` transforms stored positions to the space of the entity.
    pub(super) fn new(of: &ViewMesh<'_, '_>, matrix: [[f32; 4]; 4]) -> meshlens::Result<FrameBuffer> {
        let triangles = Triangles::of(of.topology());
        let options = PlanOptions { smooth_normals: true, ..PlanOptions::default() };
        let (mut places, mut maps) = ([0u32; 2], [0u32; 2]);
        let mut made = FrameBuffer { words: vec![0; HEAD], frame_size: 0, tables: Vec::new() };
        for frame in 0..of.mesh().frame_count() {
            let tables = MeshPlan::frame_tables(of.mesh(), &triangles, &options, frame)?;
            let start = made.words.len();
            for (place, table) in places.iter_mut().zip(&tables) {
                *place = (made.words.len() - start) as u32;
                made.words.extend(words(table));
            }
            made.frame_size = (made.words.len() - start) as u32;
            if frame == 0 {
                made.tables = tables.iter().map(|table| (table.table.clone(), table.per)).collect();
            }
        }
        for (place, map) in maps.iter_mut().zip([triangles.points, triangles.corners]) {
            *place = made.words.len() as u32;
            made.words.extend(map.unwrap_or_default());
        }
        // Row-major. The fourth row is the same in every affine matrix.
        let rows = (0..3).flat_map(|row| matrix.map(|column| column[row].to_bits()));
        let head = rows.chain(places).chain(maps);
        made.words.iter_mut().zip(head).for_each(|(word, head)| *word = head);
        Ok(made)
    }
}

/// The bytes of a table in its first frame, padded up to its last record and to a multiple of a word.
fn words(table: &TablePlan<'_>) -> Vec<u32> {
    let pieces = table.frames.first().into_iter().flatten();
    let mut bytes: Vec<u8> = pieces.flat_map(|piece| piece.iter().copied()).collect();
    bytes.resize((table.frame_size() as usize).max(bytes.len()).next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
