//! Programs in C that check what calls return: compiled, linked to the shared library of this build, and run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the shared library, which is an example of this crate: cargo builds examples with the tests, unless it is
/// told to build one test program alone.
fn library_folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("examples");
    folder.join("libmeshlens.so").is_file().then_some(folder)
}

fn compiler() -> Option<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    Command::new(&compiler).arg("--version").output().ok()?.status.success().then_some(compiler)
}

fn run(name: &str) {
    let Some(library) = library_folder() else {
        println!("skipped: there is no libmeshlens.so; run all tests of the crate, not one program");
        return;
    };
    let Some(compiler) = compiler() else {
        println!("skipped: there is no C compiler");
        return;
    };
    let source = crate_folder().join("tests/c").join(name).with_extension("c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut compile = Command::new(&compiler);
    compile.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g", "-Wall", "-Wextra", "-pedantic", "-Werror"]);
    compile.arg("-I").arg(crate_folder().join("include")).arg(&source).arg("-o").arg(&program);
    compile.arg("-L").arg(&library).args(["-lmeshlens", "-lpthread", "-lm"]);
    let mut path = OsStr::new("-Wl,-rpath,").to_owned();
    path.push(&library);
    let compiled = compile.arg(path).output().expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let ran = Command::new(&program)
        .arg(crate_folder().join("../../corpus"))
        .arg(folder.path())
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{name}: {}\n{said}", ran.status);
}

#[test]
#[cfg(target_os = "linux")]
fn values() {
    run("values");
}

#[test]
#[cfg(target_os = "linux")]
fn errors() {
    run("errors");
}

#[test]
#[cfg(target_os = "linux")]
fn assets() {
    run("assets");
}
