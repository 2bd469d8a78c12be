//! The frames file, `_a.3d`, without its geometry file: frames as bytes. The encoding of their vertices depends on the
//! geometry file.

use meshlens_wire::{Data, Error, Result};

use crate::layout;
use crate::{FRAMES, FramesParts, ParseOptions};

/// A frames file (`_a.3d`) that borrows its bytes: the vertices of every frame. [`Unreal`](crate::Unreal) decodes them.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    data: Data<'a>,
    parts: FramesParts,
}

impl<'a> Frames<'a> {
    /// Parses a frames file. Reads the header and allocates nothing.
    ///
    /// # Errors
    ///
    /// The file is shorter than its header or its frames, frames have 0 bytes, or there are more frames than
    /// [`Limits::DEFAULT`](meshlens_wire::Limits::DEFAULT) allows.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_with(bytes, &ParseOptions::default())
    }

    /// Parses a frames file that may be incomplete, or within other limits.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse). Lenient options accept a file shorter than its frames.
    pub fn parse_with(bytes: &'a [u8], options: &ParseOptions) -> Result<Self> {
        let data = Data::new(FRAMES, bytes);
        Ok(Frames { data, parts: FramesParts::locate_in(data, 0, options)? })
    }

    /// Binds parts that were located earlier to the bytes of the whole file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if a part is not inside `bytes`.
    pub fn bind(parts: FramesParts, bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(FRAMES, bytes);
        data.record::<layout::FrameHeader>(parts.start, "header")?;
        data.bind(parts.frames())?;
        Ok(Frames { data, parts })
    }

    /// Parts that were checked to be inside the file of `data`.
    pub(crate) const fn of(data: Data<'a>, parts: FramesParts) -> Self {
        Frames { data, parts }
    }

    /// The locations of all parts.
    pub const fn parts(&self) -> &FramesParts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The number of whole frames in the file.
    pub const fn frame_count(&self) -> usize {
        self.parts.frames().len()
    }

    /// The number of frames in the header. It is larger than [`frame_count`](Self::frame_count) if the file is
    /// incomplete.
    pub const fn declared_frame_count(&self) -> usize {
        self.parts.declared_frame_count()
    }

    /// The size of a frame in bytes, as stated by the header. In a few files, it is not the stride.
    pub const fn frame_size(&self) -> usize {
        self.parts.frame_size()
    }

    /// The number of bytes from one frame to the next.
    pub const fn frame_stride(&self) -> usize {
        self.parts.frames().stride() as usize
    }

    /// The number of bytes after the last whole frame. Many files have some. In an incomplete file they are the beginning of
    /// the next frame.
    pub const fn trailing_bytes(&self) -> u64 {
        // The frames end inside the file.
        self.data.file_len() - self.parts.frames().byte_range().end
    }

    /// A frame as it is stored, including the bytes after its vertices.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the frame is out of range.
    pub fn frame_bytes(&self, frame: usize) -> Result<&'a [u8]> {
        let span = self.parts.frames().slice(frame as u64, 1).ok_or_else(|| self.frame_error(frame))?;
        self.data.bind(span)
    }

    /// The error for a frame that is out of range.
    pub(crate) fn frame_error(&self, frame: usize) -> Error {
        self.data.index_error(0, "frame", frame, self.frame_count())
    }
}
