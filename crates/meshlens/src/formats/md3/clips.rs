//! Clips of MD3 models, from the names of their frames.

use alloc::vec::Vec;

use crate::model::Clip;

/// Makes clips from the names of frames: `stand1 stand2 run1 run2` are two clips. If the names do not form sequences,
/// returns one clip of all frames.
pub(super) fn from_frame_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Clip> {
    let mut clips: Vec<Clip> = Vec::new();
    let mut frames: usize = 0;
    for (frame, name) in names.enumerate() {
        frames = frame + 1;
        let prefix =
            name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | ' ' | '.' | '#'));
        match clips.last_mut() {
            Some(clip) if clip.name == prefix => clip.count += 1,
            _ => clips.push(Clip::without_rate(prefix, frame, 1)),
        }
    }
    let is_sequence = |clip: &Clip| !clip.name.is_empty() && clip.count > 1;
    let is_unique = |clip: &Clip| clips.iter().filter(|other| other.name == clip.name).count() == 1;
    // Prefixes without numbers, and prefixes that occur again later, do not form sequences.
    let is_plausible = clips.len() > 1
        && clips.len() <= MAX_NAMED_CLIPS
        && clips.iter().filter(|clip| is_sequence(clip)).count() > clips.len() / 2
        && clips.iter().all(|clip| !clip.name.is_empty() && is_unique(clip));
    if is_plausible {
        return clips;
    }
    if frames > 1 { alloc::vec![Clip::without_rate("all", 0, frames)] } else { Vec::new() }
}

/// No model has more sequences than this. It limits the pairwise comparison.
const MAX_NAMED_CLIPS: usize = 256;

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    fn clips(names: &[&str]) -> Vec<(String, usize, usize)> {
        from_frame_names(names.iter().copied())
            .into_iter()
            .map(|clip| (clip.name, clip.first, clip.count))
            .collect()
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
}
