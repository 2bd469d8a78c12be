//! What a program does in each frame: poses and vertex buffers, without allocations.

use std::collections::HashSet;

use allocation_counter::measure;
use glam::{Mat4, Vec3};
use meshlens::lens::VertexFormat;
use meshlens::model::{Joint, PlainFrame, PlainMesh, Semantic, Space, Transform, VertexLayout};
use meshlens::scene::{Attachment, Pose, Scene, Socket};
use meshlens::{Format, Model};

use super::scene::{models, triangle, vertices};

/// A layout of all attributes that the mesh has, without those of a shader that moves the vertices.
fn layout(mesh: &meshlens::model::Mesh<'_>) -> VertexLayout {
    let attributes = [
        (Semantic::Position, VertexFormat::Float32x3),
        (Semantic::Normal, VertexFormat::Octahedral16x2),
        (Semantic::Texcoord, VertexFormat::Float16x2),
        (Semantic::Tangent, VertexFormat::Snorm8x4),
    ];
    let has = |semantic| mesh.attribute(semantic, 0, 0).unwrap().is_some();
    let attributes: Vec<_> = attributes
        .into_iter()
        .filter(|(semantic, _)| has(*semantic))
        .map(|(semantic, format)| (semantic, 0, format))
        .collect();
    VertexLayout::packed(&attributes)
}

/// A model, and its copy at a tag whose matrix is not a permutation of axes.
fn scenes() -> impl Iterator<Item = (String, Scene<'static>)> {
    models().into_iter().map(|(name, model)| {
        let mut scene = Scene::from(model.clone());
        let arm = scene.attach(triangle("arm"), Attachment { node: 0, socket: Socket::Joint(0) });
        scene.attach(model, Attachment { node: arm, socket: Socket::Tag(0) });
        (name, scene)
    })
}

#[test]
fn frames_after_the_first_allocate_nothing() {
    let mut skinned = HashSet::new();
    for (name, scene) in scenes() {
        let names: Vec<String> = scene.clips().iter().map(|clip| clip.name.to_owned()).collect();
        let view = scene.view(&Space::GLTF);
        let meshes: Vec<_> = view.meshes().flatten().collect();
        let mut buffers = Vec::new();
        for mesh in &meshes {
            let moved = layout(mesh.mesh());
            buffers.push((mesh, vec![0; mesh.buffer_len(&moved)], moved));
            if mesh.mesh().attribute(Semantic::Joints, 0, 0).unwrap().is_some() {
                let attributes = [
                    (Semantic::Position, 0, VertexFormat::Float32x3),
                    (Semantic::Joints, 0, VertexFormat::Uint16x4),
                    (Semantic::Weights, 0, VertexFormat::Unorm8x4),
                ];
                let bound = VertexLayout::packed(&attributes);
                buffers.push((mesh, vec![0; mesh.buffer_len(&bound)], bound));
                skinned.insert(scene.nodes[0].model.format);
            }
        }
        let mut pose = scene.rest_pose();
        for clip in &names {
            for (is_first, is_prepared) in [(true, true), (true, false), (false, true), (false, false)] {
                let posed = measure(|| {
                    scene.pose_into([(&**clip, 0.05)], &mut pose).unwrap();
                    if !is_prepared {
                        pose.node_mut(0).unwrap();
                    }
                });
                let filled = measure(|| {
                    for (mesh, buffer, layout) in &mut buffers {
                        mesh.fill_vertex_buffer(&pose, layout, buffer).unwrap();
                        mesh.skin(&pose).unwrap().for_each(drop);
                    }
                });
                assert!(is_first || posed.count_total == 0, "{name}, {clip}: {}", posed.count_total);
                assert!(is_first || filled.count_total == 0, "{name}, {clip}: {}", filled.count_total);
            }
        }
    }
    assert!(skinned == [Some(Format::U3d), Some(Format::Unigine)].into(), "{skinned:?}");
}

#[test]
fn skeletons_of_any_size_are_moved_without_allocations() {
    const JOINTS: usize = 3_000;
    let up = |at: usize| Transform { translation: [0.0, 0.0, at as f32], ..Transform::IDENTITY };
    let mut model = Model::empty(None, Space::GLTF);
    model.joints.extend((0..JOINTS).map(|at| Joint { name: String::new(), parent: None, rest: up(at) }));
    let frame = PlainFrame { positions: vec![[1.0, 2.0, 0.0]; 3], ..PlainFrame::default() };
    let plain = PlainMesh {
        frames: vec![frame],
        triangles: vec![[0, 1, 2]],
        joints: vec![[1, 0, 0, 0], [2, 0, 0, 0], [2_999, 1_999, 0, 0]],
        weights: vec![[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]],
        ..PlainMesh::default()
    };
    let mut mesh = plain.into_mesh("many joints").unwrap();
    mesh.skin = Some(vec![Mat4::IDENTITY.to_cols_array_2d(); JOINTS].into());
    model.meshes.push(mesh);
    let scene = Scene::from(model);
    let mesh = scene.view(&Space::GLTF).mesh(0, 0).unwrap();
    let layout = VertexLayout::packed(&[(Semantic::Position, 0, VertexFormat::Float32x3)]);
    let (mut pose, mut buffer) = (scene.rest_pose(), [0; 36]);
    for is_prepared in [true, false] {
        if !is_prepared {
            pose.node_mut(0).unwrap();
        }
        mesh.fill_vertex_buffer(&pose, &layout, &mut buffer).unwrap();
        buffer.fill(0);
        let filled = measure(|| mesh.fill_vertex_buffer(&pose, &layout, &mut buffer).unwrap());
        assert_eq!(filled.count_total, 0);
        let heights = [8, 20, 32].map(|at| f32::from_ne_bytes(*buffer[at..].first_chunk().unwrap()));
        assert_eq!(heights, [1.0, 2.0, 2_499.0]);
    }
}

#[test]
fn a_pose_that_is_changed_equals_a_new_one() {
    for (name, scene) in scenes() {
        let mut changed = scene.rest_pose();
        for clip in scene.clips() {
            for time in [0.0, 0.07, 2.5] {
                scene.pose_into([(clip.name, time)], &mut changed).unwrap();
                assert!(changed == scene.pose(&[(clip.name, time)]).unwrap(), "{name}, {}", clip.name);
            }
            let before = changed.clone();
            assert!(scene.pose_into([(clip.name, 0.0), ("no such clip", 0.0)], &mut changed).is_err());
            assert!(changed == before, "{name}");
        }
        scene.pose_into([], &mut changed).unwrap();
        assert!(changed == scene.rest_pose(), "{name}");
    }
}

#[test]
fn matrices_that_a_pose_contains_are_those_that_a_buffer_computes() {
    for (name, mut scene) in scenes() {
        let clips: Vec<String> = scene.clips().iter().map(|clip| clip.name.to_owned()).collect();
        for clip in clips {
            let mut pose = scene.pose(&[(&clip, 0.05)]).unwrap();
            assert!(pose.is_prepared());
            let contained = content(&scene, &pose);
            pose.node_mut(0).unwrap();
            assert!(!pose.is_prepared());
            assert!(content(&scene, &pose) == contained, "{name}, {clip}");

            // A change is seen by every node that depends on it, before and after the matrices are computed again.
            pose.play(&scene, &clip, 0.08).unwrap();
            let computed = content(&scene, &pose);
            assert!(computed == content(&scene, &scene.pose(&[(&clip, 0.08)]).unwrap()), "{name}, {clip}");
            pose.prepare(&scene);
            assert!(content(&scene, &pose) == computed, "{name}, {clip}");

            // An attachment may change after the pose was made.
            scene.nodes[2].attachment = Some(Attachment { node: 0, socket: Socket::Joint(0) });
            let moved = content(&scene, &pose);
            assert!(moved == content(&scene, &scene.pose(&[(&clip, 0.08)]).unwrap()), "{name}, {clip}");
            assert!(moved != computed, "{name}, {clip}");
            scene.nodes[2].attachment = Some(Attachment { node: 1, socket: Socket::Tag(0) });
        }
    }
}

type Matrix = [[f32; 4]; 4];

/// The matrices of all nodes, and their vertex buffers.
fn content(scene: &Scene<'_>, pose: &Pose) -> (Vec<Option<Matrix>>, Vec<Vec<u8>>) {
    let view = scene.view(&Space::GLTF);
    let buffers = view.meshes().flatten().map(|mesh| {
        let layout = layout(mesh.mesh());
        let mut buffer = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(pose, &layout, &mut buffer).unwrap();
        buffer
    });
    ((0..scene.nodes.len()).map(|node| view.matrix(node, pose)).collect(), buffers.collect())
}

#[test]
fn moving_attributes_are_brought_to_the_next_pose() {
    for (name, scene) in scenes() {
        let Some(clip) = scene.clips().first().map(|clip| clip.name.to_owned()) else { continue };
        for mesh in scene.view(&Space::UNITY).meshes().flatten() {
            let layout = layout(mesh.mesh());
            let (moving, still) = (layout.moving(), layout.still());
            assert_eq!((moving.stride(), still.stride()), (layout.stride(), layout.stride()));
            let (mut wanted, mut found) =
                (vec![0; mesh.buffer_len(&layout)], vec![0; mesh.buffer_len(&layout)]);
            let pose = scene.pose(&[(&clip, 0.05)]).unwrap();
            mesh.fill_vertex_buffer(&pose, &layout, &mut wanted).unwrap();
            mesh.fill_vertex_buffer(&scene.rest_pose(), &layout, &mut found).unwrap();
            mesh.fill_vertex_buffer(&pose, &moving, &mut found).unwrap();
            assert!(found == wanted, "{name}");
            found.fill(0);
            mesh.fill_vertex_buffer(&pose, &moving, &mut found).unwrap();
            if still.offsets().count() > 0 {
                mesh.fill_vertex_buffer(&pose, &still, &mut found).unwrap();
            }
            assert!(found == wanted, "{name}");
        }
    }
}

#[test]
fn vertices_of_a_node_and_its_matrix_make_the_vertices_of_the_scene() {
    for (name, scene) in scenes() {
        let view = scene.view(&Space::GLTF).scaled(0.5);
        let pose = match scene.clips().first() {
            Some(clip) => scene.pose(&[(clip.name, 0.05)]).unwrap(),
            None => scene.rest_pose(),
        };
        for (mesh, own) in view.meshes().flatten().zip(view.local().meshes().flatten()) {
            if mesh.mesh().attribute(Semantic::Normal, 0, 0).unwrap().is_none() {
                continue;
            }
            let node = Mat4::from_cols_array_2d(&view.node_matrix(mesh.node(), &pose).unwrap());
            for ([position, normal], [local, direction]) in
                vertices(&mesh, &pose).into_iter().zip(vertices(&own, &pose))
            {
                let size = position.length().max(node.w_axis.length()).max(1.0);
                let close = |a: Vec3, b: Vec3, size: f32| a.abs_diff_eq(b, 1e-5 * size);
                assert!(close(node.transform_point3(local), position, size), "{name}: {local} {position}");
                assert!(
                    close(node.transform_vector3(direction), normal, 1.0),
                    "{name}: {direction} {normal}"
                );
            }
        }
        assert_eq!(view.local().matrix(2, &pose), view.matrix(2, &pose));
    }
    assert!(scenes().next().unwrap().1.view(&Space::GLTF).node_matrix(9, &Default::default()).is_none());
}

#[test]
fn a_layout_has_a_largest_number_of_attributes() {
    let model = triangle("flat");
    let all = [(Semantic::Position, 0, VertexFormat::Float32x3); 33];
    let mut out = vec![0; 3 * 12 * 33];
    let layout = VertexLayout::packed(&all[..32]);
    model.fill_vertex_buffer(0, 0, &layout, &mut out[..3 * 12 * 32]).unwrap();
    let error = model.fill_vertex_buffer(0, 0, &VertexLayout::packed(&all), &mut out).unwrap_err();
    assert_eq!(error.to_string(), "vertex buffer: attributes of a vertex: the limit is 32, found 33");
}
