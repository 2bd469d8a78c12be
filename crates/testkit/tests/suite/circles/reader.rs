//! Reads the imports of a file of Rust.

use std::path::{Path, PathBuf};

use super::program::{Module, Names, Program, Use};

impl Program {
    /// Reads the files of a crate, starting with its root.
    pub(super) fn read(text: impl Fn(&Path) -> Option<String>, root: PathBuf) -> Program {
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
}

/// Reads the items, imports and paths of one file.
struct Reader<'p, 't> {
    program: &'p mut Program,
    tokens: &'t [String],
    /// Modules in separate files.
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
                // A function of an `impl` is not an item of the module.
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
                word if is_name(word) => self.path(&name, word, &ahead),
                _ => (),
            }
            public = false;
        }
    }

    /// Reads a path that begins with `word`; `ahead` is the token after it.
    fn path(&mut self, name: &Names, word: &str, ahead: &str) {
        let mut path = vec![word.to_string()];
        while let [colons, next, ..] = self.tokens
            && colons == "::"
            && is_name(next)
        {
            path.push(next.clone());
            self.tokens = &self.tokens[2..];
        }
        let module = self.at(name);
        module.words.insert(path[0].clone());
        if path.len() > 1 {
            module.paths.push(path);
        } else if ahead == "!" {
            module.macros.extend(path);
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

/// Names, `::` and single characters, without comments, strings, character literals and lifetimes.
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

/// The length of the string, character literal or lifetime at the start of `text`.
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

/// Leaves out everything after `#[cfg(test)]`.
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
