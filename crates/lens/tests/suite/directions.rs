//! Directions for the tests of encodings.

/// The angle between two directions, in degrees.
pub(crate) fn degrees_between(a: [f32; 3], b: [f32; 3]) -> f64 {
    let a = a.map(f64::from);
    let b = b.map(f64::from);
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    libm::atan2(libm::sqrt(cross.iter().map(|c| c * c).sum()), dot).to_degrees()
}

/// Directions spread evenly over the sphere.
pub(crate) fn sphere(count: u32) -> impl Iterator<Item = [f32; 3]> {
    (0..count).map(move |i| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
        let (r, turn) = (libm::sqrt(1.0 - z * z), f64::from(i) * 2.4);
        [(r * libm::cos(turn)) as f32, (r * libm::sin(turn)) as f32, z as f32]
    })
}
