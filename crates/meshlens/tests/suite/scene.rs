//! Scenes: the transforms and the space of nodes, and the frames that they show.

use glam::{Mat3, Mat4, Vec3};
use meshlens::Model;
use meshlens::lens::VertexFormat;
use meshlens::model::{
    Clip, Joint, PlainFrame, PlainMesh, Semantic, Space, Tag, TagPose, Transform, VertexLayout, world_into,
};
use meshlens::scene::{Scene, ViewMesh};
use meshlens_testkit::corpus;

pub(super) fn layout() -> VertexLayout {
    VertexLayout::new(24).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
        Semantic::Normal,
        12,
        VertexFormat::Float32x3,
    )
}

/// The positions and the normals of a mesh.
pub(super) fn vertices(mesh: &ViewMesh<'_, '_>, pose: &meshlens::scene::Pose) -> Vec<[Vec3; 2]> {
    let mut out = vec![0; mesh.buffer_len(&layout())];
    mesh.fill_vertex_buffer(pose, &layout(), &mut out).unwrap();
    values(&out)
}

/// The positions and the normals in a buffer.
fn values(out: &[u8]) -> Vec<[Vec3; 2]> {
    let numbers: Vec<f32> = out.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
    let values: Vec<Vec3> = numbers.as_chunks::<3>().0.iter().map(|value| Vec3::from(*value)).collect();
    values.as_chunks().0.to_vec()
}

pub(super) fn triangles(mesh: &ViewMesh<'_, '_>) -> Vec<[u32; 3]> {
    let format = meshlens::model::IndexFormat::Uint32;
    let mut out = vec![0; mesh.index_buffer_len(format)];
    mesh.write_indices(format, &mut out).unwrap();
    let indices: Vec<u32> = out.as_chunks().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect();
    indices.as_chunks().0.to_vec()
}

pub(super) fn models() -> Vec<(String, Model<'static>)> {
    let leak = |bytes: Vec<u8>| -> &'static [u8] { bytes.leak() };
    let files = corpus::with_extension(&[".md3", ".u3d", ".mesh"]).into_iter();
    let files = files.filter_map(|(name, bytes)| Some((name, Model::parse(leak(bytes)).ok()?)));
    let pairs = corpus::unreal_pairs().into_iter().filter_map(|(name, geometry, frames)| {
        let unreal = meshlens::unreal::Unreal::parse(leak(geometry), leak(frames)).ok()?;
        Some((name, Model::new(unreal.into()).ok()?))
    });
    files.chain(pairs).collect()
}

/// A model with one triangle in the plane of X and Y, one tag, and one joint.
pub(super) fn triangle(name: &str) -> Model<'static> {
    let frame = |far: f32| PlainFrame {
        positions: vec![[0.0; 3], [far, 0.0, 0.0], [0.0, far, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        ..PlainFrame::default()
    };
    let plain = PlainMesh {
        frames: vec![frame(1.0), frame(3.0)],
        triangles: vec![[0, 1, 2]],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::GLTF);
    model.name = name.into();
    model.meshes.push(plain.into_mesh(name).unwrap());
    model.tags.push(Tag { name: "tag_end".into(), index: 0 });
    let quarter = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let tag = |x: f32| vec![TagPose { origin: [x, 0.0, 0.0], axes: quarter }];
    model.set_tag_poses(vec![tag(10.0), tag(20.0)]);
    model.clips.push(Clip::new("move", 0, 2, 1.0));
    model
}

#[test]
fn the_vertices_of_one_file_are_converted() {
    for (name, model) in models() {
        let scene = Scene::from(model);
        let model = &scene.nodes[0].model;
        let to_gltf = model.space.to(&Space::GLTF).scaled(2.0);
        let view = scene.view(&Space::GLTF).scaled(2.0);
        let mut count = 0;
        for mesh in view.meshes() {
            let Ok(mesh) = mesh else { continue };
            let topology = mesh.mesh().topology().unwrap();
            let mut stored = vec![0; mesh.buffer_len(&layout())];
            if mesh.mesh().fill_vertex_buffer(&topology, 0, &layout(), &mut stored).is_err() {
                continue;
            }
            let converted = |[position, normal]: [Vec3; 2]| {
                [to_gltf.position(position.into()), to_gltf.direction(normal.into())].map(Vec3::from)
            };
            let expected: Vec<_> = values(&stored).into_iter().map(converted).collect();
            let found = vertices(&mesh, &scene.rest_pose());
            // Joints at rest move vertices only by rounding errors.
            if mesh.mesh().skin.is_none() {
                assert_eq!(found, expected, "{name}");
            }
            let wanted: Vec<_> =
                topology.triangles().iter().map(|corners| to_gltf.corners(*corners)).collect();
            assert_eq!(triangles(&mesh), wanted, "{name}");
            count += 1;
        }
        assert!(count > 0 || model.meshes.iter().all(|mesh| mesh.point_count() == 0), "{name}");
    }
}

#[test]
fn placement_transforms_positions_normals_and_winding() {
    let mirrored = Mat4::from_translation(Vec3::new(5.0, -3.0, 2.0))
        * Mat4::from_rotation_z(0.7)
        * Mat4::from_scale(Vec3::new(0.5, -2.0, 1.5));
    let mut formats = std::collections::BTreeSet::new();
    for placement in [mirrored, mirrored * Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0))] {
        for (name, mut model) in models() {
            model.placement = placement.to_cols_array_2d();
            let scene = Scene::from(model);
            let model = &scene.nodes[0].model;
            let to_gltf = model.space.to(&Space::GLTF);
            for mesh in scene.view(&Space::GLTF).meshes().flatten() {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                if mesh.mesh().skin.is_some() || !mesh.mesh().normals_into(0, &mut normals).unwrap() {
                    continue;
                }
                mesh.mesh().blend_positions_into(0.into(), &mut positions).unwrap();
                let topology = mesh.mesh().topology().unwrap();
                let found = vertices(&mesh, &scene.rest_pose());
                for (vertex, [position, normal]) in found.iter().enumerate() {
                    let point = topology.points().map_or(vertex, |points| points[vertex] as usize);
                    let corner = topology.corners().map_or(vertex, |corners| corners[vertex] as usize);
                    let placed = placement.transform_point3(positions[point].into());
                    let wanted = Vec3::from(to_gltf.position(placed.into()));
                    assert!(
                        position.abs_diff_eq(wanted, 1e-4 * (1.0 + wanted.length())),
                        "{name}: {position}"
                    );
                    let normal_matrix = Mat3::from_mat4(placement).inverse().transpose();
                    let turned = (normal_matrix * Vec3::from(normals[corner])).normalize_or_zero();
                    let wanted = Vec3::from(to_gltf.direction(turned.into()));
                    assert!(normal.abs_diff_eq(wanted, 1e-5) || turned == Vec3::ZERO, "{name}: {normal}");
                }
                // The view without a placement shows which triangles agree with their normals.
                let mut plain = model.clone();
                plain.placement = Mat4::IDENTITY.to_cols_array_2d();
                let plain = Scene::from(plain);
                let plain_view = plain.view(&Space::GLTF);
                let plain_mesh =
                    plain_view.meshes().flatten().find(|one| one.mesh().name == mesh.mesh().name).unwrap();
                let agreement = |triangles: &[[u32; 3]], vertices: &[[Vec3; 2]]| {
                    let side = |corners: &[u32; 3]| {
                        let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
                        let front = (b[0] - a[0]).cross(c[0] - a[0]);
                        front.dot(a[1] + b[1] + c[1]).signum()
                    };
                    triangles.iter().map(side).sum::<f32>()
                };
                let before = agreement(&triangles(&plain_mesh), &vertices(&plain_mesh, &plain.rest_pose()));
                let after = agreement(&triangles(&mesh), &found);
                assert_eq!(before.signum(), after.signum(), "{name}: {before} {after}");
                formats.insert(model.format);
            }
        }
    }
    assert_eq!(formats.len(), 4, "{formats:?}");
}

#[test]
fn vertices_for_a_shader_are_not_skinned() {
    let mut model = triangle("actor");
    model.joints.push(Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY });
    let frame = PlainFrame {
        positions: vec![[1.0, 0.0, 0.0]; 3],
        normals: vec![[1.0, 0.0, 0.0]; 3],
        ..PlainFrame::default()
    };
    let plain = PlainMesh {
        frames: vec![frame],
        triangles: vec![[0, 1, 2]],
        joints: vec![[0; 4]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 3],
        ..PlainMesh::default()
    };
    model.meshes[0] = plain.into_mesh("skin").unwrap();
    model.meshes[0].skin = Some(vec![Mat4::IDENTITY.to_cols_array_2d()].into());
    model.placement = Mat4::from_scale(Vec3::splat(2.0)).to_cols_array_2d();
    let scene = Scene::from(model);
    let view = scene.view(&Space::GLTF);
    let mesh = view.mesh(0, 0).unwrap();
    let mut pose = scene.rest_pose();
    let quarter =
        Mat4::from_translation(Vec3::new(0.0, 0.0, 4.0)) * Mat4::from_rotation_z(std::f32::consts::FRAC_PI_2);
    pose.node_mut(0).unwrap().joints[0] = quarter.to_cols_array_2d();
    let [position, normal] = vertices(&mesh, &pose)[0];
    assert!(position.abs_diff_eq(Vec3::new(0.0, 2.0, 8.0), 1e-6), "{position}");
    assert!(normal.abs_diff_eq(Vec3::Y, 1e-6), "{normal}");

    let layout = VertexLayout::new(20)
        .with(Semantic::Position, 0, VertexFormat::Float32x3)
        .with(Semantic::Joints, 12, VertexFormat::Uint8x4)
        .with(Semantic::Weights, 16, VertexFormat::Unorm8x4);
    let mut bound = vec![0; mesh.buffer_len(&layout)];
    mesh.fill_vertex_buffer(&pose, &layout, &mut bound).unwrap();
    assert_eq!(bound[..12], [2f32, 0.0, 0.0].map(f32::to_ne_bytes).concat());
    assert_eq!(bound[12..20], [0, 0, 0, 0, 255, 0, 0, 0]);
    // The positions and normals that the shader computes.
    let skin: Vec<_> = mesh.skin(&pose).unwrap().collect();
    let moved = Mat4::from_cols_array_2d(&skin[0]).transform_point3(Vec3::new(2.0, 0.0, 0.0));
    assert!(moved.abs_diff_eq(position, 1e-6), "{moved}");
    // The topology of one view can be used in another view.
    let again = scene.view(&Space::MD3).mesh_with(0, 0, mesh.topology().clone()).unwrap();
    assert_eq!((again.vertex_count(), again.triangle_count()), (mesh.vertex_count(), mesh.triangle_count()));
    assert!(scene.view(&Space::MD3).mesh_with(0, 9, mesh.topology().clone()).is_err());
}

#[test]
fn skinning_in_scenes_agrees_with_skinning_of_models() {
    let mut count = 0;
    for (name, model) in models() {
        let scene = Scene::from(model);
        let model = &scene.nodes[0].model;
        for clip in model.clips.iter().filter(|clip| clip.animation.is_some()) {
            let mut pose = scene.rest_pose();
            pose.play_on(&scene, 0, clip, 0.3);
            let (mut local, mut world) = (Vec::new(), Vec::new());
            model.pose_into(clip, 0.3, &mut local);
            world_into(&model.joints, &local, &mut world);
            for mesh in scene.view(&model.space).meshes().flatten().filter(|mesh| mesh.mesh().skin.is_some())
            {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                let topology = mesh.mesh().topology().unwrap();
                mesh.mesh().skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals).unwrap();
                let found = vertices(&mesh, &pose);
                let wanted: Vec<[Vec3; 2]> =
                    positions.iter().zip(&normals).map(|(p, n)| [(*p).into(), (*n).into()]).collect();
                assert_eq!(found, wanted, "{name}");
                count += 1;
            }
        }
    }
    assert!(count >= 4, "{count}");
}

#[test]
fn a_level_that_does_not_exist_shows_the_coarsest_one() {
    let mut scene = Scene::from(triangle("fine"));
    scene.nodes[0].lods = vec![triangle("coarse"), triangle("coarsest")];
    let names = [0, 1, 2, 9].map(|lod| {
        let view = scene.view(&Space::GLTF).lod(lod);
        view.meshes().map(|mesh| mesh.unwrap().mesh().name.clone()).collect::<Vec<_>>()
    });
    assert_eq!(names, [["fine"], ["coarse"], ["coarsest"], ["coarsest"]]);
    let levels = models().into_iter().find(|(name, _)| name.ends_with("v2_levels.u3d")).unwrap().1;
    let finest = levels.meshes.iter().map(|mesh| mesh.lod).min().unwrap();
    let scene = Scene::from(levels);
    let lods = [0, 1, 99].map(|lod| {
        let mut found = scene.view(&Space::GLTF).lod(lod).meshes();
        found.next().unwrap().unwrap().mesh().lod
    });
    let coarsest = scene.nodes[0].model.meshes.iter().map(|mesh| mesh.lod).max().unwrap();
    assert_eq!(lods, [finest, finest + 1, coarsest]);
}
