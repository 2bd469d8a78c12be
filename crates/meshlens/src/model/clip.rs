//! Named stretches of animation, and what to show of them at a time.

use alloc::string::String;
#[cfg(feature = "md3")]
use alloc::vec::Vec;

#[cfg(feature = "md3")]
use meshlens_wire::Name;

/// Frames per second where neither the file nor its companions say any.
pub const DEFAULT_RATE: f32 = 10.0;

/// A named stretch of frames, with the rate at which they play.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// The name.
    pub name: String,
    /// The first frame: of vertices, or of the joints' tracks.
    pub first: usize,
    /// How many frames; at least one.
    pub count: usize,
    /// Whether they play from the last to the first.
    pub reversed: bool,
    /// How many frames at the end repeat; 0 plays once.
    pub loop_frames: usize,
    /// Frames per second; above 0.
    pub rate: f32,
    /// Which of the model's joint animations it is, where joints move and not vertices.
    pub animation: Option<usize>,
}

/// Two frames and how far it is from one to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// The frame before.
    pub a: usize,
    /// The frame after; the same at the end of a clip that does not loop.
    pub b: usize,
    /// 0 for `a`, up to 1 for `b`.
    pub weight: f32,
}

impl Clip {
    /// Frames that play once, forwards.
    pub fn new(name: impl Into<String>, first: usize, count: usize, rate: f32) -> Self {
        let rate = if rate > 0.0 && rate.is_finite() { rate } else { DEFAULT_RATE };
        Clip {
            name: name.into(),
            first,
            count: count.max(1),
            reversed: false,
            loop_frames: 0,
            rate,
            animation: None,
        }
    }

    /// The frame shown at step `step` of the clip, counted from 0 in playing order; the last one past the end.
    pub const fn frame(&self, step: usize) -> usize {
        let last = self.count.saturating_sub(1);
        let step = if step > last { last } else { step };
        self.first.saturating_add(if self.reversed { last.saturating_sub(step) } else { step })
    }

    /// The frames in playing order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = usize> + DoubleEndedIterator + '_ {
        (0..self.count).map(|step| self.frame(step))
    }

    /// Whether the whole clip repeats, so that its last frame leads to its first.
    pub const fn is_cycle(&self) -> bool {
        self.count > 1 && self.loop_frames >= self.count
    }

    /// Seconds from the first frame to the last, or around once where the clip is a cycle.
    pub fn duration(&self) -> f32 {
        let steps = if self.is_cycle() { self.count } else { self.count.saturating_sub(1) };
        steps as f32 / self.rate
    }

    /// What to show `time` seconds after the start: clips that loop go on, others stay at their last frame.
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
        let last = self.count.saturating_sub(1);
        let looping = self.loop_frames.min(self.count);
        // A NaN and what lies before the start show the first frame.
        let mut position = f64::from(time.max(0.0)) * f64::from(self.rate);
        if looping > 1 {
            let start = self.count.saturating_sub(looping) as f64;
            if position >= start {
                position = start + (position - start) % looping as f64;
            }
        } else if position >= last as f64 {
            return Blend { a: self.frame(last), b: self.frame(last), weight: 0.0 };
        }
        let step = position as usize;
        let next = match step.saturating_add(1) {
            next if next > last => self.count.saturating_sub(looping),
            next => next,
        };
        Blend { a: self.frame(step), b: self.frame(next), weight: (position - step as f64) as f32 }
    }
}

/// Clips from the names of frames: `stand1 stand2 run1 run2` are two. Where names do not tell stretches apart, one clip
/// of all frames.
#[cfg(feature = "md3")]
pub(super) fn from_frame_names<'n>(names: impl Iterator<Item = Name<'n>>, rate: f32) -> Vec<Clip> {
    let mut clips: Vec<Clip> = Vec::new();
    let mut frames: usize = 0;
    for (frame, name) in names.enumerate() {
        frames = frame.saturating_add(1);
        let text = name.to_text();
        let prefix =
            text.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | ' ' | '.' | '#'));
        match clips.last_mut() {
            Some(clip) if clip.name == prefix => clip.count = clip.count.saturating_add(1),
            _ => clips.push(Clip::new(prefix, frame, 1, rate)),
        }
    }
    let is_sequence = |clip: &Clip| !clip.name.is_empty() && clip.count > 1;
    let is_unique = |clip: &Clip| clips.iter().filter(|other| other.name == clip.name).count() == 1;
    // Frames named one by one, or a prefix that comes back, are no sequences.
    let sane = clips.len() > 1
        && clips.len() <= MAX_NAMED_CLIPS
        && clips.iter().filter(|clip| is_sequence(clip)).count() > clips.len() / 2
        && clips.iter().all(|clip| !clip.name.is_empty() && is_unique(clip));
    if sane {
        return clips;
    }
    if frames > 1 { alloc::vec![Clip::new("all", 0, frames, rate)] } else { Vec::new() }
}

/// More names than any model has sequences: comparing each with each stays cheap.
#[cfg(feature = "md3")]
const MAX_NAMED_CLIPS: usize = 256;

#[cfg(all(test, feature = "md3"))]
mod tests {
    use super::*;

    fn clips(names: &[&str]) -> Vec<(String, usize, usize)> {
        let names = names.iter().map(|name| Name::new(name.as_bytes()));
        from_frame_names(names, 10.0).into_iter().map(|clip| (clip.name, clip.first, clip.count)).collect()
    }

    #[test]
    fn names_with_numbers_make_sequences() {
        assert_eq!(
            clips(&["stand1", "stand2", "run01", "run02", "run03"]),
            [("stand".into(), 0, 2), ("run".into(), 2, 3)]
        );
        assert_eq!(clips(&["frame_0", "frame_1", "frame_2"]), [("all".into(), 0, 3)]);
        assert_eq!(clips(&["", "", ""]), [("all".into(), 0, 3)]);
        assert_eq!(clips(&["a1", "a2", "b1", "b2", "a3"]), [("all".into(), 0, 5)]);
        assert_eq!(clips(&["one", "two", "three"]), [("all".into(), 0, 3)]);
        assert_eq!(clips(&["alone"]), []);
    }

    #[test]
    fn a_clip_may_play_backwards_and_loop_at_its_end() {
        let mut clip = Clip::new("x", 4, 5, 2.0);
        clip.reversed = true;
        assert_eq!(clip.frames().collect::<Vec<_>>(), [8, 7, 6, 5, 4]);
        clip.loop_frames = 2;
        assert!(!clip.is_cycle());
        // Steps 0 to 4, then 3 and 4 again and again: at 2 frames a second, 3 seconds are step 6, which is step 4.
        assert_eq!(clip.sample(3.0), Blend { a: 4, b: 5, weight: 0.0 });
        assert_eq!(clip.sample(-1.0).a, 8);
        assert_eq!(clip.sample(f32::NAN).a, 8);
        assert_eq!(Clip::new("y", 3, 1, 0.0).sample(1e9), Blend { a: 3, b: 3, weight: 0.0 });
    }
}
