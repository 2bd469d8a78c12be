//! Mended files: what is gone, what stays, and what is refused.

use meshlens::Document;
use meshlens::fix::{FixOptions, Fixed, fix, is_mended};
use meshlens::md3::Md3;
use meshlens::md3::write::{Model, sample};
use meshlens::unreal::write as unreal;
use meshlens_testkit::real;

/// A triangle in two frames.
fn model() -> Model {
    let mut model = Model::try_from(&Md3::parse(&sample(&[8.0, 4.0]).unwrap()).unwrap()).unwrap();
    model.recompute_bounds();
    model
}

fn fixed(bytes: &[u8]) -> Fixed {
    fix(&Document::parse(bytes).unwrap(), &FixOptions::default()).unwrap()
}

fn mended(fixed: &Fixed) -> Vec<(&'static str, u64)> {
    fixed.mended.iter().map(|group| (group.code.name, group.findings)).collect()
}

#[test]
fn the_spheres_of_frames_hold_their_vertices() {
    let mut model = model();
    let whole = model.write().unwrap();
    assert_eq!(mended(&fixed(&whole)), []);
    assert_eq!(fixed(&whole).files, std::slice::from_ref(&whole));
    model.frames[0].radius = 0.0;
    model.frames[1].radius = 0.0;
    let fixed = fixed(&model.write().unwrap());
    assert_eq!(mended(&fixed), [("FRAME_RADIUS_EXCEEDED", 2)]);
    let md3 = Md3::parse(&fixed.files[0]).unwrap();
    // The corners of the bounds, from the origin.
    let radii: Vec<f32> = md3.frames().map(|frame| frame.radius).collect();
    let corners: Vec<f32> = md3.frames().map(|frame| frame.bounds.radius_from(frame.local_origin)).collect();
    assert_eq!(radii, corners);
    assert!(radii[0] >= 8.0 && radii[1] >= 4.0, "{radii:?}");
}

#[test]
fn surfaces_are_split_at_the_numbers_that_were_asked_for() {
    let mut model = model();
    let first = model.surfaces[0].triangles[0];
    model.surfaces[0].triangles = vec![first; 2000];
    let bytes = model.write().unwrap();
    let surfaces = |limits| {
        let mut options = FixOptions::default();
        options.surface_limits = limits;
        let fixed = fix(&Document::parse(&bytes).unwrap(), &options).unwrap();
        let names = mended(&fixed).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        (Md3::parse(&fixed.files[0]).unwrap().surface_count(), names)
    };
    assert_eq!(surfaces(None), (2, vec!["ENGINE_LIMIT_TRIANGLES"]));
    assert_eq!(surfaces(Some((1000, 2000))), (1, vec![]));
    assert_eq!(surfaces(Some((1000, 500))), (4, vec!["ENGINE_LIMIT_TRIANGLES"]));
}

#[test]
fn normals_that_are_missing_are_computed_and_others_stay() {
    // Two faces of a roof, clockwise from above and from the front.
    let mut model = model();
    let surface = &mut model.surfaces[0];
    surface.texcoords = vec![[0.5; 2]; 6];
    surface.triangles = vec![[0, 1, 2], [3, 4, 5]];
    (surface.frame_count, surface.vertices) = (0, Vec::new());
    let roof = [[0.0; 3], [0.0, 8.0, 0.0], [8.0, 0.0, 0.0], [0.0; 3], [8.0, 0.0, 0.0], [0.0, 0.0, 8.0]];
    for _ in 0..2 {
        surface.add_frame(&roof, &[[0.0, 0.0, 1.0]; 6]).unwrap();
    }
    model.recompute_bounds();
    let fixed = fixed(&model.write().unwrap());
    assert_eq!(mended(&fixed), [("NORMALS_EQUAL", 1)]);
    let md3 = Md3::parse(&fixed.files[0]).unwrap();
    let normals: Vec<[f32; 3]> = md3.surface(0).unwrap().normals(1).unwrap().iter().collect();
    let is_near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.03);
    // The second vertex belongs to the first face alone, the last one to the second face.
    assert!(is_near(normals[1], [0.0, 0.0, 1.0]), "{:?}", normals[1]);
    assert!(is_near(normals[5], [0.0, 1.0, 0.0]), "{:?}", normals[5]);
    // The edge between them is smooth.
    let half = 0.5f32.sqrt();
    assert!(is_near(normals[0], [0.0, half, half]), "{:?}", normals[0]);
    assert_eq!(normals[0], normals[3]);
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let mut bytes = model().write().unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    let triangle = md3.surface(0).unwrap().parts().triangles().offset() as usize;
    bytes[triangle..triangle + 4].copy_from_slice(&3i32.to_le_bytes());
    let error = fix(&Document::parse(&bytes).unwrap(), &FixOptions::default()).unwrap_err();
    assert!(error.to_string().contains("vertex 3"), "{error}");
}

#[test]
fn the_sizes_in_an_unreal_pair_are_mended() {
    let read =
        |name: &str| std::fs::read(real::workspace_root().join("corpus/unreal/Models").join(name)).unwrap();
    for (name, code) in [
        ("mistaken_size", "FRAME_SIZE_MISTAKEN"),
        ("mistaken_count", "VERTEX_COUNT_MISTAKEN"),
        ("padded", "FRAME_PADDED"),
    ] {
        let (geometry, frames) = (read(&format!("{name}_d.3d")), read(&format!("{name}_a.3d")));
        let document = Document::parse_pair(&geometry, &frames).unwrap();
        let fixed = fix(&document, &FixOptions::default()).unwrap();
        assert_eq!(mended(&fixed), [(code, 1)]);
        let Document::Unreal(before) = &document else { panic!("a mesh") };
        let after = meshlens::unreal::Unreal::parse(&fixed.files[0], &fixed.files[1]).unwrap();
        assert_eq!(unreal::Model::from(before), unreal::Model::from(&after));
    }
}

/// The documents of the corpus and some real files, mended. Those that cannot be mended are left out.
fn each_mended(mut each: impl FnMut(&str, &Document<'_>, &Fixed)) {
    let options = FixOptions::default();
    for (format, extensions) in [("md3", &["md3"][..]), ("u3d", &["u3d"]), ("unigine", &["mesh", "anim"])] {
        let mut count = 0;
        for (uri, bytes) in real::chosen_files_and_corpus(format, extensions) {
            let Ok(document) = Document::parse(&bytes) else { continue };
            let Ok(first) = fix(&document, &options) else { continue };
            count += 1;
            each(&uri, &document, &first);
        }
        assert!(count > 5, "{format}: {count} files");
    }
    for name in ["mistaken_size", "mistaken_count", "padded"] {
        let [geometry, frames] = ["d", "a"].map(|half| {
            std::fs::read(real::workspace_root().join(format!("corpus/unreal/Models/{name}_{half}.3d")))
                .unwrap()
        });
        let document = Document::parse_pair(&geometry, &frames).unwrap();
        each(name, &document, &fix(&document, &options).unwrap());
    }
}

#[test]
fn what_is_mended_is_mended_once() {
    each_mended(|uri, document, first| {
        let again = match &first.files[..] {
            [geometry, frames] => Document::parse_pair(geometry, frames),
            files => Document::parse(&files[0]),
        };
        assert_eq!(mended(&fix(&again.unwrap(), &FixOptions::default()).unwrap()), [], "{uri}");
        // The list of codes says what is gone.
        for group in first.left.groups() {
            assert!(!is_mended(group.code, document.format()), "{uri}: {}", group.code);
        }
    });
}

#[test]
fn corners_are_the_same_without_what_is_not_used() {
    let mut model = model();
    model.surfaces[0].add_shader("a.tga").unwrap();
    let whole = model.write().unwrap();
    let surface = &mut model.surfaces[0];
    let (first, shader) = (surface.vertices.clone(), surface.shaders[0]);
    // A vertex before the others, in both frames.
    surface.texcoords.insert(0, [0.5; 2]);
    surface.vertices = [&first[..1], &first[..3], &first[..1], &first[3..]].concat();
    surface.triangles[0] = surface.triangles[0].map(|corner| corner + 1);
    surface.shaders.push(shader);
    let fixed = fixed(&model.write().unwrap());
    assert_eq!(mended(&fixed), [("SHADER_REPEATED", 1), ("VERTEX_UNUSED", 1)]);
    assert_eq!(fixed.files[0], whole);
}

/// Steps are counted in debug builds alone.
#[test]
#[cfg(debug_assertions)]
fn work_is_proportional_to_the_number_of_morph_targets() {
    use meshlens::unigine::{Version, write};

    let steps = |count: usize| {
        let mut surface = write::Surface::new("triangle").unwrap();
        surface.targets[0].positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
        surface.targets[0].add_tangents(Version::Ms11, &[[0.0, 0.0, 0.0, 1.0]; 3]);
        surface.add_triangle([[0, 0], [1, 1], [2, 2]]);
        surface.targets = vec![surface.targets[0].clone(); count];
        let mut model = write::Model::new(Version::Ms11);
        model.surfaces.push(surface);
        model.recompute_bounds();
        let bytes = model.write().unwrap();
        let before = meshlens::wire::steps::taken();
        fixed(&bytes);
        meshlens::wire::steps::taken() - before
    };
    let (few, many) = (steps(50), steps(400));
    assert!(many <= 8 * few, "8 times as many targets: {few} and {many} steps");
}

/// Without triangles, no vertex is used.
#[test]
fn an_unreal_mesh_without_triangles_keeps_its_frames() {
    let mut model = unreal::Model::new(meshlens::unreal::VertexEncoding::Packed, 2);
    model.add_integer_frame(&[[1, 2, 3], [4, 5, 6]]).unwrap();
    let files = model.write().unwrap();
    let document = Document::parse_pair(&files.geometry, &files.frames).unwrap();
    let fixed = fix(&document, &FixOptions::default()).unwrap();
    assert_eq!(fixed.files, [files.geometry.clone(), files.frames.clone()]);
}
