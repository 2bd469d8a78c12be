//! `animation.cfg`: the animations of a player as ranges of frames, with their rates.

mod text;
mod words;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use words::{AnimationName, BodyPart, Sex};

/// The name of the format in errors.
const FORMAT: &str = "animation.cfg";

/// The number of animations in a complete file: those up to [`AnimationName::LegsTurn`].
pub const REQUIRED_ANIMATIONS: usize = 25;

/// The content of an `animation.cfg`.
///
/// ```
/// use meshlens_md3::animation::{AnimationConfig, AnimationName};
///
/// let mut text = String::from("sex f\nheadoffset 1.6 0 -0.2 // forward, left, up\n");
/// for row in 0..25 {
///     text += &format!("{} 10 0 {}\n", row * 10, row % 2 * 15);
/// }
/// let config = AnimationConfig::parse(text.as_bytes())?;
/// assert_eq!(config.head_offset, Some([1.6, 0.0, -0.2]));
///
/// // LEGS_WALKCR is row 13 and starts at 130 in the file; lower.md3 has no torso frames, which start at 60.
/// let walk = config.clip(AnimationName::LegsWalkCrouched).ok_or("no such clip")?;
/// assert_eq!((walk.first_frame, walk.frame_count, walk.rate()), (60, 10, 15.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationConfig {
    /// `sex`: the voice of the sounds that the player makes.
    pub sex: Option<Sex>,
    /// `headoffset`: the center of the head in model units, for the status bar.
    pub head_offset: Option<[f32; 3]>,
    /// `footsteps`: the kind of footstep sounds, such as `boot` or `mech`.
    pub footsteps: Option<String>,
    /// `fixedlegs`: whether the legs always turn with the torso.
    pub fixed_legs: bool,
    /// `fixedtorso`: whether the torso never pitches.
    pub fixed_torso: bool,
    /// The rows without a name, in the order of [`AnimationName::ALL`]. Some files have more.
    pub animations: Vec<Animation>,
    /// The rows with a name, `NAME first count loop fps`, as games after Quake 3 write them.
    pub named: Vec<NamedAnimation>,
    /// Words that are neither keywords nor rows, each with its offset. Engines skip them.
    pub unknown: Vec<(u64, String)>,
}

/// One row: a range of frames, the number of frames that loop, and the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Animation {
    /// The first frame, in the numbering of the file: see [`AnimationConfig::clip`].
    pub first_frame: i32,
    /// The number of frames. If it is negative, the frames play from the last to the first.
    pub frame_count: i32,
    /// The number of frames at the end that repeat; 0 if the animation plays once.
    pub loop_frames: i32,
    /// The rate in frames per second, as written. 0 means 1: see [`Animation::rate`].
    pub frames_per_second: f32,
}

impl Animation {
    /// Engines truncate to integers, as these casts do. A rate that is too large becomes the largest one, so that it is still
    /// a number when it is written.
    pub(crate) const fn of_row([first, count, loops, rate]: [f64; 4]) -> Animation {
        Animation {
            first_frame: first as i32,
            frame_count: count as i32,
            loop_frames: loops as i32,
            frames_per_second: rate.clamp(f32::MIN as f64, f32::MAX as f64) as f32,
        }
    }

    /// The row with smaller frame numbers, if it moves the legs.
    fn minus(&self, part: BodyPart, frames: i64) -> Option<Animation> {
        let frames = if part == BodyPart::Legs { frames } else { 0 };
        let first_frame = i32::try_from(i64::from(self.first_frame).saturating_sub(frames)).ok()?;
        Some(Animation { first_frame, ..*self })
    }

    /// The rate in frames per second, as engines play the animation.
    pub fn rate(&self) -> f32 {
        if self.frames_per_second == 0.0 { 1.0 } else { self.frames_per_second }
    }

    /// Whether the frames play from the last to the first.
    pub const fn is_reversed(&self) -> bool {
        self.frame_count < 0
    }

    /// The frames of one run of the animation, in the order in which they play.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = i64> + DoubleEndedIterator + use<> {
        let (first, reversed) = (i64::from(self.first_frame), self.is_reversed());
        let count = self.frame_count.unsigned_abs();
        let last = first + i64::from(count) - 1;
        (0..count).map(move |step| if reversed { last - i64::from(step) } else { first + i64::from(step) })
    }
}

/// A row and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedAnimation {
    /// The name, without white space at its ends.
    pub name: String,
    /// The row.
    pub animation: Animation,
}

impl NamedAnimation {
    fn minus(&self, frames: i64) -> Option<NamedAnimation> {
        let animation = self.animation.minus(BodyPart::of(&self.name), frames)?;
        Some(NamedAnimation { name: self.name.clone(), animation })
    }
}

/// The four columns of a row.
impl fmt::Display for Animation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Animation { first_frame, frame_count, loop_frames, frames_per_second } = self;
        write!(f, "{first_frame}\t{frame_count}\t{loop_frames}\t{frames_per_second}")
    }
}

impl AnimationConfig {
    /// Whether the file has every animation that a player needs.
    pub fn is_complete(&self) -> bool {
        AnimationName::ALL.iter().take(REQUIRED_ANIMATIONS).all(|name| self.row(*name).is_some())
    }

    /// The row of an animation as written, or `None` if the file does not have it.
    pub fn row(&self, name: AnimationName) -> Option<&Animation> {
        let named = || self.named.iter().find(|row| row.name.eq_ignore_ascii_case(name.as_str()));
        self.animations.get(name as usize).or_else(|| named().map(|row| &row.animation))
    }

    /// The rows that move a part of a player, with the frame numbers of its model: the animations in the order of
    /// [`AnimationName::ALL`], then the rows with other names.
    pub fn clips(&self, part: BodyPart) -> Vec<NamedAnimation> {
        let known = AnimationName::ALL.iter().filter_map(|name| {
            Some(NamedAnimation { name: name.as_str().into(), animation: self.clip(*name)? })
        });
        let offset = self.legs_offset();
        let others = self.other_rows().filter_map(|row| row.minus(offset));
        let moves =
            |name: &str| matches!(BodyPart::of(name), moved if moved == part || moved == BodyPart::Both);
        known.chain(others).filter(|row| moves(&row.name)).collect()
    }

    /// The rows whose names are not those of [`AnimationName`].
    fn other_rows(&self) -> impl Iterator<Item = &NamedAnimation> {
        self.named.iter().filter(|row| row.name.parse::<AnimationName>().is_err())
    }

    /// The number that is subtracted from the frame numbers of legs animations to get frame numbers of `lower.md3`. In
    /// the file, legs animations are numbered after the torso animations, whose frames `lower.md3` does not have.
    pub fn legs_offset(&self) -> i64 {
        let first = |name| self.row(name).map(|row| i64::from(row.first_frame));
        let legs = first(AnimationName::LegsWalkCrouched).zip(first(AnimationName::TorsoGesture));
        legs.map_or(0, |(legs, torso)| legs - torso)
    }

    /// An animation with the frame numbers of the model that it moves. Frame numbers of legs animations are
    /// [adjusted](Self::legs_offset) for `lower.md3`. `None` if the file does not have the row, or if the adjusted
    /// number is out of range for an `i32`.
    pub fn clip(&self, name: AnimationName) -> Option<Animation> {
        self.row(name)?.minus(name.body_part(), self.legs_offset())
    }

    /// Returns a copy of this configuration with other clips for one part of a player. The clips have the frame numbers
    /// of that part's model, as [`clip`](Self::clip) returns them. Rows of the other part are unchanged. Rows of the
    /// legs are numbered after the rows of the torso.
    ///
    /// `None` if the two parts cannot be in one file, because [`LegsWalkCrouched`](AnimationName::LegsWalkCrouched)
    /// starts at another frame of `lower.md3` than [`TorsoGesture`](AnimationName::TorsoGesture) of `upper.md3`, or
    /// because a frame number is out of range for an `i32`.
    #[must_use]
    pub fn with_clips(&self, clips: &[(AnimationName, Animation)]) -> Option<AnimationConfig> {
        let clip = |name: AnimationName| {
            let new = clips.iter().find(|(other, _)| *other == name).map(|(_, row)| *row);
            new.or_else(|| self.clip(name).filter(|row| row.frame_count != 0))
        };
        let first = |name| clip(name).map(|row| row.first_frame);
        let (torso, legs) = (first(AnimationName::TorsoGesture), first(AnimationName::LegsWalkCrouched));
        if torso.zip(legs).is_some_and(|(torso, legs)| torso != legs) {
            return None;
        }
        let start = torso.or(legs).unwrap_or(0);
        let end = |row: Animation| i64::from(row.first_frame) + i64::from(row.frame_count.unsigned_abs());
        let torso_rows = AnimationName::ALL.iter().filter(|name| name.body_part() == BodyPart::Torso);
        let torso_end = torso_rows.filter_map(|name| clip(*name)).map(end).max();
        let offset = torso_end.map_or(0, |end| end - i64::from(start)).max(0);
        let mut animations: Vec<Animation> = Vec::new();
        for name in AnimationName::ALL {
            let found = clip(*name);
            if found.is_none() && *name as usize >= REQUIRED_ANIMATIONS {
                let later = AnimationName::ALL.iter().skip(*name as usize);
                if later.copied().all(|name| clip(name).is_none()) {
                    break;
                }
            }
            let mut row = found.unwrap_or(Animation { first_frame: start, ..Animation::default() });
            if name.body_part() == BodyPart::Legs {
                row.first_frame = i32::try_from(i64::from(row.first_frame) + offset).ok()?;
            }
            animations.push(row);
        }
        if self.named.is_empty() {
            animations.extend(self.animations.iter().skip(AnimationName::ALL.len()));
            return Some(AnimationConfig { animations, ..self.clone() });
        }
        let known = AnimationName::ALL.iter().zip(animations);
        let known = known.map(|(name, animation)| NamedAnimation { name: name.as_str().into(), animation });
        let mut named: Vec<_> = known.collect();
        let moved = self.legs_offset().saturating_sub(offset);
        for row in self.other_rows() {
            named.push(row.minus(moved)?);
        }
        Some(AnimationConfig { animations: Vec::new(), named, ..self.clone() })
    }
}
