// A direction from a zenith and an azimuth in turns.
fn zenith_azimuth(turns: vec2<f32>) -> vec3<f32> {
    let zenith = sin_cos_turns(turns.x);
    let azimuth = sin_cos_turns(turns.y);
    return vec3<f32>(azimuth.y * zenith.x, azimuth.x * zenith.x, zenith.y);
}

// Two bytes, 256 to the turn: the normals of MD3 as engines decode them.
fn zenith_azimuth_bytes(codes: vec2<u32>) -> vec3<f32> {
    return zenith_azimuth(vec2<f32>(codes) / 256.0);
}

// The same bytes as the inverse of an encoder that truncates: the middle of the angles of each code, 255 to the turn.
fn zenith_azimuth_bytes_truncated(codes: vec2<u32>) -> vec3<f32> {
    let zenith = f32(codes.x) + 0.5;
    // Azimuths are signed.
    let signed_azimuth = f32(codes.y) - select(0.0, 256.0, codes.y > 127u);
    let azimuth = signed_azimuth + select(sign(signed_azimuth) * 0.5, 0.0, codes.y == 0u);
    let direction = zenith_azimuth(vec2<f32>(zenith, azimuth) / 255.0);
    let pole = vec3<f32>(0.0, 0.0, select(-1.0, 1.0, codes.x == 0u));
    return select(direction, pole, codes.y == 0u && (codes.x == 0u || codes.x == 128u));
}
