use meshlens::Model;
use meshlens::unigine::write::{Anim, Animation, Bone, Model as File, Surface, Target, name};
use meshlens::unigine::{self, BoundingVolume, Influence, Ranges, Transform, Version};

use super::Fate::{Computed, Kept, Lost};
use super::{Change, check, fields, seen};
use crate::model::corpus;

fn file(name: &str) -> File {
    File::try_from(&unigine::Mesh::parse(&corpus(name)).unwrap()).unwrap()
}

/// Bones, animations and two surfaces with weights.
fn skin() -> File {
    file("unigine/skinned_ms11.mesh")
}

/// Morph targets, two sets of texture coordinates, and colors.
fn morph() -> File {
    file("unigine/morph.mesh")
}

fn ms12() -> File {
    let mut file = file("unigine/box_ms12.mesh");
    file.surfaces[0].lightmap = [0; 2];
    file
}

fn blocks() -> File {
    file("unigine/blocks_raw.mesh")
}

fn an10() -> Anim {
    Anim::from(&unigine::Anim::parse(&corpus("unigine/wave_an10.anim")).unwrap())
}

#[test]
fn every_field_of_a_mesh_is_kept_or_lost() {
    let mut changes = Vec::new();
    model(&mut changes);
    surfaces(&mut changes);
    check(changes, |file| {
        let bytes = file.write().unwrap();
        let seen = seen(&Model::parse(&bytes).unwrap());
        (bytes, seen)
    });
}

#[test]
fn every_field_of_an_animation_is_kept_or_lost() {
    let mut changes: Vec<Change<Anim>> = Vec::new();
    fields!(changes, Anim {
        version: [an10, Kept, |file| {
            let still = [Transform::IDENTITY];
            file.version = Version::An11;
            file.animations = vec![Animation::new(Version::An11, "", &[0], Version::An11.known_flags(), &still).unwrap()];
        }];
        // An animation has no vertices to bound.
        bounds: [an10, Computed, |file| file.bounds = large()];
        bones: [an10, Kept, |file| file.bones[0].name = name("other").unwrap()];
        animations: [an10, Kept, |file| file.animations.clear()];
    });
    fields!(changes, Animation {
        name: [an10, Kept, |file| file.animations[0].name = name("other").unwrap()];
        bones: [an10, Kept, |file| file.animations[0].bones.swap(0, 1)];
        ranges: [an10, Kept, |file| file.animations[0].ranges.as_mut().unwrap().translation_min = [9.0; 3]];
        mask: [an10, Kept, |file| file.animations[0].mask = 0];
        frame_count: [an10, Kept, |file| {
            file.animations[0].frame_count = 0;
            file.animations[0].records.clear();
        }];
        records: [an10, Kept, |file| file.animations[0].records[2] ^= 0x40];
    });
    fields!(changes, Ranges {
        translation_min: [an10, Kept, |file| ranges(file).translation_min = [9.0; 3]];
        translation_size: [an10, Kept, |file| ranges(file).translation_size = [9.0; 3]];
        scale_min: [an10, Kept, |file| ranges(file).scale_min = [9.0; 3]];
        scale_size: [an10, Kept, |file| ranges(file).scale_size = [9.0; 3]];
    });
    check(changes, |file| {
        let bytes = file.write().unwrap();
        let seen = seen(&Model::parse(&bytes).unwrap());
        (bytes, seen)
    });
}

fn ranges(file: &mut Anim) -> &mut Ranges {
    file.animations[0].ranges.as_mut().unwrap()
}

/// Larger than every mesh here.
fn large() -> BoundingVolume {
    let mut volume = morph().bounds;
    volume.bounds.max = [99.0; 3];
    volume
}

fn model(changes: &mut Vec<Change<File>>) {
    fields!(changes, File {
        // Another encoding of the same content.
        version: [ms12, Computed, |file| file.version = Version::Ms13];
        bounds: [skin, Lost("BOUNDS_LOST"), |file| file.bounds = large()];
        // Engines compute trees and the memory that a mesh takes.
        tree_triangles: [blocks, Computed, |file| file.tree_triangles = 8];
        memory_estimate: [blocks, Computed, |file| file.memory_estimate = 1];
        pack: [blocks, Computed, |file| file.pack = true];
        bones: [skin, Kept, |file| file.bones.push(Bone::new("more", None).unwrap())];
        animations: [skin, Kept, |file| file.animations.truncate(1)];
        surfaces: [skin, Kept, |file| file.surfaces.truncate(1)];
    });
    fields!(changes, BoundingVolume {
        bounds: [morph, Lost("BOUNDS_LOST"), |file| file.surfaces[0].bounds.bounds.max = [99.0; 3]];
        center: [morph, Lost("BOUNDS_LOST"), |file| file.surfaces[0].bounds.center = [99.0; 3]];
        radius: [morph, Lost("BOUNDS_LOST"), |file| file.surfaces[0].bounds.radius = 99.0];
    });
    fields!(changes, Bone {
        name: [skin, Kept, |file| file.bones[0].name = name("other").unwrap()];
        parent: [skin, Kept, |file| file.bones[1].parent = None];
        transform: [skin, Kept, |file| file.bones[0].transform.position = [9.0; 3]];
    });
    fields!(changes, Transform {
        position: [skin, Kept, |file| file.bones[1].transform.position = [9.0; 3]];
        rotation: [skin, Kept, |file| file.bones[1].transform.rotation = [1.0, 0.0, 0.0, 0.0]];
        scale: [skin, Kept, |file| file.bones[1].transform.scale = [9.0; 3]];
    });
}

fn surfaces(changes: &mut Vec<Change<File>>) {
    fields!(changes, Surface {
        name: [morph, Kept, |file| file.surfaces[0].name = name("other").unwrap()];
        lightmap: [ms12, Lost("LIGHTMAP_LOST"), |file| file.surfaces[0].lightmap = [1, 0]];
        bounds: [morph, Lost("BOUNDS_LOST"), |file| file.surfaces[0].bounds = large()];
        targets: [morph, Kept, |file| file.surfaces[0].targets.swap(1, 2)];
        weights: [skin, Kept, |file| file.surfaces[0].weights.clear()];
        texcoords0: [morph, Kept, |file| file.surfaces[0].texcoords0[0] = [9.0; 2]];
        texcoords1: [morph, Kept, |file| file.surfaces[0].texcoords1[0] = [9.0; 2]];
        colors: [morph, Kept, |file| file.surfaces[0].colors[0] = [9; 4]];
        coordinate_indices: [morph, Kept, |file| file.surfaces[0].coordinate_indices.swap(0, 1)];
        triangle_indices: [morph, Kept, |file| file.surfaces[0].triangle_indices.swap(0, 1)];
        // Engines compute edges and trees from the triangles.
        edges: [blocks, Computed, |file| file.surfaces[0].edges[0] = 5];
    });
    fields!(changes, Target {
        name: [morph, Kept, |file| file.surfaces[0].targets[1].name = name("other").unwrap()];
        positions: [morph, Kept, |file| file.surfaces[0].targets[1].positions[0] = [0.0; 3]];
        tangents: [morph, Kept, |file| file.surfaces[0].targets[1].tangents[0] = [0, 0, 0, 32767]];
    });
    fields!(changes, Influence {
        count: [skin, Kept, |file| file.surfaces[0].weights[0].count = 0];
        bones: [skin, Kept, |file| file.surfaces[0].weights[0].bones[0] = 1];
        weights: [skin, Kept, |file| {
            let several = file.surfaces[0].weights.iter_mut().find(|weights| weights.count > 1);
            several.unwrap().weights[0] /= 2;
        }];
    });
}
