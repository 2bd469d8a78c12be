//! The types of numbers, as data.

/// The type of a stored number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ComponentType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
}

impl ComponentType {
    /// The size of a number in bytes.
    pub const fn size(self) -> usize {
        match self {
            ComponentType::U8 | ComponentType::I8 => 1,
            ComponentType::U16 | ComponentType::I16 => 2,
            _ => 4,
        }
    }

    /// The little-endian numpy type, such as `<i2`.
    pub const fn numpy(self) -> &'static str {
        match self {
            ComponentType::U8 => "|u1",
            ComponentType::I8 => "|i1",
            ComponentType::U16 => "<u2",
            ComponentType::I16 => "<i2",
            ComponentType::U32 => "<u4",
            ComponentType::I32 => "<i4",
            ComponentType::F32 => "<f4",
        }
    }

    /// The `componentType` in glTF, such as 5126 for floats; `None` for `I32`, which glTF does not have.
    pub const fn gltf(self) -> Option<u32> {
        Some(match self {
            ComponentType::I8 => 5120,
            ComponentType::U8 => 5121,
            ComponentType::I16 => 5122,
            ComponentType::U16 => 5123,
            ComponentType::U32 => 5125,
            ComponentType::F32 => 5126,
            ComponentType::I32 => return None,
        })
    }
}

/// The type of a decoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// The type of each component.
    pub component: ComponentType,
    /// The number of components.
    pub components: usize,
}

impl ValueType {
    /// The size of a value in bytes.
    pub const fn size(self) -> usize {
        self.component.size().saturating_mul(self.components)
    }
}
