//! Models of Ultimate 3D, and exports to it.

use glam::Mat4;
use meshlens::model::{Model, TextureCoordinates, world_into};
use meshlens::{Document, u3d};
use meshlens_testkit::real;
use meshlens_testkit::shapes::Shape;

use super::model::{agreement, corpus, reach};

/// The figure in the space of Ultimate 3D: Y is up, and it faces -Z.
fn u3d_figure(version: u3d::Version, mirrored: bool) -> Vec<u8> {
    let shape = Shape::one_armed();
    let turn = |[x, y, z]: &[f32; 3]| [*y, *z, -*x];
    let positions: Vec<_> = shape.positions.iter().map(turn).collect();
    let sign = if mirrored { -1.0 } else { 1.0 };
    let normals: Vec<_> = shape.normals.iter().map(|n| turn(n).map(|axis| axis * sign)).collect();
    let mut model = u3d::write::Model::new(version);
    let mut mesh = u3d::write::Mesh::new("figure");
    mesh.normal_scalar = sign;
    mesh.set_vertices(&positions, &normals, version).unwrap();
    mesh.set_texcoords(0, 2, shape.texcoords.as_flattened()).unwrap();
    model.texcoord_dimensions = mesh.texcoord_dimensions;
    let clockwise = shape.flipped().triangles;
    mesh.set_triangles(&clockwise, &vec![0; clockwise.len()]).unwrap();
    model.meshes.push(mesh);
    model.materials.push(u3d::write::Material::new("skin"));
    model.write().unwrap()
}

#[test]
fn the_one_armed_figure_of_ultimate_3d_keeps_its_left_arm() {
    for version in [u3d::Version::V1, u3d::Version::V2_0_0] {
        for mirrored in [false, true] {
            let bytes = u3d_figure(version, mirrored);
            let model = Model::parse(&bytes).unwrap();
            assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
            assert_eq!(agreement(&model), 1.0, "{version:?}");
            // A lens reads the file directly if an array needs no conversion.
            let mesh = &model.meshes[0];
            let file = u3d::U3d::parse(&bytes).unwrap();
            let lens = file.mesh(0).unwrap().positions();
            assert_eq!(mesh.positions(0).unwrap().byte_range(), lens.byte_range());
            assert_eq!(mesh.normals(0).unwrap().is_some(), !mirrored, "a lens cannot have a factor of -1");
        }
    }
}

#[test]
fn skinning_of_ultimate_3d_agrees_with_the_crate_u3d() {
    for name in ["v1_skinned", "v2_skinned", "v1_rigid", "v2_rigid", "v2_skinned_once"] {
        let bytes = corpus(&format!("u3d/{name}.u3d"));
        let model = Model::parse(&bytes).unwrap();
        let file = u3d::U3d::parse(&bytes).unwrap();
        let skeleton = file.skeleton().unwrap();
        let (mut pose, mut world) = (Vec::new(), Vec::new());
        let mut moved = 0;
        let last = model.animations[0].frame_count() - 1;
        for frame in [0, last / 2, last] {
            pose.clear();
            pose.extend(model.joints.iter().map(|joint| joint.rest));
            model.animations[0].apply(frame, &mut pose);
            world_into(&model.joints, &pose, &mut world);
            let mut bones = vec![Mat4::IDENTITY.to_cols_array_2d(); skeleton.len()];
            skeleton.bone_to_world_into(frame as f32, &mut bones).unwrap();
            for (mesh, theirs) in model.meshes.iter().zip(file.meshes()) {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                let topology = mesh.topology().unwrap();
                mesh.skin_vertices_into(&topology, 0, &world, &mut positions, &mut normals).unwrap();
                let (mut expected, mut turned) = (positions.clone(), normals.clone());
                if theirs.skin_weight_count() > 0 {
                    let mut palette = bones.clone();
                    skeleton.palette_into(&theirs, &bones, &mut palette).unwrap();
                    theirs.skin_positions_into(&palette, &mut expected).unwrap();
                    theirs.skin_normals_into(&palette, &mut turned).unwrap();
                } else {
                    let holds = |bone: &u3d::Bone<'_>| {
                        bone.meshes().iter().position(|number| number as usize == theirs.index())
                    };
                    let (bone, place) = (0..skeleton.len())
                        .find_map(|bone| Some((bone, holds(skeleton.bone(bone)?)?)))
                        .unwrap();
                    let matrix = skeleton.mesh_to_world(bone, place, &bones).unwrap();
                    theirs.transform_positions_into(&matrix, &mut expected).unwrap();
                    theirs.transform_normals_into(&matrix, &mut turned).unwrap();
                }
                let close = |a: &[[f32; 3]], b: &[[f32; 3]]| {
                    a.iter().zip(b).all(|(a, b)| glam::Vec3::from(*a).abs_diff_eq((*b).into(), 1e-3))
                };
                assert!(close(&positions, &expected), "{name} frame {frame}");
                assert!(close(&normals, &turned), "{name} frame {frame}");
                let still = mesh.positions(0).unwrap().to_vec();
                moved += usize::from(!close(&positions, &still));
            }
        }
        assert!(moved > 0, "{name}: something moves");
    }
}

#[test]
fn the_number_of_frames_of_a_tiny_file_is_limited() {
    // One bone, no bytes for any frame, and the largest number of frames that the field can store.
    let mut model = u3d::write::Model::new(u3d::Version::V2_0_0);
    model.frames = u32::MAX;
    model.materials.push(u3d::write::Material::new("m"));
    model.bones.push(u3d::write::Bone::new("b", None));
    let bytes = model.write().unwrap();
    let error = Model::parse(&bytes).unwrap_err();
    assert_eq!(error.code(), "LIMIT", "{error}");
}

#[test]
fn ultimate_3d_models_keep_front_faces_and_rest_pose() {
    let mut files = meshlens_testkit::corpus::with_extension(&[".u3d"]);
    if let Some(folder) = real::folder() {
        let paths = real::files_below(&folder.join("u3d"));
        files
            .extend(paths.into_iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())));
    }
    let (mut moved, mut looked) = (0, 0);
    for (name, bytes) in files {
        // Encrypted files are a clear error, and all other files become a model.
        let Ok(model) = Model::parse(&bytes) else {
            assert!(Document::parse(&bytes).is_err(), "{name}");
            continue;
        };
        looked += 1;
        // Random numbers do not form a surface, but the shapes of the corpus do.
        if name.starts_with("u3d/") {
            assert_eq!(agreement(&model), 1.0, "{name}");
        }
        for mesh in &model.meshes {
            let topology = mesh.topology().unwrap();
            assert_eq!(topology.triangles().len(), mesh.triangle_count(), "{name}");
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            if mesh.influences_into(&mut joints, &mut weights).unwrap() {
                assert!(
                    weights.iter().all(|weights| (weights.iter().sum::<f32>() - 1.0).abs() < 1e-5),
                    "{name}"
                );
                assert_eq!(mesh.skin.as_ref().unwrap().len(), model.joints.len());
                moved += 1;
            }
        }
        let mut pose = Vec::new();
        for clip in &model.clips {
            model.pose_into(clip, 0.25, &mut pose);
            assert_eq!(pose.len(), model.joints.len());
        }
    }
    assert!(looked > 4 && moved > 0);
}

#[test]
fn joints_whose_parents_form_a_cycle_are_written_without_it() {
    use meshlens::model::{Joint, PlainFrame, PlainMesh, Space, Transform, export};

    let frame =
        PlainFrame { positions: vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]], ..PlainFrame::default() };
    let plain = PlainMesh {
        frames: vec![frame],
        triangles: vec![[0, 1, 2]],
        joints: vec![[1, 0, 0, 0]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 3],
        ..PlainMesh::default()
    };
    let mut mesh = plain.into_mesh("triangle").unwrap();
    mesh.skin = Some(vec![Mat4::IDENTITY.to_cols_array_2d(); 2].into());
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(mesh);
    let joint =
        |name: &str, parent| Joint { name: name.into(), parent: Some(parent), rest: Transform::IDENTITY };
    model.joints = vec![joint("a", 1), joint("b", 0)];
    let written = [export::to_u3d(&model, 1.0).unwrap().0, export::to_unigine(&model, 1.0).unwrap().0];
    for bytes in written {
        let again = Model::parse(&bytes).unwrap();
        let parents: Vec<_> = again.joints.iter().map(|joint| joint.parent).collect();
        assert_eq!(parents, [Some(1), None], "{:?}", again.format);
    }
}

#[test]
fn bones_of_ultimate_3d_are_written_with_affine_matrices() {
    use meshlens::model::{Space, export};
    use meshlens_testkit::real;

    let to = Space::UNIGINE.to(&Space::U3D);
    for scale in [0.0254, 0.1, 3.0, 7.77] {
        let matrix = to.scaled(scale).matrix(Mat4::from_translation(glam::Vec3::ONE).to_cols_array_2d());
        assert_eq!(matrix.map(|[.., last]| last), [0.0, 0.0, 0.0, 1.0], "{scale}");
    }
    let files = real::files_or_corpus("unigine", &[".mesh"])
        .into_iter()
        .chain(real::files_or_corpus("u3d", &[".u3d"]));
    let mut rigs = 0;
    for (name, bytes) in files {
        let Ok(model) = Model::parse(&bytes) else { continue };
        if model.joints.is_empty() {
            continue;
        }
        for scale in [1.0, 0.0254, 7.77] {
            let Ok((made, _)) = export::to_u3d(&model, scale) else { continue };
            let document = meshlens::Document::parse(&made).unwrap();
            let mut found = meshlens::Report::default();
            document.validate(&mut found);
            let codes: Vec<_> = found.findings().map(|finding| finding.code).collect();
            assert!(!codes.contains(&"MATRIX_NOT_AFFINE"), "{name} at {scale}: {codes:?}");
            rigs += 1;
        }
    }
    assert!(rigs > 0);
}

/// A triangle with coordinates in the sets 0 and 2 and a tangent space in 5 and 6, and one material.
fn with_material(material: u3d::write::Material) -> Vec<u8> {
    let mut model = u3d::write::Model::new(u3d::Version::V2_0_0);
    let mut mesh = u3d::write::Mesh::new("triangle");
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    mesh.set_vertices(&positions, &[[0.0, 0.0, -1.0]; 3], u3d::Version::V2_0_0).unwrap();
    let flat = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    mesh.set_texcoords(0, 2, &flat).unwrap();
    mesh.set_texcoords(2, 2, &flat.map(|value| value + 2.0)).unwrap();
    mesh.set_texcoords(5, 4, &[1.0, 0.0, 0.0, 1.0].repeat(3)).unwrap();
    mesh.set_texcoords(6, 3, &[0.0, -1.0, 0.0].repeat(3)).unwrap();
    mesh.has_tangents = true;
    model.texcoord_dimensions = mesh.texcoord_dimensions;
    mesh.set_triangles(&[[0, 1, 2]], &[0]).unwrap();
    model.meshes.push(mesh);
    model.materials.push(material);
    model.write().unwrap()
}

fn losses(model: &Model<'_>) -> Vec<&'static str> {
    let mut report = meshlens::Report::default();
    model.losses(&mut report);
    report.groups().map(|group| group.code.name).collect()
}

#[test]
fn a_texture_of_ultimate_3d_is_what_its_stage_says() {
    let texture = |name: &str| Some(u3d::write::Texture::new(name));
    let mut sky = u3d::write::Material::new("sky");
    sky.diffuse = [0.25, 0.5, 0.125, 1.0];
    sky.ambient = sky.diffuse;
    sky.textures[1] = Some(u3d::write::Texture {
        is_normal_map: true,
        height_scalar: 0.5,
        ..u3d::write::Texture::new("*bumps.tga")
    });
    sky.textures[3] = texture("clouds.dds");
    (sky.texcoord_sets[3], sky.color_ops[3]) = (2, 5);
    let bytes = with_material(sky.clone());
    let model = Model::parse(&bytes).unwrap();
    let found = &model.materials[0];
    assert_eq!((found.texture.as_deref(), found.texture_set), (Some("clouds.dds"), 1));
    // MODULATE2X doubles the color.
    assert_eq!(found.color, [0.5, 1.0, 0.25, 1.0]);
    let height = found.height_map.as_ref().unwrap();
    assert_eq!((&*height.texture, height.scale, height.set), ("bumps.tga", 0.5, 0));
    assert_eq!(losses(&model), [""; 0]);
    let (mut texcoords, mut tangents) = (Vec::new(), Vec::new());
    let mesh = &model.meshes[0];
    assert_eq!(mesh.texcoord_sets(), 2);
    assert!(mesh.texcoords_into(1, &mut texcoords).unwrap());
    assert_eq!(texcoords[1], [3.0, 2.0]);
    // The normal is -Z and the tangent X: cross(normal, tangent) is -Y. V grows along the bitangent, so it is -1 in glTF.
    assert!(mesh.tangents_into(0, &mut tangents).unwrap());
    assert_eq!(tangents, [[1.0, 0.0, 0.0, -1.0]; 3]);
    // An environment map is the color only if nothing else is.
    sky.textures[0] = texture("chrome.png");
    sky.texcoord_sets[0] = 0x1_0000;
    let bytes = with_material(sky.clone());
    let model = Model::parse(&bytes).unwrap();
    assert_eq!(model.materials[0].texture.as_deref(), Some("clouds.dds"));
    assert_eq!(losses(&model), ["TEXTURE_STAGE_LOST"]);
    sky.textures[3] = None;
    let bytes = with_material(sky);
    let model = Model::parse(&bytes).unwrap();
    assert_eq!(model.materials[0].texture.as_deref(), Some("chrome.png"));
    assert_eq!(model.materials[0].texture_coordinates, TextureCoordinates::Environment);
}

#[test]
fn what_ultimate_3d_materials_lose_is_named() {
    let of = |change: fn(&mut u3d::write::Material)| {
        let mut material = u3d::write::Material::new("skin");
        material.textures[0] = Some(u3d::write::Texture::new("skin.png"));
        (material.color_ops[0], material.diffuse) = (4, [1.0; 4]);
        change(&mut material);
        let bytes = with_material(material);
        losses(&Model::parse(&bytes).unwrap())
    };
    assert_eq!(of(|_| {}), [""; 0]);
    assert_eq!(of(|material| material.color_ops[0] = 5), [""; 0]);
    assert_eq!(of(|material| material.color_ops[0] = 7), ["COLOR_OPERATION_LOST"]);
    assert_eq!(of(|material| material.texcoord_sets[0] = 3), ["TEXTURE_SET_LOST"]);
    let cube = |material: &mut u3d::write::Material| {
        let files = [b"a.png".as_slice(); 6].map(<[u8]>::to_vec).into();
        material.textures[1] = Some(u3d::write::Texture { files, ..u3d::write::Texture::default() });
    };
    assert_eq!(of(cube), ["TEXTURE_STAGE_LOST"]);
}

#[test]
fn levels_of_ultimate_3d_have_their_distances() {
    let distances = |name: &str| Model::parse(&corpus(&format!("u3d/{name}.u3d"))).unwrap().lod_distances;
    // The square of 50 is stored in version 1.0, and the largest float for an end that never comes in 2.0.
    assert_eq!(distances("v1_levels"), [50.0, f32::INFINITY]);
    assert_eq!(distances("v2_levels"), [50.0, f32::INFINITY]);
    assert_eq!(distances("v2_static"), [0.0; 0]);
}
