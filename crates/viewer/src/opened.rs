//! An opened model: its parts, its findings, and the properties that are shown.

use std::collections::BTreeSet;

use meshlens::model::Material;
use meshlens::scene::{Node, Scene};
use meshlens::{Report, Severity};
use meshlens_assets::material::{Image, ImageLimits};
use meshlens_assets::{Asset, Assets, Located, OpenOptions};

use crate::clock::Instant;
use crate::content::{self, Failure, File};
use crate::findings::{self, Group};
use crate::text;

/// The reason why a material that refers to no texture has none.
pub const NO_TEXTURE: &str = "no texture";

/// An opened model.
#[derive(Clone, Debug)]
pub struct Opened {
    asset: Asset,
    /// The findings by code, the most severe first: about the content of the files, and about how files fit together.
    pub findings: Vec<Group>,
    /// The number of findings of each severity, including those that are not listed.
    pub counts: [(Severity, u64); 4],
    /// The names of the skins.
    pub skins: Vec<String>,
    /// The skin that was requested.
    pub skin: Option<String>,
    /// The format and its version.
    pub format: String,
    /// The size of all files of models in bytes.
    pub file_bytes: u64,
    /// The time that reading and validating the files took, in seconds.
    pub seconds: f64,
    /// The time that decoding the positions of one frame on the CPU took, in seconds.
    pub decode_seconds: f64,
}

impl Opened {
    pub(crate) fn new(
        located: Located,
        skin: Option<&str>,
        password: Option<&str>,
    ) -> Result<Opened, Failure> {
        let start = Instant::now();
        let loaded = content::load(&located, password)?;
        let file_bytes = loaded.len();
        let mut report = Report::default();
        let mut format = String::new();
        if let Some(importer) = loaded.importer() {
            format = format!("{} {}", importer.format().replace("gltf", "glTF"), importer.version());
        } else if let Ok(document) = loaded.document() {
            loaded.validate(&document, &mut report);
            format = format!("{} {}", document.format(), document.version());
        }
        let options = OpenOptions { skin: skin.map(Into::into), ..OpenOptions::default() };
        let asset = content::open(located, loaded, &options)?;

        let mut reports = vec![(0, report)];
        reports.extend(content::reports(&asset));
        let (findings, counts) = findings::group(&reports);
        let skins = skins(&asset);
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        decode_frame(&asset);
        let decode_seconds = start.elapsed().as_secs_f64();
        let (skin, format) = (skin.map(Into::into), text::line(&format));
        Ok(Opened { asset, findings, counts, skins, skin, format, file_bytes, seconds, decode_seconds })
    }

    /// The scene: one node, or the parts of a player.
    pub fn scene(&self) -> &Scene<'_> {
        self.asset.scene()
    }

    /// The search path for textures.
    pub(crate) fn assets(&self) -> &Assets {
        self.asset.assets()
    }

    /// The files that were read.
    pub fn files(&self) -> Vec<File> {
        let files = self.asset.files().iter();
        files
            .map(|file| File { name: file.name.clone(), role: file.rule.to_string(), len: file.len })
            .collect()
    }

    /// The number of levels of detail: the largest of all nodes, at least 1.
    pub fn lod_count(&self) -> usize {
        let of = |node: &Node<'_>| {
            let levels = || node.model.meshes.iter().map(|mesh| mesh.lod);
            let in_file =
                levels().max().zip(levels().min()).map_or(0, |(coarsest, finest)| coarsest - finest);
            1 + in_file + node.lods.len()
        };
        self.scene().nodes.iter().map(of).max().unwrap_or(1)
    }

    /// The texture of a material, with the alpha of its file.
    ///
    /// # Errors
    ///
    /// The reason why no texture is available: the material has none, its file was not found, or it cannot be decoded.
    pub fn texture(&self, material: &Material, side: u32) -> Result<Image, String> {
        if material.texture.is_none() && material.image.is_none() {
            return Err(NO_TEXTURE.into());
        }
        let limits = ImageLimits { side, ..ImageLimits::DEFAULT };
        match self.asset.assets().texture_pixels(material, &limits) {
            Ok(Some(image)) => Ok(image),
            Ok(None) => {
                let name = material.texture.as_deref().unwrap_or_default();
                Err(format!("not found: {}", text::line(name)))
            }
            Err(error) => Err(text::line(&error.to_string())),
        }
    }

    /// The number of vertices, triangles and frames of the finest level of detail.
    pub fn numbers(&self) -> (usize, usize, usize) {
        let mut numbers = (0, 0, 0);
        for part in &self.scene().nodes {
            let finest = part.model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0);
            for mesh in part.model.meshes.iter().filter(|mesh| mesh.lod == finest) {
                numbers.0 += mesh.point_count();
                numbers.1 += mesh.triangle_count();
            }
            numbers.2 = numbers.2.max(part.model.frame_count());
        }
        numbers
    }
}

/// Decodes the positions of the first frame of every mesh. Decoding errors are reported by the picture.
fn decode_frame(asset: &Asset) {
    let mut points = Vec::new();
    for mesh in asset.scene().nodes.iter().flat_map(|part| &part.model.meshes) {
        if let Ok(lens) = mesh.positions(0) {
            points.resize(lens.len(), [0.0; 3]);
            _ = lens.decode_into(&mut points);
        }
    }
}

/// The names of the skins of the parts, such as `red` for `lower_red.skin`.
fn skins(asset: &Asset) -> Vec<String> {
    let mut skins = BTreeSet::new();
    for path in (0..).map_while(|node| asset.node_path(node)) {
        let prefix = format!("{}_", path.stem().to_ascii_lowercase());
        for name in asset.assets().files(&path.folder()) {
            let name = name.to_ascii_lowercase();
            let skin = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".skin"));
            skins.extend(skin.map(str::to_owned));
        }
    }
    skins.into_iter().collect()
}
