//! Arrow columns of texts and binary values from the C data interface. Their numbers are not trusted: a producer may have read
//! them from a damaged file. The fuzz target `columns` includes this file.

use arrow_array::ffi::{FFI_ArrowArray, from_ffi};
use arrow_array::{ArrayRef, make_array};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType};

/// An array whose offsets, views and texts are checked.
///
/// # Errors
///
/// [`ArrowError::SchemaError`] for an array of another type; other errors for an array that is damaged.
pub(crate) fn import(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<ArrayRef, ArrowError> {
    let damaged = |what: &str| ArrowError::CDataInterface(what.into());
    if array.is_released() || schema.release().is_none() {
        return Err(damaged("the column was taken before"));
    }
    // `DataType` panics on names of children that are not UTF-8.
    if schema.children().next().is_some() || schema.dictionary().is_some() {
        return Err(ArrowError::SchemaError("nested values or of a dictionary".into()));
    }
    let kind = DataType::try_from(schema)?;
    let is_view = matches!(kind, DataType::Utf8View | DataType::BinaryView);
    let is_short = matches!(kind, DataType::Utf8 | DataType::Binary);
    if !is_view && !is_short && !matches!(kind, DataType::LargeUtf8 | DataType::LargeBinary) {
        return Err(ArrowError::SchemaError(kind.to_string()));
    }
    if array.num_buffers() < 3 {
        return Err(damaged("the column has too few buffers"));
    }
    let len = array.len().checked_add(array.offset()).filter(|len| *len < isize::MAX as usize >> 4);
    let len = len.ok_or_else(|| damaged("the column has a wrong length"))?;
    // `from_ffi` reads these sizes of the other buffers before they can be checked.
    let (buffer, first, count) = match is_view {
        true => (array.num_buffers() - 1, 0, array.num_buffers() - 3),
        false => (1, len, usize::from(len > 0)),
    };
    let sizes = array.buffer(buffer);
    let alignment = if is_short { align_of::<i32>() } else { align_of::<i64>() };
    if count > 0 && (sizes.is_null() || sizes.align_offset(alignment) != 0) {
        return Err(damaged("a buffer of the column is missing, or is not aligned"));
    }
    for index in first..first + count {
        // SAFETY: the buffer is aligned. It has an offset more than the array has elements, or the size of each buffer of views.
        let size = unsafe {
            if is_short {
                i64::from(*sizes.cast::<i32>().add(index))
            } else {
                *sizes.cast::<i64>().add(index)
            }
        };
        if size < 0 {
            return Err(damaged("a size in the column is negative"));
        }
    }
    // SAFETY: the array has this schema, and the sizes of its buffers are those that the C data interface determines: it has
    // no sizes of buffers.
    let data = unsafe { from_ffi(array, schema) }?;
    data.validate_full()?;
    Ok(make_array(data))
}
