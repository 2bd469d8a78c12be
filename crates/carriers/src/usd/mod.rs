//! USD as text (`.usda`): a scene whose points and normals have a time sample for every frame, or whose skeleton has one.
//!
//! Frame `n` is at time code `n`. Clips are ranges of time codes, which the layer lists as `customLayerData`
//! (`meshlens:clips`). A scene of one model that joints move has a skeleton (UsdSkel); the frames of other scenes are baked, in the
//! order of their clips after the scene at rest. Materials are UsdPreviewSurface. Axes are those of glTF (Y up). Points keep the
//! unit of the model, and `metersPerUnit` states its usual size.
//!
//! ```
//! use meshlens::Model;
//! use meshlens::scene::Scene;
//! use meshlens_carriers::usd::{self, Options};
//!
//! # let bytes = meshlens::md3::write::sample(&[4.0, 8.0])?;
//! let scene = Scene::from(Model::parse(&bytes)?);
//! let mut text = Vec::new();
//! let losses = usd::write(&scene, "flag", &Options::default(), &mut text)?;
//! let text = String::from_utf8(text)?;
//! assert!(text.starts_with("#usda 1.0\n") && text.contains("defaultPrim = \"flag\""));
//! assert!(text.contains("endTimeCode = 1\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod material;
mod mesh;
mod skeleton;
mod skinned;
mod text;
mod writer;

use std::io::Write;

use meshlens::model::Space;
use meshlens::scene::Scene;
use meshlens::wire::Budget;
use meshlens::{Report, codes};

use crate::timeline::{Timeline, lose_common};
use crate::{DEFAULT_MEMORY, Error};
use skeleton::Skeleton;
use text::{Names, Number, Quoted, Text, display_name};
pub use writer::FindTexture;
use writer::Writer;

/// Options of [`write()`].
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The factor for lengths. The default is 1, which also replaces a factor that is not positive and finite.
    pub scale: f32,
    /// Finds textures. Without it, materials have their colors only.
    pub textures: Option<FindTexture<'o>>,
    /// The budget to which memory is charged while the file is written. If `None`, it may be 1 GiB.
    pub budget: Option<&'o Budget>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { scale: 1.0, textures: None, budget: None }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Options { scale, textures, budget } = self;
        f.debug_struct("Options")
            .field("scale", scale)
            .field("textures", &textures.is_some())
            .field("budget", &budget.is_some())
            .finish()
    }
}

/// The rate of files without clips.
const DEFAULT_RATE: f32 = 24.0;

/// Writes a scene as a USD file of text. `name` is the name of its prim. Returns the content of the scene that the file does not
/// have. O(vertices x frames).
///
/// # Errors
///
/// An index is out of range, the budget has too little memory left, or the errors of `out`.
pub fn write<'w>(
    scene: &Scene<'_>,
    name: &str,
    options: &Options<'w>,
    out: &'w mut dyn Write,
) -> Result<Report, Error> {
    let mut losses = Report::default();
    let timeline = Timeline::new(scene, &mut losses);
    lose_common(scene, &mut losses);
    let skeleton = Skeleton::new(scene, &mut losses);
    let joints: u64 = scene.nodes.iter().map(|node| node.model.joints.len() as u64).sum();
    if skeleton.is_none() && joints > 0 {
        let message = format_args!("{joints} joints: their movement is in the points");
        losses.lose(&codes::SKELETON_BAKED, joints, format_args!(""), message);
    }
    let scale = crate::scale(options.scale);
    let budget = options.budget.cloned().unwrap_or_else(|| Budget::new(DEFAULT_MEMORY));
    let view = scene.view(&Space::GLTF).scaled(scale);
    let root = Names::default().add(name);
    let mut writer = Writer {
        text: Text::new(out),
        scene,
        view,
        scale,
        timeline,
        skeleton,
        root,
        names: Names::default(),
        material_paths: Vec::new(),
        textures: options.textures,
        budget,
        losses,
    };
    writer.header()?;
    let kind = if writer.skeleton.is_some() { "SkelRoot" } else { "Xform" };
    let kind_of_model = "kind = \"component\"".to_owned();
    let metadata: Vec<String> = display_name(name, &writer.root).into_iter().chain([kind_of_model]).collect();
    let definition = format!("def {kind} \"{}\"", writer.root);
    writer.text.prim(format_args!("{definition}"), &metadata)?;
    writer.materials()?;
    writer.skeleton()?;
    writer.meshes()?;
    writer.tags()?;
    writer.text.close("}")?;
    writer.text.finish()?;
    Ok(writer.losses)
}

impl Writer<'_, '_, '_> {
    /// The metadata of the layer.
    fn header(&mut self) -> Result<(), Error> {
        let rate = self.timeline.clips.first().map_or(DEFAULT_RATE, |clip| clip.rate);
        let space = self.scene.nodes.first().map_or(Space::GLTF, |node| node.model.space);
        let meters = space.usual_meters().unwrap_or(1.0) / self.scale;
        let text = &mut self.text;
        text.line(format_args!("#usda 1.0"))?;
        text.open("(")?;
        text.line(format_args!("doc = \"meshlens {}\"", env!("CARGO_PKG_VERSION")))?;
        text.line(format_args!("defaultPrim = \"{}\"", self.root))?;
        text.line(format_args!("upAxis = \"Y\""))?;
        text.line(format_args!("metersPerUnit = {}", Number(meters)))?;
        text.line(format_args!("timeCodesPerSecond = {}", Number(rate)))?;
        text.line(format_args!("framesPerSecond = {}", Number(rate)))?;
        text.line(format_args!("startTimeCode = 0"))?;
        text.line(format_args!("endTimeCode = {}", self.timeline.count - 1))?;
        if !self.timeline.clips.is_empty() {
            text.open("customLayerData = {")?;
            text.open("dictionary meshlens = {")?;
            text.open("dictionary clips = {")?;
            let mut names = Names::default();
            for clip in &self.timeline.clips {
                text.open(&format!("dictionary {} = {{", names.add(&clip.name)))?;
                text.line(format_args!("string name = {}", Quoted(&clip.name)))?;
                text.line(format_args!("int first = {}", clip.first))?;
                text.line(format_args!("int count = {}", clip.count))?;
                text.line(format_args!("double rate = {}", Number(clip.rate)))?;
                text.line(format_args!("bool loops = {}", u8::from(clip.loops)))?;
                text.close("}")?;
                let is_other = clip.rate != rate && clip.count > 1;
                let (name, own) = (&clip.name, clip.rate);
                let place = format_args!("clip {name}");
                let message = format_args!("clip {name}: {own} frames per second, and the file plays {rate}");
                self.losses.lose(&codes::CLIP_RATE_LOST, is_other.into(), place, message);
            }
            (0..3).try_for_each(|_| text.close("}"))?;
        }
        text.close(")")?;
        text.line(format_args!(""))?;
        Ok(())
    }
}
