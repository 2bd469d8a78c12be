//! Arrays as objects: shape and element type, with statistics or the whole content.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

use meshlens_lens::{AnyLens, ComponentType, Level, Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::With;

/// How much of each array is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arrays {
    /// Only shape and element type.
    None,
    /// Minimum, maximum and mean of each component of the last axis.
    #[default]
    Stats,
    /// Every element, in nested lists.
    Full,
}

/// A number of an array.
pub(crate) trait Number: Copy {
    const DTYPE: &'static str;
    fn scalar(self) -> Scalar;
}

/// A number in its written form.
#[derive(Clone, Copy)]
pub(crate) enum Scalar {
    Float(f32),
    Integer(i64),
}

impl Scalar {
    fn to_f64(self) -> f64 {
        match self {
            Scalar::Float(value) => value.into(),
            // The types of arrays have at most 32 bits.
            Scalar::Integer(value) => value as f64,
        }
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Scalar::Float(value) => serializer.serialize_f32(value),
            Scalar::Integer(value) => serializer.serialize_i64(value),
        }
    }
}

impl Number for f32 {
    const DTYPE: &'static str = "f32";
    fn scalar(self) -> Scalar {
        Scalar::Float(self)
    }
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Number for $type {
            const DTYPE: &'static str = stringify!($type);
            fn scalar(self) -> Scalar {
                Scalar::Integer(self.into())
            }
        }
    )*};
}

integers!(u8 i8 u16 i16 u32 i32);

/// An array of `shape`. Each call of `values` returns its flat content.
pub(crate) struct Array<F> {
    pub(crate) shape: Vec<usize>,
    pub(crate) arrays: Arrays,
    pub(crate) values: F,
}

impl<F, I> Array<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Number,
{
    pub(crate) fn new(arrays: Arrays, shape: &[usize], values: F) -> Self {
        Array { shape: shape.to_vec(), arrays, values }
    }
}

impl<F, I> Serialize for Array<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Number,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let read: &Read<'_> = &|reader| {
            let mut values = (self.values)();
            reader(&mut || values.next().map(Number::scalar));
        };
        write(self.arrays, &self.shape, I::Item::DTYPE, read, serializer)
    }
}

/// Returns the next value each time it is called.
type Next<'n> = dyn FnMut() -> Option<Scalar> + 'n;

/// Calls a function with the values of an array, from the first on.
type Read<'r> = dyn Fn(&mut dyn FnMut(&mut Next<'_>)) + 'r;

/// Writes an array. Not generic over the iterator, so that it is compiled once for all arrays.
fn write<S: Serializer>(
    arrays: Arrays,
    shape: &[usize],
    dtype: &str,
    read: &Read<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("shape", shape)?;
    map.serialize_entry("dtype", dtype)?;
    match arrays {
        Arrays::None => {}
        Arrays::Stats => {
            // A one-dimensional array has one component.
            let components = match shape {
                [] | [_] => 1,
                [.., last] => *last,
            };
            let mut computed = None;
            read(&mut |next| computed = stats(components, next));
            let [min, max, mean] = match &computed {
                Some(Stats { min, max, mean }) => [Some(min), Some(max), Some(mean)],
                None => [None; 3],
            };
            map.serialize_entry("min", &min)?;
            map.serialize_entry("max", &max)?;
            map.serialize_entry("mean", &mean)?;
        }
        Arrays::Full => {
            let mut written = Ok(());
            read(&mut |next| {
                written = map.serialize_entry("data", &Nested { shape, next: &RefCell::new(next) });
            });
            written?;
        }
    }
    map.end()
}

/// The most components of a decoded element.
const COMPONENTS: usize = 16;

/// The numbers of every element of a lens that decodes to components of type `N`, by the scalar kernel.
pub(crate) fn numbers<N: Number + bytemuck::Pod>(lens: AnyLens<'_>) -> impl Iterator<Item = N> {
    let value = lens.format().value();
    let element = move |index: usize| {
        let mut numbers = [N::zeroed(); COMPONENTS];
        let bytes = bytemuck::cast_slice_mut(&mut numbers).get_mut(..value.size())?;
        // The element is in range, and there is room for it.
        lens.slice(index..index + 1)?.decode_bytes_into_with(Level::SCALAR, bytes).ok()?;
        Some(numbers.into_iter().take(value.components))
    };
    (0..lens.len()).filter_map(element).flatten()
}

/// The numbers of all listed arrays of one meaning, one array after the other.
#[allow(dead_code, reason = "not every format has such lists")]
pub(crate) fn listed<'a, N: Number + bytemuck::Pod>(
    arrays: impl Iterator<Item = meshlens_lens::Array<'a>>,
    semantic: Semantic,
) -> impl Iterator<Item = N> {
    arrays.filter(move |array| array.semantic == semantic).flat_map(|array| numbers::<N>(array.lens))
}

/// The decoded elements of a lens of any type: an array of two dimensions, or of one dimension if elements are single
/// numbers.
impl Serialize for With<AnyLens<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let With(lens, arrays) = *self;
        let value = lens.format().value();
        let shape = [lens.len(), value.components];
        let shape = if value.components == 1 { &shape[..1] } else { &shape[..] };
        match value.component {
            ComponentType::U8 => Array::new(arrays, shape, || numbers::<u8>(lens)).serialize(serializer),
            ComponentType::I8 => Array::new(arrays, shape, || numbers::<i8>(lens)).serialize(serializer),
            ComponentType::U16 => Array::new(arrays, shape, || numbers::<u16>(lens)).serialize(serializer),
            ComponentType::I16 => Array::new(arrays, shape, || numbers::<i16>(lens)).serialize(serializer),
            ComponentType::U32 => Array::new(arrays, shape, || numbers::<u32>(lens)).serialize(serializer),
            ComponentType::I32 => Array::new(arrays, shape, || numbers::<i32>(lens)).serialize(serializer),
            ComponentType::F32 => Array::new(arrays, shape, || numbers::<f32>(lens)).serialize(serializer),
        }
    }
}

struct Stats {
    min: Vec<f64>,
    max: Vec<f64>,
    mean: Vec<f64>,
}

/// Minimum, maximum and mean of each component; `None` for an empty array. A NaN makes all three of its component NaN.
fn stats(components: usize, next: &mut Next<'_>) -> Option<Stats> {
    let mut values = core::iter::from_fn(|| next().map(Scalar::to_f64)).peekable();
    values.peek()?;
    let mut stats = Stats {
        min: vec![f64::INFINITY; components],
        max: vec![f64::NEG_INFINITY; components],
        mean: vec![0.0; components],
    };
    let mut rows = 0.0f64;
    while values.peek().is_some() {
        rows += 1.0;
        let slots = stats.min.iter_mut().zip(&mut stats.max).zip(&mut stats.mean);
        for (((min, max), sum), value) in slots.zip(values.by_ref().take(components)) {
            // `minimum` would propagate NaN; `min` drops it.
            *min = if value < *min || value.is_nan() { value } else { *min };
            *max = if value > *max || value.is_nan() { value } else { *max };
            *sum += value;
        }
    }
    stats.mean.iter_mut().for_each(|sum| *sum /= rows);
    Some(stats)
}

/// Nested lists of `shape`, filled with one value after another.
struct Nested<'n, 'v> {
    shape: &'n [usize],
    next: &'n RefCell<&'n mut Next<'v>>,
}

impl Serialize for Nested<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.shape.split_first() {
            None => (self.next.borrow_mut())().serialize(serializer),
            Some((count, shape)) => {
                serializer.collect_seq((0..*count).map(|_| Nested { shape, next: self.next }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use serde_json::json;

    fn value(arrays: Arrays, shape: &[usize], values: &[f32]) -> serde_json::Value {
        serde_json::to_value(Array::new(arrays, shape, || values.iter().copied())).unwrap()
    }

    #[test]
    fn statistics_are_per_component_of_the_last_axis() {
        assert_eq!(
            value(Arrays::Stats, &[2, 1, 2], &[1.0, 5.0, 3.0, -5.0]),
            json!({"shape": [2, 1, 2], "dtype": "f32", "min": [1.0, -5.0], "max": [3.0, 5.0], "mean": [2.0, 0.0]})
        );
        assert_eq!(value(Arrays::Stats, &[4], &[1.0, 2.0, 3.0, 6.0])["mean"], json!([3.0]));
        let empty = value(Arrays::Stats, &[0, 3], &[]);
        assert_eq!((&empty["min"], &empty["mean"]), (&json!(null), &json!(null)));
        assert_eq!(value(Arrays::Stats, &[2], &[f32::NAN, 1.0])["min"], json!([null]));
    }

    #[test]
    fn arrays_of_any_encoding_are_decoded() {
        use meshlens_lens::Lens;
        use meshlens_lens::encoding::{Scaled, U8};

        let bytes = [64, 0, 0, 0, 0xc0, 0xff, 9, 9, 32, 0, 16, 0, 8, 0];
        let positions = Lens::new(Scaled::<i16, 3, 64>::new(), &bytes, 0, 8, 2).unwrap();
        let dump = |lens: AnyLens<'_>| serde_json::to_value(With(lens, Arrays::Full)).unwrap();
        let wanted = json!({"shape": [2, 3], "dtype": "f32", "data": [[1.0, 0.0, -1.0], [0.5, 0.25, 0.125]]});
        assert_eq!(dump(positions.into()), wanted);
        let single = Lens::new(U8::<1>, &bytes[6..], 6, 1, 2).unwrap();
        assert_eq!(dump(single.into()), json!({"shape": [2], "dtype": "u8", "data": [9, 9]}));
    }

    #[test]
    fn full_arrays_are_nested_by_shape() {
        let full = value(Arrays::Full, &[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(full["data"], json!([[[1.0, 2.0]], [[3.0, 4.0]]]));
        assert_eq!(value(Arrays::Full, &[2, 0], &[])["data"], json!([[], []]));
        assert_eq!(value(Arrays::None, &[2], &[1.0, 2.0]), json!({"shape": [2], "dtype": "f32"}));
    }
}
