//! The memory that a request decodes to.

use std::any::Any;

use meshlens::model::{IndexFormat, VertexLayout};

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
    /// The layout of vertices; `None` for indices.
    pub(crate) layout: Option<VertexLayout>,
}

impl Written {
    /// The buffer in its original type; `None` if it has another type.
    pub fn into_destination<D: Destination>(self) -> Option<D> {
        let any: Box<dyn Any> = self.destination;
        any.downcast().ok().map(|destination| *destination)
    }
}

debug_fields!(self, Written { bytes: self.bytes, count: self.count });
