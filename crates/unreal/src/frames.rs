//! The frames file, `_a.3d`, by itself: bytes of vertices, whose width only the geometry file tells.

use meshlens_wire::{Data, ErrorKind, Limits, Result};

use crate::layout;
use crate::{FRAMES, FramesParts, Mode};

/// An `_a.3d` file over borrowed bytes: the vertices of every frame. [`Unreal`](crate::Unreal) reads them.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    data: Data<'a>,
    parts: FramesParts,
}

impl<'a> Frames<'a> {
    /// Parses a frames file. Reads the header, allocates nothing. [`parse_with`](Self::parse_with) takes files that
    /// are cut short.
    ///
    /// # Errors
    ///
    /// A file shorter than its header or than its frames, frames of no bytes.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_with(bytes, Mode::Strict, &Limits::DEFAULT)
    }

    /// As [`parse`](Self::parse), with a choice of what a file cut short is, and how many frames are allowed.
    pub fn parse_with(bytes: &'a [u8], mode: Mode, limits: &Limits) -> Result<Self> {
        let data = Data::new(FRAMES, bytes);
        Ok(Frames { data, parts: FramesParts::locate_in(data, mode, limits)? })
    }

    /// Binds parts located earlier to the whole file's bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] when `bytes` does not hold every part.
    pub fn bind(parts: FramesParts, bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(FRAMES, bytes);
        data.record::<layout::FrameHeader>(0, "header")?;
        data.bind(parts.frames)?;
        Ok(Frames { data, parts })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &FramesParts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// Frames that are there.
    pub const fn frame_count(&self) -> usize {
        self.parts.frames.count() as usize
    }

    /// Frames the header speaks of: more than there are where the file is cut short.
    pub const fn declared_frame_count(&self) -> usize {
        self.parts.declared as usize
    }

    /// Bytes of a frame as the header says, which in a few files is not how far apart they are.
    pub const fn frame_size(&self) -> usize {
        self.parts.frame_size as usize
    }

    /// Bytes from one frame to the next.
    pub const fn frame_stride(&self) -> usize {
        self.parts.frames.stride() as usize
    }

    /// Bytes behind the last frame; many files have some. The rest of a frame that is cut short counts.
    pub const fn trailing_bytes(&self) -> u64 {
        self.data.file_len().saturating_sub(self.parts.frames.byte_range().end)
    }

    /// A frame as it lies, with whatever lies behind its vertices.
    ///
    /// # Errors
    ///
    /// A frame past the last.
    pub fn frame_bytes(&self, frame: usize) -> Result<&'a [u8]> {
        let index = u64::try_from(frame).unwrap_or(u64::MAX);
        self.parts
            .frames
            .slice(index, 1)
            .ok_or_else(|| self.no_frame(frame))
            .and_then(|span| self.data.bind(span))
    }

    pub(crate) fn no_frame(&self, frame: usize) -> meshlens_wire::Error {
        let index = i64::try_from(frame).unwrap_or(i64::MAX);
        let kind = ErrorKind::Index { what: "frame", index, count: self.parts.frames.count() };
        self.data.error(0, kind)
    }
}
