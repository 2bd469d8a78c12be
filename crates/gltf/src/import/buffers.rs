//! The buffers of a document and their views. A file that several buffers name is read once. Views with
//! `EXT_meshopt_compression` are decompressed when they are first used.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::rc::Rc;

use base64::Engine;

use super::document::Document;
use super::memory::Memory;
use super::{broken, decode_uri};
use crate::json::in_memory;
use crate::meshopt;
use crate::{Error, Read};

/// The bytes of a buffer.
enum Content<'b> {
    /// The binary chunk of a GLB, or nothing.
    Borrowed(&'b [u8]),
    /// A data URI.
    Owned(Vec<u8>),
    /// The first bytes of a file, which other buffers share.
    File { bytes: Rc<Vec<u8>>, len: usize },
}

impl Deref for Content<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Content::Borrowed(bytes) => bytes,
            Content::Owned(bytes) => bytes,
            Content::File { bytes, len } => bytes.get(..*len).unwrap_or(bytes),
        }
    }
}

/// The buffers of a document, and the memory of its import.
pub(super) struct Buffers<'b> {
    pub(super) document: &'b Document,
    buffers: Vec<Content<'b>>,
    /// The decompressed bytes of compressed views.
    decompressed: Vec<OnceCell<Vec<u8>>>,
    memory: RefCell<Memory>,
    /// For each accessor with values that are not finite: their kind and number.
    pub(super) not_finite: RefCell<BTreeMap<usize, (&'static str, u64)>>,
}

impl<'b> Buffers<'b> {
    pub(super) fn read(
        document: &'b Document,
        blob: Option<&'b [u8]>,
        read: &Read<'_>,
        mut memory: Memory,
    ) -> Result<Self, Error> {
        let mut blob = blob;
        let placeholders = placeholders(document);
        let mut buffers: Vec<Content<'b>> = Vec::with_capacity(document.buffers.len());
        let mut files = Files::of(document, &placeholders);
        for (number, (buffer, placeholder)) in document.buffers.iter().zip(placeholders).enumerate() {
            buffers.push(match &buffer.uri {
                _ if placeholder => Content::Borrowed(&[]),
                None => Content::Borrowed(blob.take().unwrap_or_default()),
                Some(uri) => match uri.strip_prefix("data:") {
                    Some(data) => Content::Owned(decode_data(number, data, &mut memory)?),
                    None => Content::File {
                        bytes: files.read(number, uri, read, &mut memory)?,
                        len: in_memory(buffer.byte_length),
                    },
                },
            });
            let (found, expected) =
                (buffers.last().map_or(0, |bytes| bytes.len()), in_memory(buffer.byte_length));
            if found < expected && !placeholder {
                return Err(broken(format_args!(
                    "/buffers/{number}: expected {expected} bytes, found {found}"
                )));
            }
        }
        // The size of decompressed views is known in advance.
        let packed = document.buffer_views.iter().filter(|view| view.compressed().is_some());
        let (count, bytes) = packed.fold((0, 0usize), |(count, bytes), view| {
            (count + 1, bytes.saturating_add(in_memory(view.byte_length)))
        });
        memory.charge(bytes, format_args!("{count} compressed views of {bytes} bytes"))?;
        let decompressed = document.buffer_views.iter().map(|_| OnceCell::new()).collect();
        Ok(Buffers {
            document,
            buffers,
            decompressed,
            memory: RefCell::new(memory),
            not_finite: RefCell::default(),
        })
    }

    /// Charges `count` elements of `size` bytes before they are allocated.
    pub(super) fn spend(&self, count: usize, size: usize) -> Result<(), Error> {
        let what = format_args!("{count} elements x {size} bytes");
        self.memory.borrow_mut().charge(count.saturating_mul(size), what)
    }

    /// The memory of the import, without the buffers.
    pub(super) fn into_memory(self) -> Memory {
        self.memory.into_inner()
    }

    fn range(&self, view: usize, buffer: usize, offset: u64, len: u64) -> Result<&[u8], Error> {
        let bytes = &*self.buffers[buffer];
        let start = in_memory(offset);
        bytes.get(start..start.saturating_add(in_memory(len))).ok_or_else(|| {
            let whole = bytes.len();
            broken(format_args!(
                "/bufferViews/{view}: {len} bytes at {offset} end past buffer {buffer} of {whole}"
            ))
        })
    }

    /// The bytes of a view.
    pub(super) fn view(&self, index: usize) -> Result<&[u8], Error> {
        let view = &self.document.buffer_views[index];
        let Some((_, packed)) = view.compressed() else {
            return self.range(index, view.buffer, view.byte_offset, view.byte_length);
        };
        let cell = &self.decompressed[index];
        if let Some(bytes) = cell.get() {
            return Ok(bytes);
        }
        let bytes = self.range(index, packed.buffer, packed.byte_offset, packed.byte_length)?;
        let decoded = meshopt::decode(bytes, &packed.layout()).map_err(|fault| {
            let (offset, expected) =
                (in_memory(packed.byte_offset).saturating_add(fault.offset), fault.expected);
            broken(format_args!(
                "/bufferViews/{index}: compressed data: at {offset} of buffer {}: expected {expected}",
                packed.buffer
            ))
        })?;
        Ok(cell.get_or_init(|| decoded))
    }
}

/// For each buffer, whether only compressed views refer to it. Such a buffer is a fallback and may have no bytes.
fn placeholders(document: &Document) -> Vec<bool> {
    let mut placeholders: Vec<bool> = vec![false; document.buffers.len()];
    document
        .buffer_views
        .iter()
        .filter(|view| view.compressed().is_some())
        .for_each(|view| placeholders[view.buffer] = true);
    for view in &document.buffer_views {
        match view.compressed() {
            Some((_, packed)) => placeholders[packed.buffer] = false,
            None => placeholders[view.buffer] = false,
        }
    }
    placeholders
}

/// The bytes of a data URI, from its text after `data:`.
fn decode_data(number: usize, data: &str, memory: &mut Memory) -> Result<Vec<u8>, Error> {
    let (_, text) = data
        .split_once(";base64,")
        .ok_or_else(|| broken(format_args!("/buffers/{number}/uri: expected base64 in a data URI")))?;
    let len = text.len().div_ceil(4).saturating_mul(3);
    memory.charge(len, format_args!("buffer {number}, a data URI of {len} bytes,"))?;
    let decoded = base64::engine::general_purpose::STANDARD.decode(text);
    decoded.map_err(|error| broken(format_args!("/buffers/{number}/uri: {error}")))
}

/// The files of a document's buffers, by path.
struct Files(HashMap<String, File>);

struct File {
    /// The length of the longest buffer that names this file.
    len: usize,
    bytes: Option<Rc<Vec<u8>>>,
}

impl Files {
    fn of(document: &Document, placeholders: &[bool]) -> Files {
        let mut files: HashMap<String, File> = HashMap::new();
        for (buffer, _) in document.buffers.iter().zip(placeholders).filter(|(_, placeholder)| !**placeholder)
        {
            let Some(uri) = buffer.uri.as_ref().filter(|uri| !uri.starts_with("data:")) else { continue };
            let file = files.entry(decode_uri(uri)).or_insert(File { len: 0, bytes: None });
            file.len = file.len.max(in_memory(buffer.byte_length));
        }
        Files(files)
    }

    /// The bytes of the file of a buffer. The file is read once, and not beyond the length of the longest buffer.
    fn read(
        &mut self,
        number: usize,
        uri: &str,
        read: &Read<'_>,
        memory: &mut Memory,
    ) -> Result<Rc<Vec<u8>>, Error> {
        let path = decode_uri(uri);
        let unreadable = || broken(format_args!("{path}: cannot be read"));
        let file = self.0.get_mut(&path).ok_or_else(unreadable)?;
        if let Some(bytes) = &file.bytes {
            return Ok(bytes.clone());
        }
        let len = file.len;
        memory.charge(len, format_args!("buffer {number}, {len} bytes of a file,"))?;
        let mut bytes = read(&path, len).ok_or_else(unreadable)?;
        if bytes.len() > len {
            bytes.truncate(len);
            bytes.shrink_to_fit();
        }
        let bytes = Rc::new(bytes);
        file.bytes = Some(bytes.clone());
        Ok(bytes)
    }
}
