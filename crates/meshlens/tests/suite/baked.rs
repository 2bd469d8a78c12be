//! Clips and morph targets of models that joints move, in formats of vertex frames.

use meshlens::Report;
use meshlens::model::export::{self, Target};
use meshlens::model::{Clip, Model};

use super::export::{bound_elsewhere, model_of, triangle};

/// The targets that bake joints, and Ultimate 3D, which keeps the joints of skins.
const BAKING: [Target; 3] = [Target::Md3, Target::Unreal, Target::U3d];

fn of_joints(name: &str, count: usize, animation: usize) -> Clip {
    Clip { count, animation: Some(animation), ..Clip::new(name, 0, 1, 10.0) }
}

/// A triangle that nods, with a skin, and the same one without, which Ultimate 3D stores as frames.
fn nodding(clips: &[Clip]) -> [Model<'static>; 2] {
    let mut skinned = bound_elsewhere();
    skinned.clips = clips.to_vec();
    let mut still = skinned.clone();
    still.meshes[0].skin = None;
    [skinned, still]
}

fn written(model: &Model<'_>, target: Target) -> (Vec<u8>, Report) {
    let made = export::to_files(model, target, "a", 1.0, None).unwrap();
    // The script of an Unreal mesh has its sequences.
    (made.files.into_iter().next_back().unwrap().1, made.losses)
}

/// The clips of a file, or of a script.
fn clips(bytes: &[u8], target: Target) -> Vec<String> {
    if target == Target::Unreal {
        let script = std::str::from_utf8(bytes).unwrap();
        let all = script.lines().filter_map(|line| line.strip_prefix("#exec MESH SEQUENCE MESH=a SEQ="));
        return all.map(str::to_owned).collect();
    }
    let clips = Model::parse(bytes).unwrap().clips;
    let text =
        |clip: &Clip| format!("{} STARTFRAME={} NUMFRAMES={} RATE=10", clip.name, clip.first, clip.count);
    clips.iter().map(text).collect()
}

/// The clip of a file that has no others. An MD3 does not name it.
fn only(name: &str, target: Target) -> [String; 1] {
    let name = if target == Target::Md3 { "all" } else { name };
    [format!("{name} STARTFRAME=0 NUMFRAMES=2 RATE=10")]
}

/// The losses of clips.
fn lost_clips(losses: &Report) -> Vec<(&str, &str)> {
    let all = losses.findings().map(|finding| (finding.code, finding.message.as_str()));
    all.filter(|(code, _)| code.starts_with("CLIP_")).collect()
}

#[test]
fn clips_without_frames_are_left_out() {
    let all = [of_joints("empty", 0, 0), of_joints("nod", 2, 0), of_joints("missing", 2, 7)];
    let lost =
        [("CLIP_LOST", "clip empty: it has no frames"), ("CLIP_LOST", "clip missing: it has no frames")];
    for model in nodding(&all) {
        for target in BAKING {
            let (bytes, losses) = written(&model, target);
            assert_eq!(lost_clips(&losses), lost, "{target:?}");
            assert_eq!(clips(&bytes, target), only("nod", target), "{target:?}");
        }
    }
    // Without another clip, the model is at rest.
    for model in nodding(&all[..1]) {
        for target in [Target::Md3, Target::Unreal] {
            let (bytes, losses) = written(&model, target);
            assert_eq!(lost_clips(&losses), lost[..1], "{target:?}");
            assert_eq!(clips(&bytes, target), [""; 0], "{target:?}");
        }
        assert_eq!(Model::parse(&written(&model, Target::Md3).0).unwrap().frame_count(), 1);
    }
    // Clips of vertex frames.
    let mut model = model_of(triangle(8.0));
    model.clips.push(Clip { count: 0, ..Clip::new("empty", 0, 1, 10.0) });
    for target in BAKING {
        let (bytes, losses) = written(&model, target);
        assert_eq!(lost_clips(&losses), lost[..1], "{target:?}");
        assert_eq!(clips(&bytes, target), only("walk", target), "{target:?}");
    }
}

#[test]
fn loops_of_joint_clips_are_kept_or_lost() {
    let nod = Clip { loop_frames: 2, reversed: true, ..of_joints("nod", 2, 0) };
    let lost = ("CLIP_LOOP_LOST", "clip nod: that it loops");
    for model in nodding(&[nod, of_joints("shake", 2, 0)]) {
        for target in [Target::Unreal, Target::U3d, Target::Unigine, Target::UnigineAnim] {
            let (_, losses) = written(&model, target);
            assert!(lost_clips(&losses).contains(&lost), "{target:?}: {:?}", lost_clips(&losses));
        }
        // The frames are in the order in which they play, and the rows of a companion file have the loop.
        let made = export::to_md3_measured(&model, "a", 1.0).unwrap();
        let nod = Clip { loop_frames: 2, ..Clip::new("nod", 0, 2, 10.0) };
        assert_eq!(made.clips, [nod, Clip::new("shake", 2, 2, 10.0)]);
        assert_eq!(lost_clips(&made.losses), []);
        let (_, losses) = export::to_md3(&model, "a", 1.0).unwrap();
        assert_eq!(lost_clips(&losses), [lost]);
    }
}

#[test]
fn clips_of_vertex_frames_are_lost_beside_those_of_joints() {
    let lost = ("CLIP_LOST", "clip wave: it plays frames of vertices, and other clips move joints");
    for model in nodding(&[of_joints("nod", 2, 0), Clip::new("wave", 0, 1, 10.0)]) {
        for target in BAKING {
            let (bytes, losses) = written(&model, target);
            assert_eq!(lost_clips(&losses), [lost], "{target:?}");
            assert_eq!(clips(&bytes, target), only("nod", target), "{target:?}");
        }
    }
}

#[test]
fn morph_targets_of_meshes_that_joints_move_are_lost() {
    let mut mesh = triangle(8.0);
    mesh.joints = vec![[0; 4]; 3];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; 3];
    let [mut model, _] = nodding(&[of_joints("nod", 2, 0)]);
    let skin = model.meshes[0].skin.clone();
    model.meshes = vec![mesh.into_mesh("mesh").unwrap()];
    model.meshes[0].skin = skin;
    let targets = |losses: &Report| {
        let all = losses.findings().filter(|finding| finding.code == "MORPH_TARGET_LOST");
        all.map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let lost = ["1 morph targets of meshes that bones move"];
    for target in BAKING {
        assert_eq!(targets(&written(&model, target).1), lost, "{target:?}");
    }
    // UNIGINE keeps both, and without a clip of joints the targets are the frames.
    assert_eq!(targets(&written(&model, Target::Unigine).1), [""; 0]);
    model.clips.clear();
    for target in [Target::Md3, Target::Unreal] {
        assert_eq!(targets(&written(&model, target).1), [""; 0], "{target:?}");
    }
}
