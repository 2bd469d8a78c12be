//! Plans, compared with the content of the files.

use std::collections::BTreeMap;

use meshlens::Document;
use meshlens::lens::Semantic;
use meshlens_stream::{FileRange, Part, Plan};

use crate::common::{file, models, slices};

fn ranges(plan: &Plan, part: Part) -> Vec<FileRange> {
    plan.part(part).map(|part| part.ranges().to_vec()).unwrap_or_default()
}

fn at(start: u64, end: u64) -> FileRange {
    FileRange { file: 0, start, end }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()).into()
}

#[test]
fn the_parts_of_an_md3_have_the_ranges_of_its_headers() {
    let bytes = file("md3/animated.md3");
    let plan = Plan::of(&[&bytes]).unwrap();
    // MD3: OFS_FRAMES at 92, OFS_SURFACES at 100; in a surface, NUM_VERTS at 80, OFS_TRIANGLES at 88, OFS_ST at 96,
    // OFS_XYZNORMAL at 100.
    let (frames, surface) = (word(&bytes, 92), word(&bytes, 100));
    let field = |at: usize| word(&bytes, surface as usize + at);
    let (vertices, triangles) = (field(80), field(84));
    assert_eq!(ranges(&plan, Part::Header), [at(0, 108), at(surface, surface + 108)]);
    assert_eq!(ranges(&plan, Part::Bounds), [at(frames, frames + 56)]);
    let indices = surface + field(88);
    assert_eq!(ranges(&plan, Part::Indices { mesh: 0 }), [at(indices, indices + 12 * triangles)]);
    let texcoords = surface + field(96);
    assert_eq!(ranges(&plan, Part::Texcoords { mesh: 0 }), [at(texcoords, texcoords + 8 * vertices)]);
    let frame = surface + field(100) + 2 * 8 * vertices;
    let third = plan.part(Part::Frame { mesh: 0, frame: 2 }).unwrap();
    assert_eq!(third.ranges(), [at(frame, frame + 8 * vertices)]);
    assert_eq!((third.stored_size(), third.decoded_size()), (8 * vertices, 24 * vertices));
    let whole = plan.part(Part::Whole).unwrap();
    assert_eq!((whole.ranges(), whole.stored_size()), (&[at(0, bytes.len() as u64)][..], bytes.len() as u64));
    for absent in
        [Part::Skeleton, Part::Clip { clip: 0 }, Part::Weights { mesh: 0 }, Part::Colors { mesh: 0 }]
    {
        assert_eq!(plan.part(absent), None);
    }
    assert_eq!(plan.part(Part::Indices { mesh: 1 }), None);
    assert_eq!(plan.part(Part::Frame { mesh: 0, frame: word(&bytes, 76) as u32 }), None);
}

#[test]
fn a_mesh_has_everything_that_its_buffers_need() {
    let bytes = file("unigine/skinned_ms11.mesh");
    let plan = Plan::of(&[&bytes]).unwrap();
    let mesh = plan.part(Part::Mesh { mesh: 0, frame: 0 }).unwrap();
    let mut one_by_one = 0;
    for part in plan.parts().filter(|part| part.mesh() == Some(0)) {
        let part = plan.part(part).unwrap();
        one_by_one += part.decoded_size();
        for range in part.ranges() {
            let is_inside = |whole: &FileRange| whole.start <= range.start && range.end <= whole.end;
            assert!(mesh.ranges().iter().any(is_inside), "{}", part.part());
        }
    }
    assert_eq!(mesh.decoded_size(), one_by_one);
    assert_eq!(mesh.needs(), [Part::Skeleton]);
    assert_eq!(plan.part(Part::Lod { lod: 0 }).unwrap().decoded_size(), {
        let meshes = (0..plan.mesh_count() as u32).map(|mesh| plan.part(Part::Mesh { mesh, frame: 0 }));
        meshes.flatten().map(|mesh| mesh.decoded_size()).sum::<u64>()
    });
}

#[test]
fn levels_of_detail_are_separate_parts() {
    for name in ["u3d/v1_levels.u3d", "u3d/v2_levels.u3d"] {
        let bytes = file(name);
        let plan = Plan::of(&[&bytes]).unwrap();
        assert!(plan.lod_count() > 1, "{name}");
        let sizes: Vec<u64> = (0..plan.lod_count() as u32)
            .map(|lod| plan.part(Part::Lod { lod }).map_or(0, |part| part.stored_size()))
            .collect();
        assert!(sizes.windows(2).all(|pair| pair[0] > pair[1] && pair[1] > 0), "{name}: {sizes:?}");
        let coarsest = Part::Lod { lod: plan.lod_count() as u32 - 1 };
        let bounds = plan.part(Part::Bounds).unwrap();
        let is_of_coarsest = |range: &FileRange| {
            ranges(&plan, coarsest).iter().any(|whole| whole.start <= range.start && range.end <= whole.end)
        };
        assert!(
            bounds.ranges().iter().all(is_of_coarsest),
            "{name}: bounds are computed from the least bytes"
        );
    }
}

#[test]
fn the_parts_of_a_pair_are_in_both_files() {
    let (_, files) = models().into_iter().find(|(_, files)| files.len() == 2).unwrap();
    let plan = Plan::of(&slices(&files)).unwrap();
    assert_eq!(plan.file_lens(), [files[0].len() as u64, files[1].len() as u64]);
    let header = ranges(&plan, Part::Header);
    assert_eq!(header, [at(0, 48), FileRange { file: 1, start: 0, end: 4 }]);
    let mesh = ranges(&plan, Part::Mesh { mesh: 0, frame: 0 });
    assert_eq!(mesh.iter().map(|range| (range.file, range.start)).collect::<Vec<_>>(), [(0, 48), (1, 4)]);
}

/// For each kind of array, the number of bytes that all arrays decode to, according to the lenses.
fn decoded(document: &Document<'_>) -> BTreeMap<&'static str, u64> {
    let mut sizes = BTreeMap::new();
    for array in document.arrays().filter(|array| !array.is_part) {
        // In Ultimate 3D, later frames may repeat data that the model only takes from frame 0.
        let is_of_frames = matches!(
            array.semantic,
            Semantic::Position | Semantic::Normal | Semantic::PositionNormal | Semantic::TangentFrame
        );
        if array.frame > 0 && !is_of_frames {
            continue;
        }
        let kind = match array.semantic {
            Semantic::Position | Semantic::Normal | Semantic::PositionNormal | Semantic::TangentFrame => {
                "frame"
            }
            Semantic::Texcoord => "texcoords",
            Semantic::Color => "colors",
            Semantic::Joints | Semantic::Weights => "weights",
            Semantic::Triangles | Semantic::Indices | Semantic::PointIndices => "indices",
            // In Unreal, these are also the materials of the model.
            Semantic::Materials | Semantic::TriangleType => "indices",
            semantic if semantic.name().starts_with("shadow") => continue,
            _ => "clip",
        };
        *sizes.entry(kind).or_default() +=
            array.lens.len() as u64 * array.lens.format().value().size() as u64;
    }
    sizes
}

#[test]
fn decoded_sizes_equal_those_of_the_lenses() {
    for (name, files) in models() {
        let files = slices(&files);
        let plan = Plan::of(&files).unwrap();
        let document = match files[..] {
            [file] => Document::parse(file).unwrap(),
            _ => Document::parse_pair(files[0], files[1]).unwrap(),
        };
        let mut planned: BTreeMap<&str, u64> = BTreeMap::new();
        for part in plan.parts() {
            let kind = match part.kind() {
                // This is stored with the mesh, but not as an array that a lens can decode.
                "weights" | "clip" if name.contains("unigine") => continue,
                "header" | "bounds" | "skeleton" | "tags" | "names" | "materials" => continue,
                kind => kind,
            };
            *planned.entry(kind).or_default() += plan.part(part).unwrap().decoded_size();
        }
        let mut expected = decoded(&document);
        if expected.is_empty() && plan.version() == "ms14" {
            // Packed geometry only has lenses after it is unpacked.
            continue;
        }
        expected.retain(|_, size| *size > 0);
        planned.retain(|_, size| *size > 0);
        assert_eq!(planned, expected, "{name}");
    }
}

#[test]
fn the_version_is_known_with_missing_parts() {
    for (name, files) in models() {
        let files = slices(&files);
        let plan = Plan::of(&files).unwrap();
        let document = match files[..] {
            [file] => Document::parse(file).unwrap(),
            _ => Document::parse_pair(files[0], files[1]).unwrap(),
        };
        assert_eq!((plan.format(), plan.version()), (document.format(), document.version()), "{name}");
    }
}
