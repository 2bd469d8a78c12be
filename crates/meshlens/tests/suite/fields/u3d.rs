use meshlens::Model;
use meshlens::u3d::write::{Action, Bone, Lod, Material, Mesh, Model as File, Shadow, Texture};
use meshlens::u3d::{HeaderV1, U3d, Version};

use super::Fate::{Computed, Kept, Lost};
use super::{Change, check, fields, seen};
use crate::model::corpus;

/// A file of the corpus, with one texture in each material.
fn file(name: &str) -> File {
    let mut file = File::try_from(&U3d::parse(&corpus(name)).unwrap()).unwrap();
    for material in &mut file.materials {
        *material = Material { texture_count: 1, ..Material::new("skin") };
        (material.textures[0], material.color_ops[0]) = (Some(Texture::new("a.png")), 4);
    }
    file
}

/// Two frames of a mesh, which are blended.
fn frames() -> File {
    File { vertex_tweening: true, actions: None, ..file("u3d/v2_animated.u3d") }
}

fn frames_v1() -> File {
    File { vertex_tweening: true, ..file("u3d/v1_animated.u3d") }
}

fn levels() -> File {
    file("u3d/v2_levels.u3d")
}

fn levels_v1() -> File {
    file("u3d/v1_levels.u3d")
}

/// A mesh with weights, and actions.
fn skin() -> File {
    let mut file = file("u3d/v2_skinned.u3d");
    file.actions = Some(vec![Action { name: b"nod".into(), first: 0, last: 1 }]);
    file
}

/// A height map after the color.
fn relief() -> File {
    let mut file = frames();
    file.materials[0].textures[1] =
        Some(Texture { is_normal_map: true, height_scalar: 0.5, ..Texture::new("b.png") });
    file
}

/// Sets of 2, 3 and 3 floats: the last two may be tangents.
fn tangents() -> File {
    let mut file = file("u3d/v2_static.u3d");
    file.texcoord_dimensions = [2, 3, 3, 0, 0, 0, 0, 0];
    for mesh in &mut file.meshes {
        mesh.texcoord_dimensions = file.texcoord_dimensions;
        let vertices = mesh.positions.len();
        let sets = mesh.texcoords.as_mut().unwrap();
        sets.iter_mut().for_each(Vec::clear);
        sets[0] = vec![0.5; 2 * vertices];
        (sets[1], sets[2]) = ([1.0, 0.0, 0.0].repeat(vertices), [0.0, 1.0, 0.0].repeat(vertices));
        mesh.has_tangents = true;
    }
    file
}

fn transparent() -> File {
    let mut file = frames_v1();
    file.materials[0].diffuse[3] = 0.5;
    file
}

#[test]
fn every_field_is_kept_or_lost() {
    let mut changes = Vec::new();
    model(&mut changes);
    meshes(&mut changes);
    materials(&mut changes);
    bones(&mut changes);
    check(changes, |file| {
        let bytes = file.write().unwrap();
        let seen = seen(&Model::parse(&bytes).unwrap());
        (bytes, seen)
    });
}

fn model(changes: &mut Vec<Change<File>>) {
    fields!(changes, File {
        version: [frames, Computed, |file| file.version = Version::V2 { minor: 1, sub_minor: 0 }];
        meshes_per_frame: [frames, Computed, |file| file.meshes_per_frame += 1];
        frames: [frames, Computed, |file| file.frames += 1], [skin, Kept, |file| file.frames += 1];
        lods: [levels, Kept, |file| file.lods[0].distance = 3.0];
        vertex_tweening: [frames, Lost("STEPS_LOST"), |file| file.vertex_tweening = false];
        texcoord_dimensions: [frames, Lost("TEXCOORD_DIMENSION_LOST"), |file| {
            file.texcoord_dimensions[1] = 1;
            for mesh in &mut file.meshes {
                let vertices = mesh.positions.len();
                mesh.set_texcoords(1, 1, &vec![0.5; vertices]).unwrap();
            }
        }];
        skin_weights: [skin, Kept, |file| {
            (file.skin_weights, file.meshes[0].skin_weight_count) = (0, 0);
            file.meshes[0].skin_weights.clear();
            file.meshes[0].skin_bones.clear();
        }];
        v1: [frames_v1, Lost("CEL_SHADING_LOST"), |file| file.v1.cel_shading_strength = 0.5];
        shader_pack: [frames, Lost("SHADER_PACK_LOST"), |file| file.shader_pack = Some(vec![1])];
        extra: [frames, Lost("CHUNK_BYTES_LOST"), |file| file.extra.push(1)];
        meshes: [frames, Kept, |file| file.meshes.truncate(1)];
        materials: [frames, Kept, |file| file.materials.push(Material::new("more"))];
        bones: [skin, Kept, |file| file.bones.push(Bone::new("more", None))];
        actions: [skin, Kept, |file| file.actions = None];
        unknown: [frames, Lost("CHUNK_LOST"), |file| file.unknown.push((b"$U3DC_A".into(), vec![]))];
    });
    fields!(changes, Lod {
        // The fraction of triangles, by which version 1.0 finds the meshes of a level.
        fraction: [levels_v1, Computed, |file| {
            let (old, new) = (file.lods[1].fraction, file.lods[1].fraction / 2.0);
            file.lods[1].fraction = new;
            let level = file.meshes.iter_mut().filter(|mesh| mesh.lod_fraction == old);
            level.for_each(|mesh| mesh.lod_fraction = new);
        }];
        distance: [levels_v1, Kept, |file| file.lods[1].distance = 9.0];
    });
    fields!(changes, HeaderV1 {
        file_version: [frames_v1, Computed, |file| file.v1.file_version = 1.5];
        cel_shading_strength: [frames_v1, Lost("CEL_SHADING_LOST"), |file| file.v1.cel_shading_strength = 1.0];
        // Without a strength, there is no outline.
        cel_shading_color: [frames_v1, Computed, |file| file.v1.cel_shading_color = [1.0; 4]];
        alpha_blending: [transparent, Kept, |file| file.v1.alpha_blending = false];
        // The writer writes two bytes.
        lod_count_width: [frames_v1, Computed, |file| (file.v1.lod_count_width, file.v1.file_version) = (4, 1.5)];
    });
    fields!(changes, Action {
        name: [skin, Kept, |file| file.actions.as_mut().unwrap()[0].name = b"bow".into()];
        first: [skin, Kept, |file| file.actions.as_mut().unwrap()[0].first = 1],
            [skin, Lost("CLIP_LOST"), |file| file.actions.as_mut().unwrap()[0].first = 2];
        last: [skin, Kept, |file| file.actions.as_mut().unwrap()[0].last = 0],
            [skin, Lost("CLIP_LOST"), |file| file.actions.as_mut().unwrap()[0].last = 1000];
    });
}

fn meshes(changes: &mut Vec<Change<File>>) {
    fields!(changes, Mesh {
        name: [frames, Kept, |file| file.meshes.iter_mut().for_each(|mesh| mesh.name = b"other".into())],
            [frames, Lost("LATER_FRAME_LOST"), |file| file.meshes[1].name = b"other".into()];
        mesh_in_frame: [frames, Lost("FRAMES_LOST"), |file| file.meshes[1].mesh_in_frame = 1];
        lod_index: [levels, Kept, |file| file.meshes.last_mut().unwrap().lod_index = 0];
        lod_fraction: [levels_v1, Kept, |file| file.meshes.last_mut().unwrap().lod_fraction = 1.0];
        frame: [frames, Kept, |file| {
            (file.meshes[0].frame, file.meshes[1].frame) = (1, 0);
            file.meshes[1].triangles = file.meshes[0].triangles.clone();
        }];
        normal_scalar: [skin, Kept, |file| file.meshes[0].normal_scalar = -1.0];
        has_tangents: [tangents, Lost("TEXCOORD_DIMENSION_LOST"), |file| file.meshes[0].has_tangents = false];
        // The engine's limit for the bones that it copies.
        max_bone: [frames_v1, Computed, |file| file.meshes[0].max_bone = 1];
        uses_texcoord_buffer: [frames_v1, Computed, |file| file.meshes[0].uses_texcoord_buffer ^= true];
        // Another encoding of the same normals.
        legacy_normals: [skin, Kept, |file| {
            file.meshes[0].legacy_normals = true;
            file.meshes[0].normals.fill([0, 0]);
        }];
        positions: [frames, Kept, |file| file.meshes[1].positions[0] = [9.0; 3]];
        normals: [frames, Kept, |file| file.meshes[1].normals[0] = [1000; 2]];
        texcoord_dimensions: [skin, Kept, |file| {
            file.texcoord_dimensions[1] = 2;
            let vertices = file.meshes[0].positions.len();
            file.meshes[0].set_texcoords(1, 2, &vec![0.5; 2 * vertices]).unwrap();
        }];
        texcoords: [skin, Kept, |file| file.meshes[0].texcoords.as_mut().unwrap()[0][0] = 0.75],
            [frames, Lost("LATER_FRAME_LOST"), |file| file.meshes[1].texcoords.as_mut().unwrap()[0][0] = 0.75];
        skin_weight_count: [skin, Kept, |file| {
            (file.skin_weights, file.meshes[0].skin_weight_count) = (0, 0);
            file.meshes[0].skin_weights.clear();
            file.meshes[0].skin_bones.clear();
        }];
        skin_weights: [skin, Kept, |file| file.meshes[0].skin_weights[0] *= 0.5];
        skin_bones: [skin, Kept, |file| file.meshes[0].skin_bones[0].swap(0, 1)];
        triangles: [skin, Kept, |file| file.meshes[0].triangles.as_mut().unwrap().0[0].swap(0, 1)],
            [frames, Lost("LATER_FRAME_LOST"), |file| {
                file.meshes[1].triangles = file.meshes[0].triangles.clone();
                file.meshes[1].triangles.as_mut().unwrap().0[0].swap(0, 1);
            }];
        borrowed_triangles: [frames, Computed, |file| file.meshes[1].borrowed_triangles = 1];
        shadow: [frames, Lost("SHADOW_LOST"), |file| file.meshes[0].shadow = Some(Shadow::default())];
        extra: [frames, Lost("CHUNK_BYTES_LOST"), |file| file.meshes[0].extra.push(1)];
    });
    fields!(changes, Shadow {
        vertices: [frames, Lost("SHADOW_LOST"), |file| {
            file.meshes[0].shadow = Some(Shadow { vertices: vec![0; 24], triangles: vec![] });
        }];
        triangles: [frames, Lost("SHADOW_LOST"), |file| {
            file.meshes[0].shadow = Some(Shadow { vertices: vec![0; 24], triangles: vec![[0; 3]] });
        }];
    });
}

fn materials(changes: &mut Vec<Change<File>>) {
    fields!(changes, Material {
        name: [frames, Kept, |file| file.materials[0].name = b"other".into()];
        ambient: [frames, Lost("MATERIAL_COLORS_LOST"), |file| file.materials[0].ambient = [0.5; 4]];
        diffuse: [frames, Kept, |file| {
            (file.materials[0].diffuse, file.materials[0].ambient) = ([0.5; 4], [0.0; 4]);
        }];
        specular: [frames, Lost("MATERIAL_COLORS_LOST"), |file| file.materials[0].specular = [1.0; 4]];
        emissive: [frames, Kept, |file| file.materials[0].emissive = [1.0; 4]];
        // Without a specular color, there are no highlights.
        specular_power: [frames, Computed, |file| file.materials[0].specular_power = 8.0];
        depth: [frames, Lost("PARALLAX_LOST"), |file| file.materials[0].depth = 0.5];
        // Without a depth, there is no parallax.
        parallax_quality: [frames, Computed, |file| file.materials[0].parallax_quality = 0.5];
        texture_count: [frames_v1, Computed, |file| file.materials[0].texture_count = 2];
        color_ops: [frames, Kept, |file| file.materials[0].color_ops[0] = 5],
            [frames, Lost("COLOR_OPERATION_LOST"), |file| file.materials[0].color_ops[0] = 7],
            // A stage without a texture.
            [frames, Computed, |file| file.materials[0].color_ops[3] = 7];
        texcoord_sets: [tangents, Lost("TEXTURE_SET_LOST"), |file| file.materials[0].texcoord_sets[0] = 7],
            [frames, Kept, |file| file.materials[0].texcoord_sets[0] = 0x1_0000],
            [frames, Lost("TEXTURE_SET_LOST"), |file| file.materials[0].texcoord_sets[0] = 0x2_0000],
            [relief, Lost("TEXTURE_SET_LOST"), |file| file.materials[0].texcoord_sets[1] = 0x1_0000];
        textures: [frames, Kept, |file| file.materials[0].textures[0] = None],
            [frames, Lost("TEXTURE_STAGE_LOST"), |file| {
                file.materials[0].textures[1] = Some(Texture::new("b.png"));
            }];
        opaque: [frames_v1, Lost("MATERIAL_OPAQUE_LOST"), |file| file.materials[0].opaque = Some(vec![1; 9])];
        shader_pack: [frames, Lost("SHADER_PACK_LOST"), |file| file.materials[0].shader_pack = Some(vec![1])];
        extra: [frames, Lost("CHUNK_BYTES_LOST"), |file| file.materials[0].extra.push(1)];
    });
    fields!(changes, Texture {
        // A key of the engine's list of textures.
        identifier: [frames_v1, Computed, |file| texture(file, 0).identifier = b"other".into()];
        width: [frames, Lost("TEXTURE_SIZE_LOST"), |file| texture(file, 0).width = 64];
        height: [frames, Lost("TEXTURE_SIZE_LOST"), |file| texture(file, 0).height = 64];
        is_normal_map: [frames, Kept, |file| texture(file, 0).is_normal_map = true];
        height_scalar: [relief, Kept, |file| texture(file, 1).height_scalar = 0.25],
            [relief, Computed, |file| texture(file, 0).height_scalar = 0.25];
        files: [frames, Kept, |file| texture(file, 0).files = vec![b"b.png".into()]],
            [frames, Lost("TEXTURE_STAGE_LOST"), |file| texture(file, 0).files = vec![b"b.png".into(); 6]];
    });
}

fn texture(file: &mut File, stage: usize) -> &mut Texture {
    file.materials[0].textures[stage].as_mut().unwrap()
}

fn bones(changes: &mut Vec<Change<File>>) {
    fields!(changes, Bone {
        name: [skin, Kept, |file| file.bones[0].name = b"other".into()];
        parent: [skin, Kept, |file| file.bones[1].parent = None];
        bone_frame: [skin, Kept, |file| file.bones[0].bone_frame = 1.0];
        pass_on: [passing, Kept, |file| file.bones[0].pass_on = true];
        meshes: [skin, Kept, |file| file.bones[0].meshes[0].1[3][0] += 1.0],
            [skin, Lost("MATRIX_PROJECTION_LOST"), |file| file.bones[0].meshes[0].1[0][3] = 0.5];
        scaling_keys: [skin, Kept, |file| file.bones[0].scaling_keys = vec![(0, [2.0; 3])]];
        translation_keys: [skin, Kept, |file| file.bones[0].translation_keys = vec![(0, [2.0; 3])]];
        rotation_keys: [skin, Kept, |file| file.bones[0].rotation_keys = vec![(0, [1.0, 0.0, 0.0, 0.0])]];
        extra: [skin, Lost("CHUNK_BYTES_LOST"), |file| file.bones[0].extra.push(1)];
    });
}

/// A root that stays in frame 0, and a child that moves.
fn passing() -> File {
    let mut file = skin();
    file.bones[0].bone_frame = 0.0;
    file.bones[1].translation_keys = vec![(0, [0.0; 3]), (1, [2.0; 3])];
    file
}
