//! Findings about irregular content.

use meshlens_unigine::write::{Anim, Animation, Model, Surface, name};
use meshlens_unigine::{Transform, Version};

use super::limits::{BOUNDS, COLORS, COORDINATES, TEXCOORDS, TRACK, WEIGHTS, anim, bytes, codes, mesh, with};

#[test]
fn every_irregularity_of_a_model_has_its_code() {
    type Change = fn(&mut Model);
    let cases: &[(&str, Change)] = &[
        ("NAME_TRAILING_BYTES", |mesh| mesh.bones[0].name = b"root\0x\0".to_vec()),
        ("DUPLICATE_BONE_NAME", |mesh| mesh.bones[1].name = name("root").unwrap()),
        ("PARENT_AFTER_CHILD", |mesh| (mesh.bones[0].parent, mesh.bones[1].parent) = (Some(1), None)),
        ("BONE_NOT_FINITE", |mesh| mesh.bones[0].transform.scale[1] = f32::NAN),
        ("BONE_ROTATION_NOT_UNIT", |mesh| mesh.bones[0].transform.rotation = [0.0, 0.0, 0.0, 1.1]),
        ("BOUNDS_NOT_FINITE", |mesh| mesh.bounds.radius = f32::INFINITY),
        ("BOUNDS_INVERTED", |mesh| mesh.bounds.bounds.min[0] = 2.0),
        ("BOUNDS_EXCEEDED", |mesh| mesh.surfaces[0].bounds.bounds.max[0] = 0.9),
        ("NO_SURFACES", |mesh| mesh.surfaces.clear()),
        ("SURFACE_EMPTY", |mesh| mesh.surfaces.push(Surface::new("empty").unwrap())),
        ("NO_MORPH_TARGETS", |mesh| {
            let mut none = Surface::new("none").unwrap();
            none.targets.clear();
            mesh.surfaces.push(none);
        }),
        ("DUPLICATE_SURFACE_NAME", |mesh| mesh.surfaces.push(mesh.surfaces[0].clone())),
        ("POSITION_NOT_FINITE", |mesh| mesh.surfaces[0].targets[0].positions[1][2] = f32::NAN),
        ("TANGENT_W_ZERO", |mesh| mesh.surfaces[0].targets[0].tangents[2] = [0, 0, 32767, 0]),
        ("TANGENT_NOT_UNIT", |mesh| mesh.surfaces[0].targets[0].tangents[2] = [0, 0, 0, 30000]),
        ("TEXCOORD_NOT_FINITE", |mesh| mesh.surfaces[0].texcoords0[1][0] = f32::NEG_INFINITY),
        ("VERTEX_WITHOUT_BONES", |mesh| mesh.surfaces[0].weights[0].count = 0),
        ("WEIGHT_SUM", |mesh| mesh.surfaces[0].weights[0].weights[0] = 65531),
        ("TRIANGLE_DEGENERATE", |mesh| mesh.surfaces[0].coordinate_indices[1] = 0),
        ("ANIMATION_EMPTY", |mesh| {
            mesh.animations[0].frame_count = 0;
            mesh.animations[0].records.clear();
        }),
        ("ANIMATION_BONE_TWICE", |mesh| {
            mesh.animations[0] =
                Animation::new(Version::Ms11, "two", &[1, 1], 0x7f, &[Transform::IDENTITY; 2]).unwrap();
        }),
        ("MASK_UNKNOWN_BITS", |mesh| mesh.animations[0].mask = 0xff),
        ("RECORD_UNKNOWN_BITS", |mesh| mesh.animations[0].records[0] = 0xff),
        ("RECORD_OUTSIDE_MASK", |mesh| mesh.animations[0].mask = 0x7e),
        ("FIRST_FRAME_INCOMPLETE", |mesh| {
            mesh.animations[0].records.drain(29..33);
            mesh.animations[0].records[0] = 0x3f;
        }),
        ("RECORD_NOT_FINITE", |mesh| {
            mesh.animations[0].records[1..5].copy_from_slice(&f32::NAN.to_le_bytes())
        }),
    ];
    for (code, change) in cases {
        let mut mesh = mesh(Version::Ms11);
        change(&mut mesh);
        let bytes = mesh.write().unwrap_or_else(|error| panic!("{code}: {error}"));
        // Some changes violate more than one rule.
        let mut found = codes(&bytes);
        found.dedup();
        assert!(found.contains(code) && found.len() <= 2, "{code}: {found:?}");
    }
}

#[test]
fn every_irregularity_of_bytes_has_its_code() {
    let mut bytes = bytes();
    bytes.push(0);
    assert_eq!(codes(&bytes), ["TRAILING_BYTES"]);
    assert_eq!(codes(&with(WEIGHTS, 1, &[0x83, 0x00])), ["COMPACT_NOT_MINIMAL"]);
    assert_eq!(codes(&with(WEIGHTS + 1 + 1, 2, &[2, 0])), ["WEIGHT_BONE"]);
    assert_eq!(codes(&with(WEIGHTS, 6, &[2])), ["WEIGHT_COUNT"]);
    assert_eq!(codes(&with(TEXCOORDS, 9, &[2])), ["TEXCOORD_COUNT"]);
    assert_eq!(codes(&with(COLORS, 1, &[1, 9, 9, 9, 9])), ["COLOR_COUNT"]);
    assert_eq!(codes(&with(COORDINATES, 4, &[2, 0, 1])), ["INDEX_COUNTS"]);
    assert_eq!(codes(&with(COORDINATES, 8, &[2, 0, 1, 2, 0, 1])), ["INDEX_COUNT_NOT_TRIPLE"]);
    assert_eq!(codes(&with(TRACK + 1, 2, &[2, 0])), ["ANIMATION_BONE"]);
    // A second morph target without vertices.
    let mut bytes = with(WEIGHTS, 0, &[0, 0]);
    bytes.splice(BOUNDS + 40..BOUNDS + 43, [2, 1, 0, 1, 0]);
    assert_eq!(codes(&bytes), ["MORPH_TARGET_COUNT"]);

    let mut none = Anim::new(Version::An10);
    assert_eq!(codes(&none.write().unwrap()), ["NO_ANIMATIONS"]);
    none = anim(Version::An10);
    none.animations[0].ranges.as_mut().unwrap().translation_size[2] = f32::NAN;
    let found = codes(&none.write().unwrap());
    assert_eq!(found, ["RANGE_NOT_FINITE", "RECORD_NOT_FINITE", "RECORD_NOT_FINITE"]);
}

#[test]
fn vertices_without_triangles_are_removed() {
    for version in [Version::Ms10, Version::Ms11, Version::Ms13, Version::Ms14] {
        let mut mesh = mesh(version);
        let surface = &mut mesh.surfaces[0];
        // A position with its weight, and a corner with its tangent frame and its texture coordinate.
        surface.targets[0].positions.insert(0, [0.5, 0.5, 0.0]);
        surface.weights.insert(0, surface.weights[0]);
        surface.coordinate_indices.iter_mut().for_each(|index| *index += 1);
        surface.targets[0].tangents.push([0, 0, 0, 1]);
        surface.texcoords0.push([0.5; 2]);
        let bytes = mesh.write().unwrap();
        // The tree of triangles of ms14 may count vertices.
        let found = codes(&bytes).contains(&"VERTEX_UNUSED");
        assert_eq!(found, version != Version::Ms14, "{version:?}");
        mesh.mend();
        let whole = self::mesh(version);
        assert_eq!(mesh.surfaces == whole.surfaces, version != Version::Ms14, "{version:?}");
    }
}

#[test]
fn mended_bounds_hold_the_positions_that_are_finite() {
    let mut mesh = mesh(Version::Ms11);
    let surface = &mut mesh.surfaces[0];
    let whole = surface.bounds.bounds;
    surface.targets[0].positions[0] = [f32::INFINITY, f32::NAN, 0.0];
    mesh.mend();
    assert_eq!(mesh.surfaces[0].bounds.bounds, whole, "nothing else is outside");
    mesh.surfaces[0].targets[0].positions[1] = [1e3, 0.0, 0.0];
    mesh.bounds.radius = f32::NAN;
    mesh.mend();
    let surface = &mesh.surfaces[0];
    assert!(surface.bounds.is_finite() && mesh.bounds.is_finite());
    assert_eq!((surface.bounds.bounds.max[0], mesh.bounds.bounds.max[0]), (1e3, 1e3));
}
