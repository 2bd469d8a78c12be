//! The names in the table of docs/names.md are defined in their interfaces.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use meshlens_testkit::real;

/// Adds the names that a text defines.
type Define = fn(&str, &mut BTreeSet<String>);

/// An interface: the folders of its definitions, the extensions of the files, and how they define names.
type Interface = (&'static [&'static str], &'static [&'static str], Define);

const INTERFACES: [Interface; 5] = [
    (
        &[
            "crates/meshlens/src",
            "crates/assets/src",
            "crates/wire/src",
            "crates/gltf/src",
            "crates/stream/src",
        ],
        &["rs"],
        rust,
    ),
    (&["crates/capi/include"], &["h"], c),
    (&["crates/python/python"], &["py", "pyi"], python),
    (&["crates/bevy/src"], &["rs"], rust),
    (&["crates/cli/src/args"], &["rs"], command),
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The lines without comments.
fn code<'t>(text: &'t str, comment: &'static str) -> impl Iterator<Item = &'t str> {
    text.lines().map(move |line| line.split_once(comment).map_or(line, |(code, _)| code))
}

/// The name of a field, if the line begins one.
fn field(line: &str) -> Option<&str> {
    let (start, _) = line.split_once(':')?;
    let name = start.trim().strip_prefix("pub")?.trim_start_matches("(crate)").trim();
    words(name).next().filter(|word| *word == name)
}

/// Items, fields that other modules see, and variants of enums.
fn rust(text: &str, found: &mut BTreeSet<String>) {
    let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static"];
    let mut within_enum = None;
    for line in code(text, "//") {
        let indent = line.len() - line.trim_start().len();
        let all: Vec<&str> = words(line).collect();
        let items = all.windows(2).filter(|pair| kinds.contains(&pair[0])).map(|pair| pair[1]);
        let variant = all.first().filter(|_| within_enum.is_some_and(|outer| indent == outer + 4));
        found.extend(items.chain(field(line)).chain(variant.copied()).map(str::to_owned));
        match within_enum {
            Some(outer) if line.trim() == "}" && indent == outer => within_enum = None,
            None if all.contains(&"enum") && line.ends_with('{') => within_enum = Some(indent),
            _ => {}
        }
    }
}

/// Declarations, with their parameters and fields.
fn c(text: &str, found: &mut BTreeSet<String>) {
    code(&text.replace("/*", "//"), "//").for_each(|line| found.extend(words(line).map(str::to_owned)));
}

/// Functions, classes, and parameters and attributes with their types.
fn python(text: &str, found: &mut BTreeSet<String>) {
    let without_documentation: String = text.split("\"\"\"").step_by(2).collect();
    for line in code(&without_documentation, "#") {
        let all: Vec<&str> = words(line).collect();
        let items = all.windows(2).filter(|pair| ["def", "class"].contains(&pair[0])).map(|pair| pair[1]);
        found.extend(items.map(str::to_owned));
        for (end, _) in line.match_indices(": ") {
            let start = line[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            if line[..start].ends_with([' ', '(', '*']) || start == 0 {
                found.insert(line[start..end].to_owned());
            }
        }
    }
}

/// Subcommands, and flags with long names.
fn command(text: &str, found: &mut BTreeSet<String>) {
    let (mut attribute, mut is_command) = (String::new(), false);
    for line in code(text, "//").map(str::trim) {
        found.extend(words(line).next().filter(|_| is_command).map(str::to_lowercase));
        is_command = line.contains("enum Command {") || is_command && line != "}";
        if line.starts_with("#[arg(") || !attribute.is_empty() && !attribute.ends_with(")]") {
            attribute = if line.starts_with("#[arg(") { line.to_owned() } else { attribute + line };
        } else if let Some(name) = field(line) {
            found.extend(words(&attribute).any(|word| word == "long").then(|| name.to_owned()));
            attribute.clear();
        }
    }
}

/// Adds the names that the files below a folder define.
fn define(path: &Path, extensions: &[&str], define_in: Define, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.for_each(|entry| define(&entry, extensions, define_in, found));
    } else if extensions.iter().any(|known| path.extension().is_some_and(|extension| extension == *known)) {
        define_in(&fs::read_to_string(path).expect("a text"), found);
    }
}

#[test]
fn every_name_in_the_table_is_defined() {
    let root = real::workspace_root();
    let known = INTERFACES.map(|(folders, extensions, define_in)| {
        let mut found = BTreeSet::new();
        folders.iter().for_each(|folder| define(&root.join(folder), extensions, define_in, &mut found));
        found
    });
    let table = fs::read_to_string(root.join("docs/names.md")).expect("the table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    let (mut names, mut missing) = (0, Vec::new());
    for row in rows {
        let cells: Vec<&str> = row.split('|').skip(1).collect();
        assert!(cells.len() == 6, "{row}");
        for (cell, known) in cells.iter().zip(&known) {
            for name in cell.split('`').skip(1).step_by(2) {
                names += 1;
                missing.extend((!known.contains(name)).then(|| format!("{name}: {row}")));
            }
        }
    }
    assert!(names > 50 && missing.is_empty(), "{names} names, missing: {missing:#?}");
}

#[test]
fn a_word_in_a_comment_or_an_expression_is_not_defined() {
    let names = |define_in: Define, text: &str| {
        let mut found = BTreeSet::new();
        define_in(text, &mut found);
        found.into_iter().collect::<Vec<_>>().join(" ")
    };
    let text =
        "/// struct A\npub enum B {\n    C(D),\n}\nfn e(f: G) { h(); }\nstruct I {\n    pub j: K,\n}\n";
    assert_eq!(names(rust, text), "B C I e j");
    assert_eq!(names(c, "// a\nb *c(d); // e\n"), "b c d");
    assert_eq!(
        names(python, "def a(b: int, *, c: str = d) -> e:\n    \"\"\"f: g\"\"\"\n    h(i)  # j: k\n"),
        "a b c"
    );
    let text = "enum Command {\n    /// A\n    B(C),\n}\nstruct D {\n    /// e\n    #[arg(short,\n        long)]\n    \
                pub(crate) f: bool,\n    #[arg(short)]\n    pub(crate) g: bool,\n    pub(crate) h: I,\n}\n";
    assert_eq!(names(command, text), "b f");
}
