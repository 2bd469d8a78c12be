//! Programs in C that check what calls return: compiled, linked to the shared library of this build, and run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the shared library, which cargo builds with the crate, before any test of it.
fn library_folder() -> PathBuf {
    let program = std::env::current_exe().expect("the test program has a path");
    let folder = program.parent().expect("a program lies in a folder").to_path_buf();
    assert!(folder.join("libmeshlens_capi.so").is_file(), "no libmeshlens_capi.so in {}", folder.display());
    folder
}

fn compiler() -> Option<String> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    Command::new(&compiler).arg("--version").output().ok()?.status.success().then_some(compiler)
}

fn run(name: &str) {
    let library = library_folder();
    let Some(compiler) = compiler() else {
        println!("skipped: there is no C compiler");
        return;
    };
    let source = crate_folder().join("tests/c").join(name).with_extension("c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut compile = Command::new(&compiler);
    compile.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g", "-Wall", "-Wextra", "-pedantic", "-Werror"]);
    compile.arg("-I").arg(crate_folder().join("include")).arg(&source).arg("-o").arg(&program);
    compile.arg("-L").arg(&library).args(["-lmeshlens_capi", "-lpthread", "-lm"]);
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

#[test]
#[cfg(target_os = "linux")]
fn streaming() {
    run("streaming");
}

#[test]
#[cfg(target_os = "linux")]
fn faults() {
    run("faults");
}
