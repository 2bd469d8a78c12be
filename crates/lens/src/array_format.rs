//! The encoding of an array as data, for code that does not know the encoding at compile time.

use core::any::TypeId;
use core::fmt;

use crate::component::{ComponentType, ValueType};
use crate::encoding::{Internal, read_prefix};
use crate::stored::StoredKind;
use crate::window::Window;
use crate::{Encoding, IndexBufferLayout, Indices, Lens, Level, Value};

/// How stored numbers are converted to the numbers of a decoded value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Numbers {
    /// Stored numbers are the value.
    Plain,
    /// Unsigned integers are divided by the largest of their type: 0 to 1.
    Unorm,
    /// Signed integers are divided by the largest of their type: -1 to 1. The smallest integer becomes slightly less
    /// than -1; GPUs and glTF read it as -1.
    Snorm,
    /// Integers are multiplied by this factor.
    Scaled(f32),
    /// Like [`Unorm`](Self::Unorm), then `min + size * value`.
    #[allow(missing_docs, reason = "the formula says it")]
    Ranged { min: f32, size: f32 },
    /// Signed bit fields of one integer, starting at its lowest bit.
    BitFields {
        /// The width of each field.
        bits: [u32; 3],
        /// The factor for each field.
        scale: [f32; 3],
    },
    /// Two integers are the angles of a direction.
    Angles,
    /// The numbers are a quaternion, from which the value is computed.
    Quaternion,
    /// The element has several fields of different kinds.
    Record,
}

/// One field of an element whose fields have different types: `components` numbers of type `component`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordField {
    /// The name in lower case, such as `position`.
    pub name: &'static str,
    /// The type of the numbers.
    pub component: ComponentType,
    /// The number of numbers.
    pub components: usize,
    /// The offset in the element, in bytes.
    pub offset: usize,
}

impl RecordField {
    pub(crate) const fn new(
        name: &'static str,
        component: ComponentType,
        components: usize,
        offset: usize,
    ) -> Self {
        RecordField { name, component, components, offset }
    }
}

/// How the elements of an array are stored, what they decode to, and the kernels that decode them.
///
/// Two formats are equal if they have the same encoding.
#[derive(Clone, Copy)]
pub struct ArrayFormat {
    name: &'static str,
    component: ComponentType,
    components: usize,
    numbers: Numbers,
    fields: &'static [RecordField],
    size: usize,
    value: ValueType,
    tolerance: f32,
    pub(crate) kernels: Kernels,
}

/// The functions that an [`AnyLens`](crate::AnyLens) calls: instances of generic functions, with one set for each
/// encoding.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    pub(crate) encoding: fn() -> TypeId,
    pub(crate) value: fn() -> TypeId,
    /// Decodes as many elements as fit in `out`, which has the alignment of the value.
    pub(crate) decode: fn(Window<'_>, Level, &mut [u8]),
    pub(crate) decode_one: fn(&[u8], &mut [u8]),
    /// Like `decode`, for the elements at the given indices.
    pub(crate) decode_indexed: fn(Window<'_>, Level, &[u32], &mut [u8]),
    pub(crate) decode_strided: fn(Window<'_>, Level, &mut [u8], usize, usize) -> meshlens_wire::Result<()>,
    pub(crate) indices: Option<IndexKernels>,
    pub(crate) stored: StoredKind,
}

#[derive(Clone, Copy)]
pub(crate) struct IndexKernels {
    pub(crate) max_index: fn(Window<'_>, Level) -> Option<u32>,
    pub(crate) widen: fn(Window<'_>, Level, &mut [u32]) -> meshlens_wire::Result<Option<u32>>,
    pub(crate) check_below: fn(Window<'_>, usize, &'static str) -> meshlens_wire::Result<()>,
    pub(crate) write: fn(Window<'_>, IndexBufferLayout, &mut [u8]) -> meshlens_wire::Result<Option<u32>>,
}

/// The lens of an encoding whose elements have the size of the elements in the window.
fn lens_of<E: Described>(window: Window<'_>) -> Lens<'_, E> {
    Lens::of_window(E::default(), window)
}

/// An encoding without run-time parameters, which an [`AnyLens`](crate::AnyLens) can have.
pub trait Described: Encoding + Default + 'static {
    /// The encoding, as data.
    const FORMAT: &'static ArrayFormat;
}

impl ArrayFormat {
    /// Returns the format of encoding `E`. An element consists of `components` numbers of type `component`, followed by
    /// padding if the element is larger than they are.
    pub const fn new<E: Described>(
        name: &'static str,
        component: ComponentType,
        components: usize,
        numbers: Numbers,
    ) -> Self {
        ArrayFormat {
            name,
            component,
            components,
            numbers,
            fields: &[],
            size: E::SIZE,
            value: E::Value::TYPE,
            tolerance: E::TOLERANCE,
            kernels: Kernels {
                encoding: TypeId::of::<E>,
                value: TypeId::of::<E::Value>,
                decode: |window, level, out| {
                    // Callers align the bytes to the value; with any other alignment, nothing is written.
                    if let Ok(out) = bytemuck::try_cast_slice_mut(out) {
                        E::default().decode_run(window, level, out, Internal);
                    }
                },
                decode_indexed: |window, level, indices, out| {
                    if let Ok(out) = bytemuck::try_cast_slice_mut(out) {
                        lens_of::<E>(window).decode_indexed_into(level, indices, out);
                    }
                },
                decode_one: |raw, out| {
                    if let Some(raw) = read_prefix(raw) {
                        let value = E::default().decode(raw);
                        for (out, byte) in out.iter_mut().zip(bytemuck::bytes_of(&value)) {
                            *out = *byte;
                        }
                    }
                },
                decode_strided: |window, level, out, offset, stride| {
                    lens_of::<E>(window).decode_strided_with(level, out, offset, stride)
                },
                indices: None,
                stored: E::STORED,
            },
        }
    }

    /// Like [`new`](Self::new), for elements whose fields have different types.
    pub(crate) const fn of_records<E: Described>(name: &'static str, fields: &'static [RecordField]) -> Self {
        let format = ArrayFormat::new::<E>(name, ComponentType::U8, E::SIZE, Numbers::Record);
        ArrayFormat { fields, ..format }
    }

    /// Like [`new`](Self::new), for arrays of indices.
    pub const fn of_indices<E: Described + Indices>(name: &'static str, component: ComponentType) -> Self {
        let mut format = ArrayFormat::new::<E>(name, component, E::COUNT, Numbers::Plain);
        format.kernels.indices = Some(IndexKernels {
            max_index: |window, level| lens_of::<E>(window).max_index_with(level),
            widen: |window, level, out| lens_of::<E>(window).widen_into_with(level, out),
            check_below: |window, count, what| lens_of::<E>(window).check_below(count, what),
            write: |window, layout, out| lens_of::<E>(window).indices_into(layout, out),
        });
        format
    }

    /// The name of the encoding, such as `i16x3 / 64`. It is intended for people, and may change.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The type of the stored numbers.
    pub const fn component(&self) -> ComponentType {
        self.component
    }

    /// The number of stored numbers in an element.
    pub const fn components(&self) -> usize {
        self.components
    }

    /// How stored numbers are converted to the numbers of the value.
    pub const fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// The fields of an element, if they have different types ([`Numbers::Record`]); otherwise empty.
    ///
    /// ```
    /// use meshlens_lens::encoding::PositionZenithAzimuth8;
    /// use meshlens_lens::{ComponentType, Described};
    ///
    /// let fields = PositionZenithAzimuth8::<64>::FORMAT.fields();
    /// assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["position", "normal"]);
    /// assert_eq!((fields[0].component, fields[0].components, fields[1].offset), (ComponentType::I16, 3, 6));
    /// ```
    pub const fn fields(&self) -> &'static [RecordField] {
        self.fields
    }

    /// The size of an element in bytes, without the gap to the next one.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The type that an element decodes to.
    pub const fn value(&self) -> ValueType {
        self.value
    }

    /// The largest difference between a float decoded by a kernel and the same float decoded by [`Encoding::decode`]:
    /// see [`Encoding::TOLERANCE`].
    pub const fn tolerance(&self) -> f32 {
        self.tolerance
    }

    /// Whether elements are integers that can be vertex indices.
    pub const fn is_indices(&self) -> bool {
        self.kernels.indices.is_some()
    }

    /// The number of floats that an element decodes to, 1 to 4; 0 for other values.
    pub const fn float_components(&self) -> usize {
        match self.value {
            ValueType { component: ComponentType::F32, components: components @ 1..=4 } => components,
            _ => 0,
        }
    }

    /// Whether this is the format of encoding `E`.
    pub fn is<E: Described>(&self) -> bool {
        (self.kernels.encoding)() == TypeId::of::<E>()
    }

    /// Whether elements decode to `V`.
    pub fn decodes_to<V: Value>(&self) -> bool {
        (self.kernels.value)() == TypeId::of::<V>()
    }
}

impl PartialEq for ArrayFormat {
    fn eq(&self, other: &Self) -> bool {
        (self.kernels.encoding)() == (other.kernels.encoding)()
    }
}

impl Eq for ArrayFormat {}

impl fmt::Debug for ArrayFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrayFormat({})", self.name)
    }
}

impl fmt::Display for ArrayFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
