//! Unreal as a model: one mesh whose triangles wear a material for each texture slot and kind, the weapon triangle as a tag,
//! and clips from the sequences of a script.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use meshlens_unreal::script::Script;
use meshlens_unreal::{NormalScratch, TriangleKind, TriangleType, Unreal, VertexLens};
use meshlens_wire::Result;

use super::arrays::Arrays;
use super::attribute::Attribute;
use super::clip::{Clip, DEFAULT_RATE};
use super::material::{Alpha, Material};
use super::mesh::Mesh;
use super::tag::Tag;
use super::topology::{Part, Topology};
use super::{Model, Space};
use crate::{Document, Format};

/// The name of the tag that a weapon triangle is.
pub(super) const WEAPON: &str = "weapon";

/// What tells materials apart: texture slot and type.
type Wear = (u8, u8);

#[derive(Clone, Debug)]
struct UnrealMesh<'a> {
    unreal: Unreal<'a>,
    /// The materials' slots and types, in the model's order.
    wears: Vec<Wear>,
    /// What positions are multiplied by when they are shown, which normals have to know.
    scale: [f32; 3],
    /// Whether positions come as the integers that are stored, for a script to scale.
    raw: bool,
}

pub(super) fn model(unreal: Unreal<'_>) -> Model<'_> {
    let geometry = unreal.geometry();
    let mut model = Model::empty(Format::Unreal, Space::UNREAL, Some(Document::Unreal(unreal)));
    let mut wears: Vec<Wear> = Vec::new();
    let mut known = [[false; 256]; 256];
    for (slot, bits) in geometry.textures().iter().zip(geometry.types()) {
        let flag = known.get_mut(usize::from(slot)).and_then(|row| row.get_mut(usize::from(bits)));
        if let Some(known) = flag.filter(|known| !**known)
            && TriangleType(bits).is_visible()
        {
            *known = true;
            wears.push((slot, bits));
        }
    }
    wears.sort_unstable();
    let materials = wears.iter().map(|(slot, bits)| material(*slot, TriangleType(*bits), None));
    model.materials = materials.collect();
    let mesh = UnrealMesh { unreal, wears, scale: unreal.unit_scale(), raw: false };
    model.meshes.push(Mesh::new("mesh", mesh));
    if geometry.weapon_triangle().is_some() {
        model.tags.push(Tag { name: WEAPON.into(), index: 0 });
    }
    if unreal.frame_count() > 1 {
        model.clips.push(Clip::new("all", 0, unreal.frame_count(), DEFAULT_RATE));
    }
    model
}

fn material(slot: u8, bits: TriangleType, texture: Option<(String, String)>) -> Material {
    let kind = bits.kind();
    let (name, path) = texture.map_or((format!("texture {slot}"), None), |(name, path)| (name, Some(path)));
    let name = if bits.0 == 0 { name } else { format!("{name} ({bits})") };
    Material {
        texture: path.filter(|path| !path.is_empty()),
        two_sided: bits.is_two_sided(),
        unlit: bits.is_unlit(),
        alpha: match kind {
            TriangleKind::Translucent | TriangleKind::Modulated => Alpha::Blend,
            TriangleKind::Masked => Alpha::Mask,
            _ => Alpha::Opaque,
        },
        ..Material::new(name)
    }
}

impl Arrays for UnrealMesh<'_> {
    fn point_count(&self) -> usize {
        self.unreal.vertex_count()
    }

    fn corner_count(&self) -> usize {
        self.unreal.triangle_count().saturating_mul(3)
    }

    fn triangle_count(&self) -> usize {
        self.unreal.triangle_count()
    }

    fn frame_count(&self) -> usize {
        self.unreal.frame_count()
    }

    fn is_welded(&self) -> bool {
        false
    }

    fn positions(&self, frame: usize) -> Result<Attribute<'_, [f32; 3]>> {
        if self.raw {
            return Ok(match self.unreal.positions(frame)? {
                VertexLens::Packed(lens) => lens.into(),
                VertexLens::Wide(lens) => lens.into(),
            });
        }
        Ok(match self.unreal.unit_positions(frame)? {
            VertexLens::Packed(lens) => lens.into(),
            VertexLens::Wide(lens) => lens.into(),
        })
    }

    fn normals_into(&self, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<bool> {
        let mut scratch = NormalScratch::default();
        let mut smooth = alloc::vec![[0.0; 3]; self.point_count()];
        self.unreal.smooth_normals_into(frame, self.scale, &mut scratch, &mut smooth)?;
        out.clear();
        out.extend(self.unreal.triangles().into_iter().flatten().map(|point| {
            // A corner that names no vertex belongs to a triangle that is not drawn.
            smooth.get(usize::from(point)).copied().unwrap_or([0.0, 0.0, 1.0])
        }));
        Ok(true)
    }

    fn texcoord_sets(&self) -> usize {
        1
    }

    fn texcoords_into(&self, set: usize, out: &mut Vec<[f32; 2]>) -> bool {
        if set > 0 {
            return false;
        }
        out.resize(self.corner_count(), [0.0; 2]);
        for corner in 0..3 {
            let slots = out.iter_mut().skip(corner).step_by(3);
            for (slot, value) in slots.zip(self.unreal.geometry().texcoords(corner)) {
                *slot = value;
            }
        }
        true
    }

    /// Corners of one vertex with one texture coordinate become one vertex. Weapon triangles are not drawn, and triangles
    /// that name no vertex cannot be.
    fn topology_into(&self, _material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let geometry = self.unreal.geometry();
        let points = self.point_count();
        let bytes = [0, 1, 2].map(|corner| geometry.texcoord_bytes(corner));
        let mut drawn: Vec<(Wear, usize)> = Vec::new();
        // Vertex, texture coordinate, corner number: sorting brings equal corners together.
        let mut keys: Vec<(u16, [u8; 2], u32)> = Vec::new();
        for (number, ((corners, bits), slot)) in
            geometry.triangles().iter().zip(geometry.types()).zip(geometry.textures()).enumerate()
        {
            if !TriangleType(bits).is_visible() {
                continue;
            }
            if corners.iter().any(|corner| usize::from(*corner) >= points) {
                topology.dropped = topology.dropped.saturating_add(1);
                continue;
            }
            drawn.push(((slot, bits), number));
            for ((corner, point), bytes) in (0usize..).zip(corners).zip(bytes) {
                let place = number.saturating_mul(3).saturating_add(corner);
                let place = u32::try_from(place).unwrap_or(u32::MAX);
                keys.push((point, bytes.get(number).unwrap_or_default(), place));
            }
        }
        keys.sort_unstable();
        let mut vertex_of = alloc::vec![0u32; self.corner_count()];
        for run in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let vertex = u32::try_from(topology.points.len()).unwrap_or(u32::MAX);
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
        // By material, and in the order of the file within each.
        drawn.sort_by_key(|(wear, _)| *wear);
        for run in drawn.chunk_by(|a, b| a.0 == b.0) {
            let start = topology.triangles.len();
            for (_, number) in run {
                let first = number.saturating_mul(3);
                let corner = |corner: usize| vertex_of.get(first.saturating_add(corner)).copied();
                let corners = [0, 1, 2].map(|number| corner(number).unwrap_or_default());
                topology.triangles.push(corners);
            }
            let material = run.first().and_then(|(wear, _)| self.wears.binary_search(wear).ok());
            topology.parts.push(Part { material, triangles: start..topology.triangles.len() });
        }
        Ok(())
    }
}

impl Model<'_> {
    /// Takes what a script (`.uc`) says of a mesh of this name, or of its only one: placement, sequences and textures.
    /// Gives back a line for each thing that does not fit the model; `None` where the script does not speak of the mesh.
    pub fn set_script(&mut self, script: &Script<'_>, name: &str) -> Option<Vec<String>> {
        let Some(Document::Unreal(unreal)) = self.document else { return None };
        let mesh =
            script.mesh(name).or_else(|| script.meshes().next().filter(|_| script.meshes().len() == 1))?;
        let mut lost = Vec::new();
        self.name = mesh.name().to_text().into_owned();
        let transform = mesh.transform();
        let [x, y, z] = transform.matrix();
        let column = |axis: usize| [x, y, z].map(|row| row.get(axis).copied().unwrap_or_default());
        let [a, b, c, d] = [0, 1, 2, 3].map(column).map(glam::Vec3::from);
        self.placement = glam::Mat4::from_cols(a.extend(0.0), b.extend(0.0), c.extend(0.0), d.extend(1.0));

        let geometry = unreal.geometry();
        let mut wears: Vec<Wear> = geometry.textures().iter().zip(geometry.types()).collect();
        wears.retain(|(_, bits)| TriangleType(*bits).is_visible());
        wears.sort_unstable();
        wears.dedup();
        let dressed = wears.iter().map(|(slot, bits)| {
            let texture = mesh.texture(u32::from(*slot)).map(|line| {
                let text = line.texture.to_text().into_owned();
                let short = text.rsplit('.').next().unwrap_or(&text);
                let file = script.texture_import(&text).map(|import| import.file.to_text().into_owned());
                let file = file.or_else(|| {
                    script.texture_import(short).map(|import| import.file.to_text().into_owned())
                });
                (text.clone(), file.unwrap_or_default())
            });
            material(*slot, TriangleType(*bits), texture)
        });
        self.materials = dressed.collect();
        let scale = transform.scale;
        if let Some(slot) = self.meshes.first_mut() {
            *slot = Mesh::new(self.name.clone(), UnrealMesh { unreal, wears, scale, raw: true });
        }
        self.raw = true;
        let frames = unreal.frame_count();
        let mut clips: Vec<Clip> = Vec::new();
        for sequence in mesh.sequences() {
            let name = sequence.name.to_text().into_owned();
            let first = usize::try_from(sequence.first_frame).unwrap_or(usize::MAX);
            let count = usize::try_from(sequence.frame_count).unwrap_or(usize::MAX);
            // Engines take the first of two of one name.
            if clips.iter().any(|clip| clip.name.eq_ignore_ascii_case(&name)) {
                lost.push(format!("sequence {name}: a second one of this name"));
                continue;
            }
            let there = count.min(frames.saturating_sub(first));
            if there < count || count == 0 {
                lost.push(format!(
                    "sequence {name}: {} of its {count} frames are not there",
                    count.saturating_sub(there)
                ));
            }
            if there > 0 {
                clips.push(Clip::new(name, first, there, sequence.frames_per_second()));
            }
        }
        for notify in mesh.notifies() {
            lost.push(format!("notify {} of sequence {}", notify.function, notify.sequence));
        }
        if !clips.is_empty() {
            self.clips = clips;
        }
        Some(lost)
    }
}

/// Where a weapon is attached in one frame, in the units of [`Mesh::positions`].
pub(super) fn attachment(unreal: &Unreal<'_>, raw: bool, frame: usize) -> Option<[f32; 3]> {
    let origin = unreal.weapon_attachment(frame).ok()??.origin;
    let mut scaled = origin;
    if !raw {
        for (axis, scale) in scaled.iter_mut().zip(unreal.unit_scale()) {
            *axis *= scale;
        }
    }
    Some(scaled)
}
