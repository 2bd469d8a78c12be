//! Ultimate 3D models of both versions.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use meshlens::u3d::write::{Action, Bone, Lod, Material, Mesh, Model, Shadow, Texture};
use meshlens::u3d::{self, Version};
use meshlens::{Document, Format as Formats};

use super::{number, numbers, of_other, some, triangle};
use crate::engine::Format;
use crate::layout::{self, Table};
use crate::random::{self, fit, one_of, splice};

/// Ultimate 3D models.
#[derive(Clone, Copy, Debug)]
pub struct U3d<'p> {
    /// The password of encrypted files, which only version 2.0 has; `None` for files that are not encrypted.
    pub password: Option<&'p [u8]>,
}

impl Format for U3d<'_> {
    type Model = Model;
    const NAME: &'static str = "u3d";
    const HAS_FIXED_TABLES: bool = true;

    fn read(&self, file: &[u8]) -> Option<Model> {
        Model::try_from(&u3d::U3d::parse(file).ok()?).ok()
    }

    fn write(&self, model: &Model) -> Option<Vec<u8>> {
        // A model may lack sections that its header counts.
        model.write().ok().filter(|file| u3d::U3d::parse(file).is_ok())
    }

    fn make(&self, u: &mut Unstructured<'_>) -> Result<Model> {
        let mut model = model(u)?;
        if self.password.is_some() && model.version.is_v1() {
            model.version = Version::V2_0_0;
        }
        Ok(model)
    }

    fn edit(&self, model: &mut Model, other: Option<&Model>, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=8)? {
            0 | 1 => {
                let more = of_other(other.map(|other| &other.meshes), || mesh(u, model))?;
                splice(u, &mut model.meshes, &more)?;
                set_meshes(model);
            }
            2 => {
                let more = of_other(other.map(|other| &other.materials), || material(u, model.version))?;
                splice(u, &mut model.materials, &more)?;
            }
            3 => {
                let more = other.map_or_else(|| bones(u), |other| Ok(other.bones.clone()))?;
                splice(u, &mut model.bones, &more)?;
                let count = model.bones.len() as u32;
                for (index, bone) in (0..).zip(&mut model.bones) {
                    bone.parent = bone.parent.filter(|parent| *parent < count && *parent != index);
                }
            }
            4 => {
                let new = action(u)?;
                let more = other.and_then(|other| other.actions.clone()).unwrap_or(vec![new]);
                splice(u, model.actions.get_or_insert_default(), &more)?;
            }
            5 => {
                let Some(mesh) = one_of(u, &mut model.meshes)? else { return Ok(()) };
                let count = u.int_in_range(0..=mesh.positions.len() + 8)?;
                resize(mesh, count);
            }
            6 => {
                let Some(mesh) = one_of(u, &mut model.meshes)? else { return Ok(()) };
                let vertices = mesh.positions.len();
                if let (Some((triangles, materials)), Some(new)) =
                    (&mut mesh.triangles, random::corners(u, vertices)?)
                {
                    splice(u, triangles, &[new])?;
                    fit(materials, triangles.len(), &0);
                }
            }
            7 => {
                model.frames = u.int_in_range(1..=model.frames.min(64) + 2)?;
                model.vertex_tweening = u.arbitrary()?;
                let new = lod(u)?;
                splice(u, &mut model.lods, &[new])?;
            }
            _ => {
                let new = chunk(u)?;
                splice(u, &mut model.unknown, &[new])?;
            }
        }
        Ok(())
    }

    fn tables(&self, file: &[u8]) -> Option<Vec<Table>> {
        Some(layout::tables(&Document::parse_as(Formats::U3d, file).ok()?, &[]))
    }

    fn open<'f>(&self, file: &'f [u8]) -> Cow<'f, [u8]> {
        let plain = self.password.and_then(|password| u3d::U3d::decrypt(file, password).ok());
        plain.map_or(file.into(), Cow::from)
    }

    fn seal(&self, file: Vec<u8>) -> Vec<u8> {
        let sealed = self.password.and_then(|password| u3d::U3d::encrypt(&file, password).ok());
        sealed.unwrap_or(file)
    }
}

/// Gives the meshes what a model has only once, and places for each of them.
fn set_meshes(model: &mut Model) {
    let (dimensions, weights, version) = (model.texcoord_dimensions, model.skin_weights, model.version);
    for mesh in &mut model.meshes {
        if !version.is_v1() {
            (mesh.texcoord_dimensions, mesh.skin_weight_count) = (dimensions, weights);
            mesh.texcoords.get_or_insert_default();
        }
        if version.is_v1() || mesh.legacy_normals {
            let bytes = |angle: &mut i16| *angle = i16::from(*angle as i8);
            mesh.normals.as_flattened_mut().iter_mut().for_each(bytes);
        }
        mesh.shadow = mesh.shadow.take().filter(|_| version.is_v1());
        resize(mesh, mesh.positions.len());
    }
    let per_frame = model.lods.len().max(1) as u32 * model.meshes_per_frame.clamp(1, 1 << 16);
    if model.bones.is_empty() {
        // A mesh of each level and part for each frame.
        let each = model.meshes_per_frame.clamp(1, 1 << 16);
        for (index, mesh) in (0..).zip(&mut model.meshes) {
            (mesh.frame, mesh.lod_index) = (index / per_frame, index % per_frame / each);
            mesh.mesh_in_frame = index % each;
        }
        model.frames = (model.meshes.len() as u32).div_ceil(per_frame).max(1);
    }
}

/// Gives a mesh a number of vertices.
fn resize(mesh: &mut Mesh, vertices: usize) {
    fit(&mut mesh.positions, vertices, &[0.0; 3]);
    fit(&mut mesh.normals, vertices, &[0; 2]);
    if let Some(sets) = &mut mesh.texcoords {
        for (set, dimension) in sets.iter_mut().zip(mesh.texcoord_dimensions) {
            fit(set, vertices * usize::from(dimension), &0.0);
        }
    }
    fit(&mut mesh.skin_weights, vertices * usize::from(mesh.skin_weight_count), &1.0);
    fit(&mut mesh.skin_bones, if mesh.skin_weight_count > 0 { vertices } else { 0 }, &[0; 4]);
    match (&mut mesh.triangles, vertices as u32) {
        (Some((triangles, materials)), 0) => (*triangles, *materials) = Default::default(),
        (Some((triangles, _)), count) => {
            triangles.as_flattened_mut().iter_mut().for_each(|index| *index %= count);
        }
        (None, _) => {}
    }
}

fn model(u: &mut Unstructured<'_>) -> Result<Model> {
    let version = match u.int_in_range(0..=5)? {
        0 | 1 => Version::V1,
        2..=4 => Version::V2_0_0,
        _ => Version::V2 { minor: u.int_in_range(0..=2)?, sub_minor: u.int_in_range(0..=3)? },
    };
    let mut model = Model::new(version);
    (model.frames, model.meshes_per_frame) = (u.int_in_range(1..=4)?, u.int_in_range(1..=2)?);
    if u.ratio(1, 16)? {
        (model.frames, model.meshes_per_frame) = (u.arbitrary()?, u.arbitrary()?);
    }
    model.vertex_tweening = u.arbitrary()?;
    let lods = u.int_in_range(1..=2)?;
    model.lods = (0..lods).map(|_| lod(u)).collect::<Result<_>>()?;
    for dimension in &mut model.texcoord_dimensions {
        *dimension = if u.arbitrary()? { 0 } else { u.int_in_range(0..=4)? };
    }
    model.skin_weights = if u.arbitrary()? { 0 } else { u.int_in_range(1..=3)? };
    model.bones = bones(u)?;
    // A mesh for each frame, as in valid files, or an arbitrary number.
    let frames = if model.bones.is_empty() { model.frames.min(4) } else { 1 };
    let mut places = Vec::new();
    for frame in 0..frames {
        for lod in 0..lods {
            places.extend((0..model.meshes_per_frame.min(2)).map(|part| (frame, lod, part)));
        }
    }
    if u.ratio(1, 16)? {
        places.truncate(u.int_in_range(0..=4)?);
    }
    for (frame, lod, part) in places {
        let mut made = mesh(u, &model)?;
        (made.frame, made.lod_index, made.mesh_in_frame) = (frame, lod, part);
        if frame > 0 && u.arbitrary()? {
            made = made.borrowing(u.int_in_range(0..=4)?, version);
        }
        model.meshes.push(made);
    }
    model.materials = some(u, 3, |u| material(u, version))?;
    if !version.is_v1() && u.arbitrary()? {
        model.actions = Some(some(u, 3, action)?);
        model.unknown = some(u, 2, chunk)?;
    }
    if !version.is_v1() && version != Version::V2_0_0 && u.arbitrary()? {
        model.extra = some(u, 4, |u| u.arbitrary())?;
    }
    Ok(model)
}

fn mesh(u: &mut Unstructured<'_>, model: &Model) -> Result<Mesh> {
    let mut made = Mesh::new("");
    made.name = text(u)?;
    (made.lod_fraction, made.normal_scalar) = (number(u)?, number(u)?);
    made.has_tangents = u.arbitrary()?;
    made.legacy_normals = u.ratio(1, 4)?;
    made.positions = some(u, 8, numbers)?;
    let vertices = made.positions.len();
    let is_bytes = model.version.is_v1() || made.legacy_normals;
    for _ in 0..vertices {
        let normal: [i16; 2] = u.arbitrary()?;
        made.normals.push(if is_bytes { normal.map(|axis| i16::from(axis as i8)) } else { normal });
    }
    made.texcoord_dimensions = model.texcoord_dimensions;
    let mut sets: [Vec<f32>; 8] = Default::default();
    for (set, dimension) in sets.iter_mut().zip(made.texcoord_dimensions) {
        *set = (0..vertices * usize::from(dimension)).map(|_| number(u)).collect::<Result<_>>()?;
    }
    made.texcoords = Some(sets);
    made.skin_weight_count = model.skin_weights;
    if model.skin_weights > 0 {
        for _ in 0..vertices {
            for _ in 0..model.skin_weights {
                made.skin_weights.push(number(u)?);
            }
            made.skin_bones.push(u.arbitrary()?);
        }
    }
    let triangles = some(u, 6, |u| triangle(u, 32, vertices))?;
    let materials = (0..triangles.len()).map(|_| u.arbitrary()).collect::<Result<_>>()?;
    made.triangles = Some((triangles, materials));
    if u.ratio(1, 4)? {
        // Position and normal, and the weights and bone numbers of a skinned vertex.
        let floats = 6 + usize::from(made.skin_weight_count) + usize::from(made.skin_weight_count > 0);
        let count = u.int_in_range(0..=4)?;
        let mut shadow = Shadow::default();
        for _ in 0..count * floats {
            shadow.vertices.extend(number(u)?.to_le_bytes());
        }
        shadow.triangles = some(u, 3, |u| triangle(u, 32, count))?;
        made.shadow = Some(shadow);
    }
    Ok(made)
}

fn action(u: &mut Unstructured<'_>) -> Result<Action> {
    Ok(Action { name: text(u)?, first: u.int_in_range(0..=5)?, last: u.arbitrary()? })
}

fn lod(u: &mut Unstructured<'_>) -> Result<Lod> {
    Ok(Lod { fraction: number(u)?, distance: number(u)? })
}

/// A chunk that no version has.
fn chunk(u: &mut Unstructured<'_>) -> Result<(Vec<u8>, Vec<u8>)> {
    Ok(([b"$U3DC_".to_vec(), text(u)?].concat(), some(u, 8, |u| u.arbitrary())?))
}

fn material(u: &mut Unstructured<'_>, version: Version) -> Result<Material> {
    let mut made = Material::new("");
    made.name = text(u)?;
    for color in [&mut made.ambient, &mut made.diffuse, &mut made.specular, &mut made.emissive] {
        *color = numbers(u)?;
    }
    [made.specular_power, made.depth, made.parallax_quality] = numbers(u)?;
    made.texture_count = u.arbitrary()?;
    if version.is_v1() && u.ratio(1, 4)? {
        made.opaque = Some(some(u, 12, |u| u.arbitrary())?);
        return Ok(made);
    }
    let stages = made.color_ops.iter_mut().zip(&mut made.texcoord_sets).zip(&mut made.textures);
    for ((operation, set), place) in stages {
        (*operation, *set) = (u.int_in_range(0..=26)?, u.int_in_range(0..=8)?);
        if u.ratio(1, 4)? {
            let sides = if !version.is_v1() && u.ratio(1, 4)? { 6 } else { 1 };
            *place = Some(Texture {
                identifier: if version.is_v1() { text(u)? } else { Vec::new() },
                width: u.int_in_range(0..=65535)?,
                height: u.int_in_range(0..=65535)?,
                is_normal_map: u.arbitrary()?,
                height_scalar: number(u)?,
                files: (0..sides).map(|_| text(u)).collect::<Result<_>>()?,
            });
        }
    }
    Ok(made)
}

fn bones(u: &mut Unstructured<'_>) -> Result<Vec<Bone>> {
    let mut count = 0u32;
    let bones = u.int_in_range(0..=4)?;
    some(u, bones, |u| {
        let mut bone = Bone::new("", None);
        bone.name = text(u)?;
        // Usually an earlier bone, sometimes a cycle or a bone that does not exist.
        bone.parent = match (u.ratio(1, 16)?, count) {
            (true, _) => Some(u.arbitrary()?),
            (_, 0) => None,
            _ => Some(u.int_in_range(0..=count - 1)?),
        };
        count += 1;
        (bone.bone_frame, bone.pass_on) = (number(u)?, u.arbitrary()?);
        bone.meshes = some(u, 2, |u| {
            let rows = [numbers(u)?, numbers(u)?, numbers(u)?, numbers(u)?];
            Ok((u.int_in_range(0..=3)?, rows))
        })?;
        let frame = |u: &mut Unstructured<'_>| -> Result<u32> {
            if u.ratio(1, 16)? { u.arbitrary() } else { u.int_in_range(0..=8) }
        };
        bone.scaling_keys = some(u, 3, |u| Ok((frame(u)?, numbers(u)?)))?;
        bone.translation_keys = some(u, 3, |u| Ok((frame(u)?, numbers(u)?)))?;
        bone.rotation_keys = some(u, 3, |u| Ok((frame(u)?, numbers(u)?)))?;
        Ok(bone)
    })
}

/// Text, sometimes with bytes that text does not contain.
fn text(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut text: Vec<u8> = some(u, 6, |u| u.arbitrary())?;
    if !u.ratio(1, 32)? {
        text.retain(|byte| *byte != 0);
    }
    Ok(text)
}
