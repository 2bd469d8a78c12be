//! Content that cannot be drawn results in a picture or an error.

use std::sync::atomic::{AtomicUsize, Ordering};

use meshlens::Model;
use meshlens::model::{Clip, Joint, Material, PlainFrame, PlainMesh, Space, Transform};
use meshlens::scene::Scene;
use meshlens::wire::Budget;
use meshlens_thumb::{Background, Error, Frames, Limits, Options, Texture, picture, sheet, write_apng};

fn model(positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Model<'static> {
    let frame = PlainFrame { positions, ..PlainFrame::default() };
    let plain = PlainMesh { frames: vec![frame], triangles, ..PlainMesh::default() };
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(plain.into_mesh("hostile").unwrap());
    model
}

fn small() -> Options<'static> {
    Options { size: 16, background: Background::Transparent, ..Options::default() }
}

fn covered(model: &Model<'_>) -> usize {
    let made = picture(&Scene::from(model.clone()), &small()).unwrap();
    made.rgba.iter().skip(3).step_by(4).filter(|alpha| **alpha > 0).count()
}

#[test]
fn corners_that_are_not_finite_are_left_out() {
    let good = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let expected = covered(&model(good.to_vec(), vec![[0, 1, 2]]));
    assert!(expected > 50);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut positions = good.to_vec();
        positions.push([bad, 0.0, 0.0]);
        assert_eq!(covered(&model(positions.clone(), vec![[0, 1, 2], [0, 1, 3]])), expected);
        assert_eq!(covered(&model(positions, vec![[0, 1, 3]])), 0);
    }
    // The largest finite numbers are drawn like small ones.
    let huge = good.map(|point| point.map(|axis| axis * f32::MAX));
    assert!(covered(&model(huge.to_vec(), vec![[0, 1, 2]])) > 50);
    let tiny = good.map(|point| point.map(|axis| axis * 1e-30));
    assert!(covered(&model(tiny.to_vec(), vec![[0, 1, 2]])) > 50);
    // If all triangles are back faces, they are drawn.
    assert_eq!(covered(&model(good.to_vec(), vec![[0, 2, 1]])), expected);
    // A triangle with an area of 0.
    assert_eq!(covered(&model(vec![[1.0; 3]; 3], vec![[0, 1, 2]])), 0);
}

#[test]
fn points_and_joints_that_are_not_finite_leave_the_others_visible() {
    let covered = |model: &Model<'_>| {
        let options = Options { size: 64, ..small() };
        let made = picture(&Scene::from(model.clone()), &options).unwrap();
        made.rgba.iter().skip(3).step_by(4).filter(|alpha| **alpha > 0).count()
    };
    // The corners of a cube. Dots and joints are as large as the model makes them.
    let corners: Vec<[f32; 3]> =
        (0..8).map(|corner| [0, 1, 2].map(|axis| (corner >> axis & 1) as f32 * 1000.0)).collect();
    let bones = |roots: &[[f32; 3]]| {
        let joint = |parent, translation| Joint {
            name: String::new(),
            parent,
            rest: Transform { translation, ..Transform::IDENTITY },
        };
        let mut model = Model::empty(None, Space::GLTF);
        model.joints = roots.iter().map(|root| joint(None, *root)).collect();
        let last = model.joints.iter().rposition(|joint| joint.rest.translation == [0.0; 3]);
        model.joints.push(joint(last, [1000.0, 0.0, 0.0]));
        model.joints.push(joint(last, [0.0, 1000.0, 0.0]));
        model
    };
    let (dots, joints) = (covered(&model(corners.clone(), Vec::new())), covered(&bones(&[[0.0; 3]])));
    assert!(dots > 0 && joints > 0, "{dots} {joints}");
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in [0, 8] {
            let mut positions = corners.clone();
            positions.insert(at, [bad, 0.0, 0.0]);
            assert_eq!(covered(&model(positions, Vec::new())), dots, "{bad} at {at}");
        }
        for roots in [[[bad, 0.0, 0.0], [0.0; 3]], [[0.0; 3], [bad, 0.0, 0.0]]] {
            assert_eq!(covered(&bones(&roots)), joints, "{roots:?}");
        }
    }
}

#[test]
fn work_and_memory_are_limited() {
    let good = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let deep = model(good.clone(), vec![[0, 1, 2]; 2000]);
    let scene = Scene::from(deep.clone());
    let error = picture(&scene, &small()).unwrap_err().to_string();
    // 16 pixels with 4 samples in each direction, and 256 layers. The limit applies to all threads together.
    let several = Options { threads: 5, ..small() };
    assert_eq!(picture(&scene, &several).unwrap_err().to_string(), error);
    assert_eq!(error, format!("{} covered samples exceed the limit of {}", 64 * 64 * 256 + 1, 64 * 64 * 256));
    let few = Options { limits: Limits { triangles: 1999, ..Limits::DEFAULT }, ..small() };
    let error = picture(&scene, &few).unwrap_err().to_string();
    assert_eq!(error, "2000 triangles exceed the limit of 1999");
    let one = model(good, vec![[0, 1, 2]]);
    let scene = Scene::from(one.clone());
    for size in [0, 4097, u32::MAX] {
        assert!(matches!(picture(&scene, &Options { size, ..small() }), Err(Error::Limit { .. })));
    }
    assert!(matches!(sheet(&scene, &small(), u32::MAX, u32::MAX), Err(Error::Limit { .. })));
    assert!(matches!(sheet(&scene, &Options { size: 4096, ..small() }, 3, 3), Err(Error::Limit { .. })));
    let budget = Budget::new(1 << 20);
    let options = Options { size: 4096, budget: Some(&budget), ..small() };
    let error = picture(&scene, &options).unwrap_err();
    assert!(matches!(error, Error::Memory(_)), "{error}");
    assert_eq!(
        error.to_string(),
        format!(
            "8192 x 8192 samples of a picture need {} bytes of memory; the limit is 1048576",
            (8192 * 8192 + 4096 * 4096) * 8
        )
    );
}

#[test]
fn frames_that_do_not_exist_are_errors() {
    let mut one = model(vec![[0.0; 3]; 3], vec![[0, 1, 2]]);
    one.clips.push(Clip::without_rate("long", 0, usize::MAX));
    let scene = Scene::from(one.clone());
    let fails = |frames| picture(&scene, &Options { frames, ..small() }).unwrap_err().to_string();
    assert_eq!(fails(Frames::One(1)), "no frame 1; there are 1 frames");
    assert_eq!(fails(Frames::Clip("run")), "no clip run");
    assert_eq!(
        fails(Frames::Clip("LONG")),
        format!("{} frames of a clip exceed the limit of 4096", usize::MAX)
    );
    one.clips[0].count = 4000;
    let scene = Scene::from(one);
    let few = Limits { vertices: 3 * 4000 - 1, ..Limits::DEFAULT };
    let options = Options { frames: Frames::Moving, limits: few, ..small() };
    let error = write_apng(&scene, &options, std::io::sink()).unwrap_err().to_string();
    assert_eq!(error, "12000 vertices of all frames exceed the limit of 11999");
}

#[test]
fn a_texture_is_requested_once_and_reserved() {
    let mut two = model(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
    let plain = PlainMesh {
        frames: vec![PlainFrame { positions: vec![[0.0; 3]; 3], ..PlainFrame::default() }],
        texcoords: vec![vec![[0.0; 2]; 3]],
        triangles: vec![[0, 1, 2]],
        ..PlainMesh::default()
    };
    two.meshes = (0..2).map(|_| plain.clone().into_mesh("skin").unwrap()).collect();
    two.meshes.iter_mut().for_each(|mesh| mesh.material = Some(0));
    two.materials.push(Material { texture: Some("skin.png".into()), ..Material::new("skin") });
    let calls = AtomicUsize::new(0);
    let find = |_: &Material| {
        calls.fetch_add(1, Ordering::Relaxed);
        Texture::new(512, 512, &[255; 512 * 512 * 4])
    };
    let scene = Scene::from(two.clone());
    let options = Options { textures: Some(&find), ..small() };
    picture(&scene, &options).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let budget = Budget::new(1 << 20);
    let error = picture(&scene, &Options { budget: Some(&budget), ..options }).unwrap_err().to_string();
    assert!(error.starts_with("512 x 512 pixels of a texture need 1572864 bytes of memory"), "{error}");
}
