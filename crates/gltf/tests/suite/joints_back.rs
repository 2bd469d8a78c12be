//! Joints that are written to glTF and to the formats of games.

use glam::Vec3;
use meshlens::Document;
use meshlens::md3::Md3;
use meshlens::model::{Model, Space, export};
use meshlens_gltf::{ImportOptions, Skins};

use crate::merged::import;

use super::back::{corpus, glb, messages, read, soup};

#[test]
fn a_model_keeps_its_arm_in_every_format() {
    let bytes = corpus("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let wanted = soup(&model, 1);

    let (written, losses) = export::to_unigine(&model, 1.0).unwrap();
    let unigine = Model::parse(&written).unwrap();
    // UNIGINE stores frames as morph targets.
    assert_eq!(soup(&unigine, 1), wanted);
    assert!(messages(&losses).iter().any(|line| line == "tag tag_hand"), "{losses:?}");

    let (written, losses) = export::to_u3d(&model, 1.0).unwrap();
    let u3d = Model::parse(&written).unwrap();
    for frame in 0..3 {
        assert_eq!(soup(&u3d, frame), soup(&model, frame), "floats of sixty-fourths are exact");
    }
    assert_eq!((u3d.clips[0].name.as_str(), u3d.clips[0].first, u3d.clips[0].count), ("all", 0, 3));
    assert_eq!(u3d.meshes[0].texcoords(0).unwrap().unwrap().to_vec().len(), u3d.meshes[0].point_count());
    let mut report = meshlens::Report::default();
    Document::parse(&written).unwrap().validate(&mut report);
    assert_eq!(report.total(), 0, "{report:?}");
    assert!(messages(&losses).iter().any(|line| line == "tag tag_hand"), "{losses:?}");

    let (written, losses) = export::to_unreal(&model, "figure", 1.0).unwrap();
    let file = meshlens::unreal::Unreal::parse(&written.files.geometry, &written.files.frames).unwrap();
    let mut unreal = Model::new(file.into()).unwrap();
    let script = meshlens::unreal::Script::parse(written.script.as_bytes()).unwrap();
    assert!(unreal.set_script(&file, &script, "figure").unwrap().is_empty());
    // Positions of MD3 are on a grid, which is fine enough here.
    for frame in 0..3 {
        assert_eq!(soup(&unreal, frame), soup(&model, frame), "frame {frame}");
    }
    assert_eq!(
        (unreal.clips[0].name.as_str(), unreal.clips[0].count, unreal.clips[0].rate.get()),
        ("all", 3, 10.0)
    );
    assert!(!messages(&losses).iter().any(|line| line.contains("rounded")), "{losses:?}");

    let (written, _) = export::to_md3(&unreal, "figure", 1.0).unwrap();
    assert_eq!(soup(&Model::parse(&written).unwrap(), 0), soup(&model, 0));
}

/// The positions of the vertices of a model at step `step` of a clip, in glTF's space, sorted.
fn shown(model: &Model<'_>, clip: usize, step: usize) -> Vec<[i64; 3]> {
    let (clip, to_gltf) = (&model.clips[clip], model.space.to(&Space::GLTF));
    let (mut pose, mut world, mut all) = (Vec::new(), Vec::new(), Vec::new());
    pose.extend(model.joints.iter().map(|joint| joint.rest));
    model.animations[clip.animation.unwrap()].apply(clip.frame(step), &mut pose);
    meshlens::model::world_into(&model.joints, &pose, &mut world);
    for mesh in &model.meshes {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        let topology = mesh.topology().unwrap();
        mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals).unwrap();
        let round = |position: [f32; 3]| position.map(|axis| (f64::from(axis) * 8.0).round() as i64);
        all.extend(positions.into_iter().map(|position| round(to_gltf.position(position))));
    }
    all.sort_unstable();
    all
}

#[test]
fn joints_go_to_ultimate_3d_and_back() {
    for name in ["unigine/skinned_ms11.mesh", "u3d/v1_skinned.u3d", "u3d/v2_skinned.u3d"] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let (written, losses) = export::to_u3d(&model, 1.0).unwrap();
        let again = Model::parse(&written).unwrap();
        let mut report = meshlens::Report::default();
        Document::parse(&written).unwrap().validate(&mut report);
        // The material for triangles without one can be equal to the last.
        report.retain(|code| code.name != "MATERIAL_REPEATED");
        assert_eq!(report.total(), 0, "{name}: {report:?}");
        let names = |model: &Model<'_>| -> Vec<(String, Option<usize>)> {
            model.joints.iter().map(|joint| (joint.name.clone(), joint.parent)).collect()
        };
        assert_eq!(names(&again), names(&model), "{name}");
        let rates = messages(&losses).iter().filter(|line| line.contains("frames per second")).count();
        assert_eq!(rates, 0, "the file has no rate, so none is lost: {losses:?}");
        let (unigine, _) = export::to_unigine(&model, 1.0).unwrap();
        let unigine = Model::parse(&unigine).unwrap();
        assert_eq!((again.clips.len(), again.meshes.len()), (model.clips.len(), 1));
        for (number, clip) in model.clips.iter().enumerate() {
            assert_eq!((&again.clips[number].name, again.clips[number].count), (&clip.name, clip.count));
            for step in 0..clip.count {
                let wanted = shown(&model, number, step);
                let close = |found: Vec<[i64; 3]>| {
                    found.len() == wanted.len()
                        && found
                            .iter()
                            .zip(&wanted)
                            .all(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 3))
                };
                assert!(close(shown(&again, number, step)), "{name} {} {step}", clip.name);
                if clip.first == 0 {
                    assert!(close(shown(&unigine, clip.animation.unwrap(), step)), "{name} {step}");
                }
            }
        }
    }
}

#[test]
fn joints_are_baked_into_frames() {
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_md3(&model, "arm", 1.0).unwrap();
    let md3 = Md3::parse(&written).unwrap();
    assert_eq!(md3.frame_count(), 3 + 2, "two animations, one after the other");
    assert!(messages(&losses).iter().any(|line| line.starts_with("joints: ")));
    let again = Model::parse(&written).unwrap();
    let clips: Vec<_> = again.clips.iter().map(|clip| (clip.name.as_str(), clip.first, clip.count)).collect();
    assert_eq!(clips, [("wave", 0, 3), ("turn", 3, 2)]);
    // Through glTF, whose joints are baked to frames by the import: the same frames, with others between them, because
    // joints that rotate far in a frame need more frames.
    let baked = ImportOptions { skins: Skins::Bake, ..ImportOptions::default() };
    let (imported, _) = import(&glb(&model), &baked, &read).unwrap();
    let counts: Vec<_> = imported.clips.iter().map(|clip| (clip.first, clip.count)).collect();
    assert_eq!(counts, [(0, 5), (5, 4)]);
    for (denser, clip) in imported.clips.iter().zip(&again.clips) {
        let between = (denser.count - 1) / (clip.count - 1);
        for step in 0..clip.count {
            let found = soup(&imported, denser.first + step * between);
            for (found, wanted) in found.iter().zip(soup(&again, clip.first + step)) {
                let near = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= 1);
                assert!(near, "{} {step}: {found:?} {wanted:?}", clip.name);
            }
        }
    }
    // And back to the original format, with joints.
    let (written, _) = export::to_unigine(&model, 1.0).unwrap();
    let again = Model::parse(&written).unwrap();
    assert_eq!(again.joints.len(), 4);
    let (mut pose, mut other) = (Vec::new(), Vec::new());
    for (clip, same) in model.clips.iter().zip(&again.clips) {
        assert_eq!((&clip.name, clip.count), (&same.name, same.count));
        model.pose_into(clip, 0.15, &mut pose);
        again.pose_into(same, 0.15, &mut other);
        for (pose, other) in pose.iter().zip(&other) {
            assert!(Vec3::from(pose.translation).abs_diff_eq(other.translation.into(), 1e-3));
            let [a, b] = [pose.rotation, other.rotation].map(glam::Quat::from_array);
            assert!(a.dot(b).abs() > 0.9999);
        }
    }
}
