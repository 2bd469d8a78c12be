//! Imports MD3 files with assimp. Each file has its own process, because assimp crashes on some files.

use std::ffi::{OsStr, c_char, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::ratio::median;

/// The argument with which a benchmark restarts itself to import one file. The flags of assimp and the path follow it.
pub const ARGUMENT: &str = "--assimp";

/// `aiProcessPreset_TargetRealtime_Fast`: tangents, joined vertices, triangles, normals, UVs, sorted by primitive.
pub const DEFAULT: c_uint = 0x1 | 0x2 | 0x8 | 0x20 | 0x8000 | 0x40000;

/// The results of importing a set of files.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The number of imported files.
    pub imported: usize,
    /// The number of refused files.
    pub refused: usize,
    /// The number of files on which the process crashed.
    pub died: usize,
    /// The sum over the imported files of the median time of three imports, in seconds, without the start of the process.
    pub seconds: f64,
    /// The total size of the imported files.
    pub bytes: u64,
}

/// Imports every file with these flags.
pub fn import_all(files: &[PathBuf], flags: c_uint) -> Outcome {
    let mut outcome = Outcome::default();
    for path in files {
        let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
        command.args([OsStr::new(ARGUMENT), OsStr::new(&flags.to_string()), path.as_os_str()]);
        let output = command.stderr(Stdio::null()).output().expect("this program starts again");
        let seconds =
            std::str::from_utf8(&output.stdout).ok().and_then(|text| text.trim().parse::<f64>().ok());
        match (output.status.code(), seconds) {
            (Some(0), Some(seconds)) => {
                outcome.imported += 1;
                outcome.seconds += seconds;
                outcome.bytes += std::fs::metadata(path).map_or(0, |data| data.len());
            }
            (Some(1), _) => outcome.refused += 1,
            _ => outcome.died += 1,
        }
    }
    outcome
}

/// Imports one file and prints the time in seconds, if the arguments of the process request it.
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let flags = arguments.next()?.to_str()?.parse().ok()?;
    let path = PathBuf::from(arguments.next()?);
    // The first import includes initialization.
    if !import(&path, flags) {
        return Some(ExitCode::from(1));
    }
    let seconds = (0..3).map(|_| {
        let start = Instant::now();
        assert!(import(&path, flags), "an import that succeeds twice");
        start.elapsed().as_secs_f64()
    });
    println!("{}", median(seconds.collect()));
    Some(ExitCode::SUCCESS)
}

#[link(name = "assimp")]
unsafe extern "C" {
    fn aiImportFileFromMemory(
        bytes: *const c_char,
        len: c_uint,
        flags: c_uint,
        hint: *const c_char,
    ) -> *const c_void;
    fn aiReleaseImport(scene: *const c_void);
}

/// Reads and imports an MD3 file and releases the result. Returns whether the import succeeded.
fn import(path: &Path, flags: c_uint) -> bool {
    let bytes = std::fs::read(path).expect("a readable file");
    // SAFETY: the bytes have the given length, the hint ends with NUL, and a scene is released once.
    unsafe {
        let scene =
            aiImportFileFromMemory(bytes.as_ptr().cast(), bytes.len() as c_uint, flags, c"md3".as_ptr());
        if scene.is_null() {
            return false;
        }
        aiReleaseImport(scene);
        true
    }
}
