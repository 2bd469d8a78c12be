//! The version of the library and of its interface.

use std::ffi::c_char;

/// The version of the interface that this header describes. It changes when programs that were compiled with an older
/// header no longer work. New functions, and new members at the end of structs that begin with their size, do not
/// change it.
pub const ML_ABI_VERSION: u32 = 1;

/// The ML_ABI_VERSION of the library that the program runs with. If it differs from the one in the header, call no other
/// function.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_abi_version() -> u32 {
    ML_ABI_VERSION
}

/// The version of the library as text, such as "0.1.0". The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
