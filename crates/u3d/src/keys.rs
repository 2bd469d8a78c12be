//! Animation keys, and interpolation between them.

use crate::encoding::{F32, U32};
use glam::{Quat, Vec3};
use meshlens_lens::{Encoding, Lens, ValueLens};

/// Scaling or translation keys.
pub type VectorKeys<'a> = Keys<'a, F32<3>>;
/// Rotation keys: quaternions x, y, z, w.
pub type RotationKeys<'a> = Keys<'a, F32<4>>;

/// The keys of an animation: frames, and a value for each frame.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a, E> {
    /// The frame of each key.
    pub frames: ValueLens<'a, u32>,
    /// The value of each key.
    pub values: Lens<'a, E>,
}

impl<E: Encoding> Keys<'_, E> {
    pub(crate) fn empty(encoding: E) -> Self {
        Keys { frames: Lens::empty(U32::<1>).into(), values: Lens::empty(encoding) }
    }

    /// The number of keys.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no keys, which means no scaling, translation or rotation.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether the frames do not decrease, as in every valid file. O(keys).
    pub fn is_sorted(&self) -> bool {
        self.frames.iter().is_sorted()
    }

    /// The value at any frame: the result of `blend` for the keys before and after it. Before the first key and after
    /// the last one, the value is the value of the nearest key. `None` without keys. The keys may be in any order, so
    /// O(keys).
    pub fn sample(
        &self,
        frame: f32,
        blend: impl FnOnce(E::Value, E::Value, f32) -> E::Value,
    ) -> Option<E::Value> {
        let (mut before, mut after) = (None::<(u32, usize)>, None::<(u32, usize)>);
        for (index, at) in self.frames.iter().enumerate() {
            if at as f32 <= frame {
                // If several keys have the same frame, the last one is used.
                before = before.filter(|(best, _)| *best > at).or(Some((at, index)));
            } else {
                after = after.filter(|(best, _)| *best <= at).or(Some((at, index)));
            }
        }
        self.between(before, after, frame, blend)
    }

    /// Like [`sample`](Self::sample), with a binary search, for keys that are known to be [sorted](Self::is_sorted).
    /// O(log keys).
    pub fn sample_sorted(
        &self,
        frame: f32,
        blend: impl FnOnce(E::Value, E::Value, f32) -> E::Value,
    ) -> Option<E::Value> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.frames.get(middle)? as f32 <= frame {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let key = |index: usize| Some((self.frames.get(index)?, index));
        self.between(low.checked_sub(1).and_then(key), key(low), frame, blend)
    }

    fn between(
        &self,
        before: Option<(u32, usize)>,
        after: Option<(u32, usize)>,
        frame: f32,
        blend: impl FnOnce(E::Value, E::Value, f32) -> E::Value,
    ) -> Option<E::Value> {
        match (before, after) {
            (Some((start, before)), Some((end, after))) => {
                let (start, end) = (start as f32, end as f32);
                let t = (frame - start) / (end - start);
                Some(blend(self.values.get(before)?, self.values.get(after)?, t))
            }
            (Some((_, key)), None) | (None, Some((_, key))) => self.values.get(key),
            (None, None) => None,
        }
    }
}

impl VectorKeys<'_> {
    /// The vector at any frame, blended linearly; `None` without keys. O(log keys) if they are `sorted`, otherwise
    /// O(keys).
    pub(crate) fn vector_at(&self, frame: f32, sorted: bool) -> Option<[f32; 3]> {
        let lerp = |a: [f32; 3], b: [f32; 3], t| Vec3::from(a).lerp(b.into(), t).into();
        if sorted { self.sample_sorted(frame, lerp) } else { self.sample(frame, lerp) }
    }
}

impl RotationKeys<'_> {
    /// The rotation at any frame, blended spherically along the shorter path; `None` without keys. O(log keys) if they
    /// are `sorted`, otherwise O(keys).
    pub(crate) fn rotation_at(&self, frame: f32, sorted: bool) -> Option<[f32; 4]> {
        let slerp = |a, b, t| Quat::from_array(a).slerp(Quat::from_array(b), t).to_array();
        if sorted { self.sample_sorted(frame, slerp) } else { self.sample(frame, slerp) }
    }
}
