//! Reads and opens the files of an item, and describes what was opened.

use meshlens::wire::{Budget, ErrorKind};
use meshlens::{Document, Report};
use meshlens_assets::{Asset, Assets, LoadedFiles, Located, OpenOptions};
use meshlens_gltf::Gltf;

use crate::text;

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

/// A search path without mounts for every format that the viewer shows. Memory is reserved from `budget`.
pub(crate) fn assets(budget: &Budget) -> Assets {
    let mut assets = Assets::new();
    assets.add_importer(Gltf);
    assets.set_budget(budget.clone());
    assets
}

/// Reads the files of a model.
pub(crate) fn load(located: &Located, password: Option<&str>) -> Result<LoadedFiles, Failure> {
    let loaded = located.load(password).map_err(Failure::new)?;
    match loaded.document() {
        Err(error) if loaded.importer().is_none() && is_locked(error.kind()) => {
            let message = format!("{}: {error}", located.files());
            Err(Failure { is_locked: true, ..Failure::new(message) })
        }
        _ => Ok(loaded),
    }
}

/// Opens the models in files that are loaded.
pub(crate) fn open(located: Located, loaded: LoadedFiles, options: &OpenOptions) -> Result<Asset, Failure> {
    located.open_loaded(loaded, options).map(with_barrel).map_err(Failure::new)
}

/// The findings about the files after the first, and about how files fit together, each with the index of a part.
pub(crate) fn reports(asset: &Asset) -> Vec<(usize, Report)> {
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
