// A signed field of `width` bits, from bit `first` on.
fn signed_field(word: u32, first: u32, width: u32) -> i32 {
    // To the top, where what is above is lost, and back down, which copies the sign.
    return bitcast<i32>(word << (32u - first - width)) >> (32u - width);
}

// Three signed fields from the lowest bit on, each multiplied by its scale: the packed positions of Unreal.
fn bit_fields(word: u32, widths: vec3<u32>, scale: vec3<f32>) -> vec3<f32> {
    let x = signed_field(word, 0u, widths.x);
    let y = signed_field(word, widths.x, widths.y);
    let z = signed_field(word, widths.x + widths.y, widths.z);
    return vec3<f32>(f32(x), f32(y), f32(z)) * scale;
}
