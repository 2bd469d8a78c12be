//! Priorities by distance.

use meshlens_stream::Priority;

#[test]
fn nearer_objects_have_higher_priorities() {
    let distances = [0.0, 1e-9, 0.5, 0.75, 1.0, 4.0, 1e9, f32::INFINITY];
    let priorities = distances.map(Priority::by_distance);
    assert!(priorities.windows(2).all(|pair| pair[0] > pair[1]), "{priorities:?}");
    assert_eq!(Priority::by_distance(-1.0), Priority::NORMAL);
    assert_eq!(Priority::by_distance(-0.0), Priority::NORMAL);
    assert_eq!(Priority::by_distance(f32::NAN), Priority::by_distance(f32::INFINITY));
    assert!(Priority::by_distance(f32::INFINITY) > Priority::LOWEST);
}
