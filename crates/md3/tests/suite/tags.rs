//! Tags between two frames, and positions and normals between two frames.

use meshlens_md3::Md3;

use super::limits::model;

#[test]
fn the_matrix_of_a_tag_maps_axes_to_rows() {
    let mut model = model();
    model.tags[1].axis = [[0.0, 2.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let bytes = model.write().unwrap();
    let tag = Md3::parse(&bytes).unwrap().tag(1, 0).unwrap();
    // The origin is (0, 0, 4). X becomes 2 Y, and Y becomes -X.
    let point = glam::Mat4::from_cols_array_2d(&tag.to_matrix()).transform_point3([1.0, 10.0, 100.0].into());
    assert_eq!(point.to_array(), [-10.0, 2.0, 104.0]);
    assert_eq!(tag.determinant(), 2.0);
}

#[test]
fn tags_between_two_frames() {
    let mut model = model();
    model.tags[1].axis = [[0.0, 2.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let bytes = model.write().unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    let tag = md3.interpolate_tag(md3.find_tag("TAG_X").unwrap(), 0, 1, 0.25).unwrap();
    assert_eq!(tag.origin, [0.0, 0.0, 1.0]);
    // Row 0: 0.75 X + 0.5 Y, scaled to length 1.
    let length = (0.75f32 * 0.75 + 0.5 * 0.5).sqrt();
    assert_eq!(tag.axis[0], [0.75 / length, 0.5 / length, 0.0]);
    assert_eq!(tag.axis[2], [0.0, 0.0, 1.0]);
    assert_eq!(md3.interpolate_tag(0, 0, 2, 0.5).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
    assert!(md3.interpolate_tag(1, 0, 1, 0.5).unwrap_err().to_string().contains("tag 1"));
}

#[test]
fn two_frames_are_blended_in_one_pass() {
    let bytes = model().write().unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    let surface = md3.surface(0).unwrap();
    let mut out = [[0.0; 3]; 3];
    surface.lerp_positions_into(0, 1, 0.75, &mut out).unwrap();
    assert_eq!(out, [[0.0, 0.0, 3.0], [8.0, 0.0, 3.0], [0.0, 8.0, 3.0]]);
    surface.lerp_normals_into(0, 1, 0.75, &mut out).unwrap();
    assert_eq!(out, [[0.0, 0.0, 1.0]; 3]);
    let error = surface.lerp_positions_into(0, 1, 0.5, &mut out[..2]).unwrap_err();
    assert!(error.to_string().contains("elements of the output: expected 3, found 2"), "{error}");
}
