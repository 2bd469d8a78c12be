//! Moving clips, joints and tags, and companions that change them.

use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Skin};
use meshlens::model::{Blend, Model, Sample, Space, world_into};
use meshlens::unreal::Script;
use meshlens::{Document, unigine};

use super::model::corpus;

#[test]
fn a_clip_is_sampled_into_frames_or_a_pose() {
    let bytes = corpus("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let (mut pose, mut positions, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    // A quarter of the way from frame 1 to frame 2, at 10 frames per second.
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
fn joints_and_animations_of_unigine_are_read() {
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let mut model = Model::parse(&bytes).unwrap();
    let names: Vec<_> = model.joints.iter().map(|joint| (joint.name.as_str(), joint.parent)).collect();
    assert_eq!(names, [("hand", Some(1)), ("forearm", Some(2)), ("upper arm", None), ("camera", None)]);
    let clips: Vec<_> = model.clips.iter().map(|clip| (clip.name.as_str(), clip.count)).collect();
    assert_eq!(clips, [("wave", 3), ("turn", 2)]);

    // At rest, skinning does not move vertices.
    let rest: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
    let (mut world, mut skinned) = (Vec::new(), Vec::new());
    world_into(&model.joints, &rest, &mut world);
    let mesh = &model.meshes[0];
    mesh.skin_positions_into(0, &world, &mut skinned).unwrap();
    for (moved, still) in skinned.iter().zip(mesh.positions(0).unwrap().to_vec()) {
        assert!(glam::Vec3::from(*moved).abs_diff_eq(still.into(), 1e-4));
    }
    // At other times, the result equals the result of the crate of the format.
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
fn tags_rotate_with_their_frames() {
    let bytes = corpus("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let hand = model.find_tag("TAG_HAND").unwrap();
    let pose = model.tag_pose(hand, 1).unwrap();
    // A rotation of 120 degrees to the left, and a quarter unit up: (0, 10) becomes (-8.66, -5).
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
fn files_beside_a_player_add_clips_and_textures() {
    let bytes = corpus("md3/player/lower.md3");
    let mut model = Model::parse(&bytes).unwrap();
    let config = AnimationConfig::parse(&corpus("md3/player/animation.cfg")).unwrap();
    assert_eq!(model.set_animation_config(&config, BodyPart::Legs), [""; 0]);
    assert_eq!(model.clips.len(), 6 + 12);
    // LEGS_WALKCR is row 13: frames 6 and 7 of the file, which are frames 2 and 3 of lower.md3. Both loop, at 15 fps.
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
fn a_truncated_last_frame_of_unreal_is_shown() {
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

#[test]
fn an_anim_alone_rests_in_its_first_frame() {
    use meshlens::unigine::write::{Anim, Animation, Bone};
    use meshlens::unigine::{Transform, Version};

    // A root 1 m up, a child 0.5 m above it; the bone transforms lead to the inverse of this pose.
    let at = |z: f32| Transform { position: [0.0, 0.0, z], ..Transform::IDENTITY };
    let mut anim = Anim::new(Version::An11);
    for (name, parent, z) in [("root", None, -1.0), ("upper", Some(0), -0.5)] {
        anim.bones.push(Bone { transform: at(z), ..Bone::new(name, parent).unwrap() });
    }
    let frames = [at(1.0), at(0.5), at(2.0), at(0.5)];
    anim.animations.push(Animation::new(Version::An11, "", &[0, 1], 7, &frames).unwrap());
    let bytes = anim.write().unwrap();
    let model = Model::parse(&bytes).unwrap();
    let rest = model.joints.iter().map(|joint| joint.rest.translation);
    assert_eq!(rest.collect::<Vec<_>>(), [[0.0, 0.0, 1.0], [0.0, 0.0, 0.5]]);
}

#[test]
fn a_still_mesh_of_unigine_has_one_frame() {
    for name in ["unigine/box_ms11.mesh", "unigine/box_ms14.mesh"] {
        let bytes = corpus(name);
        let document = Document::parse(&bytes).unwrap();
        let frames = document.summary().frames;
        assert_eq!((frames, Model::new(document).unwrap().frame_count()), (1, 1), "{name}");
    }
}
