//! An animation as its records, and the making of records from poses.

use alloc::vec::Vec;

use meshlens_lens::Encode;
use meshlens_lens::encoding::UnigineRotation;
use meshlens_wire::Result;
use zerocopy::IntoBytes;

use super::name;
use super::output::{Output, bone_number, mismatch, value};
use crate::frames::Coding;
use crate::layout::{FULL_ROTATION, FULL_SCALE, FULL_TRANSLATION, ROTATION, SCALE, TRANSLATION, Version};
use crate::{Ranges, Transform};

/// What writers store where a track has no values: least 1e9, and with it a size of (-1e9 - 1e9) + 1.
const NO_MIN: f32 = 1e9;
const NO_SIZE: f32 = -2e9;

/// One animation. Its records are kept as they are stored, so that a rewrite changes nothing;
/// [`new`](Animation::new) makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// The name, with its NUL; nothing in an11.
    pub name: Vec<u8>,
    /// The numbers of the bones it moves.
    pub bones: Vec<i16>,
    /// The ranges that translations and scales are shares of; only in an10.
    pub ranges: Option<Ranges>,
    /// The components it moves, as flags of a record; not written in an11.
    pub mask: u8,
    /// How many frames there are.
    pub frame_count: u32,
    /// For each frame and in it for each bone a record, as it is stored: flags, then components.
    pub records: Vec<u8>,
}

impl Animation {
    /// An animation in the coding of `version`, from the poses of its frames: all bones of frame 0, then all of frame 1,
    /// and so on, local to their parents.
    ///
    /// Frame 0 stores every component of `mask`, which has the bits of a record's flags; later frames store what is
    /// stored differently from the frame before. In an10 translations and scales become shares of their ranges, whose
    /// sizes are 1 larger than what the values span, as the engine's tools write them; the fraction is cut off.
    ///
    /// # Errors
    ///
    /// A version without animations, a mask of bits that name no component, a number of transforms that is no multiple
    /// of the bones, or a name that does not fit.
    pub fn new(version: Version, text: &str, bones: &[i16], mask: u8, frames: &[Transform]) -> Result<Self> {
        if !version.has_animations() && version != Version::An11 {
            return Err(value("version", "a version with animations", 0));
        }
        if mask & !version.known_flags() != 0 {
            return Err(value("mask", "bits that name components", mask.into()));
        }
        let frame_count = frames.len().checked_div(bones.len()).unwrap_or_default();
        if frame_count.checked_mul(bones.len()) != Some(frames.len()) {
            let expected = frame_count.saturating_mul(bones.len());
            return Err(mismatch("transforms of all frames", expected, frames.len()));
        }
        let ranges = (version == Version::An10).then(|| ranges(mask, frames));
        let coding = coding(version, ranges);
        let mut records = Vec::new();
        let mut stored = alloc::vec![[Component::default(); 7]; bones.len()];
        for (index, frame) in frames.chunks(bones.len().max(1)).enumerate() {
            for (transform, before) in frame.iter().zip(&mut stored) {
                let now = encode(&coding, transform);
                write_record(mask, &now, (index > 0).then_some(before), &mut records);
                *before = now;
            }
        }
        Ok(Animation {
            name: if version.has_animations() { name(text)? } else { Vec::new() },
            bones: bones.to_vec(),
            ranges,
            mask,
            frame_count: u32::try_from(frame_count).unwrap_or(u32::MAX),
            records,
        })
    }

    pub(super) fn write(&self, out: &mut Output, bones: usize) -> Result<()> {
        self.bones.iter().try_for_each(|bone| bone_number(*bone, bones))?;
        if self.ranges.is_some() != (out.version == Version::An10) {
            return Err(value(
                "ranges",
                "ranges in an10 and nowhere else",
                usize::from(self.ranges.is_some()),
            ));
        }
        self.check_records(&coding(out.version, self.ranges))?;
        out.count(self.bones.len(), "animation bones")?;
        self.bones.iter().for_each(|bone| out.bytes(&bone.to_le_bytes()));
        if let Some(ranges) = &self.ranges {
            out.floats(&ranges.translation_min);
            out.floats(&ranges.translation_size);
            out.floats(&ranges.scale_min);
            out.floats(&ranges.scale_size);
        }
        if out.version != Version::An11 {
            out.bytes(&[self.mask]);
        }
        out.count(usize::try_from(self.frame_count).unwrap_or(usize::MAX), "frames")?;
        out.bytes(&self.records);
        Ok(())
    }

    /// The records are those of so many frames, to the byte.
    fn check_records(&self, coding: &Coding) -> Result<()> {
        let expected = (self.bones.len() as u64).saturating_mul(self.frame_count.into());
        let mut rest = self.records.as_slice();
        let mut found = 0u64;
        while let Some((flags, behind)) = rest.split_first() {
            let Some(behind) = behind.get(coding.size(*flags)..) else { break };
            rest = behind;
            found = found.saturating_add(1);
        }
        if rest.is_empty() && found == expected {
            return Ok(());
        }
        let to_usize = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Err(mismatch("records", to_usize(expected), to_usize(found)))
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
            frame_count: u32::try_from(animation.frame_count()).unwrap_or(u32::MAX),
            records,
        }
    }
}

fn coding(version: Version, ranges: Option<Ranges>) -> Coding {
    match (version, ranges) {
        (Version::An11, _) => Coding::Whole,
        (_, Some(ranges)) => Coding::Shares(ranges),
        (_, None) => Coding::Floats,
    }
}

/// The ranges of all values of the tracks there are.
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

/// A component as it is stored: its flag, its bytes, and how many of them count.
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

/// A bone's components in the order of a record; those without a flag are not there.
type Components = [Component; 7];

fn encode(coding: &Coding, transform: &Transform) -> Components {
    let Transform { position, rotation, scale } = transform;
    let none = Component::default();
    let (translation, scale) = match coding {
        Coding::Whole => {
            let translation = Component::new(FULL_TRANSLATION, position.map(f32::to_le_bytes).as_flattened());
            let rotation = Component::new(FULL_ROTATION, rotation.map(f32::to_le_bytes).as_flattened());
            let scale = Component::new(FULL_SCALE, scale.map(f32::to_le_bytes).as_flattened());
            return [translation, rotation, scale, none, none, none, none];
        }
        Coding::Floats => (axes(1, *position, None), axes(16, *scale, None)),
        Coding::Shares(ranges) => (
            axes(1, *position, Some((ranges.translation_min, ranges.translation_size))),
            axes(16, *scale, Some((ranges.scale_min, ranges.scale_size))),
        ),
    };
    let turn = Component::new(ROTATION, UnigineRotation.encode(*rotation).as_bytes());
    let ([tx, ty, tz], [sx, sy, sz]) = (translation, scale);
    [tx, ty, tz, turn, sx, sy, sz]
}

/// Three axes, the first with flag `first`: floats, or shares of a range with the fraction cut off.
fn axes(first: u8, values: [f32; 3], range: Option<([f32; 3], [f32; 3])>) -> [Component; 3] {
    let mut axes = [Component::default(); 3];
    let (min, size) = range.unwrap_or_default();
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

/// Appends a record of the masked components that differ from those before; of all without any before.
fn write_record(mask: u8, now: &Components, before: Option<&Components>, out: &mut Vec<u8>) {
    let at = out.len();
    out.push(0);
    let mut flags = 0;
    for (index, component) in now.iter().enumerate() {
        let is_same = before.is_some_and(|before| before.get(index) == Some(component));
        if component.flag & mask != 0 && !is_same {
            flags |= component.flag;
            out.extend_from_slice(component.bytes.get(..component.len).unwrap_or_default());
        }
    }
    if let Some(slot) = out.get_mut(at) {
        *slot = flags;
    }
}
