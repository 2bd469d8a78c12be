//! Frame records: their sizes, what they change, and the walk that proves them.

use alloc::vec::Vec;

use meshlens_wire::{Data, ErrorKind, Limits, Place, Result};
use zerocopy::FromBytes;
use zerocopy::little_endian::{F32, I16, U16};

use crate::layout::{
    self, FULL_ROTATION, FULL_SCALE, FULL_TRANSLATION, ROTATION, SCALE, TRANSLATION, Version,
};
use crate::reader::{Budget, Reader, Table};
use crate::{Skeleton, Transform};

/// Frames between two entries of an animation's index: any frame is read from at most so many records per bone.
pub const FRAME_BLOCK: usize = 64;

/// The ranges of an an10 animation: a stored `u16` is a share of `size` above `min`.
///
/// Writers make the size 1 larger than what the values span. Without a track the range is empty, and means nothing:
/// min 1e9, size -2e9.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// The least translation along each axis.
    pub translation_min: [f32; 3],
    /// The size of the translations' range.
    pub translation_size: [f32; 3],
    /// The least scale along each axis.
    pub scale_min: [f32; 3],
    /// The size of the scales' range.
    pub scale_size: [f32; 3],
}

impl From<&layout::Ranges> for Ranges {
    fn from(record: &layout::Ranges) -> Self {
        Ranges {
            translation_min: record.translation_min.map(F32::get),
            translation_size: record.translation_size.map(F32::get),
            scale_min: record.scale_min.map(F32::get),
            scale_size: record.scale_size.map(F32::get),
        }
    }
}

/// How the components of a record are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coding {
    /// ms10 to ms12: floats, and a rotation of four `i16`.
    Floats,
    /// an10: shares of ranges, and a rotation of four `i16`.
    Shares(Ranges),
    /// an11: floats throughout, translation, rotation and scale whole.
    Whole,
}

impl Coding {
    /// Bytes behind a record's flags.
    #[inline]
    pub(crate) const fn size(&self, flags: u8) -> usize {
        let axes = (flags & (TRANSLATION | SCALE)).count_ones() as usize;
        let rotation = (flags & ROTATION) as usize;
        match self {
            // ROTATION is 8, which is also the bytes of one.
            Coding::Floats => axes.wrapping_mul(4).wrapping_add(rotation),
            Coding::Shares(_) => axes.wrapping_mul(2).wrapping_add(rotation),
            Coding::Whole => {
                let threes = (flags & (FULL_TRANSLATION | FULL_SCALE)).count_ones() as usize;
                let four = (flags & FULL_ROTATION) as usize;
                threes.wrapping_mul(12).wrapping_add(four.wrapping_mul(8))
            }
        }
    }

    /// Brings a bone's transform up to what a record says. Components outside `mask` are stepped over.
    pub(crate) fn apply(&self, mask: u8, flags: u8, body: &[u8], transform: &mut Transform) {
        let Transform { position, rotation, scale } = transform;
        let mut body = body;
        match self {
            Coding::Floats => {
                let float = |body: &mut &[u8], _: usize| next::<F32>(body).map(F32::get);
                axes(flags, mask, 0, &mut body, position, float);
                turn(flags, mask, &mut body, rotation);
                axes(flags, mask, 4, &mut body, scale, float);
            }
            Coding::Shares(ranges) => {
                let share = |min: &[f32; 3], size: &[f32; 3], body: &mut &[u8], axis: usize| {
                    let share = f32::from(next::<U16>(body)?.get()) / 65535.0;
                    Some(min.get(axis)? + size.get(axis)? * share)
                };
                axes(flags, mask, 0, &mut body, position, |body, axis| {
                    share(&ranges.translation_min, &ranges.translation_size, body, axis)
                });
                turn(flags, mask, &mut body, rotation);
                axes(flags, mask, 4, &mut body, scale, |body, axis| {
                    share(&ranges.scale_min, &ranges.scale_size, body, axis)
                });
            }
            Coding::Whole => {
                if flags & FULL_TRANSLATION != 0 {
                    whole(mask & FULL_TRANSLATION != 0, &mut body, position);
                }
                if flags & FULL_ROTATION != 0 {
                    whole(mask & FULL_ROTATION != 0, &mut body, rotation);
                }
                if flags & FULL_SCALE != 0 {
                    whole(mask & FULL_SCALE != 0, &mut body, scale);
                }
            }
        }
    }
}

fn next<T: FromBytes>(body: &mut &[u8]) -> Option<T> {
    let (value, rest) = T::read_from_prefix(body).ok()?;
    *body = rest;
    Some(value)
}

/// Three axes, each with a flag of its own from bit `first` on.
fn axes(
    flags: u8,
    mask: u8,
    first: u32,
    body: &mut &[u8],
    out: &mut [f32; 3],
    mut read: impl FnMut(&mut &[u8], usize) -> Option<f32>,
) {
    let (flags, mask) = (flags.wrapping_shr(first), mask.wrapping_shr(first));
    for (axis, (out, bit)) in out.iter_mut().zip([1, 2, 4]).enumerate() {
        if flags & bit != 0
            && let Some(value) = read(body, axis)
            && mask & bit != 0
        {
            *out = value;
        }
    }
}

fn turn(flags: u8, mask: u8, body: &mut &[u8], out: &mut [f32; 4]) {
    if flags & ROTATION != 0
        && let Some(raw) = next::<[I16; 4]>(body)
        && mask & ROTATION != 0
    {
        *out = meshlens_lens::Encoding::decode(&meshlens_lens::encoding::UnigineRotation, raw);
    }
}

fn whole<const D: usize>(is_masked_in: bool, body: &mut &[u8], out: &mut [f32; D]) {
    if let Some(raw) = next::<[F32; D]>(body)
        && is_masked_in
    {
        *out = raw.map(F32::get);
    }
}

/// One animation's header and where its records lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Track {
    pub(crate) bones: Table,
    pub(crate) coding: Coding,
    pub(crate) mask: u8,
    pub(crate) mask_offset: Option<u64>,
    pub(crate) frames: u32,
    pub(crate) frames_offset: u64,
    /// Offset of the first record.
    pub(crate) records: u64,
}

impl Track {
    /// Reads what stands before the records.
    pub(crate) fn read_header(reader: &mut Reader<'_>, version: Version) -> Result<Track> {
        let bones = reader.counted_table(2, "animation bones")?;
        let mut mask_offset = None;
        let (coding, mask) = match version {
            Version::An11 => (Coding::Whole, version.known_flags()),
            _ => {
                let coding = match version {
                    Version::An10 => {
                        Coding::Shares(Ranges::from(reader.cursor.record::<layout::Ranges>("ranges")?))
                    }
                    _ => Coding::Floats,
                };
                mask_offset = Some(reader.offset());
                (coding, reader.cursor.u8("mask")?)
            }
        };
        let frames_offset = reader.offset();
        let frames = reader.count("frames")?;
        Ok(Track { bones, coding, mask, mask_offset, frames, frames_offset, records: reader.offset() })
    }

    /// Steps over every record, and leaves the state before each block of frames but the first in `blocks`.
    fn walk(
        &self,
        reader: &mut Reader<'_>,
        skeleton: Skeleton<'_, '_>,
        budget: &mut Budget,
        blocks: &mut Blocks,
    ) -> Result<()> {
        let (frames, bones) = (u64::from(self.frames), u64::from(self.bones.count));
        if bones == 0 {
            return budget.spend_empty_frames(reader.data(), self.frames_offset, frames);
        }
        // A record takes a byte at least; more frames than bytes are refused before one is walked.
        let records = frames.saturating_mul(bones);
        reader.data().span(reader.offset(), records, 1, "frame records")?;
        budget.spend(reader, "frame records", records)?;
        let block = FRAME_BLOCK as u64;
        let mut pose = Vec::new();
        if frames > block {
            self.bind_pose(reader.data(), skeleton, &mut pose);
        }
        for frame in 0..frames {
            if frame > 0 && frame.checked_rem(block) == Some(0) {
                blocks.offsets.push(reader.offset());
                blocks.poses.extend_from_slice(&pose);
            }
            self.walk_frame(reader, bones, &mut pose)
                .map_err(|error| error.at(Place::new("frame", frame)))?;
        }
        Ok(())
    }

    fn walk_frame(&self, reader: &mut Reader<'_>, bones: u64, pose: &mut [Transform]) -> Result<()> {
        let mut pose = pose.iter_mut();
        for _ in 0..bones {
            let flags = reader.cursor.u8("record flags")?;
            let body = reader.cursor.take(self.coding.size(flags) as u64, "record")?;
            if let Some(transform) = pose.next() {
                self.coding.apply(self.mask, flags, body, transform);
            }
        }
        Ok(())
    }

    /// The bind transforms of the animation's bones; the identity for a number that names no bone.
    pub(crate) fn bind_pose(&self, data: Data<'_>, skeleton: Skeleton<'_, '_>, pose: &mut Vec<Transform>) {
        let bones = self.bones.lens(data, meshlens_lens::encoding::I16::<1>);
        pose.clear();
        pose.reserve_exact(bones.len());
        pose.extend(bones.iter().map(|bone| {
            let bone = usize::try_from(bone).ok();
            bone.and_then(|bone| skeleton.transform(bone)).unwrap_or_default()
        }));
    }
}

/// Where the frames of every block but an animation's first begin, and every bone's state there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) offsets: Vec<u64>,
    pub(crate) poses: Vec<Transform>,
}

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
    pub(crate) name: meshlens_wire::Name<'a>,
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

/// An error of a frame that does not exist.
pub(crate) fn no_such_frame(data: Data<'_>, track: &Track, frame: usize) -> meshlens_wire::Error {
    let index = i64::try_from(frame).unwrap_or(i64::MAX);
    data.error(track.frames_offset, ErrorKind::Index { what: "frame", index, count: track.frames.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_as_long_as_its_flags_say() {
        let ranges = Ranges {
            translation_min: [0.0; 3],
            translation_size: [1.0; 3],
            scale_min: [0.0; 3],
            scale_size: [1.0; 3],
        };
        let sizes = |flags: u8| [Coding::Floats.size(flags), Coding::Shares(ranges).size(flags)];
        assert_eq!(sizes(0), [0, 0]);
        assert_eq!(sizes(0x7f), [32, 20]);
        assert_eq!(sizes(0x0f), [20, 14]);
        assert_eq!(sizes(0x08), [8, 8]);
        assert_eq!(sizes(0x44), [8, 4]);
        assert_eq!(sizes(0x80), [0, 0]);
        assert_eq!([0, 1, 2, 4, 7, 0xf8].map(|flags| Coding::Whole.size(flags)), [0, 12, 16, 12, 40, 0]);
    }

    #[test]
    fn components_outside_the_mask_are_stepped_over() {
        let mut body = Vec::new();
        for value in [1.0f32, 2.0, 3.0, 4.0] {
            body.extend(value.to_le_bytes());
        }
        // Tx, Tz, Sx, Sz, of which the mask leaves out Tx and Sz.
        let mut transform = Transform::IDENTITY;
        Coding::Floats.apply(0b0011_0110, 0b0101_0101, &body, &mut transform);
        assert_eq!(transform.position, [0.0, 0.0, 2.0]);
        assert_eq!(transform.scale, [3.0, 1.0, 1.0]);
    }

    #[test]
    fn a_share_is_above_the_least() {
        let ranges = Ranges {
            translation_min: [-1.0, 10.0, 0.0],
            translation_size: [2.0, 65535.0, 1.0],
            scale_min: [0.5; 3],
            scale_size: [0.5; 3],
        };
        let mut transform = Transform::IDENTITY;
        let body = [0xff, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x7f, 0xff, 0xff];
        Coding::Shares(ranges).apply(0x7f, 0b0100_1011, &body, &mut transform);
        assert_eq!(transform.position, [1.0, 13.0, 0.0]);
        assert_eq!(transform.rotation, [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(transform.scale, [1.0, 1.0, 1.0]);
    }
}
