//! C programs that check the results of calls. They are compiled, linked to the shared library of this build, and run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub(crate) fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the shared library, which cargo builds before the tests of the crate.
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

/// The programs in `tests/c`.
const PROGRAMS: [&str; 7] = ["values", "errors", "assets", "materials", "scenes", "streaming", "faults"];

/// The output of a program, which must have found no fault; `None` without a C compiler. Each program runs once.
fn output(name: &str) -> Option<&'static str> {
    static OUTPUTS: [OnceLock<Option<String>>; PROGRAMS.len()] = [const { OnceLock::new() }; PROGRAMS.len()];
    let index = PROGRAMS.iter().position(|program| *program == name).expect("a program of the list");
    OUTPUTS[index].get_or_init(|| run(name)).as_deref()
}

/// Compiles a C program with strict warnings, and links it to the shared library. Returns false without a C compiler.
pub(crate) fn compile(source: &Path, program: &Path) -> bool {
    let library = library_folder();
    let Some(compiler) = compiler() else {
        println!("skipped: there is no C compiler");
        return false;
    };
    let mut compile = Command::new(&compiler);
    compile.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g", "-Wall", "-Wextra", "-pedantic", "-Werror"]);
    compile.arg("-I").arg(crate_folder().join("include")).arg(source).arg("-o").arg(program);
    compile.arg("-L").arg(&library).args(["-lmeshlens_capi", "-lpthread", "-lm"]);
    let mut path = OsStr::new("-Wl,-rpath,").to_owned();
    path.push(&library);
    let compiled = compile.arg(path).output().expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    true
}

fn run(name: &str) -> Option<String> {
    let source = crate_folder().join("tests/c").join(name).with_extension("c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !compile(&source, &program) {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let ran = Command::new(&program)
        .arg(crate_folder().join("../../corpus"))
        .arg(folder.path())
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{name}: {}\n{said}", ran.status);
    Some(String::from_utf8(ran.stdout).expect("programs print names and numbers"))
}

#[test]
#[cfg(target_os = "linux")]
fn values() {
    output("values");
}

#[test]
#[cfg(target_os = "linux")]
fn errors() {
    output("errors");
}

#[test]
#[cfg(target_os = "linux")]
fn assets() {
    output("assets");
}

#[test]
#[cfg(target_os = "linux")]
fn materials() {
    output("materials");
}

#[test]
#[cfg(target_os = "linux")]
fn scenes() {
    output("scenes");
}

#[test]
#[cfg(target_os = "linux")]
fn streaming() {
    output("streaming");
}

#[test]
#[cfg(target_os = "linux")]
fn faults() {
    output("faults");
}

/// The functions of the header, with the text of their comments.
fn functions(header: &str) -> BTreeMap<&str, String> {
    let (mut functions, mut comment) = (BTreeMap::new(), String::new());
    for line in header.lines() {
        if let Some(text) = line.strip_prefix("///") {
            comment += text;
            continue;
        }
        let words = line.split_once('(').map_or("", |(words, _)| words);
        let name = words.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("ml_") && !line.starts_with("typedef") {
            functions.insert(name, comment);
        }
        comment = String::new();
    }
    functions
}

/// The errors that a comment lists after "Errors:".
fn named(comment: &str) -> impl Iterator<Item = &str> {
    let errors = comment.split_once("Errors:").map_or("", |(_, errors)| errors);
    let words = errors.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("ML_ERROR_"))
}

/// The results of the header, with their numbers.
fn results(header: &str) -> BTreeMap<&str, &str> {
    let lines = header.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
    lines.filter(|(name, _)| name.starts_with("ML_ERROR_")).map(|(name, number)| (number, name)).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn every_documented_error_is_returned_to_c() {
    let path = crate_folder().join("include/meshlens.h");
    let header = std::fs::read_to_string(path).expect("the header is in the repository");
    let results = results(&header);
    let functions = functions(&header);
    assert!(results.len() > 25 && functions.len() > 80, "{} {}", results.len(), functions.len());
    // Each line is a function and the number of the error that it returned.
    let mut reached = BTreeSet::new();
    for program in PROGRAMS {
        let Some(lines) = output(program) else { return };
        reached.extend(lines.lines().filter_map(|line| {
            let (function, number) = line.split_once(' ')?;
            Some((function, *results.get(number)?))
        }));
    }
    let documented =
        functions.iter().flat_map(|(name, comment)| named(comment).map(move |error| (*name, error)));
    // This error needs an output of 4 GiB, so a test in Rust has it.
    let exempt = [("ml_write_glb", "ML_ERROR_LIMIT")];
    let missing: Vec<_> =
        documented.filter(|pair| !reached.contains(pair) && !exempt.contains(pair)).collect();
    assert!(missing.is_empty(), "no program in C reaches these errors: {missing:#?}");
    // The first is a bug of the library. The second is never returned, because only the Rust interface has it.
    let never = ["ML_ERROR_INTERNAL", "ML_ERROR_NOT_FINITE"];
    let any: BTreeSet<&str> = reached.iter().map(|(_, error)| *error).chain(never).collect();
    let missing: Vec<_> = results.values().filter(|error| !any.contains(*error)).collect();
    assert!(missing.is_empty(), "no program in C reaches these results: {missing:#?}");
}

#[test]
fn six_calls_open_a_model_and_one_a_scene() {
    let path = crate_folder().join("include/meshlens.h");
    let header = std::fs::read_to_string(path).expect("the header is in the repository");
    let functions = functions(&header);
    let open: Vec<&str> = functions.keys().filter_map(|name| name.strip_prefix("ml_open_")).collect();
    assert_eq!(open, ["asset", "files", "found", "memory", "path", "scene", "stream"]);
}

#[test]
fn the_wrapper_calls_every_function() {
    let read = |name: &str| std::fs::read_to_string(crate_folder().join("include").join(name));
    let (header, wrapper) = (read("meshlens.h").expect("a header"), read("meshlens.hpp").expect("a wrapper"));
    let words: BTreeSet<&str> = wrapper
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
        .collect();
    let functions = functions(&header);
    assert!(functions.len() > 80, "{}", functions.len());
    let missing: Vec<_> = functions.keys().filter(|name| !words.contains(*name)).collect();
    assert!(missing.is_empty(), "the wrapper does not call {missing:#?}");
}
