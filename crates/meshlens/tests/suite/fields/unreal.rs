use meshlens::unreal::write::{Files, Model as File, Vertices};
use meshlens::unreal::{Triangle, TriangleType, Unreal, VertexEncoding};
use meshlens::{Document, Model};

use super::Fate::{Kept, Lost};
use super::{check, fields, seen};

/// Two frames of a triangle and a weapon triangle.
fn base() -> File {
    made(VertexEncoding::Packed)
}

fn wide() -> File {
    made(VertexEncoding::Wide)
}

fn made(encoding: VertexEncoding) -> File {
    let mut file = File::new(encoding, 3);
    for far in [8.0, 4.0] {
        file.add_frame(&[[0.0, 0.0, 0.0], [0.0, far, 0.0], [0.0, 0.0, 8.0]]).unwrap();
    }
    let triangle = Triangle { vertices: [0, 1, 2], ..Triangle::default() };
    file.triangles = vec![triangle, Triangle { triangle_type: TriangleType(8), ..triangle }];
    file
}

#[test]
fn every_field_is_kept_or_lost() {
    let mut changes = Vec::new();
    fields!(changes, File {
        triangles: [base, Kept, |file| file.triangles.truncate(1)];
        vertices_per_frame: [base, Kept, |file| file.vertices_per_frame = 6];
        vertices: [base, Kept, |file| {
            let Vertices::Packed(vertices) = &mut file.vertices else { return };
            vertices.swap(1, 2);
        }],
            [wide, Lost("UNUSED_BYTES_LOST"), |file| {
                let Vertices::Wide(vertices) = &mut file.vertices else { return };
                vertices[0][3] = 1;
            }];
    });
    fields!(changes, Triangle {
        vertices: [base, Kept, |file| file.triangles[0].vertices = [0, 2, 1]];
        triangle_type: [base, Kept, |file| file.triangles[0].triangle_type = TriangleType(16)],
            [base, Kept, |file| file.triangles[0].triangle_type = TriangleType(32)],
            [base, Kept, |file| file.triangles[0].triangle_type = TriangleType(64)],
            [base, Kept, |file| file.triangles[0].triangle_type = TriangleType(128)],
            [base, Lost("EFFECT_LOST"), |file| file.triangles[0].triangle_type = TriangleType(4)],
            [base, Lost("EFFECT_LOST"), |file| file.triangles[0].triangle_type = TriangleType(7)];
        color: [base, Lost("TRIANGLE_BYTES_LOST"), |file| file.triangles[0].color = 1];
        texcoords: [base, Kept, |file| file.triangles[0].texcoords[0] = [9; 2]];
        texture: [base, Kept, |file| file.triangles[0].texture = 1];
        flags: [base, Lost("TRIANGLE_BYTES_LOST"), |file| file.triangles[0].flags = 1];
    });
    check(changes, |file| {
        let Files { geometry, frames } = file.write().unwrap();
        let unreal = Unreal::parse(&geometry, &frames).unwrap();
        let seen = seen(&Model::new(Document::from(unreal)).unwrap());
        ([geometry, frames].concat(), seen)
    });
}
