//! Blended frames: poses, normals and tangents; submeshes and corners of a mesh that is made from arrays.

use meshlens::lens::VertexFormat;
use meshlens::model::{Blend, Model, Placement, PlainFrame, PlainMesh, Semantic, Space, VertexLayout};
use meshlens::scene::Scene;
use meshlens_testkit::corpus;

#[test]
fn playing_a_clip_on_a_missing_node_changes_no_pose() {
    let bytes = meshlens::md3::write::sample(&[0.0, 8.0]).unwrap();
    let scene = Scene::from(Model::parse(&bytes).unwrap());
    let clip = scene.nodes[0].model.clips[0].clone();
    let mut pose = scene.rest_pose();
    let rest = format!("{pose:?}");
    pose.play_on(&scene, 1, &clip, 0.1);
    assert_eq!(format!("{pose:?}"), rest);
    pose.play_on(&scene, 0, &clip, 0.1);
    assert_ne!(format!("{pose:?}"), rest);
    let view = scene.view(&Space::GLTF);
    assert!(view.mesh(0, 0).unwrap().skin(&pose).unwrap().len() == 0);
    let flat: Placement = flattened().placement_in(&Space::MD3);
    assert!(flat.normal([0.0, 0.0, 1.0]).iter().all(|axis| axis.is_finite()));
}

/// A model that its script makes infinitely small.
fn flattened() -> Model<'static> {
    let mut model = Model::empty(None, Space::MD3);
    model.placement = [[0.0; 4]; 4];
    model
}

#[test]
fn normals_are_blended_if_the_mesh_has_normals() {
    let mesh = |normals: Vec<[f32; 3]>| {
        let frame = PlainFrame { positions: vec![[0.0; 3]; 3], normals, ..PlainFrame::default() };
        let frames = vec![frame.clone(), frame];
        PlainMesh { frames, triangles: vec![[0, 1, 2]], ..PlainMesh::default() }.into_mesh("m").unwrap()
    };
    let half = Blend { a: 0, b: 1, weight: 0.5 };
    let mut out = Vec::new();
    assert!(!mesh(Vec::new()).blend_normals_into(half, &mut out).unwrap());
    assert!(mesh(vec![[0.0, 0.0, 1.0]; 3]).blend_normals_into(half, &mut out).unwrap());
    assert_eq!(out, [[0.0, 0.0, 1.0]; 3]);
}

#[test]
fn submeshes_without_gaps_and_corners_without_indices_are_accepted() {
    use meshlens::model::Submesh;

    let frame = PlainFrame { positions: vec![[0.0; 3]; 3], ..PlainFrame::default() };
    let plain = PlainMesh { frames: vec![frame], triangles: vec![[0, 1, 2]; 2], ..PlainMesh::default() };
    let with = |ranges: &[std::ops::Range<usize>]| {
        let submeshes =
            ranges.iter().map(|triangles| Submesh { material: None, triangles: triangles.clone() });
        PlainMesh { submeshes: submeshes.collect(), ..plain.clone() }.into_mesh("m").map(drop)
    };
    assert!(with(&[0..1, 1..2]).is_ok());
    #[allow(
        clippy::reversed_empty_ranges,
        clippy::single_range_in_vec_init,
        reason = "ranges are the values"
    )]
    for ranges in [&[1..2][..], &[0..1, 0..2], &[0..1, 1..0], &[0..1]] {
        assert!(with(ranges).is_err(), "{ranges:?}");
    }
    let corners = PlainMesh { corners: vec![0, 0, 0], texcoords: vec![vec![[0.5; 2]]], ..plain };
    assert_eq!(corners.into_mesh("m").unwrap().corner_count(), 1);
}

#[test]
fn tangents_are_blended_and_rotated() {
    let (_, bytes) = corpus::with_extension(&["morph.mesh"]).swap_remove(0);
    let mut model = Model::parse(&bytes).unwrap();
    let layout = VertexLayout::new(16).with(Semantic::Tangent, 0, VertexFormat::Float32x4);
    let count = model.meshes[0].topology().unwrap().vertex_count();
    let tangents = |model: &Model<'_>, space: &Space, blend: Blend| {
        let scene = Scene::from(model.clone());
        let view = scene.view(space);
        let mut pose = scene.rest_pose();
        pose.node_mut(0).unwrap().frames = blend;
        let mut out = vec![0; 16 * count];
        view.mesh(0, 0).unwrap().fill_vertex_buffer(&pose, &layout, &mut out).unwrap();
        let floats = out.as_chunks::<4>().0.iter().map(|float| f32::from_ne_bytes(*float));
        floats.collect::<Vec<_>>().as_chunks::<4>().0.to_vec()
    };
    let own = model.space;
    let still = tangents(&model, &own, 0.into());
    for blend in [Blend { a: 0, b: 1, weight: 0.0 }, Blend { a: 0, b: 1, weight: 0.25 }] {
        for tangent in tangents(&model, &own, blend) {
            let length = glam::Vec4::from(tangent).truncate().length();
            assert!((length - 1.0).abs() < 1e-3 && tangent[3].abs() == 1.0, "{tangent:?}");
        }
    }
    // A quarter turn around Z.
    model.placement =
        [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    for ([x, y, z, w], turned) in still.into_iter().zip(tangents(&model, &own, 0.into())) {
        for (found, wanted) in turned.into_iter().zip([-y, x, z, w]) {
            assert!((found - wanted).abs() < 1e-5, "{turned:?}");
        }
    }
}
