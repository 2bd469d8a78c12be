// A corner of a square that turns to the camera: its center, the first corner in the file, and its texture coordinates. The
// diagonal remains as long as in the file. Its normal is that of the triangle.
fn sprite(x: vec4<f32>, y: vec4<f32>, z: vec4<f32>, center: vec3<f32>, first_corner: vec3<f32>, texcoord: vec2<f32>, color: vec4<f32>) -> VertexOutput {
    let at = placed(x, y, z, center, vec3<f32>(), texcoord, color);
    let half = distance(at.world, placed(x, y, z, first_corner, vec3<f32>(), texcoord, color).world) * sqrt(0.5);
    let world = at.world + (camera_right() * (texcoord.x * 2.0 - 1.0) + camera_up() * (1.0 - texcoord.y * 2.0)) * half;
    return VertexOutput(scene.view_projection * vec4<f32>(world, 1.0), world, at.normal, at.texcoord, at.color);
}
