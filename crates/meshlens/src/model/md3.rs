//! MD3 as a model: surfaces are meshes, shaders materials, and clips come from the names of frames or `animation.cfg`.

use alloc::string::ToString;
use alloc::vec::Vec;

use meshlens_md3::animation::{AnimationName, BodyPart};
use meshlens_md3::{AnimationConfig, Md3, Skin, Surface};
use meshlens_wire::Result;

use super::arrays::Arrays;
use super::attribute::Attribute;
use super::clip::{Clip, DEFAULT_RATE, from_frame_names};
use super::mesh::Mesh;
use super::tag::Tag;
use super::topology::Topology;
use super::{Model, Space};
use crate::{Document, Format};

pub(super) fn model(md3: Md3<'_>) -> Model<'_> {
    let mut model = Model::empty(Format::Md3, Space::MD3, None);
    model.name = md3.name().to_text().into_owned();
    model.tags =
        md3.tags(0).enumerate().map(|(index, tag)| Tag { name: tag.name.to_string(), index }).collect();
    for surface in md3.surfaces() {
        // The first shader is the one engines use when no skin says otherwise.
        let shader = surface.shader(0).map(|shader| shader.name.to_text()).filter(|name| !name.is_empty());
        let material = shader.map(|name| model.material(&name));
        let name = surface.name().to_text().into_owned();
        model.meshes.push(Mesh { material, ..Mesh::new(name, surface) });
    }
    // Surfaces may have fewer frames than the file says.
    let names: Vec<_> = md3.frames().map(|frame| frame.name).collect();
    model.document = Some(Document::Md3(md3));
    let frames = model.frame_count();
    model.clips = from_frame_names(names.into_iter().take(frames), DEFAULT_RATE);
    model
}

impl Arrays for Surface<'_> {
    fn point_count(&self) -> usize {
        self.vertex_count()
    }

    fn triangle_count(&self) -> usize {
        Surface::triangle_count(self)
    }

    fn frame_count(&self) -> usize {
        Surface::frame_count(self)
    }

    fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>> {
        Ok(Surface::positions(self, frame)?.into())
    }

    fn normals(&self, frame: usize) -> Result<Option<Attribute<'_, [f32; 3]>>> {
        Ok(Some(Surface::normals(self, frame)?.into()))
    }

    fn texcoord_sets(&self) -> usize {
        1
    }

    fn texcoords(&self, set: usize) -> Option<Attribute<'_, [f32; 2]>> {
        (set == 0).then(|| Surface::texcoords(self).into())
    }

    fn topology_into(&self, material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let triangles = self.checked_triangles()?;
        topology.vertex_count = self.vertex_count();
        topology.triangles.resize(triangles.len(), [0; 3]);
        // The length is the lens's own.
        let _ = triangles.decode_into(&mut topology.triangles);
        topology.one_part(material);
        Ok(())
    }
}

impl Model<'_> {
    /// Takes the clips of an `animation.cfg` in place of the model's own: those that move `part` of a player, in the
    /// frame numbers of that part's file. Gives back the names of those whose frames the model does not have, which
    /// are left out.
    pub fn set_animation_config(&mut self, config: &AnimationConfig, part: BodyPart) -> Vec<&'static str> {
        let frames = i64::try_from(self.frame_count()).unwrap_or(i64::MAX);
        let mut missing = Vec::new();
        self.clips.clear();
        for name in AnimationName::ALL {
            let moves = name.body_part();
            if moves != part && moves != BodyPart::Both {
                continue;
            }
            let Some(row) = config.clip(*name) else { continue };
            let first = i64::from(row.first_frame);
            let count = i64::from(row.frame_count.unsigned_abs());
            if first < 0 || count == 0 || first.saturating_add(count) > frames {
                missing.push(name.as_str());
                continue;
            }
            let unsigned = |value: i64| usize::try_from(value).unwrap_or_default();
            let mut clip = Clip::new(name.as_str(), unsigned(first), unsigned(count), row.rate().abs());
            clip.reversed = row.is_reversed();
            clip.loop_frames = usize::try_from(row.loop_frames).unwrap_or_default().min(clip.count);
            self.clips.push(clip);
        }
        missing
    }

    /// Dresses the meshes in a `.skin`: those it names take the material it says, the others keep theirs.
    pub fn set_skin(&mut self, skin: &Skin) {
        for index in 0..self.meshes.len() {
            let Some(mesh) = self.meshes.get(index) else { continue };
            let Some(path) = skin.path(&mesh.name).filter(|path| !path.is_empty()) else { continue };
            let material = self.material(path);
            if let Some(mesh) = self.meshes.get_mut(index) {
                mesh.material = Some(material);
            }
        }
        self.drop_unused_materials();
    }

    /// Forgets the materials that no mesh wears any more.
    fn drop_unused_materials(&mut self) {
        let mut kept = Vec::new();
        let mut renumbered = alloc::vec![None; self.materials.len()];
        for mesh in &mut self.meshes {
            let Some(old) = mesh.material else { continue };
            let Some(new) = renumbered.get_mut(old) else { continue };
            mesh.material = Some(*new.get_or_insert_with(|| {
                kept.extend(self.materials.get(old).cloned());
                kept.len().saturating_sub(1)
            }));
        }
        self.materials = kept;
    }
}
