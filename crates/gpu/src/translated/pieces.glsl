struct TangentFrame {
    vec3 normal;
    vec3 tangent;
    vec3 binormal;
};

vec2 sin_cos_turns(float turns) {
    bool local = false;
    float quarter = roundEven((turns * 4.0));
    float x_1 = ((turns - (quarter * 0.25)) * 6.2831855);
    float square = (x_1 * x_1);
    float s = (x_1 + ((x_1 * square) * (-0.16666667 + (square * (0.008333334 + (square * (-0.0001984127 + (square * 2.7557319e-6))))))));
    float c_1 = (1.0 + (square * (-0.5 + (square * (0.041666668 + (square * (-0.0013888889 + (square * 2.4801588e-5))))))));
    int number = (int(quarter) & 3);
    vec2 swapped = (((number & 1) == 1) ? vec2(c_1, s) : vec2(s, c_1));
    if (!((number == 1))) {
        local = (number == 2);
    } else {
        local = true;
    }
    bool _e59 = local;
    vec2 signs = vec2(((number >= 2) ? -1.0 : 1.0), (_e59 ? -1.0 : 1.0));
    return (swapped * signs);
}

vec3 zenith_azimuth(vec2 turns_1) {
    vec2 _e2 = sin_cos_turns(turns_1.x);
    vec2 _e4 = sin_cos_turns(turns_1.y);
    return vec3((_e4.y * _e2.x), (_e4.x * _e2.x), _e2.y);
}

vec3 zenith_azimuth_bytes(uvec2 codes) {
    vec3 _e5 = zenith_azimuth((vec2(codes) / vec2(256.0)));
    return _e5;
}

vec3 zenith_azimuth_bytes_truncated(uvec2 codes_1) {
    bool local_1 = false;
    bool local_2 = false;
    float zenith = (float(codes_1.x) + 0.5);
    float signed_azimuth = (float(codes_1.y) - ((codes_1.y > 127u) ? 256.0 : 0.0));
    float azimuth = (signed_azimuth + ((codes_1.y == 0u) ? 0.0 : (sign(signed_azimuth) * 0.5)));
    vec3 _e27 = zenith_azimuth((vec2(zenith, azimuth) / vec2(255.0)));
    vec3 pole = vec3(0.0, 0.0, ((codes_1.x == 0u) ? 1.0 : -1.0));
    if ((codes_1.y == 0u)) {
        if (!((codes_1.x == 0u))) {
            local_2 = (codes_1.x == 128u);
        } else {
            local_2 = true;
        }
        bool _e52 = local_2;
        local_1 = _e52;
    } else {
        local_1 = false;
    }
    bool _e54 = local_1;
    return (_e54 ? pole : _e27);
}

vec3 latitude_longitude(vec2 turns_2) {
    vec2 _e2 = sin_cos_turns(turns_2.x);
    vec2 _e4 = sin_cos_turns(turns_2.y);
    return vec3((_e2.y * _e4.x), -(_e2.x), (_e2.y * _e4.y));
}

vec3 latitude_longitude_bytes(ivec2 codes_2) {
    vec3 _e6 = latitude_longitude((vec2(codes_2) * vec2(0.007874016, 0.003937008)));
    return _e6;
}

vec3 latitude_longitude_bytes_full(ivec2 codes_3) {
    vec3 _e6 = latitude_longitude((vec2(codes_3) * vec2(0.001968504, 0.003937008)));
    return _e6;
}

vec3 latitude_longitude_shorts(ivec2 codes_4) {
    vec3 _e6 = latitude_longitude((vec2(codes_4) * vec2(7.629627e-6, 1.5259255e-5)));
    return _e6;
}

int signed_field(uint word, uint first, uint width) {
    return (int((word << ((32u - first) - width))) >> (32u - width));
}

vec3 bit_fields(uint word_1, uvec3 widths, vec3 scale) {
    int _e5 = signed_field(word_1, 0u, widths.x);
    int _e8 = signed_field(word_1, widths.x, widths.y);
    int _e13 = signed_field(word_1, (widths.x + widths.y), widths.z);
    return (vec3(float(_e5), float(_e8), float(_e13)) * scale);
}

vec4 scaled_integers(vec4 numbers, float scale_1) {
    return (numbers * scale_1);
}

vec4 normalized_integers(vec4 numbers_1, float largest) {
    return (numbers_1 / vec4(largest));
}

vec4 ranged_integers(vec4 numbers_2, float largest_1, float least, float size) {
    return (vec4(least) + (size * (numbers_2 / vec4(largest_1))));
}

vec2 half_floats(uint word_2) {
    return unpackHalf2x16(word_2);
}

TangentFrame tangent_frame(vec4 q, float binormal_sign) {
    float square_1 = dot(q, q);
    float s_1 = ((square_1 > 0.0) ? (2.0 / square_1) : 0.0);
    vec3 tangent = vec3((1.0 - (s_1 * ((q.y * q.y) + (q.z * q.z)))), (s_1 * ((q.x * q.y) + (q.z * q.w))), (s_1 * ((q.x * q.z) - (q.y * q.w))));
    vec3 binormal = vec3((s_1 * ((q.x * q.y) - (q.z * q.w))), (1.0 - (s_1 * ((q.x * q.x) + (q.z * q.z)))), (s_1 * ((q.y * q.z) + (q.x * q.w))));
    vec3 normal_1 = vec3((s_1 * ((q.x * q.z) + (q.y * q.w))), (s_1 * ((q.y * q.z) - (q.x * q.w))), (1.0 - (s_1 * ((q.x * q.x) + (q.y * q.y)))));
    return TangentFrame(normal_1, tangent, (binormal * binormal_sign));
}

TangentFrame tangent_frame_shorts(ivec4 q_1) {
    TangentFrame _e11 = tangent_frame((vec4(q_1) / vec4(32767.0)), ((q_1.w < 0) ? -1.0 : 1.0));
    return _e11;
}

vec4 quaternion_xyz_shorts(ivec3 xyz) {
    vec3 v = (vec3(xyz) / vec3(32767.0));
    return vec4(v, sqrt(max((((1.0 - (v.x * v.x)) - (v.y * v.y)) - (v.z * v.z)), 0.0)));
}

TangentFrame tangent_frame_xyz_shorts(ivec3 xyz_1, int sign_byte) {
    vec4 _e2 = quaternion_xyz_shorts(xyz_1);
    TangentFrame _e8 = tangent_frame(_e2, ((sign_byte < 0) ? -1.0 : 1.0));
    return _e8;
}

vec3 blend_positions(vec3 a, vec3 b, float weight) {
    return (a + ((b - a) * weight));
}

vec3 blend_directions(vec3 a_1, vec3 b_1, float weight_1) {
    vec3 sum = (a_1 + ((b_1 - a_1) * weight_1));
    float length_of_sum = length(sum);
    return ((length_of_sum >= 1e-6) ? (sum / vec3(length_of_sum)) : sum);
}

mat3x4 blend_joints(mat3x4 a_2, mat3x4 b_2, mat3x4 c, mat3x4 d, vec4 weights) {
    mat3x4 identity = mat3x4(vec4(1.0, 0.0, 0.0, 0.0), vec4(0.0, 1.0, 0.0, 0.0), vec4(0.0, 0.0, 1.0, 0.0));
    float rest = (all(equal(weights, vec4(0.0))) ? 1.0 : 0.0);
    return (((((a_2 * weights.x) + (b_2 * weights.y)) + (c * weights.z)) + (d * weights.w)) + (identity * rest));
}

vec3 move_position(mat3x4 rows, vec3 position) {
    return (vec4(position, 1.0) * rows);
}

vec3 move_direction(mat3x4 rows_1, vec3 direction) {
    vec3 moved = (vec4(direction, 0.0) * rows_1);
    float length_of_moved = length(moved);
    return ((length_of_moved >= 1e-6) ? (moved / vec3(length_of_moved)) : direction);
}

vec3 transform_normal(vec3 x, vec3 y, vec3 z, vec3 normal) {
    vec3 cofactors = vec3(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    return (cofactors * ((dot(x, cross(y, z)) < 0.0) ? -1.0 : 1.0));
}
