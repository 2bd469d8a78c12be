//! Names of parts, spaces, formats and codes, and small values that doors use.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use meshlens::lens::VertexFormat;
use meshlens::model::export::{PositionFit, Target};
use meshlens::model::{
    Axis, Blend, Clip, ImageBytes, Material, Model, PlainFrame, PlainMesh, Semantic, Space, TextureAlpha,
    Transform, VertexLayout, distinct_names,
};
use meshlens::part::Part;
use meshlens::scene::{Node, Scene, Socket};
use meshlens::{Document, Format, Parts};
use meshlens_testkit::corpus;

#[test]
fn every_part_has_a_kind_and_a_name() {
    let (mesh, frame) = (3, 2);
    let parts = [
        (Part::Header, "header", "header"),
        (Part::Bounds, "bounds", "bounds"),
        (Part::Names, "names", "names"),
        (Part::Materials, "materials", "materials"),
        (Part::Skeleton, "skeleton", "skeleton"),
        (Part::Tags, "tags", "tags"),
        (Part::Indices { mesh }, "indices", "indices of mesh 3"),
        (Part::Texcoords { mesh }, "texcoords", "texture coordinates of mesh 3"),
        (Part::Colors { mesh }, "colors", "colors of mesh 3"),
        (Part::Weights { mesh }, "weights", "weights of mesh 3"),
        (Part::Frame { mesh, frame }, "frame", "frame 2 of mesh 3"),
        (Part::Clip { clip: 4 }, "clip", "clip 4"),
        (Part::Mesh { mesh, frame }, "mesh", "mesh 3 in frame 2"),
        (Part::Lod { lod: 1 }, "lod", "level of detail 1"),
        (Part::Model { lod: 1 }, "model", "model at level of detail 1"),
        (Part::Whole, "whole", "all bytes"),
    ];
    for (part, kind, name) in parts {
        assert_eq!((part.kind(), part.to_string().as_str()), (kind, name));
        assert_eq!(part.mesh(), name.contains("mesh 3").then_some(3), "{name}");
    }
}

#[test]
fn names_lead_to_spaces_targets_and_formats() {
    for (name, space) in Space::NAMED {
        assert_eq!((Space::of_name(name), space.name()), (Some(space), Some(name)));
    }
    assert_eq!(Space::of_name("quake"), None);
    let odd = Space { forward: Axis::NegX, ..Space::GLTF };
    assert_eq!(odd.name(), None);
    let axes = [Axis::X, Axis::Y, Axis::Z, Axis::NegX, Axis::NegY, Axis::NegZ];
    assert_eq!(axes.map(Axis::name), ["+X", "+Y", "+Z", "-X", "-Y", "-Z"]);
    for (target, name) in Target::ALL {
        assert_eq!(Target::of_name(name), Some(target));
    }
    assert_eq!(Target::of_name("glb"), None);
    assert_eq!(format!("{:>4}", Format::Md3), " md3");
    assert_eq!((Format::Md3.space(), Format::U3d.space()), (Space::MD3, Space::U3D));
    let codes: Vec<_> = meshlens::codes::all().map(|code| code.name).collect();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len(), "each name is that of one code");
    assert!(["MAGIC", "CLIP_RATE_LOST", "FRAME_NOT_FINITE"].iter().all(|name| codes.contains(name)));
}

#[test]
fn equal_names_get_different_numbers() {
    let names = ["a", "A", "a_2", "b", "a"];
    assert_eq!(distinct_names(names, ["a_3"]), ["a", "A_4", "a_2", "b", "a_5"]);
    assert_eq!(distinct_names(["a", "b"], ["a"]), ["a", "b"]);
}

#[test]
fn transforms_are_matrices_and_never_infinite() {
    let doubled = Transform::new([1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 2.0], [2.0; 3]);
    let matrix = [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [1.0, 2.0, 3.0, 1.0]];
    assert_eq!(doubled.to_matrix(), matrix);
    let odd = Transform::new([f32::NAN, 0.0, 0.0], [0.0; 4], [f32::INFINITY; 3]);
    assert_eq!(odd, Transform::IDENTITY);

    let bytes = meshlens::md3::write::sample(&[8.0]).unwrap();
    let model = Model::parse(&bytes).unwrap();
    let placement = model.placement_in(&Space::GLTF);
    let rows = [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    assert_eq!(placement.matrix(), rows);
    assert_eq!(placement.position([1.0, 2.0, 3.0]), [2.0, 3.0, 1.0]);
    let attributes =
        [(Semantic::Normal, 0, VertexFormat::Snorm8x4), (Semantic::Texcoord, 0, VertexFormat::Float32x2)];
    assert_eq!(VertexLayout::packed(&attributes).offsets().collect::<Vec<_>>(), [0, 4]);
}

#[test]
fn images_are_compared_by_bytes_and_a_poor_fit_is_reported() {
    let hash = |image: &ImageBytes| {
        let mut hasher = DefaultHasher::new();
        image.hash(&mut hasher);
        hasher.finish()
    };
    let [a, b, c] =
        [b"\x89PNG", b"\x89PNG", b"\xff\xd8\xff\xe0"].map(|bytes| ImageBytes::new(bytes.to_vec()));
    assert!(a == a.clone() && a == b && a != c);
    assert_eq!(
        (hash(&a) == hash(&b), a.as_ref(), format!("{a:?}")),
        (true, &b"\x89PNG"[..], "4 bytes".into())
    );

    let mut fit = PositionFit::default();
    assert_eq!(fit.warning(), None);
    fit.distinct = 100;
    fit.merged = 2;
    assert_eq!(fit.warning().unwrap(), "2 of 100 distinct positions are merged");
    fit.clamped = 3;
    let text = "3 positions beyond 512 units are clamped, 2 of 100 distinct positions are merged";
    assert_eq!(fit.warning().unwrap(), text);

    let drawn = [TextureAlpha::FirstColor, TextureAlpha::Add, TextureAlpha::Multiply2x];
    let stored = [TextureAlpha::FirstColor, TextureAlpha::Stored, TextureAlpha::Stored];
    assert_eq!(drawn.map(TextureAlpha::without_blend_mode), stored);
}

#[test]
fn squares_of_sprites_are_two_triangles() {
    let mesh = |points| {
        let frame = PlainFrame { positions: vec![[0.0; 3]; points], ..PlainFrame::default() };
        let triangles = vec![[0, 1, 2]];
        PlainMesh { frames: vec![frame], triangles, ..PlainMesh::default() }.into_mesh("flare").unwrap()
    };
    let flare = [Material { sprites: true, ..Material::new("flare") }, Material::new("wall")];
    let topology = mesh(8).topology().unwrap();
    assert_eq!(topology.sprite_triangles(), [[0, 3, 2], [0, 2, 1], [4, 7, 6], [4, 6, 5]]);
    let sprites = [Some(0), Some(1), Some(2), None].map(|material| topology.are_sprites(&flare, material));
    assert_eq!(sprites, [true, false, false, false]);
    assert!(!mesh(7).topology().unwrap().are_sprites(&flare, Some(0)));
}

#[test]
fn attributes_have_counts_and_refuse_other_formats() {
    let bytes = meshlens::md3::write::sample(&[8.0]).unwrap();
    let model = Model::parse(&bytes).unwrap();
    let mesh = &model.meshes[0];
    let positions = mesh.attribute(Semantic::Position, 0, 0).unwrap().unwrap();
    assert_eq!((positions.len(), positions.is_empty()), (3, false));
    assert!(format!("{positions:?}").starts_with("Attribute(AnyLens { "), "{positions:?}");
    let error = positions.decode_into(&mut vec![[0.0f32; 2]]).unwrap_err();
    assert_eq!(error.to_string(), "mesh: components of an attribute: expected 2, found 3");
    let error = |semantic, format: VertexFormat| {
        let layout = VertexLayout::new(format.size()).with(semantic, 0, format);
        model.fill_vertex_buffer(0, 0, &layout, &mut vec![0; 3 * format.size()]).unwrap_err().to_string()
    };
    for (semantic, format, what) in [
        (Semantic::Tangent, VertexFormat::Float32x4, "tangent"),
        (Semantic::Color, VertexFormat::Unorm8x4, "color"),
        (Semantic::Joints, VertexFormat::Uint16x4, "joint and weight"),
        (Semantic::Materials, VertexFormat::Uint16x4, "attribute of this semantic"),
    ] {
        let error = error(semantic, format);
        assert!(error.starts_with("mesh: ") && error.ends_with(&format!("there is no {what}")), "{error}");
    }
    let computed = model.clone();
    assert!(
        computed.fill_vertex_buffer(1, Blend::from(0), &VertexLayout::new(4), &mut []).is_err(),
        "no second mesh"
    );
}

#[test]
fn parts_of_every_file_bind_to_its_bytes() {
    let files = corpus::with_extension(&["md3", "u3d", "mesh", "anim"]);
    for (path, bytes) in &files {
        let (Ok(document), Ok(parts)) = (Document::parse(bytes), Parts::locate(bytes, bytes.len() as u64))
        else {
            assert!(path.contains("aes"), "{path}");
            continue;
        };
        assert_eq!((parts.format(), parts.file_count()), (document.format(), 1), "{path}");
        let ranges = |arrays: &mut dyn Iterator<Item = std::ops::Range<u64>>| arrays.collect::<Vec<_>>();
        let located = ranges(&mut parts.arrays().map(|array| array.byte_range()));
        let bound = parts.bind(bytes).unwrap();
        // A few arrays are found by reading others.
        let bound_ranges = ranges(&mut bound.arrays().map(|array| array.lens.byte_range()));
        assert!(located.iter().all(|range| bound_ranges.contains(range)), "{path}");
        assert_eq!(bound.version(), document.version());
        let again = Parts::locate_as(document.format(), bytes, bytes.len() as u64).unwrap();
        assert_eq!(again.arrays().count(), located.len());
    }
    assert!(files.len() > 30);
    let error = Parts::locate_pieces(&[]).unwrap_err();
    assert_eq!(error.to_string(), "meshlens: files of a model: expected 1, found 0");
    let one_file = Parts::locate_as(Format::Unreal, b"", 0).unwrap_err();
    assert!(one_file.to_string().contains("one of the two files of a mesh"), "{one_file}");
    assert!(Document::parse_as(Format::Unreal, b"").is_err());
}

#[test]
#[cfg(feature = "aes")]
fn only_encrypted_files_are_decrypted() {
    use std::borrow::Cow;

    let files = corpus::with_extension(&["u3d"]);
    let of = |name: &str| &files.iter().find(|(path, _)| path.ends_with(name)).unwrap().1;
    let (encrypted, plain) = (of("v2_static_aes.u3d"), of("v2_static.u3d"));
    let found = meshlens::decrypt_if_needed(encrypted, Some("secret")).unwrap();
    assert_eq!(Document::parse(&found).unwrap().summary(), Document::parse(plain).unwrap().summary());
    assert!(meshlens::decrypt_if_needed(encrypted, Some("Secret")).is_err());
    for (bytes, password) in [(encrypted, None), (plain, None), (plain, Some("secret"))] {
        let same = meshlens::decrypt_if_needed(bytes, password).unwrap();
        assert!(matches!(same, Cow::Borrowed(same) if same == &bytes[..]));
    }
}

#[test]
fn nodes_are_found_by_name_and_clips_of_one_name_are_one() {
    let bytes = meshlens::md3::write::sample(&[0.0, 8.0]).unwrap();
    let mut model = Model::parse(&bytes).unwrap();
    let clip = model.clips[0].clone();
    model.clips.push(clip.clone());
    let mut scene = Scene::from(Node::new("body", model.clone()));
    scene.nodes.push(Node::new("Head", model).attached_to(0, Socket::Tag(0)));
    assert_eq!((scene.find_node("HEAD"), scene.find_node("arm")), (Some(1), None));
    let clips: Vec<_> = scene.clips().into_iter().map(|clip| (clip.name, clip.tracks)).collect();
    assert_eq!(clips, [(clip.name.as_str(), vec![(0, 0), (1, 0)])]);
}

#[test]
fn a_joint_is_a_socket() {
    let (_, bytes) = corpus::with_extension(&["skinned_ms11.mesh"]).swap_remove(0);
    let model = Model::parse(&bytes).unwrap();
    let joints = model.joints.len();
    let mut world = Vec::new();
    let rest: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
    meshlens::model::world_into(&model.joints, &rest, &mut world);
    let space = model.space;
    let scene = Scene::from(model);
    let view = scene.view(&space);
    for (joint, world) in world.iter().enumerate() {
        let matrix = view.socket(0, Socket::Joint(joint), &scene.rest_pose()).unwrap();
        for (found, wanted) in matrix[3].iter().zip(world[3]) {
            assert!((found - wanted).abs() < 1e-5, "{joint}: {matrix:?}");
        }
    }
    assert_eq!(view.socket(0, Socket::Joint(joints), &scene.rest_pose()), None);
}

#[test]
fn clips_end_at_their_last_frame() {
    let clip = Clip { loop_frames: 4, ..Clip::new("walk", 2, 4, 2.0) };
    assert_eq!((clip.frame(0), clip.frame(3), clip.frame(9), clip.duration()), (2, 5, 5, 2.0));
    let once = Clip { loop_frames: 0, reversed: true, ..clip };
    assert_eq!((once.frame(0), once.frame(9), once.duration()), (5, 2, 1.5));
    assert_eq!(once.frames().collect::<Vec<_>>(), [5, 4, 3, 2]);
}

#[test]
fn a_script_defines_sequences_and_the_drawing_of_textures() {
    use meshlens::unreal::{Script, Triangle, VertexEncoding, write};

    let mut file = write::Model::new(VertexEncoding::Packed, 3);
    file.triangles.push(Triangle { vertices: [0, 1, 2], ..Triangle::default() });
    file.triangles.push(Triangle { vertices: [0, 1, 2], texture: 1, ..Triangle::default() });
    file.add_integer_frame(&[[0, 0, 0], [8, 0, 0], [0, 8, 0]]).unwrap();
    let files = file.write().unwrap();
    let document = Document::parse_pair(&files.geometry, &files.frames).unwrap();
    let unreal = *document.as_unreal().unwrap();
    let mut model = Model::new(document).unwrap();
    let text = "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n\
                #exec MESH SEQUENCE MESH=m SEQ=all STARTFRAME=0 NUMFRAMES=1\n\
                #exec MESH SEQUENCE MESH=m SEQ=ALL STARTFRAME=0 NUMFRAMES=1\n\
                #exec MESH SEQUENCE MESH=m SEQ=late STARTFRAME=1 NUMFRAMES=2\n\
                #exec MESH SEQUENCE MESH=m SEQ=none STARTFRAME=0 NUMFRAMES=0\n\
                #exec TEXTURE IMPORT NAME=masked FILE=masked.pcx FLAGS=2\n\
                #exec TEXTURE IMPORT NAME=clear FILE=clear.pcx FLAGS=4\n\
                #exec MESHMAP SETTEXTURE MESHMAP=m NUM=0 TEXTURE=masked\n\
                #exec MESHMAP SETTEXTURE MESHMAP=m NUM=1 TEXTURE=clear\n";
    let script = Script::parse(text.as_bytes()).unwrap();
    let lost = model.set_script(&unreal, &script, "m").unwrap();
    let lost: Vec<_> = lost.findings().map(|finding| (finding.code, finding.message.clone())).collect();
    let wanted = [
        ("CLIP_DUPLICATE", "sequence ALL: a second one of this name"),
        ("CLIP_FRAMES_MISSING", "sequence late: 2 of its 2 frames do not exist"),
        ("CLIP_FRAMES_MISSING", "sequence none: 0 of its 0 frames do not exist"),
    ];
    assert_eq!(lost, wanted.map(|(code, message)| (code, message.to_owned())));
    assert_eq!(model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["all"]);
    let drawn: Vec<_> =
        model.materials.iter().map(|material| (material.name.as_str(), material.alpha)).collect();
    assert_eq!(drawn.len(), 2);
    assert!(drawn[0].0 == "masked" && drawn[1].0 == "clear" && drawn[0].1 != drawn[1].1, "{drawn:?}");
}

/// Some of them are compared one after the other, and more of them are found in a map.
#[test]
fn surfaces_with_the_same_shader_have_one_material() {
    use meshlens::md3::{Md3, Skin, write};

    let mut file = write::Model::try_from(&Md3::parse(&write::sample(&[8.0]).unwrap()).unwrap()).unwrap();
    let first = file.surfaces[0].clone();
    file.surfaces = vec![first; 300];
    for (number, surface) in file.surfaces.iter_mut().enumerate() {
        surface.name = write::name(&format!("surface{number}")).unwrap();
        surface.shaders.clear();
        surface.add_shader(&format!("shader{}", number % 100)).unwrap();
    }
    let bytes = file.write().unwrap();
    let mut model = Model::parse(&bytes).unwrap();
    let materials = |model: &Model<'_>| model.meshes.iter().map(|mesh| mesh.material).collect::<Vec<_>>();
    assert_eq!(materials(&model), (0..300).map(|number| Some(number % 100)).collect::<Vec<_>>());
    let names: Vec<_> = model.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, (0..100).map(|number| format!("shader{number}")).collect::<Vec<_>>());
    // The skin names 50 of them, of each the first line counts, and two have the shader of another surface.
    let lines =
        (0..50).map(|number| format!("SURFACE{number},{}.tga\nsurface{number},no.tga\n", number % 48));
    model.set_skin(&Skin::parse(lines.collect::<String>().as_bytes()).unwrap());
    let name = |surface: usize| model.materials[model.meshes[surface].material.unwrap()].name.as_str();
    assert_eq!([name(0), name(48), name(49), name(47)], ["0.tga", "0.tga", "1.tga", "47.tga"]);
    assert_eq!([name(50), name(150)], ["shader50", "shader50"]);
    assert_eq!(model.materials.len(), 48 + 100);
}
