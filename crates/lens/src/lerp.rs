//! Two frames blended in one pass, without an intermediate buffer.

use meshlens_wire::{Error, ErrorKind, Expected, Result};

use crate::attribute::{Scratch, decode_blocks, join_planes};
use crate::encoding::Internal;
use crate::simd::convert;
use crate::simd::planes;
use crate::stored::Parts;
use crate::window::to_i64;
use crate::{AttributeSource, Encoding, FloatValue, Lens, Level};

/// A source of floats whose type is known at compile time: a [`Lens`] or a [`ValueLens`](crate::ValueLens), or the
/// elements of one in [another order](crate::Gathered).
pub trait FloatArray: AttributeSource + Copy {
    /// The type that an element decodes to.
    type Value: FloatValue;
}

impl<E: Encoding<Value: FloatValue>> FloatArray for Lens<'_, E> {
    type Value = E::Value;
}

/// Two sources that are blended while they are decoded. At `t = 0`, the result is the first source, and at `t = 1`, the
/// second one.
#[derive(Clone, Copy, Debug)]
pub struct Lerp<A> {
    a: A,
    b: A,
    t: f32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Components,
    Directions,
    Tangents,
}

impl<A: AttributeSource> Lerp<A> {
    /// Blends component by component. A `t` outside 0 to 1 extrapolates.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if the sources differ in the number of elements or of floats in an element.
    pub fn new(a: A, b: A, t: f32) -> Result<Self> {
        if a.count() != b.count() {
            return Err(a.length_error("elements of the second array", b.count(), Internal));
        }
        if a.components() != b.components() {
            let (expected, found) = (a.components() as u64, b.components() as u64);
            let kind = ErrorKind::Length { what: "float components of the second array", expected, found };
            return Err(Error::of_call("blend", kind));
        }
        Ok(Lerp { a, b, t, kind: Kind::Components })
    }

    /// Like [`new`](Self::new), and scales each result to length 1. If opposite directions cancel out to a length below
    /// 1e-6, the result is not scaled.
    ///
    /// # Errors
    ///
    /// Same as [`new`](Self::new), and [`ErrorKind::Value`] if elements do not have three floats.
    pub fn directions(a: A, b: A, t: f32) -> Result<Self> {
        Lerp::new(a, b, t)?.with_kind(Kind::Directions, 3)
    }

    /// Like [`directions`](Self::directions), for tangents: the fourth float is the sign of the bitangent and is taken
    /// from the first source.
    ///
    /// # Errors
    ///
    /// Same as [`new`](Self::new), and [`ErrorKind::Value`] if elements do not have four floats.
    pub fn tangents(a: A, b: A, t: f32) -> Result<Self> {
        Lerp::new(a, b, t)?.with_kind(Kind::Tangents, 4)
    }

    fn with_kind(self, kind: Kind, components: usize) -> Result<Self> {
        if self.a.components() != components {
            let (what, expected) = ("float components of the arrays", Expected::Exactly(to_i64(components)));
            let kind = ErrorKind::Value { what, expected, found: to_i64(self.a.components()) };
            return Err(Error::of_call("blend", kind));
        }
        Ok(Lerp { kind, ..self })
    }
}

impl<A: FloatArray> Lerp<A> {
    fn decode_into(&self, out: &mut [A::Value]) -> Result<()> {
        if out.len() != self.a.count() {
            return Err(self.a.length_error("elements of the output", out.len(), Internal));
        }
        self.decode_part(Level::current(), 0, bytemuck::cast_slice_mut(out));
        Ok(())
    }
}

impl<A: AttributeSource> AttributeSource for Lerp<A> {
    fn count(&self) -> usize {
        self.a.count()
    }

    fn components(&self) -> usize {
        self.a.components()
    }

    fn decode_part(&self, level: Level, first: usize, out: &mut [f32]) {
        decode_blocks(self, level, first, out);
    }

    fn decode_block(&self, level: Level, first: usize, out: &mut [f32], scratch: &mut Scratch, _: Internal) {
        if self.kind != Kind::Components {
            join_planes(self, level, first, out, scratch);
        } else if let Some(second) = scratch.wide.0.get_mut(..out.len()) {
            self.a.decode_part(level, first, out);
            self.b.decode_part(level, first, second);
            convert::blend(level, out, second, self.t);
        }
    }

    fn decode_planes(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
        self.decode_vectors(level, first, count, scratch, Internal);
        if self.kind != Kind::Components {
            planes::normalize(level, &mut scratch.planes[0], count);
        }
    }

    fn decode_vectors(&self, level: Level, first: usize, count: usize, scratch: &mut Scratch, _: Internal) {
        let components = self.components().clamp(1, 4);
        let len = count.saturating_mul(components);
        let Scratch { values, wide, planes: [planes, others], .. } = scratch;
        for (frame, values, planes) in [(&self.a, values, &mut *planes), (&self.b, wide, &mut *others)] {
            if let Some(out) = values.0.get_mut(..len) {
                frame.decode_part(level, first, out);
            }
            planes::split(level, components, values, count, planes);
        }
        let blended = if self.kind == Kind::Tangents { 3 } else { components };
        planes::blend(level, planes, others, self.t, blended, count);
    }

    fn has_planes(&self, _: Internal) -> bool {
        true
    }

    fn parts(&self, _: Internal) -> Option<Parts<'_>> {
        let (a, b) = (self.a.parts(Internal)?, self.b.parts(Internal)?);
        let is_plain = |parts: &Parts<'_>| parts.second.is_none() && parts.motion.is_none();
        let is_direction = match self.kind {
            Kind::Components => false,
            Kind::Directions => true,
            Kind::Tangents => return None,
        };
        (is_plain(&a) && is_plain(&b)).then_some(Parts { second: Some((b.first, self.t)), is_direction, ..a })
    }
}

/// Decodes two arrays and blends them component by component: the result is `a` at `t = 0` and `b` at `t = 1`. A `t`
/// outside 0 to 1 extrapolates.
///
/// # Errors
///
/// The arrays or the output differ in length. `out` is then unchanged.
pub fn lerp_into<A: FloatArray>(a: A, b: A, t: f32, out: &mut [A::Value]) -> Result<()> {
    Lerp::new(a, b, t)?.decode_into(out)
}

/// Like [`lerp_into`], for directions: scales each result to length 1. If opposite directions cancel out to a length
/// below 1e-6, the result is not scaled.
///
/// # Errors
///
/// Same as [`lerp_into`].
pub fn lerp_directions_into<A>(a: A, b: A, t: f32, out: &mut [[f32; 3]]) -> Result<()>
where
    A: FloatArray<Value = [f32; 3]>,
{
    Lerp::directions(a, b, t)?.decode_into(out)
}
