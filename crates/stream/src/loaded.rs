//! The outcome of a request.

use std::fmt;

use meshlens::lens::Bounds;

use crate::{Destination, Error, Part, PartialModel, Request, Written};

/// A loaded part. It owns its bytes. Their memory returns to the budget of the streamer when the last clone of the
/// model is dropped; a thread of the streamer then frees it, so that the caller does not wait for the system.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) part: Part,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) model: Option<PartialModel>,
    pub(crate) vertices: Option<Written>,
    pub(crate) indices: Option<Written>,
}

impl Loaded {
    /// The part.
    pub const fn part(&self) -> Part {
        self.part
    }

    /// The bounding box of the model in frame 0, if the part is [`Part::Bounds`]. `None` if the model has no vertices.
    pub const fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// A partial model that contains the part. `None` for bounds that were known before the plan.
    pub const fn model(&self) -> Option<&PartialModel> {
        self.model.as_ref()
    }

    /// Makes the request again, without its function.
    pub(crate) fn into_request(self) -> Request {
        let written = [self.vertices, self.indices].into_iter().flatten();
        written.fold(Request::new(self.part), |request, written| written.ask_again(request))
    }

    /// Takes the [`model`](Self::model).
    pub fn into_model(self) -> Option<PartialModel> {
        self.model
    }

    /// The filled vertex buffer, if one was requested.
    pub const fn vertices(&self) -> Option<&Written> {
        self.vertices.as_ref()
    }

    /// The filled index buffer, if one was requested.
    pub const fn indices(&self) -> Option<&Written> {
        self.indices.as_ref()
    }

    /// Takes the vertex buffer in its original type; `None` if there is none of this type.
    pub fn take_vertices<D: Destination>(&mut self) -> Option<D> {
        self.vertices.take()?.into_destination()
    }

    /// Takes the index buffer in its original type; `None` if there is none of this type.
    pub fn take_indices<D: Destination>(&mut self) -> Option<D> {
        self.indices.take()?.into_destination()
    }
}

/// A request that failed, was cancelled, or had not ended when its streamer was dropped.
pub struct Failed {
    pub(crate) error: Error,
    pub(crate) request: Option<Box<Request>>,
}

impl Failed {
    /// The reason.
    pub const fn error(&self) -> &Error {
        &self.error
    }

    /// Returns the request with the given buffers, so that it can be made again. `None` if they are lost because the
    /// streamer was dropped.
    pub fn into_request(self) -> Option<Request> {
        self.request.map(|request| *request)
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Failed").field(&self.error).finish()
    }
}

impl std::error::Error for Failed {}

/// The result of a request.
pub type Outcome = Result<Loaded, Failed>;
