//! The transform of a script.

use meshlens_unreal::script::Transform;

fn turned(rotation: [f32; 3], position: [f32; 3]) -> [i32; 3] {
    Transform { rotation, ..Transform::default() }.apply(position).map(|v| libm::roundf(v * 1000.0) as i32)
}

#[test]
fn quarter_turns_of_each_kind() {
    let (forward, right, up) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(turned([64.0, 0.0, 0.0], forward), [0, 1000, 0], "yaw: forward to the right");
    assert_eq!(turned([0.0, 64.0, 0.0], forward), [0, 0, 1000], "pitch: forward to the top");
    assert_eq!(turned([0.0, 0.0, 64.0], up), [0, 1000, 0], "roll: up to the right");
    assert_eq!(turned([-64.0, 0.0, 0.0], right), [1000, 0, 0]);
    assert_eq!(turned([256.0, 512.0, -256.0], up), [0, 0, 1000], "a full turn changes nothing");
    assert_eq!(turned([64.0, 64.0, 0.0], forward), [0, 0, 1000], "pitch before yaw");
    assert_eq!(turned([64.0, 64.0, 0.0], up), [0, -1000, 0]);
}

#[test]
fn the_origin_is_subtracted_before_the_scale() {
    let transform = Transform { origin: [1.0, 2.0, 3.0], scale: [2.0, 2.0, 4.0], rotation: [0.0; 3] };
    assert_eq!(transform.apply([2.0, 4.0, 6.0]), [2.0, 4.0, 12.0]);
    assert_eq!(transform.to_matrix()[3], [-2.0, -4.0, -12.0, 1.0]);
}
