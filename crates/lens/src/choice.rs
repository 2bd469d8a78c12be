//! Arrays whose element is only known when the file is read: a lens of one of several encodings, one set of getters.

use core::ops::Range;

use crate::encoding::{F32, U16, U32};
use crate::{Error, Lens, Result};

/// Triangles of three vertex numbers each, 16 or 32 bits wide as the file has them.
#[derive(Clone, Copy, Debug)]
pub enum Triangles<'a> {
    /// 16 bits.
    Short(Lens<'a, U16<3>>),
    /// 32 bits.
    Long(Lens<'a, U32<3>>),
}

/// Groups of one to four floats, such as texture coordinates of any dimension.
#[derive(Clone, Copy, Debug)]
pub enum Floats<'a> {
    /// Single floats.
    One(Lens<'a, F32<1>>),
    /// Pairs.
    Two(Lens<'a, F32<2>>),
    /// Triples.
    Three(Lens<'a, F32<3>>),
    /// Quadruples.
    Four(Lens<'a, F32<4>>),
}

macro_rules! each {
    ($self:expr, $lens:ident => $body:expr, $($variant:ident),*) => {
        match $self { $(Self::$variant($lens) => $body),* }
    };
}

macro_rules! window {
    ($($variant:ident),*) => {
        /// Number of elements.
        pub const fn len(&self) -> usize {
            each!(self, lens => lens.len(), $($variant),*)
        }

        /// Whether there is no element.
        pub const fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// Where in the file the array lies, as absolute byte offsets.
        pub const fn byte_range(&self) -> Range<u64> {
            each!(self, lens => lens.byte_range(), $($variant),*)
        }

        /// The array as it lies in the file.
        pub const fn as_bytes(&self) -> &'a [u8] {
            each!(self, lens => lens.as_bytes(), $($variant),*)
        }
    };
}

impl<'a> Triangles<'a> {
    window!(Short, Long);

    /// The corners of triangle `index`, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<[u32; 3]> {
        match self {
            Triangles::Short(lens) => lens.get(index).map(|corners| corners.map(u32::from)),
            Triangles::Long(lens) => lens.get(index),
        }
    }

    /// The triangles, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + use<'a> {
        let triangles = *self;
        // Every index below the length has an element, so the default never shows.
        (0..self.len()).map(move |index| triangles.get(index).unwrap_or_default())
    }

    /// The triangles, of 32 bits.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], unless `out` holds one value for each triangle.
    pub fn decode_into(&self, out: &mut [[u32; 3]]) -> Result<()> {
        match self {
            Triangles::Long(lens) => lens.decode_into(out),
            Triangles::Short(lens) => {
                if out.len() != lens.len() {
                    return Err(Error::Length { expected: lens.len(), found: out.len() });
                }
                lens.widen_into(out.as_flattened_mut()).map(|_| ())
            }
        }
    }

    /// The first corner that is `count` or more: its triangle and its vertex number. O(triangles).
    pub fn first_past(&self, count: u32) -> Option<(usize, u32)> {
        let corner = |corners: [u32; 3]| corners.into_iter().find(|corner| *corner >= count);
        match self {
            Triangles::Short(_) if count > u32::from(u16::MAX) => None,
            // One pass for the largest; the place of the first one is only sought when there is one.
            _ if each!(self, lens => lens.largest(), Short, Long) < Some(count) => None,
            _ => self.iter().enumerate().find_map(|(index, corners)| Some((index, corner(corners)?))),
        }
    }
}

impl<'a> Floats<'a> {
    window!(One, Two, Three, Four);

    /// Floats of one element: 1 to 4.
    pub const fn components(&self) -> usize {
        match self {
            Floats::One(_) => 1,
            Floats::Two(_) => 2,
            Floats::Three(_) => 3,
            Floats::Four(_) => 4,
        }
    }

    /// Element `index` with zeros behind its components, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<[f32; 4]> {
        Some(match self {
            Floats::One(lens) => [lens.get(index)?, 0.0, 0.0, 0.0],
            Floats::Two(lens) => lens.get(index).map(|[x, y]| [x, y, 0.0, 0.0])?,
            Floats::Three(lens) => lens.get(index).map(|[x, y, z]| [x, y, z, 0.0])?,
            Floats::Four(lens) => lens.get(index)?,
        })
    }

    /// The elements, each with zeros behind its components.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [f32; 4]> + use<'a> {
        let floats = *self;
        // Every index below the length has an element, so the default never shows.
        (0..self.len()).map(move |index| floats.get(index).unwrap_or_default())
    }

    /// Every float, element after element.
    pub fn values(&self) -> impl ExactSizeIterator<Item = f32> + use<'a> {
        // Packed by construction: the elements' bytes are those of the floats.
        self.as_bytes().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
    }

    /// Decodes every float into `out`, element after element.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], unless `out` holds [`components`](Self::components) floats for each element.
    pub fn decode_into(&self, out: &mut [f32]) -> Result<()> {
        let expected = self.values().len();
        if out.len() != expected {
            return Err(Error::Length { expected, found: out.len() });
        }
        for (out, value) in out.iter_mut().zip(self.values()) {
            *out = value;
        }
        Ok(())
    }

    /// The packed groups of `components` floats at the front of `bytes`, `None` where there are too few bytes, or
    /// for other than 1 to 4 components.
    pub fn new(bytes: &'a [u8], offset: u64, components: usize, len: usize) -> Option<Self> {
        Some(match components {
            1 => Floats::One(Lens::new(F32, bytes, offset, 4, len)?),
            2 => Floats::Two(Lens::new(F32, bytes, offset, 8, len)?),
            3 => Floats::Three(Lens::new(F32, bytes, offset, 12, len)?),
            4 => Floats::Four(Lens::new(F32, bytes, offset, 16, len)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn triangles_read_the_same_in_both_widths() {
        let short: Vec<u8> = [0u16, 1, 2, 2, 1, 9].iter().flat_map(|i| i.to_le_bytes()).collect();
        let long: Vec<u8> = [0u32, 1, 2, 2, 1, 9].iter().flat_map(|i| i.to_le_bytes()).collect();
        let both = [
            Triangles::Short(Lens::new(U16, &short, 0, 6, 2).unwrap()),
            Triangles::Long(Lens::new(U32, &long, 0, 12, 2).unwrap()),
        ];
        for triangles in both {
            assert_eq!(triangles.iter().collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 9]]);
            assert_eq!((triangles.get(1), triangles.get(2)), (Some([2, 1, 9]), None));
            let mut out = [[7; 3]; 2];
            triangles.decode_into(&mut out).unwrap();
            assert_eq!(out, [[0, 1, 2], [2, 1, 9]]);
            assert_eq!(triangles.decode_into(&mut out[..1]), Err(Error::Length { expected: 2, found: 1 }));
            assert_eq!((triangles.first_past(9), triangles.first_past(10)), (Some((1, 9)), None));
            assert_eq!(triangles.first_past(u32::MAX), None);
        }
        assert_eq!(both[0].byte_range(), 0..12);
    }

    #[test]
    fn floats_of_every_dimension() {
        let bytes: Vec<u8> = (0..12u8).flat_map(|i| f32::from(i).to_le_bytes()).collect();
        for components in 1..=4 {
            let floats = Floats::new(&bytes, 100, components, 12 / components).unwrap();
            assert_eq!((floats.components(), floats.len()), (components, 12 / components));
            assert_eq!(floats.byte_range(), 100..148);
            let mut out = [0.0; 12];
            floats.decode_into(&mut out).unwrap();
            assert_eq!((out[0], out[11]), (0.0, 11.0));
            let second = floats.get(1).unwrap();
            assert_eq!(second[0], components as f32);
            assert!(second[components..].iter().all(|value| *value == 0.0));
            assert_eq!(floats.iter().nth(1), Some(second));
            assert!(floats.decode_into(&mut out[..11]).is_err() && floats.get(floats.len()).is_none());
        }
        assert!(Floats::new(&bytes, 0, 0, 1).is_none() && Floats::new(&bytes, 0, 5, 1).is_none());
        assert!(Floats::new(&bytes, 0, 4, 4).is_none());
    }
}
