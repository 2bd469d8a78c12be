//! `Model` for every format: its values are those of the format, and left stays left.

use glam::Mat4;
use meshlens::lens::{Bounds, VertexFormat};
use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Md3, Skin};
use meshlens::model::{Blend, Model, Sample, Semantic, Space, VertexLayout, world_into};
use meshlens::unreal::{Script, Unreal};
use meshlens::{Document, u3d, unigine};
use meshlens_testkit::real;
use meshlens_testkit::shapes::Shape;

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

fn messages(losses: &meshlens::Report) -> Vec<&str> {
    losses.findings().map(|finding| finding.message.as_str()).collect()
}

/// How far the first frame reaches to its own left and to its own right, forward and up, in glTF's axes.
fn reach(model: &Model<'_>) -> [f32; 4] {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut reach = [0.0f32; 4];
    for mesh in &model.meshes {
        for point in mesh.positions(0).unwrap().to_vec() {
            // glTF: +X is left, +Y up and +Z forward of a model.
            let [x, y, z] = to_gltf.position(
                Mat4::from_cols_array_2d(&model.placement).transform_point3(point.into()).to_array(),
            );
            for (reach, value) in reach.iter_mut().zip([x, -x, z, y]) {
                *reach = reach.max(value);
            }
        }
    }
    reach
}

/// The share of triangles whose front, counter-clockwise in glTF, agrees with the normals of their corners.
fn agreement(model: &Model<'_>) -> f64 {
    let to_gltf = model.space.to(&Space::GLTF);
    let (mut agree, mut all) = (0, 0);
    for mesh in &model.meshes {
        let topology = mesh.topology().unwrap();
        let positions = mesh.positions(0).unwrap().to_vec();
        let mut normals = Vec::new();
        if !mesh.normals_into(0, &mut normals).unwrap() {
            continue;
        }
        let point = |vertex: u32| topology.points().map_or(vertex, |map| map[vertex as usize]) as usize;
        let corner = |vertex: u32| topology.corners().map_or(vertex, |map| map[vertex as usize]) as usize;
        for triangle in topology.triangles() {
            let corners = to_gltf.corners(*triangle);
            let [a, b, c] =
                corners.map(|vertex| glam::Vec3::from(to_gltf.position(positions[point(vertex)])));
            let face = (b - a).cross(c - a);
            if face.length() < 1e-6 {
                continue;
            }
            let sum: glam::Vec3 = corners
                .iter()
                .map(|vertex| glam::Vec3::from(to_gltf.direction(normals[corner(*vertex)])))
                .sum();
            agree += u32::from(face.dot(sum) > 0.0);
            all += 1;
        }
    }
    f64::from(agree) / f64::from(all)
}

#[test]
fn the_one_armed_figure_of_md3_keeps_its_left_arm() {
    let bytes = corpus("md3/static.md3");
    let model = Model::parse(&bytes).unwrap();
    // The left arm is 10 long, and nothing is beyond 3 on the right. The nose is 3 forward, and the head 16 up.
    assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
    assert_eq!(agreement(&model), 1.0);
}

#[test]
fn the_one_armed_figure_of_unreal_keeps_its_left_arm() {
    let files = ["figure_d.3d", "figure_a.3d"].map(|name| corpus(&format!("unreal/Models/{name}")));
    let unreal = Unreal::parse(&files[0], &files[1]).unwrap();
    let mut model = Model::new(unreal.into()).unwrap();
    assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
    assert_eq!(agreement(&model), 1.0);
    let weapon = model.tag_pose(0, 0).unwrap();
    assert_eq!(model.space.to(&Space::GLTF).position(weapon.origin), [10.0, 14.0, 0.0], "in the left hand");

    // The script turns it a quarter to the right, so that its own left is forward, and moves the ground up.
    let text = corpus("unreal/Classes/Figure.uc");
    let script = Script::parse(&text).unwrap();
    let lost = model.set_script(&unreal, &script, "FIGURE").unwrap();
    assert_eq!(messages(&lost), ["notify PlayTurn of sequence Turn"]);
    let close = reach(&model).map(|value| (value * 1000.0).round() / 1000.0);
    // X and Y are stored times 8 and scaled by 0.1, Z times 4 and 0.2: all 0.8; 64 of Z is 16 units, 12.8 here.
    assert_eq!(close, [1.6, 2.4, 8.0, 0.0]);
    let clips: Vec<_> = model
        .clips
        .iter()
        .map(|clip| (clip.name.as_str(), clip.first, clip.count, clip.rate.get()))
        .collect();
    assert_eq!(clips, [("All", 0, 3, 30.0), ("Turn", 1, 2, 7.5)]);
    assert!(model.materials.iter().all(|material| !material.name.is_empty()));
    let weapon = glam::Vec3::from(model.tag_pose(0, 0).unwrap().origin);
    assert!(weapon.abs_diff_eq(glam::Vec3::new(8.0, 0.0, -1.6), 1e-4), "{weapon}");
}

#[test]
fn unreal_corners_are_welded_by_vertex_and_texture_coordinate() {
    let files = ["ring_d.3d", "ring_a.3d"].map(|name| corpus(&format!("unreal/Models/{name}")));
    let unreal = Unreal::parse(&files[0], &files[1]).unwrap();
    let model = Model::new(unreal.into()).unwrap();
    let mesh = &model.meshes[0];
    let topology = mesh.topology().unwrap();
    // Each vertex of the torus has one texture coordinate, but for rounding to bytes.
    assert_eq!(topology.vertex_count(), unreal.vertex_count());
    assert_eq!(topology.triangles().len(), unreal.triangle_count());
    let (points, corners) = (topology.points().unwrap(), topology.corners().unwrap());
    let mut texcoords = Vec::new();
    assert!(mesh.texcoords_into(0, &mut texcoords).unwrap());
    let mut seen = std::collections::BTreeMap::new();
    for submesh in topology.submeshes() {
        let material = &model.materials[submesh.material.unwrap()];
        for triangle in topology.submesh_triangles(submesh) {
            // The triangle of the file with these three vertices.
            let vertices = triangle.map(|vertex| points[vertex as usize] as u16);
            let number = unreal.triangles().iter().position(|known| known == vertices).unwrap();
            let record = unreal.geometry().triangle(number).unwrap();
            assert_eq!(material.two_sided, record.triangle_type.is_two_sided());
            assert_eq!(material.unlit, record.triangle_type.is_unlit());
            for (corner, vertex) in triangle.iter().enumerate() {
                let uv = record.texcoords[corner].map(|byte| f32::from(byte) / 255.0);
                assert_eq!(texcoords[corners[*vertex as usize] as usize], uv);
            }
            *seen.entry(number).or_insert(0) += 1;
        }
    }
    assert!(seen.len() == unreal.triangle_count() && seen.values().all(|count| *count == 1));
}

/// The figure as UNIGINE has it: it looks along Y, and its left is -X.
fn unigine_figure(version: unigine::Version, pack: bool) -> Vec<u8> {
    let shape = Shape::one_armed();
    let turn = |[x, y, z]: [f32; 3]| [-y, x, z];
    let mut mesh = unigine::write::Model::new(version);
    mesh.pack = pack;
    let mut surface = unigine::write::Surface::new("figure").unwrap();
    surface.targets[0].positions = shape.positions.iter().map(|point| turn(*point)).collect();
    let spaces: Vec<[f32; 4]> = shape
        .normals
        .iter()
        .map(|normal| {
            let turn = glam::Quat::from_rotation_arc(glam::Vec3::Z, turn(*normal).into());
            // The sign of a w of 0 would be lost.
            turn.to_array()
        })
        .collect();
    surface.targets[0].add_tangents(version, &spaces);
    surface.texcoords0.clone_from(&shape.texcoords);
    for triangle in &shape.triangles {
        surface.add_triangle(triangle.map(|corner| [corner, corner]));
    }
    mesh.surfaces.push(surface);
    mesh.recompute_bounds();
    mesh.write().unwrap()
}

#[test]
fn the_one_armed_figure_of_unigine_keeps_its_left_arm() {
    for (version, pack) in [
        (unigine::Version::Ms10, false),
        (unigine::Version::Ms11, false),
        (unigine::Version::Ms14, false),
        (unigine::Version::Ms14, true),
    ] {
        let bytes = unigine_figure(version, pack);
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
        assert_eq!(agreement(&model), 1.0, "{version:?} {pack}");
        let mesh = &model.meshes[0];
        let (mut normals, mut tangents) = (Vec::new(), Vec::new());
        assert!(mesh.normals_into(0, &mut normals).unwrap() && mesh.tangents_into(0, &mut tangents).unwrap());
        for (normal, tangent) in normals.iter().zip(&tangents) {
            let dot: f32 = normal.iter().zip(tangent).map(|(a, b)| a * b).sum();
            assert!(dot.abs() < 1e-3 && tangent[3].abs() == 1.0);
        }
    }
}

/// The figure as Ultimate 3D has it: Y is up, and it looks against Z.
fn u3d_figure(version: u3d::Version, mirrored: bool) -> Vec<u8> {
    let shape = Shape::one_armed();
    let turn = |[x, y, z]: &[f32; 3]| [*y, *z, -*x];
    let positions: Vec<_> = shape.positions.iter().map(turn).collect();
    let sign = if mirrored { -1.0 } else { 1.0 };
    let normals: Vec<_> = shape.normals.iter().map(|n| turn(n).map(|axis| axis * sign)).collect();
    let mut model = u3d::write::Model::new(version);
    let mut mesh = u3d::write::Mesh::new("figure");
    mesh.normal_scalar = sign;
    mesh.set_vertices(&positions, &normals, version).unwrap();
    mesh.set_texcoords(0, 2, shape.texcoords.as_flattened()).unwrap();
    model.texcoord_dimensions = mesh.texcoord_dimensions;
    let clockwise = shape.flipped().triangles;
    mesh.set_triangles(&clockwise, &vec![0; clockwise.len()]).unwrap();
    model.meshes.push(mesh);
    model.materials.push(u3d::write::Material::new("skin"));
    model.write().unwrap()
}

#[test]
fn the_one_armed_figure_of_ultimate_3d_keeps_its_left_arm() {
    for version in [u3d::Version::V1, u3d::Version::V2_0_0] {
        for mirrored in [false, true] {
            let bytes = u3d_figure(version, mirrored);
            let model = Model::parse(&bytes).unwrap();
            assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
            assert_eq!(agreement(&model), 1.0, "{version:?}");
            // An array that is stored as it is used is a lens onto the file.
            let mesh = &model.meshes[0];
            let file = u3d::U3d::parse(&bytes).unwrap();
            let lens = file.mesh(0).unwrap().positions();
            assert_eq!(mesh.positions(0).unwrap().byte_range(), lens.byte_range());
            assert_eq!(mesh.normals(0).unwrap().is_some(), !mirrored, "a lens cannot have a factor of -1");
        }
    }
}

#[test]
fn bones_of_ultimate_3d_move_meshes_as_the_formats_own_crate_does() {
    for name in ["v1_skinned", "v2_skinned", "v1_rigid", "v2_rigid", "v2_skinned_once"] {
        let bytes = corpus(&format!("u3d/{name}.u3d"));
        let model = Model::parse(&bytes).unwrap();
        let file = u3d::U3d::parse(&bytes).unwrap();
        let skeleton = file.skeleton().unwrap();
        let (mut pose, mut world) = (Vec::new(), Vec::new());
        let mut moved = 0;
        let last = model.animations[0].frame_count() - 1;
        for frame in [0, last / 2, last] {
            pose.clear();
            pose.extend(model.joints.iter().map(|joint| joint.rest));
            model.animations[0].apply(frame, &mut pose);
            world_into(&model.joints, &pose, &mut world);
            let mut bones = vec![Mat4::IDENTITY.to_cols_array_2d(); skeleton.len()];
            skeleton.bone_to_world_into(frame as f32, &mut bones).unwrap();
            for (mesh, theirs) in model.meshes.iter().zip(file.meshes()) {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                let topology = mesh.topology().unwrap();
                mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals).unwrap();
                let (mut expected, mut turned) = (positions.clone(), normals.clone());
                if theirs.skin_weight_count() > 0 {
                    let mut palette = bones.clone();
                    skeleton.palette_into(&theirs, &bones, &mut palette).unwrap();
                    theirs.skin_positions_into(&palette, &mut expected).unwrap();
                    theirs.skin_normals_into(&palette, &mut turned).unwrap();
                } else {
                    let holds = |bone: &u3d::Bone<'_>| {
                        bone.meshes().iter().position(|number| number as usize == theirs.index())
                    };
                    let (bone, place) = (0..skeleton.len())
                        .find_map(|bone| Some((bone, holds(skeleton.bone(bone)?)?)))
                        .unwrap();
                    let matrix = skeleton.mesh_to_world(bone, place, &bones).unwrap();
                    theirs.transform_positions_into(&matrix, &mut expected).unwrap();
                    theirs.transform_normals_into(&matrix, &mut turned).unwrap();
                }
                let close = |a: &[[f32; 3]], b: &[[f32; 3]]| {
                    a.iter().zip(b).all(|(a, b)| glam::Vec3::from(*a).abs_diff_eq((*b).into(), 1e-3))
                };
                assert!(close(&positions, &expected), "{name} frame {frame}");
                assert!(close(&normals, &turned), "{name} frame {frame}");
                let still = mesh.positions(0).unwrap().to_vec();
                moved += usize::from(!close(&positions, &still));
            }
        }
        assert!(moved > 0, "{name}: something moves");
    }
}

#[test]
fn the_number_of_frames_of_a_tiny_file_is_limited() {
    // One bone, no bytes for a frame, and the largest number of frames that the field can hold.
    let mut model = u3d::write::Model::new(u3d::Version::V2_0_0);
    model.frames = u32::MAX;
    model.materials.push(u3d::write::Material::new("m"));
    model.bones.push(u3d::write::Bone::new("b", None));
    let bytes = model.write().unwrap();
    let error = Model::parse(&bytes).unwrap_err();
    assert_eq!(error.code(), "LIMIT", "{error}");
}

#[test]
fn vertex_buffers_are_filled_in_the_callers_layout() {
    let layout = |joints: bool| {
        let layout = VertexLayout::new(if joints { 36 } else { 20 })
            .with(Semantic::Position, 0, VertexFormat::Float32x3)
            .with(Semantic::Normal, 16, VertexFormat::Snorm8x4)
            .with(Semantic::Texcoord, 12, VertexFormat::Unorm16x2);
        if joints {
            layout.with(Semantic::Weights, 20, VertexFormat::Unorm16x4).with(
                Semantic::Joints,
                28,
                VertexFormat::Uint16x4,
            )
        } else {
            layout
        }
    };
    let float = |bytes: &[u8]| f32::from_ne_bytes(bytes[..4].try_into().unwrap());
    let short = |bytes: &[u8]| u16::from_ne_bytes(bytes[..2].try_into().unwrap());
    // As it lies in the file: MD3. Welded on the way: UNIGINE, with bones.
    for (name, joints) in [("md3/animated.md3", false), ("unigine/skinned_ms11.mesh", true)] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let mesh = &model.meshes[0];
        let frame = mesh.frame_count() - 1;
        let (layout, topology) = (layout(joints), mesh.topology().unwrap());
        let mut out = vec![0xee; topology.vertex_count() * layout.stride()];
        model.interleave(0, frame, &layout, &mut out).unwrap();
        let positions = mesh.positions(frame).unwrap().to_vec();
        let (mut normals, mut texcoords) = (Vec::new(), Vec::new());
        assert!(mesh.normals_into(frame, &mut normals).unwrap());
        assert!(mesh.texcoords_into(0, &mut texcoords).unwrap());
        let (mut named, mut weights) = (Vec::new(), Vec::new());
        assert_eq!(mesh.influences_into(&mut named, &mut weights), Ok(joints));
        for (vertex, bytes) in out.chunks(layout.stride()).enumerate() {
            let point = topology.points().map_or(vertex, |map| map[vertex] as usize);
            let corner = topology.corners().map_or(vertex, |map| map[vertex] as usize);
            assert_eq!([0, 4, 8].map(|at| float(&bytes[at..])), positions[point], "{name}");
            for axis in 0..3 {
                let stored = f32::from(bytes[16 + axis] as i8) / 127.0;
                assert!((stored - normals[corner][axis]).abs() < 0.005);
                if axis < 2 {
                    let stored = f32::from(short(&bytes[12 + axis * 2..])) / 65535.0;
                    assert!((stored - texcoords[corner][axis].clamp(0.0, 1.0)).abs() < 1e-4);
                }
            }
            if joints {
                let stored = [20, 22, 24, 26].map(|at| f32::from(short(&bytes[at..])) / 65535.0);
                assert!(stored.iter().zip(weights[point]).all(|(a, b)| (a - b).abs() < 1e-4));
                assert_eq!([28, 30, 32, 34].map(|at| short(&bytes[at..])), named[point]);
            }
        }
        let mut untouched = vec![7; out.len() + 1];
        let error = model.interleave(0, frame, &layout, &mut untouched).unwrap_err();
        assert!(error.code() == "LENGTH" && untouched.iter().all(|byte| *byte == 7));
        assert_eq!(model.interleave(9, 0, &layout, &mut out).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
        assert_eq!(model.interleave(0, 99, &layout, &mut out).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
        let color = VertexLayout::new(16).with(Semantic::Color, 0, VertexFormat::Float32x4);
        let error = model.interleave(0, 0, &color, &mut out).unwrap_err();
        assert_eq!(error.to_string(), "mesh: there is no color");
    }
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let model = Model::parse(&bytes).unwrap();
    for (place, stride) in [(4, 24), (20, 24), (19, 28)] {
        let wrong = VertexLayout::new(stride).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
            Semantic::Joints,
            place,
            VertexFormat::Uint16x4,
        );
        let mut out = vec![0; model.meshes[0].topology().unwrap().vertex_count() * stride];
        let error = model.interleave(0, 0, &wrong, &mut out).unwrap_err();
        assert_eq!(error.code(), "VALUE", "{error}");
    }
}

#[test]
fn a_clip_is_sampled_into_frames_or_a_pose() {
    let bytes = corpus("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let (mut pose, mut positions, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    // A quarter of the way from frame 1 to frame 2, at 10 frames a second.
    let Sample::Frames(blend) = model.sample(&model.clips[0], 0.125, &mut pose) else { panic!("no joints") };
    assert_eq!((blend.a, blend.b, blend.weight), (1, 2, 0.25));
    let mesh = &model.meshes[0];
    mesh.blend_positions_into(blend, &mut positions).unwrap();
    assert!(mesh.blend_normals_into(blend, &mut normals).unwrap());
    let between = |a: [f32; 3], b: [f32; 3]| glam::Vec3::from(a).lerp(b.into(), 0.25);
    for (index, (position, normal)) in positions.iter().zip(&normals).enumerate() {
        let at = |frame| mesh.positions(frame).unwrap().get(index).unwrap();
        assert!(between(at(1), at(2)).abs_diff_eq((*position).into(), 1e-5));
        let at = |frame| mesh.normals(frame).unwrap().unwrap().get(index).unwrap();
        assert!(between(at(1), at(2)).normalize().abs_diff_eq((*normal).into(), 1e-5));
    }
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let model = Model::parse(&bytes).unwrap();
    assert_eq!(model.sample(&model.clips[0], 0.1, &mut pose), Sample::Pose);
    let mut second = model.joints.iter().map(|joint| joint.rest).collect::<Vec<_>>();
    model.animations[0].apply(1, &mut second);
    for (pose, second) in pose.iter().zip(&second) {
        assert!(glam::Vec3::from(pose.translation).abs_diff_eq(second.translation.into(), 1e-4));
    }
    assert_eq!((model.space.meters(), Space::MD3.meters()), (Some(1.0), None));
}

#[test]
fn joints_and_their_animations_are_those_of_the_file() {
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let mut model = Model::parse(&bytes).unwrap();
    let names: Vec<_> = model.joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
    assert_eq!(names, [("hand", Some(1)), ("forearm", Some(2)), ("upper arm", None), ("camera", None)]);
    let clips: Vec<_> = model.clips.iter().map(|clip| (clip.name.as_str(), clip.count)).collect();
    assert_eq!(clips, [("wave", 3), ("turn", 2)]);

    // At rest, skinning moves nothing.
    let rest: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
    let (mut world, mut skinned) = (Vec::new(), Vec::new());
    world_into(&model.joints, &rest, &mut world);
    let mesh = &model.meshes[0];
    mesh.skin_positions_into(0, &world, &mut skinned).unwrap();
    for (moved, still) in skinned.iter().zip(mesh.positions(0).unwrap().to_vec()) {
        assert!(glam::Vec3::from(*moved).abs_diff_eq(still.into(), 1e-4));
    }
    // At other times it gives the result of the crate of the format.
    let file = unigine::Mesh::parse(&bytes).unwrap();
    let (count, surface) = (file.skeleton().len(), file.surface(0).unwrap());
    let mut inverse = vec![Default::default(); count];
    let (mut local, mut matrices) = (vec![Default::default(); count], vec![Default::default(); count]);
    file.skeleton().inverse_bind_into(&mut inverse).unwrap();
    let animation = file.animation(0).unwrap();
    let (mut pose, mut sampler) = (Vec::new(), animation.sampler());
    for frame in 0..3 {
        model.pose_into(&model.clips[0], frame as f32 / 10.0 + 1e-6, &mut pose);
        world_into(&model.joints, &pose, &mut world);
        mesh.skin_positions_into(0, &world, &mut skinned).unwrap();

        file.skeleton().bind_pose_into(&mut local).unwrap();
        animation.apply_pose(sampler.next().unwrap(), &mut local).unwrap();
        file.skeleton().world_into(&local, &mut matrices).unwrap();
        let mut moves = matrices.clone();
        unigine::skin_matrices_into(&matrices, &inverse, &mut moves);
        let mut expected = vec![[0.0; 3]; mesh.point_count()];
        let geometry = surface.geometry_in_place().unwrap();
        geometry.skin_positions_into(&moves, &mut expected).unwrap();
        for (found, expected) in skinned.iter().zip(expected) {
            assert!(
                glam::Vec3::from(*found).abs_diff_eq(expected.into(), 2e-3),
                "{frame}: {found:?} {expected:?}"
            );
        }
    }
    let anim = corpus("unigine/wave_an10.anim");
    let anim = unigine::Anim::parse(&anim).unwrap();
    assert!(model.add_anim(&anim, "file").is_empty());
    assert_eq!((model.clips[2].name.as_str(), model.clips[2].count), ("wave", 5));
    assert_eq!(model.animations[2].joints.len(), animation.bone_count());
}

#[test]
fn morph_targets_are_frames_with_names() {
    let bytes = corpus("unigine/morph.mesh");
    let model = Model::parse(&bytes).unwrap();
    let mesh = &model.meshes[0];
    assert_eq!((mesh.frame_count(), mesh.texcoord_sets(), model.clips.len()), (3, 2, 0));
    assert_eq!((mesh.frame_name(0), mesh.frame_name(1)), ("".into(), "tall".into()));
    let mut colors = Vec::new();
    assert!(mesh.colors_into(0, &mut colors).unwrap());
    assert_eq!(colors[0], [1.0, 128.0 / 255.0, 0.0, 1.0]);
    let heights = [0, 1, 2].map(|frame| mesh.positions(frame).unwrap().get(1).unwrap()[2]);
    assert_eq!((heights[1], heights[2]), (heights[0] * 2.0, heights[0] * 0.5));
}

#[test]
fn attributes_are_those_of_the_format() {
    let bytes = corpus("md3/multi_surface.md3");
    let (model, md3) = (Model::parse(&bytes).unwrap(), Md3::parse(&bytes).unwrap());
    assert_eq!(
        (model.meshes.len(), model.frame_count(), model.name.as_str()),
        (3, 2, "models/multi_surface.md3")
    );
    for (mesh, surface) in model.meshes.iter().zip(md3.surfaces()) {
        assert_eq!(mesh.name, surface.name().to_text());
        assert!(mesh.is_welded() && mesh.point_count() == mesh.corner_count());
        for frame in 0..mesh.frame_count() {
            let positions = mesh.positions(frame).unwrap();
            let lens = surface.positions(frame).unwrap();
            assert_eq!(positions.byte_range(), lens.byte_range());
            assert_eq!(positions.to_vec(), lens.iter().collect::<Vec<_>>());
            let normals = mesh.normals(frame).unwrap().unwrap();
            assert_eq!(normals.get(7), surface.normals(frame).unwrap().get(7));
        }
        assert_eq!(mesh.positions(2).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
        let texcoords = mesh.texcoords(0).unwrap().unwrap().to_vec();
        assert_eq!(texcoords, surface.texcoords().iter().collect::<Vec<_>>());
        assert!(mesh.texcoords(1).unwrap().is_none());
        assert_eq!(mesh.topology().unwrap().triangles().len(), surface.triangle_count());
    }
    let names: Vec<&str> = model.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["textures/ring.tga", "textures/figure", "textures\\box.jpg"]);
    assert_eq!(model.meshes[2].material, Some(2));
    assert_eq!(
        (model.clips[0].name.as_str(), model.clips[0].count, model.clips[0].rate.get()),
        ("all", 2, 10.0)
    );
    let Bounds { min, max } = model.compute_bounds(0).unwrap();
    assert!(min[0] <= -11.0 && max[2] >= 16.0);
}

#[test]
fn tags_turn_with_their_frames() {
    let bytes = corpus("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let hand = model.find_tag("TAG_HAND").unwrap();
    let pose = model.tag_pose(hand, 1).unwrap();
    // A third of a turn to the left, and a quarter unit up: (0, 10) goes to (-8.66, -5).
    assert!(glam::Vec3::from(pose.origin).abs_diff_eq(glam::Vec3::new(-8.6602, -5.0, 14.25), 1e-3));
    assert!(
        (glam::Quat::from_array(pose.rotation()) * glam::Vec3::Y)
            .abs_diff_eq(glam::Vec3::new(-0.866, -0.5, 0.0), 1e-3)
    );
    assert_eq!(model.blend_tag_pose(hand, Blend { a: 0, b: 1, weight: 1.0 }), Some(pose));
    assert_eq!(model.blend_tag_pose(hand, Blend { a: 0, b: 3, weight: 1.0 }), None);
    assert!(model.tag_pose(hand, 3).is_none() && model.tag_pose(2, 0).is_none());
}

#[test]
fn companions_of_a_player_give_clips_and_clothes() {
    let bytes = corpus("md3/player/lower.md3");
    let mut model = Model::parse(&bytes).unwrap();
    let config = AnimationConfig::parse(&corpus("md3/player/animation.cfg")).unwrap();
    assert_eq!(model.set_animation_config(&config, BodyPart::Legs), [""; 0]);
    assert_eq!(model.clips.len(), 6 + 12);
    // LEGS_WALKCR is row 13: frames 6 and 7 of the file, which are 2 and 3 of lower.md3; both loop, at 15 fps.
    let walk = model.find_clip("legs_walkcr").unwrap();
    assert_eq!((walk.first, walk.count, walk.rate.get(), walk.is_cycle()), (2, 2, 15.0, true));
    let blend = walk.sample(1.5 / 15.0);
    assert_eq!((blend.a, blend.b), (3, 2));
    let mut out = Vec::new();
    model.meshes[0].blend_positions_into(blend, &mut out).unwrap();
    let (a, b) = (model.meshes[0].positions(3).unwrap(), model.meshes[0].positions(2).unwrap());
    let (a, b) = (a.get(5).unwrap()[1], b.get(5).unwrap()[1]);
    assert!((out[5][1] - (a + b) / 2.0).abs() < 1e-4);

    let head_bytes = corpus("md3/player/head.md3");
    let mut head = Model::parse(&head_bytes).unwrap();
    assert_eq!(head.set_animation_config(&config, BodyPart::Torso).len(), 10, "a head has one frame");
    let skin = Skin::parse(&corpus("md3/player/lower_red.skin")).unwrap();
    model.set_skin(&skin);
    assert_eq!(model.materials.len(), 1);
    assert_eq!(model.materials[0].texture.as_deref(), Some("models/players/block/red.tga"));
}

#[test]
fn fronts_agree_with_normals_in_real_files() {
    let Some(folder) = real::folder() else { return };
    for (format, extension) in [("md3", "md3"), ("unigine", "mesh")] {
        let (mut sum, mut files) = (0.0, 0);
        for path in real::files_below(&folder.join(format)) {
            if path.extension().is_none_or(|found| found != extension) {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let model = Model::parse(&bytes).unwrap();
            if model.meshes.iter().any(|mesh| mesh.triangle_count() > 0) {
                sum += agreement(&model);
                files += 1;
            }
        }
        assert!(files > 0 && sum / f64::from(files) > 0.9, "{format} {}", sum / f64::from(files));
    }
}

#[test]
fn ultimate_3d_models_keep_their_fronts_and_their_rest_pose() {
    let mut files = meshlens_testkit::corpus::with_extension(&[".u3d"]);
    if let Some(folder) = real::folder() {
        let paths = real::files_below(&folder.join("u3d"));
        files
            .extend(paths.into_iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())));
    }
    let (mut moved, mut looked) = (0, 0);
    for (name, bytes) in files {
        // Encrypted files are a clear error; everything else becomes a model.
        let Ok(model) = Model::parse(&bytes) else {
            assert!(Document::parse(&bytes).is_err(), "{name}");
            continue;
        };
        looked += 1;
        // Random numbers are no surface; the corpus' shapes are.
        if name.starts_with("u3d/") {
            assert_eq!(agreement(&model), 1.0, "{name}");
        }
        for mesh in &model.meshes {
            let topology = mesh.topology().unwrap();
            assert_eq!(topology.triangles().len(), mesh.triangle_count(), "{name}");
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            if mesh.influences_into(&mut joints, &mut weights).unwrap() {
                assert!(
                    weights.iter().all(|weights| (weights.iter().sum::<f32>() - 1.0).abs() < 1e-5),
                    "{name}"
                );
                assert_eq!(mesh.skin.as_ref().unwrap().len(), model.joints.len());
                moved += 1;
            }
        }
        let mut pose = Vec::new();
        for clip in &model.clips {
            model.pose_into(clip, 0.25, &mut pose);
            assert_eq!(pose.len(), model.joints.len());
        }
    }
    assert!(looked > 4 && moved > 0);
}

#[test]
fn the_last_frame_of_unreal_is_shown_though_its_file_is_short() {
    use meshlens::unreal::{Triangle, TriangleKind, TriangleType, VertexEncoding, write};
    let mut file = write::Model::new(VertexEncoding::Packed, 4);
    let weapon = TriangleType::new(TriangleKind::Weapon, 0);
    file.triangles.push(Triangle { vertices: [0, 1, 2], ..Triangle::default() });
    file.triangles.push(Triangle { vertices: [0, 1, 3], triangle_type: weapon, ..Triangle::default() });
    file.add_integer_frame(&[[0, 0, 0], [8, 0, 0], [0, 8, 0], [8, 8, 0]]).unwrap();
    file.add_integer_frame(&[[0, 0, 4], [8, 0, 4], [0, 8, 4], [9, 9, 9]]).unwrap();
    let files = file.write().unwrap();
    let frames = &files.frames[..files.frames.len() - 4];
    let document = Document::parse_pair(&files.geometry, frames).unwrap();
    assert_eq!(document.summary().frames, 2);
    let unreal = *document.as_unreal().unwrap();
    let mut model = Model::new(document).unwrap();
    assert_eq!((model.frame_count(), model.clips[0].count), (2, 2));
    let script = "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n\
                  #exec MESH SEQUENCE MESH=m SEQ=all STARTFRAME=0 NUMFRAMES=2\n\
                  #exec MESHMAP SCALE MESHMAP=m X=2 Y=2 Z=2\n";
    for (scale, tag) in [([0.125, 0.125, 0.25], [0.5, 0.0, 1.0]), ([1.0; 3], [8.0, 0.0, 8.0])] {
        let last = model.meshes[0].positions(1).unwrap().to_vec();
        let stored = [[0, 0, 4], [8, 0, 4], [0, 8, 4], [8, 8, 0]];
        let wanted = stored.map(|point| [0, 1, 2].map(|axis| point[axis] as f32 * scale[axis]));
        assert_eq!(last, wanted, "the fourth vertex is where it is in frame 0");
        let mut normals = Vec::new();
        assert!(model.meshes[0].normals_into(1, &mut normals).unwrap());
        assert_eq!(normals.len(), 6);
        assert_eq!(model.tag_pose(0, 1).unwrap().origin, tag);
        assert!(model.tag_pose(0, 2).is_none() && model.meshes[0].positions(2).is_err());
        let script = Script::parse(script.as_bytes()).unwrap();
        assert!(
            model.set_script(&unreal, &script, "m").unwrap().is_empty(),
            "both frames of the sequence are there"
        );
    }
}

/// One triangle in two frames, whose values are exact in MD3.
fn flag(far: f32) -> Vec<u8> {
    use meshlens::md3::write;
    let mut file = write::Model::new("flag").unwrap();
    let mut surface = write::Surface::new("flag").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for name in ["wave1", "wave2"] {
        file.frames.push(write::Frame::named(name).unwrap());
        let points = [[0.0, 0.0, 0.0], [0.0, far, 0.0], [0.0, 0.0, 8.0]];
        surface.add_frame(&points, &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    file.surfaces.push(surface);
    file.recompute_bounds();
    file.write().unwrap()
}

#[test]
fn unchanged_values_are_no_loss() {
    let bytes = flag(8.0);
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = meshlens::model::export::to_md3(&model, "flag", 1.0).unwrap();
    // A rate that the file does not have is not lost, nor is precision that is not needed.
    assert_eq!(messages(&losses), [""; 0]);
    assert_eq!(Model::parse(&written).unwrap().frame_count(), 2);
}

#[test]
fn losses_say_how_many_values_changed_and_by_how_much() {
    let bytes = flag(8.0);
    let mut model = Model::parse(&bytes).unwrap();
    // 8 x 0.01 is 5.12 steps of 1/64: 0.12 / 64 away from the nearest. Two points of two frames move so far.
    let (_, losses) = meshlens::model::export::to_md3(&model, "flag", 0.01).unwrap();
    assert_eq!(messages(&losses), ["4 of 6 positions moved by up to 0.0019 units"]);
    let group = losses.groups().next().unwrap();
    assert_eq!((group.code.name, group.count), ("POSITION_ROUNDED", 4));
    // 8 x 100 is past 512 in both frames, for two points.
    let (_, losses) = meshlens::model::export::to_md3(&model, "flag", 100.0).unwrap();
    assert_eq!(messages(&losses), ["4 positions outside -512 to 512 units, the range of MD3"]);
    // A rate is lost if it differs from the rate that readers assume.
    model.set_rate(15.0);
    let (_, losses) = meshlens::model::export::to_md3(&model, "flag", 1.0).unwrap();
    assert_eq!(messages(&losses), ["clip all: its 15 frames per second"]);
}

#[test]
fn a_matrix_with_a_projection_is_a_loss() {
    let bytes = corpus("u3d/v2_skinned.u3d");
    let sound = u3d::U3d::parse(&bytes).unwrap();
    let mut report = meshlens::Report::default();
    u3d::losses(&sound, &mut report);
    assert!(report.groups().all(|group| group.code.name != "MATRIX_PROJECTION_LOST"));

    let mut changed = bytes.clone();
    let bone = sound.bone(0).unwrap();
    let matrix = bone.mesh_to_bone_rows().byte_range().start as usize;
    // The last number of the first row.
    changed[matrix + 12..matrix + 16].copy_from_slice(&0.5f32.to_le_bytes());
    let model = Model::parse(&changed).unwrap();
    let (_, losses) = meshlens::model::export::to_u3d(&model, 1.0).unwrap();
    let found = losses.findings().find(|finding| finding.code == "MATRIX_PROJECTION_LOST").unwrap();
    assert_eq!(found.pointer, "/bones/0/mesh_to_bone/0");
    assert!(
        found.message.contains("the last column 0.5, 0, 0, 1 of its MeshToBone matrix"),
        "{}",
        found.message
    );
}

#[test]
fn joints_whose_parents_form_a_cycle_are_written_without_it() {
    use meshlens::model::{Joint, PlainFrame, PlainMesh, Space, Transform, export};

    let frame =
        PlainFrame { positions: vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]], ..PlainFrame::default() };
    let plain = PlainMesh {
        frames: vec![frame],
        triangles: vec![[0, 1, 2]],
        joints: vec![[1, 0, 0, 0]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 3],
        ..PlainMesh::default()
    };
    let mut mesh = plain.into_mesh("triangle").unwrap();
    mesh.skin = Some(vec![Mat4::IDENTITY.to_cols_array_2d(); 2].into());
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(mesh);
    let joint =
        |name: &str, parent| Joint { name: name.into(), parent: Some(parent), rest: Transform::IDENTITY };
    model.joints = vec![joint("a", 1), joint("b", 0)];
    let written = [export::to_u3d(&model, 1.0).unwrap().0, export::to_unigine(&model, 1.0).unwrap().0];
    for bytes in written {
        let again = Model::parse(&bytes).unwrap();
        let parents: Vec<_> = again.joints.iter().map(|joint| joint.parent).collect();
        assert_eq!(parents, [Some(1), None], "{:?}", again.format);
    }
}

#[test]
fn bones_of_ultimate_3d_are_written_with_affine_matrices() {
    use meshlens::model::{Space, export};
    use meshlens_testkit::real;

    let to = Space::UNIGINE.to(&Space::U3D);
    for scale in [0.0254, 0.1, 3.0, 7.77] {
        let matrix = to.scaled(scale).matrix(Mat4::from_translation(glam::Vec3::ONE).to_cols_array_2d());
        assert_eq!(matrix.map(|[.., last]| last), [0.0, 0.0, 0.0, 1.0], "{scale}");
    }
    let files = real::files_or_corpus("unigine", &[".mesh"])
        .into_iter()
        .chain(real::files_or_corpus("u3d", &[".u3d"]));
    let mut rigs = 0;
    for (name, bytes) in files {
        let Ok(model) = Model::parse(&bytes) else { continue };
        if model.joints.is_empty() {
            continue;
        }
        for scale in [1.0, 0.0254, 7.77] {
            let Ok((made, _)) = export::to_u3d(&model, scale) else { continue };
            let document = meshlens::Document::parse(&made).unwrap();
            let mut found = meshlens::Report::default();
            document.validate(&mut found);
            let codes: Vec<_> = found.findings().map(|finding| finding.code).collect();
            assert!(!codes.contains(&"MATRIX_NOT_AFFINE"), "{name} at {scale}: {codes:?}");
            rigs += 1;
        }
    }
    assert!(rigs > 0);
}
