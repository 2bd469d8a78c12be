//! Opens models for pictures: every format, with textures, and players joined.

use std::path::PathBuf;

use meshlens::import::{ImportLimits, ImportOptions};
use meshlens::model::Material;
use meshlens::scene::Scene;
use meshlens::wire::{Budget, OverBudget};
use meshlens_assets::material::ImageLimits;
use meshlens_assets::{Asset, Assets, OpenOptions};
use meshlens_gltf::codes;
use meshlens_thumb::Texture;

use crate::animations;
use crate::args::Password;
use crate::errors;
use crate::failure::Failure;
use crate::item::Item;

/// The parts of a model that a picture needs.
#[derive(Default)]
pub(crate) struct OpenRequest<'w> {
    pub(crate) skin: Option<&'w str>,
    /// Animation files of a UNIGINE mesh. If empty, the files in its folder are used.
    pub(crate) animations: &'w [PathBuf],
    /// Whether other frames are drawn than the one at rest.
    pub(crate) moves: bool,
}

/// The largest textures that are decoded: a picture shows no more detail.
const IMAGES: ImageLimits = ImageLimits { side: 1 << 13, pixels: 1 << 24 };

/// Opens a model. Also returns warnings about files that belong to it and could not be used. `limit` is the limit for one
/// imported file.
pub(crate) fn open(
    item: &Item,
    password: &Password,
    wanted: &OpenRequest<'_>,
    limit: usize,
) -> Result<(Asset, Vec<String>), Failure> {
    let loaded = item.load(password)?;
    let animations = animations::of(&item.located, wanted.animations)?;
    let options = OpenOptions {
        skin: wanted.skin.map(Into::into),
        lods: false,
        animations: (!animations.is_empty()).then(|| animations.clone()),
        import: ImportOptions {
            at_rest: !wanted.moves,
            limits: ImportLimits { bytes: limit, ..ImportLimits::DEFAULT },
            ..ImportOptions::default()
        },
        ..OpenOptions::default()
    };
    let asset = item.located.clone().open_loaded(loaded, &options);
    let asset = asset.map_err(|error| animations::failure(&item.located, &animations, &error))?;
    // Without the findings of an import, an incomplete picture would look complete.
    let import = [&codes::IMAGE_FORMAT_LOST, &codes::IMAGE_UNREADABLE, &codes::PRIMITIVE_LOST];
    let told = || meshlens_assets::codes::ALL.iter().chain(&import);
    let findings = asset.findings().findings().filter(|found| told().any(|code| code.name == found.code));
    let faults = asset.assets().faults().iter().cloned();
    let warnings = findings.map(|finding| finding.message.to_string()).chain(faults).collect();
    Ok((asset, warnings))
}

/// The faults of the textures of a picture.
#[derive(Default)]
pub(crate) struct Faults {
    /// The reasons why textures are missing.
    pub(crate) warnings: Vec<String>,
    /// Set if memory was insufficient.
    pub(crate) failure: Option<Failure>,
}

impl Faults {
    /// The warnings, unless there was too little memory.
    pub(crate) fn warnings(self) -> Result<Vec<String>, Failure> {
        self.failure.map_or(Ok(self.warnings), Err)
    }
}

/// The texture of a material, if one is found and can be decoded.
pub(crate) fn texture(
    assets: &Assets,
    material: &Material,
    uri: &str,
    budget: &Budget,
    faults: &mut Faults,
) -> Option<Texture> {
    if faults.failure.is_some() {
        return None;
    }
    let mut fail = |over: &OverBudget| faults.failure = Some(Failure::memory(uri, over));
    match assets.texture_pixels(material, &IMAGES) {
        Ok(image) => {
            let image = image?;
            // The decoded image stays in memory until the texture is made from it.
            let size = Texture::bytes(image.width, image.height);
            let what = format_args!("{} x {} pixels of a texture", image.width, image.height);
            match budget.reserve(size, what) {
                Ok(_held) => return Texture::new(image.width, image.height, &image.rgba),
                Err(over) => fail(&over),
            }
        }
        Err(meshlens_assets::Error::Memory { over, .. }) => fail(&over),
        Err(error) => faults.warnings.push(format!("material {}: {}", material.name, errors::asset(&error))),
    }
    None
}

/// The reason why no picture can be made.
pub(crate) fn failure(uri: &str, scene: &Scene<'_>, error: meshlens_thumb::Error) -> Failure {
    use meshlens_thumb::Error;

    match error {
        Error::Memory(over) => Failure::memory(uri, &over),
        Error::NoClip(name) => Failure::no_clip(uri, &name, scene),
        Error::NoFrame { frame, count } => Failure::no_frame(uri, frame, count),
        Error::Write(error) => Failure::system(format!("{uri}: {error}")),
        error => Failure::input(format!("{uri}: {error}")),
    }
}
