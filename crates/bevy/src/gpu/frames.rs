//! The buffer of a mesh: its frames as they are stored, one after the other.

use bevy::math::{Mat3, Mat4, UVec4};
use meshlens::scene::ViewMesh;
use meshlens_gpu::layout::Table;
use meshlens_gpu::plan::{MeshPlan, Per, PlanOptions, TablePlan, Triangles};

use super::material::FrameLayout;

/// The frames of a mesh, in words of 4 bytes.
pub(super) struct FrameBuffer {
    /// Frame after frame, and in each frame table after table; then the points and the corners of the vertices.
    pub(super) words: Vec<u32>,
    /// The size of a frame.
    pub(super) frame_size: u32,
    /// The tables of a frame, and which index selects their records.
    pub(super) tables: Vec<(Table, Per)>,
    /// The place of each table in a frame.
    places: [u32; 2],
    /// The places of the points and of the corners.
    maps: [u32; 2],
}

impl FrameBuffer {
    /// Copies the frames of a mesh as they are stored.
    pub(super) fn new(of: &ViewMesh<'_, '_>) -> meshlens::Result<FrameBuffer> {
        let topology = of.topology();
        let triangles = Triangles {
            vertex_count: topology.vertex_count(),
            triangles: topology.triangles().to_vec(),
            submeshes: topology.submeshes().to_vec(),
            points: topology.points().map(<[u32]>::to_vec),
            corners: topology.corners().map(<[u32]>::to_vec),
            is_separate: false,
        };
        let mut options = PlanOptions::default();
        options.smooth_normals = true;
        let mut made = FrameBuffer {
            words: Vec::new(),
            frame_size: 0,
            tables: Vec::new(),
            places: [0; 2],
            maps: [0; 2],
        };
        for frame in 0..of.mesh().frame_count() {
            let tables = MeshPlan::frame_tables(of.mesh(), &triangles, &options, frame)?;
            let start = made.words.len();
            for (place, table) in made.places.iter_mut().zip(&tables) {
                *place = (made.words.len() - start) as u32;
                made.words.extend(words(table));
            }
            made.frame_size = (made.words.len() - start) as u32;
            if frame == 0 {
                made.tables = tables.iter().map(|table| (table.table.clone(), table.per)).collect();
            }
        }
        for (place, map) in made.maps.iter_mut().zip([triangles.points, triangles.corners]) {
            *place = made.words.len() as u32;
            made.words.extend(map.unwrap_or_default());
        }
        Ok(made)
    }

    /// What the shader needs to know of the buffer. `matrix` moves stored positions to the space of the entity.
    pub(super) fn layout(&self, matrix: Mat4) -> FrameLayout {
        let ([first, second], [points, corners]) = (self.places, self.maps);
        // Normals stay at right angles to surfaces, whatever the matrix is. If it cannot be inverted, there is no surface.
        let linear = Mat3::from_mat4(matrix);
        let normal = if linear.determinant() == 0.0 { linear } else { linear.inverse().transpose() };
        FrameLayout {
            position: matrix,
            normal: Mat4::from_mat3(normal),
            places: UVec4::new(first, second, points, corners),
        }
    }
}

/// The bytes of a table in its first frame, filled up to its last record and to a whole word.
fn words(table: &TablePlan<'_>) -> Vec<u32> {
    let pieces = table.frames.first().into_iter().flatten();
    let mut bytes: Vec<u8> = pieces.flat_map(|piece| piece.iter().copied()).collect();
    bytes.resize((table.frame_size() as usize).max(bytes.len()).next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
