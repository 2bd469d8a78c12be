//! Vertex and index buffers that are filled on threads of a streamer.

use std::ffi::c_void;
use std::sync::Arc;

use meshlens::model::{Space, VertexLayout};
use meshlens_stream::Loaded;

use super::failure::failure;
use crate::call::output;
use crate::enums::{ml_index_format, raw};
use crate::result::{Failure, Result};

/// Returns memory of exactly `size` bytes to write to, or NULL to let the request fail. It is called on a thread of the
/// streamer, and must not call functions for the request.
pub type ml_place_fn = Option<unsafe extern "C" fn(user: *mut c_void, size: usize) -> *mut c_void>;

/// Memory that a request is decoded into. Set either `data` or `place`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_stream_buffer {
    /// Memory of the caller, or NULL. It must stay valid until the request is ready, has failed or was cancelled, or
    /// until ml_close_request returns. It may be larger than needed.
    pub data: *mut c_void,
    /// The number of bytes at `data`.
    pub size: usize,
    /// Called once the number of bytes is known, instead of `data`, or NULL.
    pub place: ml_place_fn,
    /// Passed to `place`.
    pub user: *mut c_void,
}

impl ml_stream_buffer {
    pub(super) fn is_set(&self) -> Result<bool> {
        match (self.data.is_null(), self.place) {
            (true, None) if self.size > 0 => {
                Err(Failure::argument("a buffer is NULL, and its size is not 0"))
            }
            (true, None) => Ok(false),
            (false, Some(_)) => {
                Err(Failure::argument("a buffer has memory and a function that gives memory"))
            }
            _ => Ok(true),
        }
    }

    /// Returns memory for `size` bytes.
    ///
    /// # Safety
    ///
    /// The memory is valid, and nothing else uses it.
    unsafe fn room<'m>(self, what: &'static str, size: usize) -> Result<&'m mut [u8]> {
        let data = match self.place {
            // SAFETY: the caller guarantees that the function can be called with these arguments.
            Some(place) if size > 0 => unsafe { place(self.user, size) },
            Some(_) => return Ok(&mut []),
            None if size > self.size => return Err(Failure::length(what, size, self.size)),
            None => self.data,
        };
        if data.is_null() && size > 0 {
            return Err(Failure::callback("the function of a buffer gave no memory"));
        }
        // SAFETY: guaranteed by the caller.
        unsafe { output(data.cast::<u8>(), size) }
    }
}

/// The buffers of a request.
pub(super) struct Buffers {
    pub(super) vertices: Option<(VertexLayout, ml_stream_buffer)>,
    pub(super) indices: Option<ml_stream_buffer>,
    /// The space and the scale of both buffers. The space is `None` if it is the space of the file.
    pub(super) space: (Option<Space>, f32),
}

// SAFETY: the caller lends the memory to the streamer, and the functions may be called from any thread.
unsafe impl Send for Buffers {}

/// The numbers of vertices, indices and bytes that were written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Filled {
    pub(super) vertex_count: usize,
    pub(super) vertex_size: usize,
    pub(super) index_count: usize,
    pub(super) index_size: usize,
    pub(super) index_format: raw::ml_index_format,
}

impl Buffers {
    /// Writes the loaded part to the buffers.
    ///
    /// # Safety
    ///
    /// The memory of the buffers is valid, and nothing else uses it.
    pub(super) unsafe fn fill(&self, loaded: &Loaded) -> Result<Filled> {
        let (scene, index) = loaded.drawn_scene().map_err(|error| failure(error, false))?;
        let (space, scale) = self.space;
        let file = scene.nodes.first().map_or(Space::GLTF, |node| node.model.space);
        let view = scene.view(&space.unwrap_or(file)).scaled(scale);
        // Vertices that are stored as they are drawn do not need triangles, unless indices are requested.
        let alone = view.mesh_with(0, index, Arc::default())?;
        let mesh =
            if self.indices.is_none() && alone.mesh().is_welded() { alone } else { view.mesh(0, index)? };
        let mut filled = Filled::default();
        if let Some((layout, buffer)) = &self.vertices {
            // A size that saturates is too large for any buffer.
            let size = mesh.buffer_len(layout);
            // SAFETY: guaranteed by the caller.
            let room = unsafe { buffer.room("vertices", size)? };
            mesh.fill_vertex_buffer(&scene.rest_pose(), layout, room)?;
            (filled.vertex_count, filled.vertex_size) = (mesh.vertex_count(), size);
        }
        if let Some(buffer) = &self.indices {
            let format = mesh.index_format();
            // The same applies to indices.
            let size = mesh.index_buffer_len(format);
            // SAFETY: guaranteed by the caller.
            let room = unsafe { buffer.room("indices", size)? };
            mesh.write_indices(format, room)?;
            (filled.index_count, filled.index_size) = (mesh.triangle_count().saturating_mul(3), size);
            filled.index_format = ml_index_format::number(format);
        }
        Ok(filled)
    }
}
