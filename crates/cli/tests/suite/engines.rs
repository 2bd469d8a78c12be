//! The profiles of engines: `--engine`, and what conversions do without it.

use std::fs;

use meshlens::md3::Md3;
use meshlens::md3::write::{Frame, Model, Surface};
use meshlens::unigine;
use meshlens_testkit::real;

use crate::shared::{meshlens, stderr, stdout, utf8};

/// An MD3 with a surface of a grid of `side` by `side` vertices.
fn grid(side: u32) -> Vec<u8> {
    let mut model = Model::new("grid").unwrap();
    model.frames.push(Frame::named("frame").unwrap());
    let mut surface = Surface::new("grid").unwrap();
    surface.add_shader("grid.tga").unwrap();
    let points: Vec<[f32; 3]> =
        (0..side * side).map(|i| [(i % side) as f32, (i / side) as f32, 0.0]).collect();
    surface.texcoords = points.iter().map(|[x, y, _]| [x / side as f32, y / side as f32]).collect();
    let quads = (0..(side - 1) * (side - 1)).map(|i| i / (side - 1) * side + i % (side - 1));
    surface.triangles = quads.flat_map(|a| [[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]).collect();
    surface.add_frame(&points, &vec![[0.0, 0.0, 1.0]; points.len()]).unwrap();
    model.surfaces.push(surface);
    model.recompute_bounds();
    model.write().unwrap()
}

/// A GLB with a mesh of 110 x 110 vertices, and an MD3 to be made of it.
fn large() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| utf8(&folder.path().join(name)).to_owned();
    fs::write(path("grid.md3"), grid(110)).unwrap();
    let glb = path("grid.glb");
    assert!(meshlens(&["convert", "-q", &path("grid.md3"), "-o", &glb]).status.success());
    let out = path("out.md3");
    (folder, glb, out)
}

#[test]
fn what_all_engines_refuse_is_a_warning_and_an_engine_is_obeyed() {
    let (_folder, glb, out) = large();
    let plain = meshlens(&["convert", "--strict", &glb, "-o", &out]);
    assert_eq!(plain.status.code(), Some(1));
    let text = stderr(&plain);
    assert!(
        text.contains("all known engines of the format (ioquake3, openarena, etlegacy) refuse the result: 12100 vertices; ioquake3 refuses more than 999 (/surfaces/0/vertices)"),
        "{text}"
    );

    for (engine, vertices, triangles) in [("ioquake3", 999, 1999), ("etlegacy", 10_000, 20_000)] {
        let made = meshlens(&["convert", "--strict", "--force", "--engine", engine, &glb, "-o", &out]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        assert!(
            stdout(&made).contains(&format!("note: surfaces were split for {engine}: 1 into")),
            "{}",
            stdout(&made)
        );
        let bytes = fs::read(&out).unwrap();
        let md3 = Md3::parse(&bytes).unwrap();
        assert!(md3.surface_count() > 1);
        let fits = |vertex_count, triangle_count| vertex_count <= vertices && triangle_count <= triangles;
        assert!(md3.surfaces().all(|surface| fits(surface.vertex_count(), surface.triangle_count())));
        let triangles: usize = md3.surfaces().map(|surface| surface.triangle_count()).sum();
        assert_eq!(triangles, 2 * 109 * 109);
        let valid = meshlens(&["validate", "--engine", engine, "--fail-on", "warning", &out]);
        assert_eq!(valid.status.code(), Some(0), "{}", stdout(&valid));
    }
    // DarkPlaces has no such limit.
    let made = meshlens(&["convert", "--strict", "--force", "--engine", "darkplaces", &glb, "-o", &out]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert_eq!(Md3::parse(&fs::read(&out).unwrap()).unwrap().surface_count(), 1);
}

#[test]
fn what_an_engine_cannot_read_fails_strict_conversions() {
    let (_folder, glb, out) = large();
    for (engine, reason) in [
        ("quakespasm", "quakespasm does not read the format md3"),
        ("ut99", "ut99 does not read the format md3"),
    ] {
        let made = meshlens(&["convert", "--strict", "--force", "--engine", engine, &glb, "-o", &out]);
        assert_eq!(made.status.code(), Some(1));
        assert!(stderr(&made).contains(reason), "{}", stderr(&made));
    }
    let made = meshlens(&["convert", "--strict", "--force", "--engine", "ioquake3", &out, "-o", &glb]);
    assert!(stderr(&made).contains("ioquake3 does not read glTF"), "{}", stderr(&made));
    assert_eq!(made.status.code(), Some(1));
}

#[test]
fn an_engine_replaces_the_limits_of_engines_in_general() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.md3");
    fs::write(&path, grid(32)).unwrap();
    let codes = |engine: &[&str]| -> Vec<String> {
        let output = meshlens(&[&["validate", "--format", "csv", utf8(&path)], engine].concat());
        let rows = stdout(&output).lines().skip(1).map(|row| row.split(',').nth(2).unwrap().to_owned());
        rows.collect()
    };
    assert_eq!(codes(&[]), ["ENGINE_LIMIT_VERTICES"]);
    assert_eq!(codes(&["--engine", "openarena"]), ["ENGINE_REFUSES"]);
    assert_eq!(codes(&["--engine", "etlegacy"]), [""; 0]);
    // One engine of three refuses 1024 vertices: a note, not a warning.
    let out = folder.path().join("out.md3");
    fs::rename(&path, folder.path().join("source.md3")).unwrap();
    let made = meshlens(&["convert", "--strict", utf8(&folder.path().join("source.md3")), "-o", utf8(&out)]);
    assert!(stdout(&made).contains("note: ioquake3, openarena refuse the result"), "{}", stdout(&made));
    assert_eq!(made.status.code(), Some(0));
}

#[test]
fn wide_vertices_are_packed_for_unreal_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let (wide, packed) = (folder.path().join("wide_d.3d"), folder.path().join("packed_d.3d"));
    let source = "corpus/md3/animated.md3";
    let unreal = ["convert", "--to", "unreal", "-q", "--textures", "none"];
    let made = meshlens(&[&unreal[..], &["--vertices", "i16x4", source, "-o", utf8(&wide)]].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    let refused = meshlens(&["validate", "--engine", "ut99", utf8(&wide)]);
    assert!(
        stdout(&refused).contains("8 bytes in a vertex; ut99 refuses more than 4"),
        "{}",
        stdout(&refused)
    );
    let made = meshlens(&[&unreal[..], &["--engine", "ut99", utf8(&wide), "-o", utf8(&packed)]].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    assert!(meshlens(&["validate", "--engine", "ut99", utf8(&packed)]).status.success());
}

#[test]
fn names_of_engines_are_known() {
    let wrong = meshlens(&["validate", "--engine", "ioquake", "x.md3"]);
    assert_eq!(wrong.status.code(), Some(2));
    let text = stderr(&wrong);
    assert!(text.contains("etlegacy") && text.contains("a similar value exists: 'ioquake3'"), "{text}");
    let completions = meshlens(&["completions", "bash"]);
    assert!(stdout(&completions).contains("ioquake3 openarena etlegacy darkplaces ironwail vkquake"));
    let engine = meshlens(&["explain", "UzDoom"]);
    assert!(
        stdout(&engine).contains("- at most 32 surfaces; with more, it has no SurfaceSkin"),
        "{}",
        stdout(&engine)
    );
    let code = meshlens(&["explain", "SURFACE_HEADER_UNSET"]);
    assert!(stdout(&code).contains("Engines: darkplaces, vkquake: refuses the file."), "{}", stdout(&code));
    let code = meshlens(&["explain", "ENGINE_LIMIT_VERTICES"]);
    assert!(
        stdout(&code).contains(
            "Engines: ioquake3, openarena: at most 999 vertices, or it refuses the file; etlegacy: "
        ),
        "{}",
        stdout(&code)
    );
    assert!(
        stdout(&code).contains("What to do: Split the surface. `meshlens convert --engine NAME` splits"),
        "{}",
        stdout(&code)
    );
    let unknown = meshlens(&["explain", "quake"]);
    assert!(stderr(&unknown).contains("engines are ioquake3, openarena"), "{}", stderr(&unknown));
}

#[test]
fn splitting_is_charged_to_the_memory_of_the_conversion() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, out) = (folder.path().join("grid.glb"), folder.path().join("out.md3"));
    fs::write(folder.path().join("grid.md3"), grid(110)).unwrap();
    assert!(
        meshlens(&["convert", "-q", utf8(&folder.path().join("grid.md3")), "-o", utf8(&glb)])
            .status
            .success()
    );
    let convert = |memory: &str| {
        meshlens(&["convert", "--engine", "ioquake3", "--max-memory", memory, utf8(&glb), "-o", utf8(&out)])
    };
    // 71,286 corners of 40 bytes, in addition to what the conversion takes.
    let refused = convert("12M");
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("surfaces that are split"), "{}", stderr(&refused));
    assert!(!out.exists());
    assert!(convert("64M").status.success());
}

#[test]
fn names_are_shortened_to_what_engines_read() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, out) = (folder.path().join("box.mesh"), folder.path().join("box.md3"));
    let bytes = fs::read(real::workspace_root().join("corpus/unigine/box_ms11.mesh")).unwrap();
    let mut model = unigine::write::Model::try_from(&unigine::Mesh::parse(&bytes).unwrap()).unwrap();
    model.surfaces[0].name = [&[b'n'; 64][..], b"\0"].concat();
    fs::write(&mesh, model.write().unwrap()).unwrap();
    let made = meshlens(&["convert", "--strict", "--engine", "darkplaces", utf8(&mesh), "-o", utf8(&out)]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(stdout(&made).contains("[NAME_SHORTENED]"), "{}", stdout(&made));
    let bytes = fs::read(&out).unwrap();
    assert_eq!(Md3::parse(&bytes).unwrap().surface(0).unwrap().name().as_bytes(), [b'n'; 63]);
    let valid = meshlens(&["validate", "--engine", "darkplaces", utf8(&out)]);
    assert!(!stdout(&valid).contains("ENGINE_"), "{}", stdout(&valid));
}
