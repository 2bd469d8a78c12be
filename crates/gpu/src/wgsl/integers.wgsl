// Integers multiplied by a scale: the positions of MD3 (1/64) and the 16-bit positions of Unreal.
fn scaled_integers(numbers: vec4<f32>, scale: f32) -> vec4<f32> {
    return numbers * scale;
}

// Integers divided by the largest of their type: 255 or 65535 for unorm, 32767 for snorm.
fn normalized_integers(numbers: vec4<f32>, largest: f32) -> vec4<f32> {
    return numbers / largest;
}

// Integers from 0 to `largest`, spread over a range that starts at `least`.
fn ranged_integers(numbers: vec4<f32>, largest: f32, least: f32, size: f32) -> vec4<f32> {
    return vec4<f32>(least) + size * (numbers / largest);
}
