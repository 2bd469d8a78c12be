//! Models as MD3: a surface for each mesh and material, frames, tags, and the names of clips in the names of frames.

mod clips;
mod fit;
mod rest;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use meshlens_md3::Md3;
use meshlens_md3::write;
use meshlens_wire::{Report, Result};

use super::bake::{Baked, bake};
use super::lost::{lose_material, lose_playing, lose_rate};
use super::stored::Changes;
use crate::codes;
use crate::model::{Clip, Material, Model, Space};
pub use clips::{md3_animation_config, md3_named_clips};
use fit::Grid;
pub use fit::PositionFit;
pub use rest::{md3_from_rest, md3_rest};

/// MD3: Vertex.COORD.
const GRID: Grid = Grid { steps: 64.0 };

/// An MD3 file made from a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Md3File {
    /// The file.
    pub bytes: Vec<u8>,
    /// The content of the model that MD3 does not keep.
    pub losses: Report,
    /// The clips, for a companion file: see [`md3_animation_config`] and [`md3_named_clips`]. Empty if there are none,
    /// or if the names of the frames define all of them.
    pub clips: Vec<Clip>,
    /// The shader that each surface names, and the index of its material.
    pub shaders: Vec<(String, usize)>,
    /// How well the positions fit multiples of 1/64 unit from -512 to 512.
    pub fit: PositionFit,
}

/// Whether the clips that readers derive from the names of frames (`told`) equal `clips`. Assumed rates do not matter.
fn is_told(clips: &[Clip], told: &[Clip]) -> bool {
    let same = |(clip, told): (&Clip, &Clip)| {
        (clip.name.as_str(), clip.first, clip.count) == (told.name.as_str(), told.first, told.count)
            && (clip.is_rate_assumed || clip.rate.get().to_bits() == told.rate.get().to_bits())
            && !clip.reversed
            && clip.loop_frames == 0
    };
    clips.len() == told.len() && clips.iter().zip(told).all(same)
}

/// Cuts text to the size of a field.
fn cut(text: &str, max: usize, what: &str, losses: &mut Report) -> String {
    let text: String = text.chars().filter(|c| *c != '\0').collect();
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        // 0 is a character boundary, so the loop ends.
        end -= 1;
    }
    let message = format_args!("{what} {text}: all but its first {end} bytes");
    losses.lose(&codes::NAME_SHORTENED, 1, format_args!("{what} {text}"), message);
    text.get(..end).unwrap_or("").into()
}

/// Writes a model as MD3, with lengths multiplied by `scale`. Returns the file, and a finding for everything that it
/// does not keep. Like [`to_md3_measured`], without the fit of the positions.
///
/// # Errors
///
/// Same as [`to_md3_measured`].
pub fn to_md3(model: &Model<'_>, name: &str, scale: f32) -> Result<(Vec<u8>, Report)> {
    let Md3File { bytes, mut losses, clips, .. } = to_md3_measured(model, name, scale)?;
    let told = Model::parse(&bytes)?.clips;
    for clip in &clips {
        let range = |clip: &Clip| (clip.first, clip.count);
        if told.iter().any(|told| told.name == clip.name && range(told) == range(clip)) {
            lose_rate(&mut losses, &clip.name, clip.rate.get());
            lose_playing(&mut losses, clip);
        } else {
            let message = format_args!("clip {}: {} frames from frame {}", clip.name, clip.count, clip.first);
            losses.lose(&codes::CLIP_LOST, 1, format_args!("clip {}", clip.name), message);
        }
    }
    Ok((bytes, losses))
}

/// Writes a model as MD3, with lengths multiplied by `scale`, and measures how well its positions fit. O(vertices x frames), in
/// time and memory.
///
/// # Errors
///
/// A vertex index is out of range, or the file would exceed 2 GiB.
pub fn to_md3_measured(model: &Model<'_>, name: &str, scale: f32) -> Result<Md3File> {
    let baked = bake(model, &Space::MD3, scale)?;
    let mut losses = baked.losses.clone();
    model.losses(&mut losses);
    let mut file = write::Model::new(&cut(name, 63, "the name", &mut losses))?;
    file.frames = frames(&baked, &mut losses)?;
    let mut shaders = Vec::new();
    for mesh in &baked.meshes {
        let mut surface = write::Surface::new(&cut(&mesh.name, 63, "mesh", &mut losses))?;
        if let Some(number) = mesh.material
            && let Some(material) = model.materials.get(number)
        {
            // An MD3 surface is named after its shader. The shader may draw an image with another name.
            let is_shader = model.format == Some(crate::Format::Md3);
            let path = material.texture.as_deref().filter(|_| !is_shader).unwrap_or(&material.name);
            let shader = cut(path, 63, "texture", &mut losses);
            surface.add_shader(&shader)?;
            shaders.push((shader, number));
        }
        surface.texcoords.clone_from(&mesh.texcoords);
        surface.triangles.clone_from(&mesh.triangles);
        for frame in &mesh.frames {
            surface.add_frame(&frame.positions, &frame.normals)?;
        }
        file.surfaces.push(surface);
    }
    let used: BTreeSet<usize> = baked.meshes.iter().filter_map(|mesh| mesh.material).collect();
    for (index, material) in model.materials.iter().enumerate() {
        // MD3 files name their shaders.
        if used.contains(&index) && model.format != Some(crate::Format::Md3) {
            lose_material(&mut losses, material, &Material::new(""));
        }
    }
    let fit = PositionFit::measure(&baked, GRID, scale, model.space.meters().is_some());
    let message = format_args!("{} positions outside -512 to 512 units, the range of MD3", fit.clamped);
    losses.lose(&codes::POSITION_CLAMPED, fit.clamped as u64, format_args!(""), message);
    // If there are more tags than the field can count, the writer returns an error.
    file.tags_per_frame = u32::try_from(baked.tags.len()).unwrap_or(u32::MAX);
    let tags: Vec<String> = baked.tags.iter().map(|name| cut(name, 63, "tag", &mut losses)).collect();
    for poses in &baked.tag_frames {
        for (name, pose) in tags.iter().zip(poses) {
            file.tags.push(write::Tag { name: write::name(name)?, origin: pose.origin, axis: pose.axes });
        }
    }
    file.recompute_bounds();
    let bytes = file.write()?;
    compare(&bytes, &baked, &mut losses)?;
    let told = Model::parse(&bytes)?.clips;
    let clips = if is_told(&baked.sequences, &told) { Vec::new() } else { baked.sequences };
    Ok(Md3File { bytes, losses, clips, shaders, fit })
}

/// The frames, without bounds. They keep their names, unless they have none or are made from joints.
fn frames(baked: &Baked, losses: &mut Report) -> Result<Vec<write::Frame>> {
    let is_named = !baked.plays_joints && baked.frame_names.iter().any(|name| !name.is_empty());
    let mut frames = Vec::with_capacity(baked.frame_names.len());
    for (index, own) in baked.frame_names.iter().enumerate() {
        let sequence = baked.sequences.iter().filter(|_| baked.sequences.len() > 1);
        let sequence = sequence.clone().find(|s| s.range().contains(&index));
        let short: String = own.chars().filter(char::is_ascii).take(15).collect();
        // Readers recognize sequences by the names of frames.
        let text = match sequence {
            Some(sequence) if !is_named => {
                // The index is in the sequence. A number of more than 15 digits would leave no space for the name.
                let number = format!("_{:03}", index - sequence.first);
                let room = 15usize.saturating_sub(number.len());
                let prefix: String = sequence.name.chars().filter(char::is_ascii).take(room).collect();
                format!("{prefix}{number}")
            }
            _ => short,
        };
        if !baked.plays_joints && !own.is_empty() && text != *own {
            let message = format_args!("frame {index}: its name {own} became {text}");
            losses.lose(&codes::FRAME_RENAMED, 1, format_args!("frame {index}"), message);
        }
        frames.push(write::Frame::named(&text)?);
    }
    Ok(frames)
}

/// Reports how far positions and normals moved, by reading the file again. O(vertices x frames).
fn compare(bytes: &[u8], baked: &Baked, losses: &mut Report) -> Result<()> {
    let (mut positions, mut normals) = (Changes::default(), Changes::default());
    for (surface, mesh) in Md3::parse(bytes)?.surfaces().zip(&baked.meshes) {
        for (number, frame) in mesh.frames.iter().enumerate() {
            for (wanted, stored) in frame.positions.iter().zip(surface.positions(number)?) {
                if wanted.iter().all(|value| value.abs() < 512.0) {
                    positions.point(*wanted, stored);
                }
            }
            for (wanted, stored) in frame.normals.iter().zip(surface.normals(number)?) {
                normals.direction(*wanted, stored);
            }
        }
    }
    positions.report(losses, &codes::POSITION_ROUNDED, "positions moved", "units");
    normals.report(losses, &codes::NORMAL_ROUNDED, "normals turned", "degrees");
    Ok(())
}
