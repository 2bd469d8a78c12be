//! Mends the normals of MD3 surfaces that are missing or point inwards.

use alloc::collections::BTreeMap;

use glam::DVec3;
use meshlens_lens::{Encode, Encoding};
use meshlens_md3::encoding::Md3Normal;
use meshlens_md3::layout::Vertex;
use meshlens_md3::write::{Model, Surface};
use meshlens_wire::Result;

use crate::Document;
use crate::formats::normals::{Fault, fault};

/// Computes the normals of surfaces whose normals are all equal although their faces are not, and negates those that point
/// inwards. O(vertices log vertices).
pub(super) fn mend(document: &Document<'_>, model: &mut Model) -> Result<()> {
    let seen = crate::Model::new(document.clone())?;
    // A model has a mesh for each surface.
    for (mesh, surface) in seen.meshes.iter().zip(&mut model.surfaces) {
        match fault(&seen, mesh) {
            Some(Fault::Equal) => (0..surface.frame_count as usize).for_each(|frame| compute(surface, frame)),
            Some(Fault::Inwards) => surface.vertices.iter_mut().for_each(negate),
            Some(Fault::InsideOut) | None => {}
        }
    }
    Ok(())
}

fn negate(vertex: &mut Vertex) {
    vertex.normal = Md3Normal.encode(Md3Normal.decode(vertex.normal).map(|number| -number));
}

/// Computes smooth normals, weighted by the areas of the faces, and joined where vertices have the same position.
fn compute(surface: &mut Surface, frame: usize) {
    let count = surface.texcoords.len();
    let start = frame.saturating_mul(count);
    let Some(vertices) = surface.vertices.get_mut(start..start.saturating_add(count)) else { return };
    let mut sums: BTreeMap<[i16; 3], DVec3> = BTreeMap::new();
    for triangle in &surface.triangles {
        let corner = |vertex: u32| vertices.get(vertex as usize).map(|vertex| vertex.coord);
        let [Some(a), Some(b), Some(c)] = triangle.map(corner) else { continue };
        let [at, to_b, to_c] = [a, b, c].map(|coord| DVec3::from(coord.map(f64::from)));
        // Front faces are clockwise.
        let face = (to_c - at).cross(to_b - at);
        for corner in [a, b, c] {
            *sums.entry(corner).or_insert(DVec3::ZERO) += face;
        }
    }
    for vertex in vertices {
        let normal = sums.get(&vertex.coord).and_then(|sum| sum.try_normalize()).unwrap_or(DVec3::Z);
        vertex.normal = Md3Normal.encode(normal.to_array().map(|number| number as f32));
    }
}
