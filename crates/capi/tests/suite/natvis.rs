//! The natvis file: every expression in it is compiled against the headers, as a member of its type.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use roxmltree::{Document, Node};

/// A complete type for each template in the file. For a handle, this is the base class of a file.
const INSTANCES: [(&str, &str); 3] = [
    ("ml::detail::handle<*>", "ml::asset"),
    ("ml::result<*>", "ml::result<int>"),
    ("ml::span<*>", "ml::span<const float>"),
];

/// The expressions between braces. Doubled braces are text.
fn braced(text: &str) -> Vec<&str> {
    let mut expressions = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped.split_once("}}").expect("doubled braces").1;
            continue;
        }
        let (expression, after) = rest.split_once('}').expect("a closing brace");
        expressions.push(expression);
        rest = after;
    }
    expressions
}

/// The expressions of an element and of its children. A format specifier, after a comma, may contain the length of an
/// array.
fn expressions(element: Node<'_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    for node in element.descendants().filter(Node::is_element) {
        found.extend(node.attribute("Condition"));
        let text = node.text().unwrap_or_default();
        match node.tag_name().name() {
            "DisplayString" => found.extend(braced(text)),
            "Item" | "Size" | "ValuePointer" => found.push(text),
            "Type" | "Expand" | "Synthetic" | "ArrayItems" => {}
            other => panic!("{other}: is its text an expression?"),
        }
    }
    let mut all = Vec::new();
    for expression in found {
        let (value, format) = expression.split_once(',').unwrap_or((expression, ""));
        let length = format.strip_prefix('[').and_then(|length| length.strip_suffix(']'));
        assert!(length.is_some() || ["", "en", "s8", "s8b", "x"].contains(&format), "{expression}");
        all.extend([Some(value), length].into_iter().flatten().map(str::to_owned));
    }
    all
}

#[test]
fn every_expression_of_the_natvis_file_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(folder.join("debug/meshlens.natvis")).expect("the natvis file");
    let document = Document::parse(&text).expect("well-formed XML");
    let root = document.root_element();
    let schema = "http://schemas.microsoft.com/vstudio/debugger/natvis/2010";
    assert!(root.has_tag_name((schema, "AutoVisualizer")));
    let mut program = String::from("#include \"meshlens.hpp\"\n");
    let (mut types, mut count) = (0, 0);
    for element in root.children().filter(Node::is_element) {
        assert!(element.has_tag_name((schema, "Type")));
        let name = element.attribute("Name").expect("the name of a type");
        let instance =
            INSTANCES.iter().find(|(template, _)| *template == name).map_or(name, |(_, instance)| instance);
        types += 1;
        let _ = writeln!(program, "struct t{types} : {instance} {{\n  void shown() {{");
        for expression in expressions(element) {
            count += 1;
            let _ = writeln!(program, "    static_cast<void>({expression});");
        }
        program += "  }\n};\n";
    }
    // An error, an array, a box, a blend, a matrix, a handle, a result, the error of C++ and a view.
    assert!(types == 9 && count > 40, "{types} types, {count} expressions");

    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    if !Command::new(&compiler).arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no C++ compiler");
        return;
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("natvis.cpp");
    std::fs::write(&source, &program).expect("a writable folder");
    // Debuggers also show private members.
    let compiled = Command::new(&compiler)
        .args(["-std=c++17", "-fsyntax-only", "-fno-access-control", "-I"])
        .arg(folder.join("include"))
        .arg(&source)
        .output()
        .expect("the compiler runs");
    assert!(compiled.status.success(), "{}\n{program}", String::from_utf8_lossy(&compiled.stderr));
}
