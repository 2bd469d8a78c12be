//! Opens models for pictures: every format, with textures, and players joined.

use std::path::PathBuf;

use meshlens::import::{ImportLimits, ImportOptions};
use meshlens::model::Material;
use meshlens::scene::Scene;
use meshlens::wire::Budget;
use meshlens_assets::material::ImageLimits;
use meshlens_assets::{Assets, LoadedFiles, OpenOptions};
use meshlens_gltf::codes;
use meshlens_thumb::Texture;

use crate::animations;
use crate::errors;
use crate::failure::Failure;
use crate::item::Item;

/// The input of a picture.
pub(crate) struct Opened<'p> {
    pub(crate) scene: &'p Scene<'p>,
    pub(crate) assets: &'p Assets,
    /// Warnings about files that belong to the model and could not be used.
    pub(crate) warnings: Vec<String>,
}

/// The parts of a model that a picture needs.
pub(crate) struct OpenRequest<'w> {
    pub(crate) skin: Option<&'w str>,
    /// Animation files of a UNIGINE mesh. If empty, the files in its folder are used.
    pub(crate) animations: &'w [PathBuf],
    /// Whether only the frame at rest is drawn.
    pub(crate) is_at_rest: bool,
}

impl Default for OpenRequest<'_> {
    fn default() -> Self {
        OpenRequest { skin: None, animations: &[], is_at_rest: true }
    }
}

/// The memory of one picture.
pub(crate) struct Share<'b> {
    pub(crate) budget: &'b Budget,
    /// The limit for one imported file.
    pub(crate) limit: usize,
    /// The number of threads that draw a picture.
    pub(crate) threads: usize,
}

/// The largest textures that are decoded: a picture shows no more detail.
const IMAGES: ImageLimits = ImageLimits { side: 1 << 13, pixels: 1 << 24 };

/// Calls `draw` with the scene of a model.
pub(crate) fn open<R>(
    item: &Item,
    loaded: LoadedFiles,
    wanted: &OpenRequest<'_>,
    share: &Share<'_>,
    draw: impl FnOnce(Opened<'_>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let animations = animations::of(&item.located, wanted.animations)?;
    let options = OpenOptions {
        skin: wanted.skin.map(Into::into),
        lods: false,
        animations: (!animations.is_empty()).then(|| animations.clone()),
        import: ImportOptions {
            at_rest: wanted.is_at_rest,
            limits: ImportLimits { bytes: share.limit, ..ImportLimits::DEFAULT },
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
    draw(Opened { scene: asset.scene(), assets: asset.assets(), warnings })
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
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.warnings),
        }
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
    match assets.texture_pixels(material, &IMAGES) {
        Ok(image) => {
            let image = image?;
            // The decoded image stays in memory until the texture is made from it.
            let size = Texture::bytes(image.width, image.height);
            let what = format_args!("{} x {} pixels of a texture", image.width, image.height);
            match budget.reserve(size, what) {
                Ok(_held) => Texture::new(image.width, image.height, &image.rgba),
                Err(over) => {
                    faults.failure = Some(Failure::memory(uri, &over));
                    None
                }
            }
        }
        Err(meshlens_assets::Error::Memory { over, .. }) => {
            faults.failure = Some(Failure::memory(uri, &over));
            None
        }
        Err(error) => {
            faults.warnings.push(format!("material {}: {}", material.name, errors::asset(&error)));
            None
        }
    }
}

/// The reason why no picture can be made.
pub(crate) fn failure(uri: &str, scene: &Scene<'_>, error: meshlens_thumb::Error) -> Failure {
    use meshlens_thumb::Error;

    match error {
        Error::Memory(over) => Failure::memory(uri, &over),
        Error::NoClip(name) => {
            let clips = scene.nodes.iter().flat_map(|node| &node.model.clips);
            Failure::no_clip(uri, &name, clips.map(|clip| clip.name.as_str()))
        }
        Error::NoFrame { frame, count } => Failure::no_frame(uri, frame, count),
        Error::Write(error) => Failure::system(format!("{uri}: {error}")),
        error => Failure::input(format!("{uri}: {error}")),
    }
}
