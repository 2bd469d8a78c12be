//! The clips of an MD3 file for its companion files: `animation.cfg` for players, named rows for other models.

use alloc::vec::Vec;

use meshlens_md3::AnimationConfig;
use meshlens_md3::animation::{Animation, AnimationName};
use meshlens_md3::clips::NamedAnimation;

use crate::model::Clip;

/// Converts a clip to a row. Frame numbers that are too large for a row become the largest one.
fn row(clip: &Clip) -> Animation {
    let number = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
    let count = number(clip.count);
    Animation {
        first_frame: number(clip.first),
        // The count is not negative, so its negative fits.
        frame_count: if clip.reversed { -count } else { count },
        loop_frames: number(clip.loop_frames),
        frames_per_second: clip.rate.get(),
    }
}

/// Converts the clips to rows with names, for a file of [`NamedAnimation`]s.
pub fn md3_named_clips(clips: &[Clip]) -> Vec<NamedAnimation> {
    clips.iter().map(|clip| NamedAnimation { name: clip.name.clone(), animation: row(clip) }).collect()
}

/// Returns the configuration `beside` with the clips of one player model. `None` if a clip does not have the name of an
/// animation, or if the clips do not fit together with the clips of the other part: see
/// [`AnimationConfig::with_clips`].
pub fn md3_animation_config(clips: &[Clip], beside: &AnimationConfig) -> Option<AnimationConfig> {
    let of = |clip: &Clip| {
        let name = AnimationName::ALL.iter().find(|name| name.as_str().eq_ignore_ascii_case(&clip.name))?;
        Some((*name, row(clip)))
    };
    beside.with_clips(&clips.iter().map(of).collect::<Option<Vec<_>>>()?)
}
