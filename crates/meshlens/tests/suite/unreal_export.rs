//! Models written as Unreal meshes: applying the script of the export restores the model.

use meshlens::Document;
use meshlens::model::{Clip, Material, Model, PlainFrame, PlainMesh, Space, export};
use meshlens::unreal::{Script, Triangle, Unreal, VertexEncoding, write};
use meshlens_testkit::{displayed, real};

/// The corners of every triangle in each frame, in order.
fn corners(model: &Model<'_>) -> Vec<Vec<[f32; 3]>> {
    let frames = displayed::triangles(model, &Space::UNREAL).unwrap().into_iter();
    frames.map(|frame| frame.iter().flatten().map(|corner| corner.position).collect()).collect()
}

/// The extent along each axis over all frames.
fn size(corners: &[Vec<[f32; 3]>]) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let values = corners.iter().flatten().map(|corner| f64::from(corner[axis]));
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    })
}

/// Writes a model and reads it with its script. Returns the largest difference along each axis, relative to the size of
/// the model, and the losses.
fn there_and_back(uri: &str, model: &Model<'_>, format: VertexEncoding) -> ([f64; 3], Vec<String>) {
    let (written, losses) = export::to_unreal_as(model, "made", 1.0, format).unwrap();
    let unreal = Unreal::parse(&written.files.geometry, &written.files.frames).unwrap();
    let mut again = Model::new(unreal.into()).unwrap();
    let script = Script::parse(written.script.as_bytes()).unwrap();
    assert!(again.set_script(&unreal, &script, "made").unwrap().is_empty(), "{uri}");
    let (wanted, found) = (corners(model), corners(&again));
    let counts = |corners: &[Vec<[f32; 3]>]| corners.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(counts(&found), counts(&wanted), "{uri}: corners of each frame");
    let (sizes, mut most) = (size(&wanted), [0.0f64; 3]);
    for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
        for axis in 0..3 {
            let by = (f64::from(found[axis]) - f64::from(wanted[axis])).abs();
            most[axis] = most[axis].max(if by > 0.0 { by / sizes[axis] } else { 0.0 });
        }
    }
    (most, losses.findings().map(ToString::to_string).collect())
}

#[test]
fn every_pair_is_unchanged_after_an_export_and_an_import() {
    let (pairs, mut opened) = (real::unreal_pairs_or_corpus(), 0);
    let all = pairs.len();
    for (uri, geometry, frames) in pairs {
        // A few real pairs have matching names, but their contents do not match.
        let Ok(document) = Document::parse_pair(&geometry, &frames) else { continue };
        opened += 1;
        if !real::is_chosen(opened) {
            continue;
        }
        let Document::Unreal(unreal) = &document else { panic!("{uri}: not a pair") };
        let format = unreal.vertex_encoding();
        let model = Model::new(document).unwrap();
        let (most, losses) = there_and_back(&uri, &model, format);
        assert_eq!(most, [0.0; 3], "{uri}: integers stay what they are");
        assert!(!losses.iter().any(|line| line.contains("rounded")), "{uri}: {losses:?}");
        // After the rotation, the positions are not on a grid.
        let mut turned = model.clone();
        turned.placement =
            (glam::Mat4::from_rotation_x(0.3) * glam::Mat4::from_rotation_z(0.7)).to_cols_array_2d();
        let (most, _) = there_and_back(&uri, &turned, VertexEncoding::Packed);
        assert!(most.iter().all(|error| *error <= 1.0 / 2000.0), "{uri}: {most:?}");
    }
    assert!(opened >= 9 && opened * 100 >= all * 98, "{opened} of {all} pairs open");
}

/// A model of triangles whose points are distributed between `from` and `to`, in two frames.
fn spread(from: [f32; 3], to: [f32; 3]) -> Model<'static> {
    let frame = |salt: u32| PlainFrame {
        positions: (0..500u32)
            .map(|point| {
                [0u32, 1, 2].map(|axis| {
                    let hash = (point * 3 + axis + salt).wrapping_mul(2_654_435_761) >> 8;
                    let share = if point < 2 { point as f32 } else { hash as f32 / 16_777_216.0 };
                    let axis = axis as usize;
                    from[axis] + (to[axis] - from[axis]) * share
                })
            })
            .collect(),
        ..PlainFrame::default()
    };
    let mesh = PlainMesh {
        frames: vec![frame(0), frame(7777)],
        triangles: (0..498).map(|first| [first, first + 1, first + 2]).collect(),
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::UNREAL);
    model.meshes.push(mesh.into_mesh("strip").unwrap());
    model.clips.push(Clip::new("all", 0, 2, 10.0));
    model
}

#[test]
fn each_axis_has_its_own_scale_and_origin() {
    let made = [
        // 54 m tall and 2 mm wide; far from the origin; on one side of the origin; a sheet; in millimeters.
        ([-0.001, -0.1, 0.0], [0.001, 0.1, 54.0]),
        ([100.3, -200.7, 50.1], [110.9, -190.2, 71.3]),
        ([7.77, 0.0, -9000.0], [9123.4, 0.017, -1.0]),
        ([-3.3, 5.5, 1.25], [3.4, 5.5, 9.1]),
        ([-0.0005, -0.0007, 0.0], [0.0009, 0.0011, 0.0018]),
    ];
    for (from, to) in made {
        let model = spread(from, to);
        let (most, losses) = there_and_back("made", &model, VertexEncoding::Packed);
        assert!(most.iter().all(|error| *error <= 1.0 / 2000.0), "{from:?} to {to:?}: {most:?}");
        assert!(most.iter().any(|error| *error > 1.0 / 10_000.0), "{most:?}");
        assert!(losses.iter().any(|line| line.contains("rounded")), "{losses:?}");
        let (most, _) = there_and_back("made", &model, VertexEncoding::Wide);
        assert!(most.iter().all(|error| *error <= 1.0 / 100_000.0), "{from:?} to {to:?}: {most:?}");
    }
}

#[test]
fn models_far_from_the_origin_keep_their_shape() {
    // A model of 10 units at a distance of 2,000 units. The numbers of the script are floats, whose precision at this
    // distance is limited.
    let model = spread([1000.3, -2000.7, 501.1], [1010.9, -1990.2, 512.3]);
    let (most, _) = there_and_back("far", &model, VertexEncoding::Packed);
    assert!(most.iter().all(|error| *error <= 1.0 / 2000.0), "{most:?}");
}

/// A model with `count` materials, and a triangle for each index in `used`.
fn with_materials(count: usize, used: impl Iterator<Item = usize>) -> Model<'static> {
    let mut model = Model::empty(None, Space::UNREAL);
    model.materials.extend((0..count).map(|number| Material::new(number.to_string())));
    for material in used {
        let frame = PlainFrame {
            positions: vec![[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]],
            ..PlainFrame::default()
        };
        let plain = PlainMesh { frames: vec![frame], triangles: vec![[0, 1, 2]], ..PlainMesh::default() };
        let mut mesh = plain.into_mesh("triangle").unwrap();
        mesh.material = Some(material);
        model.meshes.push(mesh);
    }
    model
}

#[test]
fn a_material_whose_number_does_not_fit_is_an_error() {
    // The texture slot of a triangle is a byte, so material 256 would get the slot of another material.
    let (written, _) = export::to_unreal(&with_materials(256, 0..256), "made", 1.0).unwrap();
    let unreal = Unreal::parse(&written.files.geometry, &written.files.frames).unwrap();
    let slots: Vec<u8> = unreal.geometry().textures().iter().collect();
    assert_eq!(slots, (0..=255).collect::<Vec<u8>>());
    let error = export::to_unreal(&with_materials(257, 0..257), "made", 1.0).unwrap_err();
    assert_eq!(error.to_string(), "unreal: texture slots: the limit is 256, found 257");

    // In Ultimate 3D, the index has 16 bits.
    export::to_u3d(&with_materials(65_537, [65_535].into_iter()), 1.0).unwrap();
    let error = export::to_u3d(&with_materials(65_537, [65_536].into_iter()), 1.0).unwrap_err();
    assert_eq!(error.to_string(), "u3d: materials: the limit is 65536, found 65538");
}

/// The cosine of the angle between the front of the first triangle and the normal of its first corner, as displayed.
fn front(model: &Model<'_>) -> f32 {
    let mesh = &model.meshes[0];
    let topology = mesh.topology().unwrap();
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    mesh.skin_vertices_into(&topology, 0, &[], &mut positions, &mut normals).unwrap();
    let triangle = topology.triangles()[0].map(|corner| corner as usize);
    let placement = model.placement_in(&model.space);
    let [a, b, c] = triangle.map(|corner| glam::Vec3::from(placement.position(positions[corner])));
    let normal = glam::Vec3::from(placement.normal(normals[triangle[0]]));
    (b - a).cross(c - a).normalize().dot(normal.normalize())
}

#[test]
fn normals_stay_perpendicular_under_the_scale_of_a_script() {
    let mut file = write::Model::new(VertexEncoding::Packed, 3);
    file.triangles.push(Triangle { vertices: [0, 1, 2], ..Triangle::default() });
    file.add_integer_frame(&[[0, 0, 0], [8, 0, 8], [0, 8, 16]]).unwrap();
    let files = file.write().unwrap();
    let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
    // As displayed, and written as UNIGINE and Ultimate 3D.
    let fronts = |scale: &str| {
        let mut model = Model::new(unreal.into()).unwrap();
        let text = format!(
            "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n\
             #exec MESHMAP NEW MESHMAP=m MESH=m\n#exec MESHMAP SCALE MESHMAP=m {scale}\n"
        );
        model.set_script(&unreal, &Script::parse(text.as_bytes()).unwrap(), "m").unwrap();
        let (unigine, _) = export::to_unigine(&model, 1.0).unwrap();
        let (u3d, _) = export::to_u3d(&model, 1.0).unwrap();
        let read = |bytes: &[u8]| front(&Model::parse(bytes).unwrap());
        let mirror = glam::Mat4::from_cols_array_2d(&model.placement).determinant().signum();
        [front(&model) * mirror, read(&unigine), read(&u3d)].map(|cosine| (cosine * 50.0).round() / 50.0)
    };
    let plain = fronts("X=1 Y=1 Z=1");
    assert_eq!(plain.map(f32::abs), [1.0; 3]);
    for scale in ["X=1 Y=2 Z=8", "X=-1 Y=2 Z=8", "X=0.00001 Y=0.00002 Z=0.00001"] {
        assert_eq!(fronts(scale), plain, "{scale}");
    }
}

#[test]
fn effects_of_triangles_reach_materials_and_normals() {
    use meshlens::model::TextureCoordinates;
    use meshlens::unreal::{Triangle, TriangleType, VertexEncoding, write};

    // Two faces of a roof share the ridge (0, 1): flat, and then with smooth normals. The third one is the weapon.
    let made = |bits: u8| {
        let mut file = write::Model::new(VertexEncoding::Packed, 4);
        for (vertices, bits) in [([0, 1, 2], bits), ([1, 0, 3], bits), ([0, 1, 2], 8)] {
            file.triangles.push(Triangle {
                vertices,
                triangle_type: TriangleType(bits),
                ..Triangle::default()
            });
        }
        file.add_integer_frame(&[[0, 0, 8], [8, 0, 8], [0, 8, 0], [0, -8, 0]]).unwrap();
        file.write().unwrap()
    };
    let model = |bits: u8, check: &dyn Fn(&Model<'_>)| {
        let files = made(bits);
        check(&Model::new(Unreal::parse(&files.geometry, &files.frames).unwrap().into()).unwrap());
    };
    let ridge = |model: &Model<'_>| {
        let mut normals = Vec::new();
        assert!(model.meshes[0].normals_into(0, &mut normals).unwrap());
        (normals[0], model.meshes[0].topology().unwrap().vertex_count())
    };
    let [mut smooth, mut flat] = [std::cell::Cell::new(([0.0; 3], 0)), std::cell::Cell::new(([0.0; 3], 0))];
    model(0, &|model| smooth.set(ridge(model)));
    model(32, &|model| flat.set(ridge(model)));
    assert_eq!((smooth.get_mut().1, flat.get_mut().1), (4, 6), "corners of flat triangles are separate");
    assert_eq!(smooth.get_mut().0[1], 0.0, "the ridge is the mean of both sides");
    // The side rises by 8 x 1/4 over 8 x 1/8 units: its normal is (0, 2, 1) / sqrt(5).
    let [x, y, z] = flat.get_mut().0;
    assert!(x == 0.0 && (y.abs() - 0.894).abs() < 1e-3 && (z.abs() - 0.447).abs() < 1e-3, "{x} {y} {z}");
    model(64 + 128, &|model| {
        let material = &model.materials[0];
        assert_eq!((material.nearest, material.texture_coordinates), (true, TextureCoordinates::Environment));
        let mesh = &model.meshes[0];
        assert_eq!((mesh.triangle_count(), mesh.topology().unwrap().triangles().len()), (2, 2));
    });
}

#[test]
fn vertices_that_were_split_for_texture_coordinates_are_joined() {
    // A cube of 24 corners: with the normals of its places, and with the normals of its faces.
    let shape = meshlens_testkit::shapes::Shape::cuboid([-16.0; 3], [16.0; 3]);
    let count = |normals: Vec<[f32; 3]>| {
        let mesh = PlainMesh {
            frames: vec![PlainFrame { positions: shape.positions.clone(), normals, ..PlainFrame::default() }],
            texcoords: vec![shape.texcoords.clone()],
            triangles: shape.triangles.clone(),
            ..PlainMesh::default()
        };
        let mut model = Model::empty(None, Space::UNREAL);
        model.meshes.push(mesh.into_mesh("cube").unwrap());
        model.materials.push(Material::new("no texture"));
        model.meshes[0].material = Some(0);
        let (made, _) = export::to_unreal(&model, "cube", 1.0).unwrap();
        assert!(!made.script.contains("FILE=\""), "{}", made.script);
        Unreal::parse(&made.files.geometry, &made.files.frames).unwrap().vertex_count()
    };
    let outward = |point: &[f32; 3]| glam::Vec3::from(*point).normalize().to_array();
    assert_eq!(count(shape.positions.iter().map(outward).collect()), 8);
    assert_eq!(count(shape.normals.clone()), 24);
}
