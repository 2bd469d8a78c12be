//! Findings about irregular content.

use meshlens_md3::Md3;
use meshlens_md3::write::{Frame, Model, Surface, Tag, name};

use super::limits::{SURFACE, codes, model};

type Change = fn(&mut Model);

/// Asserts that each change of the model leads to one finding.
fn assert_codes(cases: &[(&str, Change)]) {
    for (code, change) in cases {
        let mut model = model();
        change(&mut model);
        let bytes = model.write().unwrap();
        assert_eq!(codes(&bytes), [*code]);
    }
}

#[test]
fn every_irregularity_of_surfaces_and_frames_has_its_code() {
    assert_codes(&[
        ("NAME_EMPTY", |model| model.name = [0; 64]),
        ("NAME_UNTERMINATED", |model| model.name = [b'x'; 64]),
        ("NAME_TRAILING_BYTES", |model| model.surfaces[0].name[63] = 1),
        ("FLAGS_SET", |model| model.flags = 9),
        ("FLAGS_SET", |model| model.surfaces[0].flags = -1),
        ("SKINS_ANNOUNCED", |model| model.skin_count = 1),
        ("NO_SHADERS", |model| model.surfaces[0].shaders.clear()),
        ("NO_SURFACES", |model| model.surfaces.clear()),
        ("SURFACE_EMPTY", |model| {
            let mut empty = Surface::new("empty").unwrap();
            empty.add_shader("a.tga").unwrap();
            empty.frame_count = 2;
            model.surfaces.push(empty);
        }),
        ("SURFACE_FRAME_COUNT", |model| {
            model.surfaces[0].frame_count = 1;
            model.surfaces[0].vertices.truncate(3);
        }),
        ("FRAME_BOUNDS_EXCEEDED", |model| model.frames[1].bounds.max[0] = 7.9),
        ("FRAME_BOUNDS_INVERTED", |model| model.frames[1].bounds.min[0] = 9.0),
        // The farthest vertex is 8 from the origin.
        ("FRAME_RADIUS_EXCEEDED", |model| model.frames[1].radius = 7.9),
        ("TEXCOORD_OUTSIDE", |model| model.surfaces[0].texcoords[1][0] = 1.5),
        ("TEXCOORD_NOT_FINITE", |model| model.surfaces[0].texcoords[1][0] = f32::NAN),
        ("DUPLICATE_SURFACE_NAME", |model| {
            let mut copy = model.surfaces[0].clone();
            copy.name = name("TRIANGLE").unwrap();
            model.surfaces.push(copy);
        }),
    ]);
}

#[test]
fn every_irregularity_of_tags_has_its_code() {
    assert_codes(&[
        ("DUPLICATE_TAG_NAME", |model| {
            model.tags = model.tags.iter().flat_map(|tag| [tag.clone(), tag.clone()]).collect();
            model.tags_per_frame = 2;
        }),
        ("TAG_NAME_CHANGES", |model| model.tags[1].name = name("tag_y").unwrap()),
        ("TAG_NOT_FINITE", |model| model.tags[1].origin[0] = f32::INFINITY),
        ("TAG_AXIS_NOT_UNIT", |model| model.tags[1].axis[0] = [1.5, 0.0, 0.0]),
        ("TAG_AXIS_LEFT_HANDED", |model| model.tags[1].axis[0] = [-1.0, 0.0, 0.0]),
        ("LIMIT_TAGS", |model| {
            let tags = |frame: usize| (0..17).map(move |i| (frame, i));
            let all = (0..2).flat_map(tags).map(|(frame, i)| Tag {
                name: name(&format!("tag_{i}")).unwrap(),
                ..model.tags[frame].clone()
            });
            model.tags = all.collect();
            model.tags_per_frame = 17;
        }),
    ]);
}

#[test]
fn every_irregularity_of_shaders_and_triangles_has_its_code() {
    assert_codes(&[
        ("SHADER_PATH_BACKSLASH", |model| model.surfaces[0].shaders[0].0 = name("a\\b.tga").unwrap()),
        ("SHADER_PATH_SLASH", |model| model.surfaces[0].shaders[0].0 = name("/a/b.tga").unwrap()),
        ("SHADER_PATH_ABSOLUTE", |model| model.surfaces[0].shaders[0].0 = name("c:/b.tga").unwrap()),
        ("SHADER_NO_EXTENSION", |model| model.surfaces[0].shaders[0].0 = name("a.b/c").unwrap()),
        ("SHADER_NAME_EMPTY", |model| model.surfaces[0].shaders[0].0 = name("").unwrap()),
        ("TRIANGLE_DEGENERATE", |model| model.surfaces[0].triangles.push([0, 1, 0])),
        ("LIMIT_SHADERS", |model| {
            let shader = |number: usize| (name(&format!("{number}.tga")).unwrap(), 0);
            model.surfaces[0].shaders = (0..257).map(shader).collect();
        }),
    ]);
}

#[test]
fn exceeding_documented_limits_is_a_finding() {
    let sized = |vertices: usize, triangles: usize, frames: usize, surfaces: usize| {
        let mut model = Model::new("sized").unwrap();
        model.frames = vec![Frame::named("frame").unwrap(); frames];
        for index in 0..surfaces {
            let mut surface = Surface::new(&format!("surface_{index}")).unwrap();
            surface.add_shader("shader.tga").unwrap();
            surface.texcoords = vec![[0.5; 2]; vertices];
            let corner = |number: usize| (number % vertices) as u32;
            surface.triangles =
                (0..triangles).map(|at| [0, 1, 2].map(|next| corner(3 * at + next))).collect();
            for _ in 0..frames {
                surface.add_frame(&vec![[0.0; 3]; vertices], &vec![[0.0, 0.0, 1.0]; vertices]).unwrap();
            }
            model.surfaces.push(surface);
        }
        codes(&model.write().unwrap())
    };
    assert_eq!(sized(999, 1999, 1, 32), [""; 0]);
    assert_eq!(sized(1000, 334, 1, 1), ["ENGINE_LIMIT_VERTICES"]);
    assert_eq!(sized(3, 2000, 1, 1), ["ENGINE_LIMIT_TRIANGLES"]);
    assert_eq!(sized(4096, 1366, 1, 1), ["ENGINE_LIMIT_VERTICES"]);
    assert_eq!(sized(4097, 1366, 1, 1), ["LIMIT_VERTICES", "ENGINE_LIMIT_VERTICES"]);
    assert_eq!(sized(3, 8192, 1, 1), ["ENGINE_LIMIT_TRIANGLES"]);
    assert_eq!(sized(3, 8193, 1, 1), ["LIMIT_TRIANGLES", "ENGINE_LIMIT_TRIANGLES"]);
    assert_eq!(sized(3, 1, 1024, 1), [""; 0]);
    assert_eq!(sized(3, 1, 1025, 1), ["LIMIT_FRAMES"]);
    assert_eq!(sized(3, 1, 1, 33), ["LIMIT_SURFACES"]);
    assert_eq!(sized(3, 1, 0, 1), ["NO_FRAMES"]);
}

#[test]
fn blocks_in_another_order_and_bytes_after_the_end() {
    let mut bytes = model().write().unwrap();
    bytes.push(0);
    assert_eq!(codes(&bytes), ["TRAILING_BYTES"]);
    bytes.pop();
    let end = bytes.len() as i32 - 8;
    bytes[104..108].copy_from_slice(&end.to_le_bytes());
    assert_eq!(codes(&bytes), ["DATA_BEHIND_EOF"]);

    // Triangles (12 bytes) before the shader (68 bytes).
    let mut bytes = model().write().unwrap();
    let (shader, triangle) = (SURFACE + 108, SURFACE + 108 + 68);
    bytes[shader..triangle + 12].rotate_right(12);
    bytes[SURFACE + 88..SURFACE + 92].copy_from_slice(&108i32.to_le_bytes());
    bytes[SURFACE + 92..SURFACE + 96].copy_from_slice(&120i32.to_le_bytes());
    assert_eq!(codes(&bytes), ["BLOCK_ORDER"]);
    let md3 = Md3::parse(&bytes).unwrap();
    assert_eq!(Model::try_from(&md3).unwrap(), model());
}

#[test]
fn a_surface_without_identifier_and_frames_has_those_of_the_model() {
    let plain = model().write().unwrap();
    for at in [SURFACE, SURFACE + 72] {
        let mut bytes = plain.clone();
        bytes[at..at + 4].fill(0);
        assert_eq!(codes(&bytes), ["SURFACE_HEADER_UNSET"], "{at}");
        let (md3, whole) = (Md3::parse(&bytes).unwrap(), Md3::parse(&plain).unwrap());
        let surface = |md3: &Md3<'_>| md3.surface(0).unwrap().vertex_bytes(1).unwrap().to_vec();
        assert_eq!(surface(&md3), surface(&whole));
        assert_eq!(Model::try_from(&md3).unwrap().write().unwrap(), plain, "a rewrite sets them");
    }
}

#[test]
fn vertices_without_triangles_are_removed() {
    let mut model = model();
    let surface = &mut model.surfaces[0];
    let (texcoords, vertices) = (surface.texcoords.clone(), surface.vertices.clone());
    // The first, and one between the others, in each frame.
    for at in [0, 2] {
        surface.texcoords.insert(at, [0.5; 2]);
    }
    let count = texcoords.len();
    surface.vertices.clear();
    for frame in vertices.chunks(count) {
        surface.vertices.extend([&frame[..1], &frame[..1], &frame[..1], &frame[1..]].concat());
    }
    surface.triangles[0] = surface.triangles[0].map(|corner| if corner == 0 { 1 } else { corner + 2 });
    let bytes = model.write().unwrap();
    assert_eq!(codes(&bytes), ["VERTEX_UNUSED"]);
    // A shader may draw every four vertices as a sprite.
    model.mend(&[0]);
    assert_eq!(model.write().unwrap(), bytes);
    model.mend(&[]);
    let surface = &model.surfaces[0];
    assert_eq!((&surface.texcoords, &surface.vertices), (&texcoords, &vertices));
    assert_eq!(model.write().unwrap(), self::model().write().unwrap());
    // Points alone may be meant.
    model.surfaces[0].triangles.clear();
    assert!(!codes(&model.write().unwrap()).contains(&"VERTEX_UNUSED"));
}

#[test]
fn shaders_that_repeat_the_only_one_are_removed() {
    let mut model = model();
    let first = model.surfaces[0].shaders[0];
    model.surfaces[0].shaders.push(first);
    assert_eq!(codes(&model.write().unwrap()), ["SHADER_REPEATED"]);
    model.mend(&[]);
    assert_eq!(model, self::model());
    // A game may choose the second of three.
    model.surfaces[0].shaders = vec![first, (name("other.tga").unwrap(), 0), first];
    assert_eq!(codes(&model.write().unwrap()), [""; 0]);
}
