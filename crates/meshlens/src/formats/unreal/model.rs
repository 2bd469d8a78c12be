//! Unreal meshes as a model: one mesh with a material for each texture slot and type of triangles, the weapon triangle as a tag,
//! and clips from the sequences of a script.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::{Mat3, Vec3};
use meshlens_lens::ValueLens;
use meshlens_unreal::script::Script;
use meshlens_unreal::{NormalScratch, TriangleKind, TriangleType, Unreal};
use meshlens_wire::{Report, Result};

use crate::model::arrays::Arrays;
use crate::model::sources::{Computed, ValueSource};
use crate::model::{
    Alpha, Clip, Material, Mesh, Model, Part, Space, Tag, TagPose, TagTracks, TextureAlpha, Topology,
};
use crate::{Format, codes};

/// The name of the tag of the weapon triangle.
const WEAPON: &str = "weapon";

/// The texture slot and the type of a triangle. Each pair has a material.
type Look = (u8, u8);

/// A mesh with all of its frames: the whole ones, and the last one completed if the file ends inside it.
#[derive(Clone, Debug)]
struct UnrealFrames<'a> {
    unreal: Unreal<'a>,
    /// The bytes of the last frame, completed.
    completed: Option<Arc<[u8]>>,
}

impl<'a> UnrealFrames<'a> {
    fn new(unreal: Unreal<'a>) -> Self {
        UnrealFrames { unreal, completed: unreal.incomplete_frame().map(|cut| cut.complete().into()) }
    }

    const fn count(&self) -> usize {
        // Files have at most 65,535 frames.
        self.unreal.frame_count() + self.completed.is_some() as usize
    }

    /// The mesh that holds a frame, and the index of the frame in that mesh.
    fn at(&self, frame: usize) -> Result<(Unreal<'_>, usize)> {
        match (&self.completed, self.unreal.incomplete_frame()) {
            (Some(completed), Some(cut)) if frame == cut.index() => Ok((cut.open(completed)?, 0)),
            _ => Ok((self.unreal, frame)),
        }
    }
}

/// The weapon attachment in every frame, which is the only tag.
#[derive(Debug)]
struct Weapon<'a> {
    frames: UnrealFrames<'a>,
    /// The factors for stored positions.
    scale: [f32; 3],
}

impl TagTracks for Weapon<'_> {
    fn frame_count(&self) -> usize {
        self.frames.count()
    }

    fn pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        // `None` for a frame that is out of range, and for indices of the weapon triangle that are.
        let (unreal, frame) = self.frames.at(frame).ok().filter(|_| tag == 0)?;
        let origin = Vec3::from(unreal.weapon_attachment(frame).ok()??.origin);
        Some(TagPose { origin: origin * Vec3::from(self.scale), axes: Mat3::IDENTITY })
    }
}

#[derive(Clone, Debug)]
struct UnrealMesh<'a> {
    unreal: Unreal<'a>,
    frames: UnrealFrames<'a>,
    /// The slot and the type of each material, in the order of the model.
    looks: Vec<Look>,
    /// The factors for positions when they are shown, on which normals depend.
    scale: [f32; 3],
    /// Whether positions are the stored integers, to be scaled by a script.
    is_scaled_by_script: bool,
    unmirror: Unmirror,
}

/// The changes that UNMIRROR of a script makes.
#[derive(Clone, Copy, Debug, Default)]
struct Unmirror {
    /// Whether triangles are reversed. If its scale mirrors a mesh, its front faces already point outside.
    reverses: bool,
    /// The texture slot whose texture coordinates are mirrored along U.
    texture: Option<u8>,
}

pub(super) fn model(unreal: Unreal<'_>) -> Result<Model<'_>> {
    let geometry = unreal.geometry();
    let frames = UnrealFrames::new(unreal);
    let mut model = Model::empty(Some(Format::Unreal), Space::UNREAL);
    model.set_losses(move |losses| meshlens_unreal::losses(&unreal, losses));
    let mut looks: Vec<Look> = Vec::new();
    let mut known = [[false; 256]; 256];
    for (slot, bits) in geometry.textures()?.iter().zip(geometry.types()?) {
        let flag = known.get_mut(usize::from(slot)).and_then(|row| row.get_mut(usize::from(bits)));
        if let Some(known) = flag.filter(|known| !**known)
            && TriangleType(bits).is_visible()
        {
            *known = true;
            looks.push((slot, bits));
        }
    }
    looks.sort_unstable();
    let materials = looks.iter().map(|(slot, bits)| material(*slot, TriangleType(*bits), None));
    model.materials = materials.collect();
    let frame_count = frames.count();
    model.set_tag_tracks(Weapon { frames: frames.clone(), scale: unreal.unit_scale() });
    let mesh = UnrealMesh {
        unreal,
        frames,
        looks,
        scale: unreal.unit_scale(),
        is_scaled_by_script: false,
        unmirror: Unmirror::default(),
    };
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
struct Texture {
    name: String,
    /// FILE of its import, if the script imports it.
    file: Option<String>,
    /// FLAGS of its import.
    flags: u32,
}

fn material(slot: u8, bits: TriangleType, texture: Option<Texture>) -> Material {
    let texture = texture.unwrap_or(Texture { name: format!("texture {slot}"), file: None, flags: 0 });
    // Triangles without flags of their own are drawn like their texture.
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

/// The normal of triangles with an index that is out of range.
const NOT_DRAWN: [f32; 3] = [0.0, 0.0, 1.0];

impl UnrealMesh<'_> {
    /// The normals of all points, averaged over their triangles.
    fn smooth_normals(&self, frame: usize) -> Result<Vec<[f32; 3]>> {
        let mut scratch = NormalScratch::default();
        let mut smooth = alloc::vec![[0.0; 3]; self.unreal.vertex_count()];
        let (unreal, frame) = self.frames.at(frame)?;
        unreal.smooth_normals_into(frame, self.scale, &mut scratch, &mut smooth)?;
        Ok(smooth)
    }
}

impl Arrays for UnrealMesh<'_> {
    fn point_count(&self) -> usize {
        self.unreal.vertex_count()
    }

    fn corner_count(&self) -> usize {
        // Files have at most 65,535 triangles.
        self.unreal.triangle_count() * 3
    }

    fn triangle_count(&self) -> usize {
        self.unreal.triangle_count()
    }

    fn frame_count(&self) -> usize {
        self.frames.count()
    }

    fn is_welded(&self) -> bool {
        false
    }

    fn positions(&self, frame: usize) -> Result<ValueLens<'_, [f32; 3]>> {
        let (unreal, frame) = self.frames.at(frame)?;
        if self.is_scaled_by_script { unreal.positions(frame) } else { unreal.unit_positions(frame) }
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        let smooth = self.smooth_normals(frame)?;
        out.clear();
        let points = self.unreal.triangles()?.into_iter().flatten();
        out.extend(points.map(|point| smooth.get(usize::from(point)).copied().unwrap_or(NOT_DRAWN)));
        if self.unmirror.reverses {
            out.iter_mut().for_each(|normal| *normal = normal.map(|value| -value));
        }
        Ok(true)
    }

    fn texcoord_sets(&self) -> usize {
        1
    }

    fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> Result<bool> {
        if set > 0 {
            return Ok(false);
        }
        out.resize(self.corner_count(), [0.0; 2]);
        for corner in 0..3 {
            let slots = out.iter_mut().skip(corner).step_by(3);
            for (slot, value) in slots.zip(self.unreal.geometry().texcoords(corner)?) {
                *slot = value;
            }
        }
        if let Some(texture) = self.unmirror.texture {
            let slots = self.unreal.geometry().textures()?;
            for (corners, slot) in out.chunks_exact_mut(3).zip(slots) {
                if slot == texture {
                    corners.iter_mut().for_each(|[u, _]| *u = 1.0 - *u);
                }
            }
        }
        Ok(true)
    }

    /// Normals are computed for the points, and each corner takes that of its point.
    fn normal_source(&self, frame: usize) -> Result<Option<ValueSource<'_>>> {
        let smooth = self.smooth_normals(frame)?;
        let (triangles, reverses) = (self.unreal.triangles()?, self.unmirror.reverses);
        let get = move |corner: usize| {
            let point = triangles.get(corner / 3).and_then(|corners| corners.get(corner % 3).copied());
            let normal = point.and_then(|point| smooth.get(usize::from(point)).copied());
            let normal = normal.unwrap_or(NOT_DRAWN);
            if reverses { normal.map(|value| -value) } else { normal }
        };
        Ok(Some(Box::new(Computed::new(self.corner_count(), get))))
    }

    fn texcoord_source(&self, set: usize) -> Result<Option<ValueSource<'_>>> {
        if set > 0 {
            return Ok(None);
        }
        let geometry = self.unreal.geometry();
        let corners = [geometry.texcoords(0)?, geometry.texcoords(1)?, geometry.texcoords(2)?];
        let (slots, mirrored) = (geometry.textures()?, self.unmirror.texture);
        let get = move |corner: usize| {
            let (triangle, corner) = (corner / 3, corner % 3);
            let [u, v] = corners.get(corner).and_then(|lens| lens.get(triangle)).unwrap_or_default();
            let is_mirrored = mirrored.is_some() && slots.get(triangle) == mirrored;
            [if is_mirrored { 1.0 - u } else { u }, v]
        };
        Ok(Some(Box::new(Computed::new(self.corner_count(), get))))
    }

    /// Corners with the same vertex index and the same texture coordinates become one vertex. Weapon triangles and
    /// triangles with an index out of range are not drawn.
    fn topology_into(&self, _material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let geometry = self.unreal.geometry();
        let points = self.point_count();
        let texcoords = |corner| geometry.texcoord_bytes(corner);
        let bytes = [texcoords(0)?, texcoords(1)?, texcoords(2)?];
        let mut drawn: Vec<(Look, usize)> = Vec::new();
        // Vertex index, texture coordinates, corner number: equal corners are next to each other after sorting.
        let mut keys: Vec<(u16, [u8; 2], u32)> = Vec::new();
        for (number, ((corners, bits), slot)) in
            geometry.triangles()?.iter().zip(geometry.types()?).zip(geometry.textures()?).enumerate()
        {
            if !TriangleType(bits).is_visible() {
                continue;
            }
            if corners.iter().any(|corner| usize::from(*corner) >= points) {
                topology.dropped += 1;
                continue;
            }
            drawn.push(((slot, bits), number));
            for ((corner, point), bytes) in (0usize..).zip(corners).zip(bytes) {
                // There is one element for each triangle, and a file has at most 65,535 triangles.
                keys.push((point, bytes.get(number).unwrap_or([0; 2]), (number * 3 + corner) as u32));
            }
        }
        keys.sort_unstable();
        let mut vertex_of = alloc::vec![0u32; self.corner_count()];
        for run in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            // No more than the corners of 65,535 triangles.
            let vertex = topology.points.len() as u32;
            let Some((point, _, first)) = run.first() else { continue };
            topology.points.push(u32::from(*point));
            topology.corners.push(*first);
            for (_, _, corner) in run {
                if let Some(slot) = vertex_of.get_mut(*corner as usize) {
                    *slot = vertex;
                }
            }
        }
        topology.vertex_count = topology.points.len();
        // By material, and in file order for each material.
        drawn.sort_by_key(|(look, _)| *look);
        for run in drawn.chunk_by(|a, b| a.0 == b.0) {
            let start = topology.triangles.len();
            for (_, number) in run {
                // Every corner of a triangle that is drawn has a vertex.
                let vertex = |corner: usize| vertex_of.get(number * 3 + corner).copied().unwrap_or(0);
                let order = if self.unmirror.reverses { [0, 2, 1] } else { [0, 1, 2] };
                topology.triangles.push(order.map(vertex));
            }
            let material = run.first().and_then(|(look, _)| self.looks.binary_search(look).ok());
            topology.parts.push(Part { material, triangles: start..topology.triangles.len() });
        }
        Ok(())
    }
}

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
    pub fn set_script(&mut self, unreal: &Unreal<'a>, script: &Script<'_>, name: &str) -> Option<Report> {
        let unreal = *unreal;
        let mesh =
            script.mesh(name).or_else(|| script.meshes().next().filter(|_| script.meshes().len() == 1))?;
        let mut lost = Report::default();
        self.name = mesh.name().to_text().into_owned();
        let transform = mesh.transform();
        self.placement = transform.matrix().into();

        let geometry = unreal.geometry();
        // Parsing has proven both tables.
        let mut looks: Vec<Look> = geometry.textures().ok()?.iter().zip(geometry.types().ok()?).collect();
        looks.retain(|(_, bits)| TriangleType(*bits).is_visible());
        looks.sort_unstable();
        looks.dedup();
        let materials = looks.iter().map(|(slot, bits)| {
            let texture = mesh.texture(u32::from(*slot)).map(|line| {
                let name = line.texture.to_text().into_owned();
                let import = script.texture_import(&name);
                let file = import.map(|import| import.file.to_text().into_owned());
                Texture { name, file, flags: import.map_or(0, |import| import.flags) }
            });
            material(*slot, TriangleType(*bits), texture)
        });
        self.materials = materials.collect();
        let scale = transform.scale;
        if let Some(slot) = self.meshes.first_mut() {
            let frames = UnrealFrames::new(unreal);
            // The placement scales the stored positions.
            self.tag_tracks = Some(Arc::new(Weapon { frames: frames.clone(), scale: [1.0; 3] }));
            let import = mesh.import();
            let unmirror = Unmirror {
                reverses: import.unmirror && self.placement.determinant() > 0.0,
                texture: import
                    .unmirror_texture
                    .filter(|_| import.unmirror)
                    .and_then(|slot| u8::try_from(slot).ok()),
            };
            *slot = Mesh::new(
                self.name.clone(),
                UnrealMesh { unreal, frames, looks, scale, is_scaled_by_script: true, unmirror },
            );
        }
        let frames = self.frame_count();
        let mut clips: Vec<Clip> = Vec::new();
        for sequence in mesh.sequences() {
            let name = sequence.name.to_text().into_owned();
            // A number that does not fit is larger than any number of frames.
            let first = usize::try_from(sequence.first_frame).unwrap_or(usize::MAX);
            let count = usize::try_from(sequence.frame_count).unwrap_or(usize::MAX);
            // If two sequences have the same name, engines use the first.
            if clips.iter().any(|clip| clip.name.eq_ignore_ascii_case(&name)) {
                let message = format_args!("sequence {name}: a second one of this name");
                lost.lose(&codes::CLIP_DUPLICATE, 1, format_args!("sequence {name}"), message);
                continue;
            }
            // A sequence that begins after the last frame has none.
            let present = count.min(frames.saturating_sub(first));
            if present < count || count == 0 {
                let missing = count - present;
                let message = format_args!("sequence {name}: {missing} of its {count} frames do not exist");
                lost.lose(&codes::CLIP_FRAMES_MISSING, 1, format_args!("sequence {name}"), message);
            }
            if present > 0 {
                clips.push(Clip::new(name, first, present, sequence.frames_per_second()));
            }
        }
        for notify in mesh.notifies() {
            let message = format_args!("notify {} of sequence {}", notify.function, notify.sequence);
            lost.lose(&codes::NOTIFY_LOST, 1, format_args!("sequence {}", notify.sequence), message);
        }
        if !clips.is_empty() {
            self.clips = clips;
        }
        Some(lost)
    }
}
