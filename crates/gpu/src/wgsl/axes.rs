//! Conversion between spaces as a WGSL function.

use core::fmt::Write;

use meshlens::model::Conversion;

/// Returns the text of a function `name(v: vec3<f32>) -> vec3<f32>` that converts directions or, if `scaled` is set,
/// positions, by exchanging components and signs.
///
/// ```
/// use meshlens::model::Space;
///
/// let text = meshlens_gpu::wgsl::axes_function("to_gltf", &Space::MD3.to(&Space::GLTF), false);
/// assert_eq!(text, "fn to_gltf(v: vec3<f32>) -> vec3<f32> {\n    return vec3<f32>(v.y, v.z, v.x);\n}\n");
/// ```
pub fn axes_function(name: &str, conversion: &Conversion, scaled: bool) -> String {
    let mut text = format!("fn {name}(v: vec3<f32>) -> vec3<f32> {{\n    return vec3<f32>(");
    for component in 0..3 {
        // The source axis of this component, and its sign.
        let source = (0..3).find_map(|axis| {
            let mut unit = [0.0; 3];
            unit[axis] = 1.0;
            let sign = conversion.direction(unit)[component];
            (sign != 0.0).then_some((axis, sign))
        });
        let (axis, sign) = source.unwrap_or((component, 1.0));
        let separator = if component > 0 { ", " } else { "" };
        let sign = if sign < 0.0 { "-" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{sign}v.{}", ["x", "y", "z"][axis]);
    }
    text.push(')');
    if scaled && conversion.scale != 1.0 {
        let _ = write!(text, " * {:?}", conversion.scale);
    }
    text.push_str(";\n}\n");
    text
}
