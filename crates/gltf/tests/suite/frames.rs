//! Vertex frames through glTF and back: all frames, in order, with their names, and with clips as ranges.

use super::one_node;
use glam::Vec3;
use meshlens::model::{Clip, Model, Space, export};
use meshlens::unreal::{Script, Unreal};
use meshlens::{Document, md3::Md3, md3::write};
use meshlens_gltf::{Export, Frames, ImportOptions, Options, Skins};

use crate::merged::import;
use meshlens_testkit::{displayed, real};

fn glb(model: &Model<'_>) -> Vec<u8> {
    let mut glb = Vec::new();
    Export::plan(&one_node("model", model), &Options::default()).unwrap().write_glb(&mut glb).unwrap();
    glb
}

fn back(glb: &[u8]) -> Model<'static> {
    import(glb, &ImportOptions { skins: Skins::Bake, ..ImportOptions::default() }, &|_, _| None).unwrap().0
}

/// A GLB with an edited document and an unchanged buffer.
fn edited(glb: &[u8], edit: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut document = serde_json::from_slice(&glb[20..20 + len]).unwrap();
    edit(&mut document);
    let mut text = serde_json::to_vec(&document).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &glb[20 + len..];
    let mut out = glb[..8].to_vec();
    out.extend((20 + text.len() as u32 + rest.len() as u32).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(text);
    out.extend(rest);
    out
}

/// The corners of all triangles in each frame, in glTF's space, in the order of the meshes and their materials.
fn frames(model: &Model<'_>) -> Vec<Vec<Vec3>> {
    let frames = displayed::triangles(model, &Space::GLTF).unwrap().into_iter();
    frames.map(|frame| frame.iter().flatten().map(|corner| Vec3::from(corner.position)).collect()).collect()
}

/// Asserts that each frame of `found` equals the frame of `wanted`, within a tolerance relative to the precision of the
/// format.
fn assert_same_frames(uri: &str, found: &Model<'_>, wanted: &Model<'_>, quantum: f32) {
    let (found, wanted) = (frames(found), frames(wanted));
    assert_eq!(found.len(), wanted.len(), "{uri}: the number of frames");
    for (frame, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(found.len(), wanted.len(), "{uri}: corners");
        let far = found.iter().zip(wanted).find(|(found, wanted)| !found.abs_diff_eq(**wanted, quantum));
        assert!(far.is_none(), "{uri}, frame {frame}: {far:?}");
    }
}

fn clip(name: &str, first: usize, count: usize, rate: f32) -> Clip {
    Clip::new(name, first, count, rate)
}

/// One triangle that rises by 1 in each of 8 frames, and a tag on it that rotates.
pub(super) fn lift() -> Vec<u8> {
    let mut file = write::Model::new("lift").unwrap();
    let mut surface = write::Surface::new("plate").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    file.tags_per_frame = 1;
    for frame in 0..8u8 {
        let z = f32::from(frame);
        file.frames.push(
            write::Frame::named(["zero", "", "frame 2", "x", "x", "five", "6", "end"][usize::from(frame)])
                .unwrap(),
        );
        surface.add_frame(&[[0.0, 0.0, z], [0.0, 8.0, z], [8.0, 0.0, z]], &[[0.0, 0.0, 1.0]; 3]).unwrap();
        let (sin, cos) = (z * 0.3).sin_cos();
        file.tags.push(write::Tag {
            name: write::name("hook").unwrap(),
            origin: [0.0, 1.0, z],
            axis: [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]],
        });
    }
    file.surfaces.push(surface);
    file.write().unwrap()
}

/// Clips that overlap, repeat frames, play backwards, and loop. No clip has frames 0 and 7.
pub(super) fn clips() -> Vec<Clip> {
    vec![
        clip("rise", 1, 4, 12.0),
        Clip { loop_frames: 3, ..clip("cycle", 3, 3, 20.0) },
        Clip { reversed: true, loop_frames: 1, ..clip("fall", 2, 5, 7.5) },
        clip("still", 5, 1, 10.0),
    ]
}

#[test]
fn clips_that_skip_or_repeat_frames_keep_every_frame() {
    let bytes = lift();
    let mut model = Model::parse(&bytes).unwrap();
    model.clips = clips();
    // With 2 or 3 targets, meshes are split.
    for (rest, max_targets) in [(0, 7), (4, 7), (7, 7), (0, 3), (0, 2), (4, 3), (7, 1)] {
        let mut glb = Vec::new();
        let mut scene = one_node("lift", &model);
        scene.nodes[0].rest_frame = rest;
        let options = Options { max_targets, quantize: max_targets == 2, ..Options::default() };
        let export = Export::plan(&scene, &options).unwrap();
        let is_split = export.losses().findings().any(|finding| finding.code == "MORPH_TARGETS_SPLIT");
        assert_eq!(is_split, max_targets < 7);
        export.write_glb(&mut glb).unwrap();
        let imported = back(&glb);
        assert_eq!(imported.meshes.len(), 1);
        assert_eq!(imported.frame_count(), 8, "at rest in frame {rest}");
        for frame in 0..8u8 {
            // Up is Y in glTF.
            let up = imported.meshes[0].positions(frame.into()).unwrap().get(0).unwrap()[1];
            assert_eq!(up, f32::from(frame), "at rest in frame {rest}");
            let (pose, wanted) = (imported.tag_pose(0, frame.into()).unwrap(), f32::from(frame));
            assert!(
                Vec3::from(pose.origin).abs_diff_eq(Vec3::new(1.0, wanted, 0.0), 1e-5),
                "{frame}: {pose:?}"
            );
        }
        assert_eq!(imported.clips, clips());
        let names: Vec<&str> = (0..8).map(|frame| imported.frame_name(frame)).collect();
        assert_eq!(names, ["zero", "", "frame 2", "x", "x", "five", "6", "end"]);
        // A second trip through glTF, and a conversion to MD3.
        let again = back(&self::glb(&imported));
        assert_eq!((again.frame_count(), again.clips), (8, clips()));
        let (written, _) = export::to_md3(&imported, "lift", 1.0).unwrap();
        let (found, first) = (Md3::parse(&written).unwrap(), Md3::parse(&bytes).unwrap());
        for frame in 0..8 {
            let names = [&found, &first].map(|md3| md3.frame(frame).unwrap().name.to_text().into_owned());
            assert_eq!(names[0], names[1]);
            let tags = [&found, &first].map(|md3| md3.tag(frame, 0).unwrap());
            assert!(Vec3::from(tags[0].origin).abs_diff_eq(tags[1].origin.into(), 1e-4));
            for (found, wanted) in tags[0].axis.iter().zip(tags[1].axis) {
                assert!(Vec3::from(*found).abs_diff_eq(wanted.into(), 1e-5), "frame {frame}: {tags:?}");
            }
        }
        assert_same_frames("lift", &Model::parse(&written).unwrap(), &model, 0.0);
    }
}

#[test]
fn clips_keep_the_frames_that_exist() {
    let bytes = lift();
    let mut model = Model::parse(&bytes).unwrap();
    // The model has 8 frames.
    let none = Clip { count: 0, ..clip("none", 0, 1, 10.0) };
    let wrong = [none, clip("after", 8, 2, 10.0), clip("past", 6, 1000, 10.0)];
    model.clips = [vec![clip("whole", 2, 3, 10.0)], wrong.to_vec()].concat();
    let scene = one_node("lift", &model);
    let export = Export::plan(&scene, &Options::default()).unwrap();
    let losses = export.losses().findings().filter(|finding| finding.code == "CLIP_FRAMES_MISSING");
    let losses: Vec<&str> = losses.map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        losses,
        [
            "clip none: 0 of 0 frames do not exist",
            "clip after: 2 of 2 frames do not exist",
            "clip past: 998 of 1000 frames do not exist"
        ]
    );
    let mut written = Vec::new();
    export.write_glb(&mut written).unwrap();
    let imported = back(&written);
    let ranges: Vec<_> = imported.clips.iter().map(|clip| (&*clip.name, clip.first, clip.count)).collect();
    assert_eq!(ranges, [("whole", 2, 3), ("past", 6, 2)]);
    for (name, frames) in [("past", 2), ("WHOLE", 3)] {
        let options = Options { frames: Frames::Clip(name), ..Options::default() };
        let mut written = Vec::new();
        Export::plan(&scene, &options).unwrap().write_glb(&mut written).unwrap();
        assert_eq!(back(&written).frame_count(), frames, "{name}");
    }
    for name in ["none", "after"] {
        let options = Options { frames: Frames::Clip(name), ..Options::default() };
        assert!(Export::plan(&scene, &options).is_err(), "{name}");
    }
}

#[test]
fn edited_documents_are_baked() {
    let bytes = lift();
    let mut model = Model::parse(&bytes).unwrap();
    model.clips = clips();
    let written = glb(&model);
    let baked = |glb: &[u8]| {
        let model = back(glb);
        (model.frame_count(), model.clips.iter().map(|clip| (clip.first, clip.count)).collect::<Vec<_>>())
    };
    // Without extras, every clip has frames at its keys, one clip after the other. The cycle has its first frame twice.
    let plain = edited(&written, |document| {
        for node in document["nodes"].as_array_mut().unwrap() {
            node.as_object_mut().unwrap().remove("extras");
        }
    });
    assert_eq!(baked(&plain), (4 + 4 + 5 + 1, vec![(0, 4), (4, 4), (8, 5), (13, 1)]));
    // One animation more, one less, or one that shows other frames: the extras do not match the file, so the file is
    // baked. A cycle is still known from the extras.
    let wanted = (4 + 3 + 5 + 1, vec![(0, 4), (4, 3), (7, 5), (12, 1)]);
    let root = |document: &serde_json::Value| {
        document["nodes"].as_array().unwrap().iter().position(|node| node["extras"].is_object()).unwrap()
    };
    let shifted = edited(&written, |document| {
        let root = root(document);
        document["nodes"][root]["extras"]["meshlens"]["clips"][0]["first"] = 0.into();
    });
    assert_eq!(baked(&shifted), wanted);
    let renamed = edited(&written, |document| document["animations"][2]["name"] = "other".into());
    assert_eq!(baked(&renamed), wanted);
    for (member, value) in [("frames", 7), ("frames", 9), ("rest", 8), ("frames", 0)] {
        let wrong = edited(&written, |document| {
            let root = root(document);
            document["nodes"][root]["extras"]["meshlens"][member] = value.into();
        });
        assert_eq!(baked(&wrong), wanted, "{member} {value}");
    }
    // A requested rate: twice as many frames of the first clip.
    let options = ImportOptions { rate: Some(24.0), skins: Skins::Bake, ..ImportOptions::default() };
    assert_eq!(import(&written, &options, &|_, _| None).unwrap().0.clips[0].count, 7);
}

#[test]
fn morph_targets_without_clips_come_back() {
    let bytes = std::fs::read(real::workspace_root().join("corpus/unigine/morph.mesh")).unwrap();
    let model = Model::parse(&bytes).unwrap();
    let imported = back(&glb(&model));
    assert_eq!((imported.frame_count(), imported.clips.len()), (model.frame_count(), model.clips.len()));
    for frame in 1..model.frame_count() {
        assert_eq!(imported.meshes[0].frame_name(frame), model.meshes[0].frame_name(frame));
    }
    assert_same_frames("morph.mesh", &imported, &model, 1e-5);
}

#[test]
fn every_md3_keeps_its_frames() {
    let (mut models, mut frames) = (0, 0);
    for (uri, bytes) in real::chosen_files_and_corpus("md3", &[".md3"]) {
        let Ok(model) = Model::parse(&bytes) else { continue };
        let imported = back(&glb(&model));
        if imported.meshes.is_empty() && imported.tags.is_empty() {
            continue;
        }
        models += 1;
        frames += model.frame_count();
        assert_eq!(imported.frame_count(), model.frame_count().max(1), "{uri}");
        let (written, _) = export::to_md3(&imported, "model", 1.0).unwrap();
        let again = Model::parse(&written).unwrap();
        // In both files, positions are multiples of 1/64.
        assert_same_frames(&uri, &again, &model, 1.0 / 128.0);
    }
    assert!(models >= 3 && frames > models, "{models} models, {frames} frames");
}

#[test]
fn every_unreal_mesh_keeps_its_frames() {
    let mut models = 0;
    for (number, (uri, geometry, frames)) in real::unreal_pairs_or_corpus().into_iter().enumerate() {
        if !real::is_chosen(number) {
            continue;
        }
        let Ok(document) = Document::parse_pair(&geometry, &frames) else { continue };
        let mut model = Model::new(document).unwrap();
        if model.meshes[0].topology().unwrap().triangles().is_empty() {
            continue;
        }
        models += 1;
        // Sequences that overlap and omit frames, as in scripts.
        let count = model.frame_count();
        model.clips = vec![clip("All", 0, count, 15.0)];
        if count > 3 {
            model.clips =
                vec![clip("Walk", 1, count - 2, 15.0), clip("Still", 1, 1, 10.0), clip("Turn", 2, 2, 8.0)];
        }
        let imported = back(&glb(&model));
        assert_eq!(imported.clips, model.clips, "{uri}");
        let (written, _) = export::to_unreal(&imported, "made", 1.0).unwrap();
        let unreal = Unreal::parse(&written.files.geometry, &written.files.frames).unwrap();
        assert_eq!(unreal.frame_count(), count, "{uri}");
        let mut again = Model::new(unreal.into()).unwrap();
        let script = Script::parse(written.script.as_bytes()).unwrap();
        assert!(again.set_script(&unreal, &script, "made").unwrap().is_empty(), "{uri}");
        assert_eq!(again.clips, model.clips, "{uri}");
        let size = self::frames(&model)
            .into_iter()
            .flatten()
            .fold(0.0f32, |size, corner| size.max(corner.abs().max_element()));
        assert_same_frames(&uri, &again, &model, size / 1000.0);
    }
    assert!(models >= 3, "{models} models");
}

#[test]
fn sparse_arrays_state_their_offsets() {
    // The offsets are optional, but VTK refuses files without them.
    let bytes = meshlens_testkit::corpus::with_extension(&["animated.md3"]).remove(0).1;
    let mut found = 0;
    edited(&glb(&Model::parse(&bytes).unwrap()), |document| {
        for accessor in document["accessors"].as_array().unwrap() {
            if let Some(sparse) = accessor.get("sparse") {
                assert_eq!(
                    (&sparse["indices"]["byteOffset"], &sparse["values"]["byteOffset"]),
                    (&0.into(), &0.into())
                );
                found += 1;
            }
        }
    });
    assert!(found > 0);
}
