//! Where animations lie, and how any of them is found again without walking those before it.

use alloc::vec::Vec;

use meshlens_wire::{Data, Limits, Name, Place, Result};

use crate::frames::{Blocks, FRAME_BLOCK, Track};
use crate::layout::Version;
use crate::reader::{Budget, Reader};
use crate::{Skeleton, Transform};

/// One animation at least every so many bytes is found without walking those before it.
const MARK_BYTES: u64 = 64;
const MARK_COUNT: u32 = 16;

/// A place to look for an animation from.
#[derive(Clone, Copy, Debug)]
struct Mark {
    animation: u32,
    name: u64,
    track: u64,
    first_block: usize,
    first_pose: usize,
}

/// Where the animations lie: plain data.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnimationsParts {
    pub(crate) count: u32,
    names: u64,
    has_names: bool,
    marks: Vec<Mark>,
    blocks: Blocks,
}

/// One animation, found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'d, 'a> {
    pub(crate) name: Name<'a>,
    pub(crate) offset: u64,
    pub(crate) track: Track,
    /// Offset of each block of frames but the first.
    pub(crate) block_offsets: &'d [u64],
    /// The bones' state before each of them.
    pub(crate) block_poses: &'d [Transform],
}

impl AnimationsParts {
    /// Reads the names, which stand in the header.
    pub(crate) fn locate_names(reader: &mut Reader<'_>, version: Version, limits: &Limits) -> Result<Self> {
        // A name's length, and of the track the count of bones, the mask and the count of frames.
        let least = if version == Version::An10 { 52 } else { 4 };
        let count = reader.parts("animations", least, limits)?;
        let parts = AnimationsParts { count, names: reader.offset(), has_names: true, ..Default::default() };
        for index in 0..u64::from(count) {
            reader.string("animation name").map_err(|error| error.at(Place::new("animation", index)))?;
        }
        Ok(parts)
    }

    /// The one animation of an an11 file, which has no name.
    pub(crate) const fn unnamed() -> Self {
        let blocks = Blocks { offsets: Vec::new(), poses: Vec::new() };
        AnimationsParts { count: 1, names: 0, has_names: false, marks: Vec::new(), blocks }
    }

    /// Walks every animation's records.
    pub(crate) fn locate_tracks(
        &mut self,
        reader: &mut Reader<'_>,
        skeleton: Skeleton<'_, '_>,
        budget: &mut Budget,
    ) -> Result<()> {
        let mut names = Reader::at(reader.data(), self.names)?;
        for animation in 0..self.count {
            let is_due = self.marks.last().is_none_or(|mark| {
                reader.offset().saturating_sub(mark.track) >= MARK_BYTES
                    || animation.saturating_sub(mark.animation) >= MARK_COUNT
            });
            if is_due {
                self.marks.push(Mark {
                    animation,
                    name: names.offset(),
                    track: reader.offset(),
                    first_block: self.blocks.offsets.len(),
                    first_pose: self.blocks.poses.len(),
                });
            }
            if self.has_names {
                names.string("animation name")?;
            }
            let track = Track::read_header(reader, skeleton.version());
            let mut outcome = track.and_then(|track| track.walk(reader, skeleton, budget, &mut self.blocks));
            if let Err(error) = &mut outcome
                && error.place() == Place::FILE
            {
                *error = error.at(Place::new("animation", animation.into()));
            }
            outcome?;
        }
        Ok(())
    }

    /// Animation `index`. Those between it and the mark before it take less than [`MARK_BYTES`] bytes in all.
    pub(crate) fn find<'d, 'a>(
        &'d self,
        data: Data<'a>,
        version: Version,
        index: usize,
    ) -> Option<Found<'d, 'a>> {
        let index = u32::try_from(index).ok().filter(|index| *index < self.count)?;
        let after = self.marks.partition_point(|mark| mark.animation <= index);
        let mark = self.marks.get(after.checked_sub(1)?)?;
        let mut names = Reader::at(data, mark.name).ok()?;
        let mut reader = Reader::at(data, mark.track).ok()?;
        for animation in mark.animation..=index {
            let name = if self.has_names { names.string("animation name").ok()? } else { Default::default() };
            let offset = reader.offset();
            let track = Track::read_header(&mut reader, version).ok()?;
            if animation == index {
                // Animations short enough to share a mark have no blocks.
                let frames = usize::try_from(track.frames).ok()?;
                let blocks = frames.saturating_sub(1).checked_div(FRAME_BLOCK)?;
                let blocks = if track.bones.count == 0 { 0 } else { blocks };
                let end = mark.first_block.checked_add(blocks)?;
                let block_offsets = self.blocks.offsets.get(mark.first_block..end)?;
                let end = mark.first_pose.checked_add(blocks.checked_mul(track.bones.len())?)?;
                let block_poses = self.blocks.poses.get(mark.first_pose..end)?;
                return Some(Found { name, offset, track, block_offsets, block_poses });
            }
            let records = if track.bones.count == 0 { 0 } else { track.frames };
            for _ in 0..records {
                track.walk_frame(&mut reader, track.bones.count.into(), &mut []).ok()?;
            }
        }
        None
    }
}
