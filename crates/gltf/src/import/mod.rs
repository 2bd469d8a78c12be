//! glTF 2.0 as a model: every animation baked into frames of vertices, as game formats of vertices want it.
//!
//! Documents come from anywhere, and the `gltf` crate takes some things for granted: what it would panic over is looked at
//! first, and accessors are read here.

mod accessor;
mod document;
mod primitive;
mod scene;

use glam::Mat3;
use meshlens::Format;
use meshlens::model::{Alpha, Clip, DEFAULT_RATE, Material, Model, PlainMesh, Space, Tag, TagPose};

use crate::Error;
use accessor::Buffers;
use primitive::Base;
use scene::{Moment, Scene};

/// What an import may cost. An accessor of a few bytes may speak of any number of zeros, and a key of any number of
/// frames, so that the size of the file bounds neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportLimits {
    /// The most frames that are baked of one file.
    pub frames: usize,
    /// The most bytes of vertices and keys that are decoded and baked.
    pub bytes: usize,
    /// The most vertices that are moved, by a target or to their place, for all frames together.
    pub work: usize,
}

impl ImportLimits {
    /// 4096 frames, 1 GiB, 2^29 vertices.
    pub const DEFAULT: ImportLimits = ImportLimits { frames: 4096, bytes: 1 << 30, work: 1 << 29 };
}

impl Default for ImportLimits {
    fn default() -> Self {
        ImportLimits::DEFAULT
    }
}

/// How a file is read.
#[derive(Clone, Copy)]
pub struct ImportOptions<'o> {
    /// Frames per second; `None` takes the rate of each animation's own keys where they are evenly spaced.
    pub rate: Option<f32>,
    /// Reads a file that the document names, by the URI's decoded path: a path from the document, as it stands there.
    /// Whoever reads it has to see that it does not leave the document's folder.
    pub read: &'o dyn Fn(&str) -> Option<Vec<u8>>,
}

fn broken(message: impl std::fmt::Display) -> Error {
    Error::Import(message.to_string())
}

/// Percent-decodes a URI's path.
fn decode_uri(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) if *byte == b'%' => {
                bytes.push(decoded);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A mesh that frames are added to.
struct Baking {
    name: String,
    material: Option<usize>,
    base: Base,
    plain: PlainMesh,
}

/// A model of a GLB or glTF file, in glTF's space, and what of it was left aside. Morph targets, skins and moving nodes all
/// become frames of vertices; empty nodes whose names begin with `tag_` become tags.
///
/// O(vertices x frames), and as much memory: the frames are what it makes.
///
/// # Errors
///
/// What the `gltf` crate says, buffers that are not there, accessors that leave them, and more than
/// [`ImportLimits::DEFAULT`] allows.
pub fn import(bytes: &[u8], options: &ImportOptions<'_>) -> Result<(Model<'static>, Vec<String>), Error> {
    import_within(bytes, options, &ImportLimits::DEFAULT)
}

/// As [`import`], within other limits.
///
/// # Errors
///
/// As [`import`].
pub fn import_within(
    bytes: &[u8],
    options: &ImportOptions<'_>,
    limits: &ImportLimits,
) -> Result<(Model<'static>, Vec<String>), Error> {
    let (document, blob) = document::parse(bytes)?;
    let mut losses = Vec::new();
    let buffers = Buffers::read(&document, blob, options, limits)?;
    let scene = Scene::read(&document, &buffers)?;
    let mut model = Model::empty(Format::Md3, Space::GLTF, None);
    model.materials = document.materials().map(|found| material(&document, &found)).collect();

    let times = times(&scene, options, limits, &mut model)?;
    let shown = shown(&document, &scene.parents);
    let mut baking = Vec::new();
    for node in document.nodes().filter(|node| shown[node.index()]) {
        let Some(mesh) = node.mesh() else { continue };
        for primitive in mesh.primitives() {
            let name = node.name().or(mesh.name()).unwrap_or_default();
            let mut plain = PlainMesh::default();
            let Some(base) = Base::read(&buffers, &node, &primitive, &mut plain, &mut losses)? else {
                losses.push(format!("mesh {name}: points or lines"));
                continue;
            };
            // What frames take is known before any is made.
            buffers.spend(base.len().saturating_mul(times.len()), 24)?;
            baking.push(Baking { name: name.into(), material: primitive.material().index(), base, plain });
        }
    }
    let tags: Vec<(usize, &str)> = document
        .nodes()
        .filter(|node| node.mesh().is_none() && shown[node.index()])
        .filter_map(|node| Some((node.index(), node.name()?)))
        .filter(|(_, name)| name.get(..4).is_some_and(|tag| tag.eq_ignore_ascii_case("tag_")))
        .collect();
    model.tags.extend(tags.iter().enumerate().map(|(index, (_, name))| Tag { name: (*name).into(), index }));
    buffers.spend(tags.len().saturating_mul(times.len()), size_of::<TagPose>())?;
    let mut work = 0usize;
    for (number, at) in times.iter().enumerate() {
        let moment = scene.at(at.animation, at.time, at.slack);
        let cost = baking.iter().map(|baking| baking.base.cost(&moment)).fold(0, usize::saturating_add);
        work = work.saturating_add(cost).saturating_add(scene.moment_cost());
        if work > limits.work {
            return Err(broken(format_args!("more than {} vertices to move in all frames", limits.work)));
        }
        for Baking { base, plain, .. } in &mut baking {
            if number == 0 && base.is_mirrored(&moment) {
                plain.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            }
            plain.frames.push(base.frame(&moment, at.name.clone()));
        }
        if !tags.is_empty() {
            model.tag_frames.push(tags.iter().map(|(node, _)| tag_pose(&moment, *node)).collect());
        }
    }
    for Baking { name, material, plain, .. } in baking {
        let mut made = plain.into_mesh(name)?;
        made.material = material;
        model.meshes.push(made);
    }
    if model.frame_count() == 0 && !model.clips.is_empty() {
        model.clips.clear();
        losses.push("animations: nothing of what they move is kept".into());
    }
    document_losses(&document, &scene, &mut losses);
    losses.sort();
    losses.dedup();
    Ok((model, losses))
}

/// A time to look at.
struct Time {
    animation: Option<usize>,
    time: f32,
    /// How much later a key may be that counts as reached.
    slack: f32,
    name: String,
}

/// The times to look at: each animation at its rate, one after the other. Each becomes a clip.
fn times(
    scene: &Scene,
    options: &ImportOptions<'_>,
    limits: &ImportLimits,
    model: &mut Model<'_>,
) -> Result<Vec<Time>, Error> {
    let mut times: Vec<Time> = Vec::new();
    for (index, animation) in scene.animations.iter().enumerate() {
        let name = &animation.name;
        let asked = options.rate.filter(|rate| *rate > 0.0 && rate.is_finite());
        let rate = asked.or_else(|| animation.own_rate()).unwrap_or(DEFAULT_RATE);
        // A float that is too large becomes the largest count, and is refused.
        let count = ((animation.end() * rate).round() as usize).saturating_add(1);
        if count > limits.frames.saturating_sub(times.len()) {
            return Err(broken(format_args!("animation {name}: more than {} frames in all", limits.frames)));
        }
        model.clips.push(Clip::new(name.clone(), times.len(), count, rate));
        times.extend((0..count).map(|step| Time {
            animation: Some(index),
            time: step as f32 / rate,
            slack: 0.01 / rate,
            name: format!("{name}_{step}"),
        }));
    }
    if times.is_empty() {
        times.push(Time { animation: None, time: 0.0, slack: 0.0, name: String::new() });
    }
    Ok(times)
}

fn tag_pose(moment: &Moment, node: usize) -> TagPose {
    let matrix = moment.world[node];
    TagPose { origin: matrix.w_axis.truncate(), axes: Mat3::from_mat4(matrix) }
}

/// What of the document a model of vertices does not have.
fn document_losses(document: &gltf::Document, scene: &Scene, losses: &mut Vec<String>) {
    if document.cameras().len() > 0 {
        losses.push(format!("{} cameras", document.cameras().len()));
    }
    if document.images().len() > 0 {
        losses.push(format!("{} images: only their names are kept", document.images().len()));
    }
    if document.skins().len() > 0 {
        losses.push("skins: what they move is written as frames of vertices".into());
    }
    if scene.animations.iter().flat_map(|animation| &animation.tracks).any(scene::Track::is_cubic) {
        losses.push("cubic splines: keys are joined by lines".into());
    }
}

/// Which nodes the default scene shows; all of them where there is no scene.
fn shown(document: &gltf::Document, parents: &[Option<usize>]) -> Vec<bool> {
    let Some(scene) = document.default_scene().or_else(|| document.scenes().next()) else {
        return vec![true; parents.len()];
    };
    let mut shown = vec![false; parents.len()];
    let mut rest: Vec<usize> = scene.nodes().map(|node| node.index()).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            children[*parent].push(node);
        }
    }
    while let Some(node) = rest.pop() {
        if !std::mem::replace(&mut shown[node], true) {
            rest.extend(&children[node]);
        }
    }
    shown
}

fn material(document: &gltf::Document, material: &gltf::Material<'_>) -> Material {
    let pbr = material.pbr_metallic_roughness();
    let extras = material
        .extras()
        .as_ref()
        .and_then(|extras| serde_json::from_str::<serde_json::Value>(extras.get()).ok());
    let kept =
        extras.and_then(|extras| extras.get("texture").and_then(|path| path.as_str().map(String::from)));
    // The image's own record: asking the crate for its source takes for granted that it has one.
    let image = pbr.base_color_texture().map(|texture| texture.texture().source().index());
    let image = image.and_then(|index| document.as_json().images.get(index));
    let named = image.and_then(|image| match &image.uri {
        Some(uri) if !uri.starts_with("data:") => Some(decode_uri(uri)),
        _ => image.name.clone(),
    });
    Material {
        texture: kept.or(named),
        color: pbr.base_color_factor(),
        emissive: material.emissive_factor(),
        two_sided: material.double_sided(),
        alpha: match material.alpha_mode() {
            gltf::material::AlphaMode::Opaque => Alpha::Opaque,
            gltf::material::AlphaMode::Mask => Alpha::Mask,
            gltf::material::AlphaMode::Blend => Alpha::Blend,
        },
        unlit: material.unlit(),
        ..Material::new(material.name().unwrap_or_default())
    }
}
