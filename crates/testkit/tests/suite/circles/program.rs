//! The modules of a crate, and the imports of each module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A name of a module path.
pub(super) type Names = Vec<String>;

/// The largest number of re-exports that are followed for a name.
const DEPTH: usize = 16;

/// One `use` of one name.
pub(super) struct Use {
    pub(super) path: Names,
    pub(super) public: bool,
}

#[derive(Default)]
pub(super) struct Module {
    /// Index of the file, in [`Program::paths`].
    pub(super) file: usize,
    pub(super) items: BTreeSet<String>,
    pub(super) uses: BTreeMap<String, Use>,
    pub(super) globs: Vec<Use>,
    /// Paths of two or more names outside `use`.
    pub(super) paths: Vec<Names>,
    pub(super) words: BTreeSet<String>,
    /// Names before `!`.
    pub(super) macros: BTreeSet<String>,
}

#[derive(Default)]
pub(super) struct Program {
    pub(super) paths: Vec<PathBuf>,
    /// The module name of each file.
    pub(super) names: Vec<Names>,
    pub(super) modules: BTreeMap<Names, Module>,
    /// The files that define a macro.
    pub(super) macros: BTreeMap<String, BTreeSet<usize>>,
}

impl Program {
    pub(super) fn files(&self) -> usize {
        self.paths.len()
    }

    /// The files that define the item to which `path` refers in `from`.
    fn resolve(&self, from: &Names, path: &[String], depth: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.find(from, path, depth, &mut found, &mut |_| ());
        found
    }

    /// The module to which `path` refers in `from`.
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
            // `use name;` refers to an external crate or to the module itself, and is not followed.
            if used.path.len() > 1 || used.path[0] != *first {
                self.find(from, &path, depth + 1, files, module);
            }
        } else if !is_module {
            for glob in &scope.globs {
                // Globs of globs are rare, and the search branches for each of them.
                if let Some(target) =
                    self.resolve_module(from, &glob.path, depth + DEPTH / 2).filter(|target| target != from)
                {
                    self.find(&target, path, depth + DEPTH / 2, files, module);
                }
            }
        }
    }

    /// The imports from file to file, with the imported names.
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
                // The path refers to the type of an associated function, or to the function of a module.
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

    /// Each set of files that all reach each other, described by its imports.
    pub(super) fn circles(&self) -> Vec<String> {
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
