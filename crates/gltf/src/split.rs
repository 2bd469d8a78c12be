//! Models with more morph targets than a mesh may have. Their meshes are written several times, each time with the targets of
//! some clips. Animations show one of these meshes at a time and give the others a scale of 0, which is how glTF animates
//! visibility (glTF 2.0: 3.5.3). Base vertices and triangles are stored once.

use std::collections::BTreeSet;

use meshlens::model::Clip;

use crate::Error;
use crate::memory::Memory;

/// The number of groups that are tried for frames, the newest ones. Clips of a file can make any number of groups.
const TRIED: usize = 16;

/// The frames of a model in groups.
#[derive(Default)]
pub(crate) struct Split {
    /// The frames of each group, sorted, without the frame at rest. Empty if one mesh has all targets.
    pub(crate) groups: Vec<Vec<usize>>,
    /// For each clip, the groups that show it, each with its first key. The key that ends a group begins the next one.
    pub(crate) shown: Vec<Vec<(usize, usize)>>,
}

impl Split {
    /// Distributes frames to groups of at most `most` frames, or two. The frame `rest` is not one of them, and needs no target.
    pub(crate) fn new(
        frames: impl ExactSizeIterator<Item = usize>,
        rest: usize,
        clips: &[Clip],
        most: usize,
        memory: &mut Memory,
    ) -> Result<Split, Error> {
        if frames.len() <= most {
            return Ok(Split::default());
        }
        let mut groups = Groups { sets: Vec::new(), most: most.max(2), memory };
        let mut shown = Vec::new();
        let mut left: BTreeSet<usize> = frames.collect();
        for clip in clips {
            let (mut parts, mut run, mut start, mut previous) = (Vec::new(), BTreeSet::new(), 0, None);
            for (key, frame) in keys(clip).into_iter().enumerate() {
                let target = (frame != rest).then_some(frame);
                if target.is_some_and(|frame| run.len() == groups.most && !run.contains(&frame)) {
                    parts.push((start, groups.add(&run)?));
                    (start, run) = (key - 1, previous.into_iter().collect());
                }
                run.extend(target);
                left.remove(&frame);
                previous = target;
            }
            parts.push((start, groups.add(&run)?));
            shown.push(parts);
        }
        for frame in left {
            groups.add(&BTreeSet::from([frame]))?;
        }
        let groups = groups.sets.into_iter().map(|set| set.into_iter().collect()).collect();
        Ok(Split { groups, shown })
    }
}

/// The frame of each key of a clip. A cycle ends with its first frame.
pub(crate) fn keys(clip: &Clip) -> Vec<usize> {
    let mut keys: Vec<usize> = clip.frames().collect();
    if clip.is_cycle() {
        keys.push(clip.frame(0));
    }
    keys
}

struct Groups<'m> {
    sets: Vec<BTreeSet<usize>>,
    most: usize,
    memory: &'m mut Memory,
}

impl Groups<'_> {
    /// Adds frames that one mesh must have to a group. Returns its index.
    fn add(&mut self, run: &BTreeSet<usize>) -> Result<usize, Error> {
        let first = self.sets.len().saturating_sub(TRIED);
        let fits = |set: &BTreeSet<usize>| set.len() + run.difference(set).count() <= self.most;
        let index = match self.sets[first..].iter().position(fits) {
            Some(index) => first + index,
            None => {
                self.memory.elements::<[BTreeSet<usize>; 2]>(1, "groups of morph targets")?;
                self.sets.push(BTreeSet::new());
                self.sets.len() - 1
            }
        };
        self.memory
            .elements::<(usize, [usize; 2])>(run.difference(&self.sets[index]).count() + 1, "frames")?;
        self.sets[index].extend(run);
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use meshlens::wire::Budget;

    use super::*;

    fn split(last: usize, clips: &[(usize, usize)], most: usize) -> Split {
        let clips: Vec<Clip> =
            clips.iter().map(|(first, count)| Clip::new("", *first, *count, 10.0)).collect();
        let mut memory = Memory::new(&Budget::new(1 << 20)).unwrap();
        Split::new((0..last).map(|frame| frame + 1), 0, &clips, most, &mut memory).unwrap()
    }

    #[test]
    fn clips_share_groups_that_have_room() {
        // Frame 0 is at rest, so the first clip has 3 targets, the second 2, and the third 2.
        let made = split(7, &[(0, 4), (4, 2), (6, 2)], 5);
        assert_eq!(made.groups, [vec![1, 2, 3, 4, 5], vec![6, 7]]);
        assert_eq!(made.shown, [[(0, 0)], [(0, 0)], [(0, 1)]]);
        assert!(split(7, &[(0, 4)], 7).groups.is_empty());
    }

    #[test]
    fn a_long_clip_is_cut_at_a_key_that_both_groups_have() {
        let made = split(6, &[(1, 5)], 3);
        assert_eq!(made.groups, [vec![1, 2, 3], vec![3, 4, 5], vec![6]]);
        assert_eq!(made.shown, [[(0, 0), (2, 1)]]);
        // The rest frame takes no room. The least is two: a movement from one frame to another.
        let made = split(4, &[(0, 5)], 1);
        assert_eq!(made.groups, [vec![1, 2], vec![2, 3], vec![3, 4]]);
        assert_eq!(made.shown, [[(0, 0), (2, 1), (3, 2)]]);
    }
}
