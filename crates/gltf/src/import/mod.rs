//! Imports glTF 2.0 as a model, with its joints, or with all animations baked into vertex frames.
//!
//! [`document`] has the records of a file, whose indices are checked once. The other modules use these records.

mod accessor;
mod buffers;
mod document;
mod frames;
mod images;
mod joint_nodes;
mod json;
mod materials;
mod memory;
mod options;
mod parse;
mod primitive;
mod records;
mod rig;
mod scene;
mod skinned;
mod summary;
mod tags;
mod tracks;

use meshlens::Report;
use meshlens::model::{Clip, DEFAULT_RATE, Model, PlainMesh, Space, Tag, TagPose};
use meshlens::wire::Budget;
use percent_encoding::percent_decode_str;

use crate::{Error, codes};
use buffers::Buffers;
use document::Document;
use frames::Frames;
use memory::Memory;
pub use options::{ImportLimits, ImportOptions, Read, Skins};
use primitive::Base;
use rig::Rig;
use scene::Scene;
pub use summary::summarize;
use tags::{is_tag, tag_pose};

fn broken(message: impl std::fmt::Display) -> Error {
    Error::Import(message.to_string())
}

/// Percent-decodes a URI's path.
fn decode_uri(uri: &str) -> String {
    percent_decode_str(uri).decode_utf8_lossy().into_owned()
}

/// A mesh that is being baked.
struct Baking<'d> {
    name: &'d str,
    material: Option<usize>,
    base: Base,
    plain: PlainMesh,
    /// The names of the morph targets.
    target_names: &'d [String],
}

/// Imports a GLB or glTF file. Returns a model in glTF's space (Y up, meters), and the losses of the import.
///
/// Morph targets and moving nodes become vertex frames. Empty nodes whose names begin with `tag_` become tags.
///
/// With [`Skins::Keep`], a file with skins, or with nothing but animations, becomes a model with joints: the nodes of skins,
/// and nodes that move or connect them. Animations are sampled at the rate of their keys, and at 30 frames per second or more
/// if they have steps or splines. Morph targets become frames that no clip plays. Scales of joints at rest are moved into
/// translations, unless the extras of an [`Export`](crate::Export) have them.
///
/// A file that an [`Export`](crate::Export) wrote of one model without joints is imported as the frames of that model,
/// each once and in order, with their names, and its clips as ranges of frames. This does not apply to an edited file,
/// or if a rate is requested.
///
/// Buffer views with `EXT_meshopt_compression` (or `KHR_meshopt_compression`) and accessors with
/// `KHR_mesh_quantization` are supported. Draco compression is not supported.
///
/// Times of keys that are equal or negative are imported, although glTF does not allow them (glTF 2.0, section 3.11), and
/// are listed in the report: [`KEY_TIMES_EQUAL`](crate::codes::KEY_TIMES_EQUAL) and
/// [`KEY_BEFORE_START`](crate::codes::KEY_BEFORE_START).
///
/// O(vertices x frames), in time and memory.
///
/// # Errors
///
/// The JSON is not a glTF 2.0 document, an index is out of range, a required extension is not supported, a buffer
/// cannot be read, an accessor ends past its buffer, a time of a key is not finite or is less than the one before, or the file exceeds [`ImportLimits::DEFAULT`].
pub fn import(bytes: &[u8], options: &ImportOptions<'_>) -> Result<(Model<'static>, Report), Error> {
    let limits = ImportLimits::DEFAULT;
    import_within(bytes, options, &limits, &Budget::new(limits.bytes))
}

/// Like [`import()`], with other limits, and with memory from a budget that other calls may share. Memory is reserved from
/// counts before anything is decoded. The memory of the model is released when the model is dropped.
///
/// # Errors
///
/// Same as [`import()`]; [`Error::Memory`] if the budget has too little memory left.
pub fn import_within(
    bytes: &[u8],
    options: &ImportOptions<'_>,
    limits: &ImportLimits,
    budget: &Budget,
) -> Result<(Model<'static>, Report), Error> {
    let mut memory = Memory::new(limits.bytes, budget);
    let (mut document, blob) = parse::parse(bytes, &mut memory)?;
    let mut losses = Report::default();
    memory::scene(&mut memory, &document)?;
    let mut materials = std::mem::take(&mut document.materials);
    let buffers = Buffers::read(&document, blob, options, memory)?;
    images::attach(&document, &buffers, &mut materials, &mut losses)?;
    let scene = Scene::read(&document, &buffers)?;
    let mut model = Model::empty(None, Space::GLTF);
    model.materials = materials;

    let shown = shown(&document);
    if options.skins == Skins::Keep
        && let Some(rig) = Rig::new(&document, &scene, &shown)?
    {
        memory::targets(&mut buffers.memory(), &document, &shown, rig.joints.len())?;
        skinned::Import {
            document: &document,
            buffers: &buffers,
            scene: &scene,
            shown: &shown,
            options,
            limits,
        }
        .fill(rig, &mut model, &mut losses)?;
        document_losses(&document, &scene, &buffers, &mut losses);
        model.hold(buffers.into_memory().into_shared());
        return Ok((model, losses));
    }
    // A requested rate needs new frames.
    let frames = Frames::read(&document, &scene, limits.frames).filter(|_| options.asked_rate().is_none());
    let times = match &frames {
        Some(frames) => {
            model.clips.extend(frames.clips());
            model.frame_names = frames.names();
            stored_times(frames)
        }
        None => times(&document, &scene, options, limits, &buffers, &mut model)?,
    };
    let names = times.iter().map(|at| &at.name).chain(&model.frame_names).map(String::len).sum();
    let vertices = memory::geometry(&mut buffers.memory(), &document, &shown, times.len(), names)?;
    let least = vertices.saturating_add(scene.moment_cost()).saturating_mul(times.len());
    within_work(least, limits)?;
    let mut baking = Vec::new();
    for (node, mesh, name) in document.shown_meshes(&shown) {
        for primitive in &mesh.primitives {
            let mut plain = PlainMesh::default();
            let Some(base) = Base::read(&document, &buffers, node, primitive, &mut plain)? else {
                let message = format_args!("mesh {name}: points or lines");
                losses.lose(&codes::PRIMITIVE_LOST, 1, format_args!("mesh {name}"), message);
                continue;
            };
            if base.has_tangents() {
                let message = format_args!("mesh {name}: tangents");
                losses.lose(&meshlens::codes::TANGENTS_LOST, 1, format_args!("mesh {name}"), message);
            }
            // The size of all frames is known before any is made.
            buffers.spend(base.len().saturating_mul(times.len()), 24)?;
            let (material, target_names) = (primitive.material, mesh.target_names.as_slice());
            baking.push(Baking { name, material, base, plain, target_names });
        }
    }
    let tags: Vec<(usize, &str)> = document
        .nodes
        .iter()
        .enumerate()
        .filter(|(index, node)| node.mesh.is_none() && shown[*index])
        .filter_map(|(index, node)| Some((index, node.name.as_deref()?)))
        .filter(|(node, name)| {
            is_tag(name) || frames.as_ref().is_some_and(|frames| frames.is_tag(&scene, *node, name))
        })
        .collect();
    let tag_nodes: Vec<usize> = tags.iter().map(|(node, _)| *node).collect();
    model.tags.extend(tags.iter().enumerate().map(|(index, (_, name))| Tag { name: (*name).into(), index }));
    buffers.spend(tags.len().saturating_mul(times.len()), size_of::<TagPose>())?;
    let mut work = scene.moment_cost().saturating_mul(times.len());
    let moment = |at: &Time, number| {
        let mut moment = scene.at(at.animation, at.time, at.slack);
        if let Some(frames) = &frames {
            frames.show(&scene, number, &tag_nodes, &mut moment);
        }
        moment
    };
    for (number, at) in times.iter().enumerate() {
        let moment = moment(at, number);
        let costs = baking.iter().map(|baking| baking.base.cost(&moment));
        work = costs.fold(work, usize::saturating_add);
        within_work(work, limits)?;
    }
    let mut tag_poses = Vec::new();
    for (number, at) in times.iter().enumerate() {
        let moment = moment(at, number);
        for Baking { base, plain, target_names, .. } in &mut baking {
            if number == 0 && base.is_mirrored(&moment) {
                plain.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            }
            let name = match &frames {
                Some(frames) => frames.target_name(target_names, number),
                None => at.name.clone(),
            };
            plain.frames.push(base.frame(&moment, name));
        }
        if !tags.is_empty() {
            tag_poses.push(tags.iter().map(|(node, _)| tag_pose(&moment, *node)).collect());
        }
    }
    model.set_tag_poses(tag_poses);
    for Baking { name, material, plain, .. } in baking {
        let mut made = plain.into_mesh(name)?;
        made.material = material;
        model.meshes.push(made);
    }
    if model.frame_count() == 0 && !model.clips.is_empty() {
        model.clips.clear();
        let message = format_args!("animations: nothing of what they move is kept");
        losses.lose(&codes::ANIMATION_LOST, 1, format_args!(""), message);
    }
    document_losses(&document, &scene, &buffers, &mut losses);
    let skins = document.skins.len() as u64;
    let message = format_args!("{skins} skins: what they move is written as frames of vertices");
    losses.lose(&codes::SKIN_BAKED, skins, format_args!(""), message);
    model.hold(buffers.into_memory().into_shared());
    Ok((model, losses))
}

fn within_work(work: usize, limits: &ImportLimits) -> Result<(), Error> {
    if work <= limits.work {
        return Ok(());
    }
    Err(broken(format_args!("{work} vertices to move in all frames; the limit is {}", limits.work)))
}

/// Bytes of a frame's time, without the name of its animation.
const FRAME_NAME: usize = 160;

/// The time of a frame.
struct Time {
    animation: Option<usize>,
    time: f32,
    /// A key that is later by less than this counts as reached.
    slack: f32,
    name: String,
}

/// The times of the frames of all animations, each at its rate. Each animation becomes a clip.
fn times(
    document: &Document,
    scene: &Scene,
    options: &ImportOptions<'_>,
    limits: &ImportLimits,
    buffers: &Buffers<'_>,
    model: &mut Model<'_>,
) -> Result<Vec<Time>, Error> {
    let mut times: Vec<Time> = Vec::new();
    let cycles = frames::cycles(document);
    for (index, animation) in scene.animations.iter().enumerate() {
        let name = &animation.name;
        let known = options.asked_rate().or_else(|| animation.own_rate());
        let rate = known.unwrap_or(DEFAULT_RATE);
        // A float that is too large becomes the largest count, which is an error.
        let steps = (animation.end() * rate).round() as usize;
        // The last key of a cycle shows its first frame again.
        let cycle =
            cycles.get(name).filter(|cycle| (animation.end() * cycle.rate - cycle.count as f32).abs() < 0.01);
        let count = if cycle.is_some() { steps.max(1) } else { steps.saturating_add(1) };
        if count > limits.frames.saturating_sub(times.len()) {
            return Err(broken(format_args!("animation {name}: more than {} frames in all", limits.frames)));
        }
        // Each frame has a name, which begins with the animation's.
        buffers.spend(count, name.len().saturating_add(FRAME_NAME))?;
        let clip = match known {
            Some(rate) => Clip::new(name.clone(), times.len(), count, rate),
            None => Clip::without_rate(name.clone(), times.len(), count),
        };
        let loop_frames = if cycle.is_some() { count } else { 0 };
        model.clips.push(Clip { loop_frames, ..clip });
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

/// The times of frames that the extras describe.
fn stored_times(frames: &Frames) -> Vec<Time> {
    let time = |frame| {
        let frames::Place { animation, time, slack } = frames.place(frame);
        Time { animation, time, slack, name: String::new() }
    };
    (0..frames.len()).map(time).collect()
}

/// Adds the content of the document that no model keeps.
fn document_losses(document: &Document, scene: &Scene, buffers: &Buffers<'_>, losses: &mut Report) {
    buffers.losses(losses);
    let cameras = document.cameras as u64;
    losses.lose(&codes::CAMERA_LOST, cameras, format_args!(""), format_args!("{cameras} cameras"));
    for (index, animation) in document.animations.iter().enumerate() {
        let (name, others) = (animation.name(index), animation.others);
        let message = format_args!("animation {name}: {others} channels that move no node");
        losses.lose(&codes::CHANNEL_LOST, others as u64, format_args!("animation {name}"), message);
    }
    scene.animations.iter().for_each(|animation| animation.losses(losses));
}

/// The nodes that are visible in the default scene; all nodes if there is no scene.
fn shown(document: &Document) -> Vec<bool> {
    let Some(roots) = &document.scene else { return vec![true; document.nodes.len()] };
    let mut shown = vec![false; document.nodes.len()];
    let mut rest = roots.clone();
    while let Some(node) = rest.pop() {
        if !std::mem::replace(&mut shown[node], true) {
            rest.extend(&document.nodes[node].children);
        }
    }
    shown
}
