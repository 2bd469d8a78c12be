//! UNIGINE meshes and animations.

use arbitrary::{Result, Unstructured};
use meshlens_lens::Bounds;
use meshlens_unigine::{Anim, BoundingVolume, Influence, Mesh, Transform, Version, write};

use super::{number, numbers, some};
use crate::check::{unigine_anim, unigine_mesh};

/// A mesh made from `bytes`: the writer refuses it, or it reads back equal and passes the checks of all meshes.
pub fn unigine_mesh_model(bytes: &[u8]) {
    let Ok(model) = mesh(&mut Unstructured::new(bytes)) else { return };
    let Ok(file) = model.write() else { return };
    unigine_mesh(&file);
    let read = Mesh::parse(&file).expect("what was written parses");
    assert_eq!(read.surface_count(), model.surfaces.len());
    assert_eq!(read.skeleton().len(), model.bones.len());
}

/// Like [`unigine_mesh_model`], for an animation.
pub fn unigine_anim_model(bytes: &[u8]) {
    let Ok(model) = anim(&mut Unstructured::new(bytes)) else { return };
    let Ok(file) = model.write() else { return };
    unigine_anim(&file);
    let read = Anim::parse(&file).expect("what was written parses");
    assert_eq!(read.animation_count(), model.animations.len());
    assert_eq!(read.skeleton().len(), model.bones.len());
}

fn mesh(u: &mut Unstructured<'_>) -> Result<write::Model> {
    let version = *u.choose(&[Version::Ms10, Version::Ms11, Version::Ms12, Version::Ms13, Version::Ms14])?;
    let bones = bones(u)?;
    let animations = if matches!(version, Version::Ms10 | Version::Ms11 | Version::Ms12) {
        some(u, 2, |u| animation(u, version, bones.len()))?.into_iter().flatten().collect()
    } else {
        Vec::new()
    };
    Ok(write::Model {
        version,
        bounds: volume(u)?,
        tree_triangles: u.int_in_range(0..=64)?,
        memory_estimate: u.arbitrary()?,
        pack: u.arbitrary()?,
        animations,
        surfaces: some(u, 3, |u| surface(u, version, bones.len()))?,
        bones,
    })
}

fn anim(u: &mut Unstructured<'_>) -> Result<write::Anim> {
    let version = *u.choose(&[Version::An10, Version::An11])?;
    let bones = bones(u)?;
    let most = if version == Version::An11 { 1 } else { 3 };
    let animations = some(u, most, |u| animation(u, version, bones.len()))?;
    let animations = animations.into_iter().flatten().collect();
    Ok(write::Anim { version, bounds: volume(u)?, bones, animations })
}

fn bones(u: &mut Unstructured<'_>) -> Result<Vec<write::Bone>> {
    let mut count = 0;
    some(u, 6, |u| {
        // Usually an earlier bone, sometimes a cycle or a bone that does not exist.
        let parent = if u.ratio(1, 16)? { u.arbitrary()? } else { Some(u.int_in_range(-1..=count - 1)?) };
        let parent = parent.filter(|parent| *parent != -1);
        count += 1;
        Ok(write::Bone { name: name(u)?, parent, transform: transform(u)? })
    })
}

/// An animation with hostile transforms, or `None` if the encoder refuses them.
fn animation(u: &mut Unstructured<'_>, version: Version, bones: usize) -> Result<Option<write::Animation>> {
    let last = bones.saturating_sub(1) as i16;
    let moved: Vec<i16> =
        some(u, bones, |u| if u.ratio(1, 32)? { u.arbitrary() } else { u.int_in_range(0..=last) })?;
    let frames = u.int_in_range(0..=5)?;
    let mut transforms = Vec::new();
    for _ in 0..frames * moved.len() {
        transforms.push(transform(u)?);
    }
    let mask = u.arbitrary::<u8>()? & version.known_flags();
    let text = if version == Version::An11 { "" } else { "walk" };
    let mut animation = write::Animation::new(version, text, &moved, mask, &transforms).ok();
    if let Some(animation) = &mut animation
        && u.ratio(1, 8)?
    {
        // Arbitrary records.
        let len = animation.records.len();
        u.fill_buffer(&mut animation.records[len / 2..])?;
    }
    Ok(animation)
}

fn surface(u: &mut Unstructured<'_>, version: Version, bones: usize) -> Result<write::Surface> {
    let vertices: usize = u.int_in_range(0..=8)?;
    let spaces: usize = u.int_in_range(0..=8)?;
    let triangles = if vertices == 0 || spaces == 0 { 0 } else { u.int_in_range(0..=6)? };
    let mut targets = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        let mut target = write::Target { name: name(u)?, ..write::Target::default() };
        for _ in 0..vertices {
            target.positions.push(numbers(u)?);
        }
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
        for slot in 0..usize::from(influence.count) {
            let last = bones.saturating_sub(1) as i16;
            influence.bones[slot] = if u.ratio(1, 32)? { u.arbitrary()? } else { u.int_in_range(0..=last)? };
            influence.weights[slot] = u.arbitrary()?;
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
    Ok(write::Surface {
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
