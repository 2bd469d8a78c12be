//! The content of an item: models of a game format with their companion files, or a model that is imported from glTF.

use std::sync::Arc;

use meshlens::scene::{Node, Scene};
use meshlens::wire::ErrorKind;
use meshlens::{Document, Report};
use meshlens_assets::{Asset, AssetPath, Assets, LoadedFiles, Located, OpenOptions, Rule};
use meshlens_gltf::{ImportOptions, import};

use crate::text;

/// The extensions of glTF files.
pub(crate) const GLTF: &[&str] = &["glb", "gltf"];

/// The reason why a model cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The reason, for people.
    pub message: String,
    /// Whether the file is encrypted and needs a password, or a different one.
    pub is_locked: bool,
}

impl Failure {
    pub(crate) fn new(reason: impl ToString) -> Failure {
        Failure { message: text::line(&reason.to_string()), is_locked: false }
    }
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct File {
    /// The name, such as `pak0.pk3!models/x.md3`.
    pub name: String,
    /// Why the file belongs to the model.
    pub role: String,
    /// The size in bytes.
    pub len: u64,
}

/// The opened models of an item.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Asset(Asset),
    Imported(Arc<Imported>),
}

/// A model that is imported from glTF.
#[derive(Debug)]
pub(crate) struct Imported {
    scene: Scene<'static>,
    assets: Assets,
    file: File,
    report: Report,
}

impl Content {
    /// Reads the files of a model.
    pub(crate) fn load(located: &Located, password: Option<&str>) -> Result<LoadedFiles, Failure> {
        let loaded = located.load(password).map_err(Failure::new)?;
        if loaded.is_gltf() {
            return Ok(loaded);
        }
        match loaded.document() {
            Err(error) if is_locked(error.kind()) => {
                let message = format!("{}: {error}", located.files());
                Err(Failure { is_locked: true, ..Failure::new(message) })
            }
            _ => Ok(loaded),
        }
    }

    /// Opens the models in files that are loaded.
    pub(crate) fn open(
        located: Located,
        loaded: LoadedFiles,
        options: &OpenOptions,
    ) -> Result<Content, Failure> {
        if loaded.is_gltf() {
            return imported(&located, &loaded);
        }
        located.open_loaded(loaded, options).map(with_barrel).map(Content::Asset).map_err(Failure::new)
    }

    /// The scene. It has at least one node.
    pub(crate) fn scene(&self) -> &Scene<'_> {
        match self {
            Content::Asset(asset) => asset.scene(),
            Content::Imported(imported) => &imported.scene,
        }
    }

    /// The path of the file of a node; `None` for a model that is imported from glTF.
    pub(crate) fn node_path(&self, node: usize) -> Option<&AssetPath> {
        match self {
            Content::Asset(asset) => asset.node_path(node),
            Content::Imported(_) => None,
        }
    }

    /// The search path for textures.
    pub(crate) fn assets(&self) -> &Assets {
        match self {
            Content::Asset(asset) => asset.assets(),
            Content::Imported(imported) => &imported.assets,
        }
    }

    /// The files that were read.
    pub(crate) fn files(&self) -> Vec<File> {
        match self {
            Content::Asset(asset) => {
                let files = asset.files().iter();
                files
                    .map(|file| File { name: file.name.clone(), role: file.rule.to_string(), len: file.len })
                    .collect()
            }
            Content::Imported(imported) => vec![imported.file.clone()],
        }
    }

    /// The findings about the files after the first, and about how files fit together, each with the index of a part.
    pub(crate) fn reports(&self) -> Vec<(usize, Report)> {
        match self {
            Content::Asset(asset) => {
                let bytes = asset.bytes().iter().enumerate().take(asset.scene().nodes.len()).skip(1);
                let of_part = |(part, bytes): (usize, &meshlens_assets::Bytes)| {
                    let mut report = Report::default();
                    if let Ok(document) = Document::parse(bytes) {
                        document.validate(&mut report);
                    }
                    (part, report)
                };
                bytes.map(of_part).chain([(0, asset.findings().clone())]).collect()
            }
            Content::Imported(imported) => vec![(0, imported.report.clone())],
        }
    }
}

/// A weapon of Quake 3 with its barrel, which is in a separate file: `gun_barrel.md3` at `tag_barrel` of `gun.md3`. The
/// game shows the muzzle flash only while a weapon fires.
fn with_barrel(weapon: Asset) -> Asset {
    let barrel = || {
        let at = weapon.scene().find_tag("tag_barrel")?;
        let path = weapon.path().with_file_name(&format!("{}_barrel.md3", weapon.path().stem())).ok()?;
        weapon.assets().find(&path).ok()??;
        let barrel = weapon.assets().open(path.as_str()).ok()?;
        Some(weapon.attach(&barrel, at))
    };
    barrel().unwrap_or(weapon)
}

fn is_locked(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Encrypted { .. } | ErrorKind::WrongPassword | ErrorKind::PasswordTooLong { .. })
}

fn imported(located: &Located, loaded: &LoadedFiles) -> Result<Content, Failure> {
    let (assets, path) = (located.assets(), located.path());
    let read = |name: &str, len: usize| {
        assets.read_named_start(&path.folder(), name, len as u64).ok().flatten().map(Vec::from)
    };
    let (mut model, mut report) = import(loaded.first(), &ImportOptions::new(&read))
        .map_err(|error| Failure::new(format!("{}: {error}", located.files())))?;
    report.append(assets.resolve_materials(&mut model, path));
    let scene = Scene { nodes: vec![Node::new(path.stem(), model)] };
    let file = File { name: located.files().to_string(), role: Rule::Named.to_string(), len: loaded.len() };
    Ok(Content::Imported(Arc::new(Imported { scene, assets: assets.clone(), file, report })))
}
