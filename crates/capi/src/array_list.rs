//! The list of the arrays of a document.

use std::ffi::c_void;

use meshlens::lens::{Array, ArrayFormat};
use meshlens::wire::Reservation;
use meshlens::{Document, Partial};

use crate::array_format::{describe, ml_array_format};
use crate::call::at;
use crate::enums::{ml_semantic, raw};
use crate::memory::Limited;
use crate::names::{TextAt, TextBuilder, Texts};
use crate::result::{Failure, Result};
use crate::sized::Growing;

/// One array of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_array {
    /// sizeof(ml_array), or 0 for the first version of the struct.
    pub size: usize,
    /// The stored elements: little-endian, not aligned. Valid until ml_close.
    pub data: *const c_void,
    /// The number of bytes from the first byte of the first element to the last byte of the last one.
    pub data_size: usize,
    /// The absolute offset of `data` in its file, in bytes.
    pub file_offset: u64,
    /// The number of elements.
    pub count: usize,
    /// The number of bytes from one element to the next.
    pub stride: usize,
    /// How elements are stored. Valid until ml_close.
    pub format: *const ml_array_format,
    /// The meaning of the elements.
    pub semantic: raw::ml_semantic,
    /// Not 0 if another array covers the same bytes. Example: the positions of records that are also listed as
    /// positions and normals.
    pub is_part: u32,
    /// The index of the surface or mesh.
    pub mesh: usize,
    /// The index among arrays of the same semantic and frame, such as the set of texture coordinates.
    pub set: usize,
    /// The frame or morph target. An array that is the same in all frames has frame 0.
    pub frame: usize,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The index of the bone that the animation keys in the array belong to; 0 for other arrays.
    pub bone: usize,
    /// The index of the file that contains the array: 1 for the frames file of an Unreal mesh, otherwise 0.
    pub file: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_array {}

/// The arrays of a document, and the format of each encoding.
pub(crate) struct Arrays<'a> {
    pub(crate) list: Vec<(Array<'a>, usize)>,
    formats: Box<[ml_array_format]>,
    /// The names that the formats refer to.
    _texts: Texts,
    _held: Reservation,
}

// SAFETY: the pointers in the formats refer to texts that are never modified.
unsafe impl Send for Arrays<'_> {}

// SAFETY: as above.
unsafe impl Sync for Arrays<'_> {}

impl<'a> Arrays<'a> {
    /// The arrays that are loaded.
    pub(crate) fn new(document: &Document<'a, Partial>, memory: &Limited) -> Result<Arrays<'a>> {
        let mut held = memory.budget.empty();
        let mut list: Vec<(Array<'a>, usize)> = Vec::new();
        let mut known: Vec<&'static ArrayFormat> = Vec::new();
        for array in document.arrays().flatten() {
            if list.len() == list.capacity() {
                let more = list.len().max(64);
                held.grow(
                    more.saturating_mul(size_of::<(Array<'_>, usize)>()),
                    format_args!("a list of {more} arrays"),
                )?;
                list.try_reserve_exact(more).map_err(|_| Failure::memory())?;
            }
            let format = array.lens.format();
            // Files have few encodings.
            let index = known.iter().position(|other| std::ptr::eq(*other, format) || *other == format);
            let index = index.unwrap_or_else(|| {
                known.push(format);
                known.len().saturating_sub(1)
            });
            list.push((array, index));
        }
        let mut texts = TextBuilder::default();
        let names: Vec<TextAt> = known.iter().map(|format| texts.add(format.name())).collect();
        let texts = texts.finish(memory)?;
        let formats = known.iter().zip(names).map(|(format, name)| describe(format, texts.get(name)));
        Ok(Arrays { list, formats: formats.collect(), _texts: texts, _held: held })
    }

    pub(crate) fn get(&self, index: usize) -> Result<&(Array<'a>, usize)> {
        at(&self.list, "array", index)
    }

    pub(crate) fn describe(&self, index: usize) -> Result<ml_array> {
        let (array, format) = self.get(index)?;
        let bytes = array.lens.as_bytes();
        Ok(ml_array {
            size: 0,
            data: bytes.as_ptr().cast(),
            data_size: bytes.len(),
            file_offset: array.lens.byte_range().start,
            count: array.lens.len(),
            stride: array.lens.stride(),
            format: self.formats.get(*format).map_or(std::ptr::null(), std::ptr::from_ref),
            semantic: ml_semantic::number(array.semantic),
            is_part: array.is_part.into(),
            mesh: array.mesh,
            set: array.set,
            frame: array.frame,
            lod: array.lod,
            bone: array.bone,
            file: array.file,
        })
    }
}
