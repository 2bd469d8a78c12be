// Two half floats, the first in the low bits.
fn half_floats(word: u32) -> vec2<f32> {
    return unpack2x16float(word);
}
