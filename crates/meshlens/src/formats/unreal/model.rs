//! Unreal meshes as a model: one mesh with a material for each texture slot and type of triangles, the weapon triangle as a tag,
//! and one clip of all frames.

use alloc::format;
use alloc::string::String;

use meshlens_unreal::{TriangleKind, TriangleType, Unreal};
use meshlens_wire::{Partial, Result};

use super::mesh::{UnrealFrames, UnrealMesh};
use crate::Format;
use crate::formats::losses_of;
use crate::model::{
    Alpha, Clip, Material, Mesh, Model, Space, Tag, TagPose, TagTracks, TextureAlpha, TextureCoordinates,
};

/// The name of the tag of the weapon triangle.
const WEAPON: &str = "weapon";

/// The weapon attachment in every frame, which is the only tag.
#[derive(Debug)]
pub(super) struct Weapon<'a> {
    pub(super) frames: UnrealFrames<'a>,
    /// The factors for stored positions.
    pub(super) scale: [f32; 3],
}

impl TagTracks for Weapon<'_> {
    fn frame_count(&self) -> usize {
        self.frames.count()
    }

    fn pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        // `None` if the frame or an index of the weapon triangle is out of range.
        let (unreal, frame) = self.frames.at(frame).ok().filter(|_| tag == 0)?;
        let ([x, y, z], [a, b, c]) = (unreal.weapon_attachment(frame).ok()??.origin, self.scale);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Some(TagPose { origin: [x * a, y * b, z * c], axes })
    }
}

pub(super) fn model(unreal: Unreal<'_, Partial>) -> Result<Model<'_>> {
    let geometry = unreal.geometry()?;
    let mesh = UnrealMesh::new(unreal, &geometry);
    let mut model = Model::empty(Some(Format::Unreal), Space::UNREAL);
    model.set_losses(move |losses| losses_of(unreal.complete(), losses));
    let materials = mesh.looks.iter().map(|(slot, bits)| material(*slot, TriangleType(*bits), None));
    model.materials = materials.collect();
    let frame_count = mesh.frames.count();
    model.set_tag_tracks(Weapon { frames: mesh.frames.clone(), scale: mesh.scale });
    model.meshes.push(Mesh::new("mesh", mesh));
    if geometry.weapon_triangle().is_some() {
        model.tags.push(Tag { name: WEAPON.into(), index: 0 });
    }
    if frame_count > 1 {
        model.clips.push(Clip::without_rate("all", 0, frame_count));
    }
    Ok(model)
}

/// The texture of a slot, as a script defines it.
pub(crate) struct Texture {
    pub(super) name: String,
    /// FILE of its import, if the script imports it.
    pub(super) file: Option<String>,
    /// FLAGS of its import.
    pub(super) flags: u32,
}

pub(crate) fn material(slot: u8, bits: TriangleType, texture: Option<Texture>) -> Material {
    let texture = texture.unwrap_or(Texture { name: format!("texture {slot}"), file: None, flags: 0 });
    // Triangles without their own flags are drawn like their texture.
    let kind = match (bits.kind(), texture.flags) {
        (TriangleKind::Normal | TriangleKind::TwoSided, flags) if flags & 2 != 0 => TriangleKind::Masked,
        (TriangleKind::Normal | TriangleKind::TwoSided, flags) if flags & 4 != 0 => TriangleKind::Translucent,
        (kind, _) => kind,
    };
    let name = if bits.0 == 0 { texture.name } else { format!("{} ({bits})", texture.name) };
    Material {
        texture: texture.file.filter(|path| !path.is_empty()),
        two_sided: bits.is_two_sided(),
        unlit: bits.is_unlit(),
        nearest: bits.is_not_smoothed(),
        texture_coordinates: if bits.is_environment_mapped() {
            TextureCoordinates::Environment
        } else {
            TextureCoordinates::Stored
        },
        alpha: match kind {
            TriangleKind::Translucent | TriangleKind::Modulated => Alpha::Blend,
            TriangleKind::Masked => Alpha::Mask,
            _ => Alpha::Opaque,
        },
        texture_alpha: match kind {
            TriangleKind::Translucent => TextureAlpha::Add,
            TriangleKind::Modulated => TextureAlpha::Multiply2x,
            TriangleKind::Masked => TextureAlpha::FirstColor,
            _ => TextureAlpha::Stored,
        },
        ..Material::new(name)
    }
}
