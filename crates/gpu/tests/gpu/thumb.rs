//! Compares the pictures of `meshlens-thumb`, which needs no GPU, with the pictures of the renderer.

use meshlens::Model;
use meshlens::model::{Alpha, Material, PlainFrame, PlainMesh, Space, TextureAlpha};
use meshlens::scene::Scene;
use meshlens_gpu::UploadOptions;
use meshlens_gpu::render::{GpuScene, Image, RenderOptions, Renderer, Textures};
use meshlens_testkit::doors::{self, Difference};
use meshlens_thumb::{Background, Options, Texture, camera, picture, surface_color, tone};

use crate::{files, gpu};

const SIDE: u32 = 128;

/// A function that finds the image of a material of a node.
type FindImage<'f> = &'f dyn Fn(&Material) -> Option<Image>;

/// Pictures of the same view by the renderer and by `meshlens-thumb`, and the light that a dark model gets in both.
fn pictures(scene: &Scene<'_>, image: FindImage<'_>) -> (Vec<u8>, Vec<u8>, f32) {
    let textures = |material: &Material| {
        let image = image(material)?;
        Texture::new(image.width, image.height, &image.pixels)
    };
    let options = Options {
        size: SIDE,
        background: Background::Transparent,
        textures: Some(&textures),
        ..Options::default()
    };
    let expected = picture(scene, &options).unwrap();
    let (camera, tone) = (camera(scene, &options).unwrap(), tone(scene, &options).unwrap());
    let [eye, target] = [camera.eye, camera.target].map(|point| point.map(|axis| axis as f32));
    let seen = RenderOptions {
        view_projection: camera.view_projection(1.0),
        background: [0.0; 4],
        fill: tone.fill,
        ..RenderOptions::looking(eye, target, 1.0)
    };
    let view = scene.view(&Space::GLTF);
    let options = UploadOptions { smooth_normals: true, ..UploadOptions::default() };
    let uploaded = GpuScene::new(gpu(), &view, &options, |_, model| {
        // Surfaces without a material have the first color.
        let count = model.materials().len();
        let color = |material| surface_color(if material < count { material } else { 0 });
        let color = |material| color(material).map(|channel| (channel * 255.0).round() as u8);
        Textures::with_colors(gpu(), model, image, color)
    });
    let uploaded = uploaded.unwrap();
    let instances = uploaded.instances(&view, &scene.rest_pose());
    let mut renderer = Renderer::new(gpu()).with_antialiasing();
    let found = renderer.render_image(&seen, &uploaded.draws(&instances), [SIDE; 2]).unwrap();
    (found.pixels, expected.rgba, tone.fill)
}

#[test]
fn a_model_is_lit_like_in_thumb() {
    // The sides of these models are flat, so lighting at vertices (thumb) and at pixels (the renderer) gives the same
    // result.
    for name in ["box_ms14.mesh", "crate.md3", "crate.u3d", "crate.mesh"] {
        let path = files::corpus().into_iter().find(|path| path.ends_with(name)).unwrap();
        let files = files::model_files(&path).unwrap();
        let scene = Scene::from(Model::new(files::document(&files).unwrap()).unwrap());
        let (found, expected, _) = pictures(&scene, &|_| None);
        let difference = Difference::new(&found, &expected);
        difference.assert(3.0, name);
        let far = |(a, b): (&[u8; 4], &[u8; 4])| {
            a[3] == 255 && b[3] == 255 && a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 6)
        };
        let apart = found.as_chunks().0.iter().zip(expected.as_chunks().0).filter(|pair| far(*pair)).count();
        // Pixels at edges inside of the model are blended from other samples.
        assert!(apart * 10 <= difference.covered, "{name}: {apart} pixels have another color");
    }
}

/// The same scene without light.
fn unlit<'a>(scene: &Scene<'a>) -> Scene<'a> {
    let mut scene = scene.clone();
    for model in scene.nodes.iter_mut().map(|node| &mut node.model) {
        let plain = model.materials.len();
        model.materials.push(Material::new("plain"));
        model.materials.iter_mut().for_each(|material| material.unlit = true);
        model.meshes.iter_mut().for_each(|mesh| mesh.material = mesh.material.or(Some(plain)));
    }
    scene
}

/// Each format, scaled, rotated and mirrored by scripts, moved by joints, and in the hand of a player.
#[test]
fn models_of_every_format_look_like_in_thumb() {
    let assets = doors::assets();
    let player = assets.open("md3/player").unwrap();
    for name in doors::MODELS {
        let asset = assets.open(name).unwrap();
        let in_hand = doors::in_hand(player.scene(), asset.scene());
        for (scene, place) in [(asset.scene(), "alone"), (&in_hand, "in a hand")] {
            // On round surfaces, thumb interpolates the light between vertices, and the renderer the normals. The ring
            // of Ultimate 3D has only three sides around, and the centers of the sides are much brighter with
            // interpolated normals.
            for (scene, light, mean) in [(scene, "lit", 32.0), (&unlit(scene), "unlit", 0.5)] {
                let (found, expected, _) = pictures(scene, &|_| None);
                let difference = Difference::new(&found, &expected);
                println!("{name} {place}, {light}: {difference:?}");
                difference.assert(mean, name);
            }
        }
    }
}

/// A box with a texture of one color.
fn box_of(color: [u8; 4], material: Material) -> (Vec<u8>, Vec<u8>, f32) {
    let corner = |corner: usize| [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { 8.0 } else { -8.0 });
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = (0..6).flat_map(|side: u32| [[0, 1, 2], [0, 2, 3]].map(|of| of.map(|at| side * 4 + at)));
    let plain = PlainMesh {
        frames: vec![PlainFrame {
            positions: sides.as_flattened().iter().map(|at| corner(*at)).collect(),
            ..PlainFrame::default()
        }],
        texcoords: vec![vec![[0.5; 2]; 24]],
        triangles: triangles.collect(),
        ..PlainMesh::default()
    };
    let mut mesh = plain.into_mesh("box").unwrap();
    mesh.material = Some(0);
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(mesh);
    model.materials.push(Material { texture: Some("one color".into()), ..material });
    let image = Image { width: 1, height: 1, pixels: color.to_vec() };
    pictures(&Scene::from(model), &|_| Some(image.clone()))
}

#[test]
fn dark_models_get_the_same_light_as_in_thumb() {
    let lit = || Material::new("box");
    let unlit = Material { unlit: true, ..lit() };
    for (color, material, is_dark) in [
        ([4, 6, 10, 255], lit(), true),
        ([0, 0, 0, 255], unlit.clone(), true),
        ([40, 20, 10, 255], lit(), true),
        ([200, 120, 40, 255], lit(), false),
        ([90, 90, 90, 255], unlit, false),
    ] {
        let name = format!("{color:?}, unlit: {}", material.unlit);
        let (found, expected, fill) = box_of(color, material);
        assert_eq!(fill > 0.0, is_dark, "{name}: {fill}");
        let difference = Difference::new(&found, &expected);
        println!("{name}: {fill}, {difference:?}");
        difference.assert(3.0, &name);
        // The brightest side is visible.
        let brightest = found.as_chunks::<4>().0.iter().map(|[r, g, b, _]| *r.max(g).max(b)).max();
        assert!(brightest >= Some(60), "{name}: {brightest:?}");
    }
    // Adding black has no effect.
    let added = Material { alpha: Alpha::Blend, texture_alpha: TextureAlpha::Add, ..lit() };
    let (found, expected, _) = box_of([0, 0, 0, 255], added);
    assert!(found.iter().chain(&expected).all(|channel| *channel == 0));
}
