//! Makes the docstrings of the module from its stubs, so that they are only written once. A macro `doc` returns the
//! text of a class (`doc!(Mesh)`), of one of its members (`doc!(Mesh positions)`) or of a function (`doc!(command)`).

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// The paths in a checkout, and in a source distribution, where the package is beside the manifest.
const STUBS: [&str; 2] = ["python/meshlens/_meshlens.pyi", "meshlens/_meshlens.pyi"];

fn main() {
    let path = STUBS.into_iter().find(|path| Path::new(path).exists()).unwrap_or(STUBS[0]);
    println!("cargo::rerun-if-changed={path}");
    let stubs = fs::read_to_string(path).expect("the stubs are part of the package");
    let mut rules = String::new();
    let (mut class, mut name) = ("", String::new());
    let mut lines = stubs.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let word = |code: &str| {
            code.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned()
        };
        if let Some(rest) = line.strip_prefix("class ") {
            // The class `Model` of the package derives from `_Model`.
            name = word(rest.trim_start_matches('_'));
            class = &rest.trim_start_matches('_')[..name.len()];
        } else if let Some(rest) = code.strip_prefix("def ") {
            let is_member = code.len() < line.len();
            name = if is_member { format!("{class} {}", word(rest)) } else { word(rest) };
        } else if let Some(first) = code.strip_prefix("\"\"\"").filter(|_| !name.is_empty()) {
            let mut text = first.to_owned();
            while !text.ends_with("\"\"\"") {
                let next = lines.next().expect("a docstring ends");
                let indent = line.len() - code.len();
                text = text + "\n" + next.get(indent..).unwrap_or("").trim_end();
            }
            let text = text.trim_end_matches("\"\"\"").trim_end();
            writeln!(rules, "    ({name}) => {{ {text:?} }};").expect("a string grows");
        }
    }
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("docs.rs");
    fs::write(out, format!("macro_rules! doc {{\n{rules}}}\n"))
        .expect("the folder of the build can be written");
}
