// The sine and the cosine of an angle in turns, within 2e-7 for angles of up to one turn. The built-in functions are
// only within 5e-4.
fn sin_cos_turns(turns: f32) -> vec2<f32> {
    let quarter = round(turns * 4.0);
    // -1/8 to 1/8 of a turn.
    let x = (turns - quarter * 0.25) * 6.283185307179586;
    let square = x * x;
    let s = x + x * square * (-0.16666667 + square * (0.008333334 + square * (-0.00019841270 + square * 0.0000027557319)));
    let c = 1.0 + square * (-0.5 + square * (0.041666668 + square * (-0.0013888889 + square * 0.000024801587)));
    let number = i32(quarter) & 3;
    let swapped = select(vec2<f32>(s, c), vec2<f32>(c, s), (number & 1) == 1);
    // Sines of quarters 2 and 3 are negative, cosines of quarters 1 and 2.
    let signs = vec2<f32>(select(1.0, -1.0, number >= 2), select(1.0, -1.0, number == 1 || number == 2));
    return swapped * signs;
}
