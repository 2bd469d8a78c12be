//! The camera, and where the model stands in the world.

use glam::{Mat4, Vec3};
use meshlens::lens::Bounds;
use meshlens_viewer::camera::{Camera, FIELD_OF_VIEW};
use meshlens_viewer::figure::UpAxis;

use crate::view;

/// The angle between the direction to the target and the direction to a point.
fn angle(camera: &Camera, point: Vec3) -> f32 {
    (camera.target - camera.position()).angle_between(point - camera.position())
}

#[test]
fn a_fitted_box_is_inside_the_field_of_view() {
    let bounds = Bounds { min: [-4.0, 10.0, 0.0], max: [6.0, 50.0, 2.0] };
    for (yaw, pitch) in [(0.0, 0.0), (1.0, 0.7), (-2.5, -1.4)] {
        let mut camera = Camera { yaw, pitch, ..Camera::default() };
        camera.fit(&bounds, 16.0 / 9.0);
        assert_eq!(camera.target, Vec3::new(1.0, 30.0, 1.0));
        for corner in 0..8 {
            let pick =
                |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
            let found = angle(&camera, Vec3::new(pick(0), pick(1), pick(2)));
            assert!(found < FIELD_OF_VIEW * 0.5, "corner {corner} at {found}");
        }
    }
}

#[test]
fn the_camera_looks_along_minus_z_and_never_over_the_pole() {
    let mut camera = Camera { yaw: 0.0, pitch: 0.0, distance: 5.0, target: Vec3::ONE };
    assert!(camera.position().abs_diff_eq(Vec3::new(1.0, 1.0, 6.0), 1e-6));
    camera.orbit(0.0, 1e6);
    assert!(camera.pitch < core::f32::consts::FRAC_PI_2);
    camera.orbit(f32::NAN, 0.0);
    camera.zoom(f32::INFINITY);
    camera.zoom(0.0);
    camera.zoom(0.5);
    assert_eq!(camera.distance, 2.5);
    camera.fit(&Bounds { min: [f32::NAN; 3], max: [1.0; 3] }, 1.0);
    assert!(camera.position().is_finite());
}

#[test]
fn a_pan_of_the_height_of_the_picture_moves_by_what_it_shows() {
    let mut camera = Camera { yaw: 0.0, pitch: 0.0, distance: 10.0, target: Vec3::ZERO };
    camera.pan(0.0, 600.0, 600.0);
    let height = 20.0 * (FIELD_OF_VIEW * 0.5).tan();
    assert!(camera.target.abs_diff_eq(Vec3::Y * height, 1e-4));
}

#[test]
fn points_are_seen_from_the_left_and_the_top_and_only_in_front() {
    let identity = Mat4::IDENTITY;
    assert_eq!(Camera::project(&identity, Vec3::ZERO), Some([0.5, 0.5]));
    assert_eq!(Camera::project(&identity, Vec3::new(-1.0, 1.0, 0.0)), Some([0.0, 0.0]));
    let behind = Mat4::from_cols_array(&[1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., -1.]);
    assert_eq!(Camera::project(&behind, Vec3::ZERO), None);
}

#[test]
fn the_one_armed_figure_stands_upright_in_every_format() {
    // 16 units high in MD3, whose Z points up.
    let mut state = view(&["md3/tagged.md3"]);
    let bounds = state.bounds().unwrap();
    assert!((bounds.min[1]..=bounds.max[1]).contains(&15.9) && bounds.min[1].abs() < 0.1, "{bounds:?}");
    // As stored, its height is along Z.
    state.options.up = UpAxis::Y;
    let bounds = state.bounds().unwrap();
    assert!(bounds.max[2] > 15.9, "{bounds:?}");
}

#[test]
fn the_parts_of_a_player_stand_on_one_another() {
    let state = view(&["md3/player"]);
    let poses = state.poses();
    let names: Vec<&str> = state.model().unwrap().parts().iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["lower", "upper", "head"]);
    let height: Vec<f32> = poses.iter().map(|pose| pose.transform.w_axis.y).collect();
    // LEGS_IDLE shows frame 2, where tag_torso is at -7.5; in TORSO_STAND, tag_head is 10.75 above it.
    assert_eq!(height, [0.0, -7.5, 3.25]);
}
