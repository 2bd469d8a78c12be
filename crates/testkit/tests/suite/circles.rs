//! No two files of a crate import each other, directly or through others.
//!
//! A name is imported from the file that defines it, also if its path goes through a re-export. What a module declares or
//! re-exports, but does not use, is not imported. A module is above its submodules, which may use what it defines for them.
//! Code for tests does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn no_circles_among_the_files_of_a_crate() {
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
fn comments_strings_and_tests_do_not_count() {
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

/// A name of a module path.
type Names = Vec<String>;

/// The greatest number of re-exports that a name goes through.
const DEPTH: usize = 16;

/// One `use` of one name.
struct Use {
    path: Names,
    public: bool,
}

#[derive(Default)]
struct Module {
    /// Index of the file, in [`Program::paths`].
    file: usize,
    items: BTreeSet<String>,
    uses: BTreeMap<String, Use>,
    globs: Vec<Use>,
    /// Paths of two or more names outside `use`.
    paths: Vec<Names>,
    words: BTreeSet<String>,
    /// Names before `!`.
    macros: BTreeSet<String>,
}

#[derive(Default)]
struct Program {
    paths: Vec<PathBuf>,
    /// The module of each file.
    names: Vec<Names>,
    modules: BTreeMap<Names, Module>,
    /// The files that define a macro.
    macros: BTreeMap<String, BTreeSet<usize>>,
}

impl Program {
    fn read(text: impl Fn(&Path) -> Option<String>, root: PathBuf) -> Program {
        let mut program = Program::default();
        let mut waiting = vec![(Names::new(), root)];
        while let Some((name, path)) = waiting.pop() {
            let (stem, folder) = (path.file_stem().unwrap(), path.parent().unwrap());
            let owns_folder = ["lib", "main", "mod"].iter().any(|owner| stem == *owner);
            let folder = if owns_folder { folder.to_path_buf() } else { folder.join(stem) };
            let source = text(&path).unwrap_or_else(|| panic!("{path:?} cannot be read"));
            program.paths.push(path);
            program.names.push(name.clone());
            let mut reader = Reader {
                program: &mut program,
                tokens: &without_tests(tokens(&source)),
                children: Vec::new(),
            };
            reader.module(name.clone());
            for child in reader.children {
                let below = child[name.len()..].iter().collect::<PathBuf>();
                let candidates =
                    [folder.join(&below).with_extension("rs"), folder.join(below).join("mod.rs")];
                let path = candidates.into_iter().find(|path| text(path).is_some());
                waiting
                    .push((child.clone(), path.unwrap_or_else(|| panic!("there is no file of {child:?}"))));
            }
        }
        program
    }

    fn files(&self) -> usize {
        self.paths.len()
    }

    /// The files that define what `path` means in `from`.
    fn resolve(&self, from: &Names, path: &[String], depth: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.find(from, path, depth, &mut found, &mut |_| ());
        found
    }

    /// The module that `path` means in `from`.
    fn resolve_module(&self, from: &Names, path: &[String], depth: usize) -> Option<Names> {
        let mut module = None;
        self.find(from, path, depth, &mut BTreeSet::new(), &mut |name| module = Some(name));
        module
    }

    fn find(
        &self,
        from: &Names,
        path: &[String],
        depth: usize,
        files: &mut BTreeSet<usize>,
        module: &mut dyn FnMut(Names),
    ) {
        let Some((first, rest)) = path.split_first() else { return module(from.clone()) };
        let Some(scope) = self.modules.get(from).filter(|_| depth < DEPTH) else { return };
        match first.as_str() {
            "crate" => return self.find(&Names::new(), rest, depth, files, module),
            "self" => return self.find(from, rest, depth, files, module),
            "super" => {
                let parent = from[..from.len().saturating_sub(1)].to_vec();
                return self.find(&parent, rest, depth, files, module);
            }
            _ => (),
        }
        let child = [from.as_slice(), std::slice::from_ref(first)].concat();
        let is_module = self.modules.contains_key(&child);
        if is_module {
            self.find(&child, rest, depth, files, module);
        }
        if scope.items.contains(first) && (rest.is_empty() || !is_module) {
            files.insert(scope.file);
        } else if let Some(used) = scope.uses.get(first) {
            let path = [used.path.as_slice(), rest].concat();
            // A name of an external crate, or the module itself.
            if used.path.len() > 1 || used.path[0] != *first {
                self.find(from, &path, depth + 1, files, module);
            }
        } else if !is_module {
            for glob in &scope.globs {
                // Globs of globs are rare, and branch.
                if let Some(target) =
                    self.resolve_module(from, &glob.path, depth + DEPTH / 2).filter(|target| target != from)
                {
                    self.find(&target, path, depth + DEPTH / 2, files, module);
                }
            }
        }
    }

    /// From file to file, with the names that are imported.
    fn arrows(&self) -> BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>> {
        let mut arrows: BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>> = BTreeMap::new();
        let mut add = |from: usize, to: BTreeSet<usize>, name: &String| {
            for to in to.into_iter().filter(|to| !self.names[from].starts_with(&self.names[*to])) {
                arrows.entry(from).or_default().entry(to).or_default().insert(name.clone());
            }
        };
        for (name, module) in &self.modules {
            for (alias, used) in &module.uses {
                let written = used.path.last().unwrap();
                if !used.public || module.words.contains(alias) {
                    add(module.file, self.resolve(name, &used.path, 0), written);
                }
            }
            for glob in &module.globs {
                let target = self.resolve_module(name, &glob.path, 0).filter(|target| target != name);
                for word in module
                    .words
                    .iter()
                    .filter(|word| !module.items.contains(*word) && !module.uses.contains_key(*word))
                {
                    if let Some(target) = &target {
                        add(module.file, self.resolve(target, std::slice::from_ref(word), 0), word);
                    }
                }
            }
            for path in &module.paths {
                // The type of an associated function, or the function of a module.
                add(module.file, self.resolve(name, path, 0), path.last().unwrap());
            }
            for word in module.macros.iter().filter(|word| !module.uses.contains_key(*word)) {
                let defined = self.macros.get(word).cloned().unwrap_or_default();
                if !defined.contains(&module.file) {
                    add(module.file, defined, word);
                }
            }
        }
        arrows
    }

    /// Each set of files that all reach each other, as its arrows.
    fn circles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let reached = |from: usize| {
            let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
            while let Some(file) = waiting.pop() {
                waiting.extend(
                    arrows.get(&file).into_iter().flat_map(BTreeMap::keys).filter(|to| seen.insert(**to)),
                );
            }
            seen
        };
        let reached: Vec<_> = (0..self.paths.len()).map(reached).collect();
        let mut circles = Vec::new();
        let mut told = BTreeSet::<usize>::new();
        let mut order: Vec<_> = (0..self.paths.len()).collect();
        order.sort_by_key(|file| &self.paths[*file]);
        for file in order.iter().copied() {
            if !reached[file].contains(&file) || told.contains(&file) {
                continue;
            }
            let circle: Vec<_> = order
                .iter()
                .filter(|to| reached[file].contains(to) && reached[**to].contains(&file))
                .collect();
            let mut text = String::new();
            for from in &circle {
                for (to, names) in arrows[from].iter().filter(|(to, _)| circle.contains(to)) {
                    let names: Vec<_> = names.iter().map(String::as_str).collect();
                    let (from, to) = (self.paths[**from].display(), self.paths[*to].display());
                    text += &format!("{from} -> {to} ({})\n", names.join(", "));
                }
            }
            told.extend(circle);
            circles.push(text);
        }
        circles
    }
}

/// Reads the items, imports and paths of one file.
struct Reader<'p, 't> {
    program: &'p mut Program,
    tokens: &'t [String],
    /// Modules in files of their own.
    children: Vec<Names>,
}

impl<'t> Reader<'_, 't> {
    /// Reads up to the end of the module.
    fn module(&mut self, name: Names) {
        let file = self.program.paths.len() - 1;
        self.program.modules.entry(name.clone()).or_insert_with(|| Module { file, ..Module::default() });
        let mut depth = 0;
        let mut public = false;
        while let Some(token) = self.next() {
            let ahead = self.tokens.first().cloned().unwrap_or_default();
            match token {
                "{" => depth += 1,
                "}" if depth == 0 => return,
                "}" => depth -= 1,
                "pub" => {
                    public = true;
                    if ahead == "(" {
                        while self.next().is_some_and(|token| token != ")") {}
                    }
                    continue;
                }
                "mod" if is_name(&ahead) => {
                    self.next();
                    let child = [name.as_slice(), &[ahead]].concat();
                    match self.next() {
                        Some("{") => self.module(child),
                        _ => self.children.push(child),
                    }
                }
                "use" if ahead != "<" => self.import(&name, Names::new(), public),
                // A function of an `impl` is no item of the module.
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                    if is_name(&ahead) && depth == 0 =>
                {
                    self.at(&name).items.insert(ahead);
                    self.next();
                }
                "macro_rules" => {
                    self.next();
                    if let Some(defined) = self.next().map(str::to_string).filter(|_| depth == 0) {
                        self.at(&name).items.insert(defined.clone());
                        self.program.macros.entry(defined).or_default().insert(file);
                    }
                }
                word if is_name(word) => {
                    let mut path = vec![word.to_string()];
                    while let [colons, next, ..] = self.tokens
                        && colons == "::"
                        && is_name(next)
                    {
                        path.push(next.clone());
                        self.tokens = &self.tokens[2..];
                    }
                    let module = self.at(&name);
                    module.words.insert(path[0].clone());
                    if path.len() > 1 {
                        module.paths.push(path);
                    } else if ahead == "!" {
                        module.macros.extend(path);
                    }
                }
                _ => (),
            }
            public = false;
        }
    }

    /// Reads a tree of `use`, up to its end.
    fn import(&mut self, module: &Names, mut path: Names, public: bool) {
        while let Some(token) = self.next() {
            match token {
                "::" => continue,
                "{" => {
                    while self.tokens.first().is_some_and(|token| token != "}") {
                        self.import(module, path.clone(), public);
                        if self.tokens.first().is_some_and(|token| token == ",") {
                            self.next();
                        }
                    }
                    self.next();
                    return;
                }
                "*" => return self.at(module).globs.push(Use { path, public }),
                name => path.push(name.to_string()),
            }
            match self.tokens.first().map(String::as_str) {
                Some("::") => continue,
                Some("as") => {
                    self.next();
                    let alias = self.next().unwrap_or_default().to_string();
                    return self.add(module, alias, path, public);
                }
                _ => {
                    path.pop_if(|last| last == "self");
                    let Some(alias) = path.last().cloned() else { return };
                    return self.add(module, alias, path, public);
                }
            }
        }
    }

    fn add(&mut self, module: &Names, alias: String, path: Names, public: bool) {
        self.at(module).uses.insert(alias, Use { path, public });
    }

    fn at(&mut self, name: &Names) -> &mut Module {
        self.program.modules.get_mut(name).unwrap()
    }

    fn next(&mut self) -> Option<&'t str> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Names, `::` and single signs, without comments, strings, characters and lifetimes.
pub(crate) fn tokens(source: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else if is_name(rest) {
            let end = rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len());
            tokens.push(rest[..end].to_string());
            end
        } else if first.is_ascii_digit() {
            rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len())
        } else {
            let sign = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            if !first.is_whitespace() {
                tokens.push(rest[..sign].to_string());
            }
            sign
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the string, character or lifetime that `text` begins with.
fn literal(text: &str) -> Option<usize> {
    let raw = text.trim_start_matches(['b', 'c', 'r']);
    let prefix = text.len() - raw.len();
    if prefix <= 2 && text[..prefix].contains('r') {
        let body = raw.trim_start_matches('#');
        let signs = raw.len() - body.len();
        return body.strip_prefix('"').map(|text| {
            let end = format!("\"{}", "#".repeat(signs));
            prefix + signs + 1 + text.find(&end).map_or(text.len(), |at| at + end.len())
        });
    }
    let quote = raw.chars().next().filter(|first| prefix <= 1 && (*first == '"' || *first == '\''))?;
    let mut inside = raw[1..].char_indices();
    // A lifetime has no second quote.
    if quote == '\'' && prefix == 0 {
        let mut ahead = raw[1..].chars();
        if ahead.next().is_some_and(|first| first != '\\') && ahead.next() != Some('\'') {
            return Some(
                1 + raw[1..]
                    .find(|next: char| !next.is_alphanumeric() && next != '_')
                    .unwrap_or(raw.len() - 1),
            );
        }
    }
    while let Some((at, next)) = inside.next() {
        match next {
            '\\' => _ = inside.next(),
            _ if next == quote => return Some(prefix + at + 2),
            _ => (),
        }
    }
    Some(text.len())
}

/// Leaves out what stands after `#[cfg(test)]`.
pub(crate) fn without_tests(tokens: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if rest.len() < 7 || rest[..7] != ["#", "[", "cfg", "(", "test", ")", "]"] {
            kept.push(first.clone());
            rest = after;
            continue;
        }
        let mut depth = 0;
        let end = rest[7..].iter().position(|token| {
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => (),
            }
            depth == 0 && (token == ";" || token == "}")
        });
        rest = &rest[end.map_or(rest.len(), |end| 8 + end)..];
    }
    kept
}
