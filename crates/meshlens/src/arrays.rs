//! Every array of a document, whatever its format: for what treats all arrays alike, such as a benchmark.

use meshlens_lens::{Encoding, Lens};

use crate::Document;

/// What is done with each array. A method of its own for each encoding, so that lenses keep their types.
pub trait VisitArrays<'a> {
    /// `lens` is one array, or one frame of one; arrays of one kind share a `name`, such as `positions`.
    fn array<E: Encoding + Send + Sync + 'a>(&mut self, name: &'static str, lens: Lens<'a, E>);

    /// As [`array`](Self::array), for a part of what another lens of the same document has already given: positions by
    /// themselves of vertices that are positions and normals. Ignored unless implemented.
    fn array_again<E: Encoding + Send + Sync + 'a>(&mut self, name: &'static str, lens: Lens<'a, E>) {
        let _ = (name, lens);
    }
}

impl<'a> Document<'a> {
    /// Visits every array of vertices and indices that lies in the file as a lens can read it: frame by frame, surface
    /// by surface. Geometry that is packed (UNIGINE ms14) is passed over. O(frames of all surfaces).
    pub fn visit_arrays(&self, visitor: &mut impl VisitArrays<'a>) {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => {
                for surface in md3.surfaces() {
                    visitor.array("triangles", surface.triangles());
                    visitor.array("texcoords", surface.texcoords());
                    for frame in 0..surface.frame_count() {
                        // The frames are below the count.
                        let Ok(vertices) = surface.vertices(frame) else { break };
                        visitor.array("positions + normals", vertices);
                    }
                    for frame in 0..surface.frame_count() {
                        let Ok(positions) = surface.positions(frame) else { break };
                        visitor.array_again("positions", positions);
                    }
                    for frame in 0..surface.frame_count() {
                        let Ok(normals) = surface.normals(frame) else { break };
                        visitor.array_again("normals", normals);
                    }
                }
            }
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => {
                for mesh in u3d.meshes() {
                    visit_u3d(&mesh, visitor);
                }
            }
            #[cfg(feature = "unreal")]
            Document::Unreal(unreal) => {
                use meshlens_unreal::VertexLens;
                visitor.array("triangles", unreal.triangles());
                for corner in 0..3 {
                    visitor.array("texcoords", unreal.geometry().texcoords(corner));
                }
                for frame in 0..unreal.frame_count() {
                    match unreal.positions(frame) {
                        Ok(VertexLens::Packed(lens)) => visitor.array("positions", lens),
                        Ok(VertexLens::Wide(lens)) => visitor.array("positions", lens),
                        Err(_) => break,
                    }
                }
            }
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(meshlens_unreal::Half::Geometry(geometry)) => {
                visitor.array("triangles", geometry.triangles());
                for corner in 0..3 {
                    visitor.array("texcoords", geometry.texcoords(corner));
                }
            }
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(meshlens_unreal::Half::Frames(_)) => {}
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => {
                for geometry in mesh.surfaces().filter_map(|surface| surface.geometry_in_place()) {
                    visit_unigine(&geometry, visitor);
                }
            }
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(_) => {}
        }
    }
}

#[cfg(feature = "u3d")]
fn visit_u3d<'a>(mesh: &meshlens_u3d::Mesh<'_, 'a>, visitor: &mut impl VisitArrays<'a>) {
    use meshlens_lens::{Floats, Triangles};
    use meshlens_u3d::Normals;
    match mesh.triangles() {
        Some(Triangles::Short(lens)) => visitor.array("triangles", lens),
        Some(Triangles::Long(lens)) => visitor.array("triangles", lens),
        None => {}
    }
    visitor.array("positions", mesh.positions());
    match mesh.normals() {
        Normals::Bytes(lens) => visitor.array("normals", lens),
        Normals::Shorts(lens) => visitor.array("normals", lens),
    }
    for set in 0..8 {
        match mesh.texcoords(set) {
            Some(Floats::One(lens)) => visitor.array("texcoords", lens),
            Some(Floats::Two(lens)) => visitor.array("texcoords", lens),
            Some(Floats::Three(lens)) => visitor.array("texcoords", lens),
            Some(Floats::Four(lens)) => visitor.array("texcoords", lens),
            None => {}
        }
    }
}

#[cfg(feature = "unigine")]
fn visit_unigine<'a>(geometry: &meshlens_unigine::Geometry<'a>, visitor: &mut impl VisitArrays<'a>) {
    use meshlens_unigine::{Indices, Tangents};
    visitor.array("positions", geometry.positions());
    match geometry.tangents() {
        Tangents::Quaternions(lens) => visitor.array("tangents", lens),
        Tangents::Signed { quaternions, .. } => visitor.array("tangents", quaternions),
    }
    for set in 0..2 {
        visitor.array("texcoords", geometry.texcoords(set));
    }
    visitor.array("colors", geometry.colors());
    for indices in [geometry.coordinate_indices(), geometry.triangle_indices()] {
        match indices {
            Indices::U8(lens) => visitor.array("indices", lens),
            Indices::U16(lens) => visitor.array("indices", lens),
            Indices::U32(lens) => visitor.array("indices", lens),
        }
    }
}
