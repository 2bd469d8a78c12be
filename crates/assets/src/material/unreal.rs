//! The textures of an Unreal mesh: names in its script, and the files that scripts import.

use std::fmt::Display;

use meshlens::model::Material;
use meshlens::{Limits, Model};

use super::find::{Places, resolve_texture};
use crate::index::Extension;
use crate::record::Record;
use crate::{AssetFile, AssetPath, Assets, Rule, codes};

/// The folders of a package that contain textures.
const FOLDERS: [&str; 4] = ["Textures", "Skins", "Models", "Classes"];
/// The largest number of folders above a script or a mesh that names are relative to.
const MAX_ANCESTORS: usize = 4;
/// The largest number of scripts of a folder that are searched for the import of a texture.
const MAX_SCRIPTS: usize = 512;
/// The largest total size of those scripts in bytes.
const MAX_BYTES: u64 = 16 << 20;

pub(super) fn resolve(assets: &Assets, model: &mut Model<'_>, path: &AssetPath, record: &mut Record) {
    let script = record.files.iter().find(|file| file.rule == Rule::Script).map(|file| file.path.clone());
    let places = places(path, script.as_ref());
    // The scripts of the package are read when the first name is not known.
    let mut others: Option<Others<'_>> = None;
    let mut is_any_missing = false;
    for material in &mut model.materials {
        if let Some(file) = material.texture.clone().filter(|file| !file.is_empty()) {
            resolve_texture(assets, &places, material, &file, record);
            continue;
        }
        // The texture is imported by another script or another package. A material without a name is called after its
        // slot.
        let Some(name) = texture_name(material).map(String::from) else { continue };
        // Most files have the name of their texture. Scripts are read for others.
        let import = match &script {
            Some(script) if !places.has(assets, &name) => {
                others.get_or_insert_with(|| Others::new(assets, script)).find(&name)
            }
            _ => None,
        };
        let file = import.map_or(name.as_str(), |import| import.file.as_str());
        match (resolve_texture(assets, &places, material, file, record), import) {
            (true, Some(import)) => record.use_file(import.script.clone()),
            (true, None) => {}
            (false, _) => is_any_missing = true,
        }
    }
    // Scripts that were not searched matter only if a texture is missing.
    if let Some(others) = others.filter(|_| is_any_missing) {
        others.report_unread(record);
    }
}

/// The texture name of a material without a file: the last part of `Package.Group.Texture`.
fn texture_name(material: &Material) -> Option<&str> {
    // The name is followed by the kind of the triangles in parentheses.
    let name = material.name.split(" (").next().unwrap_or_default();
    let is_slot = name.strip_prefix("texture ").is_some_and(|slot| slot.parse::<u8>().is_ok());
    name.rsplit('.').next().filter(|name| !is_slot && !name.is_empty())
}

/// Paths in scripts start at the folder of the package, which contains `Classes`. If that fails, they start at the
/// folder of the script or of the mesh, or above it.
fn places(model: &AssetPath, script: Option<&AssetPath>) -> Places {
    let mut places = Places::default();
    let add = |folders: &mut Vec<AssetPath>, folder: AssetPath| {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    };
    if let Some(script) = script
        && script.folder().file_name().eq_ignore_ascii_case("classes")
    {
        add(&mut places.bases, script.folder().folder());
    }
    for path in script.into_iter().chain([model]) {
        let above = path.folder().up_to_root().take(MAX_ANCESTORS);
        above.for_each(|folder| add(&mut places.bases, folder));
    }
    for base in &places.bases {
        add(&mut places.folders, base.clone());
        let below = FOLDERS.iter().filter_map(|name| base.join(name).ok());
        below.for_each(|folder| add(&mut places.folders, folder));
    }
    places
}

/// A texture that a script imports.
struct Import {
    texture: String,
    file: String,
    script: AssetFile,
}

/// The other scripts in the folder of a script, which are read one by one.
struct Others<'a> {
    assets: &'a Assets,
    /// The scripts that are not read yet, the next one last.
    scripts: Vec<AssetPath>,
    /// The imports of the scripts that are read. Among imports of one name, the first counts.
    imports: Vec<Import>,
    /// The number of bytes that may still be read.
    left: u64,
    /// The number of scripts that cannot be read or exceed a limit.
    unread: u64,
    /// The first of them, and the reason.
    first_unread: Option<(AssetPath, String)>,
}

impl<'a> Others<'a> {
    fn new(assets: &'a Assets, script: &AssetPath) -> Self {
        let folder = script.folder();
        let names = assets.files_with(&folder, Extension::Uc).into_iter().map(|name| folder.child(&name));
        let mut scripts: Vec<AssetPath> = names.filter(|path| !path.names_same(script)).collect();
        let more = scripts.split_off(scripts.len().min(MAX_SCRIPTS));
        let (imports, left, unread) = (Vec::new(), MAX_BYTES, 0);
        let mut others = Others { assets, scripts, imports, left, unread, first_unread: None };
        if let Some(path) = more.first() {
            let reason = format_args!("there are more than {MAX_SCRIPTS} scripts");
            others.lose(more.len(), path, &reason);
        }
        others
    }

    /// The import of a texture: the last one of the last script that has it.
    fn find(&mut self, texture: &str) -> Option<&Import> {
        let is_it = |import: &Import| import.texture.eq_ignore_ascii_case(texture);
        let mut found = self.imports.iter().position(is_it);
        while found.is_none() {
            let path = self.scripts.pop()?;
            let first = self.imports.len();
            self.read(path);
            let new = self.imports.iter().skip(first).position(is_it);
            found = new.map(|index| first + index);
        }
        self.imports.get(found?)
    }

    fn read(&mut self, path: AssetPath) {
        let Some(file) = self.assets.find_file(&path) else { return };
        let parsed = match self.assets.script(&file, self.left.min(Limits::DEFAULT.text)) {
            Ok(parsed) => parsed,
            Err(error) => return self.lose(1, &path, &error),
        };
        let len = parsed.borrow_owner().len() as u64;
        self.left = self.left.saturating_sub(len);
        let used = AssetFile { name: file.to_string(), path, rule: Rule::Script, len };
        self.imports.extend(parsed.borrow_dependent().texture_imports().iter().rev().map(|import| Import {
            texture: meshlens::wire::Name::new(import.texture_name()).to_text().into_owned(),
            file: import.file.to_text().into_owned(),
            script: used.clone(),
        }));
    }

    fn lose(&mut self, count: usize, path: &AssetPath, reason: &dyn Display) {
        self.unread += count as u64;
        self.first_unread.get_or_insert_with(|| (path.clone(), reason.to_string()));
    }

    /// Adds one finding about the scripts that were not searched.
    fn report_unread(&self, record: &mut Record) {
        let Some((path, reason)) = &self.first_unread else { return };
        let scripts =
            if self.unread == 1 { "1 script was".into() } else { format!("{} scripts were", self.unread) };
        let message = format_args!("{scripts} not searched for the import of a texture: {reason}");
        record.findings.lose(&codes::COMPANION_UNREADABLE, self.unread, format_args!("{path}"), message);
    }
}
