//! UNMIRROR of scripts: the mesh is the mirror image, and its front faces are outside.

use std::collections::HashMap;

use glam::Vec3;
use meshlens::Model;
use meshlens::model::{Space, export};
use meshlens::unreal::{Script, Triangle, Unreal, VertexEncoding, write};
use meshlens_testkit::{displayed, real};

const FLAGS: [&str; 2] = ["", "UNMIRROR=1 UNMIRRORTEX=4"];

/// The model of a pair of files, placed by a script with these words.
fn placed<'a>(geometry: &'a [u8], frames: &'a [u8], import: &str, scale: &str) -> Model<'a> {
    let unreal = Unreal::parse(geometry, frames).unwrap();
    let mut model = Model::new(unreal.into()).unwrap();
    let text = format!(
        "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d {import}\n\
         #exec MESH ORIGIN MESH=m X=5 Y=0 Z=-3 YAW=32 ROLL=-64\n\
         #exec MESHMAP NEW MESHMAP=m MESH=m\n#exec MESHMAP SCALE MESHMAP=m {scale}\n"
    );
    model.set_script(&unreal, &Script::parse(text.as_bytes()).unwrap(), "m").unwrap();
    model
}

/// The triangles of the first frame as displayed, in a right-handed space with counter-clockwise fronts.
fn triangles(model: &Model<'_>) -> Vec<[Vec3; 3]> {
    let frames = displayed::triangles(model, &Space::GLTF).unwrap();
    frames[0].iter().map(|corners| corners.map(|corner| Vec3::from(corner.position))).collect()
}

/// Six times the volume that the triangles enclose. It is positive if their front faces are outside.
fn volume(triangles: &[[Vec3; 3]]) -> f64 {
    let place = triangles.first().map_or(Vec3::ZERO, |corners| corners[0]);
    let of = |[a, b, c]: &[Vec3; 3]| f64::from((*a - place).dot((*b - place).cross(*c - place)));
    triangles.iter().map(of).sum()
}

/// Whether each edge of a triangle is also an edge of another triangle, in the opposite direction.
fn is_closed(triangles: &[[Vec3; 3]]) -> bool {
    let mut edges: HashMap<[[u32; 3]; 2], i32> = HashMap::new();
    let bits = |point: Vec3| point.to_array().map(|value| (value + 0.0).to_bits());
    for corners in triangles {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            let (from, to) = (bits(corners[from]), bits(corners[to]));
            *edges.entry([from, to]).or_default() += 1;
            *edges.entry([to, from]).or_default() -= 1;
        }
    }
    !triangles.is_empty() && edges.values().all(|sum| *sum == 0)
}

/// A tetrahedron whose front faces are outside.
fn tetrahedron() -> write::Files {
    let mut file = write::Model::new(VertexEncoding::Packed, 4);
    for (texture, vertices) in [(0, [0, 2, 1]), (4, [0, 1, 3]), (0, [0, 3, 2]), (0, [1, 2, 3])] {
        let texcoords = [[0, 0], [255, 0], [51, 255]];
        file.triangles.push(Triangle { vertices, texture, texcoords, ..Triangle::default() });
    }
    file.add_integer_frame(&[[0, 0, 0], [24, 0, 0], [0, 24, 0], [0, 0, 24]]).unwrap();
    file.write().unwrap()
}

#[test]
fn unmirror_mirrors_and_keeps_front_faces_outside() {
    let files = tetrahedron();
    // No script rotates the mesh, so X is unchanged.
    let look = |import: &str| {
        let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
        let mut model = Model::new(unreal.into()).unwrap();
        let text = format!("#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d {import}");
        model.set_script(&unreal, &Script::parse(text.as_bytes()).unwrap(), "m").unwrap();
        let points = model.points_at_rest(0);
        let x: Vec<f32> = points.iter().map(|point| point[0]).collect();
        let mut texcoords = Vec::new();
        model.meshes[0].texcoords_into(0, &mut texcoords).unwrap();
        (x, texcoords.iter().map(|[u, _]| (u * 10.0).round() / 10.0).take(6).collect::<Vec<f32>>())
    };
    assert_eq!(look(""), (vec![0.0, 24.0, 0.0, 0.0], vec![0.0, 1.0, 0.2, 0.0, 1.0, 0.2]));
    assert_eq!(look(FLAGS[1]), (vec![0.0, -24.0, 0.0, 0.0], vec![0.0, 1.0, 0.2, 1.0, 0.0, 0.8]));
    assert_eq!(look("UNMIRRORTEX=4"), look(""), "nothing without UNMIRROR");
}

#[test]
fn every_consumer_keeps_front_faces_of_a_mirrored_mesh_outside() {
    let files = tetrahedron();
    // 24^3, times the scales.
    let wanted = 24.0 * 24.0 * 24.0 * 0.25;
    let check = |model: &Model<'_>, what: &str| {
        let found = volume(&triangles(model));
        assert!((found / wanted - 1.0).abs() < 0.01, "{what}: {found}, and not {wanted}");
        // Normals point outward, so each triangle is lit on its front.
        for [a, b, c] in displayed::triangles(model, &Space::GLTF).unwrap()[0].iter().copied() {
            let [corner, second, third] = [a, b, c].map(|corner| Vec3::from(corner.position));
            let front = (second - corner).cross(third - corner);
            assert!(front.dot(Vec3::from(a.normal)) > 0.0, "{what}: {corner}");
        }
    };
    for import in FLAGS {
        for scale in ["X=1 Y=0.5 Z=0.5", "X=1 Y=-0.5 Z=0.5"] {
            let model = placed(&files.geometry, &files.frames, import, scale);
            check(&model, &format!("{import} {scale}"));
            check(&Model::parse(&export::to_md3(&model, "m", 1.0).unwrap().0).unwrap(), "MD3");
            check(&Model::parse(&export::to_u3d(&model, 1.0).unwrap().0).unwrap(), "Ultimate 3D");
            check(&Model::parse(&export::to_unigine(&model, 1.0).unwrap().0).unwrap(), "UNIGINE");
            let (made, _) = export::to_unreal(&model, "m", 1.0).unwrap();
            let unreal = Unreal::parse(&made.files.geometry, &made.files.frames).unwrap();
            let mut back = Model::new(unreal.into()).unwrap();
            back.set_script(&unreal, &Script::parse(made.script.as_bytes()).unwrap(), "m").unwrap();
            check(&back, "Unreal");
        }
    }
}

#[test]
fn closed_meshes_have_one_volume_with_and_without_unmirror() {
    let (mut closed, mut outward) = (0, 0);
    for (number, (name, geometry, frames)) in real::unreal_pairs_or_corpus().into_iter().enumerate() {
        if !real::is_chosen(number) || Unreal::parse(&geometry, &frames).is_err() {
            continue;
        }
        let of = |import| triangles(&placed(&geometry, &frames, import, "X=0.1 Y=0.1 Z=0.2"));
        let [plain, mirrored] = FLAGS.map(of);
        let (wanted, found) = (volume(&plain), volume(&mirrored));
        // A mesh without thickness has no inside.
        if !is_closed(&plain) || wanted.abs() < 1e-3 {
            continue;
        }
        assert!((found - wanted).abs() <= wanted.abs() * 1e-3, "{name}: {wanted} became {found}");
        closed += 1;
        outward += usize::from(wanted > 0.0);
    }
    assert!(closed > 0);
    // A few real meshes were modeled inside out.
    assert!(outward * 100 >= closed * 95, "{outward} of {closed} are outward");
}
