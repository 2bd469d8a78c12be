//! Buffer views: their content is written once, compressed if requested, and found by its hash.

use std::hash::{DefaultHasher, Hasher};
use std::io::Write;

use crate::buffer::{Content, STEP};
use crate::builder::{Builder, added};
use crate::json::{BufferView, Compressed, ViewExtensions};
use crate::meshopt::{self, Meshopt};
use crate::stored::{Elements, Use, ViewIndex, ViewKey};
use crate::{Error, Sink};

/// The maximum number of arrays with the same hash that are compared. Equal arrays are stored once, so different arrays
/// with one hash are rare.
pub(crate) const CANDIDATES: usize = 4;

impl Builder<'_, '_, '_> {
    /// Adds a view from `start` to the end of the plan.
    pub(crate) fn view(&mut self, start: u64, stride: Option<usize>, of: Use) -> Result<usize, Error> {
        self.memory
            .elements::<(BufferView, (ViewKey, Vec<ViewIndex>), ViewIndex, Content)>(1, "buffer views")?;
        let view = BufferView {
            buffer: 0,
            byte_offset: start,
            byte_length: self.plan.len() - start,
            byte_stride: stride,
            target: of.target(),
            extensions: ViewExtensions::default(),
        };
        Ok(added(&mut self.root.buffer_views, view))
    }

    /// Writes a content in its encoded form.
    fn render(&mut self, content: &Content, out: &mut dyn Write) -> Result<(), Error> {
        // Replaced values are counted once, when the array is measured.
        let replaced = self.scratch.replaced;
        let rendered = content.write(&self.shapes, &mut self.scratch, out);
        self.scratch.replaced = replaced;
        Ok(rendered?)
    }

    /// A view of encoded bytes.
    pub(crate) fn bytes_view(&mut self, of: Use, elements: Elements, bytes: Vec<u8>) -> Result<usize, Error> {
        self.memory.bytes(bytes.capacity(), "an encoded array")?;
        let len = bytes.len() as u64;
        self.content_view(of, elements, Content::Bytes(bytes), len)
    }

    /// A view of a content. If a view with equal content exists, it is used instead.
    pub(crate) fn content_view(
        &mut self,
        of: Use,
        elements: Elements,
        content: Content,
        len: u64,
    ) -> Result<usize, Error> {
        let compressed = self.compressed(elements, std::slice::from_ref(&content), len)?;
        let is_compressed = compressed.is_some();
        let (content, stored) = compressed.unwrap_or((content, len));
        let mut hash = DefaultHasher::new();
        let mut hashed = Sink(|bytes: &[u8]| {
            hash.write(bytes);
            Ok(())
        });
        self.render(&content, &mut hashed)?;
        let key = (hash.finish(), of);
        let known = self.arrays.views.get(&key).cloned().unwrap_or_default();
        let known = known.into_iter().take(CANDIDATES);
        for (view, place) in known {
            if self.is_same(&content, place)? && self.is_like(view, is_compressed, elements, len) {
                return Ok(view);
            }
        }
        self.plan.align();
        let place = self.plan.contents();
        let start = self.plan.push(content, stored);
        let stride = match (of, elements) {
            (Use::Vertices, Elements::Attributes(stride)) => Some(stride),
            _ => None,
        };
        let view = self.view(start, stride, of)?;
        if is_compressed {
            self.compress(view, elements, len);
        }
        self.arrays.views.entry(key).or_default().push((view, place));
        Ok(view)
    }

    /// Whether a content is equal to the one at an index of the plan.
    fn is_same(&mut self, content: &Content, place: usize) -> Result<bool, Error> {
        let Some(other) = self.plan.content(place).cloned() else { return Ok(false) };
        if let (Content::Bytes(a), Content::Bytes(b)) = (content, &other) {
            return Ok(a == b);
        }
        if let (Content::Shared(a), Content::Shared(b)) = (content, &other) {
            return Ok(a == b);
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.render(content, &mut a)?;
        self.render(&other, &mut b)?;
        Ok(a == b)
    }

    /// Whether a view has these elements, `len` bytes in all, and the same compression.
    fn is_like(&self, view: usize, compressed: bool, elements: Elements, len: u64) -> bool {
        let view = &self.root.buffer_views[view];
        let stride = view.compressed().map(|(_, compressed)| compressed.byte_stride);
        let wanted = match elements {
            Elements::Attributes(stride) | Elements::Steps(stride) | Elements::Triangles(stride) => {
                Some(stride)
            }
            Elements::Opaque => None,
        };
        view.byte_length == len && if compressed { stride == wanted } else { stride.is_none() }
    }

    /// Compresses contents of `len` bytes in all, and returns the result with its length. `None` if compression is not
    /// requested or does not make them smaller.
    pub(crate) fn compressed(
        &mut self,
        elements: Elements,
        contents: &[Content],
        len: u64,
    ) -> Result<Option<(Content, u64)>, Error> {
        if self.options.meshopt.is_none() || len == 0 {
            return Ok(None);
        }
        let bytes = match elements {
            Elements::Opaque => return Ok(None),
            Elements::Attributes(stride) => {
                self.written(contents, meshopt::Attributes::new(stride))?.finish()
            }
            Elements::Steps(stride) => {
                self.written(contents, meshopt::Exponents::new(stride, STEP))?.finish()
            }
            Elements::Triangles(size) => self.written(contents, meshopt::Triangles::new(size))?.finish(),
        };
        let stored = bytes.len() as u64;
        if stored >= len {
            return Ok(None);
        }
        self.memory.bytes(bytes.len(), "a compressed array")?;
        Ok(Some((Content::Bytes(bytes), stored)))
    }

    /// The encoder after all contents were written to it.
    fn written<E: Write>(&mut self, contents: &[Content], mut encoder: E) -> Result<E, Error> {
        contents.iter().try_for_each(|content| self.render(content, &mut encoder))?;
        Ok(encoder)
    }

    /// Marks a view as compressed, with a decompressed size of `len` bytes.
    pub(crate) fn compress(&mut self, view: usize, elements: Elements, len: u64) {
        let extension = self.options.meshopt.unwrap_or_default();
        self.use_extension(extension.name(), true);
        let (stride, mode, filter) = match elements {
            Elements::Triangles(size) => (size, meshopt::Mode::Triangles, meshopt::Filter::None),
            Elements::Attributes(stride) => (stride, meshopt::Mode::Attributes, meshopt::Filter::None),
            Elements::Steps(stride) => (stride, meshopt::Mode::Attributes, meshopt::Filter::Exponential),
            Elements::Opaque => return,
        };
        let offset = self.arrays.decompressed.next_multiple_of(4);
        self.arrays.decompressed = offset + len;
        let view = &mut self.root.buffer_views[view];
        let compressed = match extension {
            Meshopt::Khr => &mut view.extensions.khr,
            Meshopt::Ext => &mut view.extensions.ext,
        };
        *compressed = Some(Compressed {
            buffer: 0,
            byte_length: view.byte_length,
            byte_offset: view.byte_offset,
            byte_stride: stride,
            count: (len / stride as u64) as usize,
            filter,
            mode,
        });
        // The range to decompress to, in a buffer without bytes.
        (view.buffer, view.byte_offset, view.byte_length) = (1, offset, len);
    }
}
