//! Models are upright and not mirrored in every format.

use meshlens::Model;
use meshlens::model::{Material, PlainFrame, PlainMesh, Space, Wrap};
use meshlens::scene::Scene;
use meshlens::unreal::{Script, Triangle, Unreal, VertexEncoding, write};
use meshlens_testkit::corpus;
use meshlens_testkit::shapes::Shape;
use meshlens_thumb::{Background, Options, Picture, Texture, View, picture};

/// Options for a transparent background.
fn options(view: View, size: u32) -> Options<'static> {
    Options { size, view, background: Background::Transparent, ..Options::default() }
}

/// The number of pixels that a model covers completely, and the number that it covers partially.
fn covered(picture: &Picture) -> (usize, usize) {
    let alphas = || picture.rgba.iter().skip(3).step_by(4);
    (
        alphas().filter(|alpha| **alpha == 255).count(),
        alphas().filter(|alpha| (1..255).contains(*alpha)).count(),
    )
}

fn is_covered(picture: &Picture, x: u32, y: u32) -> bool {
    picture.pixel(x, y).is_some_and(|[.., alpha]| alpha > 0)
}

/// The figure in a space: it faces X, its left arm is along Y, and Z is up.
fn figure(space: Space) -> Model<'static> {
    let here = Space::MD3.to(&space);
    // The triangles of a shape are counter-clockwise.
    let shape = Shape::one_armed().flipped();
    let frame = PlainFrame {
        positions: shape.positions.iter().map(|point| here.position(*point)).collect(),
        normals: shape.normals.iter().map(|normal| here.direction(*normal)).collect(),
        ..PlainFrame::default()
    };
    let triangles = shape.triangles.iter().map(|corners| here.corners(*corners)).collect();
    let plain = PlainMesh {
        frames: vec![frame],
        triangles,
        texcoords: vec![shape.texcoords],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, space);
    model.meshes.push(plain.into_mesh("figure").unwrap());
    model
}

#[test]
fn the_front_has_the_area_of_the_figure() {
    let bytes = corpus::with_extension(&["md3/static.md3"]).remove(0).1;
    let model = Model::parse(&bytes).unwrap();
    // The figure is 13 wide and 16 high. With the margin of 8 %, 864 pixels are 17.28 units, which is 50 pixels per
    // unit.
    let made = picture(&Scene::from(model), &options(View::Front, 864)).unwrap();
    // The body is 6 by 16, the arm 7 by 2.
    assert_eq!(covered(&made), ((6 * 16 + 7 * 2) * 50 * 50, 0));
    // The center of the picture is 3.5 units to the left of the middle of the body, and 8 units high.
    let at = |y: f32, z: f32| {
        let (x, y) = (432.0 + (y - 3.5) * 50.0, 432.0 - (z - 8.0) * 50.0);
        is_covered(&made, x as u32, y as u32)
    };
    assert!(at(9.5, 14.0) && at(0.0, 0.5) && at(0.0, 15.5));
    assert!(!at(9.5, 1.0) && !at(9.5, 15.5));
}

#[test]
fn pictures_are_equal_in_every_space() {
    for view in [View::Iso, View::Front, View::Side, View::Top] {
        let seen = |space| {
            let model = figure(space);
            picture(&Scene::from(model), &options(view, 64)).unwrap()
        };
        let expected = seen(Space::GLTF);
        assert!(covered(&expected).0 > 500, "{view:?}");
        for space in [Space::MD3, Space::UNREAL, Space::U3D, Space::UNIGINE] {
            assert!(seen(space) == expected, "{view:?} of {space:?}");
        }
    }
}

#[test]
fn the_top_is_brighter_than_the_sides_and_the_bottom_is_hidden() {
    let model = figure(Space::GLTF);
    let made = picture(&Scene::from(model), &options(View::Iso, 128)).unwrap();
    let mut shades: Vec<u8> =
        made.rgba.chunks(4).filter(|pixel| pixel[3] == 255).map(|pixel| pixel[0]).collect();
    shades.sort_unstable();
    shades.dedup();
    // The light is (0.4, 0.8, 0.45) / 1.001: its components light the left, the top and the front of the boxes, whose
    // color is 0.82 x 255 = 209.1. For the top: 209.1 x (0.35 + 0.65 x 0.7990) = 181.8.
    assert_eq!(shades.last(), Some(&182));
    // The left side: 209.1 x (0.35 + 0.65 x 0.3995) = 127.5.
    assert!(shades.contains(&127) || shades.contains(&128), "{shades:?}");
}

#[test]
fn the_first_row_of_a_texture_is_at_the_top() {
    let frame = PlainFrame {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        ..PlainFrame::default()
    };
    let plain = PlainMesh {
        frames: vec![frame],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        // The origin is at the top left.
        texcoords: vec![vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::GLTF);
    let mut mesh = plain.into_mesh("sign").unwrap();
    mesh.material = Some(0);
    model.meshes.push(mesh);
    // Pixels within half a texel of the edge have the color of the edge.
    let wrap = [Wrap::Clamp; 2];
    model.materials.push(Material {
        texture: Some("sign.png".into()),
        unlit: true,
        wrap,
        ..Material::new("sign")
    });
    let (red, green) = ([255, 0, 0, 255], [0, 255, 0, 255]);
    let (blue, white) = ([0, 0, 255, 255], [255; 4]);
    let find = |_: &Material| Texture::new(2, 2, &[red, green, blue, white].concat());
    let made = picture(&Scene::from(model), &Options { textures: Some(&find), ..options(View::Front, 128) })
        .unwrap();
    let corners = [(12, 12), (116, 12), (12, 116), (116, 116)].map(|(x, y)| made.pixel(x, y).unwrap());
    assert_eq!(corners, [red, green, blue, white]);
}

#[test]
fn nodes_are_attached_at_their_tags() {
    let file = |name: &str| corpus::with_extension(&[name]).remove(0).1;
    let files = ["player/lower.md3", "player/upper.md3", "player/head.md3"].map(file);
    let models = files.each_ref().map(|bytes| Model::parse(bytes).unwrap());
    let [lower, upper, head] = models;
    let mut scene = Scene::from(lower);
    scene.attach(upper, scene.find_tag("tag_torso").unwrap());
    scene.attach(head, scene.find_tag("tag_head").unwrap());
    // The player extends from -24 to 7 in height and from -3 to 5 in width: 31 units are 864 / 1.08 = 800 pixels.
    let made = picture(&scene, &options(View::Front, 837)).unwrap();
    let (full, partly) = covered(&made);
    // 775 pixels are 31 units: legs 6 by 16, torso 6 by 10, arm 2 by 2 and head 4 by 5, without gaps.
    let area = ((6 * 16 + 6 * 10 + 2 * 2 + 4 * 5) * 25 * 25) as i64;
    assert!((full as i64 - area).abs() < area / 20 && partly < full / 20, "{full} and {partly} of {area}");
}

#[test]
fn a_scaled_mesh_is_lit_like_a_mesh_of_that_size() {
    let shape = Shape::one_armed();
    // The same figure: the script's scale undoes the change of the stored integers.
    let drawn = |stored: fn([i16; 3]) -> [i16; 3], scale: &str| {
        let mut file = write::Model::new(VertexEncoding::Wide, shape.positions.len());
        for corners in &shape.triangles {
            let vertices = corners.map(|corner| corner as u16);
            file.triangles.push(Triangle { vertices, ..Triangle::default() });
        }
        let points: Vec<[i16; 3]> =
            shape.positions.iter().map(|point| stored(point.map(|axis| (axis * 4.0) as i16))).collect();
        file.add_integer_frame(&points).unwrap();
        let files = file.write().unwrap();
        let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
        let mut model = Model::new(unreal.into()).unwrap();
        let text = format!(
            "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d\n\
             #exec MESHMAP NEW MESHMAP=m MESH=m\n#exec MESHMAP SCALE MESHMAP=m {scale}\n"
        );
        model.set_script(&unreal, &Script::parse(text.as_bytes()).unwrap(), "m").unwrap();
        picture(&Scene::from(model), &options(View::Iso, 64)).unwrap()
    };
    let plain = drawn(|point| point, "X=1 Y=1 Z=1");
    let scaled = drawn(|[x, y, z]| [x, y * 2, z / 4], "X=1 Y=0.5 Z=4");
    assert!(covered(&plain).0 > 500);
    let largest = plain.rgba.iter().zip(&scaled.rgba).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(largest <= Some(1), "{largest:?}");
}
