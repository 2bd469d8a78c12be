//! To MD3: a surface for each mesh and material, frames, tags, and sequences in the names of frames.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use meshlens_md3::write;
use meshlens_wire::Result;

use super::super::{Model, Space};
use super::bake::bake;

/// The largest coordinate MD3 stores.
const REACH: f32 = 511.984_38;

/// Text cut to what a field holds.
fn cut(text: &str, max: usize, what: &str, losses: &mut Vec<String>) -> String {
    let text: String = text.chars().filter(|c| *c != '\0').collect();
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    losses.push(format!("{what} {text}: all but its first {end} bytes"));
    text.get(..end).unwrap_or_default().into()
}

/// A model as MD3, lengths multiplied by `scale`, and what of it MD3 cannot hold.
///
/// # Errors
///
/// A vertex number out of range, or a file past 2 GiB.
pub fn to_md3(model: &Model<'_>, name: &str, scale: f32) -> Result<(Vec<u8>, Vec<String>)> {
    let baked = bake(model, &Space::MD3, scale)?;
    let mut losses = baked.losses.clone();
    let mut file = write::Model::new(&cut(name, 63, "the name", &mut losses))?;
    for (index, own) in baked.frame_names.iter().enumerate() {
        let sequence = baked.sequences.iter().filter(|_| baked.sequences.len() > 1);
        let sequence = sequence.clone().find(|s| (s.first..s.first.saturating_add(s.count)).contains(&index));
        // Readers tell sequences by the names of frames.
        let text = match sequence {
            Some(sequence) => {
                let number = format!("_{:03}", index.saturating_sub(sequence.first));
                let room = 15usize.saturating_sub(number.len());
                let prefix: String = sequence.name.chars().filter(char::is_ascii).take(room).collect();
                format!("{prefix}{number}")
            }
            None => own.chars().filter(char::is_ascii).take(15).collect(),
        };
        file.frames.push(write::Frame::named(&text)?);
    }
    for sequence in &baked.sequences {
        losses.push(format!("sequence {}: its {} frames per second", sequence.name, sequence.rate));
    }
    let mut outside = 0usize;
    for mesh in &baked.meshes {
        let mut surface = write::Surface::new(&cut(&mesh.name, 63, "mesh", &mut losses))?;
        if let Some(material) = mesh.material.and_then(|material| model.materials.get(material)) {
            let path = material.texture.as_deref().unwrap_or(&material.name);
            surface.add_shader(&cut(path, 63, "texture", &mut losses))?;
            if material.two_sided || material.unlit || material.alpha != super::super::Alpha::Opaque {
                losses.push(format!(
                    "material {}: how it is drawn, which is for shaders to say",
                    material.name
                ));
            }
        }
        surface.texcoords.clone_from(&mesh.texcoords);
        surface.triangles.clone_from(&mesh.triangles);
        for frame in &mesh.frames {
            let past = frame.positions.as_flattened().iter().filter(|value| value.abs() > REACH).count();
            outside = outside.saturating_add(past);
            surface.add_frame(&frame.positions, &frame.normals)?;
        }
        file.surfaces.push(surface);
    }
    if outside > 0 {
        losses.push(format!("{outside} coordinates past 512 units, where MD3 stops: --scale makes it fit"));
    }
    losses.push("positions between 1/64 units, and normals between 1/255 turns".into());
    file.tags_per_frame = u32::try_from(baked.tags.len()).unwrap_or(u32::MAX);
    for poses in &baked.tag_frames {
        for (name, pose) in baked.tags.iter().zip(poses) {
            file.tags.push(write::Tag {
                name: write::name(&cut(name, 63, "tag", &mut losses))?,
                origin: pose.origin.to_array(),
                axis: pose.axes.to_cols_array_2d(),
            });
        }
    }
    file.recompute_bounds();
    losses.sort();
    losses.dedup();
    Ok((file.write()?, losses))
}
