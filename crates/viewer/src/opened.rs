//! An opened model: its parts, its findings, and the properties that are shown.

use std::collections::BTreeSet;

use meshlens::model::Material;
use meshlens::{Document, Finding, Report, Severity};
use meshlens_assets::material::{Image, ImageLimits};
use meshlens_assets::{Asset, Located, OpenOptions, Part};

use crate::clock::Instant;
use crate::text;

/// The reason why a material that refers to no texture has none.
pub const NO_TEXTURE: &str = "no texture";

/// An opened model.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The model and its files.
    pub asset: Asset,
    /// The findings about the content of the files, then those about the files.
    pub findings: Vec<Found>,
    /// The number of findings of each severity, including those that are not listed.
    pub counts: [(Severity, u64); 3],
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

/// A finding, and the place that it is about.
#[derive(Clone, Debug)]
pub struct Found {
    /// The finding.
    pub finding: Finding,
    /// The place, if it is a part of the model.
    pub place: Place,
}

/// The part of a model that a finding is about. Indices are taken from the finding, and are not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The part of a player.
    pub part: usize,
    /// The mesh.
    pub mesh: Option<usize>,
    /// The triangle of the mesh.
    pub triangle: Option<usize>,
    /// The vertex of the mesh.
    pub vertex: Option<usize>,
    /// The frame.
    pub frame: Option<usize>,
    /// The tag.
    pub tag: Option<usize>,
}

impl Place {
    /// Returns the place that a pointer describes, such as `/surfaces/2/triangles/17`.
    ///
    /// ```
    /// use meshlens_viewer::opened::Place;
    ///
    /// let place = Place::of(0, "/surfaces/2/triangles/17");
    /// assert_eq!((place.mesh, place.triangle), (Some(2), Some(17)));
    /// ```
    pub fn of(part: usize, pointer: &str) -> Place {
        let mut place = Place { part, ..Place::default() };
        let mut words = pointer.split('/').skip(1).peekable();
        while let Some(word) = words.next() {
            let Some(index) = words.peek().and_then(|next| next.parse().ok()) else { continue };
            match word {
                "surfaces" | "meshes" => place.mesh = Some(index),
                "triangles" | "indices" => place.triangle = Some(index),
                "vertices" | "positions" | "normals" | "texcoords" => place.vertex = Some(index),
                "frames" => place.frame = Some(index),
                "tags" => place.tag = Some(index),
                _ => {}
            }
        }
        place
    }

    /// Whether the place is a part of the model, and not the whole model.
    pub fn is_any(&self) -> bool {
        self.mesh.is_some() || self.frame.is_some() || self.tag.is_some()
    }
}

impl Opened {
    pub(crate) fn new(located: Located, skin: Option<&str>) -> Result<Opened, String> {
        let start = Instant::now();
        let shown = |error: &dyn ToString| text::line(&error.to_string());
        let loaded = located.load(None).map_err(|error| shown(&error))?;
        let file_bytes = loaded.len();
        let mut report = Report::default();
        let mut format = String::new();
        if let Ok(document) = loaded.document() {
            loaded.validate(&document, &mut report);
            format = format!("{} {}", document.format(), document.version());
        }
        let options = OpenOptions { skin: skin.map(Into::into), ..OpenOptions::default() };
        let asset = located.open_loaded(loaded, &options).map_err(|error| shown(&error))?;

        let mut findings: Vec<Found> = list(&report, 0);
        let mut reports = vec![report];
        for (part, bytes) in asset.bytes().iter().enumerate().take(asset.parts().len()).skip(1) {
            let mut report = Report::default();
            if let Ok(document) = Document::parse(bytes) {
                document.validate(&mut report);
            }
            findings.extend(list(&report, part));
            reports.push(report);
        }
        findings.extend(list(asset.findings(), 0));
        reports.push(asset.findings().clone());
        let counts = [Severity::Error, Severity::Warning, Severity::Info]
            .map(|severity| (severity, reports.iter().map(|report| report.count(severity)).sum()));
        let skins = skins(&asset);
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        decode_frame(&asset);
        let decode_seconds = start.elapsed().as_secs_f64();
        let (skin, format) = (skin.map(Into::into), text::line(&format));
        Ok(Opened { asset, findings, counts, skins, skin, format, file_bytes, seconds, decode_seconds })
    }

    /// The parts.
    pub fn parts(&self) -> &[Part<'_>] {
        self.asset.parts()
    }

    /// The number of levels of detail of the parts: the largest of all parts, at least 1.
    pub fn level_count(&self) -> usize {
        let of = |part: &Part<'_>| {
            let in_file: BTreeSet<usize> = part.model.meshes.iter().map(|mesh| mesh.lod).collect();
            in_file.len().max(1) + part.levels.len()
        };
        self.parts().iter().map(of).max().unwrap_or(1)
    }

    /// The model of a part at a level of detail, and the level inside that model. A part with fewer levels shows its
    /// coarsest.
    pub fn level<'o>(&'o self, part: &'o Part<'o>, level: usize) -> (&'o meshlens::Model<'o>, usize) {
        let in_file: BTreeSet<usize> = part.model.meshes.iter().map(|mesh| mesh.lod).collect();
        let in_file: Vec<usize> = in_file.into_iter().collect();
        let own = in_file.len().max(1);
        match level.checked_sub(own) {
            None => (&part.model, in_file.get(level).copied().unwrap_or(0)),
            Some(coarser) => match part.levels.get(coarser.min(part.levels.len().saturating_sub(1))) {
                Some(model) => (model, model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0)),
                None => (&part.model, in_file.last().copied().unwrap_or(0)),
            },
        }
    }

    /// The texture of a material.
    ///
    /// # Errors
    ///
    /// The reason why there is none: the material has no texture, its file was not found, or it cannot be decoded.
    pub fn texture(&self, material: &Material, side: u32) -> Result<Image, String> {
        if material.texture.is_none() && material.image.is_none() {
            return Err(NO_TEXTURE.into());
        }
        let limits = ImageLimits { side, ..ImageLimits::DEFAULT };
        match self.asset.assets().texture_image(material, &limits) {
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
        for part in self.parts() {
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

/// Decodes the positions of the first frame of every mesh. What cannot be decoded is an error of the picture.
fn decode_frame(asset: &Asset) {
    let mut points = Vec::new();
    for mesh in asset.parts().iter().flat_map(|part| &part.model.meshes) {
        if let Ok(lens) = mesh.positions(0) {
            points.resize(lens.len(), [0.0; 3]);
            _ = lens.decode_into(&mut points);
        }
    }
}

fn list(report: &Report, part: usize) -> Vec<Found> {
    let found =
        |finding: &Finding| Found { place: Place::of(part, &finding.pointer), finding: finding.clone() };
    report.findings().map(found).collect()
}

/// The names of the skins of the parts, such as `red` for `lower_red.skin`.
fn skins(asset: &Asset) -> Vec<String> {
    let mut skins = BTreeSet::new();
    for part in asset.parts() {
        let prefix = format!("{}_", part.path.stem().to_ascii_lowercase());
        for name in asset.assets().files(&part.path.folder()) {
            let name = name.to_ascii_lowercase();
            let skin = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".skin"));
            skins.extend(skin.map(str::to_owned));
        }
    }
    skins.into_iter().collect()
}
