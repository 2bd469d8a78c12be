//! Requests, and the memory that they decode to.

use std::any::Any;
use std::fmt;

use meshlens::model::{Conversion, IndexFormat, VertexLayout};

use crate::{Loaded, Part};

/// Memory to decode into: a `Vec`, an array, or an engine's type for a mapped staging buffer.
///
/// ```
/// use meshlens_stream::Destination;
///
/// /// A part of a staging buffer that was mapped for writing.
/// struct Staging {
///     mapped: Vec<u8>,
///     offset: usize,
/// }
///
/// impl Destination for Staging {
///     fn room(&mut self, len: usize) -> Option<&mut [u8]> {
///         self.mapped.get_mut(self.offset..)?.get_mut(..len)
///     }
/// }
/// ```
pub trait Destination: Any + Send {
    /// Returns memory of exactly `len` bytes; `None` if it is too small.
    fn room(&mut self, len: usize) -> Option<&mut [u8]>;
}

impl Destination for Vec<u8> {
    /// Resizes the vector as needed.
    fn room(&mut self, len: usize) -> Option<&mut [u8]> {
        self.clear();
        self.try_reserve_exact(len).ok()?;
        self.resize(len, 0);
        Some(self)
    }
}

impl Destination for Box<[u8]> {
    fn room(&mut self, len: usize) -> Option<&mut [u8]> {
        self.get_mut(..len)
    }
}

/// The function that is called with the loaded part.
pub(crate) type Then = Box<dyn FnOnce(&mut Loaded) + Send>;

/// A request: a part to load, and what to do with it before it is ready.
///
/// ```
/// use meshlens::lens::VertexFormat;
/// use meshlens::model::{Semantic, VertexLayout};
/// use meshlens_stream::{Part, Request};
///
/// let layout = VertexLayout::new(20)
///     .with(Semantic::Position, 0, VertexFormat::Float32x3)
///     .with(Semantic::Texcoord(0), 12, VertexFormat::Float32x2);
/// let request = Request::new(Part::Mesh { mesh: 0, frame: 0 })
///     .vertices(layout, Vec::new())
///     .indices(Vec::new(), None);
/// assert_eq!(request.part(), Part::Mesh { mesh: 0, frame: 0 });
/// ```
#[must_use]
pub struct Request {
    pub(crate) part: Part,
    pub(crate) vertices: Option<Vertices>,
    pub(crate) indices: Option<Indices>,
    pub(crate) then: Option<Then>,
}

/// A vertex buffer to fill.
pub(crate) struct Vertices {
    pub(crate) layout: VertexLayout,
    pub(crate) destination: Box<dyn Destination>,
}

/// An index buffer to fill.
pub(crate) struct Indices {
    pub(crate) conversion: Option<Conversion>,
    pub(crate) destination: Box<dyn Destination>,
}

/// A filled buffer.
#[non_exhaustive]
pub struct Written {
    /// The given buffer.
    pub destination: Box<dyn Destination>,
    /// The number of bytes written.
    pub bytes: usize,
    /// The number of vertices or indices.
    pub count: usize,
    /// The type of the indices; `None` for vertices.
    pub index_format: Option<IndexFormat>,
    /// The parameters of the buffer, to request it again.
    pub(crate) asked: Asked,
}

/// The parameters with which a buffer was requested.
pub(crate) enum Asked {
    Vertices(VertexLayout),
    Indices(Option<Conversion>),
}

impl Written {
    /// Adds the buffer to a request, with the same parameters.
    pub(crate) fn ask_again(self, mut request: Request) -> Request {
        let destination = self.destination;
        match self.asked {
            Asked::Vertices(layout) => request.vertices = Some(Vertices { layout, destination }),
            Asked::Indices(conversion) => request.indices = Some(Indices { conversion, destination }),
        }
        request
    }
}

impl Written {
    /// The buffer in its original type; `None` if it has another type.
    pub fn into_destination<D: Destination>(self) -> Option<D> {
        let any: Box<dyn Any> = self.destination;
        any.downcast().ok().map(|destination| *destination)
    }
}

impl Request {
    /// Requests the bytes of a part.
    pub const fn new(part: Part) -> Self {
        Request { part, vertices: None, indices: None, then: None }
    }

    /// Also fills a vertex buffer, on another thread, in one pass over `destination`. The part is [`Part::Mesh`], or
    /// [`Part::Frame`] in formats that store vertices as they are drawn (MD3, Ultimate 3D); the buffer then contains
    /// the attributes of the frame.
    pub fn vertices(mut self, layout: VertexLayout, destination: impl Destination) -> Self {
        self.vertices = Some(Vertices { layout, destination: Box::new(destination) });
        self
    }

    /// Also fills an index buffer of the mesh of [`Part::Mesh`], in the smallest format that can index its vertices:
    /// see [`Written::index_format`]. With a conversion that mirrors, the winding is reversed so that front faces stay
    /// front faces.
    pub fn indices(mut self, destination: impl Destination, conversion: Option<Conversion>) -> Self {
        self.indices = Some(Indices { conversion, destination: Box::new(destination) });
        self
    }

    /// Calls a function with the loaded part, on another thread, before the request is ready. If it panics, the request
    /// fails.
    pub fn then(mut self, then: impl FnOnce(&mut Loaded) + Send + 'static) -> Self {
        self.then = Some(Box::new(then));
        self
    }

    /// The part.
    pub const fn part(&self) -> Part {
        self.part
    }

    /// Whether there is work after the bytes are loaded.
    pub(crate) const fn has_work(&self) -> bool {
        self.vertices.is_some() || self.indices.is_some() || self.then.is_some()
    }

    /// Takes the given vertex buffer, in its original type.
    pub fn take_vertices<D: Destination>(&mut self) -> Option<D> {
        let any: Box<dyn Any> = self.vertices.take()?.destination;
        any.downcast().ok().map(|destination| *destination)
    }

    /// Takes the given index buffer, in its original type.
    pub fn take_indices<D: Destination>(&mut self) -> Option<D> {
        let any: Box<dyn Any> = self.indices.take()?.destination;
        any.downcast().ok().map(|destination| *destination)
    }
}

impl From<Part> for Request {
    fn from(part: Part) -> Self {
        Request::new(part)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("part", &self.part)
            .field("vertices", &self.vertices.is_some())
            .field("indices", &self.indices.is_some())
            .field("then", &self.then.is_some())
            .finish()
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written")
            .field("bytes", &self.bytes)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
