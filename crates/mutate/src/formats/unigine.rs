//! UNIGINE meshes and animations.

use arbitrary::{Result, Unstructured};
use meshlens::Document;
use meshlens::lens::Bounds;
use meshlens::unigine::write::{Anim, Animation, Bone, Model, Surface, Target};
use meshlens::unigine::{self, BoundingVolume, Influence, Transform, Version};
use meshlens::wire::Compact;

use super::{number, numbers, of_other, some};
use crate::engine::Format;
use crate::layout::{self, Table};
use crate::random::{fit, fit_used, one_of, splice};

/// UNIGINE meshes.
#[derive(Clone, Copy, Debug)]
pub struct UnigineMesh;

/// UNIGINE animations.
#[derive(Clone, Copy, Debug)]
pub struct UnigineAnim;

impl Format for UnigineMesh {
    type Model = Model;
    const NAME: &'static str = "unigine mesh";
    const HAS_FIXED_TABLES: bool = true;

    fn read(&self, file: &[u8]) -> Option<Model> {
        Model::try_from(&unigine::Mesh::parse(file).ok()?).ok()
    }

    fn write(&self, model: &Model) -> Option<Vec<u8>> {
        model.write().ok()
    }

    fn make(&self, u: &mut Unstructured<'_>) -> Result<Model> {
        let version =
            *u.choose(&[Version::Ms10, Version::Ms11, Version::Ms12, Version::Ms13, Version::Ms14])?;
        let bones = bones(u)?;
        let most = if matches!(version, Version::Ms10 | Version::Ms11 | Version::Ms12) { 2 } else { 0 };
        let animations = some(u, most, |u| animation(u, version, bones.len()))?;
        Ok(Model {
            version,
            bounds: volume(u)?,
            tree_triangles: u.int_in_range(0..=64)?,
            memory_estimate: u.arbitrary()?,
            pack: u.arbitrary()?,
            animations: animations.into_iter().flatten().collect(),
            surfaces: some(u, 3, |u| surface(u, version, bones.len()))?,
            bones,
        })
    }

    fn edit(&self, model: &mut Model, other: Option<&Model>, u: &mut Unstructured<'_>) -> Result<()> {
        let (version, bones) = (model.version, model.bones.len());
        match u.int_in_range(0..=7)? {
            0..=2 => {
                let more = of_other(other.map(|other| &other.surfaces), || surface(u, version, bones))?;
                splice(u, &mut model.surfaces, &more)?;
            }
            3 => edit_bones(&mut model.bones, other.map(|other| &other.bones[..]), u)?,
            4 => {
                let more = other.map(|other| &other.animations[..]);
                edit_animations(&mut model.animations, more, version, bones, u)?;
            }
            5 => model.pack = u.arbitrary()?,
            6 => {
                let Some(surface) = one_of(u, &mut model.surfaces)? else { return Ok(()) };
                let more = match other.and_then(|other| other.surfaces.first()) {
                    Some(other) => other.targets.clone(),
                    None => surface.targets.clone(),
                };
                splice(u, &mut surface.targets, &more)?;
            }
            _ => {
                let Some(surface) = one_of(u, &mut model.surfaces)? else { return Ok(()) };
                let first = surface.targets.first();
                let [positions, spaces] =
                    first.map_or([0; 2], |target| [target.positions.len(), target.tangents.len()]);
                let most = if u.ratio(1, 8)? { 300 } else { 8 };
                resize(surface, u.int_in_range(1..=positions + most)?, u.int_in_range(1..=spaces + most)?);
                let triangles = u.int_in_range(0..=surface.triangle_indices.len() / 3 + 2)?;
                fit(&mut surface.coordinate_indices, triangles * 3, &0);
                fit(&mut surface.triangle_indices, triangles * 3, &0);
            }
        }
        // A change of bones or vertices leaves no index out of range.
        let bones = model.bones.len();
        model.surfaces.iter_mut().for_each(|surface| set_bones(surface, bones));
        set_animations(&mut model.animations, bones);
        Ok(())
    }

    fn tables(&self, file: &[u8]) -> Option<Vec<Table>> {
        Some(layout::tables(&Document::from(unigine::Mesh::parse(file).ok()?), &[]))
    }

    fn compact(&self, number: i32) -> Option<Vec<u8>> {
        Some(Compact::new(number)?.as_bytes().to_vec())
    }
}

impl Format for UnigineAnim {
    type Model = Anim;
    const NAME: &'static str = "unigine animation";
    const HAS_FIXED_TABLES: bool = true;

    fn read(&self, file: &[u8]) -> Option<Anim> {
        Some(Anim::from(&unigine::Anim::parse(file).ok()?))
    }

    fn write(&self, model: &Anim) -> Option<Vec<u8>> {
        model.write().ok()
    }

    fn make(&self, u: &mut Unstructured<'_>) -> Result<Anim> {
        let version = *u.choose(&[Version::An10, Version::An11])?;
        let bones = bones(u)?;
        let most = if version == Version::An11 { 1 } else { 3 };
        let animations = some(u, most, |u| animation(u, version, bones.len()))?;
        let animations = animations.into_iter().flatten().collect();
        Ok(Anim { version, bounds: volume(u)?, bones, animations })
    }

    fn edit(&self, model: &mut Anim, other: Option<&Anim>, u: &mut Unstructured<'_>) -> Result<()> {
        let (version, bones) = (model.version, model.bones.len());
        if u.arbitrary()? {
            edit_bones(&mut model.bones, other.map(|other| &other.bones[..]), u)?;
        } else {
            let more = other.map(|other| &other.animations[..]);
            edit_animations(&mut model.animations, more, version, bones, u)?;
        }
        set_animations(&mut model.animations, model.bones.len());
        if version == Version::An11 {
            model.animations.truncate(1);
        }
        Ok(())
    }

    fn tables(&self, file: &[u8]) -> Option<Vec<Table>> {
        let anim = unigine::Anim::parse(file).ok()?;
        let records = anim.animations().flat_map(|animation| animation.records()).take(512);
        let tables = records.filter(|record| !record.body.is_empty()).map(|record| {
            let (start, len) = (record.offset as usize + 1, record.body.len());
            Table { range: start..start + len, count: len / 2, stride: 2, number: 2, is_float: false }
        });
        Some(tables.collect())
    }

    fn compact(&self, number: i32) -> Option<Vec<u8>> {
        Some(Compact::new(number)?.as_bytes().to_vec())
    }
}

/// Changes bones. Parents remain other bones.
fn edit_bones(bones: &mut Vec<Bone>, other: Option<&[Bone]>, u: &mut Unstructured<'_>) -> Result<()> {
    let new = [Bone { name: name(u)?, parent: None, transform: transform(u)? }];
    splice(u, bones, other.unwrap_or(&new))?;
    for (index, bone) in (0i16..).zip(bones) {
        bone.parent = bone.parent.filter(|parent| *parent < index);
    }
    Ok(())
}

fn edit_animations(
    animations: &mut Vec<Animation>,
    other: Option<&[Animation]>,
    version: Version,
    bones: usize,
    u: &mut Unstructured<'_>,
) -> Result<()> {
    let new = animation(u, version, bones)?;
    splice(u, animations, other.or(new.as_ref().map(core::slice::from_ref)).unwrap_or_default())
}

/// Leaves no index of a bone out of range.
fn set_animations(animations: &mut Vec<Animation>, bones: usize) {
    animations.retain(|animation| animation.bones.iter().all(|bone| (*bone as usize) < bones));
}

fn set_bones(surface: &mut Surface, bones: usize) {
    for influence in &mut surface.weights {
        if bones == 0 {
            *influence = Influence { count: 0, bones: [0; 4], weights: [0; 4] };
        }
        influence.bones.iter_mut().for_each(|bone| *bone = (*bone).clamp(0, bones.saturating_sub(1) as i16));
    }
}

/// Gives a surface numbers of positions and tangent frames.
fn resize(surface: &mut Surface, positions: usize, spaces: usize) {
    for target in &mut surface.targets {
        fit(&mut target.positions, positions, &[0.0; 3]);
        fit(&mut target.tangents, spaces, &[0, 0, 0, 32767]);
    }
    fit_used(&mut surface.weights, positions);
    fit_used(&mut surface.texcoords0, spaces);
    fit_used(&mut surface.texcoords1, spaces);
    fit_used(&mut surface.colors, spaces);
    surface.coordinate_indices.iter_mut().for_each(|index| *index %= positions.max(1) as u32);
    surface.triangle_indices.iter_mut().for_each(|index| *index %= spaces.max(1) as u32);
}

fn bones(u: &mut Unstructured<'_>) -> Result<Vec<Bone>> {
    let mut count = 0;
    some(u, 6, |u| {
        // Usually an earlier bone, sometimes a cycle or a bone that does not exist.
        let parent = if u.ratio(1, 16)? { u.arbitrary()? } else { Some(u.int_in_range(-1..=count - 1)?) };
        let parent = parent.filter(|parent| *parent != -1);
        count += 1;
        Ok(Bone { name: name(u)?, parent, transform: transform(u)? })
    })
}

/// An animation with hostile transforms, or `None` if the encoder refuses them.
fn animation(u: &mut Unstructured<'_>, version: Version, bones: usize) -> Result<Option<Animation>> {
    let last = bones.saturating_sub(1) as i16;
    let moved: Vec<i16> =
        some(u, bones, |u| if u.ratio(1, 32)? { u.arbitrary() } else { u.int_in_range(0..=last) })?;
    let frames = u.int_in_range(0..=5)?;
    let transforms: Vec<Transform> =
        (0..frames * moved.len()).map(|_| transform(u)).collect::<Result<_>>()?;
    let mask = u.arbitrary::<u8>()? & version.known_flags();
    let text = if version == Version::An11 { "" } else { "walk" };
    let mut animation = Animation::new(version, text, &moved, mask, &transforms).ok();
    if let Some(animation) = &mut animation
        && u.ratio(1, 8)?
    {
        // Arbitrary records.
        let len = animation.records.len();
        u.fill_buffer(animation.records.get_mut(len / 2..).unwrap_or_default())?;
    }
    Ok(animation)
}

fn surface(u: &mut Unstructured<'_>, version: Version, bones: usize) -> Result<Surface> {
    let vertices: usize = u.int_in_range(0..=8)?;
    let spaces: usize = u.int_in_range(0..=8)?;
    let triangles = if vertices == 0 || spaces == 0 { 0 } else { u.int_in_range(0..=6)? };
    let mut targets = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        let mut target = Target { name: name(u)?, ..Target::default() };
        target.positions = (0..vertices).map(|_| numbers(u)).collect::<Result<_>>()?;
        for _ in 0..spaces {
            if version == Version::Ms10 {
                target.add_tangents(version, &[numbers(u)?]);
            } else {
                target.tangents.push(u.arbitrary()?);
            }
        }
        targets.push(target);
    }
    let each = |u: &mut Unstructured<'_>, count: usize| -> Result<usize> {
        Ok(if u.arbitrary()? { count } else { 0 })
    };
    let mut weights = Vec::new();
    for _ in 0..each(u, vertices)? {
        let mut influence = Influence { count: u.int_in_range(0..=4)?, bones: [0; 4], weights: [0; 4] };
        let slots = influence.bones.iter_mut().zip(&mut influence.weights);
        for (bone, weight) in slots.take(influence.count.into()) {
            let last = bones.saturating_sub(1) as i16;
            *bone = if u.ratio(1, 32)? { u.arbitrary()? } else { u.int_in_range(0..=last)? };
            *weight = u.arbitrary()?;
        }
        weights.push(influence);
    }
    let corner = |u: &mut Unstructured<'_>, count: usize| -> Result<u32> {
        if u.ratio(1, 32)? { u.arbitrary() } else { u.int_in_range(0..=count.saturating_sub(1) as u32) }
    };
    let (mut coordinate_indices, mut triangle_indices) = (Vec::new(), Vec::new());
    for _ in 0..3 * triangles {
        coordinate_indices.push(corner(u, vertices)?);
        triangle_indices.push(corner(u, spaces)?);
    }
    let mut texcoords = || -> Result<Vec<[f32; 2]>> {
        let count = each(u, spaces)?;
        (0..count).map(|_| numbers(u)).collect()
    };
    let (texcoords0, texcoords1) = (texcoords()?, texcoords()?);
    let colors = each(u, spaces)?;
    Ok(Surface {
        name: name(u)?,
        lightmap: u.arbitrary()?,
        bounds: volume(u)?,
        targets,
        weights,
        texcoords0,
        texcoords1,
        colors: (0..colors).map(|_| u.arbitrary()).collect::<Result<_>>()?,
        coordinate_indices,
        triangle_indices,
        edges: if version == Version::Ms14 { some(u, 16, |u| u.arbitrary())? } else { Vec::new() },
    })
}

fn volume(u: &mut Unstructured<'_>) -> Result<BoundingVolume> {
    let bounds = Bounds { min: numbers(u)?, max: numbers(u)? };
    Ok(BoundingVolume { bounds, center: numbers(u)?, radius: number(u)? })
}

fn transform(u: &mut Unstructured<'_>) -> Result<Transform> {
    Ok(Transform { position: numbers(u)?, rotation: numbers(u)?, scale: numbers(u)? })
}

/// A name, usually with its NUL.
fn name(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut name: Vec<u8> = some(u, 6, |u| u.arbitrary())?;
    if !u.ratio(1, 16)? {
        name.retain(|byte| *byte != 0);
        name.push(0);
    }
    Ok(name)
}
