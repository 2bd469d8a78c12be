//! Normals and weapons, which are computed from triangles.

use meshlens_unreal::write::Model;
use meshlens_unreal::{NormalScratch, Triangle, TriangleKind, TriangleType, VertexEncoding};

use super::limits::{model, parse};

#[test]
fn a_weapon_hangs_between_the_first_two_corners() {
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
fn normals_are_those_of_the_scaled_mesh_and_show_no_seam() {
    // Two faces that meet at a right angle along Y, each with vertices of its own: one flat, 4 wide, one upright,
    // 2 high. Stored Z counts double, so both have the same area when they are shown.
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
    // What nobody sees does not count.
    let triangle_type = TriangleType::new(TriangleKind::Weapon, 0);
    model.triangles.push(Triangle { vertices: [0, 1, 2], triangle_type, ..Triangle::default() });
    let files = model.write().unwrap();
    let unreal = parse(&files).unwrap();
    let mut scratch = NormalScratch::default();
    let mut normals = [[0.0; 3]; 8];
    unreal.smooth_normals_into(0, unreal.unit_scale(), &mut scratch, &mut normals).unwrap();
    assert_eq!(normals[0], [0.0, 0.0, 1.0], "clockwise from above faces up");
    assert_eq!(normals[6], [1.0, 0.0, 0.0]);
    // Corner 3 has one triangle of the first face, 4 two of the second, at one position: 1 to 2.
    let [x, y, z] = normals[3];
    assert_eq!(normals[3], normals[4]);
    assert!((x - 2.0 * z).abs() < 1e-6 && y == 0.0 && z > 0.0, "{:?}", normals[3]);
    assert_eq!(normals[2], normals[5]);
    // With stored Z as it is, the upright face is half as large.
    unreal.smooth_normals_into(0, [1.0; 3], &mut scratch, &mut normals).unwrap();
    assert!((normals[3][0] - normals[3][2]).abs() < 1e-6);
}
