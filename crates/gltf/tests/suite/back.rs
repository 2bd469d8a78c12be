//! Models through glTF and back, and from one format to another. The result equals the original, as exactly as the
//! target format stores it.

use glam::Vec3;
use meshlens::md3::Md3;
use meshlens::model::{Model, Space, export};
use meshlens_gltf::{Export, ImportOptions, Options};

use crate::merged::import;
use meshlens_testkit::real;

use super::documents::small_document;
use super::one_node;

pub(super) fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

pub(super) fn glb(model: &Model<'_>) -> Vec<u8> {
    let mut glb = Vec::new();
    Export::plan(&one_node("model", model), &Options::default()).unwrap().write_glb(&mut glb).unwrap();
    glb
}

pub(super) fn read(_: &str, _: usize) -> Option<Vec<u8>> {
    None
}

/// The corners of every triangle of a frame in glTF's space, sorted, so that the order of vertices and parts does not
/// matter.
pub(super) fn soup(model: &Model<'_>, frame: usize) -> Vec<[i64; 3]> {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut all = Vec::new();
    for mesh in &model.meshes {
        let positions = mesh.positions(frame).unwrap().to_vec();
        let topology = mesh.topology().unwrap();
        for vertex in topology.triangles().iter().flatten() {
            let point = topology.points().map_or(*vertex, |map| map[*vertex as usize]);
            let placed = glam::Mat4::from_cols_array_2d(&model.placement)
                .transform_point3(Vec3::from(positions[point as usize]));
            all.push(to_gltf.position(placed.to_array()).map(|axis| (f64::from(axis) * 64.0).round() as i64));
        }
    }
    all.sort_unstable();
    all
}

pub(super) fn messages(losses: &meshlens::Report) -> Vec<String> {
    losses.findings().map(|finding| finding.message.clone()).collect()
}

#[test]
fn md3_comes_back_from_gltf_frame_by_frame() {
    for name in ["md3/tagged.md3", "md3/animated.md3", "md3/multi_surface.md3", "md3/static.md3"] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let (imported, _) = import(&glb(&model), &ImportOptions::default(), &read).unwrap();
        let (written, _) = export::to_md3(&imported, "model", 1.0).unwrap();
        let (again, first) = (Md3::parse(&written).unwrap(), Md3::parse(&bytes).unwrap());
        assert_eq!(again.frame_count(), first.frame_count(), "{name}");
        assert_eq!(again.surface_count(), first.surface_count());
        for (again, first) in again.surfaces().zip(first.surfaces()) {
            assert_eq!(again.name().to_text(), first.name().to_text());
            assert_eq!(again.shader(0).unwrap().name.to_text(), first.shader(0).unwrap().name.to_text());
            // Vertices are renumbered in the order in which triangles use them, so the corners of triangles are
            // compared.
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
fn normals_do_not_change_on_repeated_trips_through_gltf() {
    for name in ["md3/tagged.md3", "md3/animated.md3"] {
        let first = corpus(name);
        let mut trips = vec![first];
        for _ in 0..8 {
            let bytes = trips.last().unwrap();
            let (imported, _) = {
                let model = Model::parse(bytes).unwrap();
                import(&glb(&model), &ImportOptions::default(), &read).unwrap()
            };
            trips.push(export::to_md3(&imported, "model", 1.0).unwrap().0);
        }
        // The first trip renumbers vertices, so the corners of triangles are compared.
        let normals = |bytes: &[u8]| -> Vec<Vec3> {
            let md3 = Md3::parse(bytes).unwrap();
            let mut all = Vec::new();
            for surface in md3.surfaces() {
                for frame in 0..surface.frame_count() {
                    let normals: Vec<_> = surface.normals(frame).unwrap().iter().collect();
                    let triangles = surface.checked_triangles().unwrap();
                    all.extend(triangles.iter().flatten().map(|corner| Vec3::from(normals[corner as usize])));
                }
            }
            all
        };
        let (before, after) = (normals(&trips[0]), normals(&trips[8]));
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            assert!(before.abs_diff_eq(*after, 1e-6), "{name}: {before} {after}");
        }
        // The first trip renumbers vertices. Later trips do not change a byte.
        let vertices = |bytes: &[u8]| -> Vec<u8> {
            let md3 = Md3::parse(bytes).unwrap();
            let frames =
                md3.surfaces().flat_map(|surface| (0..surface.frame_count()).map(move |f| (surface, f)));
            frames.flat_map(|(surface, frame)| surface.vertex_bytes(frame).unwrap().to_vec()).collect()
        };
        assert!(trips.iter().skip(1).all(|trip| vertices(trip) == vertices(&trips[1])), "{name}");
    }
}

#[test]
fn levels_of_detail_are_kept_in_ultimate_3d() {
    let bytes = corpus("u3d/v2_levels.u3d");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_u3d(&model, 1.0).unwrap();
    let again = Model::parse(&written).unwrap();
    let levels = |model: &Model<'_>| -> Vec<(usize, usize)> {
        model.meshes.iter().map(|mesh| (mesh.lod, mesh.triangle_count())).collect()
    };
    assert_eq!(levels(&again), levels(&model));
    assert!(messages(&losses).iter().any(|line| line.starts_with("the distances of levels")), "{losses:?}");
    // glTF stores coarser levels if they are requested. Otherwise they are a loss.
    let scene = one_node("model", &model);
    let plain = Export::plan(&scene, &Options::default()).unwrap();
    assert!(messages(plain.losses()).iter().any(|line| line == "1 coarser levels of detail"));
    let mut written = Vec::new();
    let options = Options { lods: true, ..Options::default() };
    Export::plan(&scene, &options).unwrap().write_glb(&mut written).unwrap();
    let text = u32::from_le_bytes(written[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&written[20..20 + text]).unwrap();
    assert_eq!(document["meshes"].as_array().unwrap().len(), 4);
    assert_eq!(document["extensionsUsed"], serde_json::json!(["MSFT_lod"]));
    // A torus of 22 x 22 x 6 units, of which 5 x 3 points are corners, at 50 units: (r / (50 x 0.4142))^2 x pi / 4.
    let nodes = document["nodes"].as_array().unwrap();
    let coverage = nodes.iter().find_map(|node| node["extras"]["MSFT_screencoverage"].as_array()).unwrap();
    let points = model.points_at_rest(0);
    let side = |axis: usize| {
        let values = points.iter().map(|point| f64::from(point[axis]));
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    let radius = (side(0).powi(2) + side(1).powi(2) + side(2).powi(2)).sqrt() / 2.0;
    let expected = (radius / (50.0 * 0.414_213_562)).powi(2) * std::f64::consts::FRAC_PI_4;
    assert!((coverage[0].as_f64().unwrap() - expected).abs() < 1e-6, "{coverage:?} {expected}");
    assert_eq!(coverage[1], 0.0);
    // MD3 has one file for each level, so only the finest level is written.
    let (md3, losses) = export::to_md3(&model, "model", 1.0).unwrap();
    assert_eq!(Md3::parse(&md3).unwrap().surface_count(), 2);
    assert!(
        messages(&losses).iter().any(|line| line == "2 meshes of coarser levels of detail"),
        "{losses:?}"
    );
}

#[test]
fn tangents_are_kept_in_unigine() {
    let bytes = corpus("unigine/morph.mesh");
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = export::to_unigine(&model, 1.0).unwrap();
    assert_eq!(messages(&losses), [""; 0]);
    let again = Model::parse(&written).unwrap();
    let corners = |model: &Model<'_>, frame: usize| -> Vec<[f32; 7]> {
        let (mesh, topology) = (&model.meshes[0], model.meshes[0].topology().unwrap());
        let (mut tangents, mut normals) = (Vec::new(), Vec::new());
        assert!(mesh.tangents_into(frame, &mut tangents).unwrap());
        assert!(mesh.normals_into(frame, &mut normals).unwrap());
        let corner = |vertex: u32| topology.corners().unwrap()[vertex as usize] as usize;
        let place = |corner: usize| {
            let ([x, y, z, w], [a, b, c]) = (tangents[corner], normals[corner]);
            [x, y, z, w, a, b, c]
        };
        topology.triangles().iter().flatten().map(|vertex| place(corner(*vertex))).collect()
    };
    for frame in 0..3 {
        let (found, wanted) = (corners(&again, frame), corners(&model, frame));
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - wanted).abs() < 2e-3, "frame {frame}: {found} {wanted}");
        }
    }
}

#[test]
fn a_mirrored_node_keeps_its_front_faces_and_strips_become_triangles() {
    let document = small_document().replace(r#""name":"n","#, r#""name":"n","scale":[-1,1,1],"#);
    let (model, _) = import(document.as_bytes(), &ImportOptions::default(), &read).unwrap();
    assert_eq!(model.meshes[0].topology().unwrap().triangles(), [[0, 2, 1]]);
    assert_eq!(model.meshes[0].positions(0).unwrap().get(1), Some([-1.0, 0.0, 0.0]));
    let mut normals = Vec::new();
    assert!(model.meshes[0].normals_into(0, &mut normals).unwrap());
    assert_eq!(normals[0], [0.0, 0.0, 1.0]);
    for (mode, count) in [(4, 1), (5, 1), (6, 1)] {
        let document =
            small_document().replace(r#""POSITION":0}}"#, &format!(r#""POSITION":0}},"mode":{mode}}}"#));
        let (model, _) = import(document.as_bytes(), &ImportOptions::default(), &read).unwrap();
        assert_eq!(model.meshes[0].triangle_count(), count);
    }
    let points = small_document().replace(r#""POSITION":0}}"#, r#""POSITION":0},"mode":0}"#);
    let (model, losses) = import(points.as_bytes(), &ImportOptions::default(), &read).unwrap();
    assert_eq!((model.meshes.len(), messages(&losses)[0].as_str()), (0, "mesh n: points or lines"));
}

#[test]
fn quantized_files_come_back_too() {
    let bytes = corpus("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let mut written = Vec::new();
    let options = Options { quantize: true, ..Options::default() };
    let scene = one_node("model", &model);
    let export = Export::plan(&scene, &options).unwrap();
    export.write_glb(&mut written).unwrap();
    let (imported, _) = import(&written, &ImportOptions::default(), &read).unwrap();
    for frame in 0..5 {
        assert_eq!(soup(&imported, frame), soup(&model, frame));
    }
}

#[test]
fn imported_models_have_no_format() {
    let (model, _) = import(small_document().as_bytes(), &ImportOptions::default(), &read).unwrap();
    assert_eq!(model.format, None);
}
