// A direction from a latitude and a longitude in turns.
fn latitude_longitude(turns: vec2<f32>) -> vec3<f32> {
    let latitude = sin_cos_turns(turns.x);
    let longitude = sin_cos_turns(turns.y);
    return vec3<f32>(latitude.y * longitude.x, -latitude.x, latitude.y * longitude.y);
}

// Two signed bytes: the normals of Ultimate 3D 1.0. The factors are 0.0494739 and 0.02473695 radians in turns.
fn latitude_longitude_bytes(codes: vec2<i32>) -> vec3<f32> {
    return latitude_longitude(vec2<f32>(codes) * vec2<f32>(0.007874016, 0.003937008));
}

// Two signed bytes, with 127 codes to the quarter turn of latitude.
fn latitude_longitude_bytes_full(codes: vec2<i32>) -> vec3<f32> {
    return latitude_longitude(vec2<f32>(codes) * vec2<f32>(0.001968504, 0.003937008));
}

// Two signed 16-bit integers: the normals of Ultimate 3D 2.0. 32767 is a quarter turn of latitude and half a turn of
// longitude.
fn latitude_longitude_shorts(codes: vec2<i32>) -> vec3<f32> {
    return latitude_longitude(vec2<f32>(codes) * vec2<f32>(0.0000076296274, 0.000015259255));
}
