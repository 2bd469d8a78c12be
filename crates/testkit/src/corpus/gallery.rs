//! Models to look at: a walking figure, a crate with a texture and a waving flag, in each format.

use core::f32::consts::TAU;

use glam::{Mat4, Vec3};
use meshlens::model::{
    Clip, Joint, JointAnimation, Material, Model, PlainFrame, PlainMesh, Space, Submesh, Transform, export,
};
use meshlens_wire::Result;

use crate::shapes::{Shape, grid};

/// The number of frames of each animation.
const FRAMES: usize = 8;

pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = models().expect("the models of the gallery can be written");
    files.push(("gallery.mat".into(), MATERIALS.into()));
    files.push(("walker.tga".into(), tga(64, 16, walker_pixel)));
    files.push(("crate.tga".into(), tga(32, 32, crate_pixel)));
    files.push(("flag.tga".into(), tga(32, 20, flag_pixel)));
    files.into_iter().map(|(path, bytes)| (format!("gallery/{path}"), bytes)).collect()
}

/// The surfaces of UNIGINE meshes find their materials by name.
const MATERIALS: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<materials version="1.11">
    <material name="walker"><texture name="diffuse">walker.tga</texture></material>
    <material name="crate"><texture name="diffuse">crate.tga</texture></material>
    <material name="flag"><texture name="diffuse">flag.tga</texture></material>
</materials>
"#;

fn models() -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (name, model, rigged) in [
        ("walker", walking()?, Some(rig()?)),
        ("crate", still("crate", &upright_box(8.0))?, None),
        ("flag", waving()?, None),
    ] {
        files.push((format!("{name}.md3"), export::to_md3(&model, name, 1.0)?.0));
        let (unreal, _) = export::to_unreal(&model, name, 1.0)?;
        files.push((format!("{name}_d.3d"), unreal.files.geometry));
        files.push((format!("{name}_a.3d"), unreal.files.frames));
        files.push((format!("{name}.uc"), unreal.script.into_bytes()));
        // In formats with joints, joints move the figure.
        let model = rigged.unwrap_or(model);
        files.push((format!("{name}.u3d"), export::to_u3d(&model, 1.0)?.0));
        files.push((format!("{name}.mesh"), export::to_unigine(&model, 0.0254)?.0));
        if !model.animations.is_empty() {
            files.push((format!("{name}_walk.anim"), export::to_unigine_anim(&model, 0.0254)?.0));
        }
    }
    Ok(files)
}

/// A model with one material, in the space of MD3: it faces X, its left is Y and up is Z.
fn model(name: &str, mesh: PlainMesh) -> Result<Model<'static>> {
    let mut model = Model::empty(None, Space::MD3);
    model.name = name.into();
    model.materials.push(Material { texture: Some(format!("{name}.tga")), ..Material::new(name) });
    let mut mesh = mesh.into_mesh(name)?;
    mesh.material = Some(0);
    model.meshes.push(mesh);
    Ok(model)
}

fn frame(name: String, shape: &Shape) -> PlainFrame {
    PlainFrame {
        name,
        positions: shape.positions.clone(),
        normals: shape.normals.clone(),
        ..PlainFrame::default()
    }
}

/// A mesh whose frames are shapes, with counter-clockwise triangles.
fn mesh(frames: &[Shape]) -> PlainMesh {
    let first = frames.first().cloned().unwrap_or_default();
    PlainMesh {
        frames: frames.iter().enumerate().map(|(at, shape)| frame(format!("frame {at}"), shape)).collect(),
        texcoords: vec![first.texcoords.clone()],
        triangles: first.flipped().triangles,
        ..PlainMesh::default()
    }
}

fn still(name: &str, shape: &Shape) -> Result<Model<'static>> {
    model(name, mesh(core::slice::from_ref(shape)))
}

/// A looping clip of all frames.
fn cycle(name: &str) -> Clip {
    Clip { loop_frames: FRAMES, ..Clip::new(name, 0, FRAMES, 8.0) }
}

/// A square face around `center`. The top of the texture is in the direction `up`.
fn face(center: Vec3, right: Vec3, up: Vec3) -> Shape {
    let corner = |x: f32, y: f32| (center + right * x + up * y).to_array();
    Shape {
        positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        normals: vec![right.cross(up).normalize().to_array(); 4],
        texcoords: vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// A box on the ground whose sides show an upright texture.
fn upright_box(half: f32) -> Shape {
    let (x, y, z) = (Vec3::X * half, Vec3::Y * half, Vec3::Z * half);
    let sides = [(x, y, z), (y, -x, z), (-x, -y, z), (-y, x, z), (z, y, -x), (-z, y, x)];
    let faces = sides.iter().map(|(out, right, up)| face(z + *out, *right, *up));
    faces.reduce(|all, one| all.joined(&one)).unwrap_or_default()
}

/// The parts of the figure: its boxes, the center of its rotation, and the angle of its swing.
fn limbs() -> [(&'static str, Shape, Vec3, f32); 4] {
    // The texture has a column for skin, shirt, trousers and shoes.
    let part = |column: f32, min: [f32; 3], max: [f32; 3]| {
        let mut shape = Shape::cuboid(min, max);
        for [u, v] in &mut shape.texcoords {
            (*u, *v) = ((column + 0.1 + 0.8 * *u) / 4.0, 0.05 + 0.9 * *v);
        }
        shape
    };
    let body = part(1.0, [-2.0, -3.0, 10.0], [2.0, 3.0, 20.0])
        .joined(&part(0.0, [-2.0, -2.0, 20.5], [2.0, 2.0, 25.0]))
        .joined(&part(0.0, [2.0, -0.6, 22.0], [3.0, 0.6, 23.2]));
    let arm = part(1.0, [-1.0, 3.2, 14.5], [1.0, 5.2, 19.5]).joined(&part(
        0.0,
        [-0.8, 3.4, 10.0],
        [0.8, 5.0, 14.5],
    ));
    let leg = |low: f32, high: f32| {
        part(2.0, [-1.5, low, 1.5], [1.5, high, 10.0]).joined(&part(3.0, [-1.5, low, 0.0], [3.0, high, 1.5]))
    };
    [
        ("body", body, Vec3::ZERO, 0.0),
        ("left arm", arm, Vec3::new(0.0, 4.2, 19.0), -0.5),
        ("left leg", leg(0.3, 2.8), Vec3::new(0.0, 1.5, 10.0), 0.6),
        ("right leg", leg(-2.8, -0.3), Vec3::new(0.0, -1.5, 10.0), -0.6),
    ]
}

/// The angle of a limb in one frame.
fn swing(reach: f32, frame: usize) -> f32 {
    reach * libm::sinf(TAU * frame as f32 / FRAMES as f32)
}

/// The figure with vertex frames.
fn walking() -> Result<Model<'static>> {
    let limbs = limbs();
    let posed = |frame: usize| {
        let moved = limbs.iter().map(|(_, shape, pivot, reach)| {
            let (sine, cosine) = (libm::sinf(swing(*reach, frame)), libm::cosf(swing(*reach, frame)));
            let turn = |[x, y, z]: [f32; 3]| [cosine * x + sine * z, y, cosine * z - sine * x];
            let mut shape = shape.clone();
            for point in &mut shape.positions {
                *point = (Vec3::from(turn((Vec3::from(*point) - *pivot).to_array())) + *pivot).to_array();
            }
            shape.normals.iter_mut().for_each(|normal| *normal = turn(*normal));
            shape
        });
        moved.reduce(|all, one| all.joined(&one)).unwrap_or_default()
    };
    let frames: Vec<Shape> = (0..FRAMES).map(posed).collect();
    let mut model = model("walker", mesh(&frames))?;
    model.clips.push(cycle("walk"));
    Ok(model)
}

/// The figure with a joint for each limb.
fn rig() -> Result<Model<'static>> {
    let limbs = limbs();
    let (mut all, mut joints, mut binds) = (Shape::default(), Vec::new(), Vec::new());
    let mut influences = Vec::new();
    for (number, (name, shape, pivot, _)) in (0u16..).zip(&limbs) {
        all = all.joined(shape);
        influences.resize(all.positions.len(), [number, 0, 0, 0]);
        let rest = Transform { translation: (*pivot).into(), ..Transform::IDENTITY };
        joints.push(Joint { name: (*name).into(), parent: (number > 0).then_some(0), rest });
        binds.push(Mat4::from_translation(-*pivot).to_cols_array_2d());
    }
    let mut transforms = Vec::new();
    for frame in 0..FRAMES {
        for (joint, (_, _, _, reach)) in joints.iter().zip(&limbs) {
            let half = swing(*reach, frame) / 2.0;
            let rotation = [0.0, libm::sinf(half), 0.0, libm::cosf(half)];
            transforms.push(Transform { rotation, ..joint.rest });
        }
    }
    let mut plain = mesh(&[all]);
    plain.weights = vec![[1.0, 0.0, 0.0, 0.0]; influences.len()];
    plain.joints = influences;
    let mut model = model("walker", plain)?;
    model.meshes[0].skin = Some(binds.into());
    model.animations.push(JointAnimation::new("walk", (0..joints.len()).collect(), transforms));
    model.joints = joints;
    model.clips.push(Clip { animation: Some(0), ..cycle("walk") });
    Ok(model)
}

/// The columns and rows of the cloth.
const CLOTH: [u32; 2] = [8, 4];

/// A flag on a pole. The cloth has two sides.
fn waving() -> Result<Model<'static>> {
    let cloth = |frame: usize| {
        let mut front = Shape::default();
        let [columns, rows] = CLOTH;
        for row in 0..=rows {
            for column in 0..=columns {
                let (u, v) = (column as f32 / columns as f32, row as f32 / rows as f32);
                let phase = TAU * (u - frame as f32 / FRAMES as f32);
                let (depth, slope) = (1.6 * u * libm::sinf(phase), 1.6 * u * libm::cosf(phase) * TAU / 16.0);
                front.positions.push([depth, 0.5 + 16.0 * u, 28.0 - 10.0 * v]);
                front.normals.push(Vec3::new(1.0, -slope, 0.0).normalize().to_array());
                front.texcoords.push([u, v]);
            }
        }
        front.triangles = grid(rows, columns);
        let mut back = front.clone().flipped();
        back.normals.iter_mut().flatten().for_each(|axis| *axis = -*axis);
        let mut pole = Shape::cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 30.0]);
        pole.texcoords.fill([0.0; 2]);
        front.joined(&back).joined(&pole)
    };
    let frames: Vec<Shape> = (0..FRAMES).map(cloth).collect();
    let [columns, rows] = CLOTH.map(|count| count as usize);
    let mut plain = mesh(&frames);
    let cloth = columns * rows * 4;
    plain.submeshes = vec![
        Submesh { material: Some(0), triangles: 0..cloth },
        Submesh { material: Some(1), triangles: cloth..plain.triangles.len() },
    ];
    let mut model = model("flag", plain)?;
    model.materials.push(Material::new("pole"));
    model.clips.push(cycle("wave"));
    Ok(model)
}

/// An uncompressed image, from bottom to top (TGA: 4 Image Data). ioquake3 draws images in the other order upside down.
fn tga(width: u32, height: u32, pixel: fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    let mut file = vec![0; 18];
    (file[2], file[12], file[14], file[16], file[17]) = (2, width as u8, height as u8, 24, 0);
    for y in (0..height).rev() {
        for x in 0..width {
            let [r, g, b] = pixel(x, y);
            file.extend([b, g, r]);
        }
    }
    file
}

fn walker_pixel(x: u32, y: u32) -> [u8; 3] {
    match (x / 16, y) {
        (0, _) => [226, 180, 146],
        (1, y) if y % 4 == 3 => [236, 232, 220],
        (1, _) => [46, 110, 150],
        (2, _) => [88, 82, 78],
        _ => [122, 62, 40],
    }
}

/// Boards with a frame and an arrow that points up.
fn crate_pixel(x: u32, y: u32) -> [u8; 3] {
    let is_edge = |at: u32| !(3..29).contains(&at);
    let head = (8..16).contains(&y) && x.abs_diff(16) * 2 <= (y - 8) * 2 && x.abs_diff(16) < 8;
    let shaft = (16..24).contains(&y) && x.abs_diff(16) < 3;
    if head || shaft {
        [60, 40, 24]
    } else if is_edge(x) || is_edge(y) {
        [142, 98, 54]
    } else if y % 8 == 3 {
        [110, 74, 40]
    } else {
        [188, 140, 84]
    }
}

/// Two fields with a lens on top of them.
fn flag_pixel(x: u32, y: u32) -> [u8; 3] {
    let away = (2 * i64::from(x) - 31).pow(2) + (2 * i64::from(y) - 19).pow(2);
    match away {
        0..=90 => [250, 250, 246],
        91..=170 => [30, 60, 90],
        _ if y < 10 => [34, 140, 140],
        _ => [226, 138, 50],
    }
}
