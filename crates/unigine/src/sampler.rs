//! Sampling an animation: frame after frame, any frame, or between two of them.

use alloc::vec::Vec;

use meshlens_wire::Result;

use crate::keys::FRAME_BLOCK;
use crate::reader::Reader;
use crate::{Animation, Interpolation, Transform};

impl<'d, 'a> Animation<'d, 'a> {
    /// Returns a sampler, which plays frames forward, seeks, and interpolates between frames.
    pub fn sampler(&self) -> Sampler<'d, 'a> {
        self.sampler_in(SamplerMemory::default())
    }

    /// Like [`sampler`](Self::sampler), in memory that [`Sampler::into_memory`] has returned.
    pub fn sampler_in(&self, memory: SamplerMemory) -> Sampler<'d, 'a> {
        let SamplerMemory([mut pose, mut before, mut sampled]) = memory;
        for memory in [&mut pose, &mut before, &mut sampled] {
            memory.resize(self.bone_count(), Transform::IDENTITY);
        }
        self.bind_pose_into(&mut pose);
        Sampler { animation: *self, reader: None, frame: None, pose, before, has_before: false, sampled }
    }
}

/// The memory of a [`Sampler`], with which another one allocates nothing if its animation has no more bones.
#[derive(Debug, Default)]
pub struct SamplerMemory([Vec<Transform>; 3]);

/// Plays an animation: its current pose, which can advance, seek, or be interpolated.
///
/// Playing forward reads each record once. Seeking backward, or far ahead, starts at the nearest entry of the index. A
/// sampler allocates three poses when it is made, and nothing later.
#[derive(Clone, Debug)]
pub struct Sampler<'d, 'a> {
    animation: Animation<'d, 'a>,
    /// At the first record after the frame of `pose`.
    reader: Option<Reader<'a>>,
    /// The frame of `pose`; `None` before the first.
    frame: Option<usize>,
    pose: Vec<Transform>,
    /// The frame before the frame of `pose`, if `has_before` is set. It is needed to sample between two frames.
    before: Vec<Transform>,
    has_before: bool,
    sampled: Vec<Transform>,
}

impl<'d, 'a> Sampler<'d, 'a> {
    /// The memory of the sampler, for the next one.
    pub fn into_memory(self) -> SamplerMemory {
        SamplerMemory([self.pose, self.before, self.sampled])
    }

    /// The animation.
    pub const fn animation(&self) -> &Animation<'d, 'a> {
        &self.animation
    }

    /// The index of the current frame; `None` before the first.
    pub const fn frame(&self) -> Option<usize> {
        self.frame
    }

    /// The pose of the current frame, one transform for each bone of the animation. Before the first frame, these are
    /// the bind transforms.
    pub fn pose(&self) -> &[Transform] {
        &self.pose
    }

    /// Advances to the next frame and returns its pose, or `None` after the last frame. Reads one record for each bone.
    #[allow(
        clippy::should_implement_trait,
        reason = "the pose is borrowed from the sampler, unlike an iterator's item"
    )]
    pub fn next(&mut self) -> Option<&[Transform]> {
        // The current frame is in range.
        let frame = self.frame.map_or(0, |frame| frame + 1);
        // An error means that the frame does not exist, because parsing has walked every record.
        self.seek(frame).ok()
    }

    /// Moves to `frame` and returns its pose.
    ///
    /// # Errors
    ///
    /// [`Index`](meshlens_wire::ErrorKind::Index) if `frame` is out of range.
    pub fn seek(&mut self, frame: usize) -> Result<&[Transform]> {
        self.animation.check_frame(frame)?;
        let block = frame - frame % FRAME_BLOCK;
        // Playing can continue if the current frame is not after the new one, and at most one frame before its block.
        let is_near = self.frame.is_some_and(|present| present <= frame && present + 1 >= block);
        if !is_near {
            self.reader = Some(self.animation.block_into(frame, &mut self.pose)?);
            self.frame = block.checked_sub(1);
            self.has_before = false;
        }
        let Some(mut reader) = self.reader else { return Ok(&self.pose) };
        while self.frame != Some(frame) {
            let next = self.frame.map_or(0, |present| present + 1);
            if next == frame && self.frame.is_some() {
                self.before.copy_from_slice(&self.pose);
                self.has_before = true;
            }
            self.animation.advance(&mut reader, &mut self.pose);
            self.frame = Some(next);
        }
        self.reader = Some(reader);
        Ok(&self.pose)
    }

    /// The pose at a fractional frame number: a blend of the frames before and after it. A number below 0, or NaN,
    /// gives the first frame; a number after the last frame gives the last frame.
    ///
    /// # Errors
    ///
    /// [`Index`](meshlens_wire::ErrorKind::Index) if the animation has no frames.
    pub fn sample(&mut self, frame: f32, interpolation: Interpolation) -> Result<&[Transform]> {
        // An animation without frames has no frame 0, either, which `seek` reports.
        let last = self.animation.frame_count().saturating_sub(1);
        // `max` takes NaN to 0, and the cast saturates.
        let frame = frame.max(0.0);
        let first = (frame as usize).min(last);
        let t = if first < last { frame - first as f32 } else { 0.0 };
        if t <= 0.0 {
            return self.seek(first);
        }
        let second = first + 1;
        let has_both = self.frame == Some(second) && self.has_before;
        if !has_both {
            self.seek(first)?;
            self.seek(second)?;
        }
        for ((out, from), to) in self.sampled.iter_mut().zip(&self.before).zip(&self.pose) {
            *out = from.interpolate(to, t, interpolation);
        }
        Ok(&self.sampled)
    }
}
