//! Skeletons from vertex frames.

use glam::{DQuat, DVec3};
use meshlens::Model;
use meshlens::model::{Clip, PlainFrame, PlainMesh, Space, TagPose, Transform, world_into};
use meshlens::scene::{Node, Scene, Socket};
use meshlens::wire::Budget;
use meshlens_carriers::Error;
use meshlens_carriers::skeleton::{Options, Rigged, skeleton};

/// The rotation around Y by an angle whose half has this tangent.
fn turn(half: f64) -> DQuat {
    DQuat::from_xyzw(0.0, half, 0.0, 1.0).normalize()
}

/// A model of one mesh, whose points in each frame `place` returns. Triangles join rows of `width` points.
fn model(
    frames: usize,
    points: usize,
    width: usize,
    place: impl Fn(usize, usize) -> DVec3,
) -> Model<'static> {
    let frame = |frame: usize| PlainFrame {
        positions: (0..points).map(|point| place(frame, point).as_vec3().into()).collect(),
        ..PlainFrame::default()
    };
    let corner = |point: usize| point as u32;
    let starts = (0..points).filter(|start| start % width + 1 < width && start + width < points);
    let squares = starts.flat_map(|start| {
        [[start, start + 1, start + width], [start + 1, start + width + 1, start + width]]
            .map(|t| t.map(corner))
    });
    let plain = PlainMesh {
        frames: (0..frames).map(frame).collect(),
        triangles: squares.collect(),
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::MD3);
    model.name = "model".into();
    model.meshes.push(plain.into_mesh("mesh").unwrap());
    model.clips.push(Clip::new("all", 0, frames, 10.0));
    model
}

/// The points of two boxes. The second box turns around an edge of the first.
fn boxes() -> Model<'static> {
    let corner = |point: usize| {
        let [x, y, z] = [1, 2, 4].map(|bit| if point & bit > 0 { 4.0 } else { 0.0 });
        DVec3::new(x, y, z)
    };
    let hinge = DVec3::new(4.0, 0.0, 4.0);
    model(9, 16, 4, move |frame, point| {
        let step = frame as f64;
        let body = turn(0.04 * step) * corner(point % 8) + DVec3::new(0.0, step, 0.0);
        if point < 8 {
            return body;
        }
        let lid = hinge + turn(0.2 * step) * (corner(point % 8) + DVec3::new(0.5, 0.0, 0.5));
        turn(0.04 * step) * lid + DVec3::new(0.0, step, 0.0)
    })
}

/// A tube along Z that bends: from one ring to the next, the weight of the second joint grows.
fn tube() -> Model<'static> {
    model(8, 48, 6, |frame, point| {
        let (ring, side) = (point / 6, point % 6);
        let sides = [(2.0, 0.0), (1.0, 1.7), (-1.0, 1.7), (-2.0, 0.0), (-1.0, -1.7), (1.0, -1.7)];
        let at = DVec3::new(sides[side].0, sides[side].1, 2.0 * ring as f64);
        let weight = ((ring as f64 - 2.0) / 3.0).clamp(0.0, 1.0);
        let centre = DVec3::new(0.0, 0.0, 7.0);
        let bent = centre + turn(0.08 * frame as f64) * (at - centre);
        at.lerp(bent, weight)
    })
}

/// The largest distance between the points of a model and those of its skeleton in all frames of a clip, measured by posing the
/// new model.
fn farthest(model: &Model<'_>, rigged: &Rigged) -> f64 {
    let made = &rigged.scene.nodes[0].model;
    let (mut pose, mut world, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    let mut farthest = 0.0f64;
    for (frame, clip) in (0..model.clips[0].count).map(|frame| (frame, &made.clips[0])) {
        made.pose_into(clip, frame as f32 / clip.rate.get(), &mut pose);
        world_into(&made.joints, &pose, &mut world);
        made.meshes[0].skin_positions_into(0, &world, &mut moved).unwrap();
        let mut wanted = vec![[0.0; 3]; moved.len()];
        model.meshes[0].positions(frame).unwrap().decode_into(&mut wanted).unwrap();
        for (moved, wanted) in moved.iter().zip(&wanted) {
            let [a, b] = [moved, wanted].map(|at| DVec3::from(at.map(f64::from)));
            farthest = farthest.max(a.distance(b));
        }
    }
    farthest
}

#[test]
fn two_boxes_are_two_joints() {
    let boxes = boxes();
    let rigged = skeleton(&Scene::from(boxes.clone()), &Options::default()).unwrap();
    let [report] = &rigged.reports[..] else { panic!("one model") };
    assert_eq!((report.joints, report.frames, report.points), (2, 9, 16));
    assert!(report.rms < 0.01 && report.max < 0.05, "{report}");
    let found = farthest(&boxes, &rigged);
    assert!((found - report.max).abs() < 1e-3, "the report is what a program shows: {found} {report}");
    // The lid turns around the hinge, and does not move away from it.
    let made = &rigged.scene.nodes[0].model;
    let mut frames = Vec::new();
    made.animations[0].frames_into(0..9, &mut frames);
    let lid = made.joints.iter().position(|joint| joint.parent.is_some()).unwrap();
    let column = made.animations[0].joints.iter().position(|joint| *joint == lid).unwrap();
    let width = made.animations[0].joints.len();
    for frame in frames.chunks(width) {
        assert_eq!(frame[column].translation, made.joints[lid].rest.translation);
        assert_eq!(frame[column].scale, [1.0; 3]);
    }
    assert_eq!(
        (made.clips[0].name.as_str(), made.clips[0].count, made.clips[0].rate.get()),
        ("all", 9, 10.0)
    );
}

#[test]
fn a_tube_has_smooth_weights() {
    let tube = tube();
    let rigged = skeleton(&Scene::from(tube.clone()), &Options::default()).unwrap();
    let [report] = &rigged.reports[..] else { panic!("one model") };
    assert!(report.joints <= 4 && report.rms < 1.0 / 16.0 && report.max < 0.5, "{report}");
    assert!(farthest(&tube, &rigged) < 0.5);
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    rigged.scene.nodes[0].model.meshes[0].influences_into(&mut joints, &mut weights).unwrap();
    let shared = weights.iter().filter(|weights| weights.iter().all(|weight| *weight < 0.9)).count();
    assert!(shared >= 6, "points between the joints have several: {shared}");
}

#[test]
fn a_smaller_error_takes_more_joints_and_the_result_is_always_the_same() {
    let scene = Scene::from(tube());
    let joints = |error| {
        let rigged = skeleton(&scene, &Options { error: Some(error), ..Options::default() }).unwrap();
        assert!(rigged.reports[0].rms <= error);
        (rigged.reports[0].joints, format!("{:?}", rigged.scene.nodes[0].model.joints))
    };
    let (few, many) = (joints(4.0), joints(0.02));
    assert!(few.0 < many.0, "{few:?} {many:?}");
    assert_eq!(joints(0.02), many);
}

#[test]
fn tags_and_attached_models_move_with_joints() {
    let mut body = boxes();
    body.tags = vec![meshlens::model::Tag { name: "tag_lid".into(), index: 0 }];
    let pose = |frame: usize| {
        let step = frame as f64;
        let rotation = turn(0.04 * step) * turn(0.2 * step);
        let origin = turn(0.04 * step) * DVec3::new(4.0, 0.0, 4.0) + DVec3::new(0.0, step, 0.0);
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (rotation * axis).as_vec3().into());
        TagPose { origin: origin.as_vec3().into(), axes }
    };
    body.set_tag_poses((0..9).map(|frame| vec![pose(frame)]).collect());
    let mut scene = Scene::from(body);
    let mut hat = tube();
    hat.clips.clear();
    scene.nodes.push(Node::new("hat", hat).attached_to(0, Socket::Tag(0)));
    let rigged = skeleton(&scene, &Options::default()).unwrap();
    let made = &rigged.scene.nodes[0].model;
    assert_eq!((rigged.scene.nodes.len(), made.meshes.len(), rigged.reports.len()), (1, 2, 1));
    let tag = made.joints.iter().position(|joint| joint.name == "tag_lid").unwrap();
    // The tag is fixed to the joint of the lid, and the hat to the tag.
    assert!(made.joints[tag].parent.is_some());
    assert!(!made.animations[0].joints.contains(&tag));
    let hat = made.joints.iter().find(|joint| joint.name == "hat").unwrap();
    assert_eq!(hat.parent, Some(tag));
    let (mut pose, mut world, mut moved) = (Vec::<Transform>::new(), Vec::new(), Vec::new());
    made.pose_into(&made.clips[0], 0.8, &mut pose);
    world_into(&made.joints, &pose, &mut world);
    made.meshes[1].skin_positions_into(0, &world, &mut moved).unwrap();
    // The first point of the tube is at (2, 0, 0) of the tag, which frame 8 turned and raised.
    let wanted =
        turn(0.32) * (DVec3::new(4.0, 0.0, 4.0) + turn(1.6) * DVec3::new(2.0, 0.0, 0.0)) + DVec3::Y * 8.0;
    let found = DVec3::from(moved[0].map(f64::from));
    assert!(found.distance(wanted) < 0.1, "{found} {wanted}");
}

#[test]
fn cloth_has_no_skeleton() {
    // Every point moves by its own numbers.
    let cloth = model(12, 64, 8, |frame, point| {
        let noise = |seed: usize| ((seed * 7919 + frame * 104_729 + point * 1_299_709) % 1009) as f64 / 100.0;
        DVec3::new((point % 8) as f64 * 4.0, (point / 8) as f64 * 4.0, noise(1))
    });
    let error = skeleton(&Scene::from(cloth.clone()), &Options::default()).unwrap_err();
    let Error::NoSkeleton { rms, max, met_rms, joints, .. } = &error else { panic!("{error}") };
    assert_eq!((*rms, *max), (1.0 / 16.0, 0.5));
    assert!(met_rms > rms && *joints <= 10, "{error}");
    assert!(error.to_string().starts_with("model: no skeleton of "), "{error}");
    assert!(skeleton(&Scene::from(cloth), &Options { error: Some(10.0), ..Options::default() }).is_ok());
}

#[test]
fn models_without_movement_or_numbers_are_errors() {
    let still = model(1, 4, 2, |_, point| DVec3::new(point as f64, 0.0, 0.0));
    let error = skeleton(&Scene::from(still.clone()), &Options::default()).unwrap_err();
    assert!(matches!(error, Error::NothingMoves), "{error}");
    assert!(matches!(skeleton(&Scene::default(), &Options::default()), Err(Error::NothingMoves)));
    let lost = model(3, 4, 2, |frame, _| DVec3::splat(if frame == 2 { f64::NAN } else { 1.0 }));
    assert!(matches!(skeleton(&Scene::from(lost), &Options::default()), Err(Error::NotFinite)));
    let rigged = skeleton(&Scene::from(boxes()), &Options::default()).unwrap();
    assert!(matches!(skeleton(&rigged.scene, &Options::default()), Err(Error::HasJoints { .. })));
    let budget = Budget::new(10_000);
    let small = Options { budget: Some(&budget), ..Options::default() };
    assert!(matches!(skeleton(&Scene::from(boxes()), &small), Err(Error::Memory(_))));
    assert_eq!(budget.reserved(), 0);
    // One point that moves, in a clip that claims more frames than there are.
    let mut point = model(3, 1, 1, |frame, _| DVec3::splat(frame as f64));
    point.clips[0].count = usize::MAX;
    let rigged = skeleton(&Scene::from(point), &Options::default()).unwrap();
    assert_eq!((rigged.reports[0].joints, rigged.scene.nodes[0].model.clips[0].count), (1, 3));
}
