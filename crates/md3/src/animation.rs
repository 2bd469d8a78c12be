//! `animation.cfg`: which frames of a player's three models make which animation, and how fast they play.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use meshlens_wire::{Error, ErrorKind, Limits, Result, Token, Tokens, quote_token};

/// The companion's name, as errors give it.
const FORMAT: &str = "animation.cfg";

/// Animations a complete file has at least: those up to [`AnimationName::LegsTurn`].
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
/// let walk = config.clip(AnimationName::LegsWalkCrouched).unwrap();
/// assert_eq!((walk.first_frame, walk.frame_count, walk.rate()), (60, 10, 15.0));
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationConfig {
    /// `sex`: chooses sounds.
    pub sex: Option<Sex>,
    /// `headoffset`: where the head's centre is, in model units, for the status bar.
    pub head_offset: Option<[f32; 3]>,
    /// `footsteps`: chooses sounds, such as `boot` or `mech`.
    pub footsteps: Option<String>,
    /// `fixedlegs`: the legs always look where the torso does.
    pub fixed_legs: bool,
    /// `fixedtorso`: the torso does not bend.
    pub fixed_torso: bool,
    /// The rows, in the fixed order of [`AnimationName::ALL`]; some files have more.
    pub animations: Vec<Animation>,
    /// Words that are neither keywords nor rows, each with its offset; engines skip them too.
    pub unknown: Vec<(u64, String)>,
}

/// `sex`: which voice a player model speaks with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Sex {
    Male,
    Female,
    Neuter,
}

/// One row: which frames, how many of the last ones loop, and how fast.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Animation {
    /// The first frame, in the numbering of the file: see [`AnimationConfig::clip`].
    pub first_frame: i32,
    /// How many frames; a negative number plays as many backwards.
    pub frame_count: i32,
    /// How many frames at the end repeat; 0 plays once.
    pub loop_frames: i32,
    /// Frames per second as written; 0 stands for 1, see [`Animation::rate`].
    pub frames_per_second: f32,
}

impl Animation {
    /// Frames per second as engines play it.
    pub fn rate(&self) -> f32 {
        if self.frames_per_second == 0.0 { 1.0 } else { self.frames_per_second }
    }

    /// Whether the frames play from the last to the first.
    pub const fn is_reversed(&self) -> bool {
        self.frame_count < 0
    }

    /// The frames in the order they play, once through.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = i64> + DoubleEndedIterator + use<> {
        let (first, reversed) = (i64::from(self.first_frame), self.is_reversed());
        let count = i32::try_from(self.frame_count.unsigned_abs()).unwrap_or(i32::MAX);
        let last = first.saturating_add(i64::from(count)).saturating_sub(1);
        (0..count).map(move |step| {
            let step = i64::from(step);
            if reversed { last.saturating_sub(step) } else { first.saturating_add(step) }
        })
    }
}

macro_rules! names {
    ($($variant:ident = $text:literal),* $(,)?) => {
        /// The animations in the fixed order of their rows. The last six are optional.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AnimationName {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl AnimationName {
            /// Every animation, in the order of the rows.
            pub const ALL: &[AnimationName] = &[$(AnimationName::$variant),*];

            /// The engine's name, such as `LEGS_WALK`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(AnimationName::$variant => $text,)*
                }
            }
        }
    };
}

names! {
    BothDeath1 = "BOTH_DEATH1", BothDead1 = "BOTH_DEAD1",
    BothDeath2 = "BOTH_DEATH2", BothDead2 = "BOTH_DEAD2",
    BothDeath3 = "BOTH_DEATH3", BothDead3 = "BOTH_DEAD3",
    TorsoGesture = "TORSO_GESTURE", TorsoAttack = "TORSO_ATTACK", TorsoAttack2 = "TORSO_ATTACK2",
    TorsoDrop = "TORSO_DROP", TorsoRaise = "TORSO_RAISE",
    TorsoStand = "TORSO_STAND", TorsoStand2 = "TORSO_STAND2",
    LegsWalkCrouched = "LEGS_WALKCR", LegsWalk = "LEGS_WALK", LegsRun = "LEGS_RUN", LegsBack = "LEGS_BACK",
    LegsSwim = "LEGS_SWIM", LegsJump = "LEGS_JUMP", LegsLand = "LEGS_LAND",
    LegsJumpBack = "LEGS_JUMPB", LegsLandBack = "LEGS_LANDB",
    LegsIdle = "LEGS_IDLE", LegsIdleCrouched = "LEGS_IDLECR", LegsTurn = "LEGS_TURN",
    TorsoGetFlag = "TORSO_GETFLAG", TorsoGuardBase = "TORSO_GUARDBASE", TorsoPatrol = "TORSO_PATROL",
    TorsoFollowMe = "TORSO_FOLLOWME", TorsoAffirmative = "TORSO_AFFIRMATIVE", TorsoNegative = "TORSO_NEGATIVE",
}

/// The models an animation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// `upper.md3` and `lower.md3` at once.
    Both,
    /// `upper.md3`.
    Torso,
    /// `lower.md3`.
    Legs,
}

impl AnimationName {
    /// The models this animation moves.
    pub const fn body_part(self) -> BodyPart {
        match self as usize {
            0..=5 => BodyPart::Both,
            13..=24 => BodyPart::Legs,
            _ => BodyPart::Torso,
        }
    }
}

impl AnimationConfig {
    /// Parses the text of an `animation.cfg`, LF or CRLF, with comments.
    ///
    /// Keywords come first, in any order and case; from the first number on there are rows. A file with fewer than
    /// 25 rows parses, and [`is_complete`](Self::is_complete) says so.
    ///
    /// # Errors
    ///
    /// A keyword without its value, a row that is not four numbers.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let mut config = AnimationConfig::default();
        let mut tokens = Tokens::new(text).peekable();
        let end = text.len() as u64;
        while let Some(token) = tokens.next_if(|token| number(token).is_none()) {
            let mut value = |expected| tokens.next().ok_or_else(|| syntax(end, expected));
            if token.text.eq_ignore_case("sex") {
                let letter = value("m, f or n")?;
                config.sex = match letter.text.as_bytes().first().map(u8::to_ascii_lowercase) {
                    Some(b'm') => Some(Sex::Male),
                    Some(b'f') => Some(Sex::Female),
                    Some(b'n') => Some(Sex::Neuter),
                    _ => return Err(syntax(letter.offset, "m, f or n")),
                };
            } else if token.text.eq_ignore_case("headoffset") {
                let mut offset = [0.0; 3];
                for axis in &mut offset {
                    let token = value("three numbers")?;
                    *axis = number(&token).ok_or_else(|| syntax(token.offset, "a number"))? as f32;
                }
                config.head_offset = Some(offset);
            } else if token.text.eq_ignore_case("footsteps") {
                config.footsteps = Some(value("a kind of footsteps")?.text.to_text().into_owned());
            } else if token.text.eq_ignore_case("fixedlegs") {
                config.fixed_legs = true;
            } else if token.text.eq_ignore_case("fixedtorso") {
                config.fixed_torso = true;
            } else {
                config.note_unknown(&token)?;
            }
        }
        while let Some(token) = tokens.next() {
            let Some(first) = number(&token) else {
                config.note_unknown(&token)?;
                continue;
            };
            let mut column = || {
                let token = tokens.next().ok_or_else(|| syntax(end, ROW))?;
                number(&token).ok_or_else(|| syntax(token.offset, ROW))
            };
            // Engines read whole numbers by cutting off the fraction, as these casts do.
            let animation = Animation {
                first_frame: first as i32,
                frame_count: column()? as i32,
                loop_frames: column()? as i32,
                frames_per_second: column()? as f32,
            };
            config.animations.push(animation);
        }
        Ok(config)
    }

    fn note_unknown(&mut self, token: &Token<'_>) -> Result<()> {
        let limit = Limits::DEFAULT.count;
        if self.unknown.len() as u64 >= limit {
            let kind = ErrorKind::Limit { what: "unknown words", limit, found: limit.saturating_add(1) };
            return Err(Error::new(FORMAT, token.offset, kind));
        }
        self.unknown.push((token.offset, token.text.to_text().into_owned()));
        Ok(())
    }

    /// Whether every animation a player needs is there.
    pub fn is_complete(&self) -> bool {
        self.animations.len() >= REQUIRED_ANIMATIONS
    }

    /// The row of an animation, as written.
    pub fn row(&self, name: AnimationName) -> Option<&Animation> {
        self.animations.get(name as usize)
    }

    /// The frames `lower.md3` does not have: rows of legs count on from the torso's, so this many are subtracted.
    pub fn legs_offset(&self) -> i32 {
        let first = |name| self.row(name).map(|row| row.first_frame);
        let legs = first(AnimationName::LegsWalkCrouched).zip(first(AnimationName::TorsoGesture));
        legs.map_or(0, |(legs, torso)| legs.saturating_sub(torso))
    }

    /// An animation in the frame numbers of the model it moves: rows of legs are brought to those of `lower.md3`.
    pub fn clip(&self, name: AnimationName) -> Option<Animation> {
        let mut clip = *self.row(name)?;
        if name.body_part() == BodyPart::Legs {
            clip.first_frame = clip.first_frame.saturating_sub(self.legs_offset());
        }
        Some(clip)
    }

    /// The text of this configuration, which parses to an equal one but for [`unknown`](Self::unknown) words.
    pub fn write(&self) -> String {
        let mut text = String::from("// first frame, num frames, looping frames, frames per second\n\n");
        if let Some(sex) = self.sex {
            let letter = match sex {
                Sex::Male => "m",
                Sex::Female => "f",
                Sex::Neuter => "n",
            };
            line(&mut text, format_args!("sex {letter}"));
        }
        if let Some([x, y, z]) = self.head_offset {
            line(&mut text, format_args!("headoffset {x} {y} {z}"));
        }
        if let Some(footsteps) = &self.footsteps {
            line(&mut text, format_args!("footsteps {}", quote_token(footsteps)));
        }
        if self.fixed_legs {
            line(&mut text, format_args!("fixedlegs"));
        }
        if self.fixed_torso {
            line(&mut text, format_args!("fixedtorso"));
        }
        text.push('\n');
        for (index, row) in self.animations.iter().enumerate() {
            let name = AnimationName::ALL.get(index).map_or("", |name| name.as_str());
            let Animation { first_frame, frame_count, loop_frames, frames_per_second } = row;
            let row =
                format_args!("{first_frame}\t{frame_count}\t{loop_frames}\t{frames_per_second}\t// {name}");
            line(&mut text, row);
        }
        text
    }
}

/// What a row looks like.
const ROW: &str = "four numbers: first frame, frames, looping frames, frames per second";

fn line(text: &mut String, content: core::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{content}");
}

fn syntax(offset: u64, expected: &'static str) -> Error {
    Error::new(FORMAT, offset, ErrorKind::Syntax { expected })
}

/// A token as a number that an `f32` can hold. Words such as `inf` are words.
fn number(token: &Token<'_>) -> Option<f64> {
    let text = core::str::from_utf8(token.text.as_bytes()).ok()?.to_owned();
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.abs() <= f32::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> String {
        (0..count).map(|row| alloc::format!("{} {} 0 15\r\n", row * 10, row)).collect()
    }

    #[test]
    fn keywords_in_any_order_and_case_then_rows() {
        let text =
            alloc::format!("FixedLegs\nFOOTSTEPS mech\nSex N\n/* x */ headoffset -1 .5 2\n{}", rows(31));
        let config = AnimationConfig::parse(text.as_bytes()).unwrap();
        assert!(config.fixed_legs && !config.fixed_torso && config.is_complete());
        assert_eq!((config.sex, config.footsteps.as_deref()), (Some(Sex::Neuter), Some("mech")));
        assert_eq!(config.head_offset, Some([-1.0, 0.5, 2.0]));
        assert_eq!(config.row(AnimationName::TorsoNegative).unwrap().first_frame, 300);
        assert_eq!(AnimationName::ALL.len(), 31);
        assert_eq!(AnimationConfig::parse(config.write().as_bytes()).unwrap(), config);
    }

    #[test]
    fn legs_are_renumbered_and_the_rest_is_not() {
        let config = AnimationConfig::parse(rows(25).as_bytes()).unwrap();
        assert_eq!(config.legs_offset(), 130 - 60);
        assert_eq!(config.clip(AnimationName::LegsTurn).unwrap().first_frame, 240 - 70);
        assert_eq!(config.clip(AnimationName::TorsoStand).unwrap().first_frame, 110);
        assert_eq!(config.clip(AnimationName::BothDead3).unwrap().first_frame, 50);
        assert_eq!(config.clip(AnimationName::TorsoGetFlag), None);
    }

    #[test]
    fn negative_counts_play_backwards_and_no_rate_is_one_per_second() {
        let config = AnimationConfig::parse(b"20 -3 0 0").unwrap();
        let row = config.animations[0];
        assert!(row.is_reversed());
        assert_eq!(row.frames().collect::<Vec<_>>(), [22, 21, 20]);
        assert_eq!(row.rate(), 1.0);
        let extreme = Animation { first_frame: i32::MAX, frame_count: i32::MIN, ..row };
        assert_eq!(extreme.frames().len(), i32::MAX as usize);
    }

    #[test]
    fn what_is_not_a_row_is_an_error_where_it_stands() {
        let error = AnimationConfig::parse(b"1 2 three 4").unwrap_err();
        assert_eq!((error.offset(), error.format()), (4, "animation.cfg"));
        assert_eq!(AnimationConfig::parse(b"1 2 3").unwrap_err().offset(), 5);
        assert_eq!(AnimationConfig::parse(b"sex x").unwrap_err().offset(), 4);
        let config = AnimationConfig::parse(b"weapon 1 2 3 4 nonsense 5 6 7 8").unwrap();
        assert_eq!(config.animations.len(), 2);
        assert_eq!(AnimationConfig::parse(b"1 2 3 1e39").unwrap_err().offset(), 6);
        assert_eq!(config.unknown, [(0, "weapon".into()), (15, "nonsense".into())]);
    }
}
