//! Bevy's own loader of glTF plays the files that conversions write: models of more than 256 frames, and skeletons.

use std::collections::BTreeSet;

use bevy::gltf::{Gltf, GltfMeshName};
use bevy::mesh::VertexAttributeValues;
use bevy::mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use bevy_meshlens::meshlens::Model;
use bevy_meshlens::meshlens::lens::VertexFormat;
use bevy_meshlens::meshlens::model::{Clip, PlainFrame, PlainMesh, Semantic, Space, VertexLayout};
use bevy_meshlens::meshlens::scene::Scene;
use meshlens_assets::{Assets as Files, OpenOptions};
use meshlens_carriers::skeleton::{Options as SkeletonOptions, skeleton};
use meshlens_gltf::{Export, Options};
use meshlens_testkit::real;

use crate::app::{app, update_until, wait, workspace};

/// A GLB file in an app.
struct Played {
    app: App,
    gltf: Handle<Gltf>,
    _folder: tempfile::TempDir,
}

impl Played {
    fn new(scene: &Scene<'_>) -> Played {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { compact_joints: true, ..Options::default() };
        // Bevy loads a file again when it is closed after a change.
        let mut glb = Vec::new();
        Export::plan(scene, &options).expect("a file").write_glb(&mut glb).expect("a file");
        std::fs::write(folder.path().join("model.glb"), glb).expect("a file");
        let mut app = app(folder.path());
        let gltf: Handle<Gltf> = app.world().resource::<AssetServer>().load("model.glb");
        wait(&mut app, &gltf).expect("a file that Bevy loads");
        let loaded = app.world().resource::<Assets<Gltf>>().get(&gltf).expect("a file");
        let shown = loaded.default_scene.clone().expect("a scene");
        let root = app.world_mut().spawn(WorldAssetRoot(shown)).id();
        update_until(&mut app, "a scene is spawned", |app| app.world().get::<Children>(root).is_some());
        Played { app, gltf, _folder: folder }
    }

    /// Plays a clip with every player of the scene.
    fn play(&mut self, clip: &str) {
        let gltf = self.app.world().resource::<Assets<Gltf>>().get(&self.gltf).expect("a file");
        let (graph, index) = AnimationGraph::from_clip(gltf.named_animations[clip].clone());
        let graph = self.app.world_mut().resource_mut::<Assets<AnimationGraph>>().add(graph);
        let world = self.app.world_mut();
        let mut players = world.query_filtered::<Entity, With<AnimationPlayer>>();
        let players: Vec<Entity> = players.iter(world).collect();
        assert!(!players.is_empty(), "nothing plays");
        for player in players {
            let mut entity = world.entity_mut(player);
            entity.insert(AnimationGraphHandle(graph.clone()));
            let mut player = entity.get_mut::<AnimationPlayer>().expect("a player");
            player.stop_all();
            player.play(index).pause();
        }
        // A graph is used after it was looked at.
        (0..3).for_each(|_| self.app.update());
    }

    /// The vertices of every primitive that is shown at a time, with the name of its mesh, computed as Bevy's shaders do.
    fn vertices(&mut self, time: f32) -> Vec<(String, Vec<Vec3>)> {
        let world = self.app.world_mut();
        for mut player in world.query::<&mut AnimationPlayer>().iter_mut(world) {
            player.playing_animations_mut().for_each(|(_, animation)| {
                animation.seek_to(time);
            });
        }
        self.app.update();
        let world = self.app.world_mut();
        let mut entities = world.query::<(
            &Mesh3d,
            &GlobalTransform,
            &GltfMeshName,
            Option<&MeshMorphWeights>,
            Option<&SkinnedMesh>,
        )>();
        let mut shown = Vec::new();
        for (mesh, place, name, morph, skin) in entities.iter(world) {
            let mesh = world.resource::<Assets<Mesh>>().get(&mesh.0).expect("a mesh");
            let Some(VertexAttributeValues::Float32x3(rest)) = mesh.attribute(Mesh::ATTRIBUTE_POSITION)
            else {
                panic!("{}: no positions", name.0);
            };
            let mut vertices: Vec<Vec3> = rest.iter().map(|at| Vec3::from(*at)).collect();
            if let Some(MeshMorphWeights::Reference(of)) = morph {
                let weights = world.get::<MorphWeights>(*of).expect("weights").weights();
                let targets = mesh.morph_targets().expect("targets");
                assert!(weights.len() <= 256, "{} targets", weights.len());
                assert_eq!(targets.len(), weights.len() * vertices.len());
                for (moves, weight) in targets.chunks(vertices.len()).zip(weights) {
                    for (vertex, moved) in vertices.iter_mut().zip(moves) {
                        *vertex += moved.position * *weight;
                    }
                }
            }
            if let Some(skin) = skin {
                let binds = world.resource::<Assets<SkinnedMeshInverseBindposes>>();
                let binds = binds.get(&skin.inverse_bindposes).expect("matrices");
                let joint =
                    |joint: &Entity| world.get::<GlobalTransform>(*joint).expect("a joint").to_matrix();
                let matrices: Vec<Mat4> =
                    skin.joints.iter().zip(&**binds).map(|(entity, bind)| joint(entity) * *bind).collect();
                let (
                    Some(VertexAttributeValues::Uint16x4(joints)),
                    Some(VertexAttributeValues::Float32x4(weights)),
                ) = (
                    mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX),
                    mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT),
                )
                else {
                    panic!("{}: no joints", name.0);
                };
                for ((vertex, joints), weights) in vertices.iter_mut().zip(joints).zip(weights) {
                    *vertex = moved(&matrices, *vertex, joints, weights);
                }
            } else if place.scale() == Vec3::ZERO {
                continue;
            } else {
                vertices.iter_mut().for_each(|vertex| *vertex = place.transform_point(*vertex));
            }
            shown.push((name.0.clone(), vertices));
        }
        shown
    }
}

/// A vertex as joints move it.
fn moved(matrices: &[Mat4], at: Vec3, joints: &[u16; 4], weights: &[f32; 4]) -> Vec3 {
    let moved = |(joint, weight): (&u16, &f32)| matrices[usize::from(*joint)].transform_point3(at) * *weight;
    joints.iter().zip(weights).map(moved).sum()
}

/// The vertices of the meshes of a scene at a time of a clip, as its view has them.
fn expected(scene: &Scene<'_>, clip: &str, time: f32) -> Vec<(String, Vec<Vec3>)> {
    let view = scene.view(&Space::GLTF);
    let pose = scene.pose(&[(clip, time)]).expect("a clip");
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let meshes = view.mesh_indices().map(|(node, index)| {
        let mesh = view.mesh(node, index).expect("a mesh");
        let mut buffer = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(&pose, &layout, &mut buffer).expect("vertices");
        let value = |bytes: &[u8]| f32::from_ne_bytes(bytes.try_into().expect("four bytes"));
        let vertices = buffer
            .chunks_exact(12)
            .map(|at| Vec3::from_array([0, 4, 8].map(|axis| value(&at[axis..][..4]))))
            .collect();
        (view.model(node).expect("a model").meshes[index].name.clone(), vertices)
    });
    let meshes: Vec<_> = meshes.collect();
    let names: BTreeSet<&String> = meshes.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), meshes.len(), "the names are distinct");
    meshes
}

/// The distance between each vertex in Bevy and where the frames have it at a time.
fn distances(played: &mut Played, scene: &Scene<'_>, clip: &str, time: f32) -> Vec<f32> {
    let shown = played.vertices(time);
    let mut all = Vec::new();
    for (name, wanted) in expected(scene, clip, time) {
        // A mesh with many targets is several, of which one is shown.
        let is_part = |other: &str| {
            other == name || other.strip_prefix(&*name).is_some_and(|rest| rest.starts_with(" part "))
        };
        let found: Vec<_> = shown.iter().filter(|(other, _)| is_part(other)).collect();
        let [(_, found)] = found[..] else { panic!("{clip} {time}: {} of {name} are shown", found.len()) };
        assert_eq!(found.len(), wanted.len());
        all.extend(found.iter().zip(&wanted).map(|(found, wanted)| found.distance(*wanted)));
    }
    all
}

/// Plays every clip of vertex frames, at its frames and between them. Returns the number of meshes in the file.
fn plays(scene: &Scene<'_>) -> usize {
    let mut played = Played::new(scene);
    for clip in &scene.nodes[0].model.clips {
        played.play(&clip.name);
        for step in 0..2 * clip.count - 1 {
            let time = step as f32 / 2.0 / clip.rate.get();
            let farthest = distances(&mut played, scene, &clip.name, time).into_iter().fold(0.0, f32::max);
            assert!(farthest < 1e-3, "{} at {time} s: {farthest}", clip.name);
        }
    }
    let gltf = played.app.world().resource::<Assets<Gltf>>().get(&played.gltf).expect("a file");
    gltf.meshes.len()
}

#[test]
fn three_hundred_frames_play() {
    // The first vertex is at the number of its frame.
    let frame = |frame: usize| PlainFrame {
        positions: vec![[frame as f32, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]],
        ..PlainFrame::default()
    };
    let plain = PlainMesh {
        frames: (0..300).map(frame).collect(),
        triangles: vec![[0, 1, 2]],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(plain.into_mesh("mesh").expect("a mesh"));
    model.clips = vec![
        Clip::new("first", 0, 200, 20.0),
        Clip::new("all", 0, 300, 10.0),
        Clip::new("last", 290, 10, 5.0),
    ];
    let scene = Scene::from(model);
    assert_eq!(plays(&scene), 2);
    let mut played = Played::new(&scene);
    played.play("all");
    for (time, x) in [(0.0, 0.0), (12.25, 122.5), (25.5, 255.0), (29.9, 299.0)] {
        let shown = played.vertices(time);
        let [(_, vertices)] = &shown[..] else { panic!("one mesh is shown, not {}", shown.len()) };
        assert!((vertices[0].x - x).abs() < 1e-3, "{time} s: {}", vertices[0]);
    }
}

/// Plays every clip of a skeleton. Bevy shows what the report says of the distances to the vertex frames.
fn follows(scene: &Scene<'_>) {
    let rigged = skeleton(scene, &SkeletonOptions::default()).expect("a skeleton");
    let [report] = &rigged.reports[..] else { panic!("one model") };
    let mut played = Played::new(&rigged.scene);
    let (mut frames, mut all) = (BTreeSet::new(), Vec::new());
    for clip in &scene.nodes[0].model.clips {
        played.play(&clip.name);
        for (step, frame) in clip.frames().enumerate() {
            // The pose is ours, with the rounding of `f32`.
            let time = step as f32 / clip.rate.get();
            let apart =
                distances(&mut played, &rigged.scene, &clip.name, time).into_iter().fold(0.0, f32::max);
            assert!(apart < 1e-3, "{} at {time} s: {apart}", clip.name);
            if frames.insert(frame) {
                all.extend(distances(&mut played, scene, &clip.name, time).into_iter().map(f64::from));
            }
        }
    }
    let rms = (all.iter().map(|distance| distance * distance).sum::<f64>() / all.len() as f64).sqrt();
    let max = all.iter().copied().fold(0.0, f64::max);
    println!(
        "{}: {} positions in {} frames, RMS {rms:.4}, maximum {max:.4}; {report}",
        report.name,
        all.len(),
        frames.len()
    );
    assert_eq!(frames.len(), report.frames);
    assert!((rms - report.rms).abs() < 1e-3 && (max - report.max).abs() < 1e-3, "{rms} {max}, {report}");
    assert!(max > 0.0);
}

/// A model with the files beside it.
fn open(path: &std::path::Path) -> meshlens_assets::Asset {
    let files = Files::new();
    let found = files.user_path(path.display().to_string()).expect("a path").locate().expect("a file");
    found.open(&OpenOptions { lods: false, ..OpenOptions::default() }).expect("a model")
}

#[test]
fn a_skeleton_has_the_poses_of_the_frames() {
    follows(open(&workspace().join("corpus/gallery/walker.md3")).scene());
}

#[test]
fn real_players_play() {
    let Some(folder) = real::folder() else {
        println!("skipped: MESHLENS_REAL is not set");
        return;
    };
    let players = folder.join("md3/pak0/models/players");
    let legs = open(&players.join("sorceress/lower.md3"));
    assert_eq!(legs.scene().nodes[0].model.frame_count(), 325);
    assert_eq!(plays(legs.scene()), 2 * legs.scene().nodes[0].model.meshes.len());
    follows(legs.scene());
    follows(open(&players.join("sarge/lower_2.md3")).scene());
}
