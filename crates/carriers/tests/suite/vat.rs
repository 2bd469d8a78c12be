//! Vertex animation textures, decoded again.

use meshlens::Report;
use meshlens::model::{Clip, Model};
use meshlens::scene::{Node, Scene};
use meshlens::wire::Budget;
use meshlens_carriers::ClipRange;
use meshlens_carriers::vat::{Options, Vat};

/// The width, the height and the samples of a PNG of RGB.
fn decoded(png: &[u8]) -> (usize, usize, Vec<[u16; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    let samples: Vec<u16> = match info.bit_depth {
        png::BitDepth::Sixteen => {
            bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
        }
        _ => bytes.iter().map(|byte| u16::from(*byte)).collect(),
    };
    (info.width as usize, info.height as usize, samples.as_chunks::<3>().0.to_vec())
}

/// A triangle whose third corner is 4, 8 and 6 units up.
fn rising() -> Vec<u8> {
    meshlens::md3::write::sample(&[4.0, 8.0, 6.0]).unwrap()
}

#[test]
fn texels_are_movements_between_the_bounds() {
    let bytes = rising();
    let scene = Scene::from(Model::parse(&bytes).unwrap());
    let vat = Vat::plan(&scene, &Options::default()).unwrap();
    assert_eq!((vat.vertices(), vat.frames(), vat.size()), (3, 3, (64, 4)));
    // Up is the third axis of the texture.
    assert_eq!(vat.bounds(), [[0.0; 3], [0.0, 0.0, 4.0]]);
    let mut png = Vec::new();
    vat.write_positions(&mut png).unwrap();
    let (width, height, texels) = decoded(&png);
    assert_eq!((width, height), (64, 4));
    let of_corner = |corner: usize| [0, 1, 2].map(|frame| texels[frame * 64 + corner][2]);
    // 0, all and half of the range.
    assert_eq!(of_corner(2), [0, 65535, 32768]);
    assert_eq!([of_corner(0), of_corner(1)], [[0; 3]; 2]);
    assert!(texels.iter().all(|[x, y, _]| (*x, *y) == (0, 0)));

    let mut png = Vec::new();
    vat.write_normals(&mut png).unwrap();
    let (.., normals) = decoded(&png);
    let model = Model::parse(&bytes).unwrap();
    let mut wanted = Vec::new();
    model.meshes[0].normals_into(0, &mut wanted).unwrap();
    // The axes of Blender: X is the left of the model, -Y its front, and Z is up. MD3 has its front along X, its left along Y.
    for (texel, [front, left, up]) in normals.iter().zip(wanted) {
        let found = texel.map(|axis| f32::from(axis) / 127.5 - 1.0);
        let near = [left, -front, up].iter().zip(found).all(|(a, b)| (a - b).abs() < 0.01);
        assert!(near, "{found:?} for {front} {left} {up}");
    }
}

#[test]
fn the_mesh_has_the_place_of_each_vertex() {
    let bytes = rising();
    // At rest in the second frame, which the mesh shows.
    let node = Node { rest_frame: 1, ..Node::new("lift", Model::parse(&bytes).unwrap()) };
    let scene = Scene::from(node);
    let vat = Vat::plan(&scene, &Options { scale: 0.5, ..Options::default() }).unwrap();
    assert_eq!(vat.bounds(), [[0.0, 0.0, -2.0], [0.0; 3]]);
    let made = vat.mesh("lift", &mut Report::default()).unwrap();
    let mesh = &made.nodes[0].model.meshes[0];
    assert_eq!(mesh.positions(0).unwrap().get(2).unwrap()[1], 4.0);
    let mut places = Vec::new();
    assert!(mesh.texcoords_into(1, &mut places).unwrap());
    assert_eq!(places, [0.5, 1.5, 2.5].map(|column| [column / 64.0, 0.125]));
}

#[test]
fn the_description_has_the_members_of_openvat() {
    let bytes = rising();
    let mut model = Model::parse(&bytes).unwrap();
    model.clips = vec![
        Clip { loop_frames: 2, ..Clip::new("run", 0, 2, 15.0) },
        Clip { reversed: true, ..Clip::new("fall", 1, 2, 20.0) },
        Clip::new("after", 3, 1, 10.0),
    ];
    let scene = Scene::from(model);
    let vat = Vat::plan(&scene, &Options::default()).unwrap();
    let run = ClipRange { name: "run".into(), first: 0, count: 2, rate: 15.0, loops: true };
    let fall = ClipRange { name: "fall".into(), first: 1, count: 2, rate: 20.0, loops: false };
    assert_eq!(vat.clips(), [run, fall]);
    let text = vat.description("x_vat.png", "x_vnrm.png").unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let wanted = serde_json::json!({ "Min": [0.0, 0.0, 0.0], "Max": [0.0, 0.0, 4.0], "Frames": 3 });
    assert_eq!(json["os-remap"], wanted);
    // OpenVAT counts from 1, and includes the last frame.
    let run = serde_json::json!({ "startFrame": 1, "endFrame": 2, "framerate": 15.0, "looping": true });
    assert_eq!(json["animations"]["run"], run);
    assert_eq!(json["meshlens"]["height"], 4);
    let losses: Vec<(&str, &str)> =
        vat.losses().findings().map(|loss| (loss.code, loss.message.as_str())).collect();
    assert!(losses.contains(&("CLIP_REVERSED_LOST", "clip fall: it plays backwards")), "{losses:?}");
    assert!(
        losses.contains(&("CLIP_FRAMES_MISSING", "clip after: 1 of 1 frames do not exist")),
        "{losses:?}"
    );
}

#[test]
fn memory_is_charged_and_models_without_triangles_are_refused() {
    let bytes = rising();
    let scene = Scene::from(Model::parse(&bytes).unwrap());
    let budget = Budget::new(1000);
    let options = Options { budget: Some(&budget), ..Options::default() };
    let error = Vat::plan(&scene, &options).err().unwrap().to_string();
    assert!(error.contains("mesh flag"), "{error}");
    let none = Scene::from(Model::empty(None, meshlens::model::Space::GLTF));
    assert_eq!(Vat::plan(&none, &Options::default()).err().unwrap().to_string(), "no mesh has a triangle");
}
