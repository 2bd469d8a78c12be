//! Ultimate 3D as a model: frames of vertices, or bones that move skins and whole meshes. A mesh of the model is a mesh of
//! frame 0 and the meshes of later frames that have as many vertices.

use alloc::sync::Arc;

use meshlens_u3d::U3d;
use meshlens_wire::{ErrorKind, Partial, Result};

use super::mesh::{Appended, frame_mesh};
use super::skeleton::skeleton;
use crate::formats::{losses_of, name_if_loaded};
use crate::model::{Alpha, Clip, Material, Mesh, Model, Space};
use crate::{Format, codes};

pub(super) fn model(u3d: U3d<'_, Partial>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::U3d), Space::U3D);
    model.materials =
        u3d.materials().map(|material| Ok(self::material(&material?))).collect::<Result<_>>()?;
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
    for action in u3d.actions() {
        let action = action?;
        let first = action.first as usize;
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
    });
    Ok(model)
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

fn material(material: &meshlens_u3d::Material<'_>) -> Material {
    let mut made = Material::new(material.name().to_text());
    if material.is_opaque() {
        return made;
    }
    let [r, g, b, a] = material.diffuse();
    made.color = [r, g, b, a];
    let [r, g, b, _] = material.emissive();
    made.emissive = [r, g, b];
    made.alpha = if a < 1.0 { Alpha::Blend } else { Alpha::Opaque };
    let texture = material.textures().next();
    let file = texture.and_then(|texture| texture.files().next());
    made.texture = file.map(|file| file.relative().to_text().into_owned()).filter(|path| !path.is_empty());
    made
}
