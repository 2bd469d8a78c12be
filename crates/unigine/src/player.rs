//! Playing an animation: frame after frame, or sampled between two of them.

use alloc::vec::Vec;

use meshlens_wire::Result;

use crate::frames::{FRAME_BLOCK, no_such_frame};
use crate::reader::Reader;
use crate::{Animation, Interpolation, Transform};

/// A pose that moves through an animation.
///
/// Going forward reads each record once. Going back, or far ahead, starts at the nearest entry of the index. It owns
/// three poses, which is all it ever allocates.
#[derive(Clone, Debug)]
pub struct Player<'d, 'a> {
    animation: Animation<'d, 'a>,
    /// Stands behind the frame of `pose`.
    reader: Option<Reader<'a>>,
    /// The frame `pose` is of; `None` before the first.
    frame: Option<usize>,
    pose: Vec<Transform>,
    /// The frame before `pose`, where it is known: what sampling between two frames needs.
    before: Vec<Transform>,
    has_before: bool,
    sampled: Vec<Transform>,
}

impl<'d, 'a> Player<'d, 'a> {
    pub(crate) fn new(animation: Animation<'d, 'a>) -> Self {
        let rest = alloc::vec![Transform::IDENTITY; animation.bone_count()];
        let mut player = Player {
            animation,
            reader: None,
            frame: None,
            pose: rest.clone(),
            before: rest.clone(),
            has_before: false,
            sampled: rest,
        };
        animation.bind_into(&mut player.pose);
        player
    }

    /// The animation it plays.
    pub const fn animation(&self) -> &Animation<'d, 'a> {
        &self.animation
    }

    /// The frame of the pose; `None` before the first.
    pub const fn frame(&self) -> Option<usize> {
        self.frame
    }

    /// The pose of the present frame, one transform for each of the animation's bones; before the first, their bind
    /// transforms.
    pub fn pose(&self) -> &[Transform] {
        &self.pose
    }

    /// The next frame's pose, or `None` behind the last. Reads one record per bone.
    #[allow(clippy::should_implement_trait, reason = "it lends its pose, which an iterator cannot")]
    pub fn next(&mut self) -> Option<&[Transform]> {
        let frame = self.frame.map_or(0, |frame| frame.saturating_add(1));
        self.seek(frame).ok()
    }

    /// The pose of any frame.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn seek(&mut self, frame: usize) -> Result<&[Transform]> {
        if frame >= self.animation.frame_count() {
            let data = self.animation.skeleton().data();
            return Err(no_such_frame(data, &self.animation.found().track, frame));
        }
        let block = frame.saturating_sub(frame.checked_rem(FRAME_BLOCK).unwrap_or_default());
        // The present place serves when it is in front of the frame, and not in front of the frame's block.
        let is_near =
            self.frame.is_some_and(|present| present <= frame && present.saturating_add(1) >= block);
        if !is_near {
            self.reader = Some(self.animation.block_into(frame, &mut self.pose)?);
            self.frame = block.checked_sub(1);
            self.has_before = false;
        }
        let Some(mut reader) = self.reader else { return Ok(&self.pose) };
        while self.frame != Some(frame) {
            let next = self.frame.map_or(0, |present| present.saturating_add(1));
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

    /// The pose at a real frame number: at whole ones that frame, between them a blend of both. A number before the
    /// first frame (or NaN) gives the first, one behind the last gives the last.
    ///
    /// # Errors
    ///
    /// An animation without frames.
    pub fn sample(&mut self, frame: f32, interpolation: Interpolation) -> Result<&[Transform]> {
        let last = self.animation.frame_count().saturating_sub(1);
        // A float cast saturates and takes NaN to zero.
        let whole = libm::floorf(frame);
        let first = (whole as usize).min(last);
        let share = if whole >= 0.0 && first < last { frame - whole } else { 0.0 };
        if share <= 0.0 {
            return self.seek(first);
        }
        let second = first.saturating_add(1);
        let has_both = self.frame == Some(second) && self.has_before;
        if !has_both {
            self.seek(first)?;
            self.seek(second)?;
        }
        for ((out, from), to) in self.sampled.iter_mut().zip(&self.before).zip(&self.pose) {
            *out = from.interpolate(to, share, interpolation);
        }
        Ok(&self.sampled)
    }
}
