//! Ultimate 3D as a model: frames of vertices, or bones that move skins and whole meshes. A mesh of the model is a mesh of
//! frame 0 and the meshes of later frames that have as many vertices.

use alloc::sync::Arc;
use alloc::vec::Vec;

use meshlens_u3d::{Texture, U3d};
use meshlens_wire::{ErrorKind, Partial, Result};

use super::mesh::{Appended, frame_mesh, texcoord_sets};
use super::skeleton::skeleton;
use crate::formats::{losses_of, name_if_loaded};
use crate::model::{Alpha, Clip, HeightMap, Material, Mesh, Model, Space, TextureCoordinates};
use crate::{Format, codes};

pub(super) fn model(u3d: U3d<'_, Partial>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::U3d), Space::U3D);
    let sets = u3d.meshes().next().map(|mesh| texcoord_sets(&mesh)).unwrap_or_default();
    let is_opaque = u3d.header().v1.is_some_and(|v1| !v1.alpha_blending);
    for material in u3d.materials() {
        let mut made = self::material(&material?, &sets);
        made.alpha = if is_opaque { Alpha::Opaque } else { made.alpha };
        model.materials.push(made);
    }
    model.lod_distances = lod_distances(&u3d)?;
    if u3d.bone_count() > 0 {
        skeleton(&u3d, &mut model)?;
    }
    let u3d = Arc::new(u3d);
    let appended = Appended::new(&u3d)?;
    for mesh in u3d.meshes().filter(|mesh| mesh.frame() == 0) {
        let skin = appended.skin(&u3d, &mesh)?;
        model.meshes.push(frame_mesh(&u3d, &mesh, mesh.name()?.to_text().into_owned(), skin));
    }
    let animation = (u3d.bone_count() > 0).then_some(0);
    let frames = match animation.and_then(|index| model.animations.get(index)) {
        Some(animation) => animation.frame_count(),
        None => model.frame_count(),
    };
    let mut lost = Vec::new();
    for action in u3d.actions() {
        let action = action?;
        let first = action.first as usize;
        if first >= frames || action.last < action.first || action.last as usize >= frames {
            lost.push((action.name.to_text().into_owned(), [action.first, action.last]));
        }
        if first < frames && action.last >= action.first {
            // The action includes both ends. Frames that do not exist are left out.
            let count = (action.last as usize).min(frames - 1) - first + 1;
            let clip = Clip::without_rate(action.name.to_text(), first, count);
            model.clips.push(Clip { animation, ..clip });
        }
    }
    if model.clips.is_empty() && frames > 1 {
        model.clips.push(Clip { animation, ..Clip::without_rate("all", 0, frames) });
    }
    let shown: usize = model.meshes.iter().map(Mesh::frame_count).sum();
    // The file has a separate mesh for every frame of a mesh.
    let left = u3d.mesh_count().saturating_sub(shown);
    model.set_losses(move |losses| {
        losses_of((*u3d).clone().complete(), losses);
        let message =
            format_args!("{left} meshes of later frames, with another number of vertices than in frame 0");
        losses.lose(&codes::FRAMES_LOST, left as u64, format_args!(""), message);
        for (name, [first, last]) in &lost {
            let message = format_args!("clip {name}: frames {first} to {last}, of {frames}");
            losses.lose(&codes::CLIP_LOST, 1, format_args!("clip {name}"), message);
        }
    });
    Ok(model)
}

/// The distance at which each level of detail ends. Version 1.0 stores the square of the distance at which each level but the
/// finest begins.
fn lod_distances(u3d: &U3d<'_, Partial>) -> Result<Vec<f32>> {
    let stored = u3d.lod_distances()?;
    if u3d.lod_count() < 2 {
        return Ok(Vec::new());
    }
    let endless = |distance: f32| if distance < f32::MAX { distance } else { f32::INFINITY };
    Ok(match u3d.version().is_v1() {
        true => stored.iter().map(libm::sqrtf).chain([f32::INFINITY]).collect(),
        false => stored.iter().map(endless).collect(),
    })
}

/// A single mesh, with a skin if the bones are loaded.
pub(super) fn mesh(u3d: U3d<'_, Partial>, index: usize) -> Result<Option<Mesh<'_>>> {
    let Some(index) = u3d.parts().first_frame().get(index).map(|index| *index as usize) else {
        return Ok(None);
    };
    let u3d = Arc::new(u3d);
    let Some(found) = u3d.mesh(index) else { return Ok(None) };
    // Without the bones, the mesh has no skin.
    let skin = match Appended::new(&u3d).and_then(|appended| appended.skin(&u3d, &found)) {
        Err(error) if matches!(error.kind(), ErrorKind::Incomplete { .. }) => None,
        skin => skin?,
    };
    Ok(Some(frame_mesh(&u3d, &found, name_if_loaded(found.name()), skin)))
}

/// A material of meshes that have these sets of texture coordinates. A set that they do not have is the first one.
fn material(material: &meshlens_u3d::Material<'_>, sets: &[usize]) -> Material {
    let mut made = Material::new(material.name().to_text());
    if material.is_opaque() {
        return made;
    }
    made.color = material.texture_color();
    let [.., a] = made.color;
    let [r, g, b, _] = material.emissive();
    made.emissive = [r, g, b];
    made.alpha = if a < 1.0 { Alpha::Blend } else { Alpha::Opaque };
    let set = |texture: &Texture<'_>| {
        sets.iter().position(|set| *set == texture.coordinates as usize).unwrap_or_default()
    };
    let path = |texture: &Texture<'_>| {
        let file = texture.files().next().map(|file| file.relative().to_text().into_owned());
        file.filter(|path| !path.is_empty())
    };
    if let Some(texture) = material.color_texture() {
        (made.texture, made.texture_set) = (path(&texture), set(&texture));
        if texture.is_environment() {
            made.texture_coordinates = TextureCoordinates::Environment;
        }
    }
    made.height_map = material.height_map().and_then(|texture| {
        Some(HeightMap { texture: path(&texture)?, scale: texture.height_scalar, set: set(&texture) })
    });
    made
}
