//! Frame records: their sizes, what they change, and the walk that proves them.

use alloc::vec::Vec;

use meshlens_wire::{Data, ErrorKind, Place, Result};
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
    pub(crate) fn walk(
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

    pub(crate) fn walk_frame(
        &self,
        reader: &mut Reader<'_>,
        bones: u64,
        pose: &mut [Transform],
    ) -> Result<()> {
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
