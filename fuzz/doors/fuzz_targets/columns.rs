//! Arrow columns over the C data interface, from a producer that does not check what it has read: the offsets, views, sizes of
//! buffers and texts have any values, and buffers are as large as these sizes say.
#![no_main]
#![allow(unreachable_pub)]

#[path = "../../../crates/python/src/columns.rs"]
mod columns;

use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;

const KINDS: [DataType; 6] = [
    DataType::Utf8,
    DataType::Binary,
    DataType::LargeUtf8,
    DataType::LargeBinary,
    DataType::Utf8View,
    DataType::BinaryView,
];
/// The largest buffer of values. A larger size is one of a buffer that a producer does not have.
const LARGEST: i64 = 1 << 16;

libfuzzer_sys::fuzz_target!(init: meshlens_terminal::escape_panics(), |bytes: &[u8]| {
    let Some((head, rest)) = bytes.split_first_chunk::<4>() else { return };
    let (kind, len, offset) = (&KINDS[usize::from(head[0]) % KINDS.len()], usize::from(head[1] % 17), head[2] % 4);
    let width = match kind {
        DataType::Utf8 | DataType::Binary => 4,
        DataType::LargeUtf8 | DataType::LargeBinary => 8,
        _ => 16,
    };
    let is_view = width == 16;
    let count = len + usize::from(offset) + usize::from(!is_view);
    let Some((numbers, values)) = rest.split_at_checked(count * width) else { return };
    let size = match (width, numbers.last_chunk::<8>()) {
        (4, _) => i64::from(i32::from_ne_bytes(*numbers.last_chunk().expect("an offset"))),
        (8, Some(last)) => i64::from_ne_bytes(*last),
        _ => values.len() as i64,
    };
    if size > LARGEST {
        return;
    }
    let mut buffer = MutableBuffer::from_len_zeroed(usize::try_from(size).unwrap_or_default().max(values.len()));
    buffer.as_slice_mut()[..values.len()].copy_from_slice(values);
    let nulls = (head[3] & 1 == 1).then(|| Buffer::from(vec![head[3]; 8]));
    let builder = ArrayDataBuilder::new(kind.clone()).len(len).offset(offset.into()).null_bit_buffer(nulls);
    let builder = builder.add_buffer(Buffer::from(numbers.to_vec())).add_buffer(buffer.into());
    // SAFETY: only `columns::import` reads the array, after it has checked it. Its buffers have the sizes of the interface.
    let data = unsafe { builder.build_unchecked() };
    let schema = FFI_ArrowSchema::try_from(kind).expect("a flat type");
    if let Ok(array) = columns::import(FFI_ArrowArray::new(&data), &schema) {
        read(&array);
    }
});

/// Reads every value of an array, which is of one of the types.
fn read(array: &ArrayRef) {
    let (mut texts, mut values) = (Vec::<Option<&str>>::new(), Vec::<Option<&[u8]>>::new());
    texts.extend(array.as_string_opt::<i32>().into_iter().flatten());
    texts.extend(array.as_string_opt::<i64>().into_iter().flatten());
    texts.extend(array.as_string_view_opt().into_iter().flatten());
    assert!(texts.iter().flatten().all(|text| str::from_utf8(text.as_bytes()).is_ok()));
    values.extend(array.as_binary_opt::<i32>().into_iter().flatten());
    values.extend(array.as_binary_opt::<i64>().into_iter().flatten());
    values.extend(array.as_binary_view_opt().into_iter().flatten());
    let sum = values.iter().flatten().copied().flatten().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    std::hint::black_box(sum);
    assert_eq!(texts.len() + values.len(), array.len());
}
