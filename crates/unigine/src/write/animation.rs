//! An animation as its records, and the encoding of poses as records.

use alloc::vec::Vec;

use crate::encoding::UnigineRotation;
use meshlens_lens::Encode;
use meshlens_wire::{ErrorKind, Result, Writer};
use zerocopy::IntoBytes;

use super::{CHECKS, name};
use crate::keys::KeyEncoding;
use crate::layout::{FULL_ROTATION, FULL_SCALE, FULL_TRANSLATION, ROTATION, SCALE, TRANSLATION, Version};
use crate::{Ranges, Transform};

/// The range that writers store if a track has no values: from 1e9 to -1e9, so that its size is -2e9 + 1.
const NO_MIN: f32 = 1e9;
const NO_SIZE: f32 = -2e9;

/// One animation. Its records are kept as they are stored, so reading and writing a file changes nothing.
/// [`new`](Animation::new) encodes records from poses.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// The name, with its NUL; empty in an11.
    pub name: Vec<u8>,
    /// The indices of the bones that it moves.
    pub bones: Vec<i16>,
    /// The ranges of translations and scales; only in an10.
    pub ranges: Option<Ranges>,
    /// The components that it moves, as flags of a record; not written in an11.
    pub mask: u8,
    /// The number of frames.
    pub frame_count: u32,
    /// A record for each bone of each frame, frame by frame, as stored: flags, then components.
    pub records: Vec<u8>,
}

impl Animation {
    /// Encodes an animation from the poses of its frames, as `version` stores it: all bones of frame 0, then all bones
    /// of frame 1, and so on, local to their parents.
    ///
    /// Frame 0 stores every component of `mask`, which has the bits of a record's flags. Later frames store the
    /// components whose stored value differs from the frame before. In an10, translations and scales become unorm
    /// integers of their ranges, truncated; the size of a range is 1 larger than the range of its values, as the
    /// engine's tools write it.
    ///
    /// # Errors
    ///
    /// The version has no animations, the mask has unknown bits, a range of values exceeds a float, the number of transforms is not a multiple of the
    /// number of bones, or the name contains a NUL.
    pub fn new(version: Version, text: &str, bones: &[i16], mask: u8, frames: &[Transform]) -> Result<Self> {
        if !version.has_animations() && version != Version::An11 {
            return Err(CHECKS.value("version", "a version with animations", 0));
        }
        if mask & !version.known_flags() != 0 {
            return Err(CHECKS.value("mask", "bits that name components", mask.into()));
        }
        // Without bones, there are no transforms and therefore no frames.
        let width = bones.len().max(1);
        let frame_count = frames.len() / width;
        let expected = frame_count * bones.len();
        CHECKS.length("transforms of all frames", expected, frames.len())?;
        let ranges = (version == Version::An10).then(|| ranges(mask, frames));
        let sizes = ranges.map_or([[0.0; 3]; 2], |ranges| [ranges.translation_size, ranges.scale_size]);
        if !sizes.as_flattened().iter().all(|size| size.is_finite()) {
            return Err(CHECKS.error(ErrorKind::NotFinite { what: "range of translations or scales" }));
        }
        let encoding = key_encoding(version, ranges);
        let mut records = Vec::new();
        let mut stored = alloc::vec![[Component::default(); 7]; bones.len()];
        for (index, frame) in frames.chunks(width).enumerate() {
            for (transform, before) in frame.iter().zip(&mut stored) {
                let now = encode(&encoding, transform);
                write_record(mask, &now, (index > 0).then_some(before), &mut records);
                *before = now;
            }
        }
        Ok(Animation {
            name: if version.has_animations() { name(text)? } else { Vec::new() },
            bones: bones.to_vec(),
            ranges,
            mask,
            frame_count: u32::try_from(frame_count)
                .map_err(|_| CHECKS.limit("frames", u32::MAX.into(), frame_count))?,
            records,
        })
    }

    pub(super) fn write(&self, out: &mut Writer, version: Version, bones: usize) -> Result<()> {
        CHECKS.all_below("bone", self.bones.iter().copied(), bones)?;
        if self.ranges.is_some() != (version == Version::An10) {
            let found = usize::from(self.ranges.is_some());
            return Err(CHECKS.value("ranges", "ranges in an10 and nowhere else", found));
        }
        self.check_records(&key_encoding(version, self.ranges))?;
        out.compact_count(self.bones.len(), "animation bones")?;
        out.i16s(&self.bones);
        if let Some(ranges) = &self.ranges {
            out.f32s(&ranges.translation_min);
            out.f32s(&ranges.translation_size);
            out.f32s(&ranges.scale_min);
            out.f32s(&ranges.scale_size);
        }
        if version != Version::An11 {
            out.u8(self.mask);
        }
        out.compact_count(self.frame_count as usize, "frames")?;
        out.bytes(&self.records);
        Ok(())
    }

    /// Checks that the records end exactly after the last frame.
    fn check_records(&self, encoding: &KeyEncoding) -> Result<()> {
        let mut rest = self.records.as_slice();
        let mut found = 0usize;
        while let Some((flags, after)) = rest.split_first() {
            let Some(after) = after.get(encoding.size(*flags)..) else { break };
            rest = after;
            found += 1;
        }
        let expected = CHECKS.product("records", self.bones.len(), self.frame_count as usize)?;
        CHECKS.length("records", expected, found)?;
        CHECKS.length("bytes after the last record", 0, rest.len())
    }

    /// Copies an animation out of its file.
    pub(super) fn copy(animation: &crate::Animation<'_, '_>) -> Animation {
        let mut records = Vec::new();
        for record in animation.records() {
            records.push(record.flags);
            records.extend_from_slice(record.body);
        }
        Animation {
            name: animation.name().raw().to_vec(),
            bones: animation.bones().iter().collect(),
            ranges: animation.ranges(),
            mask: animation.mask(),
            // The file stores it as a u32.
            frame_count: animation.frame_count() as u32,
            records,
        }
    }
}

fn key_encoding(version: Version, ranges: Option<Ranges>) -> KeyEncoding {
    match (version, ranges) {
        (Version::An11, _) => KeyEncoding::FullF32,
        (_, Some(ranges)) => KeyEncoding::SparseUnorm16(ranges),
        (_, None) => KeyEncoding::SparseF32,
    }
}

/// The ranges of the values of all tracks in the mask.
fn ranges(mask: u8, frames: &[Transform]) -> Ranges {
    let (translation_min, translation_size) = range(mask & TRANSLATION, frames.iter().map(|t| t.position));
    let (scale_min, scale_size) = range(mask & SCALE, frames.iter().map(|t| t.scale));
    Ranges { translation_min, translation_size, scale_min, scale_size }
}

fn range(mask: u8, values: impl Iterator<Item = [f32; 3]>) -> ([f32; 3], [f32; 3]) {
    let bounds = if mask == 0 { None } else { meshlens_lens::Bounds::around(values) };
    let Some(bounds) = bounds else { return ([NO_MIN; 3], [NO_SIZE; 3]) };
    let mut size = bounds.max;
    for (size, min) in size.iter_mut().zip(bounds.min) {
        *size = *size - min + 1.0;
    }
    (bounds.min, size)
}

/// A component as it is stored: its flag, and the first `len` bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Component {
    flag: u8,
    bytes: [u8; 16],
    len: usize,
}

impl Component {
    fn new(flag: u8, stored: &[u8]) -> Self {
        let mut component = Component { flag, len: stored.len(), ..Component::default() };
        for (to, from) in component.bytes.iter_mut().zip(stored) {
            *to = *from;
        }
        component
    }
}

/// The components of a bone in the order of a record. Components with a flag of 0 do not exist.
type Components = [Component; 7];

fn encode(encoding: &KeyEncoding, transform: &Transform) -> Components {
    let Transform { position, rotation, scale } = transform;
    let none = Component::default();
    let (translation, scale) = match encoding {
        KeyEncoding::FullF32 => {
            let translation = Component::new(FULL_TRANSLATION, position.map(f32::to_le_bytes).as_flattened());
            let rotation = Component::new(FULL_ROTATION, rotation.map(f32::to_le_bytes).as_flattened());
            let scale = Component::new(FULL_SCALE, scale.map(f32::to_le_bytes).as_flattened());
            return [translation, rotation, scale, none, none, none, none];
        }
        KeyEncoding::SparseF32 => (axes(1, *position, None), axes(16, *scale, None)),
        KeyEncoding::SparseUnorm16(ranges) => (
            axes(1, *position, Some((ranges.translation_min, ranges.translation_size))),
            axes(16, *scale, Some((ranges.scale_min, ranges.scale_size))),
        ),
    };
    let turn = Component::new(ROTATION, UnigineRotation.encode(*rotation).as_bytes());
    let ([tx, ty, tz], [sx, sy, sz]) = (translation, scale);
    [tx, ty, tz, turn, sx, sy, sz]
}

/// Three axes, the first with flag `first`: floats, or unorm integers of a range, truncated.
fn axes(first: u8, values: [f32; 3], range: Option<([f32; 3], [f32; 3])>) -> [Component; 3] {
    let mut axes = [Component::default(); 3];
    // Floats have no range.
    let (min, size) = range.unwrap_or(([0.0; 3], [1.0; 3]));
    let parts = values.into_iter().zip(min).zip(size);
    for ((bit, axis), ((value, min), size)) in (0u32..).zip(&mut axes).zip(parts) {
        let flag = first.wrapping_shl(bit);
        *axis = match range {
            // A float cast saturates and takes NaN to zero.
            Some(_) => Component::new(flag, &(((value - min) / size * 65535.0) as u16).to_le_bytes()),
            None => Component::new(flag, &value.to_le_bytes()),
        };
    }
    axes
}

/// Appends a record with the components in the mask that differ from `before`, or with all of them if there is no
/// `before`.
fn write_record(mask: u8, now: &Components, before: Option<&Components>, out: &mut Vec<u8>) {
    let at = out.len();
    out.push(0);
    let mut flags = 0;
    for (index, component) in now.iter().enumerate() {
        let is_same = before.is_some_and(|before| before.get(index) == Some(component));
        if component.flag & mask != 0 && !is_same {
            flags |= component.flag;
            out.extend_from_slice(component.bytes.get(..component.len).unwrap_or(&component.bytes));
        }
    }
    if let Some(slot) = out.get_mut(at) {
        *slot = flags;
    }
}
