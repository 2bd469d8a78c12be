//! UNIGINE: a mesh of every version, animations of both versions, and a file for each special case.

use meshlens_unigine::layout::{ROTATION, SCALE, TRANSLATION};
use meshlens_unigine::write::{Anim, Animation, Bone, Model, Surface, Target};
use meshlens_unigine::{Influence, Transform, Version};
use meshlens_wire::Result;

use crate::shapes::Shape;

pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let files = models().expect("the corpus' files can be written");
    files.into_iter().map(|(path, bytes)| (format!("unigine/{path}"), bytes)).collect()
}

fn models() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let mut files = Vec::new();
    for (path, version) in [
        ("box_ms10.mesh", Version::Ms10),
        ("box_ms11.mesh", Version::Ms11),
        ("box_ms12.mesh", Version::Ms12),
        ("box_ms13.mesh", Version::Ms13),
        ("box_ms14.mesh", Version::Ms14),
    ] {
        let mut mesh = Model::new(version);
        mesh.surfaces.push(surface("box", version, &Shape::cuboid([-0.5; 3], [0.5; 3]))?);
        files.push((path, finished(mesh)?));
    }

    files.extend(blocks()?);
    for (path, version) in [("skinned_ms10.mesh", Version::Ms10), ("skinned_ms11.mesh", Version::Ms11)] {
        let mut mesh = Model::new(version);
        mesh.bones = bones()?;
        mesh.surfaces.push(skinned("arm", version)?);
        mesh.surfaces.push(skinned("arm", version)?);
        mesh.animations.push(wave(version, "wave", 3, TRANSLATION | ROTATION | SCALE)?);
        mesh.animations.push(wave(version, "turn", 2, ROTATION)?);
        files.push((path, finished(mesh)?));
    }

    files.push(("morph.mesh", morph()?));
    let mut empty = Model::new(Version::Ms11);
    empty.surfaces.push(Surface::new("nothing")?);
    files.push(("empty.mesh", finished(empty)?));

    files.extend(animations()?);
    Ok(files)
}

/// A mesh with blocks, stored and packed.
fn blocks() -> Result<[(&'static str, Vec<u8>); 2]> {
    let mut raw = Model::new(Version::Ms14);
    raw.pack = false;
    raw.memory_estimate = 4096;
    raw.surfaces.push(surface("box", Version::Ms14, &Shape::cuboid([-0.5; 3], [0.5; 3]))?);
    raw.surfaces.push(skinned("arm", Version::Ms14)?);
    raw.bones = bones()?;
    // A tree of one node without children, as compact integers.
    raw.surfaces[0].edges = vec![0x04, 0x41, 0x41];
    let stored = finished(raw.clone())?;
    raw.pack = true;
    raw.surfaces[0].edges = vec![0x41; 64];
    Ok([("blocks_raw.mesh", stored), ("blocks_packed.mesh", finished(raw)?)])
}

/// A torus with two morph targets.
fn morph() -> Result<Vec<u8>> {
    let mut morph = Model::new(Version::Ms11);
    morph.surfaces.push(surface("torus", Version::Ms11, &Shape::torus(1.0, 0.25, 4, 3))?);
    for (title, height) in [("tall", 2.0), ("flat", 0.5)] {
        let base = morph.surfaces[0].targets[0].clone();
        let positions = base.positions.iter().map(|[x, y, z]| [*x, *y, z * height]).collect();
        let name = meshlens_unigine::write::name(title)?;
        morph.surfaces[0].targets.push(Target { name, positions, tangents: base.tangents });
    }
    morph.surfaces[0].texcoords1 = vec![[0.5, 0.25]; morph.surfaces[0].texcoords0.len()];
    morph.surfaces[0].colors = vec![[255, 128, 0, 255]; morph.surfaces[0].texcoords0.len()];
    finished(morph)
}

fn animations() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let mut files = Vec::new();
    for (path, version, frames) in [
        ("wave_an10.anim", Version::An10, 5),
        ("wave_an11.anim", Version::An11, 5),
        ("still_an11.anim", Version::An11, 0),
        ("long_an10.anim", Version::An10, 130),
    ] {
        let mut anim = Anim::new(version);
        anim.bones = bones()?;
        anim.animations.push(wave(version, "wave", frames, version.known_flags())?);
        files.push((path, anim.write()?));
    }
    let mut several = Anim::new(Version::An10);
    several.bones = bones()?;
    several.animations.push(wave(Version::An10, "no scale", 3, TRANSLATION | ROTATION)?);
    several.animations.push(wave(Version::An10, "x alone", 4, 1)?);
    several.animations.push(Animation::new(Version::An10, "nothing", &[], 0x7f, &[])?);
    files.push(("several_an10.anim", several.write()?));
    Ok(files)
}

fn finished(mut mesh: Model) -> Result<Vec<u8>> {
    mesh.recompute_bounds();
    mesh.write()
}

/// A quaternion that rotates Z to `normal`. The sign of w alternates: positive for even numbers.
fn tangent_space(number: usize, [x, y, z]: [f32; 3]) -> [f32; 4] {
    let sign = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
    // The rotation halfway between Z and the normal. For straight down, a rotation by 180 degrees around X.
    let quaternion = if z > -0.999 {
        let length = libm::sqrtf(2.0 + 2.0 * z);
        [-y / length, x / length, 0.0, length / 2.0]
    } else {
        [1.0, 0.0, 0.0, 0.0]
    };
    quaternion.map(|component| component * sign)
}

/// A surface of a shape in which equal positions share a coordinate index.
fn surface(title: &str, version: Version, shape: &Shape) -> Result<Surface> {
    let mut surface = Surface::new(title)?;
    surface.lightmap = [1, 3];
    let target = &mut surface.targets[0];
    let coordinates: Vec<u32> = shape
        .positions
        .iter()
        .map(|position| {
            let known = target.positions.iter().position(|known| known == position);
            known.unwrap_or_else(|| {
                target.positions.push(*position);
                target.positions.len() - 1
            }) as u32
        })
        .collect();
    let spaces = shape.normals.iter().enumerate().map(|(number, normal)| tangent_space(number, *normal));
    target.add_tangents(version, &spaces.collect::<Vec<_>>());
    surface.texcoords0.clone_from(&shape.texcoords);
    for corners in &shape.triangles {
        surface.add_triangle(corners.map(|corner| [coordinates[corner as usize], corner]));
    }
    Ok(surface)
}

/// Three bones in a row along Y. The first bone is stored last. The hand is scaled by two.
fn bones() -> Result<Vec<Bone>> {
    let mut bones = vec![
        Bone::new("hand", Some(1))?,
        Bone::new("forearm", Some(2))?,
        Bone::new("upper arm", None)?,
        Bone::new("camera", None)?,
    ];
    bones[0].transform.position = [0.0, 4.0, 0.0];
    bones[0].transform.scale = [2.0; 3];
    bones[1].transform.position = [0.0, 4.0, 0.0];
    bones[2].transform.rotation = [0.0, 0.6, 0.0, 0.8];
    Ok(bones)
}

/// A long box along Y whose vertices follow one to four bones.
fn skinned(title: &str, version: Version) -> Result<Surface> {
    let shape = Shape::cuboid([-1.0, 0.0, -1.0], [1.0, 4.0, 1.0]);
    let mut surface =
        surface(title, version, &shape.joined(&Shape::cuboid([-1.0, 4.0, -1.0], [1.0, 9.0, 1.0])))?;
    let influences = [
        Influence { count: 1, bones: [2, 0, 0, 0], weights: [65535, 0, 0, 0] },
        Influence { count: 2, bones: [2, 1, 0, 0], weights: [32767, 32767, 0, 0] },
        Influence { count: 3, bones: [2, 1, 0, 0], weights: [32767, 16383, 16383, 0] },
        Influence { count: 4, bones: [2, 1, 0, 3], weights: [32767, 16383, 16383, 0] },
    ];
    let count = surface.targets[0].positions.len();
    surface.weights = influences.into_iter().cycle().take(count).collect();
    Ok(surface)
}

/// An animation in which the arm bends and the hand grows; the upper arm does not move.
fn wave(version: Version, title: &str, frames: usize, mask: u8) -> Result<Animation> {
    let bones = bones()?;
    let mut poses = Vec::new();
    for frame in 0..frames {
        let share = frame as f32 / frames as f32;
        let (sine, cosine) = (libm::sinf(share), libm::cosf(share));
        let bend = Transform { rotation: [sine, 0.0, 0.0, cosine], ..bones[1].transform };
        let grow = Transform { scale: [1.0 + share, 1.0, 2.0 - share], ..bones[0].transform };
        poses.extend([bones[2].transform, bend, grow]);
    }
    Animation::new(version, title, &[2, 1, 0], mask, &poses)
}
