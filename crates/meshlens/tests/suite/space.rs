//! Spaces and conversions between them.

use glam::{Mat4, Quat, Vec3};
use meshlens::model::*;

const ALL: [Space; 5] = [Space::GLTF, Space::MD3, Space::UNREAL, Space::U3D, Space::UNIGINE];
const PROGRAMS: [Space; 4] = [Space::UNREAL_ENGINE, Space::UNITY, Space::GODOT, Space::BLENDER];

#[test]
fn handedness_follows_from_the_axes() {
    let expected =
        [Handedness::Right, Handedness::Right, Handedness::Left, Handedness::Left, Handedness::Right];
    assert_eq!(ALL.map(|space| space.handedness()), expected);
    let expected = [Handedness::Left, Handedness::Left, Handedness::Right, Handedness::Right];
    assert_eq!(PROGRAMS.map(|space| space.handedness()), expected);
}

#[test]
fn models_face_the_forward_axis_of_each_program() {
    // The left, the top and the front of a model in glTF.
    let points = PROGRAMS.map(|space| Space::GLTF.to(&space).position([1.0, 2.0, 3.0]));
    assert_eq!(points, [[3.0, -1.0, 2.0], [-1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, -3.0, 2.0]]);
    let swaps = PROGRAMS.map(|space| Space::GLTF.to(&space).swaps_winding);
    assert_eq!(swaps, [false, true, true, false]);
    assert_eq!(PROGRAMS.map(|space| space.meters()), [Some(0.01), Some(1.0), Some(1.0), Some(1.0)]);
}

#[test]
fn the_conversion_to_gltf_agrees_with_the_documentation() {
    let point = [1.0, 2.0, 3.0];
    // MD3 and Unreal face X with Z up, and differ in the direction of left. Ultimate 3D reverses the depth. UNIGINE
    // faces Y.
    assert_eq!(Space::MD3.to(&Space::GLTF).position(point), [2.0, 3.0, 1.0]);
    assert_eq!(Space::UNREAL.to(&Space::GLTF).position(point), [-2.0, 3.0, 1.0]);
    assert_eq!(Space::U3D.to(&Space::GLTF).position(point), [1.0, 2.0, -3.0]);
    assert_eq!(Space::UNIGINE.to(&Space::GLTF).position(point), [-1.0, 3.0, 2.0]);
    // Between formats with the axes of Quake, only the handedness differs.
    assert_eq!(Space::UNREAL.to(&Space::MD3).position(point), [1.0, -2.0, 3.0]);
}

#[test]
fn usual_units_of_each_space() {
    let meters = ALL.map(|space| space.usual_meters());
    assert_eq!(meters, [Some(1.0), Some(0.0254), Some(0.01905), None, Some(1.0)]);
}

#[test]
fn a_conversion_and_its_inverse_cancel() {
    for from in ALL {
        for to in ALL {
            let (there, back) = (from.to(&to), to.to(&from));
            assert_eq!(back.position(there.position([1.5, -2.0, 0.1])), [1.5, -2.0, 0.1]);
            assert_eq!(back.corners(there.corners([4, 5, 6])), [4, 5, 6]);
            assert_eq!(there.mirrors, Mat4::from_cols_array_2d(&there.linear()).determinant() < 0.0);
        }
    }
}

#[test]
fn rotations_and_matrices_are_converted_like_points() {
    let turn = Quat::from_xyzw(0.1, 0.7, -0.3, 0.6).normalize();
    let matrix = Mat4::from_rotation_translation(turn, Vec3::new(3.0, -1.0, 2.0));
    let point = Vec3::new(0.5, 2.0, -4.0);
    for from in ALL {
        let conversion = from.to(&Space::GLTF).scaled(2.0);
        let convert = |p: Vec3| Vec3::from(conversion.position(p.to_array()));
        let turned = Quat::from_array(conversion.rotation(turn.to_array())) * convert(point);
        assert!(turned.abs_diff_eq(convert(turn * point), 1e-5), "{from:?}");
        let converted = Mat4::from_cols_array_2d(&conversion.matrix(matrix.to_cols_array_2d()));
        let moved = converted.transform_point3(convert(point));
        assert!(moved.abs_diff_eq(convert(matrix.transform_point3(point)), 1e-5), "{from:?}");
    }
}
