//! The last frame of an incomplete frames file, completed with other vertices.

use alloc::vec::Vec;

use meshlens_wire::{Complete, Data, Presence, Record, Result, Span};

use crate::layout::{self, FRAME_HEADER_SIZE};
use crate::{FRAMES, Frames, Parts, Unreal};

/// The last frame of a file that ends inside this frame. Some exporters write a few bytes less than the header
/// specifies. The file has at least one whole vertex of the frame.
///
/// [`Unreal`] has only whole frames, so this frame is not one of them. [`complete`](Self::complete) makes a frames file
/// from it that has every vertex, and [`open`](Self::open) reads that file.
///
/// ```
/// use meshlens_unreal::{ParseOptions, Unreal, VertexEncoding, write::Model};
///
/// # let mut model = Model::new(VertexEncoding::Packed, 2);
/// # model.add_integer_frame(&[[1, 2, 3], [4, 5, 6]])?;
/// # model.add_integer_frame(&[[7, 8, 9], [9, 9, 9]])?;
/// # let files = model.write()?;
/// // Two frames of two vertices, without the last four bytes.
/// let frames = &files.frames[..files.frames.len() - 4];
/// let unreal = Unreal::parse_with(&files.geometry, frames, &ParseOptions::LENIENT)?;
/// let incomplete = unreal.incomplete_frame().ok_or("no such frame")?;
/// assert_eq!((unreal.frame_count(), incomplete.vertex_count(), incomplete.missing_bytes()), (1, 1, 4));
///
/// let completed = incomplete.complete();
/// let last = incomplete.open(&completed)?.integer_positions(0)?;
/// assert_eq!((last.get(0), last.get(1)), (Some([7, 8, 9]), Some([4, 5, 6])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IncompleteFrame<'a, P: Presence = Complete> {
    unreal: Unreal<'a, P>,
    /// The whole vertices of the file.
    bytes: &'a [u8],
    /// The vertices of the previous frame.
    before: Option<&'a [u8]>,
    count: usize,
}

impl<'a, P: Presence> Unreal<'a, P> {
    /// The last frame, if the file ends inside it. `None` if the file is complete, if it lacks more than its last frame, or
    /// if it has no whole vertex of that frame. Only lenient options open incomplete files. Reads the vertices of the
    /// frame and of the previous one.
    pub fn incomplete_frame(&self) -> P::Of<Option<IncompleteFrame<'a, P>>> {
        let read = |vertices: Span| {
            let bytes = self.frames().data().bind(vertices)?;
            let before =
                self.frame_count().checked_sub(1).map(|frame| self.vertex_bytes(frame)).transpose()?;
            Ok(IncompleteFrame { unreal: *self, bytes, before, count: vertices.len() })
        };
        P::read(self.parts().incomplete.map(read).transpose(), || None)
    }
}

impl<'a, P: Presence> IncompleteFrame<'a, P> {
    /// The index of the frame in the file, which is the number of whole frames.
    pub const fn index(&self) -> usize {
        self.unreal.frame_count()
    }

    /// The number of whole vertices.
    pub const fn vertex_count(&self) -> usize {
        self.count
    }

    /// The number of bytes by which the file is shorter than its frames.
    pub const fn missing_bytes(&self) -> u64 {
        let frames = self.unreal.frames();
        // This is 0 if only bytes after the vertices are missing.
        (frames.frame_stride() as u64).saturating_sub(frames.trailing_bytes())
    }

    const fn vertex_size(&self) -> usize {
        self.unreal.vertex_encoding().size() as usize
    }

    /// Makes a frames file that contains only this frame. Missing vertices get their positions from the previous frame;
    /// in the first frame of the file, they get the position of the last available vertex. Bytes between the vertices
    /// and the end of a frame are left out.
    ///
    /// Copies one frame: O(vertices).
    pub fn complete(&self) -> Vec<u8> {
        let frame_size = self.unreal.vertex_count() * self.vertex_size();
        // The frame size in this header is not used: `open` counts the vertices.
        let header = layout::FrameHeader { num_frames: 1, frame_size: frame_size as u16 };
        let size = FRAME_HEADER_SIZE as usize + frame_size;
        let mut file = Vec::with_capacity(size);
        header.write(&mut file);
        file.extend(self.bytes);
        match self.before {
            Some(before) => file.extend(before.iter().skip(self.bytes.len())),
            // The first frame repeats its last vertex.
            None => {
                // There is at least one vertex.
                let last = self.bytes.rchunks_exact(self.vertex_size()).next().unwrap_or(&[]);
                let missing = size - file.len();
                file.extend(last.iter().cycle().take(missing));
            }
        }
        file
    }

    /// The mesh with only this frame. `completed` are the bytes that [`complete`](Self::complete) returned.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if there are fewer bytes.
    pub fn open<'b>(&self, completed: &'b [u8]) -> Result<Unreal<'b, P>>
    where
        'a: 'b,
    {
        let parts = self.unreal.parts();
        let data = Data::new(FRAMES, completed);
        let stride = self.unreal.vertex_count() as u32 * self.vertex_size() as u32;
        let frame = data.span(FRAME_HEADER_SIZE, 1, stride, "frames")?;
        let frames = parts.frames.of_one_frame(frame);
        let parts = Parts { frames, incomplete: None, ..*parts };
        Ok(Unreal::of(self.unreal.geometry, Frames::bind(frames, completed)?, parts))
    }
}
