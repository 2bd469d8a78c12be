//! Carriers of vertex animation, of any model: memory is charged and released, and what is written is sound.

use meshlens::scene::{Node, Scene, Socket};
use meshlens_carriers::{skeleton, usd, vat};
use meshlens_wire::Budget;

use super::explained;
use super::model::with_model;
use crate::meter;

/// The memory that a conversion may use.
const MEMORY: usize = 16 << 20;

/// The largest product of vertices and frames: a frame of joints may need no bytes in the file.
const WORK: usize = 1 << 18;

/// The largest product of points and frames of a skeleton, which takes hundreds of turns.
const SKELETON_WORK: usize = 1 << 8;

/// Scenes of the model of the bytes: alone, or, if the last byte is odd, with a second one at its first tag. Afterwards, the
/// budget is free again.
fn with_scene(bytes: &[u8], check: impl Fn(&Scene<'_>, &Budget)) {
    let how = bytes.last().copied().unwrap_or_default();
    with_model(bytes, |model| {
        let vertices: usize = model.meshes.iter().map(|mesh| mesh.point_count() + mesh.corner_count()).sum();
        let clips = model.clips.iter().map(|clip| clip.count);
        let frames = clips.fold(model.frame_count(), usize::saturating_add).saturating_add(1);
        if (vertices + model.joints.len() + model.tags.len() + 1).saturating_mul(frames) > WORK {
            return;
        }
        let mut scene =
            Scene::from(Node { rest_frame: usize::from(how), ..Node::new("a \"b\"/c", model.clone()) });
        if how & 1 > 0 {
            let held = Node::new("", model.clone());
            scene.nodes.push(held.attached_to(0, Socket::Tag(0)));
        }
        let budget = Budget::new(MEMORY);
        check(&scene, &budget);
        assert_eq!(budget.reserved(), 0, "everything is released");
    });
}

/// Makes a skeleton. Joints and weights are in range, and the distances are within the bound.
pub fn skeleton(bytes: &[u8]) {
    with_scene(bytes, |scene, budget| {
        let points = |node: &Node<'_>| node.model.meshes.iter().map(|mesh| mesh.point_count()).sum::<usize>();
        let works = scene.nodes.iter().map(|node| points(node).saturating_mul(node.model.frame_count()));
        if works.fold(0, usize::saturating_add) > SKELETON_WORK {
            return;
        }
        let options = skeleton::Options { error: Some(0.5), budget: Some(budget) };
        let made = meter::within(MEMORY, "a skeleton", || skeleton::skeleton(scene, &options));
        if let Some(rigged) = explained(made.as_ref()) {
            let model = &rigged.scene.nodes[0].model;
            assert!(rigged.reports.iter().all(|report| report.rms <= 0.5 && report.max <= 4.0));
            assert!(!model.joints.is_empty() && !model.clips.is_empty());
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            for mesh in &model.meshes {
                mesh.influences_into(&mut joints, &mut weights).expect("the arrays are in memory");
                assert!(joints.as_flattened().iter().all(|joint| usize::from(*joint) < model.joints.len()));
                let sums = weights.iter().map(|weights| weights.iter().sum::<f32>());
                assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-5));
            }
        }
    });
}

/// Writes vertex animation textures. The description has the frames and clips, and the mesh is valid.
pub fn vat(bytes: &[u8]) {
    with_scene(bytes, |scene, budget| {
        let options = vat::Options { budget: Some(budget), ..vat::Options::default() };
        let made = meter::within(MEMORY, "textures of vertices", || {
            let made = vat::Vat::plan(scene, &options)?;
            made.write_positions(&mut std::io::sink())?;
            made.write_normals(&mut std::io::sink())?;
            Ok::<_, meshlens_carriers::Error>(made)
        });
        let Some(made) = explained(made) else { return };
        let (width, height) = made.size();
        assert!(width.is_power_of_two() && height.is_power_of_two());
        assert!(made.vertices().div_ceil(width) * made.frames() <= height);
        assert!(made.rest_frame() < made.frames());
        let [min, max] = made.bounds();
        assert!((0..3).all(|axis| min[axis] <= 0.0 && max[axis] >= 0.0 && (max[axis] - min[axis]) >= 0.0));
        assert!(made.clips().iter().all(|clip| clip.count > 0 && clip.first + clip.count <= made.frames()));
        let text = made.description("x_vat.png", "x_vnrm.png").expect("every number is finite");
        let described: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(described["os-remap"]["Frames"], made.frames());
        let mut losses = made.losses().clone();
        let mesh = made.mesh("x", &mut losses).expect("the model is valid");
        let vertices = mesh.nodes[0].model.meshes.iter().map(|mesh| mesh.point_count());
        assert_eq!(vertices.sum::<usize>(), made.vertices());
        super::report_of(&losses, |_| &[]);
    });
}

/// Writes USD: blocks are closed, and every number is finite.
pub fn usd(bytes: &[u8]) {
    with_scene(bytes, |scene, budget| {
        let find = |_: &meshlens::model::Material| Some("a b.png".to_owned());
        let options = usd::Options { budget: Some(budget), textures: Some(&find), ..usd::Options::default() };
        let written =
            meter::within(MEMORY, "USD", || usd::write(scene, "1 x", &options, &mut std::io::sink()));
        let Some(losses) = explained(written) else { return };
        super::report_of(&losses, |_| &[]);
        let mut text = Vec::new();
        usd::write(scene, "1 x", &options, &mut text).expect("it was written before");
        let text = String::from_utf8(text).expect("text");
        assert!(text.starts_with("#usda 1.0\n") && text.contains("defaultPrim = \"_1_x\"\n"));
        let mut open = Vec::new();
        for line in text.lines() {
            let (mut quoted, mut escaped) = (false, false);
            for c in line.chars() {
                match c {
                    '"' if !escaped => quoted = !quoted,
                    _ if quoted => escaped = c == '\\' && !escaped,
                    '{' | '[' | '(' => open.push(c),
                    '}' => assert_eq!(open.pop(), Some('{'), "{line}"),
                    ']' => assert_eq!(open.pop(), Some('['), "{line}"),
                    ')' => assert_eq!(open.pop(), Some('('), "{line}"),
                    _ => {}
                }
            }
            assert!(!quoted, "a string ends on its line: {line}");
            let samples = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            assert!(!samples || !line.contains("NaN") && !line.contains("inf"), "{line}");
        }
        assert!(open.is_empty(), "{open:?}");
    });
}
