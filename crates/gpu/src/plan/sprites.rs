//! Sprites: squares that the shader turns to the camera. A vertex has the center and the first corner of its square.

use std::borrow::Cow;
use std::ops::Range;

use meshlens::lens::encoding::F32;
use meshlens::lens::{Described, Semantic};
use meshlens::model::{Mesh, Submesh, decode_gathered};

use super::{Per, TablePlan, Triangles, record};
use crate::layout::{Field, Table};

/// The set of positions that has the first corner of the square of each vertex. Set 0 has the center.
pub(crate) const FIRST_CORNER: usize = 1;

/// The texture coordinates of a square, starting at its top left. The shader also uses them to distinguish the corners.
const CORNERS: [[f32; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

/// The triangles of the squares of a mesh.
pub(super) fn triangles(mesh: &Mesh<'_>) -> meshlens::Result<Triangles> {
    let topology = mesh.topology()?;
    let triangles = topology.sprite_triangles();
    let material = topology.submeshes().first().and_then(|submesh| submesh.material);
    let submeshes = vec![Submesh { material, triangles: 0..triangles.len() }];
    Ok(Triangles { triangles, submeshes, ..Triangles::of(&topology) })
}

/// The centers and the first corners of the squares in these frames.
pub(super) fn squares<'m>(
    mesh: &Mesh<'_>,
    triangles: &Triangles,
    frames: Range<usize>,
) -> meshlens::Result<TablePlan<'m>> {
    let first_frame = frames.start;
    let (mut positions, mut scratch) = (Vec::new(), Vec::new());
    let mut made = Vec::new();
    for frame in frames {
        decode_gathered(mesh.positions(frame)?, triangles.points.as_deref(), &mut scratch, &mut positions)?;
        positions.resize(triangles.vertex_count, [0.0; 3]);
        let records = positions.chunks(4).flat_map(|square| {
            let first = square.first().copied().unwrap_or_default();
            let center = [0, 1, 2].map(|axis| square.iter().map(|corner| corner[axis] * 0.25).sum::<f32>());
            square.iter().flat_map(move |_| center.into_iter().chain(first))
        });
        made.push(vec![Cow::Owned(record::float_bytes(records))]);
    }
    let field = |set, offset| Field { semantic: Semantic::Position, set, format: F32::<3>::FORMAT, offset };
    Ok(TablePlan {
        table: Table { stride: 24, fields: vec![field(0, 0), field(FIRST_CORNER, 12)] },
        per: Per::Vertex,
        count: triangles.vertex_count,
        frame_count: mesh.frame_count(),
        frames: made,
        first_frame,
    })
}

/// The texture coordinates of the corners of all squares.
pub(super) fn texcoords<'m>(triangles: &Triangles) -> TablePlan<'m> {
    let all = CORNERS.into_iter().cycle().take(triangles.vertex_count).flatten();
    let field = Field { semantic: Semantic::Texcoord, set: 0, format: F32::<2>::FORMAT, offset: 0 };
    record::made(vec![field], 8, Per::Vertex, record::float_bytes(all))
}
