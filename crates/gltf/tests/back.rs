//! Back from glTF, and from one format to another: what comes back is what went, as exactly as the target stores it.

use glam::Vec3;
use meshlens::model::{Model, Space, export};
use meshlens::{Document, md3::Md3};
use meshlens_gltf::{Export, ImportOptions, Options, Part, import};
use meshlens_testkit::real;

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

fn glb(model: &Model<'_>) -> Vec<u8> {
    let mut glb = Vec::new();
    Export::plan(&[Part::new("model", model)], &Options::default()).unwrap().write_glb(&mut glb).unwrap();
    glb
}

fn read(_: &str) -> Option<Vec<u8>> {
    None
}

/// The corners of every triangle of a frame in glTF's space, sorted: whatever order vertices and parts are in.
fn soup(model: &Model<'_>, frame: usize) -> Vec<[i64; 3]> {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut all = Vec::new();
    for mesh in &model.meshes {
        let positions = mesh.positions(frame).unwrap().to_vec();
        let topology = mesh.topology().unwrap();
        for vertex in topology.triangles().iter().flatten() {
            let point = topology.points().map_or(*vertex, |map| map[*vertex as usize]);
            let placed = model.placement.transform_point3(Vec3::from(positions[point as usize]));
            all.push(to_gltf.position(placed.to_array()).map(|axis| (f64::from(axis) * 64.0).round() as i64));
        }
    }
    all.sort_unstable();
    all
}

#[test]
fn md3_comes_back_from_gltf_frame_by_frame() {
    for name in ["md3/tagged.md3", "md3/animated.md3", "md3/multi_surface.md3", "md3/static.md3"] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let (imported, _) = import(&glb(&model), &ImportOptions { rate: None, read: &read }).unwrap();
        let (written, _) = export::to_md3(&imported, "model", 1.0).unwrap();
        let (again, first) = (Md3::parse(&written).unwrap(), Md3::parse(&bytes).unwrap());
        assert_eq!(again.frame_count(), first.frame_count(), "{name}");
        assert_eq!(again.surface_count(), first.surface_count());
        for (again, first) in again.surfaces().zip(first.surfaces()) {
            assert_eq!(again.name().to_text(), first.name().to_text());
            assert_eq!(again.shader(0).unwrap().name.to_text(), first.shader(0).unwrap().name.to_text());
            // Vertices are numbered as triangles first use them; corner by corner they are the same.
            let corners = |surface: &meshlens::md3::Surface<'_>, frame: usize| -> Vec<([i64; 3], [f32; 2])> {
                let positions: Vec<_> = surface.positions(frame).unwrap().iter().collect();
                let texcoords: Vec<_> = surface.texcoords().iter().collect();
                let triangles: Vec<_> = surface.checked_triangles().unwrap().iter().flatten().collect();
                let corner = |index: u32| {
                    let raw = positions[index as usize].map(|axis| (axis * 64.0) as i64);
                    (raw, texcoords[index as usize])
                };
                triangles.into_iter().map(corner).collect()
            };
            for frame in 0..first.frame_count() {
                assert_eq!(corners(&again, frame), corners(&first, frame), "{name} frame {frame}");
            }
        }
        for frame in 0..first.frame_count() {
            for (again, first) in again.tags(frame).zip(first.tags(frame)) {
                assert_eq!(again.name.to_text(), first.name.to_text());
                assert!(Vec3::from(again.origin).abs_diff_eq(first.origin.into(), 1e-4));
                for (again, first) in again.axis.iter().zip(first.axis) {
                    assert!(Vec3::from(*again).abs_diff_eq(first.into(), 1e-5));
                }
            }
        }
    }
}

#[test]
fn a_model_goes_to_every_format_and_keeps_its_arm() {
    let bytes = corpus("md3/tagged.md3");
    let model = Model::parse(&bytes).unwrap();
    let wanted = soup(&model, 1);

    let (written, losses) = export::to_unigine(&model, 1.0).unwrap();
    let unigine = Model::parse(&written).unwrap();
    // Frames are morph targets there.
    assert_eq!(soup(&unigine, 1), wanted);
    assert!(losses.iter().any(|line| line == "tag tag_hand"), "{losses:?}");

    let (written, losses) = export::to_unreal(&model, "figure", 1.0).unwrap();
    let document = Document::parse_pair(&written.files.geometry, &written.files.frames).unwrap();
    let mut unreal = Model::new(document).unwrap();
    let script = meshlens::unreal::Script::parse(written.script.as_bytes()).unwrap();
    assert_eq!(unreal.set_script(&script, "figure"), Some(Vec::new()));
    // Stored in eighths and quarters, cut off.
    for (found, wanted) in soup(&unreal, 0).iter().zip(soup(&model, 0)) {
        assert_eq!(*found, wanted, "frame 0 has whole numbers alone");
    }
    assert_eq!(
        (unreal.clips[0].name.as_str(), unreal.clips[0].count, unreal.clips[0].rate),
        ("all", 3, 10.0)
    );
    assert!(losses.iter().any(|line| line.starts_with("positions between 1/8 units")));

    let (written, _) = export::to_md3(&unreal, "figure", 1.0).unwrap();
    assert_eq!(soup(&Model::parse(&written).unwrap(), 0), soup(&model, 0));
}

#[test]
fn joints_are_played_into_frames() {
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_md3(&model, "arm", 1.0).unwrap();
    let md3 = Md3::parse(&written).unwrap();
    assert_eq!(md3.frame_count(), 3 + 2, "two animations, one after the other");
    assert!(losses.iter().any(|line| line.starts_with("joints: ")));
    let again = Model::parse(&written).unwrap();
    let clips: Vec<_> = again.clips.iter().map(|clip| (clip.name.as_str(), clip.first, clip.count)).collect();
    assert_eq!(clips, [("wave", 0, 3), ("turn", 3, 2)]);
    // Through glTF, which keeps the joints, to the same frames.
    let (imported, _) = import(&glb(&model), &ImportOptions { rate: None, read: &read }).unwrap();
    assert_eq!(imported.frame_count(), 5);
    for frame in 0..5 {
        for (found, wanted) in soup(&imported, frame).iter().zip(soup(&again, frame)) {
            let near = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= 1);
            assert!(near, "frame {frame}: {found:?} {wanted:?}");
        }
    }
    // And back to its own format, joints and all.
    let (written, _) = export::to_unigine(&model, 1.0).unwrap();
    let again = Model::parse(&written).unwrap();
    assert_eq!(again.joints.len(), 4);
    let (mut pose, mut other) = (Vec::new(), Vec::new());
    for (clip, same) in model.clips.iter().zip(&again.clips) {
        assert_eq!((&clip.name, clip.count), (&same.name, same.count));
        model.pose_into(clip, 0.15, &mut pose);
        again.pose_into(same, 0.15, &mut other);
        for (pose, other) in pose.iter().zip(&other) {
            assert!(pose.translation.abs_diff_eq(other.translation, 1e-3));
            assert!(pose.rotation.dot(other.rotation).abs() > 0.9999);
        }
    }
}

#[test]
fn broken_documents_are_errors() {
    let options = ImportOptions { rate: None, read: &read };
    assert!(import(b"glTF", &options).is_err());
    assert!(import(b"{}", &options).is_err());
    let missing = br#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"gone.bin"}]}"#;
    assert_eq!(import(missing, &options).err().unwrap().to_string(), "gltf: gone.bin: cannot be read");
    let bytes = corpus("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let whole = glb(&model);
    for len in (0..whole.len()).step_by(97) {
        assert!(import(&whole[..len], &options).is_err());
    }
}
