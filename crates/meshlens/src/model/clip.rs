//! Clips: named ranges of frames, and the frames to show at a time.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use meshlens_wire::Report;

use crate::codes;

/// The rate in frames per second if neither the file nor its companion files specify one.
pub const DEFAULT_RATE: f32 = 10.0;

/// A named range of frames, with the rate at which they play.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// The name.
    pub name: String,
    /// The first frame: a vertex frame, or a frame of the joint animation.
    pub first: usize,
    /// The number of frames, at least 1.
    pub count: usize,
    /// Whether the frames play from the last to the first.
    pub reversed: bool,
    /// The number of frames at the end that repeat; 0 if the clip plays once.
    pub loop_frames: usize,
    /// The rate.
    pub rate: Rate,
    /// Whether the rate is [`DEFAULT_RATE`] because no file specifies one.
    pub is_rate_assumed: bool,
    /// The index of the joint animation that the clip plays; `None` if it plays vertex frames.
    pub animation: Option<usize>,
}

/// A rate in frames per second: positive and finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(f32);

impl Rate {
    /// One frame per second, so that times equal frame numbers.
    pub const ONE: Rate = Rate(1.0);

    /// `None` if the rate is not positive or not finite.
    pub fn new(rate: f32) -> Option<Rate> {
        (rate > 0.0 && rate.is_finite()).then_some(Rate(rate))
    }

    /// The number of frames per second.
    pub const fn get(self) -> f32 {
        self.0
    }
}

/// [`DEFAULT_RATE`].
impl Default for Rate {
    fn default() -> Self {
        Rate(DEFAULT_RATE)
    }
}

/// Two frames and the weight of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// The frame at weight 0.
    pub a: usize,
    /// The next frame, at weight 1. At the end of a clip that does not loop, it is the same frame.
    pub b: usize,
    /// The weight of frame `b`, from 0 to 1.
    pub weight: f32,
}

/// A single frame.
impl From<usize> for Blend {
    fn from(frame: usize) -> Self {
        Blend { a: frame, b: frame, weight: 0.0 }
    }
}

impl Blend {
    /// Whether only frame `a` is shown.
    pub(crate) fn is_still(&self) -> bool {
        self.a == self.b || self.weight == 0.0
    }
}

impl Clip {
    /// Makes a clip that plays once, forwards, at [`DEFAULT_RATE`]. For formats without rates.
    pub fn without_rate(name: impl Into<String>, first: usize, count: usize) -> Self {
        Clip { is_rate_assumed: true, ..Clip::new(name, first, count, DEFAULT_RATE) }
    }

    /// Makes a clip that plays once, forwards. A rate that is not positive or not finite is replaced by
    /// [`DEFAULT_RATE`]. A count of 0 is replaced by 1.
    pub fn new(name: impl Into<String>, first: usize, count: usize, rate: f32) -> Self {
        let mut clip = Clip {
            is_rate_assumed: false,
            name: name.into(),
            first,
            count: count.max(1),
            reversed: false,
            loop_frames: 0,
            rate: Rate::default(),
            animation: None,
        };
        clip.set_rate(rate);
        clip
    }

    /// Sets the rate, which is then not assumed. A rate that is not positive or not finite is replaced by
    /// [`DEFAULT_RATE`], which counts as assumed.
    ///
    /// ```
    /// use meshlens::model::{Clip, DEFAULT_RATE};
    ///
    /// let mut walk = Clip::without_rate("walk", 0, 8);
    /// walk.set_rate(24.0);
    /// assert_eq!((walk.rate.get(), walk.is_rate_assumed), (24.0, false));
    /// walk.set_rate(f32::NAN);
    /// assert_eq!((walk.rate.get(), walk.is_rate_assumed), (DEFAULT_RATE, true));
    /// ```
    pub fn set_rate(&mut self, rate: f32) {
        let stated = Rate::new(rate);
        (self.rate, self.is_rate_assumed) = (stated.unwrap_or_default(), stated.is_none());
    }

    /// The last step; the number of frames is public and may be 0.
    const fn last_step(&self) -> usize {
        self.count.saturating_sub(1)
    }

    /// The frame at step `step` of the clip. Steps start at 0 and follow the order in which the clip plays. For steps
    /// after the end, it is the last frame.
    pub const fn frame(&self, step: usize) -> usize {
        let last = self.last_step();
        let step = if step > last { last } else { step };
        // A frame number that saturates is out of range in every model.
        self.first.saturating_add(if self.reversed { last - step } else { step })
    }

    /// The range of the frames.
    pub(crate) const fn range(&self) -> Range<usize> {
        // A frame number that saturates is out of range in every model.
        self.first..self.first.saturating_add(self.count)
    }

    /// The frames in the order in which they play.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator + '_ {
        (0..self.count).map(|step| self.frame(step))
    }

    /// Whether the whole clip repeats, so that its first frame follows its last one.
    pub const fn is_cycle(&self) -> bool {
        self.count > 1 && self.loop_frames >= self.count
    }

    /// The time from the first frame to the last in seconds; for a [cycle](Self::is_cycle), the time of one repetition.
    pub fn duration(&self) -> f32 {
        let steps = if self.is_cycle() { self.count } else { self.last_step() };
        steps as f32 / self.rate.get()
    }

    /// The frames to show `time` seconds after the start. A clip that does not loop stays at its last frame. A time before the
    /// start, or NaN, shows the first frame. An infinite time of a clip that loops shows the first frame that repeats.
    ///
    /// ```
    /// use meshlens::model::{Blend, Clip};
    ///
    /// let mut walk = Clip::new("walk", 20, 4, 8.0);
    /// assert_eq!(walk.sample(0.1875), Blend { a: 21, b: 22, weight: 0.5 });
    /// assert_eq!(walk.sample(9.0), Blend { a: 23, b: 23, weight: 0.0 });
    /// walk.loop_frames = 4;
    /// assert_eq!(walk.sample(0.46875), Blend { a: 23, b: 20, weight: 0.75 });
    /// ```
    pub fn sample(&self, time: f32) -> Blend {
        let last = self.last_step();
        // The step after the last step of a clip that loops.
        let looping = self.loop_frames.min(self.count);
        let loop_start = self.count - looping;
        // `max` replaces NaN.
        let mut position = (f64::from(time) * f64::from(self.rate.get())).max(0.0);
        if looping > 1 {
            let start = loop_start as f64;
            if position >= start {
                // The remainder of infinity is NaN, which `max` replaces.
                position = start + ((position - start) % looping as f64).max(0.0);
            }
        } else if position >= last as f64 {
            return Blend { a: self.frame(last), b: self.frame(last), weight: 0.0 };
        }
        let step = position as usize;
        let next = if step >= last { loop_start } else { step + 1 };
        Blend { a: self.frame(step), b: self.frame(next), weight: (position - step as f64) as f32 }
    }
}

/// A name that is compared without regard to ASCII case.
#[derive(Clone)]
struct Folded<'n>(Cow<'n, str>);

impl Folded<'_> {
    fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.bytes().map(|byte| byte.to_ascii_lowercase())
    }
}

impl Ord for Folded<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl PartialOrd for Folded<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Folded<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Folded<'_> {}

/// The names of clips. A name is changed if an earlier clip has the same name: the second `walk` becomes `walk_2`.
/// Names that differ only in ASCII case are the same, as for [`Model::find_clip`](super::Model::find_clip). A changed
/// name never equals one of `names`, or one of the names that are used `elsewhere`. O(n log n).
///
/// ```
/// use meshlens::model::distinct_names;
///
/// assert_eq!(distinct_names(["walk", "run", "Walk", "walk_2", "walk"], []), ["walk", "run", "Walk_3", "walk_2", "walk_4"]);
/// ```
pub fn distinct_names<'n>(
    names: impl IntoIterator<Item = &'n str>,
    elsewhere: impl IntoIterator<Item = &'n str>,
) -> Vec<Cow<'n, str>> {
    let names: Vec<&str> = names.into_iter().collect();
    let folded = |name: &'n str| Folded(Cow::Borrowed(name));
    let mut known: BTreeSet<Folded<'_>> = names.iter().copied().map(folded).collect();
    if known.len() == names.len() {
        return names.into_iter().map(Cow::Borrowed).collect();
    }
    known.extend(elsewhere.into_iter().map(folded));
    // The last number of each name, for names that occurred and names that were made.
    let mut last: BTreeMap<Folded<'_>, usize> = BTreeMap::new();
    let mut made: BTreeSet<Folded<'_>> = BTreeSet::new();
    let mut distinct = Vec::with_capacity(names.len());
    for name in names {
        let last = last.entry(folded(name)).or_insert(0);
        *last += 1;
        if *last == 1 {
            distinct.push(Cow::Borrowed(name));
            continue;
        }
        let changed = loop {
            let changed = Folded(Cow::Owned(format!("{name}_{last}")));
            if !known.contains(&changed) && made.insert(changed.clone()) {
                break changed.0;
            }
            *last += 1;
        };
        distinct.push(changed);
    }
    distinct
}

/// Reports a clip that is written with another name.
pub fn lose_clip_name(losses: &mut Report, name: &str, written: &str) {
    if name != written {
        let message = format_args!("clip {name}: it is written as {written}");
        losses.lose(&codes::CLIP_RENAMED, 1, format_args!("clip {name}"), message);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;

    #[test]
    fn a_clip_may_play_backwards_and_loop_at_its_end() {
        let mut clip = Clip::new("x", 4, 5, 2.0);
        clip.reversed = true;
        assert_eq!(clip.frames().collect::<Vec<_>>(), [8, 7, 6, 5, 4]);
        clip.loop_frames = 2;
        assert!(!clip.is_cycle());
        // Steps 0 to 4, then 3 and 4 repeatedly. At 2 frames per second, 3 seconds are step 6, which is step 4.
        assert_eq!(clip.sample(3.0), Blend { a: 4, b: 5, weight: 0.0 });
        assert_eq!(clip.sample(-1.0).a, 8);
        assert_eq!(clip.sample(f32::NAN).a, 8);
        assert_eq!(Clip::new("y", 3, 1, 0.0).sample(1e9), Blend { a: 3, b: 3, weight: 0.0 });
        // Step 3, the first step that repeats.
        assert_eq!(clip.sample(f32::INFINITY), Blend { a: 5, b: 4, weight: 0.0 });
        assert_eq!(clip.sample(f32::NEG_INFINITY).a, 8);
    }

    #[test]
    fn every_rate_is_positive_and_finite() {
        for wrong in [0.0, -0.0, -2.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut clip = Clip::new("x", 0, 11, 2.0);
            assert_eq!((clip.rate.get(), clip.is_rate_assumed, clip.duration()), (2.0, false, 5.0));
            clip.set_rate(wrong);
            assert_eq!(
                (clip.rate.get(), clip.is_rate_assumed, clip.duration()),
                (10.0, true, 1.0),
                "{wrong}"
            );
            assert_eq!(Clip::new("x", 0, 11, wrong), clip);
        }
    }
}
