//! The description of the textures.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Vat;
use crate::Error;

/// The members that shaders and importers of OpenVAT read, and those of this crate.
#[derive(Serialize)]
struct Description<'v> {
    #[serde(rename = "os-remap")]
    remap: Remap,
    /// OpenVAT counts frames from 1.
    animations: BTreeMap<&'v str, Animation>,
    meshlens: Own<'v>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Remap {
    min: [f32; 3],
    max: [f32; 3],
    frames: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Animation {
    start_frame: usize,
    /// Included.
    end_frame: usize,
    framerate: f32,
    looping: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Own<'v> {
    /// The size of both textures.
    width: usize,
    height: usize,
    vertices: usize,
    /// The frame of the mesh, from 0.
    rest_frame: usize,
    positions: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    normals: Option<&'v str>,
    clips: Vec<Clip<'v>>,
}

#[derive(Serialize)]
struct Clip<'v> {
    name: &'v str,
    /// From 0.
    first: usize,
    count: usize,
    rate: f32,
    loops: bool,
}

impl Vat<'_, '_> {
    /// The description as JSON: the bounds and frames as OpenVAT stores them (`os-remap`, `animations`), and the layout and the
    /// clips in the order of the model (`meshlens`). `positions` and `normals` are the names of the textures.
    ///
    /// # Errors
    ///
    /// None that is known: every number is finite.
    pub fn description(&self, positions: &str, normals: &str) -> Result<String, Error> {
        let [min, max] = self.bounds();
        let (width, height) = self.size();
        let animation = |clip: &crate::ClipRange| Animation {
            start_frame: clip.first + 1,
            end_frame: clip.first + clip.count,
            framerate: clip.rate,
            looping: clip.loops,
        };

        let clips = self.clips().iter().map(|range| {
            let crate::ClipRange { name, first, count, rate, loops } = range;
            Clip { name, first: *first, count: *count, rate: *rate, loops: *loops }
        });
        let described = Description {
            remap: Remap { min, max, frames: self.frames() },
            animations: self.clips().iter().map(|clip| (&*clip.name, animation(clip))).collect(),
            meshlens: Own {
                width,
                height,
                vertices: self.vertices(),
                rest_frame: self.rest_frame(),
                positions,
                normals: self.has_normals().then_some(normals),
                clips: clips.collect(),
            },
        };
        let text = serde_json::to_string_pretty(&described).map_err(std::io::Error::from)?;
        Ok(text + "\n")
    }
}
