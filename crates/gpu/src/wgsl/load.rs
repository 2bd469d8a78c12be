//! Numbers that a shader assembles from integers of a texture or a buffer.

use core::fmt::Write;

use meshlens::lens::{ArrayFormat, ComponentType};

use super::Scalar;
use super::decoder::vector;
use crate::layout::{Texels, numbers};

/// Returns the text of a function `name(record: u32) -> T` that loads the stored numbers of an element for the
/// [`Decoder`](super::Decoder) of its format. `load` is the name of a function that returns integer `i` of the table as
/// a `u32`; `offset` is the offset of the element in its record, in bytes.
///
/// ```
/// use meshlens::lens::{Described, encoding::LatitudeLongitude8};
/// use meshlens_gpu::{layout::Texels, wgsl::load_function};
///
/// // Normals of two bytes, each a texel of `R16Uint`.
/// let texels = Texels { word: 2, stride: 1 };
/// let text = load_function("load_normal", "texel", texels, LatitudeLongitude8::FORMAT, 0);
/// assert!(text.starts_with("fn load_normal(record: u32) -> vec2<i32> {"));
/// ```
pub fn load_function(name: &str, load: &str, texels: Texels, format: &ArrayFormat, offset: usize) -> String {
    let numbers = numbers(format);
    // A record of integers of different sizes is loaded as signed integers.
    let scalar = numbers.first().map_or(Scalar::U32, |number| Scalar::of(number.component));
    let output = vector(scalar, numbers.len());
    let mut text = format!("fn {name}(record: u32) -> {output} {{\n");
    let first = offset / texels.word;
    let end =
        numbers.iter().map(|number| offset + number.offset + number.component.size()).max().unwrap_or(0);
    // Writing to a string cannot fail.
    for word in first..end.div_ceil(texels.word) {
        let _ = writeln!(text, "    let w{word} = {load}(record * {}u + {word}u);", texels.stride);
    }
    let values: Vec<String> =
        numbers.iter().map(|number| value(texels.word, offset + number.offset, number.component)).collect();
    let _ = writeln!(text, "    return {output}({});\n}}", values.join(", "));
    text
}

/// The number at `offset`, from integers `w0`, `w1` and so on of `word` bytes.
fn value(word: usize, offset: usize, component: ComponentType) -> String {
    let size = component.size();
    let bits = if size <= word && offset % word + size <= word {
        // The number is contained in one integer.
        let (index, shift) = (offset / word, offset % word * 8);
        if shift > 0 { format!("(w{index} >> {shift}u)") } else { format!("w{index}") }
    } else {
        // The number is assembled byte by byte.
        let byte = |number: usize| {
            let at = offset + number;
            let (index, from, to) = (at / word, at % word * 8, number * 8);
            format!("(((w{index} >> {from}u) & 255u) << {to}u)")
        };
        format!("({})", (0..size).map(byte).collect::<Vec<_>>().join(" | "))
    };
    match component {
        ComponentType::F32 => format!("bitcast<f32>({bits})"),
        ComponentType::U32 => bits,
        ComponentType::I32 => format!("bitcast<i32>({bits})"),
        ComponentType::U8 => format!("({bits} & 255u)"),
        ComponentType::U16 => format!("({bits} & 65535u)"),
        // Shifts left and right, which extends the sign.
        ComponentType::I8 => format!("(bitcast<i32>({bits} << 24u) >> 24u)"),
        ComponentType::I16 => format!("(bitcast<i32>({bits} << 16u) >> 16u)"),
    }
}
