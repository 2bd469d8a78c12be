//! Ultimate 3D: a model for each special case, in both versions.

use glam::{Mat4, Vec3};
use meshlens_u3d::Version;
use meshlens_u3d::write::{Action, Bone, Lod, Material, Mesh, Model, Shadow, Texture};
use meshlens_wire::Result;

use crate::shapes::Shape;

const V1: Version = Version::V1;
const V2: Version = Version::V2_0_0;

pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let models = models().expect("the corpus' models can be made");
    let encrypted = models.iter().find(|(path, _)| *path == "v2_static").expect("it is there");
    let encrypted = encrypted.1.write_encrypted("secret").expect("a model of version 2.0");
    let mut files = vec![("u3d/v2_static_aes.u3d".into(), encrypted)];
    for (path, model) in models {
        files.push((format!("u3d/{path}.u3d"), model.write().expect("the corpus' models can be written")));
    }
    files
}

fn models() -> Result<Vec<(&'static str, Model)>> {
    let mut files = Vec::new();
    for version in [V1, V2] {
        let name = |v1, v2| if version.is_v1() { v1 } else { v2 };
        files.push((name("v1_static", "v2_static"), textured(version)?));
        files.push((name("v1_animated", "v2_animated"), animated(version)?));
        files.push((name("v1_levels", "v2_levels"), levels(version)?));
        files.push((name("v1_rigid", "v2_rigid"), rigid(version)?));
        files.push((name("v1_skinned", "v2_skinned"), skinned(version, 3)?));
        files.push((name("v1_dimensions", "v2_dimensions"), dimensions(version)?));
        files.push((name("v1_shadow", "v2_shadow"), shadow(version)?));
    }
    files.push(("v1_opaque", opaque()?));
    files.push(("v2_skinned_once", skinned(V2, 1)?));
    files.push(("v2_newer", newer()?));
    files.push(("v2_legacy_normals", legacy()?));
    Ok(files)
}

/// Converts a shape to the space of this format, which is left-handed with Y up. Its appearance does not change, so its
/// triangles must be flipped.
fn turn(shape: &Shape) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let swap = |[x, y, z]: &[f32; 3]| [*x, *z, *y];
    (shape.positions.iter().map(swap).collect(), shape.normals.iter().map(swap).collect())
}

fn mesh(name: &str, shape: &Shape, model: &mut Model) -> Result<Mesh> {
    let mut mesh = Mesh::new(name);
    let (positions, normals) = turn(shape);
    mesh.set_vertices(&positions, &normals, model.version)?;
    mesh.set_texcoords(0, 2, shape.texcoords.as_flattened())?;
    model.texcoord_dimensions = mesh.texcoord_dimensions;
    // Front faces are clockwise.
    let clockwise = shape.clone().flipped().triangles;
    mesh.set_triangles(&clockwise, &vec![0; clockwise.len()])?;
    Ok(mesh)
}

fn cuboid() -> Shape {
    Shape::cuboid([-4.0, -2.0, 0.0], [4.0, 2.0, 3.0])
}

fn model(version: Version) -> Model {
    let mut model = Model::new(version);
    let mut skin = Material::new("skin");
    skin.textures[0] = Some(Texture { width: 64, height: 32, ..Texture::new("gfx/skin.png") });
    skin.color_ops[0] = 5;
    skin.texture_count = 1;
    model.materials.push(skin);
    model
}

/// Two materials. The second one has optional properties of textures.
fn textured(version: Version) -> Result<Model> {
    let mut model = model(version);
    let mut figure = mesh("figure", &Shape::one_armed(), &mut model)?;
    if let Some((_, materials)) = &mut figure.triangles {
        materials.iter_mut().skip(12).for_each(|material| *material = 1);
    }
    model.meshes.push(figure);
    let mut sky = Material::new("sky");
    sky.textures[3] = Some(Texture::new("clouds.dds"));
    if !version.is_v1() {
        sky.textures[2] =
            Some(Texture { is_normal_map: true, height_scalar: 0.5, ..Texture::new("*bumps.tga") });
        let sides = ["right", "left", "top", "bottom", "back", "front"];
        let files = sides.map(|side| format!("*{side}.png").into_bytes()).into();
        sky.textures[5] = Some(Texture { files, identifier: Vec::new(), width: 64, ..Texture::default() });
        for texture in
            model.materials.iter_mut().chain([&mut sky]).flat_map(|m| m.textures.iter_mut().flatten())
        {
            texture.identifier.clear();
        }
    }
    model.materials.push(sky);
    Ok(model)
}

/// Four frames of meshes. Three of them borrow triangles.
fn animated(version: Version) -> Result<Model> {
    let mut model = model(version);
    model.frames = 4;
    model.vertex_tweening = true;
    for frame in 0..4u16 {
        let shape = Shape::torus(8.0, 3.0, 5, 3);
        let (positions, normals) = shape.turned(f32::from(frame) / 20.0, [0.0, 0.0, f32::from(frame)]);
        let mut mesh = mesh("ring", &Shape { positions, normals, ..shape.clone() }, &mut model)?;
        mesh.frame = frame.into();
        if frame > 0 {
            mesh = mesh.borrowing(shape.triangles.len() as u32, version);
        }
        model.meshes.push(mesh);
    }
    if !version.is_v1() {
        let action = |name: &str, first, last| Action { name: name.into(), first, last };
        model.actions = Some(vec![action("turn", 0, 2), action("stop", 2, 3)]);
    }
    Ok(model)
}

/// Two meshes in each of two levels of detail.
fn levels(version: Version) -> Result<Model> {
    let mut model = model(version);
    model.meshes_per_frame = 2;
    let lods = match version.is_v1() {
        true => [(1.0, 0.0), (0.5, 2500.0)],
        false => [(1.0, 50.0), (1.0, f32::MAX)],
    };
    model.lods = lods.map(|(fraction, distance)| Lod { fraction, distance }).into();
    for (lod, (fraction, _)) in (0u32..).zip(lods) {
        for part in 0..2u32 {
            let shape = if lod == 0 { Shape::torus(8.0, 3.0, 5, 3) } else { cuboid() };
            let mut mesh = mesh(&format!("part {part}, level {lod}"), &shape, &mut model)?;
            (mesh.lod_index, mesh.mesh_in_frame, mesh.lod_fraction) = (lod, part, fraction);
            model.meshes.push(mesh);
        }
    }
    Ok(model)
}

/// A translation matrix.
fn moved(by: [f32; 3]) -> [[f32; 4]; 4] {
    Mat4::from_translation(Vec3::from(by)).to_cols_array_2d()
}

/// The sine and the cosine of 45 degrees, for the quaternion of a rotation by 90 degrees.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

/// Two meshes on a chain of three bones; one of them keeps its own frame.
fn rigid(version: Version) -> Result<Model> {
    let mut model = model(version);
    model.meshes_per_frame = 2;
    model.frames = 20;
    for part in 0..2 {
        let mut mesh = mesh(&format!("box {part}"), &cuboid(), &mut model)?;
        mesh.mesh_in_frame = part;
        model.meshes.push(mesh);
    }
    let mut root = Bone::new("root", None);
    root.translation_keys = vec![(0, [0.0; 3]), (19, [0.0, 10.0, 0.0])];
    root.meshes.push((0, Mat4::IDENTITY.to_cols_array_2d()));
    let mut arm = Bone::new("arm", Some(0));
    arm.rotation_keys = vec![(0, [0.0, 0.0, 0.0, 1.0]), (10, [0.0, 0.0, HALF, HALF])];
    arm.scaling_keys = vec![(0, [1.0; 3]), (19, [2.0; 3])];
    arm.translation_keys = vec![(0, [4.0, 0.0, 0.0])];
    arm.meshes = vec![(1, moved([0.0, -1.0, 0.0])), (0, moved([0.0, 1.0, 0.0]))];
    let mut hand = Bone::new("hand", Some(1));
    (hand.bone_frame, hand.pass_on) = (10.0, true);
    model.bones = vec![root, arm, hand];
    Ok(model)
}

/// One mesh that is skinned to four bones.
fn skinned(version: Version, weights: u8) -> Result<Model> {
    let mut model = model(version);
    model.frames = 11;
    let mut mesh = mesh("skin", &Shape::torus(8.0, 3.0, 5, 3), &mut model)?;
    mesh.skin_weight_count = weights;
    model.skin_weights = weights;
    let share = 1.0 / (f32::from(weights) + 1.0);
    for vertex in 0..mesh.positions.len() {
        mesh.skin_weights.extend(vec![share; weights.into()]);
        mesh.skin_bones.push([0, 1, (vertex % 4) as u8, 3]);
    }
    mesh.max_bone = 3;
    model.meshes.push(mesh);
    for (number, parent) in [(0u32, None), (1, Some(0)), (2, Some(1)), (3, Some(0))] {
        let mut bone = Bone::new(format!("bone {number}"), parent);
        bone.meshes.push((0, moved([-(number as f32), 0.0, 0.0])));
        bone.translation_keys = vec![(0, [1.0, 0.0, 0.0]), (10, [1.0, number as f32, 0.0])];
        bone.rotation_keys = vec![(0, [0.0, 0.0, 0.0, 1.0]), (10, [0.0, HALF, 0.0, HALF])];
        model.bones.push(bone);
    }
    Ok(model)
}

/// Texture coordinates of every dimension, with a gap, and a name of odd length that misaligns the floats.
fn dimensions(version: Version) -> Result<Model> {
    let mut model = model(version);
    let mut mesh = mesh("dimensions!", &cuboid(), &mut model)?;
    for (set, dimension) in [(1, 1u8), (3, 4), (6, 3), (7, 3)] {
        let values: Vec<f32> = (0..24 * u16::from(dimension)).map(|value| f32::from(value) / 96.0).collect();
        mesh.set_texcoords(set, dimension, &values)?;
    }
    mesh.has_tangents = true;
    model.texcoord_dimensions = mesh.texcoord_dimensions;
    model.meshes.push(mesh);
    Ok(model)
}

/// Shadow geometry: a box without seams.
fn shadow(version: Version) -> Result<Model> {
    let mut model = model(version);
    let mut mesh = mesh("caster", &cuboid(), &mut model)?;
    let corners = (0..8u8).flat_map(|corner| {
        let side = |bit: u8| if corner & bit > 0 { 1.0f32 } else { -1.0 };
        let position = [side(1), side(2), side(4)];
        position.into_iter().chain(position.map(|value| value * 0.577_350_26))
    });
    let triangles = vec![[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]];
    mesh.shadow = Some(Shadow { vertices: corners.flat_map(f32::to_le_bytes).collect(), triangles });
    model.meshes.push(mesh);
    Ok(model)
}

/// Opaque materials before bones. One of them contains bytes that look like the next material.
fn opaque() -> Result<Model> {
    let mut model = rigid(V1)?;
    let mut embedded = Material::new("embedded");
    let inside = b"\x01image$U3D_MAT\0a name\0but no material$U3D_BONE\0\xff\xff";
    embedded.opaque = Some(inside.to_vec());
    model.materials.insert(0, embedded.clone());
    model.materials.push(embedded);
    Ok(model)
}

/// A newer minor version, with longer chunks, unknown chunks and shader packs.
fn newer() -> Result<Model> {
    let mut model = textured(Version::V2 { minor: 1, sub_minor: 3 })?;
    model.extra = b"more".to_vec();
    model.shader_pack = Some(b"the shaders of the model".to_vec());
    model.meshes[0].extra = b"later".to_vec();
    model.materials[0].shader_pack = Some(b"the shaders of the material".to_vec());
    model.materials[0].extra = vec![0; 3];
    model.unknown.push((b"$U3DC_NOTES".to_vec(), b"made by hand".to_vec()));
    model.unknown.push((b"$U3D_FUTURE".to_vec(), Vec::new()));
    Ok(model)
}

/// Two-byte normals in version 2.0.
fn legacy() -> Result<Model> {
    let mut model = model(V2);
    let mut mesh = mesh("legacy", &cuboid(), &mut model)?;
    let (positions, normals) = turn(&cuboid());
    mesh.legacy_normals = true;
    mesh.set_vertices(&positions, &normals, V2)?;
    model.meshes.push(mesh);
    Ok(model)
}
