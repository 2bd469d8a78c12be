//! Scaled joints, which some readers do not support.

use glam::Vec3;
use meshlens::model::Model;
use meshlens_gltf::{Export, Options};
use meshlens_testkit::real;

use super::formats::{assert_same, nodes_at, played, write_and_read};
use super::one_node;

/// An upper arm scaled by 0.5, a lower arm on it scaled by 4, and a triangle bound to the lower arm. In a clip, the
/// lower arm rotates by 90 degrees.
fn scaled_arm(lower: [f32; 3]) -> Vec<u8> {
    use meshlens::unigine::layout::ROTATION;
    use meshlens::unigine::write::{Animation, Bone, Model, Surface};
    use meshlens::unigine::{Influence, Version};

    let mut file = Model::new(Version::Ms11);
    file.bones = vec![Bone::new("upper", None).unwrap(), Bone::new("lower", Some(0)).unwrap()];
    file.bones[0].transform.scale = [0.5; 3];
    file.bones[1].transform.position = [0.0, 4.0, 0.0];
    file.bones[1].transform.scale = lower;
    let mut surface = Surface::new("arm").unwrap();
    surface.targets[0].positions = vec![[0.0, 2.0, 0.0], [0.0, 4.0, 0.0], [1.0, 2.0, 0.0]];
    surface.targets[0].add_tangents(Version::Ms11, &[[0.0, 0.0, 0.0, 1.0]; 3]);
    surface.weights = vec![Influence { count: 1, bones: [1, 0, 0, 0], weights: [65535, 0, 0, 0] }; 3];
    surface.add_triangle([[0, 0], [1, 1], [2, 2]]);
    file.surfaces.push(surface);
    let mut turned = file.bones[1].transform;
    let still = turned;
    turned.rotation = [0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt()];
    file.animations.push(Animation::new(Version::Ms11, "turn", &[1], ROTATION, &[still, turned]).unwrap());
    file.recompute_bounds();
    file.write().unwrap()
}

#[test]
fn uniform_scales_at_rest_are_moved_out_of_joints() {
    let bytes = scaled_arm([4.0; 3]);
    let model = Model::parse(&bytes).unwrap();
    let scene = one_node("model", &model);
    let export = Export::plan(&scene, &Options::default()).unwrap();
    assert!(
        export
            .losses()
            .findings()
            .any(|loss| loss.message.starts_with("the uniform scales of 2 joints at rest"))
    );
    assert_eq!(export.warnings(), [""; 0]);
    let read = write_and_read(&model);
    let node = |name: &str| read.document.nodes().find(|node| node.name() == Some(name)).unwrap();
    let (translation, _, scale) = node("lower").transform().decomposed();
    // UNIGINE's Y is glTF's Z. Four units are scaled by 0.5.
    assert_eq!((translation, scale), ([0.0, 0.0, 2.0], [1.0; 3]));
    assert_eq!(node("upper").transform().decomposed().2, [1.0; 3]);
    let animation = read.document.animations().next().unwrap();
    assert!(
        animation.channels().all(|channel| channel.target().property() != gltf::animation::Property::Scale)
    );
    let (world, _) = nodes_at(&read, &animation, 0.1);
    let found = played(&read, &node("arm"), &world, &[]);
    // Two units along Y become two units along -X around (0, 2, 0). The axes are then converted to (-x, z, y).
    let expected = [Vec3::new(0.0, 0.0, 2.0), Vec3::new(2.0, 0.0, 2.0), Vec3::new(0.0, 0.0, 3.0)];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.abs_diff_eq(expected, 1e-4), "{found} {expected}");
    }
    assert_same("scaled arm", &model);
}

#[test]
fn other_scales_are_kept_with_a_warning() {
    let bytes = scaled_arm([4.0, 1.0, 4.0]);
    let model = Model::parse(&bytes).unwrap();
    let scene = one_node("model", &model);
    let export = Export::plan(&scene, &Options::default()).unwrap();
    assert_eq!(export.warnings().len(), 1);
    assert!(export.warnings()[0].starts_with("joint lower keeps a scale"), "{:?}", export.warnings());
    assert_same("arm of another shape", &model);
}

#[test]
fn scales_from_rounding_cause_no_warning() {
    for (scale, is_told) in [([0.998, 1.0, 0.99998], false), ([0.99, 1.0, 1.0], true)] {
        let bytes = scaled_arm(scale);
        let model = Model::parse(&bytes).unwrap();
        let scene = one_node("model", &model);
        let export = Export::plan(&scene, &Options::default()).unwrap();
        assert_eq!(!export.warnings().is_empty(), is_told, "{scale:?}: {:?}", export.warnings());
    }
    assert_same("arm of a rounded scale", &Model::parse(&scaled_arm([0.998, 1.0, 0.99998])).unwrap());
}

#[test]
fn real_rigs_have_no_scale_in_gltf_and_the_same_poses() {
    let Some(folder) = real::folder() else { return };
    let read = |end: &str| -> Vec<(String, Vec<u8>)> {
        let paths = real::files_below(&folder.join("unigine")).into_iter();
        paths
            .filter(|path| path.to_string_lossy().ends_with(end))
            .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
            .collect()
    };
    let (anims, mut clips, mut scaled) = (read(".anim"), 0, 0);
    for (name, bytes) in read(".mesh") {
        let mut model = Model::parse(&bytes).unwrap();
        if model.joints.is_empty() {
            continue;
        }
        for (number, (_, bytes)) in anims.iter().enumerate() {
            let anim = meshlens::unigine::Anim::parse(bytes).unwrap();
            // Most bones of another rig do not match.
            let before = model.clone();
            if model.add_anim(&anim, &format!("clip {number}")).total() > 3 {
                model = before;
            }
        }
        for (number, clip) in model.clips.iter_mut().enumerate() {
            clip.name = format!("{number} {}", clip.name);
        }
        assert_same(&name, &model);
        clips += model.clips.len();
        scaled += usize::from(meshlens::model::JointScales::at_rest(&model.joints).count() > 0);
        let read = write_and_read(&model);
        let joints = read.document.nodes().filter(|node| node.mesh().is_none());
        let kept = joints.filter(|node| node.transform().decomposed().2 != [1.0; 3]).count();
        assert_eq!(kept, 0, "{name}");
    }
    assert!(clips > 10 && scaled > 0, "{clips} clips, {scaled} rigs with scales");
}
