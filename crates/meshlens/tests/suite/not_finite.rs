//! Values that are not finite become 0 in formats with vertex frames, and every kind is listed.

use meshlens::Model;
use meshlens::model::{PlainFrame, PlainMesh, Space, Tag, TagPose, export};
use meshlens::wire::Report;

fn listed(losses: &Report) -> Vec<(&str, u64)> {
    let own = losses.findings().filter(|finding| finding.code == "VALUE_NOT_FINITE");
    own.map(|finding| (finding.pointer.as_str(), finding.count)).collect()
}

/// A triangle with two non-finite positions, one non-finite normal, one non-finite texture coordinate and one
/// non-finite tag.
fn model(odd: f32) -> Model<'static> {
    let mesh = PlainMesh {
        triangles: vec![[0, 1, 2]],
        texcoords: vec![vec![[0.0, 0.0], [odd, 0.5], [0.0, 1.0]]],
        frames: vec![PlainFrame {
            positions: vec![[1.0, odd, 2.0], [8.0, 0.0, 0.0], [odd, odd, 8.0]],
            normals: vec![[0.0, 0.0, 1.0], [0.0, odd, 1.0], [0.0, 0.0, 1.0]],
            ..PlainFrame::default()
        }],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::MD3);
    model.meshes.push(mesh.into_mesh("odd").unwrap());
    model.tags.push(Tag { name: "tag_odd".into(), index: 0 });
    model.set_tag_poses(vec![vec![TagPose {
        origin: [odd, 0.0, 0.0],
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    }]]);
    model
}

#[test]
fn each_kind_is_listed_by_each_target() {
    let all = [("positions", 2), ("normals", 1), ("texture coordinates", 1), ("poses of tags", 1)];
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let model = model(odd);
        let (md3, losses) = export::to_md3(&model, "odd", 1.0).unwrap();
        assert_eq!(listed(&losses), all);
        // Finite values are unchanged, and an infinity does not count as a position outside the range.
        let back = Model::parse(&md3).unwrap();
        let positions: Vec<_> = back.meshes[0].positions(0).unwrap().iter().collect();
        assert_eq!(positions, [[1.0, 0.0, 2.0], [8.0, 0.0, 0.0], [0.0, 0.0, 8.0]]);
        assert!(losses.findings().all(|finding| finding.code != "POSITION_CLAMPED"));
        let (_, losses) = export::to_unreal(&model, "odd", 1.0).unwrap();
        assert_eq!(listed(&losses), all);
        assert!(losses.findings().all(|finding| finding.code != "TEXCOORD_CLAMPED"));
        let (_, losses) = export::to_u3d(&model, 1.0).unwrap();
        assert_eq!(listed(&losses), all);
    }
    let (_, losses) = export::to_md3(&model(0.0), "even", 1.0).unwrap();
    assert_eq!(listed(&losses), []);
    // A scale that makes every position infinite.
    let (_, losses) = export::to_md3(&model(0.0), "huge", f32::MAX).unwrap();
    assert_eq!(listed(&losses), [("positions", 3)]);
}
