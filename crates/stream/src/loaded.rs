//! What was loaded, or why it was not.

use std::fmt;

use meshlens::lens::Bounds;

use crate::{Destination, Error, Part, PartialModel, Request, Written};

/// A part that was loaded. It owns its bytes, which come from the memory budget of the streamer and go back to it when the
/// last clone of the model is dropped.
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

    /// The box around the model in frame 0, if the part is [`Part::Bounds`]. `None` if the model has no vertices.
    pub const fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// A model of which the part is there. `None` for bounds that were known before the plan of the model was.
    pub const fn model(&self) -> Option<&PartialModel> {
        self.model.as_ref()
    }

    /// The request that it comes from, but for its function.
    pub(crate) fn into_request(self) -> Request {
        let written = [self.vertices, self.indices].into_iter().flatten();
        written.fold(Request::new(self.part), |request, written| written.ask_again(request))
    }

    /// As [`model`](Self::model), taken out.
    pub fn into_model(self) -> Option<PartialModel> {
        self.model
    }

    /// The vertex buffer that was filled, if one was asked for.
    pub const fn vertices(&self) -> Option<&Written> {
        self.vertices.as_ref()
    }

    /// The index buffer that was filled, if one was asked for.
    pub const fn indices(&self) -> Option<&Written> {
        self.indices.as_ref()
    }

    /// The vertex buffer, as what it was handed over as; `None` if there is none of this type.
    pub fn take_vertices<D: Destination>(&mut self) -> Option<D> {
        self.vertices.take()?.into_destination()
    }

    /// The index buffer, as what it was handed over as; `None` if there is none of this type.
    pub fn take_indices<D: Destination>(&mut self) -> Option<D> {
        self.indices.take()?.into_destination()
    }
}

/// A request that failed, was cancelled or was not finished when its streamer was dropped.
pub struct Failed {
    pub(crate) error: Error,
    pub(crate) request: Option<Box<Request>>,
}

impl Failed {
    /// Why.
    pub const fn error(&self) -> &Error {
        &self.error
    }

    /// The request, to be made again, with the buffers that were handed over. `None` if they are lost: with a streamer that
    /// was dropped.
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

/// How a request ended.
pub type Outcome = Result<Loaded, Failed>;
