//! Bounding boxes.

use meshlens::lens::Bounds;

use crate::asset::{ml_asset, model_of};
use crate::call::{call, check_index, put};
use crate::error::ml_error;
use crate::model::ML_NONE;
use crate::result::{Failure, ml_result};

/// An axis-aligned bounding box, in the space and the units of the file or the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ml_bounds {
    /// The corner with the smallest coordinates.
    pub min: [f32; 3],
    /// The corner with the largest coordinates.
    pub max: [f32; 3],
}

impl From<Bounds> for ml_bounds {
    fn from(Bounds { min, max }: Bounds) -> Self {
        ml_bounds { min, max }
    }
}

/// Writes the bounding box of the points of a mesh in one frame. If `mesh` is ML_NONE, of all meshes that have the
/// frame. The points are decoded, because bounds that are stored in files are often wrong.
///
/// Cost: O(points).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh or frame, ML_ERROR_MISSING if there are no points; those of
/// ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_bounds(
    asset: *const ml_asset,
    mesh: usize,
    frame: usize,
    bounds: *mut ml_bounds,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        let found = if mesh == ML_NONE {
            file.with_model(|content| {
                check_index("frame", frame, content.model().frame_count())?;
                Ok(content.model().compute_bounds(frame))
            })?
        } else {
            file.with_mesh(mesh, |_, found| Ok(Bounds::around(found.positions(frame)?)))?
        };
        let nothing = Failure::new(ml_result::ML_ERROR_MISSING, "there is no point to put a box around");
        put(bounds, found.ok_or(nothing)?.into())
    })
}
