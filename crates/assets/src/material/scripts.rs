//! The shaders of all scripts in the mounts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, OnceLock};

use meshlens::{Limits, Report};

use super::codes;
use super::shader::{Shader, ShaderScript, key};
use crate::{AssetPath, Assets, FoundFile};

/// The folders with scripts: `scripts` in Quake 3, `shaders` in some later games.
const FOLDERS: [&str; 2] = ["scripts", "shaders"];
/// The largest number of scripts that are read.
const MAX_SCRIPTS: usize = 4096;
/// The largest total size of all scripts in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The shaders of all scripts in the mounts. [`Assets::shaders`] reads them.
///
/// If several shaders have the same name, the shader in the first mount is used. Within a mount, it is the shader in
/// the last script by name; within a script, the first shader. Engines use the same order.
#[derive(Default)]
pub struct Shaders {
    scripts: Vec<Script>,
    /// The index of the script and of the shader in it, by the key of the name.
    by_name: HashMap<String, (usize, usize)>,
    findings: Report,
}

struct Script {
    file: FoundFile,
    len: usize,
    shaders: Vec<Shader>,
}

/// A shader and its script.
#[derive(Clone, Copy, Debug)]
pub struct FoundShader<'s> {
    /// The shader.
    pub shader: &'s Shader,
    /// The file of the script.
    pub file: &'s FoundFile,
    /// The number of bytes of the script.
    pub(crate) len: usize,
}

impl Assets {
    /// The shaders of all scripts in the mounts (`scripts/*.shader`). They are read on first use, or when a Quake 3
    /// model is opened.
    pub fn shaders(&self) -> Arc<Shaders> {
        let shaders = self.cache().of::<OnceLock<Arc<Shaders>>>();
        shaders.get_or_init(|| Arc::new(Shaders::read(self))).clone()
    }
}

impl Shaders {
    /// Reads every script in the mounts. Scripts that cannot be read are left out and listed in
    /// [`findings`](Self::findings).
    pub(crate) fn read(assets: &Assets) -> Shaders {
        let mut shaders = Shaders::default();
        let mut files: Vec<(usize, FoundFile)> = Vec::new();
        for folder in FOLDERS.iter().filter_map(|folder| AssetPath::new(folder).ok()) {
            for name in assets.files(&folder) {
                let path = folder.child(&name);
                if !path.has_extension("shader") {
                    continue;
                }
                match assets.find(&path) {
                    Ok(Some(file)) => files.push((assets.search_order(&file), file)),
                    Ok(None) => {}
                    Err(error) => shaders.unreadable(&path, 1, &error),
                }
            }
        }
        files.sort_by(|(a, first), (b, second)| a.cmp(b).then_with(|| second.path().cmp(first.path())));
        let mut left = MAX_BYTES;
        let unread = files.len().saturating_sub(MAX_SCRIPTS);
        if let Some((_, file)) = files.get(MAX_SCRIPTS) {
            let message = format_args!("{unread} scripts are not read: there are more than {MAX_SCRIPTS}");
            shaders.unreadable(file.path(), unread, &message);
        }
        for (_, file) in files.into_iter().take(MAX_SCRIPTS) {
            match assets.read_limited(&file, left.min(Limits::DEFAULT.text)) {
                Ok(text) => {
                    left = left.saturating_sub(text.len() as u64);
                    shaders.add(file, &text);
                }
                Err(error) => shaders.unreadable(file.path(), 1, &error),
            }
        }
        shaders
    }

    fn unreadable(&mut self, path: &AssetPath, count: usize, error: &dyn fmt::Display) {
        let code = &codes::SHADER_SCRIPT_UNREADABLE;
        self.findings.lose(code, count as u64, format_args!("{path}"), format_args!("{error}"));
    }

    fn add(&mut self, file: FoundFile, text: &[u8]) {
        let script = match ShaderScript::parse(text) {
            Ok(script) => script,
            Err(error) => return self.unreadable(file.path(), 1, &error),
        };
        if let Some(first) = script.faults.first() {
            let count = script.fault_count;
            let message = format_args!("{file}: {count} faults; the first one: {first}");
            self.findings.lose(&codes::SHADER_SCRIPT_FAULTY, count, format_args!("{}", file.path()), message);
        }
        let number = self.scripts.len();
        for (index, shader) in script.shaders.iter().enumerate() {
            if let Entry::Vacant(slot) = self.by_name.entry(key(&shader.name)) {
                slot.insert((number, index));
            }
        }
        self.scripts.push(Script { file, len: text.len(), shaders: script.shaders });
    }

    /// The shader with this name, in any case; `None` if there is none. Extensions are ignored.
    pub fn get(&self, name: &str) -> Option<FoundShader<'_>> {
        let (script, shader) = *self.by_name.get(&key(name))?;
        let script = self.scripts.get(script)?;
        Some(FoundShader { shader: script.shaders.get(shader)?, file: &script.file, len: script.len })
    }

    /// All shaders that can be found by name, in arbitrary order.
    pub fn iter(&self) -> impl Iterator<Item = FoundShader<'_>> {
        self.by_name.values().filter_map(|(script, shader)| {
            let script = self.scripts.get(*script)?;
            Some(FoundShader { shader: script.shaders.get(*shader)?, file: &script.file, len: script.len })
        })
    }

    /// The number of shaders.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are no shaders.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The scripts that were read, in the order of precedence of their shaders.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &FoundFile> {
        self.scripts.iter().map(|script| &script.file)
    }

    /// The findings about scripts that cannot be read, and about faults in scripts.
    pub fn findings(&self) -> &Report {
        &self.findings
    }
}

impl fmt::Debug for Shaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shaders").field("scripts", &self.scripts.len()).field("shaders", &self.len()).finish()
    }
}
