// Positions between two frames.
fn blend_positions(a: vec3<f32>, b: vec3<f32>, weight: f32) -> vec3<f32> {
    return a + (b - a) * weight;
}

// Directions between two frames, of length 1. What cancels out to less than 1e-6 keeps its length.
fn blend_directions(a: vec3<f32>, b: vec3<f32>, weight: f32) -> vec3<f32> {
    let sum = a + (b - a) * weight;
    let length_of_sum = length(sum);
    return select(sum, sum / length_of_sum, length_of_sum >= 1e-6);
}
