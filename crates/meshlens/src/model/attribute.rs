//! One attribute of the vertices of a mesh: an array of the file, or values that are computed.

use alloc::boxed::Box;
use alloc::vec::Vec;

use bytemuck::cast_slice_mut;
use meshlens_lens::{AnyLens, FloatValue, FrameVectors, Level, RandomAccess, Semantic, Swizzled, ValueLens};
use meshlens_wire::{Checks, Error, ErrorKind, Place, Result};

use super::sources::{Computed, Ordered};

/// The values of an attribute, one for each point or corner, which can be read in any order.
pub(crate) type ValueSource<'m> = Box<dyn RandomAccess + 'm>;

/// An attribute of the vertices of a [`Mesh`](super::Mesh): one value for each point (positions, joints and weights) or
/// for each corner (everything else).
///
/// Values are an array of the file, which can be read or uploaded as it is [stored](Self::stored), or they are computed
/// while they are read. Both are a [`source`](Self::source) of vertex buffers.
///
/// ```
/// use meshlens::lens::Semantic;
/// # let bytes = meshlens::md3::write::sample(&[8.0])?;
/// let model = meshlens::Model::parse(&bytes)?;
/// let positions = model.meshes[0].attribute(Semantic::Position, 0, 0)?.expect("every mesh has positions");
/// assert_eq!(positions.stored().map(|array| array.stride()), Some(8));
///
/// let mut decoded = Vec::<[f32; 3]>::new();
/// positions.decode_into(&mut decoded)?;
/// assert_eq!(decoded, [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]]);
/// # Ok::<(), meshlens::Error>(())
/// ```
pub struct Attribute<'m>(Origin<'m>);

/// The first two numbers of each element.
type FirstTwo<'m> = Computed<[f32; 2], AnyLens<'m>>;
/// Tangents with the signs of bitangents, from normals, tangents and bitangents.
type SignedTangents<'m> = Computed<[f32; 4], (ValueLens<'m, [f32; 3]>, [AnyLens<'m>; 2])>;

enum Origin<'m> {
    Stored(AnyLens<'m>),
    /// Values that are computed once and kept with the model.
    Kept(AnyLens<'m>),
    /// Normals or tangents of stored frames.
    Vectors(FrameVectors<'m>),
    /// Stored values that are negated.
    Ordered(Ordered<'m>),
    Turned(Swizzled<ValueLens<'m, [f32; 3]>>),
    FirstTwo(FirstTwo<'m>),
    SignedTangents(SignedTangents<'m>),
    Computed(ValueSource<'m>),
}

impl<'m> Attribute<'m> {
    /// Values that are computed while they are read.
    #[allow(dead_code, reason = "not every format has such values")]
    pub(crate) fn computed(source: impl RandomAccess + 'm) -> Self {
        Attribute(Origin::Computed(Box::new(source)))
    }

    /// Values that were computed and are kept with the model.
    pub(crate) fn kept(values: impl Into<AnyLens<'m>>) -> Self {
        Attribute(Origin::Kept(values.into()))
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.source().count()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The array of the file; `None` if the values are computed, or gathered from several arrays.
    pub const fn stored(&self) -> Option<AnyLens<'m>> {
        match &self.0 {
            Origin::Stored(lens) => Some(*lens),
            _ => None,
        }
    }

    /// The array of the file, if its elements decode to `V`.
    pub(crate) fn lens<V: meshlens_lens::Value>(&self) -> Option<ValueLens<'m, V>> {
        self.stored()?.typed()
    }

    /// The values as a source of a [vertex buffer](meshlens_lens::decode_interleaved).
    pub fn source(&self) -> &(dyn RandomAccess + 'm) {
        match &self.0 {
            Origin::Stored(lens) | Origin::Kept(lens) => lens,
            Origin::Vectors(vectors) => vectors,
            Origin::Ordered(ordered) => ordered,
            Origin::Turned(turned) => turned,
            Origin::FirstTwo(values) => values,
            Origin::SignedTangents(values) => values,
            Origin::Computed(source) => &**source,
        }
    }

    /// Decodes all values. `out` is resized. O(values).
    ///
    /// # Errors
    ///
    /// The values do not have as many components as `V`, such as `[f32; 3]` for positions. `out` is then unchanged.
    pub fn decode_into<V: FloatValue>(&self, out: &mut Vec<V>) -> Result<()> {
        let source = self.source();
        Checks::new("mesh").length("components of an attribute", V::COMPONENTS, source.components())?;
        out.resize(source.count(), V::zeroed());
        let lens = match &self.0 {
            Origin::Stored(lens) | Origin::Kept(lens) => lens.typed::<V>(),
            _ => None,
        };
        match lens {
            Some(lens) => lens.decode_into(out),
            None => {
                source.decode_part(Level::current(), 0, cast_slice_mut(out));
                Ok(())
            }
        }
    }

    /// Decodes all values of four integers, such as the indices of joints. `out` is resized. O(values).
    pub(crate) fn decode_joints_into(&self, out: &mut Vec<[u16; 4]>) {
        let source = self.source();
        let mut wide = alloc::vec![[0u32; 4]; source.count()];
        source.decode_integers(Level::current(), 0, wide.as_flattened_mut());
        out.clear();
        // Indices of joints are 16-bit numbers.
        out.extend(wide.iter().map(|joints| joints.map(|joint| joint as u16)));
    }
}

impl<'m, V> From<ValueLens<'m, V>> for Attribute<'m> {
    fn from(lens: ValueLens<'m, V>) -> Self {
        Attribute(Origin::Stored(lens.into()))
    }
}

macro_rules! origins {
    ($($origin:ident: $source:ty;)*) => {$(
        impl<'m> From<$source> for Attribute<'m> {
            fn from(source: $source) -> Self {
                Attribute(Origin::$origin(source))
            }
        }
    )*};
}

origins! {
    Stored: AnyLens<'m>;
    Vectors: FrameVectors<'m>;
    Ordered: Ordered<'m>;
    Turned: Swizzled<ValueLens<'m, [f32; 3]>>;
    FirstTwo: FirstTwo<'m>;
    SignedTangents: SignedTangents<'m>;
}

impl core::fmt::Debug for Attribute<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match &self.0 {
            Origin::Stored(lens) => f.debug_tuple("Attribute").field(lens).finish(),
            _ => f.debug_struct("Attribute").field("len", &self.len()).finish_non_exhaustive(),
        }
    }
}

/// The error for a mesh without an attribute.
pub(crate) fn missing(semantic: Semantic, set: usize) -> Error {
    let what = match semantic {
        Semantic::Position => "position",
        Semantic::Normal => "normal",
        Semantic::Tangent => "tangent",
        Semantic::Color => "color",
        Semantic::Texcoord => "texture coordinate",
        Semantic::Joints | Semantic::Weights => "joint and weight",
        _ => "attribute of this semantic",
    };
    let error = Error::of_call("mesh", ErrorKind::Missing { what });
    if set > 0 || semantic == Semantic::Texcoord { error.at(Place::new("set", set as u64)) } else { error }
}
