//! The words of an `animation.cfg`: names of animations, and the voice of the player.

use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Error, ErrorKind, Result};

use super::FORMAT;

/// The voice of a player model. It is written as one letter.
///
/// ```
/// use meshlens_md3::animation::Sex;
///
/// assert_eq!("F".parse(), Ok(Sex::Female));
/// assert_eq!(Sex::Neuter.to_string(), "n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sex {
    /// `m`
    Male,
    /// `f`
    Female,
    /// `n`
    Neuter,
}

impl Sex {
    /// The letter in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Sex::Male => "m",
            Sex::Female => "f",
            Sex::Neuter => "n",
        }
    }

    /// Reads the first letter, as engines do.
    pub(super) fn from_bytes(text: &[u8]) -> Option<Self> {
        match text.first()?.to_ascii_lowercase() {
            b'm' => Some(Sex::Male),
            b'f' => Some(Sex::Female),
            b'n' => Some(Sex::Neuter),
            _ => None,
        }
    }
}

impl fmt::Display for Sex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Sex {
    type Err = Error;

    /// Reads the first letter, in upper or lower case, and ignores the others, as engines do.
    fn from_str(text: &str) -> Result<Self> {
        Sex::from_bytes(text.as_bytes()).ok_or_else(|| word_error("m, f or n"))
    }
}

macro_rules! names {
    ($($variant:ident = $text:literal),* $(,)?) => {
        /// The animations in the order of their rows. The last six are optional.
        ///
        /// ```
        /// use meshlens_md3::animation::AnimationName;
        ///
        /// assert_eq!("legs_walk".parse(), Ok(AnimationName::LegsWalk));
        /// assert_eq!(AnimationName::LegsWalk.to_string(), "LEGS_WALK");
        /// ```
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

impl fmt::Display for AnimationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for AnimationName {
    type Err = Error;

    /// Finds the animation with this name. ASCII letters match in any case.
    fn from_str(text: &str) -> Result<Self> {
        let found = AnimationName::ALL.iter().find(|name| name.as_str().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| word_error("the name of an animation, such as LEGS_WALK"))
    }
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

/// The models that an animation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// `upper.md3` and `lower.md3`.
    Both,
    /// `upper.md3`.
    Torso,
    /// `lower.md3`.
    Legs,
}

impl AnimationName {
    /// The models that this animation moves.
    pub fn body_part(self) -> BodyPart {
        BodyPart::of(self.as_str())
    }
}

impl BodyPart {
    /// The models that the animation with this name moves, by the start of the name: `LEGS_`, `TORSO_` or another.
    pub(super) fn of(name: &str) -> BodyPart {
        let starts =
            |with: &str| name.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
        if starts("LEGS_") {
            BodyPart::Legs
        } else if starts("TORSO_") {
            BodyPart::Torso
        } else {
            BodyPart::Both
        }
    }
}

fn word_error(expected: &'static str) -> Error {
    Error::of_call(FORMAT, ErrorKind::Syntax { expected })
}
