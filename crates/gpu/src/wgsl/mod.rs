//! Pieces of WGSL: one function for each encoding, blending of two frames, skinning, conversion of axes.
//!
//! A piece is plain text, with the pieces that it calls. [`Module`] joins pieces, each of them once, with other text:
//!
//! ```
//! use meshlens_gpu::wgsl::{self, Module};
//!
//! let mut module = Module::new();
//! module.add(&wgsl::ZENITH_AZIMUTH).add(&wgsl::BLEND);
//! module.push("// ... entry points ...");
//! let text = module.into_text();
//! assert!(text.contains("fn sin_cos_turns") && text.contains("fn zenith_azimuth_bytes("));
//! ```
//!
//! Functions take the stored integers, as read by vertex attributes of integer formats. [`Decoder`] selects the
//! function and the arguments for an [`ArrayFormat`](meshlens::lens::ArrayFormat). No piece uses storage buffers, so
//! all work within the limits of WebGL2.

mod axes;
mod decoder;
mod load;

pub use axes::axes_function;
pub(crate) use decoder::vector;
pub use decoder::{Decoder, Scalar};
pub use load::load_function;

/// A piece of a module: functions, and the pieces whose functions they call.
#[derive(Debug)]
pub struct Piece {
    /// The unique name, such as `zenith_azimuth`.
    pub name: &'static str,
    /// The text.
    pub text: &'static str,
    /// The pieces that must come before it.
    pub needs: &'static [&'static Piece],
}

macro_rules! pieces {
    ($($(#[$doc:meta])* $constant:ident: $name:literal, [$($need:ident),*];)*) => {
        $($(#[$doc])* pub static $constant: Piece = Piece {
            name: $name,
            text: include_str!(concat!($name, ".wgsl")),
            needs: &[$(&$need),*],
        };)*
        /// All pieces, each after the pieces that it needs.
        pub static ALL: &[&Piece] = &[$(&$constant),*];
    };
}

pieces! {
    /// `sin_cos_turns`: sine and cosine with an error of at most 2e-7, which the built-in functions do not guarantee.
    SIN_COS: "sin_cos", [];
    /// `zenith_azimuth_bytes` and `zenith_azimuth_bytes_truncated`: the normals of MD3, in both conventions.
    ZENITH_AZIMUTH: "zenith_azimuth", [SIN_COS];
    /// `latitude_longitude_bytes`, `latitude_longitude_bytes_full` and `latitude_longitude_shorts`: the normals of
    /// Ultimate 3D.
    LATITUDE_LONGITUDE: "latitude_longitude", [SIN_COS];
    /// `bit_fields`: the packed positions of Unreal.
    BIT_FIELDS: "bit_fields", [];
    /// `scaled_integers`, `normalized_integers` and `ranged_integers`: positions of MD3 and Unreal, unorm and snorm.
    INTEGERS: "integers", [];
    /// `half_floats`: half floats.
    HALF_FLOATS: "half_floats", [];
    /// `tangent_frame_shorts` and `tangent_frame_xyz_shorts`: the quaternions of UNIGINE.
    TANGENT_FRAME: "tangent_frame", [];
    /// `blend_positions` and `blend_directions`: two frames and a weight.
    BLEND: "blend", [];
    /// `blend_joints`, `move_position` and `move_direction`: skinning with four joints.
    SKIN: "skin", [];
    /// `transform_normal`: normals transformed by any matrix.
    TRANSFORM: "transform", [];
}

/// A module of pieces and other text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    text: String,
    present: Vec<&'static str>,
}

impl Module {
    /// Makes an empty module.
    pub fn new() -> Self {
        Module::default()
    }

    /// Adds a piece after the pieces that it needs. Pieces that were already added are skipped.
    pub fn add(&mut self, piece: &'static Piece) -> &mut Self {
        if !self.present.contains(&piece.name) {
            for need in piece.needs {
                self.add(need);
            }
            self.present.push(piece.name);
            self.push(piece.text);
        }
        self
    }

    /// Adds text unchanged.
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push('\n');
        self
    }

    /// The text of the module.
    pub fn as_text(&self) -> &str {
        &self.text
    }

    /// The text of the module.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Makes a module of all pieces.
pub fn all_pieces() -> Module {
    let mut module = Module::new();
    for piece in ALL {
        module.add(piece);
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_added_once_after_its_dependencies() {
        let mut module = Module::new();
        module.add(&LATITUDE_LONGITUDE).add(&ZENITH_AZIMUTH).add(&SIN_COS);
        let text = module.as_text();
        assert_eq!(text.matches("fn sin_cos_turns").count(), 1);
        let place = |function: &str| text.find(function).unwrap();
        assert!(place("fn sin_cos_turns") < place("fn latitude_longitude("));
        assert!(place("fn latitude_longitude(") < place("fn zenith_azimuth("));
    }

    #[test]
    fn names_are_unique_and_dependencies_come_first() {
        for (index, piece) in ALL.iter().enumerate() {
            let before = || ALL.iter().take(index).map(|piece| piece.name);
            assert!(before().all(|name| name != piece.name));
            assert!(piece.needs.iter().all(|need| before().any(|name| name == need.name)));
        }
    }
}
