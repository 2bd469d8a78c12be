//! Keys: the records of an animation's frames, their sizes and their effects.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use crate::encoding::{I16, UnigineRotation};
use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Data, Place, Record, Result, SmallSpan};
use zerocopy::little_endian as le;

use crate::layout::{
    self, FULL_ROTATION, FULL_SCALE, FULL_TRANSLATION, ROTATION, SCALE, TRANSLATION, Version,
};
use crate::reader::{Budget, Reader};
use crate::{Skeleton, Transform};

/// The number of frames between two entries of an animation's index. To read one frame, the records of at most this
/// number of frames are read.
pub const FRAME_BLOCK: usize = 64;

/// The ranges of an an10 animation: a stored `u16` is unorm, and decodes to `min + size * value`.
///
/// Writers make the size 1 larger than the range of the values. If the animation has no translations or no scales,
/// their range has no meaning: the minimum is 1e9 and the size -2e9.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// The smallest translation along each axis.
    pub translation_min: [f32; 3],
    /// The size of the range of translations.
    pub translation_size: [f32; 3],
    /// The smallest scale along each axis.
    pub scale_min: [f32; 3],
    /// The size of the range of scales.
    pub scale_size: [f32; 3],
}

impl From<layout::Ranges> for Ranges {
    fn from(record: layout::Ranges) -> Self {
        let layout::Ranges { translation_min, translation_size, scale_min, scale_size } = record;
        Ranges { translation_min, translation_size, scale_min, scale_size }
    }
}

/// How the components of a record are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum KeyEncoding {
    /// ms10 to ms12: each axis has its own flag. Axes are floats; a rotation is four snorm `i16`.
    SparseF32,
    /// an10: as [`SparseF32`](Self::SparseF32), but axes are unorm `u16` within ranges.
    SparseUnorm16(Ranges),
    /// an11: translation, rotation and scale have one flag each, and are floats.
    FullF32,
}

impl KeyEncoding {
    /// The number of bytes that follow the flags of a record.
    #[inline]
    pub(crate) const fn size(&self, flags: u8) -> usize {
        let axes = (flags & (TRANSLATION | SCALE)).count_ones() as usize;
        let rotation = (flags & ROTATION) as usize;
        // The size is at most 40, so nothing wraps.
        match self {
            // ROTATION is 8, which is also the number of bytes of a rotation.
            KeyEncoding::SparseF32 => axes.wrapping_mul(4).wrapping_add(rotation),
            KeyEncoding::SparseUnorm16(_) => axes.wrapping_mul(2).wrapping_add(rotation),
            KeyEncoding::FullF32 => {
                let threes = (flags & (FULL_TRANSLATION | FULL_SCALE)).count_ones() as usize;
                let four = (flags & FULL_ROTATION) as usize;
                threes.wrapping_mul(12).wrapping_add(four.wrapping_mul(8))
            }
        }
    }

    /// Applies a record to the transform of a bone. Components outside `mask` are skipped.
    pub(crate) fn apply(&self, mask: u8, flags: u8, body: &[u8], transform: &mut Transform) {
        let Transform { position, rotation, scale } = transform;
        let mut body = body;
        match self {
            KeyEncoding::SparseF32 => {
                let float = |body: &mut &[u8], _: usize| next::<f32>(body);
                apply_axes(flags, mask, 0, &mut body, position, float);
                apply_rotation(flags, mask, &mut body, rotation);
                apply_axes(flags, mask, 4, &mut body, scale, float);
            }
            KeyEncoding::SparseUnorm16(ranges) => {
                let Ranges { translation_min, translation_size, scale_min, scale_size } = ranges;
                apply_axes(flags, mask, 0, &mut body, position, |body, axis| {
                    unorm(body, axis, translation_min, translation_size)
                });
                apply_rotation(flags, mask, &mut body, rotation);
                apply_axes(flags, mask, 4, &mut body, scale, |body, axis| {
                    unorm(body, axis, scale_min, scale_size)
                });
            }
            KeyEncoding::FullF32 => {
                if flags & FULL_TRANSLATION != 0 {
                    apply_full(mask & FULL_TRANSLATION != 0, &mut body, position);
                }
                if flags & FULL_ROTATION != 0 {
                    apply_full(mask & FULL_ROTATION != 0, &mut body, rotation);
                }
                if flags & FULL_SCALE != 0 {
                    apply_full(mask & FULL_SCALE != 0, &mut body, scale);
                }
            }
        }
    }
}

fn next<T: Record>(body: &mut &[u8]) -> Option<T> {
    let (value, rest) = body.split_at_checked(T::SIZE)?;
    *body = rest;
    Some(T::read(value))
}

fn unorm(body: &mut &[u8], axis: usize, min: &[f32; 3], size: &[f32; 3]) -> Option<f32> {
    let value = f32::from(next::<u16>(body)?) / 65535.0;
    Some(min.get(axis)? + size.get(axis)? * value)
}

/// Applies three axes, each with its own flag from bit `first` on.
fn apply_axes(
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

fn apply_rotation(flags: u8, mask: u8, body: &mut &[u8], out: &mut [f32; 4]) {
    if flags & ROTATION != 0
        && let Some(raw) = next::<[i16; 4]>(body)
        && mask & ROTATION != 0
    {
        *out = UnigineRotation.decode(raw.map(le::I16::new));
    }
}

fn apply_full<const D: usize>(is_in_mask: bool, body: &mut &[u8], out: &mut [f32; D]) {
    if let Some(raw) = next::<[f32; D]>(body)
        && is_in_mask
    {
        *out = raw;
    }
}

/// The header of one animation, and the location of its records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Track {
    pub(crate) bones: SmallSpan,
    pub(crate) encoding: KeyEncoding,
    pub(crate) mask: u8,
    pub(crate) mask_offset: Option<u64>,
    pub(crate) frames: u32,
    pub(crate) frames_offset: u64,
    /// The offset of the first record.
    pub(crate) records: u64,
}

impl Track {
    /// Reads the header.
    pub(crate) fn read_header(reader: &mut Reader<'_>, version: Version) -> Result<Track> {
        let bones = reader.counted_table(2, "animation bones")?;
        let mut mask_offset = None;
        let (encoding, mask) = match version {
            Version::An11 => (KeyEncoding::FullF32, version.known_flags()),
            _ => {
                let encoding = match version {
                    Version::An10 => {
                        let ranges = reader.cursor.record::<layout::Ranges>("ranges")?;
                        KeyEncoding::SparseUnorm16(Ranges::from(ranges))
                    }
                    _ => KeyEncoding::SparseF32,
                };
                mask_offset = Some(reader.offset());
                (encoding, reader.cursor.u8("mask")?)
            }
        };
        let frames_offset = reader.offset();
        let frames = reader.count("frames")?;
        Ok(Track { bones, encoding, mask, mask_offset, frames, frames_offset, records: reader.offset() })
    }

    /// The number of bones that the animation moves. Their indices are in memory, so the number fits.
    pub(crate) fn bone_count(&self) -> usize {
        self.bones.count() as usize
    }

    fn bones<'a>(&self, data: Data<'a>) -> Result<Lens<'a, I16<1>>> {
        Lens::bind(data, self.bones.span(), 0, I16)
    }

    /// Steps over every record, and adds the state before each block of frames except the first to `blocks`.
    pub(crate) fn walk(
        &self,
        reader: &mut Reader<'_>,
        skeleton: Skeleton<'_, '_>,
        budget: &mut Budget,
        blocks: &mut Blocks,
    ) -> Result<()> {
        let (frames, bones) = (u64::from(self.frames), u64::from(self.bones.count()));
        if bones == 0 {
            return budget.spend_empty_frames(reader.data(), self.frames_offset, frames);
        }
        // The product of two u32 fits. A record has at least one byte, so more records than bytes are refused here.
        let records = frames.wrapping_mul(bones);
        reader.data().span(reader.offset(), records, 1, "frame records")?;
        budget.spend(reader, "frame records", records)?;
        let mut pose = Vec::new();
        if frames > FRAME_BLOCK as u64 {
            pose.resize(self.bone_count(), Transform::IDENTITY);
            skeleton.check_loaded()?;
            bind_pose_into(self.bones(reader.data())?, skeleton, &mut pose);
        }
        for frame in 0..frames {
            if frame > 0 && frame.is_multiple_of(FRAME_BLOCK as u64) {
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
            let body = reader.cursor.take(self.encoding.size(flags) as u64, "record")?;
            if let Some(transform) = pose.next() {
                self.encoding.apply(self.mask, flags, body, transform);
            }
        }
        Ok(())
    }
}

/// The bind transforms of the bones of an animation; the identity for a bone that the skeleton does not have.
pub(crate) fn bind_pose_into(bones: Lens<'_, I16<1>>, skeleton: Skeleton<'_, '_>, pose: &mut [Transform]) {
    for (out, bone) in pose.iter_mut().zip(bones) {
        let bone = usize::try_from(bone).ok();
        *out = bone.and_then(|bone| skeleton.transform(bone)).unwrap_or(Transform::IDENTITY);
    }
}

/// The offsets of all blocks of frames of an animation except the first, and the state of every bone at each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) offsets: Vec<u64>,
    pub(crate) poses: Vec<Transform>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_of_a_record_determine_its_length() {
        let ranges = Ranges {
            translation_min: [0.0; 3],
            translation_size: [1.0; 3],
            scale_min: [0.0; 3],
            scale_size: [1.0; 3],
        };
        let sizes =
            |flags: u8| [KeyEncoding::SparseF32.size(flags), KeyEncoding::SparseUnorm16(ranges).size(flags)];
        assert_eq!(sizes(0), [0, 0]);
        assert_eq!(sizes(0x7f), [32, 20]);
        assert_eq!(sizes(0x0f), [20, 14]);
        assert_eq!(sizes(0x08), [8, 8]);
        assert_eq!(sizes(0x44), [8, 4]);
        assert_eq!(sizes(0x80), [0, 0]);
        assert_eq!(
            [0, 1, 2, 4, 7, 0xf8].map(|flags| KeyEncoding::FullF32.size(flags)),
            [0, 12, 16, 12, 40, 0]
        );
    }

    #[test]
    fn components_outside_the_mask_are_skipped() {
        let mut body = Vec::new();
        for value in [1.0f32, 2.0, 3.0, 4.0] {
            body.extend(value.to_le_bytes());
        }
        // Tx, Tz, Sx and Sz; the mask leaves out Tx and Sz.
        let mut transform = Transform::IDENTITY;
        KeyEncoding::SparseF32.apply(0b0011_0110, 0b0101_0101, &body, &mut transform);
        assert_eq!(transform.position, [0.0, 0.0, 2.0]);
        assert_eq!(transform.scale, [3.0, 1.0, 1.0]);
    }

    #[test]
    fn unorm_integers_are_scaled_to_their_range() {
        let ranges = Ranges {
            translation_min: [-1.0, 10.0, 0.0],
            translation_size: [2.0, 65535.0, 1.0],
            scale_min: [0.5; 3],
            scale_size: [0.5; 3],
        };
        let mut transform = Transform::IDENTITY;
        let body = [0xff, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x7f, 0xff, 0xff];
        KeyEncoding::SparseUnorm16(ranges).apply(0x7f, 0b0100_1011, &body, &mut transform);
        assert_eq!(transform.position, [1.0, 13.0, 0.0]);
        assert_eq!(transform.rotation, [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(transform.scale, [1.0, 1.0, 1.0]);
    }
}
