//! MD3 as a model: surfaces are meshes, shaders are materials, and clips come from the names of frames or `animation.cfg`.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use meshlens_lens::{IndexBufferLayout, IndexFormat, Lens, Semantic, ValueLens, encoding::F32};
use meshlens_md3::animation::{Animation, BodyPart};
use meshlens_md3::clips::NamedAnimation;
use meshlens_md3::{AnimationConfig, Md3, Skin, Surface};
use meshlens_wire::{Partial, Result};

use super::clips::from_frame_names;
use crate::Format;
use crate::formats::losses_of;
use crate::model::arrays::Arrays;
use crate::model::attribute::Attribute;
use crate::model::{Clip, Material, Mesh, Model, Space, Tag, TagPose, TagTracks, Topology};

pub(super) fn model(md3: Md3<'_, Partial>) -> Result<Model<'_>> {
    let mut model = Model::empty(Some(Format::Md3), Space::MD3);
    model.name = md3.name()?.to_text().into_owned();
    for (index, tag) in md3.tags(0).enumerate() {
        model.tags.push(Tag { name: tag?.name.to_string(), index });
    }
    let mut places = MaterialPlaces::default();
    for surface in md3.surfaces() {
        // Engines use the first shader unless a skin names another.
        let shader = surface.shader(0).transpose()?.map(|shader| shader.name.to_text());
        let name = surface.name()?.to_text();
        let material = match shader.filter(|shader| !shader.is_empty()) {
            Some(shader) => Some(places.place(&mut model.materials, &shader, Some(&shader))),
            // The material does not say which texture it has.
            None => (!name.is_empty()).then(|| places.place(&mut model.materials, &name, None)),
        };
        model.meshes.push(Mesh { material, ..Mesh::new(name, surface) });
    }
    for frame in md3.frames() {
        model.frame_names.push(frame?.name.to_text().into_owned());
    }
    model.set_tag_tracks(Tags {
        frames: md3.frame_count(),
        count: md3.tag_count(),
        origins: md3.tag_origins()?,
        axes: [md3.tag_axes(0)?, md3.tag_axes(1)?, md3.tag_axes(2)?],
    });
    model.set_losses(move |losses| losses_of(md3.clone().complete(), losses));
    // Surfaces may have fewer frames than the number in the header.
    let frames = model.frame_count();
    model.clips = from_frame_names(model.frame_names.iter().take(frames).map(|name| name.as_str()));
    Ok(model)
}

/// The tags of every frame.
#[derive(Debug)]
struct Tags<'a> {
    frames: usize,
    /// The number of tags in each frame.
    count: usize,
    origins: Lens<'a, F32<3>>,
    axes: [Lens<'a, F32<3>>; 3],
}

impl TagTracks for Tags<'_> {
    fn frame_count(&self) -> usize {
        self.frames
    }

    fn pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        let index = frame.checked_mul(self.count)?.checked_add(Some(tag).filter(|tag| *tag < self.count)?)?;
        let [x, y, z] = &self.axes;
        Some(TagPose {
            origin: self.origins.get(index)?,
            axes: [x.get(index)?, y.get(index)?, z.get(index)?],
        })
    }
}

impl Arrays for Surface<'_, Partial> {
    fn point_count(&self) -> usize {
        self.vertex_count()
    }

    fn triangle_count(&self) -> usize {
        Surface::triangle_count(self)
    }

    fn frame_count(&self) -> usize {
        Surface::frame_count(self)
    }

    fn texcoord_sets(&self) -> usize {
        1
    }

    fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        Ok(match semantic {
            Semantic::Position => Some(ValueLens::from(self.positions(frame)?).into()),
            Semantic::Normal => Some(ValueLens::from(self.normals(frame)?).into()),
            Semantic::Texcoord if set == 0 => Some(ValueLens::from(self.texcoords()?).into()),
            _ => None,
        })
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        topology.vertex_count = self.vertex_count();
        topology.triangles.resize(Surface::triangle_count(self), [0; 3]);
        let layout = IndexBufferLayout::new(IndexFormat::Uint32);
        self.indices_into(layout, bytemuck::cast_slice_mut(&mut topology.triangles))?;
        topology.one_part(material);
        Ok(())
    }
}

/// Converts a row to a clip; `None` if the model does not have all of its frames.
fn clip(name: &str, row: &Animation, frames: usize) -> Option<Clip> {
    let first = usize::try_from(row.first_frame).ok()?;
    let count = usize::try_from(row.frame_count.unsigned_abs()).ok().filter(|count| *count > 0)?;
    if first.checked_add(count)? > frames {
        return None;
    }
    let mut clip = Clip::new(name, first, count, row.rate().abs());
    clip.reversed = row.is_reversed();
    // Engines also do not loop a clip with a negative number.
    clip.loop_frames = usize::try_from(row.loop_frames).unwrap_or(0).min(clip.count);
    Some(clip)
}

/// Where the materials of a model are, by name and texture.
#[derive(Default)]
struct MaterialPlaces {
    /// The number of materials that are in the map.
    listed: usize,
    places: BTreeMap<(String, Option<String>), usize>,
}

impl MaterialPlaces {
    /// The most materials that are compared one after the other, which is faster than a map.
    const FEW: usize = 32;

    /// The index of the material with this name and texture, which is added if there is none.
    fn place(&mut self, materials: &mut Vec<Material>, name: &str, texture: Option<&str>) -> usize {
        let known = if materials.len() <= Self::FEW {
            materials.iter().position(|it| it.name == name && it.texture.as_deref() == texture)
        } else {
            for (place, material) in materials.iter().enumerate().skip(self.listed) {
                let key = (material.name.clone(), material.texture.clone());
                self.places.entry(key).or_insert(place);
            }
            self.listed = materials.len();
            self.places.get(&(name.into(), texture.map(Into::into))).copied()
        };
        known.unwrap_or_else(|| {
            materials.push(Material { texture: texture.map(Into::into), ..Material::new(name) });
            materials.len() - 1
        })
    }
}

impl Model<'_> {
    /// Replaces the clips by the clips of an `animation.cfg` that move `part` of a player. Frame numbers are converted
    /// to the numbers of that part's file. Clips with frames that the model does not have are left out; their names are
    /// returned.
    pub fn set_animation_config(&mut self, config: &AnimationConfig, part: BodyPart) -> Vec<String> {
        self.set_named_clips(&config.clips(part))
    }

    /// Replaces the clips by named clips. Clips with frames that the model does not have are left out; their names are
    /// returned.
    pub fn set_named_clips(&mut self, clips: &[NamedAnimation]) -> Vec<String> {
        let frames = self.frame_count();
        let mut missing = Vec::new();
        self.clips.clear();
        for NamedAnimation { name, animation } in clips {
            match clip(name, animation, frames) {
                Some(clip) => self.clips.push(clip),
                None => missing.push(name.clone()),
            }
        }
        missing
    }

    /// Applies a `.skin` file. Meshes that the file names get its materials, and other meshes keep their materials.
    pub fn set_skin(&mut self, skin: &Skin) {
        let (paths, mut places) = (skin.paths(), MaterialPlaces::default());
        for mesh in &mut self.meshes {
            if let Some(path) = paths.get(&mesh.name).filter(|path| !path.is_empty()) {
                mesh.material = Some(places.place(&mut self.materials, path, Some(path)));
            }
        }
        self.drop_unused_materials();
    }

    /// Removes the materials that no mesh uses.
    fn drop_unused_materials(&mut self) {
        let mut kept = Vec::new();
        let mut renumbered = alloc::vec![None; self.materials.len()];
        for mesh in &mut self.meshes {
            let Some(old) = mesh.material else { continue };
            let Some(new) = renumbered.get_mut(old) else { continue };
            mesh.material = Some(*new.get_or_insert_with(|| {
                kept.extend(self.materials.get(old).cloned());
                // The old material exists, because `renumbered` has an entry for it.
                kept.len() - 1
            }));
        }
        self.materials = kept;
    }
}
