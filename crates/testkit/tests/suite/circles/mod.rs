//! No two files of a crate import each other, directly or through others.
//!
//! A name is imported from the file that defines it, even if its path goes through a re-export. Declaring or
//! re-exporting a module without using it is not an import. A module is above its submodules, which may use its
//! definitions. Code for tests does not count.

mod program;
mod reader;

use std::fs;
use std::path::{Path, PathBuf};

use program::Program;
pub(crate) use reader::{tokens, without_tests};

#[test]
fn files_of_a_crate_do_not_import_each_other_in_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut arrows) = (0, String::new());
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        for root in ["lib.rs", "main.rs"].map(|file| path.join("src").join(file)) {
            if root.exists() {
                let program = Program::read(|path| fs::read_to_string(path).ok(), root);
                files += program.files();
                for circle in program.circles() {
                    arrows += &format!("\n{circle}");
                }
            }
        }
    }
    assert!(files > 500, "only {files} files were found");
    assert!(arrows.is_empty(), "imports in circles:{arrows}");
}

/// The circles of a crate in memory, with paths below `src`.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &Path| {
        files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| text.to_string())
    };
    Program::read(read, PathBuf::from("lib.rs")).circles()
}

#[test]
fn a_circle_is_found_through_a_re_export() {
    let a = "use crate::B; pub struct A(B);";
    let b = "use super::a::{self, A as Other};\npub struct B;\nfn f(_: a::A, _: Other) {}";
    let circles =
        circles_of(&[("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"), ("a.rs", a), ("b.rs", b)]);
    assert_eq!(circles, ["a.rs -> b.rs (B)\nb.rs -> a.rs (A)\n"]);
}

#[test]
fn a_module_is_above_its_submodules() {
    let child = "use super::Limits;\npub fn read(_: &Limits) { crate::other::f() }";
    let files = |root, other| circles_of(&[("lib.rs", root), ("child.rs", child), ("other.rs", other)]);
    let root =
        "mod child; mod other; pub use child::read; pub struct Limits; fn f() { read(&Limits); other::f() }";
    assert_eq!(files(root, "pub fn f() {}"), [""; 0]);
    assert_eq!(
        files(root, "pub fn f() { crate::read() }"),
        ["child.rs -> other.rs (f)\nother.rs -> child.rs (read)\n"]
    );
}

#[test]
fn comments_strings_and_tests_are_ignored() {
    let other = "// super::child::read\n/* super::child::read */ const S: &str = \"super::child::read\";\n
        const C: char = '\"'; fn f<'a>(_: &'a str) {} const R: &str = r#\" \" super::child::read \"#;\n
        #[cfg(test)] mod tests { use crate::child::read; }\n";
    let files = |other: &str| {
        circles_of(&[
            ("lib.rs", "mod child; mod other;"),
            ("child.rs", "use crate::other::f; pub fn read() {}"),
            ("other.rs", other),
        ])
    };
    assert_eq!(files(other), [""; 0]);
    assert_eq!(files(&format!("{other} use super::child::read;")).len(), 1);
}

#[test]
fn macros_and_globs_are_imports() {
    let a = "macro_rules! a { () => { crate::b::B } }\npub struct A;";
    let b = "use super::a::*;\npub struct B(A);";
    assert_eq!(circles_of(&[("lib.rs", "#[macro_use] mod a; mod b;"), ("a.rs", a), ("b.rs", b)]).len(), 1);
    assert_eq!(
        circles_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn a() { b!() }"),
            ("b.rs", "macro_rules! b { () => {} } use crate::a::a;")
        ])
        .len(),
        1
    );
}
