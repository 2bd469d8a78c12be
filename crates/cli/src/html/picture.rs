//! The content of the report for a model besides its row: a picture and its findings.

use std::cell::RefCell;

use meshlens::Report as Findings;
use meshlens::wire::{Budget, Group};
use meshlens_assets::LoadedFiles;
use meshlens_thumb::{Background, Options};

use crate::args::Password;
use crate::failure::Failure;
use crate::item::Item;
use crate::memory::Memory;
use crate::thumb::open::{self, Faults, OpenRequest};

/// The width and height of a picture in pixels, equal to the size of a card in the gallery.
pub(super) const SIZE: u32 = 256;

/// The content of the report for a model besides its row.
pub(crate) struct ModelCard {
    /// A PNG file, or the reason why there is no picture.
    pub(super) picture: Result<Vec<u8>, String>,
    /// The findings by code, the most severe first.
    pub(super) groups: Vec<Group>,
}

/// The picture and the findings of a model. `memory` is for all pictures of a report.
pub(crate) fn show(
    memory: &Memory,
    item: &Item,
    files: &LoadedFiles,
    is_valid: bool,
    password: &Password,
) -> ModelCard {
    let mut report = Findings::default();
    if let Ok(document) = files.document() {
        files.validate(&document, &mut report);
    }
    let picture = match is_valid {
        true => picture(memory, item, password).map_err(|failure| failure.message),
        false => Err(String::new()),
    };
    ModelCard { picture, groups: report.groups().cloned().collect() }
}

fn picture(memory: &Memory, item: &Item, password: &Password) -> Result<Vec<u8>, Failure> {
    let one = |budget: &Budget| {
        let (asset, _) = open::open(item, password, &OpenRequest::default(), memory.of_one_file())?;
        let (scene, assets) = (asset.scene(), asset.assets());
        let faults = RefCell::new(Faults::default());
        let find =
            |material: &_| open::texture(assets, material, &item.uri, budget, &mut faults.borrow_mut());
        let options = Options {
            size: SIZE,
            background: Background::Transparent,
            textures: Some(&find),
            budget: Some(budget),
            ..Options::default()
        };
        let made = meshlens_thumb::picture(scene, &options).and_then(|picture| picture.to_png());
        faults.into_inner().warnings()?;
        made.map_err(|error| open::failure(&item.uri, scene, error))
    };
    memory.run(one, |failure| failure.waits)
}
