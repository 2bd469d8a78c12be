// The matrix of a vertex: the weighted sum of the matrices of four joints, by rows, without the last row. A vertex that no
// joint moves, whose weights are all 0, stays where it is.
fn blend_joints(a: mat3x4<f32>, b: mat3x4<f32>, c: mat3x4<f32>, d: mat3x4<f32>, weights: vec4<f32>) -> mat3x4<f32> {
    let identity = mat3x4<f32>(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0);
    let rest = select(0.0, 1.0, all(weights == vec4<f32>(0.0)));
    return a * weights.x + b * weights.y + c * weights.z + d * weights.w + identity * rest;
}

fn move_position(rows: mat3x4<f32>, position: vec3<f32>) -> vec3<f32> {
    return vec4<f32>(position, 1.0) * rows;
}

// A direction, of length 1 unless it becomes shorter than 1e-6.
fn move_direction(rows: mat3x4<f32>, direction: vec3<f32>) -> vec3<f32> {
    let moved = vec4<f32>(direction, 0.0) * rows;
    let length_of_moved = length(moved);
    return select(direction, moved / length_of_moved, length_of_moved >= 1e-6);
}
