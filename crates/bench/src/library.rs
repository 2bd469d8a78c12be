//! Decoders of others, in shared libraries with the interface of `include/meshlens_decoder.h`.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;
use std::{fs, io, slice, thread};

use libloading::Library;
use meshlens_terminal::status::Status;
use meshlens_terminal::{signals, tell};

/// How often code of a library began or ended: it runs while this is odd. One thread writes it.
static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Ends the program if code of a library runs longer than `limit`, at the latest after twice that time: a thread that runs
/// foreign code cannot be stopped. Nothing is done within the times that are measured.
pub(crate) fn watch(limit: Duration) -> io::Result<()> {
    let ready = Arc::new(Barrier::new(2));
    let started = ready.clone();
    let watch = move || {
        started.wait();
        let mut seen = 0;
        loop {
            thread::sleep(limit);
            let steps = STEPS.load(Ordering::Relaxed);
            if steps % 2 == 1 && steps == seen {
                tell!("a decoder runs for more than {} s (--decoder-limit)", limit.as_secs_f32());
                signals::exit_at_once(Status::Failed.code());
            }
            seen = steps;
        }
    };
    thread::Builder::new().name("decoders".into()).spawn(watch)?;
    // A thread that starts needs the lock of the dynamic linker, which code that runs while a library is loaded holds.
    ready.wait();
    Ok(())
}

/// Runs code of a library.
fn watched<T>(code: impl FnOnce() -> T) -> T {
    let step = || STEPS.store(STEPS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    step();
    let result = code();
    step();
    result
}

/// `meshlens_file`.
#[repr(C)]
struct File {
    bytes: *const u8,
    len: usize,
}

/// `meshlens_array`.
#[repr(C)]
pub(crate) struct DecoderArray {
    name: *const c_char,
    pub(crate) mesh: usize,
    pub(crate) set: usize,
    pub(crate) frame: usize,
    pub(crate) lod: usize,
    pub(crate) bone: usize,
    first: *const u8,
    count: usize,
    stride: usize,
}

impl DecoderArray {
    /// The name of the array, or text that is no name.
    pub(crate) fn name(&self) -> &str {
        let is_null = self.name.is_null();
        // SAFETY: the header asks for a C string, which is valid during the call that `self` lives for.
        let name = (!is_null).then(|| unsafe { CStr::from_ptr(self.name) });
        name.and_then(|name| name.to_str().ok()).unwrap_or("(no name)")
    }

    /// The elements, `size` bytes each. `None` if the library does not say that it gives `count` of them.
    pub(crate) fn elements(&self, count: usize, size: usize) -> Option<impl Iterator<Item = &[u8]>> {
        let has_bytes = count == 0 || self.stride >= size && size > 0 && !self.first.is_null();
        let last = self.stride.checked_mul(count.saturating_sub(1))?;
        let len = last.checked_add(size).filter(|len| *len <= isize::MAX as usize)?;
        let bytes: &[u8] = match (self.count == count && has_bytes, count) {
            (false, _) => return None,
            (true, 0) => &[],
            // SAFETY: the header asks for this many elements, which are valid during the call that `self` lives for.
            (true, _) => unsafe { slice::from_raw_parts(self.first, len) },
        };
        Some(bytes.chunks(self.stride.max(1)).map(move |element| &element[..size]))
    }
}

type Take<'t> = &'t mut dyn FnMut(&DecoderArray);
type Give = unsafe extern "C" fn(*mut c_void, *const DecoderArray);
type Decode = unsafe extern "C" fn(*const File, usize, Give, *mut c_void) -> c_int;

unsafe extern "C" fn give(to: *mut c_void, array: *const DecoderArray) {
    // SAFETY: the header asks for the pointer that `Decoder::decode` passed, and for a call before that function returns.
    let take = unsafe { &mut *to.cast::<Take<'_>>() };
    // SAFETY: the header asks for an array that is valid during this call.
    if let Some(array) = unsafe { array.as_ref() } {
        take(array);
    }
}

/// A library that is loaded.
pub(crate) struct Decoder {
    /// The name of its file, without `lib` and the extension.
    pub(crate) name: String,
    decode: Decode,
    library: ManuallyDrop<Library>,
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the library is used by nobody else, and not after this.
        watched(|| drop(unsafe { ManuallyDrop::take(&mut self.library) }));
    }
}

impl Decoder {
    /// Loads a library, and runs what it does when it is loaded.
    pub(crate) fn load(path: &Path) -> Result<Decoder, String> {
        let failed = |error: &dyn std::error::Error| format!("cannot load {}: {error}", path.display());
        // A name without a folder is a file, not a library of the system.
        let file = fs::canonicalize(path).map_err(|error| failed(&error))?;
        // The loader of the system waits for the other end of a pipe.
        meshlens_source::open_regular(&file).map_err(|error| failed(&error))?;
        // SAFETY: the user asks for the code of this library to run in the process.
        let library = watched(|| unsafe { Library::new(&file) }).map_err(|error| failed(&error))?;
        // SAFETY: the header gives the function of this name this type, and the library stays loaded as long as `Decoder`.
        let decode =
            *unsafe { library.get::<Decode>(b"meshlens_decode_v1\0") }.map_err(|error| failed(&error))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.strip_prefix("lib").unwrap_or(&stem).to_owned();
        Ok(Decoder { name, decode, library: ManuallyDrop::new(library) })
    }

    /// Decodes a model: `take` gets each array. Returns whether the library reads these files.
    pub(crate) fn decode(&self, files: &[&[u8]], mut take: impl FnMut(&DecoderArray)) -> bool {
        let files: Vec<File> =
            files.iter().map(|bytes| File { bytes: bytes.as_ptr(), len: bytes.len() }).collect();
        let mut take: Take<'_> = &mut take;
        // SAFETY: the files are valid during the call, and `give` gets the pointer that it casts back.
        watched(|| unsafe { (self.decode)(files.as_ptr(), files.len(), give, (&raw mut take).cast()) == 0 })
    }
}
