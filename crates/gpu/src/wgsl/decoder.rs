//! Selects the function that decodes the elements of an array from the description of the array.

use meshlens::lens::encoding::*;
use meshlens::lens::{ArrayFormat, ComponentType, Described, Numbers};

use super::{BIT_FIELDS, INTEGERS, LATITUDE_LONGITUDE, Module, Piece, TANGENT_FRAME, ZENITH_AZIMUTH};

/// The shader type of the arguments of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `f32`: floats, and integers that the GPU has normalized.
    F32,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
}

impl Scalar {
    /// The name in WGSL.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
        }
    }

    /// The type in which a shader receives numbers that are stored as `component`.
    pub const fn of(component: ComponentType) -> Self {
        match component {
            ComponentType::F32 => Scalar::F32,
            ComponentType::I8 | ComponentType::I16 | ComponentType::I32 => Scalar::I32,
            _ => Scalar::U32,
        }
    }
}

/// The decoder of the elements of an array in a shader: from the stored numbers to one to four floats, or to a
/// `TangentFrame`.
///
/// ```
/// use meshlens::lens::{Described, encoding::Scaled};
/// use meshlens_gpu::wgsl::{Decoder, Module, Scalar};
///
/// let decoder = Decoder::of(Scaled::<i16, 3, 64>::FORMAT).ok_or("no decoder")?;
/// assert_eq!((decoder.scalar, decoder.components), (Scalar::I32, 3));
/// let mut module = Module::new();
/// decoder.write_function("position", &mut module);
/// assert!(module.as_text().contains("fn position(raw: vec3<i32>) -> vec3<f32>"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    /// The type of the numbers in the argument of the function.
    pub scalar: Scalar,
    /// The number of components of the argument: 1 to 4.
    pub components: usize,
    /// The number of floats that it returns; 0 if it returns a `TangentFrame`.
    pub floats: usize,
    piece: Option<&'static Piece>,
    /// The value, computed from `raw`.
    expression: String,
}

impl Decoder {
    /// The decoder of elements of `format`; `None` if they decode to integers, or if no function decodes them. Records of
    /// a position and a normal have two arrays, each with its decoder.
    ///
    /// `snorm` integers are converted in the same way as on the CPU: the smallest one becomes slightly less than -1.
    pub fn of(format: &ArrayFormat) -> Option<Decoder> {
        let components = format.components();
        let mut scalar = Scalar::of(format.component());
        let largest = match format.component() {
            ComponentType::U8 => 255.0,
            ComponentType::I8 => 127.0,
            ComponentType::U16 => 65535.0,
            ComponentType::I16 => 32767.0,
            _ => 1.0f32,
        };
        let (mut piece, floats) = (Some(&INTEGERS), format.float_components());
        let numbers = || widened(components);
        let narrow = |call: String| match floats {
            4 => call,
            floats => format!("({call}).{}", &"xyzw"[..floats]),
        };
        if format.is::<TangentQuaternionXyz16>() {
            // The components of a record are bytes, but a shader uses its fields.
            let (piece, scalar) = (Some(&TANGENT_FRAME), Scalar::I32);
            let expression = "quaternion_xyz_shorts(raw.xyz)".into();
            return Some(Decoder { scalar, components: 4, floats: 4, piece, expression });
        }
        if format.is::<TangentFrameXyz16>() {
            let (piece, scalar) = (Some(&TANGENT_FRAME), Scalar::I32);
            let expression = "tangent_frame_xyz_shorts(raw.xyz, raw.w)".into();
            return Some(Decoder { scalar, components: 4, floats: 0, piece, expression });
        }
        let expression = match format.numbers() {
            Numbers::Plain if scalar == Scalar::F32 && floats > 0 => {
                piece = None;
                "raw".into()
            }
            Numbers::Scaled(scale) if floats > 0 => {
                narrow(format!("scaled_integers({}, {scale:?})", numbers()))
            }
            Numbers::Unorm | Numbers::Snorm if floats > 0 => {
                narrow(format!("normalized_integers({}, {largest:?})", numbers()))
            }
            Numbers::Ranged { min, size } if floats > 0 => {
                narrow(format!("ranged_integers({}, {largest:?}, {min:?}, {size:?})", numbers()))
            }
            Numbers::BitFields { bits: [a, b, c], scale: [x, y, z] } if floats == 3 => {
                (piece, scalar) = (Some(&BIT_FIELDS), Scalar::U32);
                format!("bit_fields(raw, vec3<u32>({a}u, {b}u, {c}u), vec3<f32>({x:?}, {y:?}, {z:?}))")
            }
            Numbers::Angles => {
                let (function, from) = angles(format)?;
                piece = Some(from);
                format!("{function}(raw)")
            }
            Numbers::Quaternion if format.is::<TangentFrame16>() => {
                piece = Some(&TANGENT_FRAME);
                "tangent_frame_shorts(raw)".into()
            }
            _ => return None,
        };
        Some(Decoder { scalar, components, floats, piece, expression })
    }

    /// The decoder of the tangent frames whose quaternions have this format; `None` if elements are not quaternions of
    /// tangent frames.
    pub fn of_tangent_frame(format: &ArrayFormat) -> Option<Decoder> {
        if format.is::<TangentQuaternion16>() || format.is::<TangentFrame16>() {
            Decoder::of(TangentFrame16::FORMAT)
        } else if format.is::<TangentQuaternionXyz16>() || format.is::<TangentFrameXyz16>() {
            Decoder::of(TangentFrameXyz16::FORMAT)
        } else {
            None
        }
    }

    /// The type of the argument.
    pub fn input(&self) -> String {
        vector(self.scalar, self.components)
    }

    /// The type of the result.
    pub fn output(&self) -> String {
        match self.floats {
            0 => "TangentFrame".into(),
            floats => vector(Scalar::F32, floats),
        }
    }

    /// Adds a function `name(raw) -> value` to a module, and the piece that it calls.
    pub fn write_function(&self, name: &str, module: &mut Module) {
        if let Some(piece) = self.piece {
            module.add(piece);
        }
        let (input, output, expression) = (self.input(), self.output(), &self.expression);
        module.push(&format!("fn {name}(raw: {input}) -> {output} {{\n    return {expression};\n}}"));
    }
}

/// The function that decodes two angles, and its piece.
fn angles(format: &ArrayFormat) -> Option<(&'static str, &'static Piece)> {
    Some(if format.is::<ZenithAzimuth8>() {
        ("zenith_azimuth_bytes", &ZENITH_AZIMUTH)
    } else if format.is::<TruncatedZenithAzimuth8>() {
        ("zenith_azimuth_bytes_truncated", &ZENITH_AZIMUTH)
    } else if format.is::<LatitudeLongitude8>() {
        ("latitude_longitude_bytes", &LATITUDE_LONGITUDE)
    } else if format.is::<LatitudeLongitude8Full>() {
        ("latitude_longitude_bytes_full", &LATITUDE_LONGITUDE)
    } else if format.is::<LatitudeLongitude16>() {
        ("latitude_longitude_shorts", &LATITUDE_LONGITUDE)
    } else {
        return None;
    })
}

/// A vector of `components` numbers, or a single number.
pub(crate) fn vector(scalar: Scalar, components: usize) -> String {
    match components {
        1 => scalar.name().into(),
        components => format!("vec{components}<{}>", scalar.name()),
    }
}

/// `raw` as four floats.
fn widened(components: usize) -> &'static str {
    match components {
        1 => "vec4<f32>(f32(raw), 0.0, 0.0, 0.0)",
        2 => "vec4<f32>(vec2<f32>(raw), 0.0, 0.0)",
        3 => "vec4<f32>(vec3<f32>(raw), 0.0)",
        _ => "vec4<f32>(raw)",
    }
}
