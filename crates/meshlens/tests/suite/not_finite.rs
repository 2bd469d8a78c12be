//! Values that are not finite are replaced in every format, and every kind is listed. What is written validates.

use meshlens::model::export::{self, ModelFiles, Target};
use meshlens::model::{
    Joint, JointAnimation, Material, PlainFrame, PlainMesh, Space, Tag, TagPose, Transform,
};
use meshlens::wire::Report;
use meshlens::{Document, Model, Severity};

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
    let all = [("positions", 2), ("texture coordinates", 1), ("normals", 1), ("poses of tags", 1)];
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
        let (_, losses) = export::to_unigine(&model, 1.0).unwrap();
        assert_eq!(listed(&losses), [("positions", 2), ("texture coordinates", 1), ("normals", 1)]);
    }
    let (_, losses) = export::to_md3(&model(0.0), "even", 1.0).unwrap();
    assert_eq!(listed(&losses), []);
    // A scale that makes every position infinite.
    let (_, losses) = export::to_md3(&model(0.0), "huge", f32::MAX).unwrap();
    assert_eq!(listed(&losses), [("positions", 3)]);
}

/// The files in a format, which have no finding of an error.
fn valid(model: &Model<'_>, target: Target, scale: f32) -> ModelFiles {
    let made = export::to_files(model, target, "valid", scale, None).unwrap();
    let document = match &made.files[..] {
        [(_, geometry), (_, frames), _] => Document::parse_pair(geometry, frames),
        files => Document::parse(&files[0].1),
    };
    let mut found = Report::default();
    document.unwrap().validate(&mut found);
    assert_eq!(found.count(Severity::Error), 0, "{target:?}: {:?}", found.findings().next());
    made
}

/// A joint that moves a triangle by `x`, with a color and texture coordinates that are `odd`.
fn skinned(x: f32, odd: f32) -> Model<'static> {
    let mut mesh = PlainMesh {
        triangles: vec![[0, 1, 2]],
        texcoords: vec![vec![[odd; 2]; 3]],
        colors: vec![vec![[odd; 4]; 3]],
        joints: vec![[0; 4]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 3],
        frames: vec![PlainFrame {
            positions: vec![[0.0, odd, 0.0], [8.0, 0.0, 0.0], [0.0, 0.0, 8.0]],
            normals: vec![[0.0, odd, 1.0]; 3],
            ..PlainFrame::default()
        }],
        ..PlainMesh::default()
    }
    .into_mesh("skinned")
    .unwrap();
    (mesh.skin, mesh.material) = (Some([[[odd; 4]; 4]].into()), Some(0));
    let rest = Transform { translation: [x, 0.0, 0.0], ..Transform::IDENTITY };
    let mut model = Model::empty(None, Space::UNIGINE);
    model.meshes.push(mesh);
    model.materials.push(Material { color: [odd; 4], emissive: [odd; 3], ..Material::new("odd") });
    model.joints.push(Joint { name: "root".into(), parent: None, rest });
    model.animations.push(JointAnimation::new("move", vec![0], vec![rest; 2]));
    model
}

#[test]
fn skeletons_and_materials_that_are_not_finite_are_replaced() {
    let model = skinned(1e30, f32::INFINITY);
    let of = |target| {
        listed(&valid(&model, target, 1e30).losses)
            .into_iter()
            .map(|(kind, count)| (kind.to_owned(), count))
            .collect::<Vec<_>>()
    };
    let wanted = |all: &[(&str, u64)]| -> Vec<(String, u64)> {
        all.iter().map(|(kind, count)| ((*kind).into(), *count)).collect()
    };
    let (texcoords, normals) = (("texture coordinates", 3), ("normals", 3));
    // In two frames; at rest, or in the pose of the matrix.
    let (joints, materials) = (("transforms of joints", 3), ("colors of materials", 2));
    assert_eq!(of(Target::U3d), wanted(&[("positions", 1), texcoords, normals, joints, materials]));
    assert_eq!(of(Target::Unigine), wanted(&[("positions", 1), texcoords, ("colors", 3), normals, joints]));
    assert_eq!(of(Target::UnigineAnim), wanted(&[joints]));
    for (target, _) in Target::ALL {
        assert_eq!(listed(&valid(&skinned(0.0, 0.0), target, 1.0).losses), []);
    }
}

#[test]
fn finite_values_whose_sums_overflow_are_written() {
    let positions = vec![[f32::MAX, 0.0, 0.0], [f32::MAX, f32::MAX, f32::MAX], [f32::MIN, f32::MIN, 0.0]];
    let frames = vec![PlainFrame { positions, ..PlainFrame::default() }];
    let mesh = PlainMesh { frames, triangles: vec![[0, 1, 2]], ..PlainMesh::default() };
    let mut model = skinned(f32::MAX, 0.0);
    for (target, _) in Target::ALL {
        valid(&model, target, 1.0);
    }
    model = Model::empty(None, Space::UNIGINE);
    model.meshes.push(mesh.into_mesh("huge").unwrap());
    for target in [Target::Md3, Target::Unreal, Target::U3d, Target::Unigine] {
        assert_eq!(listed(&valid(&model, target, 1.0).losses), []);
    }
    // An animation file stores fractions of a range, which has to be a float.
    let mut model = skinned(f32::MAX, 0.0);
    let moved = Transform { translation: [f32::MIN, 0.0, 0.0], ..Transform::IDENTITY };
    model.animations[0] = JointAnimation::new("move", vec![0], vec![model.joints[0].rest, moved]);
    let error = export::to_unigine_anim(&model, 1.0).unwrap_err();
    assert_eq!(error.code(), "NOT_FINITE", "{error}");
}

#[test]
fn vertices_without_triangles_are_lost_or_refused() {
    let positions = vec![[0.0; 3]; 4];
    let frames = vec![PlainFrame { positions, ..PlainFrame::default() }];
    let mut model = Model::empty(None, Space::MD3);
    model.meshes.push(PlainMesh { frames, ..PlainMesh::default() }.into_mesh("points").unwrap());
    let losses = valid(&model, Target::Md3, 1.0).losses;
    let codes: Vec<_> = losses.findings().map(|finding| finding.code).collect();
    assert_eq!(codes, ["MESH_WITHOUT_TRIANGLES"]);
    for target in [Target::Unreal, Target::U3d] {
        let error = export::to_files(&model, target, "points", 1.0, None).unwrap_err().to_string();
        assert!(error.contains("a model without triangles"), "{error}");
    }
    valid(&model, Target::Unigine, 1.0);
}
