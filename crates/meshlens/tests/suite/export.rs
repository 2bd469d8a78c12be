//! Models in the formats of games: the files, what is lost, and limits.

use meshlens::md3::AnimationConfig;
use meshlens::md3::animation::{Animation, AnimationName};
use meshlens::model::export::{self, Target};
use meshlens::model::{
    Clip, Joint, JointAnimation, JointScales, Material, Model, PlainFrame, PlainMesh, Space, Transform,
};
use meshlens::unreal::VertexEncoding;
use meshlens::{Document, Format};
use meshlens_testkit::corpus;

use super::model::messages;

fn named(name: &str) -> Vec<u8> {
    corpus::with_extension(&[name]).swap_remove(0).1
}

/// A triangle whose points are multiples of `size`, in two frames.
pub(super) fn triangle(size: f32) -> PlainMesh {
    let frame = |z: f32| PlainFrame {
        positions: vec![[0.0, 0.0, z], [size, 0.0, z], [0.0, size, z]],
        ..PlainFrame::default()
    };
    PlainMesh { frames: vec![frame(0.0), frame(size)], triangles: vec![[0, 1, 2]], ..PlainMesh::default() }
}

pub(super) fn model_of(mesh: PlainMesh) -> Model<'static> {
    let mut model = Model::empty(None, Space::MD3);
    model.meshes.push(mesh.into_mesh("mesh").unwrap());
    model.clips.push(Clip::new("walk", 0, 2, 10.0));
    model
}

#[test]
fn every_target_has_its_files() {
    let skinned = named("skinned_ms11.mesh");
    let model = Model::parse(&skinned).unwrap();
    for (target, names) in [
        (Target::Md3, &["a.md3"][..]),
        (Target::Unreal, &["a_d.3d", "a_a.3d", "a.uc"]),
        (Target::U3d, &["a.u3d"]),
        (Target::Unigine, &["a.mesh"]),
        (Target::UnigineAnim, &["a.anim"]),
    ] {
        let made = export::to_files(&model, target, "a", 10.0, None).unwrap();
        assert_eq!(made.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
        if let [(_, bytes)] = &made.files[..] {
            let format = Document::parse(bytes).unwrap().format();
            assert!(target != Target::Md3 || format == Format::Md3);
        }
    }
    let wide = export::to_files(&model, Target::Unreal, "a", 10.0, Some(VertexEncoding::Wide)).unwrap();
    let unreal = Document::parse_pair(&wide.files[0].1, &wide.files[1].1).unwrap();
    assert_eq!(unreal.format(), Format::Unreal);
}

#[test]
fn clips_are_rows_of_companion_files() {
    let mut model = model_of(triangle(8.0));
    model.clips[0] = Clip { reversed: true, loop_frames: 1, ..Clip::new("LEGS_WALK", 0, 2, 15.0) };
    let rows = export::md3_named_clips(&model.clips);
    let row = Animation { first_frame: 0, frame_count: -2, loop_frames: 1, frames_per_second: 15.0 };
    assert_eq!((rows[0].name.as_str(), rows[0].animation), ("LEGS_WALK", row));

    let config = export::md3_animation_config(&model.clips, &AnimationConfig::default()).unwrap();
    assert_eq!(config.clip(AnimationName::LegsWalk), Some(row));
    let other = [Clip::new("walk", 0, 2, 15.0)];
    assert_eq!(export::md3_animation_config(&other, &AnimationConfig::default()), None);
    let far = [Clip::new("LEGS_WALK", usize::MAX, usize::MAX, 15.0)];
    assert_eq!(export::md3_named_clips(&far)[0].animation.frame_count, i32::MAX);

    let made = export::to_md3_measured(&model, "a", 1.0).unwrap();
    let mut again = Model::parse(&made.bytes).unwrap();
    let beyond = meshlens::md3::clips::NamedAnimation {
        name: "beyond".into(),
        animation: Animation { first_frame: 2, ..row },
    };
    assert_eq!(again.set_named_clips(&[rows[0].clone(), beyond]), ["beyond"]);
    assert_eq!(again.clips, model.clips);

    let (_, losses) = export::to_u3d(&model, 1.0).unwrap();
    assert!(
        messages(&losses).contains(&"clip LEGS_WALK: that it plays backwards"),
        "{:?}",
        messages(&losses)
    );
}

#[test]
fn names_are_cut_at_characters() {
    let model = model_of(triangle(8.0));
    let (bytes, losses) = export::to_md3(&model, &"\u{e4}".repeat(40), 1.0).unwrap();
    assert_eq!(Model::parse(&bytes).unwrap().name, "\u{e4}".repeat(31));
    let message = format!("the name {}: all but its first 62 bytes", "\u{e4}".repeat(40));
    assert!(messages(&losses).contains(&message.as_str()), "{:?}", messages(&losses));
}

#[test]
fn a_model_without_size_fits_everywhere() {
    for size in [0.0, 1e-40] {
        let model = model_of(triangle(size));
        let made = export::to_md3_measured(&model, "a", 1.0).unwrap();
        assert_eq!((made.fit.clamped, made.fit.is_poor()), (0, false), "{size}");
        let (unreal, _) = export::to_unreal(&model, "a", 1.0).unwrap();
        assert!(Document::parse_pair(&unreal.files.geometry, &unreal.files.frames).is_ok());
    }
    let huge = export::to_md3_measured(&model_of(triangle(1000.0)), "a", 1.0).unwrap();
    // Two points in the first frame, three in the second.
    assert_eq!((huge.fit.clamped, huge.fit.is_poor()), (5, true));
    assert!(huge.fit.better_scale.is_some_and(|scale| scale < 0.52));
}

#[test]
fn counts_that_a_format_cannot_store_are_errors() {
    let mut model = model_of(triangle(8.0));
    let joint = |index: usize| Joint { name: index.to_string(), parent: None, rest: Transform::IDENTITY };
    model.joints = (0..32_768).map(joint).collect();
    let error = export::to_unigine(&model, 1.0).map(drop).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("bones")), ("LIMIT", true), "{error}");

    let points = 65_537;
    // Points at one place would be joined.
    let positions = (0..points).map(|point| [(point % 512) as f32, (point / 512) as f32, 0.0]).collect();
    let frame = PlainFrame { positions, ..PlainFrame::default() };
    let triangles = (0..points as u32 - 2).step_by(3).map(|first| [first, first + 1, first + 2]).collect();
    let wide = PlainMesh { frames: vec![frame], triangles, ..PlainMesh::default() };
    let error = export::to_unreal(&model_of(wide), "a", 1.0).map(drop).unwrap_err();
    assert_eq!(error.code(), "LIMIT", "{error}");
}

#[test]
fn attributes_that_a_format_does_not_keep_are_lost() {
    let morph = named("morph.mesh");
    let mut model = Model::parse(&morph).unwrap();
    model.clips = vec![Clip::new("all", 0, model.frame_count(), 10.0)];
    let (_, losses) = export::to_unigine(&model, 1.0).unwrap();
    let text = messages(&losses).join("\n");
    assert!(model.frame_count() > 1, "{text}");
    let mut colored = triangle(8.0);
    colored.colors = vec![vec![[1.0; 4]; 3]];
    colored.joints = vec![[0; 4]; 3];
    colored.weights = vec![[1.0, 0.0, 0.0, 0.0]; 3];
    let mut colored = model_of(colored);
    colored.joints.push(Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY });
    let (_, losses) = export::to_u3d(&colored, 1.0).unwrap();
    assert!(
        messages(&losses).iter().any(|message| message.contains("vertex colors")),
        "{:?}",
        messages(&losses)
    );
}

/// A triangle that one joint moves, which is bound one unit above its rest.
pub(super) fn bound_elsewhere() -> Model<'static> {
    let mut mesh = triangle(8.0);
    mesh.frames.truncate(1);
    mesh.frames[0].normals = vec![[0.0, 0.0, 1.0]; 3];
    mesh.frames[0].tangents = vec![[1.0, 0.0, 0.0, 1.0]; 3];
    mesh.joints = vec![[0, 7, 0, 0]; 3];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 3];
    let mut model = model_of(mesh);
    model.joints.push(Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY });
    let mut bind = Transform::IDENTITY.to_matrix();
    bind[3][2] = -1.0;
    model.meshes[0].skin = Some([bind].into());
    let moved = |z| Transform { translation: [0.0, 0.0, z], ..Transform::IDENTITY };
    model.animations.push(JointAnimation::new("nod", vec![0], vec![moved(0.0), moved(1.0)]));
    model
}

#[test]
fn meshes_that_are_bound_elsewhere_are_moved() {
    let mut model = bound_elsewhere();
    let mut other = model.meshes[0].clone();
    let mut bind = Transform::IDENTITY.to_matrix();
    bind[3][2] = -3.0;
    (other.name, other.skin) = ("other".into(), Some([bind].into()));
    model.meshes.push(other);
    let (bytes, losses) = export::to_unigine(&model, 1.0).unwrap();
    let lost = messages(&losses);
    assert!(lost.contains(&"mesh other: tangents, which are computed from normals"), "{lost:?}");
    let again = Model::parse(&bytes).unwrap();
    // An animation without a clip is a clip.
    assert_eq!(
        again.clips.iter().map(|clip| (clip.name.as_str(), clip.count)).collect::<Vec<_>>(),
        [("nod", 2)]
    );
    // The rest pose of the joint is the pose in which the first mesh was bound. The second mesh was bound two units
    // higher.
    let below = |z: f32| [[0.0, 0.0, z], [0.0, 8.0, z], [-8.0, 0.0, z]];
    for (found, wanted) in again.points_at_rest(0).into_iter().zip([below(0.0), below(-2.0)].concat()) {
        assert!(glam::Vec3::from(found).abs_diff_eq(wanted.into(), 1e-4), "{found:?} {wanted:?}");
    }
    let mut odd = bound_elsewhere();
    odd.meshes[0].skin = Some([[[f32::NAN; 4]; 4]].into());
    assert!(export::to_unigine(&odd, 1.0).is_ok());
    odd.joints.clear();
    odd.animations.clear();
    let (bytes, _) = export::to_unigine(&odd, 1.0).unwrap();
    assert!(Model::parse(&bytes).unwrap().meshes[0].skin.is_none());
}

#[test]
fn a_missing_joint_has_no_effect() {
    let mut mesh = triangle(8.0);
    mesh.joints = vec![[0, 7, 0, 0]; 3];
    mesh.weights = vec![[0.75, 0.25, 0.0, 0.0]; 3];
    let mut model = bound_elsewhere();
    let skin = model.meshes[0].skin.clone();
    model.meshes = vec![mesh.into_mesh("mesh").unwrap()];
    model.meshes[0].skin = skin;
    let error = export::to_unigine(&model, 1.0).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "unigine: surface 0: bone 7; there is 1 (0)");
}

#[test]
fn clips_are_written_up_to_the_last_existing_frame() {
    let mut model = bound_elsewhere();
    let clip = |name: &str, count, animation| Clip { animation, ..Clip::new(name, 0, count, 10.0) };
    model.clips = vec![clip("nod", 5, Some(0)), clip("nothing", 2, Some(7))];
    for target in [Target::Md3, Target::Unreal, Target::U3d, Target::Unigine] {
        let made = export::to_files(&model, target, "a", 1.0, None).unwrap();
        assert!(!made.files[0].1.is_empty(), "{target:?}");
    }
    let (bytes, _) = export::to_unigine(&model, 1.0).unwrap();
    assert_eq!(Model::parse(&bytes).unwrap().clips.iter().map(|clip| clip.count).max(), Some(2));
}

#[test]
fn rendering_of_materials_is_lost_if_scripts_define_it() {
    let mut mesh = triangle(8.0);
    mesh.frames.iter_mut().for_each(|frame| frame.normals = vec![[0.0; 3]; 3]);
    let mut model = model_of(mesh);
    let texture = Some("a \"wall\"".into());
    let wall = Material { texture, two_sided: true, unlit: true, ..Material::new("a \"wall\"") };
    model.materials = vec![wall, Material::new("unused")];
    model.meshes[0].material = Some(0);
    let (_, losses) = export::to_md3(&model, "a", 1.0).unwrap();
    let lost = "material a \"wall\": its two sides, lack of lighting";
    assert!(messages(&losses).contains(&lost), "{:?}", messages(&losses));
    let (_, losses) = export::to_u3d(&model, 1.0).unwrap();
    let lost = "material a \"wall\": its two sides, lack of lighting";
    assert!(messages(&losses).contains(&lost), "{:?}", messages(&losses));
    let (files, _) = export::to_unreal(&model, "my-wall_1", 1.0).unwrap();
    assert!(
        files.script.contains("MESH=my_wall_1 ") && files.script.contains("FILE=\"a wall\""),
        "{}",
        files.script
    );
}

#[test]
fn skins_of_several_meshes_are_joined_if_they_are_one() {
    let mut model = bound_elsewhere();
    let mut other = model.meshes[0].clone();
    other.name = "other".into();
    model.meshes.push(other);
    let (bytes, losses) = export::to_u3d(&model, 1.0).unwrap();
    assert!(
        messages(&losses).iter().any(|lost| lost.contains("names of 2 meshes")),
        "{:?}",
        messages(&losses)
    );
    assert_eq!(Model::parse(&bytes).unwrap().meshes.len(), 1);
    // Without triangles, and with two skins.
    let mut empty = PlainMesh { triangles: Vec::new(), ..triangle(8.0) }.into_mesh("empty").unwrap();
    empty.skin.clone_from(&model.meshes[0].skin);
    let mut none = model.clone();
    none.meshes = vec![empty];
    let error = export::to_u3d(&none, 1.0).map(drop).unwrap_err().to_string();
    assert!(error.contains("a model without triangles"), "{error}");
    model.meshes[1].skin = Some([Transform::IDENTITY.to_matrix()].into());
    let (bytes, _) = export::to_u3d(&model, 1.0).unwrap();
    assert_eq!(Model::parse(&bytes).unwrap().meshes.len(), 2);
}

#[test]
fn scales_whose_product_overflows_are_unchanged() {
    let joint = |parent, scale| Joint {
        name: String::new(),
        parent,
        rest: Transform { scale: [scale; 3], ..Transform::IDENTITY },
    };
    assert_eq!(JointScales::at_rest(&[joint(None, 2.0), joint(Some(0), 0.5)]).count(), 2);
    for scale in [1e30, 1e-30] {
        assert_eq!(JointScales::at_rest(&[joint(None, scale), joint(Some(0), scale)]).count(), 0, "{scale}");
    }
}
