//! No type of `glam` is in a public signature: its version belongs to these crates alone. Vectors, quaternions and matrices
//! are arrays at the border.

use std::fs;

use meshlens_testkit::real;

use crate::circles::{tokens, without_tests};

/// The types of `glam` that crates use, in `f32`. Those in `f64` have a `D` before their name.
const TYPES: [&str; 11] =
    ["Affine2", "Affine3", "Affine3A", "Mat2", "Mat3", "Mat3A", "Mat4", "Quat", "Vec2", "Vec3", "Vec4"];

fn is_of_glam(token: &str) -> bool {
    let name = token.strip_prefix('D').unwrap_or(token);
    token == "glam" || name == "Vec3A" || TYPES.contains(&name)
}

/// The tokens of the signature that `tokens` begin with, after `pub` or `impl`: up to a body, a value, or the end of a field.
/// The bodies of enums and traits belong to it, but those of their functions do not.
fn signature(tokens: &[String]) -> Vec<&str> {
    let is_open = |token: &str| tokens.iter().take(3).any(|first| first == token);
    let (has_items, is_struct) = (is_open("enum") || is_open("trait"), is_open("struct"));
    let (mut found, mut brackets, mut braces, mut before) = (Vec::new(), 0, 0, "");
    for token in tokens.iter().map(String::as_str) {
        match token {
            "(" | "[" | "<" => brackets += 1,
            // Not the sign of a result.
            ">" if before == "-" => (),
            ")" | "]" | ">" if brackets == 0 => break,
            ")" | "]" | ">" => brackets -= 1,
            "{" if has_items => braces += 1,
            "}" if braces > 1 => braces -= 1,
            "{" | "}" | ";" | "," | "=" if brackets == 0 && (braces == 0 || token == "}") => break,
            _ => (),
        }
        // Fields of a tuple are private, unless they have a `pub` of their own.
        if braces < 2 && !(is_struct && brackets > 0) {
            found.push(token);
        }
        before = token;
    }
    found
}

/// The public signatures of a file that have a type of `glam`.
fn wrong(source: &str) -> Vec<String> {
    let tokens = without_tests(tokens(source));
    let starts = (0..tokens.len()).filter(|at| {
        let is_public = tokens[*at] == "pub" && tokens.get(at + 1).is_some_and(|next| next != "(");
        // The traits of the standard library are public everywhere.
        let is_conversion =
            tokens[*at] == "impl" && tokens[*at..].iter().take(8).any(|token| token == "From");
        is_public || is_conversion
    });
    let signatures = starts.map(|at| signature(&tokens[at + 1..]));
    signatures
        .filter(|found| found.iter().any(|token| is_of_glam(token)))
        .map(|found| found.join(" "))
        .collect()
}

#[test]
fn public_signatures_have_no_types_of_glam() {
    let (mut files, mut all) = (0, String::new());
    for entry in fs::read_dir(real::workspace_root().join("crates")).expect("the crates") {
        let root = entry.expect("a crate").path();
        // The first is not published, and the second has the types of its engine.
        if ["testkit", "bevy"].iter().any(|name| root.ends_with(name)) || !root.join("src").is_dir() {
            continue;
        }
        let sources = real::files_below(&root.join("src")).into_iter();
        for path in sources.filter(|path| path.extension().is_some_and(|end| end == "rs")) {
            files += 1;
            for signature in wrong(&fs::read_to_string(&path).expect("a source file")) {
                all += &format!("\n{}: {signature}", path.display());
            }
        }
    }
    assert!(files > 500, "only {files} files were found");
    assert!(all.is_empty(), "types of glam in public signatures:{all}");
}

#[test]
fn a_type_of_glam_is_found_where_it_is_public() {
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
