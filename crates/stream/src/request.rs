//! Requests: a part to load, and the buffers to fill.

use std::any::Any;

use meshlens::model::{Space, VertexLayout};

use crate::loaded::{Vertices, Work};
use crate::{Destination, Loaded, Part, Written};

/// A request: a part to load, buffers to fill, and a function to call before the request is ready.
///
/// ```
/// use meshlens::lens::VertexFormat;
/// use meshlens::model::{Semantic, Space, VertexLayout};
/// use meshlens_stream::{Part, Request};
///
/// let layout = VertexLayout::new(20)
///     .with(Semantic::Position, 0, VertexFormat::Float32x3)
///     .with(Semantic::Texcoord, 12, VertexFormat::Float32x2);
/// let request = Request::new(Part::Mesh { mesh: 0, frame: 0 })
///     .vertices(layout, Vec::new())
///     .indices(Vec::new())
///     .space(Space::GLTF);
/// assert_eq!(request.part(), Part::Mesh { mesh: 0, frame: 0 });
/// ```
#[must_use]
pub struct Request {
    pub(crate) part: Part,
    /// `None` for the space of the file.
    pub(crate) space: Option<Space>,
    /// In a box that returns with the part, so that the thread frees it that has allocated it.
    pub(crate) work: Option<Box<Work>>,
}

impl Request {
    /// Requests the bytes of a part.
    pub const fn new(part: Part) -> Self {
        Request { part, space: None, work: None }
    }

    /// Also fills a vertex buffer, on another thread, in one pass over `destination`. The part is [`Part::Mesh`], or
    /// [`Part::Frame`] in formats that store vertices as they are drawn (MD3, Ultimate 3D); the buffer then contains
    /// the attributes of the frame.
    pub fn vertices(mut self, layout: VertexLayout, destination: impl Destination) -> Self {
        self.work().vertices = Some(Vertices { layout, destination: Box::new(destination) });
        self
    }

    /// Also fills an index buffer of the mesh of [`Part::Mesh`], in the smallest format that can index its vertices:
    /// see [`Written::index_format`].
    pub fn indices(mut self, destination: impl Destination) -> Self {
        self.work().indices = Some(Box::new(destination));
        self
    }

    /// Fills both buffers in `space` instead of the space of the file: its axes and its winding, like a
    /// [`View`](meshlens::scene::View). Vertices of a mesh with a skin keep their bind pose.
    pub const fn space(mut self, space: Space) -> Self {
        self.space = Some(space);
        self
    }

    /// Calls a function with the loaded part, on another thread, before the request is ready. If it panics, the request
    /// fails.
    pub fn then(mut self, then: impl FnOnce(&mut Loaded) + Send + 'static) -> Self {
        self.work().then = Some(Box::new(then));
        self
    }

    /// The request that resulted in `loaded`, with its buffers and without its function.
    pub(crate) fn again(loaded: Loaded) -> Self {
        let mut work = loaded.work;
        if let Some(work) = &mut work {
            let [vertices, indices] = std::mem::take(&mut work.written);
            let unfilled =
                |Written { destination, layout, .. }| Some(Vertices { layout: layout?, destination });
            work.vertices = vertices.and_then(unfilled).or(work.vertices.take());
            work.indices = indices.map(|written| written.destination).or(work.indices.take());
        }
        Request { part: loaded.part, space: loaded.space, work }
    }

    fn work(&mut self) -> &mut Work {
        self.work.get_or_insert_default()
    }

    /// The part.
    pub const fn part(&self) -> Part {
        self.part
    }

    /// Whether a buffer is filled.
    pub(crate) fn has_buffers(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.vertices.is_some() || work.indices.is_some())
    }

    /// Takes the given vertex buffer, in its original type.
    pub fn take_vertices<D: Destination>(&mut self) -> Option<D> {
        let any: Box<dyn Any> = self.work.as_mut()?.vertices.take()?.destination;
        any.downcast().ok().map(|destination| *destination)
    }

    /// Takes the given index buffer, in its original type.
    pub fn take_indices<D: Destination>(&mut self) -> Option<D> {
        let any: Box<dyn Any> = self.work.as_mut()?.indices.take()?;
        any.downcast().ok().map(|destination| *destination)
    }
}

impl From<Part> for Request {
    fn from(part: Part) -> Self {
        Request::new(part)
    }
}

debug_fields!(self, Request { part: self.part, has_buffers: self.has_buffers() });
