//! The C interface: `include/meshlens_mutate.h`. The formats and the password come from the environment, because neither
//! libFuzzer nor AFL++ passes arguments to a mutator.

use core::ffi::{c_uint, c_void};
use core::ptr;
use std::sync::OnceLock;

use crate::{Kind, Mutator};

/// The mutator of the process: for the kind that `MESHLENS_MUTATE` names, with the password `MESHLENS_MUTATE_PASSWORD`.
fn mutator() -> &'static Mutator {
    static MUTATOR: OnceLock<Mutator> = OnceLock::new();
    MUTATOR.get_or_init(|| {
        let name = std::env::var("MESHLENS_MUTATE").unwrap_or_default();
        let mutator = match name.parse::<Kind>() {
            Ok(kind) => Mutator::new(kind),
            Err(_) if name.is_empty() => Mutator::detecting(),
            Err(expected) => {
                eprintln!("MESHLENS_MUTATE={name}: {expected}");
                std::process::exit(2);
            }
        };
        mutator.with_password(std::env::var("MESHLENS_MUTATE_PASSWORD").unwrap_or_default())
    })
}

/// The bytes at a pointer, which may be null if there are none.
///
/// # Safety
///
/// `data` points to `size` bytes that nobody changes during `'a`, or `size` is 0.
const unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: by the contract of this function, there are `size` bytes at `data`, which is not null.
    unsafe { core::slice::from_raw_parts(data, size) }
}

/// Copies a file to a buffer, as much as it has room for. Returns the number of bytes.
///
/// # Safety
///
/// `out` points to `room` bytes that may be written, or `room` is 0.
const unsafe fn put(file: &[u8], out: *mut u8, room: usize) -> usize {
    let len = if file.len() < room { file.len() } else { room };
    if len == 0 || out.is_null() {
        return 0;
    }
    // SAFETY: `file` has at least `len` bytes, and by the contract of this function `out` has room for them. `file` is
    // memory of this crate, which is not at `out`.
    unsafe { ptr::copy_nonoverlapping(file.as_ptr(), out, len) };
    len
}

/// Changes the file of `size` bytes at `data` in place. Returns its new size, at most `max_size`.
///
/// # Safety
///
/// `data` points to `size` bytes that may be read, and `max_size` bytes that may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn ml_mutate(data: *mut u8, size: usize, max_size: usize, seed: u64) -> usize {
    // SAFETY: by the contract of this function, `size` bytes may be read. They are changed only after `mutate` has returned.
    let changed = mutator().mutate(unsafe { bytes(data, size) }, max_size, seed);
    // SAFETY: by the contract of this function, `max_size` bytes may be written.
    unsafe { put(&changed, data, max_size) }
}

/// Puts a part of one file into another, and writes the result to `out`. Returns its size, at most `max_size`.
///
/// # Safety
///
/// `first` and `second` point to as many bytes as their sizes say, and `out` to `max_size` bytes that may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn ml_cross_over(
    first: *const u8,
    first_size: usize,
    second: *const u8,
    second_size: usize,
    out: *mut u8,
    max_size: usize,
    seed: u64,
) -> usize {
    // SAFETY: by the contract of this function, there are as many bytes as the sizes say.
    let (first, second) = unsafe { (bytes(first, first_size), bytes(second, second_size)) };
    let joined = mutator().cross_over(first, second, max_size, seed);
    // SAFETY: by the contract of this function, `max_size` bytes may be written.
    unsafe { put(&joined, out, max_size) }
}

/// What AFL++ keeps between calls: the seed of the next call, and the last file.
struct Afl {
    seed: u64,
    file: Vec<u8>,
}

/// Starts the custom mutator of AFL++.
#[unsafe(no_mangle)]
extern "C" fn afl_custom_init(_afl: *mut c_void, seed: c_uint) -> *mut c_void {
    // Neighboring seeds give unrelated files, so that the runs of two seeds do not share calls.
    Box::into_raw(Box::new(Afl { seed: u64::from(seed) << 32, file: Vec::new() })).cast()
}

/// Changes a file for AFL++. One of 8 calls puts a part of the other file into it. The result stays valid until the next call.
///
/// # Safety
///
/// `state` is of [`afl_custom_init`], and no other call uses it. The files have as many bytes as their sizes say, and `out` may
/// be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_fuzz(
    state: *mut c_void,
    file: *mut u8,
    size: usize,
    out: *mut *const u8,
    other: *const u8,
    other_size: usize,
    max_size: usize,
) -> usize {
    // SAFETY: by the contract of this function, it is the state that `afl_custom_init` made, and nobody else uses it.
    let afl = unsafe { &mut *state.cast::<Afl>() };
    // SAFETY: by the contract of this function, the files have as many bytes as their sizes say.
    let (file, other) = unsafe { (bytes(file, size), bytes(other, other_size)) };
    afl.seed += 1;
    afl.file = match afl.seed % 8 {
        0 if !other.is_empty() => mutator().cross_over(file, other, max_size, afl.seed),
        _ => mutator().mutate(file, max_size, afl.seed),
    };
    // SAFETY: by the contract of this function, `out` may be written.
    unsafe { out.write(afl.file.as_ptr()) };
    afl.file.len()
}

/// Ends the custom mutator of AFL++.
///
/// # Safety
///
/// `state` is of [`afl_custom_init`], and is not used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_deinit(state: *mut c_void) {
    // SAFETY: by the contract of this function, `afl_custom_init` made it by `Box::into_raw`, and it is freed once.
    drop(unsafe { Box::from_raw(state.cast::<Afl>()) });
}
