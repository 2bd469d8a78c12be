//! The locations of animations, and an index that finds any of them without reading all earlier ones.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use meshlens_wire::{Data, Limits, Name, Place, Result, Span};

use crate::keys::{Blocks, FRAME_BLOCK, Track};
use crate::layout::Version;
use crate::reader::{Budget, Reader};
use crate::{Skeleton, Transform};

/// The largest number of bytes and animations between two entries of the index.
const MARK_BYTES: u64 = 64;
const MARK_COUNT: u32 = 16;

/// An animation from which the next ones are found by walking.
#[derive(Clone, Copy, Debug)]
struct Mark {
    animation: u32,
    name: u64,
    track: u64,
    first_block: usize,
    first_pose: usize,
    /// The number of transforms of all animations before it, one for each bone in each frame.
    transforms: u64,
}

/// The names of the animations, which come before their data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnimationNames {
    count: u32,
    /// `None` if animations have no names.
    names: Option<Span>,
}

/// The locations of the animations. Plain data, without the bytes.
#[derive(Clone, Debug)]
pub struct AnimationsParts {
    count: u32,
    names: Option<Span>,
    data: Span,
    /// The number of frames of all animations.
    frames: u64,
    /// The number of transforms of all animations.
    transforms: u64,
    marks: Vec<Mark>,
    blocks: Blocks,
}

/// One animation that was looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnimationEntry<'d, 'a> {
    pub(crate) name: Name<'a>,
    pub(crate) offset: u64,
    pub(crate) track: Track,
    /// The offset of each block of frames except the first.
    pub(crate) block_offsets: &'d [u64],
    /// The state of the bones before each of these blocks.
    pub(crate) block_poses: &'d [Transform],
}

impl AnimationNames {
    /// Reads the list of names, if the version has one.
    pub(crate) fn locate(reader: &mut Reader<'_>, version: Version, limits: &Limits) -> Result<Self> {
        if !version.has_animations() {
            // an11 is one animation without a name.
            return Ok(AnimationNames { count: u32::from(version == Version::An11), names: None });
        }
        // The length of a name; and in the data, the number of bones, the mask and the number of frames.
        let least = if version == Version::An10 { 52 } else { 4 };
        let count = reader.parts("animations", least, limits)?;
        let start = reader.offset();
        for index in 0..u64::from(count) {
            reader.string("animation name").map_err(|error| error.at(Place::new("animation", index)))?;
        }
        Ok(AnimationNames { count, names: Some(Span::of_bytes(start..reader.offset())) })
    }
}

impl AnimationsParts {
    /// Walks the records of every animation.
    pub(crate) fn locate(
        reader: &mut Reader<'_>,
        names: AnimationNames,
        skeleton: Skeleton<'_, '_>,
        budget: &mut Budget,
    ) -> Result<Self> {
        let AnimationNames { count, names } = names;
        let start = reader.offset();
        let mut name_reader = names.map(|names| Reader::at(reader.data(), names.offset())).transpose()?;
        let (mut marks, mut blocks) = (Vec::<Mark>::new(), Blocks::default());
        let (mut frames, mut transforms) = (0u64, 0u64);
        for animation in 0..count {
            let is_due = marks.last().is_none_or(|mark| {
                // Both come after the mark.
                reader.offset().wrapping_sub(mark.track) >= MARK_BYTES
                    || animation.wrapping_sub(mark.animation) >= MARK_COUNT
            });
            if is_due {
                marks.push(Mark {
                    animation,
                    name: name_reader.map_or(start, |names| names.offset()),
                    track: reader.offset(),
                    first_block: blocks.offsets.len(),
                    first_pose: blocks.poses.len(),
                    transforms,
                });
            }
            if let Some(names) = &mut name_reader {
                names.string("animation name")?;
            }
            let track = Track::read_header(reader, skeleton.version());
            let mut outcome = track.and_then(|track| {
                // The product of two u32 fits. A sum that saturates is above every possible memory size.
                let own = u64::from(track.frames).saturating_mul(track.bones.count().into());
                transforms = transforms.saturating_add(own);
                frames = frames.saturating_add(track.frames.into());
                track.walk(reader, skeleton, budget, &mut blocks)
            });
            if let Err(error) = &mut outcome
                && error.place() == Place::FILE
            {
                *error = error.at(Place::new("animation", animation.into()));
            }
            outcome?;
        }
        let data = Span::of_bytes(start..reader.offset());
        Ok(AnimationsParts { count, names, data, frames, transforms, marks, blocks })
    }

    /// The number of animations.
    pub const fn len(&self) -> usize {
        // Each animation has at least one byte in memory.
        self.count as usize
    }

    /// Whether there are no animations.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of frames of all animations.
    pub const fn frame_count(&self) -> u64 {
        self.frames
    }

    /// The names of all animations, as elements of one byte; `None` if the version has no names.
    pub const fn names(&self) -> Option<Span> {
        self.names
    }

    /// The headers and records of all animations, as elements of one byte.
    pub const fn data(&self) -> Span {
        self.data
    }

    /// The two byte ranges that have to be read for animation `index`, as elements of one byte: its header and records,
    /// and its name. Each range may start earlier, with data of short animations before it. `None` if the index is out
    /// of range.
    pub fn animation(&self, index: usize) -> Option<[Span; 2]> {
        let (mark, next) = self.marks_around(index)?;
        let [track_end, name_end] = match next {
            Some(next) => [next.track, next.name],
            None => {
                [self.data.byte_range().end, self.names.map_or(mark.name, |names| names.byte_range().end)]
            }
        };
        Some([Span::of_bytes(mark.track..track_end), Span::of_bytes(mark.name..name_end)])
    }

    /// The number of transforms in the records of [`animation`](Self::animation): one for each bone in each frame.
    /// Short animations at the start of the range count too. `None` if the index is out of range.
    pub fn transform_count(&self, index: usize) -> Option<u64> {
        let (mark, next) = self.marks_around(index)?;
        // The sums only grow.
        Some(next.map_or(self.transforms, |next| next.transforms).saturating_sub(mark.transforms))
    }

    /// The last mark at or before an animation, and the one after that.
    fn marks_around(&self, index: usize) -> Option<(&Mark, Option<&Mark>)> {
        let index = u32::try_from(index).ok().filter(|index| *index < self.count)?;
        let after = self.marks.partition_point(|mark| mark.animation <= index);
        Some((self.marks.get(after.checked_sub(1)?)?, self.marks.get(after)))
    }

    /// Looks up animation `index`. The animations between it and the previous mark have less than [`MARK_BYTES`] bytes
    /// in all.
    pub(crate) fn find<'d, 'a>(
        &'d self,
        data: Data<'a>,
        version: Version,
        index: usize,
    ) -> Option<AnimationEntry<'d, 'a>> {
        let (mark, _) = self.marks_around(index)?;
        // Parsing has walked the same records, so this is `None` only if the bytes have changed.
        let mut names = self.names.map(|_| Reader::at(data, mark.name)).transpose().ok()?;
        let mut reader = Reader::at(data, mark.track).ok()?;
        for animation in mark.animation..self.count {
            let name = match &mut names {
                Some(names) => names.string("animation name").ok()?,
                None => Name::default(),
            };
            let offset = reader.offset();
            let track = Track::read_header(&mut reader, version).ok()?;
            let frames = if track.bones.count() == 0 { 0 } else { track.frames };
            if animation as usize == index {
                // Animations short enough to share a mark have no blocks.
                let blocks =
                    frames.checked_sub(1).map_or(0, |last| (last as usize).wrapping_div(FRAME_BLOCK));
                let end = mark.first_block.checked_add(blocks)?;
                let block_offsets = self.blocks.offsets.get(mark.first_block..end)?;
                let end = mark.first_pose.checked_add(blocks.checked_mul(track.bone_count())?)?;
                let block_poses = self.blocks.poses.get(mark.first_pose..end)?;
                return Some(AnimationEntry { name, offset, track, block_offsets, block_poses });
            }
            for _ in 0..frames {
                track.walk_frame(&mut reader, track.bones.count().into(), &mut []).ok()?;
            }
        }
        None
    }
}
