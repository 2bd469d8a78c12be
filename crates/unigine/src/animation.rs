//! One animation: the bones that it moves, and its frames.

use crate::encoding::I16;
use meshlens_lens::Lens;
use meshlens_wire::{Complete, Error, ErrorKind, Name, Place, Result, Span};

use crate::anim_index::{AnimationEntry, AnimationsParts};
use crate::keys::{FRAME_BLOCK, KeyEncoding, bind_pose_into};
use crate::layout::Version;
use crate::reader::Reader;
use crate::{Ranges, Skeleton, Transform};

/// One animation (UNIGINE: MESH File Format, "For each animation"; ANIM File Format).
///
/// A frame contains one record for each bone of the animation, in the order of [`bones`](Self::bones). A record stores
/// the components that differ from the previous frame; in frame 0, those that differ from the bind transform of the
/// bone. Components outside the [`mask`](Self::mask) keep the bind transform. Frames have no time: the application
/// chooses the rate.
#[derive(Clone, Copy, Debug)]
pub struct Animation<'d, 'a> {
    skeleton: Skeleton<'d, 'a>,
    found: AnimationEntry<'d, 'a>,
    index: usize,
}

/// The record of one bone in one frame.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The absolute offset of its flags.
    pub offset: u64,
    /// The components that are stored; the constants in [`layout`](crate::layout) name the bits.
    pub flags: u8,
    /// The components as they are stored.
    pub body: &'a [u8],
}

impl<'d, 'a> Animation<'d, 'a> {
    pub(crate) fn find(parts: &'d AnimationsParts, skeleton: Skeleton<'d, 'a>, index: usize) -> Option<Self> {
        let found = parts.find(skeleton.data(), skeleton.version(), index)?;
        Some(Animation { skeleton, found, index })
    }

    /// The index of the animation in the file.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The name; empty in an11, which has no names.
    pub const fn name(&self) -> Name<'a> {
        self.found.name
    }

    /// The absolute offset of the animation's data. Its name is elsewhere.
    pub const fn offset(&self) -> u64 {
        self.found.offset
    }

    /// The skeleton of the file.
    pub const fn skeleton(&self) -> Skeleton<'d, 'a> {
        self.skeleton
    }

    /// The location of the bone indices, an `i16` each.
    pub const fn bones_span(&self) -> Span {
        self.found.track.bones.span()
    }

    /// The indices of the bones that it moves, **unchecked**: a broken file may contain indices out of range.
    pub fn bones(&self) -> Lens<'a, I16<1>> {
        Lens::bind_in::<Complete>(self.skeleton.data(), self.bones_span(), 0, I16)
    }

    /// The number of bones that it moves: the length of a pose.
    pub fn bone_count(&self) -> usize {
        self.found.track.bone_count()
    }

    /// The number of frames; 0 in some an11 files.
    pub const fn frame_count(&self) -> usize {
        self.found.track.frames as usize
    }

    /// The absolute offset of the number of frames.
    pub const fn frame_count_offset(&self) -> u64 {
        self.found.track.frames_offset
    }

    /// The components that it moves, as flags of a record. In an11, which has no mask, all components.
    pub const fn mask(&self) -> u8 {
        self.found.track.mask
    }

    /// The absolute offset of the mask; `None` in an11.
    pub const fn mask_offset(&self) -> Option<u64> {
        self.found.track.mask_offset
    }

    /// How the components of records are stored.
    pub const fn key_encoding(&self) -> KeyEncoding {
        self.found.track.encoding
    }

    /// The ranges of translations and scales; `None` if the version is not an10.
    pub const fn ranges(&self) -> Option<Ranges> {
        match self.found.track.encoding {
            KeyEncoding::SparseUnorm16(ranges) => Some(ranges),
            _ => None,
        }
    }

    /// The version of the file.
    pub const fn version(&self) -> Version {
        self.skeleton.version()
    }

    /// Every record, frame by frame, and in each frame bone by bone. O(records).
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'d, 'a> {
        let animation = *self;
        let track = animation.found.track;
        let mut reader = Reader::at(animation.skeleton.data(), track.records).ok();
        // The product of two u32 fits.
        let count = u64::from(track.frames) * u64::from(track.bones.count());
        (0..count).map_while(move |_| animation.record(reader.as_mut()?))
    }

    /// The record at a reader.
    pub(crate) fn record(&self, reader: &mut Reader<'a>) -> Option<Record<'a>> {
        let offset = reader.offset();
        // Parsing has walked every record, so this is `None` only if the bytes have changed.
        let flags = reader.cursor.u8("record flags").ok()?;
        let body = reader.cursor.take(self.found.track.encoding.size(flags) as u64, "record").ok()?;
        Some(Record { offset, flags, body })
    }

    /// Applies a record to the transform of its bone.
    pub fn apply(&self, record: &Record<'_>, transform: &mut Transform) {
        self.found.track.encoding.apply(self.mask(), record.flags, record.body, transform);
    }

    fn place(&self) -> Place {
        Place::new("animation", self.index as u64)
    }

    /// Checks that `what` has `expected` elements; it has `found`.
    pub(crate) fn check_length(&self, what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        Err(self.skeleton.data().length_error(self.offset(), what, expected, found).at(self.place()))
    }

    pub(crate) fn check_frame(&self, frame: usize) -> Result<()> {
        if frame < self.frame_count() {
            return Ok(());
        }
        let (data, offset) = (self.skeleton.data(), self.frame_count_offset());
        Err(data.index_error(offset, "frame", frame, self.frame_count()).at(self.place()))
    }

    /// Decodes one frame into `out`: the transform of each bone of the animation, local to its parent. Reads the
    /// records of at most [`FRAME_BLOCK`] frames and allocates nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if `frame` is out of range; [`ErrorKind::Length`] if `out` does not have one transform for
    /// each bone of the animation.
    pub fn frame_into(&self, frame: usize, out: &mut [Transform]) -> Result<()> {
        self.check_length("transforms of the output", self.bone_count(), out.len())?;
        self.check_frame(frame)?;
        let mut reader = self.block_into(frame, out)?;
        for _ in 0..=frame % FRAME_BLOCK {
            self.advance(&mut reader, out);
        }
        Ok(())
    }

    /// Writes the state of the bones before the block of frames that holds `frame`, and returns a reader at the block's
    /// first record.
    pub(crate) fn block_into(&self, frame: usize, out: &mut [Transform]) -> Result<Reader<'a>> {
        let data = self.skeleton.data();
        let saved = (frame / FRAME_BLOCK).checked_sub(1).and_then(|block| {
            let poses = self.found.block_poses.get(block.checked_mul(self.bone_count())?..)?;
            Some((*self.found.block_offsets.get(block)?, poses))
        });
        if let Some((offset, poses)) = saved {
            for (out, pose) in out.iter_mut().zip(poses) {
                *out = *pose;
            }
            return Reader::at(data, offset);
        }
        self.bind_pose_into(out);
        Reader::at(data, self.found.track.records)
    }

    /// The bind transforms of the animation's bones; the identity for a bone that the skeleton does not have.
    pub(crate) fn bind_pose_into(&self, out: &mut [Transform]) {
        bind_pose_into(self.bones(), self.skeleton, out);
    }

    /// Advances a pose by one frame.
    pub(crate) fn advance(&self, reader: &mut Reader<'a>, pose: &mut [Transform]) {
        for transform in pose {
            if let Some(record) = self.record(reader) {
                self.apply(&record, transform);
            }
        }
    }

    /// Copies a pose of this animation's bones into a pose of the whole skeleton, local to the parents. Bones that the
    /// animation does not move keep their transforms.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `pose` does not have one transform for each bone of the animation; [`ErrorKind::Index`]
    /// if a bone index is not below the length of `skeleton_pose`.
    pub fn apply_pose(&self, pose: &[Transform], skeleton_pose: &mut [Transform]) -> Result<()> {
        self.check_length("transforms of the pose", self.bone_count(), pose.len())?;
        let count = skeleton_pose.len() as u64;
        let bones = self.bones();
        for (index, (bone, transform)) in bones.iter().zip(pose).enumerate() {
            let slot = usize::try_from(bone).ok().and_then(|bone| skeleton_pose.get_mut(bone));
            *slot.ok_or_else(|| self.bone_error(&bones, index, bone, count))? = *transform;
        }
        Ok(())
    }

    fn bone_error(&self, bones: &Lens<'a, I16<1>>, index: usize, bone: i16, count: u64) -> Error {
        let kind = ErrorKind::Index { what: "bone", index: bone.into(), count };
        self.skeleton.data().error(bones.byte_range().start + 2 * index as u64, kind).at(self.place())
    }
}
