@fragment
fn fragment_main(input: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let texel = textureSample(color_texture, color_sampler, input.texcoord);
    // The normal of the triangle, toward the camera.
    let across = cross(dpdx(input.world), dpdy(input.world));
    let face = normalize(across) * select(-1.0, 1.0, dot(across, scene.camera.xyz - input.world) > 0.0);
    let color = texel * material.color;
    if color.a < material.options.x {
        discard;
    }
    var normal = normalize(input.normal) * select(-1.0, 1.0, is_front);
    if !HAS_NORMALS || scene.mode.x == 2u {
        normal = face;
    }
    if scene.mode.x == 3u {
        return vec4<f32>(normal * 0.5 + 0.5, 1.0);
    }
    if scene.mode.x == 1u || material.options.y > 0.5 {
        return color;
    }
    let light = scene.light.w + (1.0 - scene.light.w) * max(dot(normal, scene.light.xyz), 0.0);
    return vec4<f32>(color.rgb * light, color.a);
}
