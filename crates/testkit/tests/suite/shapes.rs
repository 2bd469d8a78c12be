//! The shapes of the models of the corpus.

use meshlens_testkit::shapes::Shape;

/// Whether the normal of every triangle agrees with the normals of its corners.
fn is_wound_outwards(shape: &Shape) -> bool {
    shape.triangles.iter().all(|corners| {
        let [a, b, c] = corners.map(|corner| shape.positions[corner as usize]);
        let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        corners.iter().all(|corner| {
            let n = shape.normals[*corner as usize];
            face[0] * n[0] + face[1] * n[1] + face[2] * n[2] > 0.0
        })
    })
}

#[test]
fn shapes_are_wound_counter_clockwise_until_flipped() {
    for shape in [Shape::torus(8.0, 2.0, 12, 8), Shape::one_armed()] {
        assert!(is_wound_outwards(&shape));
        assert!(!is_wound_outwards(&shape.flipped()));
    }
}

#[test]
fn the_arm_is_on_the_left() {
    let shape = Shape::one_armed();
    let reach = |side: f32| shape.positions.iter().map(|p| p[1] * side).fold(0.0, f32::max);
    assert_eq!((reach(1.0), reach(-1.0)), (10.0, 3.0));
}
