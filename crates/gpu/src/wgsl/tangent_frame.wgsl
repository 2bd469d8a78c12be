struct TangentFrame {
    normal: vec3<f32>,
    tangent: vec3<f32>,
    binormal: vec3<f32>,
}

// The tangent space of a quaternion x, y, z, w of any length. A quaternion of zeros is the identity.
fn tangent_frame(q: vec4<f32>, binormal_sign: f32) -> TangentFrame {
    let square = dot(q, q);
    let s = select(0.0, 2.0 / square, square > 0.0);
    let tangent = vec3<f32>(1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.z * q.w), s * (q.x * q.z - q.y * q.w));
    let binormal = vec3<f32>(s * (q.x * q.y - q.z * q.w), 1.0 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.x * q.w));
    let normal = vec3<f32>(s * (q.x * q.z + q.y * q.w), s * (q.y * q.z - q.x * q.w), 1.0 - s * (q.x * q.x + q.y * q.y));
    return TangentFrame(normal, tangent, binormal * binormal_sign);
}

// Four 16-bit integers: the tangent frames of UNIGINE. The binormal has the sign of w.
fn tangent_frame_shorts(q: vec4<i32>) -> TangentFrame {
    return tangent_frame(vec4<f32>(q) / 32767.0, select(1.0, -1.0, q.w < 0));
}

// The quaternion of three 16-bit integers: w is never negative.
fn quaternion_xyz_shorts(xyz: vec3<i32>) -> vec4<f32> {
    let v = vec3<f32>(xyz) / 32767.0;
    return vec4<f32>(v, sqrt(max(1.0 - v.x * v.x - v.y * v.y - v.z * v.z, 0.0)));
}

// Three 16-bit integers and a byte with the sign of the binormal: the tangent frames of UNIGINE's version ms10.
fn tangent_frame_xyz_shorts(xyz: vec3<i32>, sign_byte: i32) -> TangentFrame {
    return tangent_frame(quaternion_xyz_shorts(xyz), select(1.0, -1.0, sign_byte < 0));
}
