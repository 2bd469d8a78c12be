//! Triangles of one material, and their vertices.

use meshlens::model::Material;

use crate::paint::paint;
use crate::raster::{Paint, Vertex};

/// Triangles of one material: a range of the triangles of a mesh.
pub(crate) struct Surface {
    pub(crate) mesh: usize,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) paint: Paint<'static>,
    pub(crate) texture: Option<usize>,
}

/// The vertices of each mesh at one moment, in the space of glTF.
pub(crate) type Vertices = Vec<Vec<Vertex>>;

impl Surface {
    /// Triangles without a material.
    pub(crate) fn plain(mesh: usize, triangles: Vec<[u32; 3]>) -> Surface {
        let material = Material::new("");
        Surface {
            mesh,
            triangles,
            paint: Paint { color: [1.0; 4], ..paint(&material, None, false, true) },
            texture: None,
        }
    }
}
