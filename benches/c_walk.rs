//! A hand-written loader in C, `c/walk.c`. It is compiled when a bench starts, and runs in the same process.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::ptr::NonNull;

/// The functions of `c/walk.c`.
pub struct CWalk {
    walk_map: unsafe extern "C" fn(*const c_char, c_int) -> i64,
    read_whole: unsafe extern "C" fn(*const c_char, *mut u8, u64) -> i64,
}

impl CWalk {
    /// Compiles and loads the functions with `$CC` or `cc`. Prints the reason if that fails.
    pub fn build() -> Option<CWalk> {
        let built = build();
        if let Err(reason) = &built {
            eprintln!("the C loader is left out: {reason}");
        }
        built.ok()
    }

    /// Opens, maps and walks a file. Returns the number of vertices of one frame, or with `indices` the number of
    /// surfaces whose indices are all in range.
    pub fn walk_map(&self, path: &CStr, indices: bool) -> u64 {
        // SAFETY: the path ends with NUL, and the function does not keep it.
        let found = unsafe { (self.walk_map)(path.as_ptr(), indices.into()) };
        found.try_into().expect("a model")
    }

    /// Reads a file into `bytes`, which must be large enough. Returns the length.
    pub fn read_whole(&self, path: &CStr, bytes: &mut [u8]) -> u64 {
        // SAFETY: the path ends with NUL, and at most the given number of bytes is written.
        let len = unsafe { (self.read_whole)(path.as_ptr(), bytes.as_mut_ptr(), bytes.len() as u64) };
        len.try_into().expect("a readable file")
    }
}

fn build() -> Result<CWalk, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/walk.c");
    let library = folder.path().join("walk.so");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command.args(["-O3", "-march=native", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => return Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => return Err(format!("{}: {error}", compiler.display())),
    }
    let path = CString::new(library.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the library was made of our own source and runs nothing when it is loaded. It is never closed.
    let handle = NonNull::new(unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) });
    let handle = handle.ok_or("the library cannot be loaded")?;
    let symbol = |name: &CStr| -> Result<NonNull<c_void>, String> {
        // SAFETY: the library is open, and the name ends with NUL.
        let symbol = unsafe { libc::dlsym(handle.as_ptr(), name.as_ptr()) };
        NonNull::new(symbol).ok_or_else(|| format!("the library has no {name:?}"))
    };
    let (walk_map, read_whole) = (symbol(c"walk_map")?, symbol(c"read_whole")?);
    // SAFETY: these are the functions of `c/walk.c`, and these are their types.
    let functions = unsafe {
        CWalk {
            walk_map: std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(*const c_char, c_int) -> i64>(
                walk_map,
            ),
            read_whole: std::mem::transmute::<
                NonNull<c_void>,
                unsafe extern "C" fn(*const c_char, *mut u8, u64) -> i64,
            >(read_whole),
        }
    };
    Ok(functions)
}
