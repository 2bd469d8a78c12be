//! Finds the file of a texture by its name.

use std::fmt;

use meshlens::model::Material;

use super::codes;
use super::text::cut;
use crate::record::Record;
use crate::{AssetPath, Assets, FoundFile, Refused, Rule, resolve};

/// The extensions of readable images, in search order. A game may refer to a file by one extension and contain it with
/// another.
pub const IMAGE_EXTENSIONS: [&str; 10] =
    ["tga", "jpg", "jpeg", "png", "dds", "pcx", "bmp", "webp", "ppm", "dib"];

/// The folders in the root of a game that texture paths start with. A path that was written on another machine is
/// looked up from such a folder on.
const ROOT_FOLDERS: [&str; 6] = ["models", "textures", "gfx", "sprites", "icons", "env"];
/// The largest number of positions in a path at which a lookup starts.
const MAX_SUFFIXES: usize = 8;
/// The longest part of a name that messages show.
const MAX_SHOWN: usize = 200;

/// The folders in which the textures of a model are looked up.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Folders that the whole name is relative to.
    pub(super) bases: Vec<AssetPath>,
    /// Folders in which the last component of the name is looked up, after everything else.
    pub(super) folders: Vec<AssetPath>,
}

/// The result of a search.
#[derive(Default)]
pub(super) struct Search {
    pub(super) found: Option<FoundFile>,
    /// A file with this name that is not a readable image.
    pub(super) unreadable: Option<FoundFile>,
    /// The reason why the name was not looked up as written.
    pub(super) refused: Option<Refused>,
}

impl Places {
    /// The root, and the folder of the model.
    pub(super) fn of_folder(folder: &AssetPath) -> Places {
        Places { bases: vec![AssetPath::root(), folder.clone()], folders: vec![folder.clone()] }
    }

    /// Finds the image with this name.
    pub(super) fn find(&self, assets: &Assets, name: &str) -> Search {
        let mut search = Search::default();
        // Engines skip slashes at the start.
        let name = name.trim_start_matches(['/', '\\']);
        for base in &self.bases {
            match resolve(base, name) {
                Ok(path) if search.try_path(assets, &path) => return search,
                Ok(_) => {}
                Err(refused) => search.refused = search.refused.or(Some(refused)),
            }
        }
        let name = name.replace('\\', "/");
        let starts = name.match_indices('/').map(|(at, _)| at + 1).take(64);
        let suffixes = starts.filter_map(|at| name.get(at..)).filter(|suffix| {
            let first = suffix.split('/').next().unwrap_or_default();
            ROOT_FOLDERS.iter().any(|folder| first.eq_ignore_ascii_case(folder))
        });
        for suffix in suffixes.take(MAX_SUFFIXES) {
            if AssetPath::new(suffix).is_ok_and(|path| search.try_path(assets, &path)) {
                return search;
            }
        }
        let last = name.rsplit(['/', ':']).next().unwrap_or_default();
        for folder in &self.folders {
            if resolve(folder, last).is_ok_and(|path| search.try_path(assets, &path)) {
                return search;
            }
        }
        search
    }

    /// Whether a texture is found by this name.
    pub(super) fn has(&self, assets: &Assets, name: &str) -> bool {
        self.find(assets, name).found.is_some()
    }
}

impl Search {
    /// Searches a path: unchanged, then with the extensions of images instead of its own, then with them appended.
    fn try_path(&mut self, assets: &Assets, path: &AssetPath) -> bool {
        let is_image = IMAGE_EXTENSIONS.iter().any(|extension| path.has_extension(extension));
        if let Some(file) = assets.find_file(path) {
            if is_image {
                self.found = Some(file);
                return true;
            }
            self.unreadable.get_or_insert(file);
        }
        // `flag.red` may be a name without an extension.
        let stems =
            [Some(path.stem()), Some(path.file_name()).filter(|name| !is_image && *name != path.stem())];
        for stem in stems.into_iter().flatten() {
            for extension in IMAGE_EXTENSIONS {
                let Ok(path) = path.with_file_name(&format!("{stem}.{extension}")) else { continue };
                self.found = assets.find_file(&path);
                if self.found.is_some() {
                    return true;
                }
            }
        }
        false
    }
}

/// Finds the textures that materials name.
pub(super) fn resolve_textures(
    assets: &Assets,
    materials: &mut [Material],
    places: &Places,
    record: &mut Record,
) {
    for material in materials {
        if let Some(name) = material.texture.clone().filter(|name| !name.is_empty()) {
            resolve_texture(assets, places, material, &name, record);
        }
        if let Some(map) = &mut material.height_map {
            let mut alone = Material::new(&*material.name);
            resolve_texture(assets, places, &mut alone, &map.texture, record);
            map.texture = alone.texture.unwrap_or_else(|| map.texture.clone());
        }
    }
}

/// Finds a texture by its name and records the search. Returns whether it was found.
pub(super) fn resolve_texture(
    assets: &Assets,
    places: &Places,
    material: &mut Material,
    name: &str,
    record: &mut Record,
) -> bool {
    let search = places.find(assets, name);
    let pointer = format_args!("material {}", ShortName(&material.name));
    let shown = ShortName(name);
    // A name with a drive, whose file lies beside the model, is found by its last part.
    if let Some(refused) = search.refused.as_ref().filter(|_| search.found.is_none()) {
        let message = format_args!("texture {shown}: {}", refused.reason);
        record.findings.lose(&codes::TEXTURE_NAME_REFUSED, 1, pointer, message);
    }
    match (&search.found, &search.unreadable) {
        (Some(file), _) => material.texture = Some(file.path().as_str().into()),
        (None, Some(file)) => {
            let message = format_args!("texture {shown}: the format of {file} is not supported");
            record.findings.lose(&codes::TEXTURE_FORMAT_UNKNOWN, 1, pointer, message);
        }
        (None, None) => {
            let message = format_args!("texture {shown}: not found");
            record.findings.lose(&codes::TEXTURE_NOT_FOUND, 1, pointer, message);
        }
    }
    let is_found = search.found.is_some();
    let asked = search.found.as_ref().map(|file| file.path().clone());
    if let Some(path) = asked.or_else(|| AssetPath::new(name).ok()) {
        record.look(Rule::Texture, path, search.found);
    }
    is_found
}

/// The normal map beside an image, where the renderer opengl2 of ioquake3 looks for it: `x_nh`, whose alpha is a height, or else
/// `x_n`. A folder without a list has none.
pub(super) fn normal_map(assets: &Assets, image: &AssetPath) -> Option<FoundFile> {
    ["_nh.", "_n."].iter().find_map(|end| {
        let stem = format!("{}{end}", image.stem()).to_ascii_lowercase();
        let names = assets.files_beginning(&image.folder(), &stem);
        let is_image = |name: &String| {
            let name = name.to_ascii_lowercase();
            IMAGE_EXTENSIONS
                .iter()
                .any(|extension| name.len() == stem.len() + extension.len() && name.ends_with(extension))
        };
        let name = names.iter().find(|name| is_image(name))?;
        assets.find_file(&image.with_file_name(name).ok()?)
    })
}

/// A name that is displayed shortened, because it may have any length.
pub(super) struct ShortName<'n>(pub(super) &'n str);

impl fmt::Display for ShortName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = cut(self.0, MAX_SHOWN);
        f.write_str(start)?;
        if start.len() < self.0.len() { f.write_str("...") } else { Ok(()) }
    }
}
