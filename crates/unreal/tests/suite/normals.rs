//! Normals and weapons, which are computed from triangles.

use meshlens_unreal::write::Model;
use meshlens_unreal::{NormalScratch, Triangle, TriangleKind, TriangleType, VertexEncoding};

use super::limits::{model, parse};

#[test]
fn a_weapon_is_attached_between_the_first_two_corners() {
    let mut model = model(VertexEncoding::Packed);
    assert_eq!(parse(&model.write().unwrap()).unwrap().weapon_attachment(0), Ok(None));
    let triangle_type = TriangleType::new(TriangleKind::Weapon, TriangleType::UNLIT);
    model.triangles.push(Triangle { vertices: [1, 2, 0], triangle_type, ..Triangle::default() });
    let mut files = model.write().unwrap();
    let unreal = parse(&files).unwrap();
    let attachment = unreal.weapon_attachment(1).unwrap().unwrap();
    assert_eq!((attachment.triangle, attachment.origin), (1, [32.0, 32.0, 16.0]));
    assert_eq!(attachment.corners, [[0.0, 64.0, 16.0], [64.0, 0.0, 16.0], [0.0, 0.0, 16.0]]);
    files.geometry[64] = 9;
    let error = parse(&files).unwrap().weapon_attachment(1).unwrap_err();
    assert_eq!((error.offset(), error.code()), (64, "INDEX_OUT_OF_RANGE"));
}

#[test]
fn normals_are_computed_for_the_scaled_mesh_without_seams() {
    // Two faces that meet at a right angle along Y and share no vertices: one is horizontal and 4 wide, the other is
    // vertical and 2 high. Stored Z counts double, so both have the same area when they are shown.
    let mut model = Model::new(VertexEncoding::Packed, 8);
    model
        .add_integer_frame(&[
            [0, 0, 0],
            [0, 10, 0],
            [4, 10, 0],
            [4, 0, 0],
            [4, 0, 0],
            [4, 10, 0],
            [4, 10, -2],
            [4, 0, -2],
        ])
        .unwrap();
    for vertices in [[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]] {
        model.triangles.push(Triangle { vertices, ..Triangle::default() });
    }
    // Invisible triangles have no influence.
    let triangle_type = TriangleType::new(TriangleKind::Weapon, 0);
    model.triangles.push(Triangle { vertices: [0, 1, 2], triangle_type, ..Triangle::default() });
    let files = model.write().unwrap();
    let unreal = parse(&files).unwrap();
    let mut scratch = NormalScratch::default();
    let mut normals = [[0.0; 3]; 8];
    unreal.smooth_normals_into(0, unreal.unit_scale(), &mut scratch, &mut normals).unwrap();
    assert_eq!(normals[0], [0.0, 0.0, 1.0], "clockwise from above faces up");
    assert_eq!(normals[6], [1.0, 0.0, 0.0]);
    // Corner 3 has one triangle of the first face and corner 4 two triangles of the second face, at the same position:
    // the normals have weights of 1 and 2.
    let [x, y, z] = normals[3];
    assert_eq!(normals[3], normals[4]);
    assert!((x - 2.0 * z).abs() < 1e-6 && y == 0.0 && z > 0.0, "{:?}", normals[3]);
    assert_eq!(normals[2], normals[5]);
    // Without scaling Z, the vertical face is half as large.
    unreal.smooth_normals_into(0, [1.0; 3], &mut scratch, &mut normals).unwrap();
    assert!((normals[3][0] - normals[3][2]).abs() < 1e-6);
}
