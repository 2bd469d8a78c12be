//! The axes of tags.

use glam::{Mat3, Mat4, Quat, Vec3};
use meshlens::model::TagPose;

fn pose(x: [f32; 3], y: [f32; 3], z: [f32; 3]) -> TagPose {
    TagPose { origin: [1.0, 2.0, 3.0], axes: [x, y, z] }
}

#[test]
fn axes_of_any_length_are_a_rotation() {
    let turn = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(-0.4);
    let axes = Mat3::from_quat(turn) * Mat3::from_diagonal(Vec3::new(1.0, 8.0, 0.5));
    let pose = TagPose { origin: [0.0; 3], axes: axes.to_cols_array_2d() };
    let rotation = Quat::from_array(pose.rotation());
    assert!(rotation.abs_diff_eq(turn, 1e-6) || rotation.abs_diff_eq(-turn, 1e-6));
    let normalized = Mat3::from_cols_array_2d(&pose.normalized().axes);
    assert!(normalized.abs_diff_eq(Mat3::from_quat(turn), 1e-6));
    let [x, y, z] = pose.axes;
    let mirrored = TagPose { axes: [x, y.map(|value| -value), z], ..pose };
    assert!(mirrored.is_left_handed() && !pose.is_left_handed());
    assert!(mirrored.normalized().is_left_handed(), "only lengths change");
    assert!(Quat::from_array(mirrored.rotation()).abs_diff_eq(rotation, 1e-6));
    // A matrix keeps the mirror.
    let [matrix, plain] = [&mirrored, &pose].map(|pose| Mat4::from_cols_array_2d(&pose.to_matrix()));
    assert!((matrix.determinant() + 1.0).abs() < 1e-6 && (plain.determinant() - 1.0).abs() < 1e-6);
    assert!(matrix.transform_vector3(Vec3::Y).abs_diff_eq(-plain.transform_vector3(Vec3::Y), 1e-6));
}

#[test]
fn axes_of_length_0_complete_the_others() {
    let [x, y, z, none] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];
    for incomplete in [pose(none, y, z), pose(x, none, z), pose(x, y, none), pose(none, none, none)] {
        assert_eq!(incomplete.normalized(), pose(x, y, z));
        assert_eq!(incomplete.rotation(), [0.0, 0.0, 0.0, 1.0]);
    }
    // A single axis is unchanged, and the other two are replaced by a right-handed pair.
    for incomplete in [pose(y, none, none), pose(none, x, none), pose(none, none, [0.0, -7.0, 0.0])] {
        let found = Mat3::from_cols_array_2d(&incomplete.normalized().axes);
        assert!((found.determinant() - 1.0).abs() < 1e-6, "{found}");
    }
    assert_eq!(pose(y, none, none).normalized().axes[0], [0.0, 1.0, 0.0]);
    // Parallel axes do not determine a third direction, but no result is NaN.
    assert!(
        pose(x, x, none).normalized().is_finite()
            && Quat::from_array(pose(x, x, x).rotation()).is_normalized()
    );
    let huge = pose([1e30, 0.0, 0.0], [0.0, 1e-30, 0.0], [0.0, 0.0, 1e-44]);
    assert_eq!(huge.normalized(), pose(x, y, z));
    assert!(!pose([f32::NAN, 0.0, 0.0], y, z).normalized().is_finite());
}

#[test]
fn poses_are_interpolated_before_their_axes_are_normalized() {
    // Halfway between 3 X and Y is (1.5, 0.5, 0): the length of an axis is its weight, as in engines.
    let from = pose([3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]);
    let to = TagPose { origin: [0.0; 3], ..pose([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]) };
    let half = from.interpolate(&to, 0.5);
    assert_eq!(half.origin, [0.5, 1.0, 1.5]);
    let wanted = Vec3::new(3.0, 1.0, 0.0) / 10f32.sqrt();
    assert!(Vec3::from(half.axes[0]).abs_diff_eq(wanted, 1e-6), "{half:?}");
    assert_eq!(half.axes[2], [0.0, 0.0, 1.0]);
    assert_eq!(from.interpolate(&to, 0.0), from.normalized());
}
