//! The arrays of a file: their location, count and encoding, and decoding them.

use std::ffi::c_void;

use meshlens::lens::AnyLens;

use crate::array_list::ml_array;
use crate::asset::{ml_asset, model_of};
use crate::call::{call, check_place, output, put};
use crate::error::ml_error;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// Writes the number of arrays in a file. They are the arrays of vertices, triangles and animation keys, mesh by mesh
/// and frame by frame, with the same names in every format. Packed arrays (UNIGINE ms14) are not listed.
///
/// Cost: the first call lists the arrays, O(arrays), and keeps the list; after that O(1).
/// Threads: any.
/// Errors: ML_ERROR_UNSUPPORTED for an imported asset (glTF), which has no arrays of a file, ML_ERROR_MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_array_count(
    asset: *const ml_asset,
    count: *mut usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, model_of(asset)?.with_arrays(|arrays| put(count, arrays.list.len())))
}

/// Writes the location and the format of an array. Decodes nothing.
///
/// Cost: as ml_get_array_count.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such array; those of ml_get_array_count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_array(
    asset: *const ml_asset,
    index: usize,
    array: *mut ml_array,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        file.with_arrays(|arrays| sized::write(array, arrays.describe(index)?))
    })
}

/// The elements to decode, and the destination of their values. All zeros decode every element, without gaps.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_decode_opts {
    /// sizeof(ml_decode_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The first element.
    pub first: usize,
    /// The number of elements; 0 means all from `first` on.
    pub count: usize,
    /// The offset of the first value in the output, in bytes.
    pub offset: usize,
    /// The number of bytes from one value to the next in the output; 0 means the size of a value. Bytes between values
    /// are left unchanged.
    pub stride: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_decode_opts {}

/// Decodes an array into memory of the caller: value `i` goes to `out + offset + i * stride`, as the numbers that
/// ml_array_format describes, in native byte order. `out` may have any alignment; decoding is fastest if it has the
/// alignment of its numbers. `opts` may be NULL.
///
/// Cost: O(elements), with the fastest instructions of the machine.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such array or element, ML_ERROR_VALUE if the output ends before the last value
/// or a stride is smaller than a value; those of ml_get_array_count. The output is then unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_decode(
    asset: *const ml_asset,
    array: usize,
    opts: *const ml_decode_opts,
    out: *mut c_void,
    out_size: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        let opts = sized::read(opts)?;
        file.check_apart(out.cast(), out_size)?;
        let out = output::<u8>(out.cast(), out_size)?;
        file.with_arrays(|arrays| {
            let lens = part(&arrays.get(array)?.0.lens, opts.first, opts.count)?;
            let size = lens.format().value().size();
            let stride = if opts.stride == 0 { size } else { opts.stride };
            let exact = lens.len().checked_mul(size).and_then(|len| opts.offset.checked_add(len));
            match exact.filter(|_| stride == size).and_then(|end| out.get_mut(opts.offset..end)) {
                Some(out) => Ok(lens.decode_bytes_into(out)?),
                None => Ok(lens.decode_strided(out, opts.offset, stride)?),
            }
        })
    })
}

/// The `count` elements of a lens from `first` on, or all from there on if `count` is 0.
fn part<'a>(lens: &AnyLens<'a>, first: usize, count: usize) -> Result<AnyLens<'a>> {
    let end = match count {
        0 => lens.len(),
        // An end that saturates is out of range, too.
        count => first.saturating_add(count),
    };
    // An empty slice of an array without elements is valid.
    let part = lens.slice(first..end).or_else(|| lens.slice(0..0).filter(|_| first == 0 && end == 0));
    part.ok_or_else(|| {
        let last = if count == 0 { first } else { end.saturating_sub(1) };
        Failure::index("element", last, lens.len())
    })
}

/// Writes every index of an array of indices as a 32-bit integer, without gaps, and the largest index to `*largest`, or
/// UINT32_MAX if there is none. The indices are written as they are stored and may be out of range: compare the largest
/// with the number of vertices. `count` is the number of elements of `out`, which must be the number of all indices.
/// `largest` may be NULL.
///
/// Cost: O(indices).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such array, ML_ERROR_UNSUPPORTED if its elements are not indices,
/// ML_ERROR_LENGTH if `count` is not the number of all indices; those of ml_get_array_count. The output is then unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_decode_indices(
    asset: *const ml_asset,
    array: usize,
    out: *mut u32,
    count: usize,
    largest: *mut u32,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        if !largest.is_null() {
            check_place(largest)?;
        }
        let out = output(out, count)?;
        file.check_apart(out.as_ptr().cast(), size_of_val(out))?;
        let found = file.with_arrays(|arrays| Ok(arrays.get(array)?.0.lens.widen_into(out)?))?;
        if !largest.is_null() {
            largest.write(found.unwrap_or(u32::MAX));
        }
        Ok(())
    })
}
