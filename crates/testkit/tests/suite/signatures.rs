//! Public signatures of `meshlens` and of the crates below it have no types of other projects, except in [`PARTS_OF`],
//! so that a new version of a dependency does not break their interface. No public signature of any crate has a type of
//! `glam`: vectors, quaternions and matrices are arrays.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use meshlens_testkit::real;

use crate::circles::{tokens, without_tests};

/// The types of `glam` with `f32` that crates use. Types with `f64` have the prefix `D`.
const TYPES: [&str; 11] =
    ["Affine2", "Affine3", "Affine3A", "Mat2", "Mat3", "Mat3A", "Mat4", "Quat", "Vec2", "Vec3", "Vec4"];

/// `meshlens` and the crates below it.
const FLOOR: [&str; 8] = ["source", "wire", "lens", "md3", "unreal", "u3d", "unigine", "meshlens"];

/// Crates that are part of another crate's interface. The traits of both state that every bit pattern is a valid value:
/// an encoding of lens reads stored elements, and writes values into the caller's memory.
const PARTS_OF: [(&str, &str); 2] = [("lens", "bytemuck"), ("lens", "zerocopy")];

fn is_of_glam(token: &str) -> bool {
    let name = token.strip_prefix('D').unwrap_or(token);
    token == "glam" || name == "Vec3A" || TYPES.contains(&name)
}

/// The tokens of the signature at the start of `tokens`, which follow `pub` or `impl`: up to a body, a value, or the
/// end of a field. The bodies of enums and traits are included, but the bodies of their functions are not.
fn signature(tokens: &[String]) -> Vec<&str> {
    let is_open = |token: &str| tokens.iter().take(3).any(|first| first == token);
    let (has_items, is_struct) = (is_open("enum") || is_open("trait"), is_open("struct"));
    let (mut found, mut brackets, mut braces, mut before) = (Vec::new(), 0, 0, "");
    for token in tokens.iter().map(String::as_str) {
        match token {
            "(" | "[" | "<" => brackets += 1,
            // The `>` of an arrow is not a bracket.
            ">" if before == "-" => (),
            ")" | "]" | ">" if brackets == 0 => break,
            ")" | "]" | ">" => brackets -= 1,
            "{" if has_items => braces += 1,
            "}" if braces > 1 => braces -= 1,
            "{" | "}" | ";" | "," | "=" if brackets == 0 && (braces == 0 || token == "}") => break,
            _ => (),
        }
        // Fields of a tuple are private, unless they have their own `pub`.
        if braces < 2 && !(is_struct && brackets > 0) {
            found.push(token);
        }
        before = token;
    }
    found
}

/// The dependencies of the crate at `root`, except crates of this repository and crates that are part of its interface.
fn dependencies(root: &Path) -> BTreeSet<String> {
    let name = root.file_name().unwrap_or_default();
    if !FLOOR.iter().any(|floor| name == *floor) {
        return BTreeSet::new();
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let tables = manifest.split("\n[").filter_map(|table| table.split_once("]\n"));
    let tables =
        tables.filter(|(title, _)| title.ends_with("dependencies") && !title.ends_with("dev-dependencies"));
    let lines = tables.flat_map(|(_, lines)| lines.lines());
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty());
    names
        .filter(|other| {
            !other.starts_with("meshlens") && !PARTS_OF.iter().any(|(of, part)| name == *of && part == other)
        })
        .map(|name| name.replace('-', "_"))
        .collect()
}

/// The names in a file that belong to `crates`: the crates, and the names that the file imports from them.
fn names_of(crates: &BTreeSet<String>, tokens: &[String]) -> BTreeSet<String> {
    let uses = (0..tokens.len()).filter(|at| tokens[*at] == "use");
    let imports = uses.map(|at| tokens[at + 1..].split(|token| token == ";").next().unwrap_or_default());
    let imported = imports.filter(|path| path.first().is_some_and(|first| crates.contains(first)));
    // A renamed import is only found under its new name.
    let names = imported.flat_map(|path| {
        let renamed = |at: usize| path.get(at + 1).is_some_and(|next| next == "as");
        (0..path.len()).filter(move |at| !renamed(*at)).map(|at| &path[at])
    });
    names.filter(|name| name.starts_with(char::is_alphabetic)).chain(crates).cloned().collect()
}

/// The public signatures of a file that have a type of `glam` or of `crates`.
fn wrong_with(source: &str, crates: &BTreeSet<String>) -> Vec<String> {
    let tokens = without_tests(tokens(source));
    let names = names_of(crates, &tokens);
    // The name of a module or crate is followed by `::`. Otherwise, it is the name of a field or function.
    let is_other = |tokens: &[&str]| {
        let is_type = tokens[0].starts_with(char::is_uppercase);
        names.contains(tokens[0]) && (is_type || tokens.get(1).is_some_and(|next| *next == "::"))
    };
    let starts = (0..tokens.len()).filter(|at| {
        let is_public = tokens[*at] == "pub" && tokens.get(at + 1).is_some_and(|next| next != "(");
        // Implementations of traits of the standard library are always public.
        let is_conversion =
            tokens[*at] == "impl" && tokens[*at..].iter().take(8).any(|token| token == "From");
        is_public || is_conversion
    });
    let signatures = starts.map(|at| signature(&tokens[at + 1..]));
    signatures
        .filter(|found| (0..found.len()).any(|at| is_of_glam(found[at]) || is_other(&found[at..])))
        .map(|found| found.join(" "))
        .collect()
}

fn wrong(source: &str) -> Vec<String> {
    wrong_with(source, &BTreeSet::new())
}

#[test]
fn public_signatures_have_no_types_of_other_projects() {
    let (mut files, mut all) = (0, String::new());
    for entry in fs::read_dir(real::workspace_root().join("crates")).expect("the crates") {
        let root = entry.expect("a crate").path();
        // `testkit` is not published, and `bevy` uses the types of its engine.
        if ["testkit", "bevy"].iter().any(|name| root.ends_with(name)) || !root.join("src").is_dir() {
            continue;
        }
        let crates = dependencies(&root);
        let sources = real::files_below(&root.join("src")).into_iter();
        for path in sources.filter(|path| path.extension().is_some_and(|end| end == "rs")) {
            files += 1;
            for signature in wrong_with(&fs::read_to_string(&path).expect("a source file"), &crates) {
                all += &format!("\n{}: {signature}", path.display());
            }
        }
    }
    assert!(files > 500, "only {files} files were found");
    assert!(all.is_empty(), "types of other projects in public signatures:{all}");
}

#[test]
fn types_of_glam_are_found_in_public_signatures() {
    for public in [
        "pub fn f<A, B>(a: A, m: &Mat4) -> B {}",
        "pub const fn f() -> Option<(u8, DVec3)> { None }",
        "pub struct S { a: u8, pub b: Vec<Quat>, }",
        "pub struct S(u8, pub Affine3A);",
        "pub enum E { A(Vec3) }",
        "pub trait T { fn f() -> u8 { 0 } fn g(v: Vec3A); }",
        "pub use glam;",
        "impl From<Mat4> for S { }",
    ] {
        assert_eq!(wrong(public).len(), 1, "{public}");
    }
    for private in [
        "use glam::Mat4; fn f(m: Mat4) {}",
        "pub(crate) fn f(m: Mat4) {}",
        "pub struct S { a: Mat4, pub b: [f32; 3] }",
        "pub struct S(Mat4);",
        "pub fn f(v: Vec<u8>) -> u8 { let m: Mat4 = g(); 0 }",
        "pub const N: u8 = Mat4::N;",
        "pub trait T { fn f() -> u8 { Mat4::N } }",
        "// pub fn f(m: Mat4)\n#[cfg(test)] mod tests { pub fn f(m: Mat4) {} }",
    ] {
        assert_eq!(wrong(private), [""; 0], "{private}");
    }
}

#[test]
fn a_type_of_another_project_is_found_under_any_name() {
    let crates = BTreeSet::from(["memmap2".to_owned(), "flate2".to_owned()]);
    let found = |source: &str| wrong_with(source, &crates).len();
    assert_eq!(found("pub fn f() -> memmap2::Mmap {}"), 1);
    assert_eq!(found("use memmap2::{Advice, Mmap as Map}; pub fn f(map: &Map, advice: Advice) {}"), 1);
    assert_eq!(found("use flate2::bufread as deflate; pub struct S { pub inner: deflate::Decoder }"), 1);
    assert_eq!(found("use memmap2::Mmap; pub struct S { map: Mmap }"), 0);
    assert_eq!(found("use flate2::bufread; pub fn bufread(flate2: u8) {}"), 0);
    assert_eq!(found("use memmap2::Mmap as Map; pub struct Mmap(Map);"), 0);
    assert_eq!(found("use std::fs::File as Mmap; pub fn f(map: Mmap) {}"), 0);
}
