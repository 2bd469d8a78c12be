// A normal of a surface that a matrix moves, whose rows are given: scales that differ by axis, and mirrors, keep it
// perpendicular.
fn transform_normal(x: vec3<f32>, y: vec3<f32>, z: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let cofactors = vec3<f32>(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    return cofactors * select(1.0, -1.0, dot(x, cross(y, z)) < 0.0);
}
