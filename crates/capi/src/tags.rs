//! Tags: named attachment points for other models.

use std::ffi::c_char;

use crate::animation::ml_blend;
use crate::asset::{ml_asset, model_of};
use crate::call::{at, call, check_index, needed_text, put};
use crate::error::ml_error;
use crate::model::or_none;
use crate::result::{Failure, ml_result};

/// Writes the name of a tag, such as "tag_weapon", to `*name`. It is valid until ml_close.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such tag; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_tag_name(
    asset: *const ml_asset,
    tag: usize,
    name: *mut *const c_char,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?
            .with_model(|content| put(name, content.names.texts.get(*at(&content.names.tags, "tag", tag)?)))
    })
}

/// Writes the index of the first tag with this name, ignoring case, to `*tag`; ML_NONE if there is none.
///
/// Cost: O(tags). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_find_tag(
    asset: *const ml_asset,
    name: *const c_char,
    tag: *mut usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let name = needed_text(name)?;
        model_of(asset)?.with_model(|content| put(tag, or_none(content.model().find_tag(name))))
    })
}

/// A tag in one frame, in the space of the file.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ml_tag_pose {
    /// The position.
    pub origin: [f32; 3],
    /// The local X, Y and Z axis, each of length 1: a tag places another model, and never scales it. They are not
    /// always at right angles or right-handed.
    pub axes: [[f32; 3]; 3],
    /// The axes as a rotation x, y, z, w of length 1, made orthogonal.
    pub rotation: [f32; 4],
}

crate::call::plain!(ml_tag_pose: [f32; 3], [[f32; 3]; 3], [f32; 4]);

/// Writes the pose of a tag, interpolated between two frames with `blend`. Origin and axes are interpolated linearly,
/// then each axis is normalized, as engines do.
///
/// Cost: O(1); O(triangles) for Unreal meshes, in which a triangle of a special type defines the tag.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such tag or frame; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_tag_pose(
    asset: *const ml_asset,
    tag: usize,
    blend: ml_blend,
    pose: *mut ml_tag_pose,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let model = content.model();
            check_index("tag", tag, model.tags.len())?;
            let frames = model.tag_frame_count();
            let found = model.blend_tag_pose(tag, blend.into()).ok_or_else(|| {
                Failure::index("frame", if blend.a < frames { blend.b } else { blend.a }, frames)
            })?;
            let written = ml_tag_pose { origin: found.origin, axes: found.axes, rotation: found.rotation() };
            put(pose, written)
        })
    })
}
