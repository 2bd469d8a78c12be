//! One animation: which bones it moves, and its frames.

use meshlens_lens::Lens;
use meshlens_lens::encoding::I16;
use meshlens_wire::{Error, ErrorKind, Expected, Name, Place, Result};

use crate::frames::{Coding, FRAME_BLOCK, Ranges, no_such_frame};
use crate::layout::Version;
use crate::reader::Reader;
use crate::tracks::{AnimationsParts, Found};
use crate::{Player, Skeleton, Transform};

/// One animation (UNIGINE: MESH File Format, "For each animation"; ANIM File Format).
///
/// Frames hold a record for each of the animation's bones, in their order. A record stores what changed; the rest is
/// as in the frame before, and in frame 0 as in the bone's bind transform. What the mask leaves out stays at the bind
/// transform throughout. Frames carry no time; the engine plays as many in a second as its caller says.
#[derive(Clone, Copy, Debug)]
pub struct Animation<'d, 'a> {
    skeleton: Skeleton<'d, 'a>,
    found: Found<'d, 'a>,
    index: usize,
}

/// One bone's record in one frame.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Absolute offset of its flags.
    pub offset: u64,
    /// Which components are stored; the constants in [`layout`](crate::layout) name the bits.
    pub flags: u8,
    /// The components, as they lie.
    pub body: &'a [u8],
}

impl<'d, 'a> Animation<'d, 'a> {
    pub(crate) fn find(parts: &'d AnimationsParts, skeleton: Skeleton<'d, 'a>, index: usize) -> Option<Self> {
        let found = parts.find(skeleton.data(), skeleton.version(), index)?;
        Some(Animation { skeleton, found, index })
    }

    /// The animation's number in the file.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The name; empty in an11, which has none.
    pub const fn name(&self) -> Name<'a> {
        self.found.name
    }

    /// Absolute offset of the animation's data, its name apart.
    pub const fn offset(&self) -> u64 {
        self.found.offset
    }

    /// The skeleton of the file.
    pub const fn skeleton(&self) -> Skeleton<'d, 'a> {
        self.skeleton
    }

    /// The numbers of the bones it moves, **unchecked**: a broken file may hold numbers that name no bone.
    pub fn bones(&self) -> Lens<'a, I16<1>> {
        self.found.track.bones.lens(self.skeleton.data(), I16)
    }

    /// How many bones it moves: the length of a pose.
    pub fn bone_count(&self) -> usize {
        self.found.track.bones.len()
    }

    /// How many frames there are; 0 occurs in an11.
    pub fn frame_count(&self) -> usize {
        usize::try_from(self.found.track.frames).unwrap_or(usize::MAX)
    }

    /// Absolute offset of the count of frames.
    pub const fn frame_count_offset(&self) -> u64 {
        self.found.track.frames_offset
    }

    /// The components it moves, as flags of a record; in an11, which has no mask, all.
    pub const fn mask(&self) -> u8 {
        self.found.track.mask
    }

    /// Absolute offset of the mask; `None` in an11.
    pub const fn mask_offset(&self) -> Option<u64> {
        self.found.track.mask_offset
    }

    /// The ranges that translations and scales are shares of; only in an10.
    pub const fn ranges(&self) -> Option<Ranges> {
        match self.found.track.coding {
            Coding::Shares(ranges) => Some(ranges),
            _ => None,
        }
    }

    /// The version of the file.
    pub const fn version(&self) -> Version {
        self.skeleton.version()
    }

    pub(crate) const fn found(&self) -> &Found<'d, 'a> {
        &self.found
    }

    /// Every record, frame by frame and in each frame bone by bone. None where there are no bones.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'d, 'a> {
        let animation = *self;
        let track = animation.found.track;
        let mut reader = Reader::at(animation.skeleton.data(), track.records).ok();
        let count = u64::from(track.frames).saturating_mul(track.bones.count.into());
        (0..count).map_while(move |_| animation.record(reader.as_mut()?))
    }

    /// The record a reader stands at.
    pub(crate) fn record(&self, reader: &mut Reader<'a>) -> Option<Record<'a>> {
        let offset = reader.offset();
        let flags = reader.cursor.u8("record flags").ok()?;
        let body = reader.cursor.take(self.found.track.coding.size(flags) as u64, "record").ok()?;
        Some(Record { offset, flags, body })
    }

    /// Brings a transform up to what a record says.
    pub fn apply(&self, record: &Record<'_>, transform: &mut Transform) {
        self.found.track.coding.apply(self.mask(), record.flags, record.body, transform);
    }

    pub(crate) fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        self.skeleton.data().error(offset, kind).at(Place::new("animation", self.index as u64))
    }

    fn check(&self, found: usize) -> Result<()> {
        if found == self.bone_count() {
            return Ok(());
        }
        let expected = Expected::Exactly(i64::try_from(self.bone_count()).unwrap_or(i64::MAX));
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        Err(self.error(self.offset(), ErrorKind::Value { what: "output length", expected, found }))
    }

    /// One frame: the transform of each of the animation's bones, local to its parent. Reads the records of at most
    /// [`FRAME_BLOCK`] frames, and allocates nothing.
    ///
    /// # Errors
    ///
    /// A frame past the last, or an output that does not hold one transform for each of the animation's bones.
    pub fn frame_into(&self, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.check(out.len())?;
        if frame >= self.frame_count() {
            let error = no_such_frame(self.skeleton.data(), &self.found.track, frame);
            return Err(error.at(Place::new("animation", self.index as u64)));
        }
        let mut reader = self.block_into(frame, out)?;
        let in_block = frame.checked_rem(FRAME_BLOCK).unwrap_or_default();
        for _ in 0..=in_block {
            self.advance(&mut reader, out);
        }
        Ok(())
    }

    /// The bones' state before the block of frames that holds `frame`, and a reader at its first record.
    pub(crate) fn block_into(&self, frame: usize, out: &mut [Transform]) -> Result<Reader<'a>> {
        let data = self.skeleton.data();
        let block = frame.checked_div(FRAME_BLOCK).unwrap_or_default();
        let saved = block.checked_sub(1).and_then(|block| {
            let poses = self.found.block_poses.get(block.checked_mul(self.bone_count())?..)?;
            Some((*self.found.block_offsets.get(block)?, poses))
        });
        if let Some((offset, poses)) = saved {
            for (out, pose) in out.iter_mut().zip(poses) {
                *out = *pose;
            }
            return Reader::at(data, offset);
        }
        self.bind_into(out);
        Reader::at(data, self.found.track.records)
    }

    /// The bind transforms of the animation's bones; the identity for a number that names no bone.
    pub(crate) fn bind_into(&self, out: &mut [Transform]) {
        for (out, bone) in out.iter_mut().zip(self.bones()) {
            let bone = usize::try_from(bone).ok();
            *out = bone.and_then(|bone| self.skeleton.transform(bone)).unwrap_or_default();
        }
    }

    /// Brings a pose from one frame to the next.
    pub(crate) fn advance(&self, reader: &mut Reader<'a>, pose: &mut [Transform]) {
        for transform in pose {
            // Every record was proven; one is missing only from a mapped file that changes.
            if let Some(record) = self.record(reader) {
                self.apply(&record, transform);
            }
        }
    }

    /// Plays frames forward, and samples between them.
    pub fn player(&self) -> Player<'d, 'a> {
        Player::new(*self)
    }

    /// Puts a pose of this animation's bones into a pose of the whole skeleton, local to the parents; bones it does
    /// not move stay as they are.
    ///
    /// # Errors
    ///
    /// A pose of another length, or a bone number that is not below the length of `skeleton_pose`.
    pub fn apply_pose(&self, pose: &[Transform], skeleton_pose: &mut [Transform]) -> Result<()> {
        self.check(pose.len())?;
        let bones = self.bones();
        for (index, bone) in bones.iter().enumerate() {
            let slot = usize::try_from(bone).ok().and_then(|bone| skeleton_pose.get_mut(bone));
            let (Some(slot), Some(transform)) = (slot, pose.get(index)) else {
                let count = skeleton_pose.len() as u64;
                let offset = bones.byte_range().start.saturating_add((index as u64).saturating_mul(2));
                return Err(self.error(offset, ErrorKind::Index { what: "bone", index: bone.into(), count }));
            };
            *slot = *transform;
        }
        Ok(())
    }
}
