//! Animations become frames that follow them. Each file is like a file of Blender's exporter, and a formula gives its
//! movement. The formula is compared at 13 times with the blended frames of the import, and with the frames that each
//! target format stores.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use glam::{Quat, Vec3};
use meshlens::model::{Clip, Model, Space, export};
use meshlens_gltf::Skins;
use serde_json::json;

use crate::small::{Small, messages};

/// The corners of a square of size 4.
const SQUARE: [[f32; 3]; 4] = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 1.0], [-2.0, 2.0, 0.0]];

/// A document with a node that has the square.
fn square() -> Small {
    let mut file = Small::new(json!({
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{}] }],
        "animations": [],
    }));
    let positions = file.vectors(&SQUARE);
    let indices = file.indices(&[0, 1, 2, 0, 2, 3]);
    file.json["meshes"][0]["primitives"][0] =
        json!({ "attributes": { "POSITION": positions }, "indices": indices });
    file
}

impl Small {
    /// Adds an animation of one property of a node.
    fn animate<const N: usize>(
        &mut self,
        node: usize,
        path: &str,
        interpolation: &str,
        times: &[f32],
        values: &[[f32; N]],
    ) {
        let (input, output) = (self.scalars(times), self.vectors(values));
        let number = self.json["animations"].as_array().unwrap().len();
        let animation = json!({
            "name": format!("clip{number}"),
            "samplers": [{ "input": input, "output": output, "interpolation": interpolation }],
            "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }],
        });
        self.json["animations"].as_array_mut().unwrap().push(animation);
    }
}

/// A quaternion around Z.
fn turn(degrees: f32) -> [f32; 4] {
    Quat::from_rotation_z(degrees.to_radians()).to_array()
}

/// The positions of the first mesh at a time of a clip, in the space of glTF.
fn sampled(model: &Model<'_>, scale: f32, clip: &Clip, time: f32) -> Vec<Vec3> {
    let place = (time * clip.rate.get()).min((clip.count - 1) as f32);
    let (before, after) = (place.floor() as usize, place.ceil() as usize);
    let to_gltf = model.space.to(&Space::GLTF);
    let frame = |step: usize| -> Vec<Vec3> {
        let positions = model.meshes[0].positions(clip.first + step).unwrap();
        let place = |position: [f32; 3]| {
            let placed = glam::Mat4::from_cols_array_2d(&model.placement).transform_point3(position.into());
            Vec3::from(to_gltf.position(placed.to_array())) / scale
        };
        positions.iter().map(place).collect()
    };
    frame(before).iter().zip(frame(after)).map(|(a, b)| a.lerp(b, place.fract())).collect()
}

/// Asserts that a model follows each clip: `truth` returns the position of a corner at a time, from its position at
/// rest.
fn check(
    what: &str,
    model: &Model<'_>,
    scale: f32,
    clips: &[Clip],
    truth: &dyn Fn(usize, Vec3, f32) -> Vec3,
) {
    for (number, clip) in clips.iter().enumerate() {
        let end = (clip.count - 1) as f32 / clip.rate.get();
        for step in 0..13u8 {
            let time = end * f32::from(step) / 12.0;
            let found = sampled(model, scale, clip, time);
            for (corner, found) in SQUARE.iter().zip(&found) {
                let wanted = truth(number, Vec3::from(*corner), time);
                let distance = wanted.distance(*found);
                assert!(distance <= 0.04, "{what}: {} at {time}: {wanted}, found {found}", clip.name);
            }
        }
    }
}

/// Imports a file, and checks the model and its conversion to every format with frames. Returns the clips and the
/// losses.
fn follow(what: &str, file: &Small, truth: &dyn Fn(usize, Vec3, f32) -> Vec3) -> (Vec<Clip>, Vec<String>) {
    let (model, losses) = file.import(Skins::Bake).unwrap();
    let clips = model.clips.clone();
    assert_eq!(clips.len(), file.json["animations"].as_array().unwrap().len(), "{what}");
    check(what, &model, 1.0, &clips, truth);
    let (md3, _) = export::to_md3(&model, "square", 16.0).unwrap();
    check(&format!("{what}, MD3"), &Model::parse(&md3).unwrap(), 16.0, &clips, truth);
    let (u3d, _) = export::to_u3d(&model, 1.0).unwrap();
    check(&format!("{what}, Ultimate 3D"), &Model::parse(&u3d).unwrap(), 1.0, &clips, truth);
    let (written, _) = export::to_unreal(&model, "square", 1.0).unwrap();
    let pair = meshlens::unreal::Unreal::parse(&written.files.geometry, &written.files.frames).unwrap();
    let mut unreal = Model::new(pair.into()).unwrap();
    let script = meshlens::unreal::Script::parse(written.script.as_bytes()).unwrap();
    unreal.set_script(&pair, &script, "square").unwrap();
    check(&format!("{what}, Unreal"), &unreal, 1.0, &clips, truth);
    (clips, messages(&losses).into_iter().map(|(code, _)| code.to_owned()).collect())
}

#[test]
fn a_turning_object_keeps_its_size() {
    // One full rotation in 2 seconds, with a key at each half: if only the keys were blended, the square would collapse
    // to a line.
    let mut file = square();
    file.animate(0, "rotation", "LINEAR", &[0.0, 1.0, 2.0], &[turn(0.0), turn(179.9), turn(359.8)]);
    let truth = |_, corner, time: f32| Quat::from_rotation_z((179.9 * time).to_radians()) * corner;
    let (clips, losses) = follow("rotation", &file, &truth);
    // 1/200 of 4 is 0.02. A corner is 2.83 from the axis: at 12 frames per second it rotates by 15 degrees per frame
    // and is off by 2.83 x (1 - cos 7.5 degrees) = 0.024, and at 16 by 0.0136.
    assert_eq!((clips[0].rate.get(), clips[0].count, clips[0].is_rate_assumed), (16.0, 33, false));
    assert_eq!(losses, ["ANIMATION_SAMPLED"]);
}

#[test]
fn curves_steps_and_uneven_keys_are_followed() {
    let mut spline = square();
    let values = [[0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3], [10.0, 0.0, 0.0], [0.0; 3]];
    spline.animate(0, "translation", "CUBICSPLINE", &[0.0, 2.0], &values);
    let truth = |_, corner: Vec3, time: f32| {
        let t = time / 2.0;
        corner + Vec3::X * 10.0 * (3.0 * t * t - 2.0 * t * t * t)
    };
    let (_, losses) = follow("spline", &spline, &truth);
    assert_eq!(losses, ["ANIMATION_SAMPLED"]);

    let mut step = square();
    step.animate(0, "translation", "STEP", &[0.0, 1.0, 2.0], &[[0.0; 3], [5.0, 0.0, 0.0], [9.0, 0.0, 0.0]]);
    let truth = |_, corner: Vec3, time: f32| {
        corner
            + Vec3::X
                * if time < 1.0 {
                    0.0
                } else if time < 2.0 {
                    5.0
                } else {
                    9.0
                }
    };
    let (clips, losses) = follow("step", &step, &truth);
    assert_eq!((clips[0].rate.get(), clips[0].count), (32.0, 65));
    assert_eq!(losses, ["STEP_LINEARIZED", "ANIMATION_SAMPLED"]);

    let mut uneven = square();
    let values = [[0.0; 3], [0.0; 3], [0.0, 20.0, 0.0], [0.0; 3]];
    uneven.animate(0, "translation", "LINEAR", &[0.0, 0.125, 0.2, 1.5], &values);
    let truth = |_, corner: Vec3, time: f32| {
        let y = if time < 0.125 {
            0.0
        } else if time < 0.2 {
            20.0 * (time - 0.125) / 0.075
        } else {
            20.0 * (1.5 - time) / 1.3
        };
        corner + Vec3::Y * y
    };
    let (clips, _) = follow("uneven keys", &uneven, &truth);
    // The slowest rate with a frame at each key: the keys are multiples of 1/40 second.
    assert_eq!((clips[0].rate.get(), clips[0].count), (40.0, 61));
    // One frame is at the peak.
    let (model, _) = uneven.import(Skins::Bake).unwrap();
    assert_eq!(model.meshes[0].positions(8).unwrap().iter().next(), Some([-2.0, 18.0, 0.0]));
}

#[test]
fn scales_shape_keys_and_several_clips_are_followed() {
    let mut scale = square();
    scale.animate(0, "scale", "LINEAR", &[0.0, 1.0], &[[1.0; 3], [3.0, 1.0, 1.0]]);
    let truth = |_, corner: Vec3, time: f32| corner * Vec3::new(1.0 + 2.0 * time, 1.0, 1.0);
    let (clips, losses) = follow("scale", &scale, &truth);
    // Scales change linearly, so the rate of the keys is sufficient.
    assert_eq!((clips[0].rate.get(), clips[0].count, losses.len()), (1.0, 2, 0));

    let mut shapes = square();
    let up = shapes.vectors(&[[0.0, 0.0, 3.0]; 4]);
    let along = shapes.vectors(&[[4.0, 0.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3]]);
    shapes.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": up }, { "POSITION": along }]);
    let (input, output) = (shapes.scalars(&[0.0, 0.5, 1.0]), shapes.scalars(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
    shapes.json["animations"] = json!([{
        "samplers": [{ "input": input, "output": output }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
    }]);
    let truth = |_, corner: Vec3, time: f32| {
        let (first, second) =
            if time < 0.5 { (time * 2.0, 0.0) } else { (2.0 - time * 2.0, time * 2.0 - 1.0) };
        let is_first = corner.x < 0.0 && corner.y < 0.0;
        corner + Vec3::Z * 3.0 * first + if is_first { Vec3::X * 4.0 * second } else { Vec3::ZERO }
    };
    let (clips, losses) = follow("shape keys", &shapes, &truth);
    assert_eq!((clips[0].rate.get(), clips[0].count, losses.len()), (2.0, 3, 0));

    // Each clip has its own rate, and begins where the previous clip ends.
    let mut several = square();
    several.animate(0, "rotation", "LINEAR", &[0.0, 1.0], &[turn(0.0), turn(90.0)]);
    several.animate(0, "translation", "LINEAR", &[0.0, 0.5], &[[0.0; 3], [0.0, 0.0, 8.0]]);
    let truth = |clip, corner: Vec3, time: f32| match clip {
        0 => Quat::from_rotation_z(time * PI / 2.0) * corner,
        _ => corner + Vec3::Z * 16.0 * time,
    };
    let (clips, _) = follow("several clips", &several, &truth);
    let ranges: Vec<_> = clips.iter().map(|clip| (clip.first, clip.count, clip.rate.get())).collect();
    assert_eq!(ranges, [(0, 9, 8.0), (9, 2, 2.0)]);
}

#[test]
fn morph_targets_that_nothing_shows_are_listed() {
    let mut file = square();
    file.json["nodes"][0]["name"] = json!("flap");
    let up = file.vectors(&[[0.0, 0.0, 3.0]; 4]);
    let primitive = &mut file.json["meshes"][0]["primitives"][0];
    primitive["targets"] = json!([{ "POSITION": up }, { "POSITION": up }]);
    // A second primitive of the mesh has the same targets.
    let primitive = primitive.clone();
    file.json["meshes"][0]["primitives"] = json!([primitive, primitive]);
    let lost = |file: &Small| {
        let (_, losses) = file.import(Skins::Bake).unwrap();
        messages(&losses).into_iter().map(|(code, text)| format!("{code} {text}")).collect::<Vec<_>>()
    };
    let of = |count| [format!("MORPH_TARGET_LOST mesh flap: {count} morph targets that no animation shows")];
    assert_eq!(lost(&file), of(2));
    // The first is shown at rest, the second by a key of an animation.
    file.json["nodes"][0]["weights"] = json!([0.5, 0.0]);
    assert_eq!(lost(&file), of(1));
    file.json["nodes"][0]["weights"] = json!([0.0, 0.0]);
    let (input, output) = (file.scalars(&[0.0, 1.0]), file.scalars(&[0.0, 0.0, 0.0, 1.0]));
    file.json["animations"] = json!([{
        "samplers": [{ "input": input, "output": output }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
    }]);
    assert_eq!(lost(&file), of(1));
    file.json["nodes"][0]["weights"] = json!([0.5, 0.0]);
    assert_eq!(lost(&file), [""; 0]);
    // If only the pose at rest is wanted, animations are not lost, and neither are their targets.
    file.json["nodes"][0]["weights"] = json!([0.0, 0.0]);
    let options = meshlens_gltf::ImportOptions { at_rest: true, ..meshlens_gltf::ImportOptions::default() };
    let (_, losses) = crate::merged::import(&file.glb(), &options, &|_, _| None).unwrap();
    assert_eq!(messages(&losses), []);
}

#[test]
fn skins_and_turning_parents_are_followed() {
    // The square is bound to the second joint of an arm that rotates by 90 degrees and back.
    let mut skin = square();
    skin.json["nodes"] = json!([{ "mesh": 0, "skin": 0 }, { "children": [2] }, { "translation": [2, 0, 0] }]);
    let joints = skin.joints(&[[1, 0, 0, 0]; 4]);
    let weights = skin.vectors(&[[1.0, 0.0, 0.0, 0.0]; 4]);
    let attributes = &mut skin.json["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    let mut bind = glam::Mat4::IDENTITY.to_cols_array();
    let first = bind;
    bind[12] = -2.0;
    let inverse = skin.matrices(&[first, bind]);
    skin.json["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": inverse }]);
    let half = [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];
    skin.animate(2, "rotation", "LINEAR", &[0.0, 1.0, 2.0], &[turn(0.0), half, turn(0.0)]);
    let truth = |_, corner: Vec3, time: f32| {
        let quarter = if time < 1.0 { time } else { 2.0 - time };
        let joint = Vec3::X * 2.0;
        joint + Quat::from_rotation_z(quarter * PI / 2.0) * (corner - joint)
    };
    follow("skin", &skin, &truth);

    let mut parent = square();
    parent.json["nodes"] = json!([{ "mesh": 0, "translation": [3, 0, 0] }, { "children": [0] }]);
    parent.animate(1, "rotation", "LINEAR", &[0.0, 0.5, 1.0], &[turn(0.0), turn(90.0), turn(180.0)]);
    let truth = |_, corner: Vec3, time: f32| Quat::from_rotation_z(time * PI) * (corner + Vec3::X * 3.0);
    follow("parent", &parent, &truth);
}

/// A requested rate is used, and the report states the greatest error of the frames.
#[test]
fn a_coarse_rate_is_listed() {
    let mut file = square();
    file.animate(0, "rotation", "LINEAR", &[0.0, 1.0], &[turn(0.0), turn(90.0)]);
    let options = meshlens_gltf::ImportOptions {
        rate: Some(1.0),
        skins: Skins::Bake,
        ..meshlens_gltf::ImportOptions::default()
    };
    let (model, losses) = crate::merged::import(&file.glb(), &options, &|_, _| None).unwrap();
    assert_eq!(model.frame_count(), 2);
    // Halfway, a corner at 2.83 is at 2.83 x cos 45 degrees = 2, so it is off by 0.83 of 4. The corner at height 1 has
    // the same error.
    let expected = "animation clip0: at 1 frames per second, vertices are up to 20.7 % of their mesh's size from their places";
    assert_eq!(messages(&losses), [("ANIMATION_COARSE", expected)]);
}
