struct TangentFrame {
    float3 normal;
    int _pad1_0;
    float3 tangent;
    int _pad2_0;
    float3 binormal;
    int _end_pad_0;
};

int naga_f2i32(float value) {
    return int(clamp(value, -2147483600.0, 2147483500.0));
}

float2 sin_cos_turns(float turns)
{
    bool local = (bool)0;

    float quarter = round((turns * 4.0));
    float x_1 = ((turns - (quarter * 0.25)) * 6.2831855);
    float square = (x_1 * x_1);
    float s = (x_1 + ((x_1 * square) * (-0.16666667 + (square * (0.008333334 + (square * (-0.0001984127 + (square * 2.7557319e-6))))))));
    float c_1 = (1.0 + (square * (-0.5 + (square * (0.041666668 + (square * (-0.0013888889 + (square * 2.4801588e-5))))))));
    int number = (naga_f2i32(quarter) & int(3));
    float2 swapped = (((number & int(1)) == int(1)) ? float2(c_1, s) : float2(s, c_1));
    if (!((number == int(1)))) {
        local = (number == int(2));
    } else {
        local = true;
    }
    bool _e59 = local;
    float2 signs = float2(((number >= int(2)) ? -1.0 : 1.0), (_e59 ? -1.0 : 1.0));
    return (swapped * signs);
}

float3 zenith_azimuth(float2 turns_1)
{
    const float2 _e2 = sin_cos_turns(turns_1.x);
    const float2 _e4 = sin_cos_turns(turns_1.y);
    return float3((_e4.y * _e2.x), (_e4.x * _e2.x), _e2.y);
}

float3 zenith_azimuth_bytes(uint2 codes)
{
    const float3 _e5 = zenith_azimuth((float2(codes) / (256.0).xx));
    return _e5;
}

float3 zenith_azimuth_bytes_truncated(uint2 codes_1)
{
    bool local_1 = (bool)0;
    bool local_2 = (bool)0;

    float zenith = (float(codes_1.x) + 0.5);
    float signed_azimuth = (float(codes_1.y) - ((codes_1.y > 127u) ? 256.0 : 0.0));
    float azimuth = (signed_azimuth + ((codes_1.y == 0u) ? 0.0 : (sign(signed_azimuth) * 0.5)));
    const float3 _e27 = zenith_azimuth((float2(zenith, azimuth) / (255.0).xx));
    float3 pole = float3(0.0, 0.0, ((codes_1.x == 0u) ? 1.0 : -1.0));
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

float3 latitude_longitude(float2 turns_2)
{
    const float2 _e2 = sin_cos_turns(turns_2.x);
    const float2 _e4 = sin_cos_turns(turns_2.y);
    return float3((_e2.y * _e4.x), -(_e2.x), (_e2.y * _e4.y));
}

float3 latitude_longitude_bytes(int2 codes_2)
{
    const float3 _e6 = latitude_longitude((float2(codes_2) * float2(0.007874016, 0.003937008)));
    return _e6;
}

float3 latitude_longitude_bytes_full(int2 codes_3)
{
    const float3 _e6 = latitude_longitude((float2(codes_3) * float2(0.001968504, 0.003937008)));
    return _e6;
}

float3 latitude_longitude_shorts(int2 codes_4)
{
    const float3 _e6 = latitude_longitude((float2(codes_4) * float2(7.629627e-6, 1.5259255e-5)));
    return _e6;
}

int signed_field(uint word, uint first, uint width)
{
    return (asint((word << ((32u - first) - width))) >> (32u - width));
}

float3 bit_fields(uint word_1, uint3 widths, float3 scale)
{
    const int _e5 = signed_field(word_1, 0u, widths.x);
    const int _e8 = signed_field(word_1, widths.x, widths.y);
    const int _e13 = signed_field(word_1, (widths.x + widths.y), widths.z);
    return (float3(float(_e5), float(_e8), float(_e13)) * scale);
}

float4 scaled_integers(float4 numbers, float scale_1)
{
    return (numbers * scale_1);
}

float4 normalized_integers(float4 numbers_1, float largest)
{
    return (numbers_1 / (largest).xxxx);
}

float4 ranged_integers(float4 numbers_2, float largest_1, float least, float size)
{
    return ((least).xxxx + (size * (numbers_2 / (largest_1).xxxx)));
}

float2 half_floats(uint word_2)
{
    return float2(f16tof32(word_2), f16tof32((word_2) >> 16));
}

TangentFrame ConstructTangentFrame(float3 arg0, float3 arg1, float3 arg2) {
    TangentFrame ret = (TangentFrame)0;
    ret.normal = arg0;
    ret.tangent = arg1;
    ret.binormal = arg2;
    return ret;
}

TangentFrame tangent_frame(float4 q, float binormal_sign)
{
    float square_1 = dot(q, q);
    float s_1 = ((square_1 > 0.0) ? (2.0 / square_1) : 0.0);
    float3 tangent = float3((1.0 - (s_1 * ((q.y * q.y) + (q.z * q.z)))), (s_1 * ((q.x * q.y) + (q.z * q.w))), (s_1 * ((q.x * q.z) - (q.y * q.w))));
    float3 binormal = float3((s_1 * ((q.x * q.y) - (q.z * q.w))), (1.0 - (s_1 * ((q.x * q.x) + (q.z * q.z)))), (s_1 * ((q.y * q.z) + (q.x * q.w))));
    float3 normal_1 = float3((s_1 * ((q.x * q.z) + (q.y * q.w))), (s_1 * ((q.y * q.z) - (q.x * q.w))), (1.0 - (s_1 * ((q.x * q.x) + (q.y * q.y)))));
    const TangentFrame tangentframe = ConstructTangentFrame(normal_1, tangent, (binormal * binormal_sign));
    return tangentframe;
}

TangentFrame tangent_frame_shorts(int4 q_1)
{
    const TangentFrame _e11 = tangent_frame((float4(q_1) / (32767.0).xxxx), ((q_1.w < int(0)) ? -1.0 : 1.0));
    const TangentFrame tangentframe_1 = _e11;
    return tangentframe_1;
}

float4 quaternion_xyz_shorts(int3 xyz)
{
    float3 v = (float3(xyz) / (32767.0).xxx);
    return float4(v, sqrt(max((((1.0 - (v.x * v.x)) - (v.y * v.y)) - (v.z * v.z)), 0.0)));
}

TangentFrame tangent_frame_xyz_shorts(int3 xyz_1, int sign_byte)
{
    const float4 _e2 = quaternion_xyz_shorts(xyz_1);
    const TangentFrame _e8 = tangent_frame(_e2, ((sign_byte < int(0)) ? -1.0 : 1.0));
    const TangentFrame tangentframe_2 = _e8;
    return tangentframe_2;
}

float3 blend_positions(float3 a, float3 b, float weight)
{
    return (a + ((b - a) * weight));
}

float3 blend_directions(float3 a_1, float3 b_1, float weight_1)
{
    float3 sum = (a_1 + ((b_1 - a_1) * weight_1));
    float length_of_sum = length(sum);
    return ((length_of_sum >= 1e-6) ? (sum / (length_of_sum).xxx) : sum);
}

float3x4 blend_joints(float3x4 a_2, float3x4 b_2, float3x4 c, float3x4 d, float4 weights)
{
    float3x4 identity = float3x4(float4(1.0, 0.0, 0.0, 0.0), float4(0.0, 1.0, 0.0, 0.0), float4(0.0, 0.0, 1.0, 0.0));
    float rest = (all((weights == (0.0).xxxx)) ? 1.0 : 0.0);
    return ((((mul(weights.x, a_2) + mul(weights.y, b_2)) + mul(weights.z, c)) + mul(weights.w, d)) + mul(rest, identity));
}

float3 move_position(float3x4 rows, float3 position)
{
    return mul(rows, float4(position, 1.0));
}

float3 move_direction(float3x4 rows_1, float3 direction)
{
    float3 moved = mul(rows_1, float4(direction, 0.0));
    float length_of_moved = length(moved);
    return ((length_of_moved >= 1e-6) ? (moved / (length_of_moved).xxx) : direction);
}

float3 transform_normal(float3 x, float3 y, float3 z, float3 normal)
{
    float3 cofactors = float3(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    return (cofactors * ((dot(x, cross(y, z)) < 0.0) ? -1.0 : 1.0));
}

