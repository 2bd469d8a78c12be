//! `animation.cfg`: the animations of a player as ranges of frames, with their rates.

mod text;
mod words;

use alloc::string::String;
use alloc::vec::Vec;

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
    /// The rows, in the order of [`AnimationName::ALL`]. Some files have more.
    pub animations: Vec<Animation>,
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

impl AnimationConfig {
    /// Whether the file has every animation that a player needs.
    pub fn is_complete(&self) -> bool {
        self.animations.len() >= REQUIRED_ANIMATIONS
    }

    /// The row of an animation as written, or `None` if the file has fewer rows.
    pub fn row(&self, name: AnimationName) -> Option<&Animation> {
        self.animations.get(name as usize)
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
        let mut clip = *self.row(name)?;
        if name.body_part() == BodyPart::Legs {
            clip.first_frame = i32::try_from(i64::from(clip.first_frame) - self.legs_offset()).ok()?;
        }
        Some(clip)
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
        animations.extend(self.animations.iter().skip(AnimationName::ALL.len()));
        Some(AnimationConfig { animations, ..self.clone() })
    }
}
