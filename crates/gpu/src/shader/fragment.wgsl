// The stored value of a displayed color: sRGB formats store linear colors.
fn stored_color(color: vec4<f32>) -> vec4<f32> {
    if scene.mode.y == 0u {
        return color;
    }
    let low = color.rgb / 12.92;
    let high = pow((max(color.rgb, vec3<f32>(0.0)) + 0.055) / 1.055, vec3<f32>(2.4));
    return vec4<f32>(select(high, low, color.rgb <= vec3<f32>(0.04045)), color.a);
}

// The coordinates of a normal in an environment map: the normal as the camera sees it.
fn reflected(normal: vec3<f32>) -> vec2<f32> {
    return vec2<f32>(0.5 + 0.5 * dot(normal, camera_right()), 0.5 - 0.5 * dot(normal, camera_up()));
}

// A color as the blend mode of its material takes it. Its alpha is how much it changes what is below it.
fn blended(color: vec4<f32>) -> vec4<f32> {
    let mode = material.emissive.w;
    if material.options.z != 1.0 || mode == 0.0 {
        return color;
    }
    let shown = clamp(color.rgb, vec3<f32>(0.0), vec3<f32>(1.0));
    let mean = dot(shown, vec3<f32>(1.0 / 3.0));
    let largest = max(shown.r, max(shown.g, shown.b));
    if mode == 1.0 {
        return vec4<f32>(shown, largest);
    }
    if mode == 2.0 {
        return vec4<f32>(shown * color.a, largest * color.a);
    }
    let effect = select(select(1.0 - mean, 1.0 - min(mean * 2.0, 1.0), mode == 4.0), mean, mode == 5.0);
    return vec4<f32>(shown, effect);
}

@fragment
fn fragment_main(input: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    // The normal of the triangle, toward the camera.
    let across = cross(dpdx(input.world), dpdy(input.world));
    let face = normalize(across) * select(-1.0, 1.0, dot(across, scene.camera.xyz - input.world) > 0.0);
    var normal = normalize(input.normal) * select(-1.0, 1.0, is_front);
    if !HAS_NORMALS || scene.mode.x == 2u {
        normal = face;
    }
    let texcoord = select(input.texcoord, reflected(normal), material.options.w < 0.0);
    let texel = textureSample(color_texture, color_sampler, texcoord);
    if scene.mode.x == 4u {
        return stored_color(scene.edges);
    }
    var color = texel * material.color * input.color;
    if color.a < material.options.x {
        discard;
    }
    // Only blended surfaces are transparent.
    color.a = select(1.0, color.a, material.options.z == 1.0);
    if scene.mode.x == 3u {
        return stored_color(vec4<f32>(normal * 0.5 + 0.5, 1.0));
    }
    if scene.mode.x == 1u {
        return stored_color(blended(vec4<f32>(color.rgb + material.emissive.rgb, color.a)));
    }
    let lit = scene.light.w + (1.0 - scene.light.w) * max(dot(normal, scene.light.xyz), 0.0);
    let light = select(lit, 1.0, material.options.y > 0.5);
    let added = select(scene.camera.w * lit, 0.0, material.options.z == 1.0);
    return stored_color(blended(vec4<f32>(color.rgb * light + material.emissive.rgb + added, color.a)));
}
