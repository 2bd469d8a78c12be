//! Clips, and the frames or poses that they show at a time.

use std::ffi::c_char;

use meshlens::model::Blend;

use crate::asset::{ml_asset, model_of};
use crate::call::{at, call, needed_text, put};
use crate::error::ml_error;
use crate::model::or_none;
use crate::result::ml_result;
use crate::sized::{self, Growing};

/// Two frames and the weight of the second. All zeros mean the first frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ml_blend {
    /// The first frame.
    pub a: usize,
    /// The second frame.
    pub b: usize,
    /// The weight of frame `b`, from 0 to 1.
    pub weight: f32,
}

impl From<ml_blend> for Blend {
    fn from(blend: ml_blend) -> Self {
        Blend { a: blend.a, b: blend.b, weight: blend.weight }
    }
}

/// A named range of frames, and how it plays.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_clip {
    /// sizeof(ml_clip), or 0 for the first version of the struct.
    pub size: usize,
    /// The name.
    pub name: *const c_char,
    /// The first frame: a frame of vertices, or of the joint animation.
    pub first_frame: usize,
    /// The number of frames; at least one.
    pub frame_count: usize,
    /// The number of frames at the end that repeat; 0 plays once.
    pub loop_frame_count: usize,
    /// The index of the joint animation that the clip plays; ML_NONE if it plays frames of vertices.
    pub animation: usize,
    /// The rate in frames per second, greater than 0.
    pub rate: f32,
    /// The time in seconds from the first frame to the last; for a clip that repeats as a whole, the time of one
    /// repetition.
    pub duration: f32,
    /// Not 0 if the frames play from the last to the first.
    pub is_reversed: u32,
    /// Not 0 if no file states the rate, so that a rate of 10 is assumed.
    pub is_rate_assumed: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_clip {}

/// Writes the properties of a clip.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_clip(
    asset: *const ml_asset,
    index: usize,
    out: *mut ml_clip,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let found = at(&content.model().clips, "clip", index)?;
            let written = ml_clip {
                size: 0,
                name: content.names.of(&content.names.clips, index),
                first_frame: found.first,
                frame_count: found.count,
                loop_frame_count: found.loop_frames,
                animation: or_none(found.animation),
                rate: found.rate.get(),
                duration: found.duration(),
                is_reversed: found.reversed.into(),
                is_rate_assumed: found.is_rate_assumed.into(),
            };
            sized::write(out, written)
        })
    })
}

/// Writes the index of the first clip with this name, ignoring case, to `*index`; ML_NONE if there is none.
///
/// Cost: O(clips). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_find_clip(
    asset: *const ml_asset,
    name: *const c_char,
    index: *mut usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let name = needed_text(name)?;
        model_of(asset)?.with_model(|content| {
            let found = content.model().clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(name));
            put(index, or_none(found))
        })
    })
}

/// Writes the two frames that a clip shows `time` seconds after its start, and the weight of the second. Clips that
/// loop continue, others stay at their last frame. For a time before the start, or NaN, the result is the first frame.
/// An infinite time of a clip that loops gives the first frame that repeats. The frames are vertex frames, or frames of
/// the clip's joint animation; ml_get_pose gives the pose itself.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such clip; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_sample_clip(
    asset: *const ml_asset,
    index: usize,
    time: f32,
    blend: *mut ml_blend,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let Blend { a, b, weight } = at(&content.model().clips, "clip", index)?.sample(time);
            put(blend, ml_blend { a, b, weight })
        })
    })
}
