//! One triangle, and the meaning of its type byte (Unreal: Appendix A).

use core::fmt;

use crate::layout;

/// A triangle of a geometry file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Triangle {
    /// Three vertex indices, clockwise, **unchecked**.
    pub vertices: [u16; 3],
    /// The type, which determines how it is drawn.
    pub triangle_type: TriangleType,
    /// A color for shading without a texture. Engines ignore it.
    pub color: u8,
    /// The texture coordinates of each corner: U, and V down.
    pub texcoords: [[u8; 2]; 3],
    /// The texture slot. A script assigns textures to slots (MESHMAP SETTEXTURE NUM).
    pub texture: u8,
    /// Flags. Engines ignore them.
    pub flags: u8,
}

impl From<layout::Triangle> for Triangle {
    fn from(record: layout::Triangle) -> Self {
        Triangle {
            vertices: record.vertices,
            triangle_type: TriangleType(record.triangle_type),
            color: record.color,
            texcoords: record.texcoords,
            texture: record.texture,
            flags: record.flags,
        }
    }
}

impl From<&Triangle> for layout::Triangle {
    fn from(triangle: &Triangle) -> Self {
        layout::Triangle {
            vertices: triangle.vertices,
            triangle_type: triangle.triangle_type.0,
            color: triangle.color,
            texcoords: triangle.texcoords,
            texture: triangle.texture,
            flags: triangle.flags,
        }
    }
}

/// The type of a triangle (Unreal: Appendix A), which determines how it is drawn: a kind in the low four bits, and
/// effects in the high four. All bits are kept.
///
/// ```
/// use meshlens_unreal::{TriangleKind, TriangleType};
///
/// let shiny = TriangleType(2 + 16 + 64);
/// assert_eq!(shiny.kind(), TriangleKind::Translucent);
/// assert!(shiny.is_unlit() && shiny.is_environment_mapped() && !shiny.is_flat());
/// assert_eq!(TriangleType::new(TriangleKind::Translucent, TriangleType::UNLIT | 64), shiny);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TriangleType(pub u8);

/// The kind of a triangle: the low four bits of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriangleKind {
    /// 0: one-sided.
    Normal,
    /// 1: two-sided.
    TwoSided,
    /// 2: translucent and two-sided.
    Translucent,
    /// 3: masked and two-sided. Texels of color 0 are not drawn.
    Masked,
    /// 4: modulated and two-sided. The texture is multiplied with the colors that are already drawn.
    Modulated,
    /// 8: not drawn. A weapon is attached to it.
    Weapon,
    /// Any other value.
    Unknown(u8),
}

impl TriangleKind {
    /// The value of the kind in the low four bits of a type.
    pub const fn bits(self) -> u8 {
        match self {
            TriangleKind::Normal => 0,
            TriangleKind::TwoSided => 1,
            TriangleKind::Translucent => 2,
            TriangleKind::Masked => 3,
            TriangleKind::Modulated => 4,
            TriangleKind::Weapon => 8,
            TriangleKind::Unknown(bits) => bits & 15,
        }
    }
}

impl TriangleType {
    /// The effect bit of triangles that are drawn at full brightness, without lighting.
    pub const UNLIT: u8 = 16;
    /// The effect bit of triangles that are flat-shaded.
    pub const FLAT: u8 = 32;
    /// The effect bit of triangles whose texture is an environment map.
    pub const ENVIRONMENT: u8 = 64;
    /// The effect bit of triangles whose texture is not filtered.
    pub const NO_SMOOTHING: u8 = 128;

    /// Makes a type from a kind and effects. Only the high four bits of `effects` are used.
    pub const fn new(kind: TriangleKind, effects: u8) -> Self {
        TriangleType(kind.bits() | effects & 0xf0)
    }

    /// The kind.
    pub const fn kind(self) -> TriangleKind {
        match self.0 & 15 {
            0 => TriangleKind::Normal,
            1 => TriangleKind::TwoSided,
            2 => TriangleKind::Translucent,
            3 => TriangleKind::Masked,
            4 => TriangleKind::Modulated,
            8 => TriangleKind::Weapon,
            bits => TriangleKind::Unknown(bits),
        }
    }

    /// Whether both sides are drawn. Unknown kinds are one-sided.
    pub const fn is_two_sided(self) -> bool {
        matches!(self.0 & 15, 1..=4)
    }

    /// Whether the triangle is drawn. Weapon triangles are not.
    pub const fn is_visible(self) -> bool {
        !matches!(self.kind(), TriangleKind::Weapon)
    }

    /// Whether the triangle is drawn at full brightness, without lighting.
    pub const fn is_unlit(self) -> bool {
        self.0 & Self::UNLIT != 0
    }

    /// Whether the triangle is flat-shaded.
    pub const fn is_flat(self) -> bool {
        self.0 & Self::FLAT != 0
    }

    /// Whether the texture is an environment map.
    pub const fn is_environment_mapped(self) -> bool {
        self.0 & Self::ENVIRONMENT != 0
    }

    /// Whether the texture is drawn without filtering.
    pub const fn is_not_smoothed(self) -> bool {
        self.0 & Self::NO_SMOOTHING != 0
    }
}

impl fmt::Display for TriangleType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            TriangleKind::Normal => f.write_str("normal")?,
            TriangleKind::TwoSided => f.write_str("two-sided")?,
            TriangleKind::Translucent => f.write_str("translucent")?,
            TriangleKind::Masked => f.write_str("masked")?,
            TriangleKind::Modulated => f.write_str("modulated")?,
            TriangleKind::Weapon => f.write_str("weapon")?,
            TriangleKind::Unknown(bits) => write!(f, "unknown kind {bits}")?,
        }
        let effects = [
            (self.is_unlit(), "unlit"),
            (self.is_flat(), "flat"),
            (self.is_environment_mapped(), "environment"),
            (self.is_not_smoothed(), "no smoothing"),
        ];
        effects.iter().filter(|(set, _)| *set).try_for_each(|(_, name)| write!(f, ", {name}"))
    }
}
