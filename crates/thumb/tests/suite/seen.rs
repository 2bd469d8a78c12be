//! Every picture shows its model: framing, light, blend modes, and models without visible triangles.

use std::cell::RefCell;

use meshlens::Model;
use meshlens::model::{
    Alpha, Joint, Material, PlainFrame, PlainMesh, Space, TextureAlpha, TextureCoordinates, Transform,
};
use meshlens::scene::Scene;
use meshlens_thumb::{Background, Camera, Limits, Note, Options, Picture, Texture, View, camera, picture};

/// A mesh with texture coordinates, and a material.
fn model(
    positions: &[[f32; 3]],
    texcoords: &[[f32; 2]],
    triangles: &[[u32; 3]],
    material: Material,
) -> Model<'static> {
    let frame = PlainFrame { positions: positions.to_vec(), ..PlainFrame::default() };
    let texcoords = vec![texcoords.to_vec()];
    let plain =
        PlainMesh { frames: vec![frame], texcoords, triangles: triangles.to_vec(), ..PlainMesh::default() };
    let mut model = Model::empty(None, Space::GLTF);
    let mut mesh = plain.into_mesh("mesh").unwrap();
    mesh.material = Some(0);
    model.meshes.push(mesh);
    model.materials.push(material);
    model
}

const CORNERS: [[f32; 2]; 4] = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];

/// A square that faces Z.
fn square(material: Material) -> Model<'static> {
    let positions = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    model(&positions, &CORNERS, &[[0, 1, 2], [0, 2, 3]], material)
}

fn textured(name: &str) -> Material {
    Material { texture: Some(name.into()), unlit: true, ..Material::new(name) }
}

/// The picture of a model with one texture, from the front, and the notes about it.
fn shown(model: &Model<'_>, texture: &Texture, options: &Options<'_>) -> (Picture, Vec<Note>) {
    let notes = RefCell::new(Vec::new());
    let note = |note: Note| notes.borrow_mut().push(note);
    let find = |_: &Material| Some(texture.clone());
    let options = Options { size: 64, textures: Some(&find), notes: Some(&note), ..*options };
    let made = picture(&Scene::from(model.clone()), &options).unwrap();
    (made, notes.into_inner())
}

fn front() -> Options<'static> {
    Options { view: View::Front, background: Background::Transparent, ..Options::default() }
}

fn plain(color: [u8; 4]) -> Texture {
    Texture::new(1, 1, &color).unwrap()
}

/// The number of columns and rows with a pixel that is not transparent.
fn extent(picture: &Picture) -> [usize; 2] {
    let is_set = |x, y| picture.pixel(x, y).unwrap()[3] > 0;
    let columns = (0..picture.width).filter(|x| (0..picture.height).any(|y| is_set(*x, y))).count();
    let rows = (0..picture.height).filter(|y| (0..picture.width).any(|x| is_set(x, *y))).count();
    [columns, rows]
}

#[test]
fn a_model_fills_its_picture() {
    // A thin rod along a diagonal, whose bounding box is much larger.
    let positions = [[-1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -0.9, 1.0], [-1.0, 1.0, -0.9]];
    let rod =
        model(&positions, &CORNERS, &[[0, 1, 2], [0, 2, 3]], Material { two_sided: true, ..textured("rod") });
    let options = Options { background: Background::Transparent, ..Options::default() };
    let [columns, rows] = extent(&shown(&rod, &plain([255; 4]), &options).0);
    // 64 pixels are 1.08 times the size of the model.
    assert!(columns.max(rows) >= 57, "{columns} x {rows}");
}

#[test]
fn a_camera_of_another_picture_is_kept() {
    let wide = model(
        &[[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [4.0, 4.0, 0.0]],
        &CORNERS[..3],
        &[[0, 1, 2]],
        textured("a"),
    );
    let texture = plain([255, 0, 0, 255]);
    let seen = camera(&Scene::from(wide), &front()).unwrap();
    let drawn = |camera: Camera| {
        let options = Options { camera: Some(camera), ..front() };
        extent(&shown(&square(textured("a")), &texture, &options).0)
    };
    // A quarter of the 59 pixels that the wide one has.
    let [columns, rows] = drawn(seen);
    assert!((14..=16).contains(&columns) && (14..=16).contains(&rows), "{columns} x {rows}");
    let past = Camera { is_perspective: true, eye: [0.0, 0.0, -1.0], target: [0.0, 0.0, -2.0], ..seen };
    assert_eq!(drawn(past), [0, 0]);
}

#[test]
fn transparent_surfaces_do_not_affect_the_camera() {
    // One texel of 16 by 16 is opaque.
    let mut rgba = vec![0; 16 * 16 * 4];
    rgba[(5 * 16 + 9) * 4..][..4].copy_from_slice(&[200, 30, 30, 255]);
    let texture = Texture::new(16, 16, &rgba).unwrap();
    for alpha in [Alpha::Blend, Alpha::Mask] {
        let square = square(Material { alpha, ..textured("dot") });
        let [columns, rows] = extent(&shown(&square, &texture, &front()).0);
        assert!(columns >= 32 && rows >= 32, "{alpha:?}: {columns} x {rows}");
    }
}

#[test]
fn added_and_multiplied_colors_cover_the_background() {
    let material = |texture_alpha| Material { texture_alpha, alpha: Alpha::Blend, ..textured("effect") };
    let center = |mode, color| {
        let (made, _) = shown(&square(material(mode)), &plain(color), &front());
        made.pixel(32, 32).unwrap()
    };
    assert_eq!(center(TextureAlpha::Add, [200, 100, 0, 0]), [255, 128, 0, 200]);
    assert_eq!(center(TextureAlpha::Multiply, [90, 60, 0, 0]), [0, 0, 0, 205]);
    // On an opaque square, colors are added and multiplied.
    let mut both = square(textured("below"));
    let mut above = square(material(TextureAlpha::Add)).meshes.remove(0);
    above.material = Some(1);
    both.meshes.push(above);
    both.materials.push(Material { texture: Some("above".into()), ..material(TextureAlpha::Add) });
    both.materials[1].color = [1.0; 4];
    let (made, _) = shown(&both, &plain([100, 50, 20, 255]), &front());
    // At the same depth, the second surface does not hide the first one.
    let single = made.pixel(32, 32).unwrap();
    assert!(single == [100, 50, 20, 255] || single == [200, 100, 40, 255], "{single:?}");
}

#[test]
fn an_environment_map_shows_the_normal() {
    // Red on the left and green on the right. The normal points to the camera, so the middle of the texture is visible.
    let texture =
        Texture::new(3, 1, &[[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 255]].concat()).unwrap();
    let material = Material { texture_coordinates: TextureCoordinates::Environment, ..textured("chrome") };
    let flat = square(material.clone());
    assert_eq!(shown(&flat, &texture, &front()).0.pixel(10, 10), Some([0, 0, 255, 255]));
    // Rotated to the right of the picture: the normal (1/2, 0, 0.87) has U 0.75.
    let (x, z) = (0.866_025_4, 0.5);
    let positions = [[-x, -1.0, z], [x, -1.0, -z], [x, 1.0, -z], [-x, 1.0, z]];
    let turned = model(&positions, &CORNERS, &[[0, 1, 2], [0, 2, 3]], material);
    let [red, green, blue, _] = shown(&turned, &texture, &front()).0.pixel(32, 32).unwrap();
    assert!(red == 0 && green > 160 && blue < 95, "{red} {green} {blue}");
}

#[test]
fn sprites_turn_to_the_camera() {
    // A square seen edge-on, with equal texture coordinates at all vertices.
    let positions = [[0.0, -1.0, -1.0], [0.0, -1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0]];
    let material = Material { sprites: true, ..textured("flare") };
    let flare = model(&positions, &[[0.0; 2]; 4], &[[0, 1, 2], [0, 2, 3]], material);
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]];
    let texture = Texture::new(2, 2, &colors.concat()).unwrap();
    let (made, notes) = shown(&flare, &texture, &front());
    let [columns, rows] = extent(&made);
    assert!(columns > 56 && rows > 56 && notes.is_empty(), "{columns} x {rows}");
    // The whole texture is visible, beginning at its upper left.
    let found = [(18, 18), (46, 18), (18, 46), (46, 46)].map(|(x, y)| made.pixel(x, y).unwrap());
    let far = found.as_flattened().iter().zip(colors.as_flattened()).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(far < Some(30), "{found:?}");
}

#[test]
fn dark_models_get_light_and_bright_models_a_dark_background() {
    let options = Options { background: Background::Auto, ..front() };
    let material = || Material { unlit: false, ..textured("coal") };
    let (made, _) = shown(&square(material()), &plain([2, 2, 2, 255]), &options);
    let [red, ..] = made.pixel(32, 32).unwrap();
    assert!((35..100).contains(&red), "{red}");
    assert_eq!(made.pixel(0, 0), Some([238, 240, 243, 255]));
    // Neither the light nor the background is changed.
    let (made, _) = shown(&square(textured("orange")), &plain([200, 120, 40, 255]), &options);
    assert_eq!(
        (made.pixel(0, 0), made.pixel(32, 32)),
        (Some([238, 240, 243, 255]), Some([200, 120, 40, 255]))
    );
    // A white model on a light gray background, and light gray on light gray.
    let (made, _) = shown(&square(textured("snow")), &plain([225, 225, 225, 255]), &options);
    assert_eq!((made.pixel(0, 0), made.pixel(32, 32)), (Some([52, 56, 62, 255]), Some([225, 225, 225, 255])));
    let light = Options { background: Background::Light, ..options };
    let (made, _) = shown(&square(textured("snow")), &plain([225, 225, 225, 255]), &light);
    assert_eq!(made.pixel(0, 0), Some([238, 240, 243, 255]));
}

#[test]
fn the_last_of_two_surfaces_at_the_same_depth_is_visible() {
    let two = |second: Material| {
        let (mut model, other) = (square(textured("first")), square(second.clone()));
        model.meshes.extend(other.meshes);
        model.meshes[1].material = Some(1);
        model.materials.push(second);
        shown(&model, &plain([200, 100, 40, 255]), &front()).0.pixel(32, 32).unwrap()
    };
    // Linear 0.214 is half of a stored value.
    assert_eq!(two(Material { color: [0.214_041, 1.0, 0.0, 1.0], ..textured("second") }), [100, 100, 0, 255]);
    let added = Material { alpha: Alpha::Blend, texture_alpha: TextureAlpha::Add, ..textured("glow") };
    assert_eq!(two(added), [255, 200, 80, 255]);
}

#[test]
fn points_and_needles_are_drawn_and_reported() {
    let white = plain([255; 4]);
    let positions = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let points = model(&positions, &[[0.0; 2]; 3], &[], Material::new("points"));
    let (made, notes) = shown(&points, &white, &front());
    assert_eq!(notes, [Note::Points { drawn: 3, count: 3 }]);
    assert!(extent(&made)[0] > 2);
    assert_eq!(notes[0].to_string(), "no triangles: 3 points are drawn as dots");
    // Two triangles with an area of 0.
    let needles = model(&positions, &[[0.0; 2]; 3], &[[0, 1, 1], [1, 2, 2]], Material::new("needles"));
    let (made, notes) = shown(&needles, &white, &front());
    assert_eq!(notes, [Note::Needles { drawn: 2, count: 2 }]);
    let [columns, rows] = extent(&made);
    assert!(columns > 56 && rows > 20, "{columns} x {rows}");
    let (made, notes) = shown(&Model::empty(None, Space::GLTF), &white, &front());
    assert_eq!((notes, extent(&made)), (vec![Note::Nothing], [0, 0]));
}

#[test]
fn the_number_of_drawn_joints_is_limited() {
    let mut model = Model::empty(None, Space::GLTF);
    let joint = |index: usize| Joint {
        name: index.to_string(),
        parent: index.checked_sub(1),
        rest: Transform { translation: [0.01, 0.1, 0.0], ..Transform::IDENTITY },
    };
    model.joints.extend((0..1000).map(joint));
    let options = Options { limits: Limits { lines: 100, ..Limits::DEFAULT }, ..front() };
    let (made, notes) = shown(&model, &plain([255; 4]), &options);
    // The first joint has three axes.
    assert_eq!(notes, [Note::JointsAndTags { drawn: 98, count: 1000 }]);
    assert_eq!(notes[0].to_string(), "no triangles: 98 of 1000 joints and tags are drawn");
    assert!(extent(&made)[1] > 50);
    let (_, notes) = shown(&model, &plain([255; 4]), &front());
    assert_eq!(notes, []);
}
