//! Unreal, Ultimate 3D and UNIGINE to glTF, read back by another reader: vertices, indices, and the position of every
//! vertex while each clip plays.

use glam::{Mat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use meshlens::model::{Model, Sample, Space, Submesh, Topology, gather, world_into};
use meshlens::unreal::{Script, Unreal};
use meshlens_gltf::{Export, Options};
use meshlens_testkit::real;

use super::one_node;

pub(super) struct Read {
    pub(super) document: gltf::Document,
    pub(super) bin: Vec<u8>,
}

pub(super) fn write_and_read(model: &Model<'_>) -> Read {
    let mut glb = Vec::new();
    Export::plan(&one_node("model", model), &Options::default()).unwrap().write_glb(&mut glb).unwrap();
    let read = gltf::Gltf::from_slice(&glb).unwrap();
    Read { bin: read.blob.clone().unwrap_or_default(), document: read.document }
}

fn assert_close(found: &[Vec3], expected: &[Vec3], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let tolerance = 2e-4 * (1.0 + expected.length());
        assert!(found.abs_diff_eq(*expected, tolerance), "{what} {index}: {found} {expected}");
    }
}

/// Positions and normals of each vertex in glTF's space, transformed by `world` if joints move the mesh.
fn vertices(
    model: &Model<'_>,
    mesh: usize,
    topology: &Topology,
    frame: usize,
    world: &[[[f32; 4]; 4]],
) -> (Vec<Vec3>, Vec<Vec3>) {
    let to_gltf = model.space.to(&Space::GLTF);
    let mesh = &model.meshes[mesh];
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    mesh.skin_vertices_into(topology, frame, world, &mut positions, &mut normals).unwrap();
    let placement = Mat4::from_cols_array_2d(&model.placement);
    let place = |position: [f32; 3]| -> Vec3 {
        to_gltf.position(placement.transform_point3(position.into()).to_array()).into()
    };
    // A placement scales, so normals are transformed by the inverse transpose.
    let turn = glam::Mat3::from_mat4(placement).inverse().transpose();
    let spin = |normal: [f32; 3]| -> Vec3 {
        Vec3::from(to_gltf.direction((turn * Vec3::from(normal)).to_array()))
            .try_normalize()
            .unwrap_or(Vec3::Y)
    };
    (positions.into_iter().map(place).collect(), normals.into_iter().map(spin).collect())
}

/// The transform of every node at a time of an animation, computed like a player of the file does, and the weights of
/// meshes.
pub(super) fn nodes_at(
    read: &Read,
    animation: &gltf::Animation<'_>,
    time: f32,
) -> (Vec<Mat4>, Vec<Vec<f32>>) {
    let mut parts: Vec<(Vec3, Quat, Vec3)> = read
        .document
        .nodes()
        .map(|node| {
            let (translation, rotation, scale) = node.transform().decomposed();
            (translation.into(), Quat::from_array(rotation), scale.into())
        })
        .collect();
    let mut weights = vec![Vec::new(); parts.len()];
    for channel in animation.channels() {
        let reader = channel.reader(|_| Some(&read.bin));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        let after = times.partition_point(|key| *key <= time);
        let (a, b) = (after.saturating_sub(1), after.min(times.len() - 1));
        let t = if b > a { (time - times[a]) / (times[b] - times[a]) } else { 0.0 };
        let node = channel.target().node().index();
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(values) => {
                let values: Vec<Vec3> = values.map(Vec3::from).collect();
                parts[node].0 = values[a].lerp(values[b], t);
            }
            ReadOutputs::Rotations(values) => {
                let values: Vec<Quat> = values.into_f32().map(Quat::from_array).collect();
                parts[node].1 = values[a].slerp(values[b], t);
            }
            ReadOutputs::Scales(values) => {
                let values: Vec<Vec3> = values.map(Vec3::from).collect();
                parts[node].2 = values[a].lerp(values[b], t);
            }
            ReadOutputs::MorphTargetWeights(values) => {
                let values: Vec<f32> = values.into_f32().collect();
                let width = values.len() / times.len();
                weights[node] = (0..width)
                    .map(|i| values[a * width + i] * (1.0 - t) + values[b * width + i] * t)
                    .collect();
            }
        }
    }
    let mut world = vec![Mat4::IDENTITY; parts.len()];
    let mut rest: Vec<(gltf::Node<'_>, Mat4)> =
        read.document.scenes().next().unwrap().nodes().map(|node| (node, Mat4::IDENTITY)).collect();
    while let Some((node, above)) = rest.pop() {
        let (translation, rotation, scale) = parts[node.index()];
        world[node.index()] = above * Mat4::from_scale_rotation_translation(scale, rotation, translation);
        rest.extend(node.children().map(|child| (child, world[node.index()])));
    }
    (world, weights)
}

/// The vertices of a node's mesh, computed like a player does.
pub(super) fn played(read: &Read, node: &gltf::Node<'_>, world: &[Mat4], weights: &[f32]) -> Vec<Vec3> {
    let primitive = node.mesh().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&read.bin));
    let mut positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
    for ((target, ..), weight) in reader.read_morph_targets().zip(weights) {
        for (position, by) in positions.iter_mut().zip(target.unwrap()) {
            *position += Vec3::from(by) * *weight;
        }
    }
    let Some(skin) = node.skin() else {
        return positions.into_iter().map(|p| world[node.index()].transform_point3(p)).collect();
    };
    let binds = skin.reader(|_| Some(&read.bin)).read_inverse_bind_matrices().unwrap();
    let binds = binds.map(|bind| Mat4::from_cols_array_2d(&bind));
    let moves: Vec<Mat4> =
        skin.joints().zip(binds).map(|(joint, bind)| world[joint.index()] * bind).collect();
    let joints = reader.read_joints(0).unwrap().into_u16();
    let weights = reader.read_weights(0).unwrap().into_f32();
    let moved = positions.into_iter().zip(joints.zip(weights)).map(|(position, (joints, weights))| {
        joints
            .iter()
            .zip(weights)
            .map(|(joint, weight)| moves[usize::from(*joint)].transform_point3(position) * weight)
            .sum()
    });
    moved.collect()
}

/// Compares all content of a model with the content of its glTF file.
pub(super) fn assert_same(name: &str, model: &Model<'_>) {
    let read = write_and_read(model);
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or_default();
    let drawn: Vec<(usize, Topology)> = model
        .meshes
        .iter()
        .enumerate()
        .filter(|(_, mesh)| mesh.lod == finest)
        .map(|(index, mesh)| (index, mesh.topology().unwrap()))
        .filter(|(_, topology)| !topology.triangles().is_empty())
        .collect();
    let nodes: Vec<_> = read.document.nodes().filter(|node| node.mesh().is_some()).collect();
    assert_eq!(nodes.len(), drawn.len(), "{name}");
    for (node, (index, topology)) in nodes.iter().zip(&drawn) {
        let mesh = &model.meshes[*index];
        let parts: Vec<_> = topology.submeshes().iter().filter(|part| !part.triangles.is_empty()).collect();
        let primitives: Vec<_> = node.mesh().unwrap().primitives().collect();
        assert_eq!(primitives.len(), parts.len(), "{name}");
        for (primitive, part) in primitives.iter().zip(parts) {
            assert_same_primitive(
                name,
                model,
                (*index, topology),
                part,
                &primitive.reader(|_| Some(&read.bin)),
            );
            assert_eq!(primitive.morph_targets().len(), mesh.frame_count() - 1, "{name}");
        }
    }
    assert_same_clips(name, model, &read, &nodes, &drawn);
}

/// Asserts that the primitive has the triangles of a submesh and the vertices of each frame.
fn assert_same_primitive<'a, 's>(
    name: &str,
    model: &Model<'_>,
    (index, topology): (usize, &Topology),
    part: &Submesh,
    reader: &gltf::mesh::Reader<'a, 's, impl Clone + Fn(gltf::Buffer<'a>) -> Option<&'s [u8]>>,
) {
    let mesh = &model.meshes[index];
    let to_gltf = model.space.to(&Space::GLTF);
    let mirrors = Mat4::from_cols_array_2d(&model.placement).determinant() < 0.0;
    let (positions, normals) = vertices(model, index, topology, 0, &[]);
    let found: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
    assert_close(&found, &positions, &format!("{name} position"));
    let found: Vec<Vec3> = reader.read_normals().unwrap().map(Vec3::from).collect();
    assert_close(&found, &normals, &format!("{name} normal"));
    for set in 0..mesh.texcoord_sets() {
        let mut texcoords = Vec::new();
        assert!(mesh.texcoords_into(set, &mut texcoords).unwrap());
        let mut expected = vec![[0.0; 2]; topology.vertex_count()];
        gather(&texcoords, topology.corners(), &mut expected);
        let found: Vec<[f32; 2]> = reader.read_tex_coords(set as u32).unwrap().into_f32().collect();
        assert_eq!(found, expected, "{name} texture coordinates {set}");
    }
    let turn = |[a, b, c]: [u32; 3]| if mirrors { [a, c, b] } else { [a, b, c] };
    let expected = topology.submesh_triangles(part).iter().flat_map(|t| turn(to_gltf.corners(*t)));
    let found: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    assert!(found.into_iter().eq(expected), "{name} indices");
    for (target, (moves, turns, _)) in reader.read_morph_targets().enumerate() {
        let (expected, expected_normals) = vertices(model, index, topology, target + 1, &[]);
        let moved = |base: &[Vec3], by: Vec<[f32; 3]>| -> Vec<Vec3> {
            base.iter().zip(by).map(|(base, by)| *base + Vec3::from(by)).collect()
        };
        assert_close(&moved(&positions, moves.unwrap().collect()), &expected, "moved position");
        assert_close(&moved(&normals, turns.unwrap().collect()), &expected_normals, "turned normal");
    }
}

/// Asserts that each clip shows the same vertices halfway between its first two frames and at its last frame.
fn assert_same_clips(
    name: &str,
    model: &Model<'_>,
    read: &Read,
    nodes: &[gltf::Node<'_>],
    drawn: &[(usize, Topology)],
) {
    let mut pose = Vec::new();
    for clip in &model.clips {
        let Some(animation) = read.document.animations().find(|found| found.name() == Some(&*clip.name))
        else {
            // A clip of one frame does not move anything, so no animation is written.
            assert_eq!(clip.count, 1, "{name}: no animation {}", clip.name);
            continue;
        };
        for time in [0.5 / clip.rate.get(), (clip.count - 1) as f32 / clip.rate.get()] {
            let (world, weights) = nodes_at(read, &animation, time);
            let shown = model.sample(clip, time, &mut pose);
            let mut joints = Vec::new();
            world_into(&model.joints, &pose, &mut joints);
            for (node, (index, topology)) in nodes.iter().zip(drawn) {
                let expected = match shown {
                    Sample::Pose => vertices(model, *index, topology, 0, &joints).0,
                    Sample::Frames(blend) => {
                        let last = model.meshes[*index].frame_count() - 1;
                        let at = |frame: usize| vertices(model, *index, topology, frame.min(last), &[]).0;
                        at(blend.a).iter().zip(at(blend.b)).map(|(a, b)| a.lerp(b, blend.weight)).collect()
                    }
                };
                let found = played(read, node, &world, &weights[node.index()]);
                // Weights are stored as bytes and rotations are rounded, so the tolerance is a thousandth of the
                // displacement.
                for (found, expected) in found.iter().zip(&expected) {
                    let near = found.abs_diff_eq(*expected, 4e-3 * (1.0 + expected.length()));
                    assert!(near, "{name} {} at {time}: {found} {expected}", clip.name);
                }
                assert_eq!(found.len(), expected.len());
            }
        }
    }
}

#[test]
fn unigine_reads_back_equal() {
    let mut clips = 0;
    for (name, bytes) in real::chosen_files_and_corpus("unigine", &[".mesh"]) {
        let Ok(model) = Model::parse(&bytes) else { continue };
        assert_same(&name, &model);
        clips += model.clips.len();
    }
    assert!(clips > 0);
}

#[test]
fn ultimate_3d_reads_back_equal() {
    let (mut looked, mut clips) = (0, 0);
    for (name, bytes) in real::chosen_files_and_corpus("u3d", &[".u3d"]) {
        // Encrypted files do not parse.
        let Ok(model) = Model::parse(&bytes) else { continue };
        assert_same(&name, &model);
        looked += 1;
        clips += model.clips.len();
    }
    assert!(looked > 10 && clips > 5);
}

#[test]
fn unreal_reads_back_equal() {
    let file = |name: &str| std::fs::read(real::workspace_root().join("corpus/unreal").join(name)).unwrap();
    let text = file("Classes/Figure.uc");
    let script = Script::parse(&text).unwrap();
    for name in ["figure", "ring"] {
        let (geometry, frames) = (file(&format!("Models/{name}_d.3d")), file(&format!("Models/{name}_a.3d")));
        let unreal = Unreal::parse(&geometry, &frames).unwrap();
        let mut model = Model::new(unreal.into()).unwrap();
        assert_same(name, &model);
        if name == "figure" {
            assert!(model.set_script(&unreal, &script, "Figure").is_some());
            assert_same("figure with its script", &model);
        }
    }
}
