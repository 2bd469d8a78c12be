//! glTF 2.0 as a model: every animation baked into frames of vertices, as game formats of vertices want it.

use base64::Engine;
use glam::{Mat3, Mat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use gltf::mesh::util::ReadTexCoords;
use meshlens::Format;
use meshlens::model::{
    Alpha, Clip, DEFAULT_RATE, Material, Model, PlainFrame, PlainMesh, Space, Tag, TagPose,
};

use crate::Error;

/// The most frames that are baked of one file.
const MAX_FRAMES: usize = 4096;
/// The most bytes that all frames together may take.
const MAX_BYTES: usize = 1 << 30;

/// How a file is read.
#[derive(Clone, Copy)]
pub struct ImportOptions<'o> {
    /// Frames per second; `None` takes the rate of each animation's own keys where they are evenly spaced.
    pub rate: Option<f32>,
    /// Reads a file that the document names, by the URI's decoded path.
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

fn buffers(
    document: &gltf::Document,
    blob: Option<Vec<u8>>,
    options: &ImportOptions<'_>,
) -> Result<Vec<Vec<u8>>, Error> {
    let mut blob = blob;
    document
        .buffers()
        .map(|buffer| {
            let bytes = match buffer.source() {
                gltf::buffer::Source::Bin => blob.take().unwrap_or_default(),
                gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
                    Some(data) => {
                        let (_, text) =
                            data.split_once(";base64,").ok_or_else(|| broken("a data URI of no base64"))?;
                        base64::engine::general_purpose::STANDARD.decode(text).map_err(broken)?
                    }
                    None => {
                        let path = decode_uri(uri);
                        (options.read)(&path).ok_or_else(|| broken(format_args!("{path}: cannot be read")))?
                    }
                },
            };
            if bytes.len() < buffer.length() {
                return Err(broken(format_args!(
                    "a buffer of {} bytes has {}",
                    buffer.length(),
                    bytes.len()
                )));
            }
            Ok(bytes)
        })
        .collect()
}

/// What an animation does to one node at its keys.
struct Track {
    node: usize,
    times: Vec<f32>,
    values: Values,
    interpolation: gltf::animation::Interpolation,
}

enum Values {
    Translations(Vec<Vec3>),
    Rotations(Vec<Quat>),
    Scales(Vec<Vec3>),
    Weights(Vec<f32>),
}

impl Track {
    /// The key before a time, the one after, and how far it is between them.
    fn keys(&self, time: f32) -> (usize, usize, f32) {
        let after = self.times.partition_point(|key| *key <= time);
        let a = after.saturating_sub(1);
        let b = after.min(self.times.len().saturating_sub(1));
        let (from, to) =
            (self.times.get(a).copied().unwrap_or(0.0), self.times.get(b).copied().unwrap_or(0.0));
        let t = if to > from { ((time - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        match self.interpolation {
            gltf::animation::Interpolation::Step => (a, a, 0.0),
            _ => (a, b, t),
        }
    }

    /// The place of a key's value: cubic splines keep tangents around it, which are left aside.
    const fn place(&self, key: usize) -> usize {
        match self.interpolation {
            gltf::animation::Interpolation::CubicSpline => key * 3 + 1,
            _ => key,
        }
    }
}

/// A node's state at a time.
#[derive(Clone)]
struct State {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    weights: Vec<f32>,
}

struct Scene {
    buffers: Vec<Vec<u8>>,
    rest: Vec<State>,
    parents: Vec<Option<usize>>,
    animations: Vec<(String, Vec<Track>)>,
}

impl Scene {
    /// Where every node is, and the weights of its mesh, at a time of an animation.
    fn at(&self, animation: Option<usize>, time: f32) -> (Vec<Mat4>, Vec<Vec<f32>>) {
        let mut states = self.rest.clone();
        for track in animation
            .and_then(|index| self.animations.get(index))
            .map(|(_, tracks)| tracks)
            .into_iter()
            .flatten()
        {
            let Some(state) = states.get_mut(track.node) else { continue };
            let (a, b, t) = track.keys(time);
            let (a, b) = (track.place(a), track.place(b));
            match &track.values {
                Values::Translations(values) => {
                    if let (Some(a), Some(b)) = (values.get(a), values.get(b)) {
                        state.translation = a.lerp(*b, t);
                    }
                }
                Values::Scales(values) => {
                    if let (Some(a), Some(b)) = (values.get(a), values.get(b)) {
                        state.scale = a.lerp(*b, t);
                    }
                }
                Values::Rotations(values) => {
                    if let (Some(a), Some(b)) = (values.get(a), values.get(b)) {
                        state.rotation = a.slerp(*b, t);
                    }
                }
                Values::Weights(values) => {
                    let width = state.weights.len();
                    for (index, weight) in state.weights.iter_mut().enumerate() {
                        let (a, b) = (values.get(a * width + index), values.get(b * width + index));
                        if let (Some(a), Some(b)) = (a, b) {
                            *weight = a * (1.0 - t) + b * t;
                        }
                    }
                }
            }
        }
        let local: Vec<Mat4> = states
            .iter()
            .map(|state| {
                Mat4::from_scale_rotation_translation(state.scale, state.rotation, state.translation)
            })
            .collect();
        let world = (0..local.len())
            .map(|node| {
                let mut matrix = local[node];
                let mut above = self.parents[node];
                // The `gltf` crate has checked nothing of this: a circle ends after as many steps as there are nodes.
                for _ in 0..local.len() {
                    let Some(parent) = above else { break };
                    matrix = local[parent] * matrix;
                    above = self.parents[parent];
                }
                matrix
            })
            .collect();
        (world, states.into_iter().map(|state| state.weights).collect())
    }
}

/// A model of a GLB or glTF file, in glTF's space, and what of it was left aside. Morph targets, skins and moving nodes all
/// become frames of vertices; empty nodes whose names begin with `tag_` become tags.
///
/// # Errors
///
/// What the `gltf` crate says, buffers that are not there, and more than 4096 frames or 1 GiB of vertices.
pub fn import(bytes: &[u8], options: &ImportOptions<'_>) -> Result<(Model<'static>, Vec<String>), Error> {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).map_err(broken)?;
    let mut losses = Vec::new();
    let scene = scene(&document, blob, options)?;
    let mut model = Model::empty(Format::Md3, Space::GLTF, None);
    for material in document.materials() {
        model.materials.push(self::material(&material));
    }

    // The times to look at: each animation at its rate, one after the other.
    let mut times: Vec<(Option<usize>, f32)> = Vec::new();
    for (index, (name, tracks)) in scene.animations.iter().enumerate() {
        let end =
            tracks.iter().filter_map(|track| track.times.last()).fold(0.0f32, |end, time| end.max(*time));
        let rate = options.rate.unwrap_or_else(|| own_rate(tracks));
        let count = (end * rate).round().max(0.0) as usize + 1;
        if count > MAX_FRAMES.saturating_sub(times.len()) {
            return Err(broken(format_args!("animation {name}: more than {MAX_FRAMES} frames in all")));
        }
        model.clips.push(Clip::new(name.clone(), times.len(), count, rate));
        times.extend((0..count).map(|step| (Some(index), step as f32 / rate)));
    }
    if times.is_empty() {
        times.push((None, 0.0));
    }
    let states: Vec<(Vec<Mat4>, Vec<Vec<f32>>)> =
        times.iter().map(|(animation, time)| scene.at(*animation, *time)).collect();

    let shown = shown(&document, &scene.parents);
    let mut bytes = 0usize;
    for node in document.nodes().filter(|node| node.mesh().is_some() && shown[node.index()]) {
        let Some(mesh) = node.mesh() else { continue };
        for primitive in mesh.primitives() {
            if primitive.mode() != gltf::mesh::Mode::Triangles {
                losses
                    .push(format!("mesh {}: what is no list of triangles", mesh.name().unwrap_or_default()));
                continue;
            }
            let name = node.name().or(mesh.name()).unwrap_or_default();
            let mut plain = PlainMesh::default();
            let base = Base::read(&scene, &primitive, &mut plain)?;
            bytes = bytes.saturating_add(base.positions.len().saturating_mul(24).saturating_mul(times.len()));
            if bytes > MAX_BYTES {
                return Err(broken("more than 1 GiB of vertices in all frames"));
            }
            let skin = node.skin().map(|skin| Skin::read(&scene, &skin));
            for (world, weights) in &states {
                plain.frames.push(base.frame(node.index(), skin.as_ref(), world, &weights[node.index()]));
            }
            let mut made = plain.into_mesh(name).map_err(Error::Model)?;
            made.material = primitive.material().index();
            model.meshes.push(made);
        }
    }
    for node in document.nodes().filter(|node| node.mesh().is_none() && shown[node.index()]) {
        let Some(name) =
            node.name().filter(|name| name.get(..4).is_some_and(|tag| tag.eq_ignore_ascii_case("tag_")))
        else {
            continue;
        };
        let index = model.tags.len();
        model.tags.push(Tag { name: name.into(), index });
        model.tag_frames.resize(times.len(), Vec::new());
        for (poses, (world, _)) in model.tag_frames.iter_mut().zip(&states) {
            let matrix = world[node.index()];
            poses.push(TagPose { origin: matrix.w_axis.truncate(), axes: Mat3::from_mat4(matrix) });
        }
    }
    if document.cameras().len() > 0 {
        losses.push(format!("{} cameras", document.cameras().len()));
    }
    if document.images().len() > 0 {
        losses.push(format!("{} images: only their names are kept", document.images().len()));
    }
    Ok((model, losses))
}

fn scene(
    document: &gltf::Document,
    blob: Option<Vec<u8>>,
    options: &ImportOptions<'_>,
) -> Result<Scene, Error> {
    let buffers = buffers(document, blob, options)?;
    let mut parents = vec![None; document.nodes().len()];
    for node in document.nodes() {
        for child in node.children() {
            parents[child.index()] = Some(node.index());
        }
    }
    let rest = document.nodes().map(|node| {
        let (translation, rotation, scale) = node.transform().decomposed();
        let mesh = node.mesh();
        let targets = mesh.as_ref().map_or(0, |mesh| {
            mesh.primitives().map(|primitive| primitive.morph_targets().len()).max().unwrap_or_default()
        });
        let own =
            node.weights().or_else(|| mesh.as_ref().and_then(|mesh| mesh.weights())).unwrap_or_default();
        let mut weights = own.to_vec();
        weights.resize(targets, 0.0);
        State {
            translation: translation.into(),
            rotation: Quat::from_array(rotation).normalize(),
            scale: scale.into(),
            weights,
        }
    });
    let rest = rest.collect();
    let animations = document.animations().map(|animation| {
        let tracks = animation.channels().filter_map(|channel| {
            let reader = channel.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
            Some(Track {
                node: channel.target().node().index(),
                times: reader.read_inputs()?.collect(),
                interpolation: channel.sampler().interpolation(),
                values: match reader.read_outputs()? {
                    ReadOutputs::Translations(values) => {
                        Values::Translations(values.map(Vec3::from).collect())
                    }
                    ReadOutputs::Scales(values) => Values::Scales(values.map(Vec3::from).collect()),
                    ReadOutputs::Rotations(values) => Values::Rotations(
                        values.into_f32().map(|q| Quat::from_array(q).normalize()).collect(),
                    ),
                    ReadOutputs::MorphTargetWeights(values) => Values::Weights(values.into_f32().collect()),
                },
            })
        });
        (
            animation.name().map_or_else(|| format!("animation {}", animation.index()), Into::into),
            tracks.collect(),
        )
    });
    let animations = animations.collect();
    Ok(Scene { buffers, rest, parents, animations })
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

/// The rate of the keys, where they are evenly spaced from 0 on.
fn own_rate(tracks: &[Track]) -> f32 {
    let longest = tracks.iter().max_by_key(|track| track.times.len());
    let Some([first, second, ..]) = longest.map(|track| track.times.as_slice()) else { return DEFAULT_RATE };
    let rate = 1.0 / (second - first);
    if rate.is_finite() && (0.01..=1000.0).contains(&rate) { rate } else { DEFAULT_RATE }
}

fn material(material: &gltf::Material<'_>) -> Material {
    let pbr = material.pbr_metallic_roughness();
    let extras = material
        .extras()
        .as_ref()
        .and_then(|extras| serde_json::from_str::<serde_json::Value>(extras.get()).ok());
    let kept =
        extras.and_then(|extras| extras.get("texture").and_then(|path| path.as_str().map(String::from)));
    let image = pbr.base_color_texture().map(|texture| texture.texture().source());
    let named = image.and_then(|image| match image.source() {
        gltf::image::Source::Uri { uri, .. } if !uri.starts_with("data:") => Some(decode_uri(uri)),
        _ => image.name().map(String::from),
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
        ..Material::new(material.name().unwrap_or_default())
    }
}

/// A primitive as it is at rest, and what moves it.
struct Base {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    targets: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

impl Base {
    fn read(scene: &Scene, primitive: &gltf::Primitive<'_>, plain: &mut PlainMesh) -> Result<Base, Error> {
        let reader = primitive.reader(|buffer| scene.buffers.get(buffer.index()).map(Vec::as_slice));
        let positions: Vec<Vec3> = reader
            .read_positions()
            .ok_or_else(|| broken("a primitive without positions"))?
            .map(Vec3::from)
            .collect();
        let count = positions.len();
        plain.triangles = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect::<Vec<u32>>().as_chunks().0.to_vec(),
            None => (0..count as u32).collect::<Vec<u32>>().as_chunks().0.to_vec(),
        };
        if let Some(texcoords) = reader.read_tex_coords(0) {
            plain.texcoords.push(ReadTexCoords::into_f32(texcoords).collect());
        }
        let mut normals: Vec<Vec3> =
            reader.read_normals().map_or_else(Vec::new, |normals| normals.map(Vec3::from).collect());
        if normals.len() != count {
            normals = face_normals(&positions, &plain.triangles);
        }
        let targets = reader.read_morph_targets().map(|(positions, normals, _)| {
            let vectors = |values: Option<Vec<[f32; 3]>>| -> Vec<Vec3> {
                values.unwrap_or_default().into_iter().map(Vec3::from).collect()
            };
            (vectors(positions.map(Iterator::collect)), vectors(normals.map(Iterator::collect)))
        });
        let targets = targets.collect();
        let joints = reader.read_joints(0).map_or_else(Vec::new, |joints| joints.into_u16().collect());
        let weights = reader.read_weights(0).map_or_else(Vec::new, |weights| weights.into_f32().collect());
        Ok(Base { positions, normals, targets, joints, weights })
    }

    fn frame(&self, node: usize, skin: Option<&Skin>, world: &[Mat4], weights: &[f32]) -> PlainFrame {
        let (mut positions, mut normals) = (self.positions.clone(), self.normals.clone());
        for ((moves, turns), weight) in self.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0)
        {
            for (position, by) in positions.iter_mut().zip(moves) {
                *position += *by * *weight;
            }
            for (normal, by) in normals.iter_mut().zip(turns) {
                *normal += *by * *weight;
            }
        }
        match skin {
            Some(skin) if self.joints.len() == positions.len() => {
                let matrices: Vec<Mat4> = skin
                    .joints
                    .iter()
                    .zip(&skin.inverse)
                    .map(|(joint, bind)| world[*joint] * *bind)
                    .collect();
                for (index, (joints, weights)) in self.joints.iter().zip(&self.weights).enumerate() {
                    let mut matrix = Mat4::ZERO;
                    for (joint, weight) in joints.iter().zip(weights) {
                        if let Some(moved) = matrices.get(usize::from(*joint)) {
                            matrix += *moved * *weight;
                        }
                    }
                    positions[index] = matrix.transform_point3(positions[index]);
                    normals[index] = matrix.transform_vector3(normals[index]);
                }
            }
            _ => {
                // A rotation and a scale alike on all axes leave normals to a plain turn.
                let matrix = world[node];
                positions.iter_mut().for_each(|position| *position = matrix.transform_point3(*position));
                normals.iter_mut().for_each(|normal| *normal = matrix.transform_vector3(*normal));
            }
        }
        PlainFrame {
            positions: positions.into_iter().map(|position| position.to_array()).collect(),
            normals: normals
                .into_iter()
                .map(|normal| normal.try_normalize().unwrap_or(Vec3::Y).to_array())
                .collect(),
            ..PlainFrame::default()
        }
    }
}

/// Normals of a mesh without any: those of the faces around each vertex, weighted by their areas.
fn face_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let corners = triangle.map(|index| positions.get(index as usize));
        let [Some(a), Some(b), Some(c)] = corners else { continue };
        let face = (*b - *a).cross(*c - *a);
        for index in triangle {
            normals[*index as usize] += face;
        }
    }
    normals
}

struct Skin {
    joints: Vec<usize>,
    inverse: Vec<Mat4>,
}

impl Skin {
    fn read(scene: &Scene, skin: &gltf::Skin<'_>) -> Skin {
        let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
        let reader = skin.reader(|buffer| scene.buffers.get(buffer.index()).map(Vec::as_slice));
        let mut inverse: Vec<Mat4> = reader
            .read_inverse_bind_matrices()
            .map_or_else(Vec::new, |matrices| matrices.map(|m| Mat4::from_cols_array_2d(&m)).collect());
        inverse.resize(joints.len(), Mat4::IDENTITY);
        Skin { joints, inverse }
    }
}
