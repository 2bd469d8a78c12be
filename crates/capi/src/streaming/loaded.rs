//! The results of requests: counts, bounds, and the loaded part as a file.

use super::request::ml_request;
use crate::asset::ml_asset;
use crate::bounds::ml_bounds;
use crate::call::call;
use crate::content::File;
use crate::enums::raw;
use crate::error::ml_error;
use crate::files::Files;
use crate::handle;
use crate::memory::Limited;
use crate::result::{Failure, ml_result};
use crate::sized::{self, Growing};

/// The result of a request.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_loaded {
    /// sizeof(ml_loaded), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of vertices that were written.
    pub vertex_count: usize,
    /// The number of bytes of vertices that were written.
    pub vertex_size: usize,
    /// The number of indices that were written.
    pub index_count: usize,
    /// The number of bytes of indices that were written.
    pub index_size: usize,
    /// The type of the indices; 0 if none were requested.
    pub index_format: raw::ml_index_format,
    /// Not 0 if the part is ML_PART_BOUNDS and the model has vertices.
    pub has_bounds: u32,
    /// The bounding box of the model in frame 0, as its script places it, in the space of the request.
    pub bounds: ml_bounds,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_loaded {}

/// Writes the result of a request.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_NOT_READY if the request has not ended; else the error of the request: ML_ERROR_CANCELLED,
/// ML_ERROR_NOT_FOUND, ML_ERROR_IO, ML_ERROR_CALLBACK if a callback failed, ML_ERROR_ARCHIVE, ML_ERROR_MISSING if the model does
/// not have the part, ML_ERROR_INCOMPLETE if the part does not contain an attribute of the layout, ML_ERROR_MEMORY_LIMIT,
/// ML_ERROR_LENGTH if a buffer is too small, and the errors of ml_fill_vertex_buffer and ml_open_memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_loaded(
    request: *const ml_request,
    loaded: *mut ml_loaded,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let written = handle::get(request)?.done(|done| {
            let bounds = done.bounds.map_or(ml_bounds { min: [0.0; 3], max: [0.0; 3] }, Into::into);
            Ok(ml_loaded {
                size: 0,
                vertex_count: done.filled.vertex_count,
                vertex_size: done.filled.vertex_size,
                index_count: done.filled.index_count,
                index_size: done.filled.index_size,
                index_format: done.filled.index_format,
                has_bounds: done.bounds.is_some().into(),
                bounds,
            })
        })?;
        sized::write(loaded, written)
    })
}

/// Makes an asset of the loaded part. It has only the arrays that were loaded; other calls need ML_PART_WHOLE. The asset
/// shares the bytes, which count against the memory limit of the streamer until it is closed.
///
/// If the streamer has a search path, the asset has the model of the node as ml_open_asset gives it: with its placement, clips,
/// skin, materials and textures. The first call that needs the model reads these companion files, so make it on a thread that may
/// wait; it also returns the errors of ml_open_asset, and ML_ERROR_INCOMPLETE if not the whole model is loaded. ml_write_glb does
/// not write the files that belong to the model.
///
/// On success, `*asset` is a new handle, to be closed with ml_close before or after the request; otherwise it is NULL.
///
/// Cost: O(surfaces).
/// Threads: any.
/// Errors: those of ml_get_loaded; ML_ERROR_MISSING if the request was for bounds that were known without reading the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_loaded_asset(
    request: *const ml_request,
    asset: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(asset)?;
        let request = handle::get(request)?;
        let model = request.done(|done| {
            let nothing = Failure::new(ml_result::ML_ERROR_MISSING, "the request has loaded no bytes");
            done.model.clone().ok_or(nothing)
        })?;
        let memory = Limited::with(request.shared.allocator);
        let files = Files::Partial(model, request.node.clone());
        handle::open(asset, File::open(files, None, &[], memory)?.into())
    })
}
