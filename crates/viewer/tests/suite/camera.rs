//! The camera, and the position of the model in the world.

use glam::{Mat4, Vec3};
use meshlens::lens::Bounds;
use meshlens_viewer::UpAxis;
use meshlens_viewer::camera::{Camera, Direction, FIELD_OF_VIEW};

use crate::view;

/// The angle between the direction to the target and the direction to a point.
fn angle(camera: &Camera, point: Vec3) -> f32 {
    let [target, position] = [camera.target, camera.position()].map(Vec3::from);
    (target - position).angle_between(point - position)
}

#[test]
fn a_fitted_box_is_inside_the_field_of_view() {
    let bounds = Bounds { min: [-4.0, 10.0, 0.0], max: [6.0, 50.0, 2.0] };
    for (yaw, pitch) in [(0.0, 0.0), (1.0, 0.7), (-2.5, -1.4)] {
        let mut camera = Camera { yaw, pitch, ..Camera::default() };
        camera.fit(&bounds, 16.0 / 9.0);
        assert_eq!(camera.target, [1.0, 30.0, 1.0]);
        for corner in 0..8 {
            let pick =
                |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
            let found = angle(&camera, Vec3::new(pick(0), pick(1), pick(2)));
            assert!(found < FIELD_OF_VIEW * 0.5, "corner {corner} at {found}");
        }
    }
}

#[test]
fn the_camera_looks_along_minus_z_and_stops_before_the_pole() {
    let mut camera = Camera { yaw: 0.0, pitch: 0.0, distance: 5.0, target: [1.0; 3] };
    assert!(Vec3::from(camera.position()).abs_diff_eq(Vec3::new(1.0, 1.0, 6.0), 1e-6));
    camera.orbit(0.0, 1e6);
    assert!(camera.pitch < core::f32::consts::FRAC_PI_2);
    camera.orbit(f32::NAN, 0.0);
    camera.zoom(f32::INFINITY);
    camera.zoom(0.0);
    camera.zoom(0.5);
    assert_eq!(camera.distance, 2.5);
    camera.fit(&Bounds { min: [f32::NAN; 3], max: [1.0; 3] }, 1.0);
    assert!(Vec3::from(camera.position()).is_finite());
}

#[test]
fn a_pan_by_the_height_of_the_picture_moves_by_the_visible_height() {
    let mut camera = Camera { yaw: 0.0, pitch: 0.0, distance: 10.0, target: [0.0; 3] };
    camera.pan(0.0, 600.0, 600.0);
    let height = 20.0 * (FIELD_OF_VIEW * 0.5).tan();
    assert!(Vec3::from(camera.target).abs_diff_eq(Vec3::Y * height, 1e-4));
}

#[test]
fn points_are_projected_from_the_top_left_if_they_are_in_front() {
    let identity = Mat4::IDENTITY.to_cols_array_2d();
    assert_eq!(Camera::project(&identity, [0.0; 3]), Some([0.5, 0.5]));
    assert_eq!(Camera::project(&identity, [-1.0, 1.0, 0.0]), Some([0.0, 0.0]));
    let mut behind = identity;
    behind[3][3] = -1.0;
    assert_eq!(Camera::project(&behind, [0.0; 3]), None);
}

#[test]
fn the_one_armed_figure_stands_upright_in_every_format() {
    // The model is 16 units high in MD3, whose Z points up.
    let mut state = view(&["md3/tagged.md3"]);
    let bounds = state.bounds().unwrap();
    assert!((bounds.min[1]..=bounds.max[1]).contains(&15.9) && bounds.min[1].abs() < 0.1, "{bounds:?}");
    // As stored, its height is along Z.
    state.options.up = UpAxis::Y;
    let bounds = state.bounds().unwrap();
    assert!(bounds.max[2] > 15.9, "{bounds:?}");
}

#[test]
fn the_parts_of_a_player_are_stacked() {
    let state = view(&["md3/player"]);
    let nodes = &state.model().unwrap().scene().nodes;
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["lower", "upper", "head"]);
    let height: Vec<f32> = (0..3).map(|node| crate::origin(&state, node).y).collect();
    // LEGS_IDLE shows frame 2, where tag_torso is at -7.5; in TORSO_STAND, tag_head is 10.75 above it.
    assert_eq!(height, [0.0, -7.5, 3.25]);
}

#[test]
fn each_direction_shows_its_side() {
    let mut camera = Camera { distance: 2.0, ..Camera::default() };
    // The front of the model faces Z, and its left side faces +X.
    for (direction, expected) in [
        (Direction::Front, Vec3::Z),
        (Direction::Back, Vec3::NEG_Z),
        (Direction::Left, Vec3::X),
        (Direction::Right, Vec3::NEG_X),
        (Direction::Top, Vec3::Y),
        (Direction::Bottom, Vec3::NEG_Y),
    ] {
        camera.look_from(direction);
        // Directly above the model, the camera would have no direction to the right.
        let position = Vec3::from(camera.position());
        assert!(position.abs_diff_eq(expected * 2.0, 0.05), "{direction:?}: {position}");
        assert_eq!(direction.opposite().opposite(), direction);
    }
}

#[test]
fn a_ray_goes_through_its_place_in_the_picture() {
    let camera = Camera { yaw: 0.0, pitch: 0.0, distance: 10.0, target: [0.0; 3] };
    let ray = |place| <[_; 2]>::from(camera.ray(place, 2.0)).map(Vec3::from);
    let [start, middle] = ray([0.5, 0.5]);
    assert!(start.abs_diff_eq(Vec3::Z * 10.0, 1e-5) && middle.abs_diff_eq(Vec3::NEG_Z, 1e-6));
    // The right edge of a picture twice as wide as high, at a distance of 10 units.
    let [_, right] = ray([1.0, 0.5]);
    let at = start + right * (10.0 / -right.z);
    assert!(at.abs_diff_eq(Vec3::X * 20.0 * (FIELD_OF_VIEW * 0.5).tan(), 1e-4), "{at}");
}

#[test]
fn the_surface_under_the_pointer_moves_to_the_center() {
    let mut state = view(&["gallery/crate.md3"]);
    state.camera.look_from(Direction::Front);
    state.fit();
    let (before, front) = (state.camera.distance, state.bounds().unwrap().max[2]);
    state.focus_at([0.5, 0.5]);
    assert!((state.camera.target[2] - front).abs() < 0.1, "{:?} is not {front}", state.camera.target);
    assert!(state.camera.distance < before);
    // A double-click next to the model shows all of it again.
    state.focus_at([0.0, 0.0]);
    assert_eq!(state.camera.distance, before);
}

#[test]
fn the_turntable_turns_while_nothing_plays() {
    let mut state = view(&["md3/static.md3"]);
    let before = state.camera.yaw;
    state.advance(1.0);
    assert_eq!(state.camera.yaw, before);
    state.options.turntable = true;
    state.advance(0.5);
    // The turntable turns by 0.6 radians per second.
    assert!((state.camera.yaw - before - 0.3).abs() < 1e-5);
}

#[test]
fn a_new_aspect_fits_the_model_until_the_camera_is_moved() {
    let mut state = view(&["md3/static.md3"]);
    state.set_aspect(2.0);
    let wide = state.camera.distance;
    state.camera.turn(0.3, 0.0);
    state.set_aspect(0.5);
    // If the picture is half as wide as high, the camera must be farther away.
    let narrow = state.camera.distance;
    assert!(narrow > wide * 1.5, "{narrow} is not much more than {wide}");
    state.camera.zoom(0.5);
    state.set_aspect(2.0);
    assert_eq!(state.camera.distance, narrow * 0.5);
    state.fit();
    assert_eq!(state.camera.distance, wide);
}
