//! The lines of a script about a mesh, applied to a model: placement, textures and clips.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::{Mat4, Vec3};
use meshlens_unreal::script::{self, Script};
use meshlens_unreal::{Geometry, TriangleType, Unreal};
use meshlens_wire::{Partial, Presence, Report};

use super::mesh::UnrealMesh;
use super::model::{Texture, Weapon, material};
use crate::codes;
use crate::model::{Clip, Mesh, Model};

impl<'a> Model<'a> {
    /// Applies the lines of a script (`.uc`) about the mesh `name`, or about its only mesh: placement, sequences and
    /// textures. `unreal` is the document that the model was made from. Returns a finding for everything that does not
    /// fit the model, or `None` if the script does not have the mesh.
    ///
    /// ```
    /// use meshlens::unreal::{Script, Unreal, VertexEncoding, write};
    /// use meshlens::Model;
    ///
    /// # let model = write::Model::new(VertexEncoding::Packed, 0);
    /// # let write::Files { geometry, frames } = model.write()?;
    /// let unreal = Unreal::parse(&geometry, &frames)?;
    /// let mut model = Model::new(unreal.into())?;
    /// let script = Script::parse(b"#exec MESH IMPORT MESH=Box ANIVFILE=Box_a.3d DATAFILE=Box_d.3d")?;
    /// let findings = model.set_script(&unreal, &script, "Box").ok_or("no such mesh")?;
    /// assert!(findings.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_script<P: Presence>(
        &mut self,
        unreal: &Unreal<'a, P>,
        script: &Script<'_>,
        name: &str,
    ) -> P::Of<Option<Report>> {
        P::map(unreal.geometry(), |geometry| {
            let mesh = find(script, name)?;
            Some(self.set_mesh(unreal.into_partial(), &geometry, script, &mesh))
        })
    }

    /// The [`placement`](Model::placement) that [`set_script`](Model::set_script) sets, which needs no file of the mesh: it
    /// places the positions that are stored. `None` if the script does not have the mesh.
    pub fn script_placement(script: &Script<'_>, name: &str) -> Option<[[f32; 4]; 4]> {
        find(script, name).map(|mesh| placement(&mesh))
    }

    fn set_mesh(
        &mut self,
        unreal: Unreal<'a, Partial>,
        geometry: &Geometry<'_>,
        script: &Script<'_>,
        mesh: &script::Mesh<'_, '_>,
    ) -> Report {
        let mut lost = Report::default();
        self.name = mesh.name().to_text().into_owned();
        let import = mesh.import();
        self.placement = placement(mesh);

        let mut made = UnrealMesh::new(unreal, geometry);
        let materials = made.looks.iter().map(|(slot, bits)| {
            let texture = mesh.texture(u32::from(*slot)).map(|line| {
                let name = line.texture.to_text().into_owned();
                let import = script.texture_import(&name);
                let file = import.map(|import| import.file.to_text().into_owned());
                Texture { name, file, flags: import.map_or(0, |import| import.flags) }
            });
            material(*slot, TriangleType(*bits), texture)
        });
        self.materials = materials.collect();
        if let Some(slot) = self.meshes.first_mut() {
            // The placement scales the stored positions.
            (made.scale, made.is_scaled_by_script) = ([1.0; 3], true);
            self.tag_tracks = Some(Arc::new(Weapon { frames: made.frames.clone(), scale: made.scale }));
            made.mirrored_texture =
                import.unmirror_texture.filter(|_| import.unmirror).and_then(|slot| u8::try_from(slot).ok());
            *slot = Mesh::new(self.name.clone(), made);
        }
        self.set_sequences(mesh, &mut lost);
        for notify in mesh.notifies() {
            let message = format_args!("notify {} of sequence {}", notify.function, notify.sequence);
            lost.lose(&codes::NOTIFY_LOST, 1, format_args!("sequence {}", notify.sequence), message);
        }
        lost
    }

    /// Makes clips of the sequences of a mesh.
    fn set_sequences(&mut self, mesh: &script::Mesh<'_, '_>, lost: &mut Report) {
        let frames = self.frame_count();
        let mut clips: Vec<Clip> = Vec::new();
        let mut known = BTreeSet::new();
        for sequence in mesh.sequences() {
            let name = sequence.name.to_text().into_owned();
            // A number that does not fit is larger than any number of frames.
            let first = usize::try_from(sequence.first_frame).unwrap_or(usize::MAX);
            let count = usize::try_from(sequence.frame_count).unwrap_or(usize::MAX);
            // If two sequences have the same name, engines use the first.
            if known.contains(&name.to_ascii_lowercase()) {
                let message = format_args!("sequence {name}: a second one of this name");
                lost.lose(&codes::CLIP_DUPLICATE, 1, format_args!("sequence {name}"), message);
                continue;
            }
            // A sequence that begins after the last frame has no frames.
            let present = count.min(frames.saturating_sub(first));
            if present < count || count == 0 {
                let missing = count - present;
                let message = format_args!("sequence {name}: {missing} of its {count} frames do not exist");
                lost.lose(&codes::CLIP_FRAMES_MISSING, 1, format_args!("sequence {name}"), message);
            }
            if present > 0 {
                known.insert(name.to_ascii_lowercase());
                clips.push(Clip::new(name, first, present, sequence.frames_per_second()));
            }
        }
        if !clips.is_empty() {
            self.clips = clips;
        }
    }
}

/// The mesh with a name, or the only mesh.
fn find<'s, 'a>(script: &'s Script<'a>, name: &str) -> Option<script::Mesh<'s, 'a>> {
    let only = || script.meshes().next().filter(|_| script.meshes().len() == 1);
    script.mesh(name).or_else(only)
}

/// The placement of the stored positions of a mesh.
fn placement(mesh: &script::Mesh<'_, '_>) -> [[f32; 4]; 4] {
    // UNMIRROR negates X of the stored positions. If a placement mirrors a mesh, the outer faces are still the front faces.
    let mirror = Vec3::new(if mesh.import().unmirror { -1.0 } else { 1.0 }, 1.0, 1.0);
    let matrix = Mat4::from_cols_array_2d(&mesh.transform().to_matrix());
    (matrix * Mat4::from_scale(mirror)).to_cols_array_2d()
}
