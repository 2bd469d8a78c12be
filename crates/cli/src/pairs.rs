//! The two files of an Unreal mesh: found by name, by a script, in folders and in archives.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use meshlens::unreal::pairing::{HalfName, companion, pairs};
use meshlens::unreal::script::{Mesh, MeshSequence, Script};
use meshlens::unreal::{Mode, Role, validate_script, validate_sequences};
use meshlens::wire::Name;
use meshlens::{Document, Finding, Limits, Report, Result};
use meshlens_source::{Archive, Source};

use crate::inputs::{Input, Item, Location};

/// What a script says of a mesh and a validator wants to know.
pub(crate) struct ScriptMesh {
    pub(crate) mesh: String,
    /// The script itself, shared by its meshes.
    pub(crate) text: Arc<[u8]>,
    sequences: Vec<Sequence>,
    /// What there is to say about the script itself, kept with the first of its meshes.
    findings: Vec<Finding>,
}

struct Sequence {
    offset: u64,
    name: String,
    first_frame: u32,
    frame_count: u32,
}

/// Adds to `report` what there is to say about a model and the script that named its files.
pub(crate) fn validate(item: &Item, document: &Document<'_>, report: &mut Report) {
    document.validate(report);
    if let (Input::Pair { script: Some(script), .. }, Document::Unreal(unreal)) = (&item.input, document) {
        for Finding { severity, code, message, offset, pointer } in &script.findings {
            report.add(*severity, code, *offset, format_args!("{pointer}"), format_args!("{message}"));
        }
        let mesh = Name::new(script.mesh.as_bytes());
        let sequences = script.sequences.iter().map(|sequence| MeshSequence {
            offset: sequence.offset,
            mesh,
            name: Name::new(sequence.name.as_bytes()),
            group: Name::default(),
            first_frame: sequence.first_frame,
            frame_count: sequence.frame_count,
            rate: None,
        });
        validate_sequences(&sequences.collect::<Vec<_>>(), unreal.frame_count(), report);
    }
}

/// What a script imports: files that are there, by whatever case their names are in.
pub(crate) struct Import {
    pub(crate) mesh: String,
    pub(crate) geometry: Option<PathBuf>,
    pub(crate) frames: Option<PathBuf>,
    pub(crate) script: Arc<ScriptMesh>,
}

pub(crate) fn is_script_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("uc"))
}

/// Whether a file may be one of a mesh. Where neither its name nor a script says which, nothing does.
pub(crate) fn may_be_half(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("3d"))
}

/// Which file of a mesh a path is, by its name.
pub(crate) fn role(path: &Path) -> Option<Role> {
    HalfName::parse(path.file_name()?.to_str()?).map(|name| name.role)
}

/// A mesh of two files. Where their names do not say that they belong together, the frames' name is said too.
pub(crate) fn item(geometry: &Path, frames: &Path, script: Option<Arc<ScriptMesh>>) -> Item {
    let name = |path: &Path| path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let [geometry_name, frames_name] = [geometry, frames].map(name);
    let uri = match companion(&geometry_name, [frames_name.as_str()]) {
        Some(_) => geometry.display().to_string(),
        None => format!("{} + {frames_name}", geometry.display()),
    };
    let [geometry, frames] = [geometry, frames].map(|path| Location::File(path.into()));
    Item { uri, input: Input::Pair { geometry, frames, script } }
}

/// One file of a mesh by itself.
pub(crate) fn half(path: &Path, role: Role) -> Item {
    Item { uri: path.display().to_string(), input: Input::Half(role, Location::File(path.into())) }
}

/// The names in each folder that was looked into.
#[derive(Default)]
pub(crate) struct Names {
    folders: HashMap<PathBuf, BTreeMap<String, Vec<String>>>,
}

impl Names {
    /// The names in a folder, by the same in lower case; none in one that cannot be read.
    fn of(&mut self, folder: &Path) -> &BTreeMap<String, Vec<String>> {
        self.folders.entry(folder.into()).or_insert_with(|| {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for entry in fs::read_dir(here).into_iter().flatten().flatten() {
                if let Ok(name) = entry.file_name().into_string() {
                    names.entry(name.to_lowercase()).or_default().push(name);
                }
            }
            names.values_mut().for_each(|names| names.sort_unstable());
            names
        })
    }

    /// The other file of a mesh, beside this one.
    pub(crate) fn companion(&mut self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name()?.to_str()?;
        let other = companion(name, self.of(folder).values().flatten().map(String::as_str))?;
        Some(path.with_file_name(other))
    }

    /// The file at `relative` below `folder`: as it is written, or else in any case.
    fn find(&mut self, folder: &Path, relative: &Path) -> Option<PathBuf> {
        let mut path = folder.to_owned();
        for component in relative.components() {
            match component {
                Component::Normal(name) => {
                    let name = name.to_str()?;
                    let names = self.of(&path).get(&name.to_lowercase())?;
                    let exact = names.iter().find(|other| *other == name);
                    let found = exact.or(names.first())?.clone();
                    path.push(found);
                }
                Component::ParentDir => match path.components().next_back() {
                    Some(Component::Normal(_)) => {
                        path.pop();
                    }
                    _ => path.push(".."),
                },
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        path.is_file().then_some(path)
    }

    /// The file a script speaks of. Its paths begin at the package's folder, which holds the folder `Classes` that
    /// scripts are in; failing that they are sought from the script's own folder upwards, and beside the script.
    fn of_script(&mut self, script: &Path, file: &str) -> Option<PathBuf> {
        let file = file.replace('\\', "/");
        let file = Path::new(&file);
        let own = script.parent().unwrap_or(Path::new(""));
        let classes = own.file_name().is_some_and(|name| name.eq_ignore_ascii_case("classes"));
        let package = classes.then(|| own.parent()).flatten();
        let folders: Vec<&Path> = package.into_iter().chain(own.ancestors().take(4)).collect();
        folders
            .into_iter()
            .find_map(|folder| self.find(folder, file))
            .or_else(|| self.find(own, Path::new(file.file_name()?)))
    }
}

/// The meshes that a script imports, each once, with their files where they are there.
pub(crate) fn imports(path: &Path, text: &[u8], names: &mut Names) -> Result<Vec<Import>> {
    let script = Script::parse_with(text, Mode::Lenient, &Limits::DEFAULT)?;
    let text: Arc<[u8]> = text.into();
    let mut report = Report::default();
    validate_script(&script, &mut report);
    let mut findings: Vec<Finding> = report.findings().cloned().collect();
    // Of two imports of one name the last one counts, as engines have it.
    let mut last = HashMap::new();
    for (number, mesh) in script.meshes().enumerate() {
        last.insert(mesh.name().to_text().to_ascii_lowercase(), number);
    }
    let is_last = |number: usize, mesh: &Mesh<'_, '_>| {
        last.get(&mesh.name().to_text().to_ascii_lowercase()) == Some(&number)
    };
    let imports =
        script.meshes().enumerate().filter(|(number, mesh)| is_last(*number, mesh)).map(|(_, mesh)| {
            let sequences = mesh.sequences().iter().map(|sequence| Sequence {
                offset: sequence.offset,
                name: sequence.name.to_string(),
                first_frame: sequence.first_frame,
                frame_count: sequence.frame_count,
            });
            Import {
                mesh: mesh.name().to_string(),
                geometry: names.of_script(path, &mesh.import().geometry_file.to_text()),
                frames: names.of_script(path, &mesh.import().frames_file.to_text()),
                script: Arc::new(ScriptMesh {
                    mesh: mesh.name().to_string(),
                    text: text.clone(),
                    sequences: sequences.collect(),
                    findings: std::mem::take(&mut findings),
                }),
            }
        });
    Ok(imports.collect())
}

/// The files of meshes below a folder, and which of them scripts bring together.
#[derive(Default)]
pub(crate) struct FolderMeshes {
    folders: BTreeMap<PathBuf, Vec<String>>,
    imports: Vec<Import>,
}

impl FolderMeshes {
    pub(crate) fn add(&mut self, path: &Path) {
        if let Some(name) = path.file_name().and_then(OsStr::to_str) {
            self.folders.entry(path.parent().unwrap_or(path).into()).or_default().push(name.into());
        }
    }

    pub(crate) fn add_import(&mut self, import: Import) {
        self.imports.push(import);
    }

    /// The models to list at each file: each pair once, at its geometry, and each half that is in no pair.
    pub(crate) fn finish(self) -> HashMap<PathBuf, Vec<Item>> {
        let mut pairs_found: BTreeMap<(PathBuf, PathBuf), Option<Arc<ScriptMesh>>> = BTreeMap::new();
        let mut lone: Vec<(PathBuf, Role)> = Vec::new();
        let mut walked = HashMap::new();
        for (folder, names) in &self.folders {
            for name in names {
                let path = folder.join(name);
                walked.insert(fs::canonicalize(&path).unwrap_or_else(|_| path.clone()), path);
            }
            for paired in pairs(names.iter().map(String::as_str)) {
                match (paired.geometry, paired.frames) {
                    (Some(geometry), Some(frames)) => {
                        pairs_found.insert((folder.join(geometry), folder.join(frames)), None);
                    }
                    (Some(geometry), None) => lone.push((folder.join(geometry), Role::Geometry)),
                    (None, Some(frames)) => lone.push((folder.join(frames), Role::Frames)),
                    (None, None) => {}
                }
            }
        }
        for Import { geometry, frames, script, .. } in self.imports {
            let known = |path: Option<PathBuf>| walked.get(&fs::canonicalize(path?).ok()?).cloned();
            if let (Some(geometry), Some(frames)) = (known(geometry), known(frames)) {
                pairs_found.entry((geometry, frames)).or_default().get_or_insert(script);
            }
        }
        let paired: BTreeSet<&PathBuf> = pairs_found.keys().flat_map(|(a, b)| [a, b]).collect();
        lone.retain(|(path, _)| !paired.contains(path));
        let mut items: HashMap<PathBuf, Vec<Item>> = HashMap::new();
        for ((geometry, frames), script) in pairs_found {
            items.entry(geometry.clone()).or_default().push(item(&geometry, &frames, script));
        }
        for (path, role) in lone {
            items.entry(path.clone()).or_default().push(half(&path, role));
        }
        items
    }
}

/// The meshes of an archive, at the entry each is listed at: the geometry, or the half that is there.
pub(crate) fn in_archive(path: &Path, archive: &Arc<Archive<Source>>) -> BTreeMap<usize, Vec<Item>> {
    let mut folders: BTreeMap<&str, HashMap<&str, usize>> = BTreeMap::new();
    for (number, entry) in archive.entries().iter().enumerate() {
        if entry.name_fault().is_none() && !entry.is_folder() && role(Path::new(entry.name())).is_some() {
            let (folder, name) = entry.name().rsplit_once('/').unwrap_or(("", entry.name()));
            folders.entry(folder).or_default().entry(name).or_insert(number);
        }
    }
    let mut items: BTreeMap<usize, Vec<Item>> = BTreeMap::new();
    for numbers in folders.values() {
        for paired in pairs(numbers.keys().copied()) {
            let entry = |name: &str| numbers.get(name).copied();
            let location = |entry| Location::Entry { archive: archive.clone(), entry };
            let (number, input) = match (paired.geometry.and_then(entry), paired.frames.and_then(entry)) {
                (Some(geometry), Some(frames)) => {
                    let (geometry_at, frames_at) = (location(geometry), location(frames));
                    (geometry, Input::Pair { geometry: geometry_at, frames: frames_at, script: None })
                }
                (Some(geometry), None) => (geometry, Input::Half(Role::Geometry, location(geometry))),
                (None, Some(frames)) => (frames, Input::Half(Role::Frames, location(frames))),
                (None, None) => continue,
            };
            let name = archive.entries().get(number).map(|entry| entry.name()).unwrap_or_default();
            items.entry(number).or_default().push(Item { uri: format!("{}!{name}", path.display()), input });
        }
    }
    items
}
