//! Every limit of every profile at both ends: a model that just fits, and one with one more.

use meshlens::md3::write::{Frame, Model, Surface};
use meshlens::unigine::{self, layout::Version};
use meshlens::unreal::{self, Unreal, VertexEncoding};

use super::*;

/// The counts of an MD3: vertices and triangles of each surface, surfaces, frames, and bytes in the names.
struct Counts {
    vertices: usize,
    triangles: usize,
    surfaces: usize,
    frames: usize,
    name: usize,
}

fn md3(counts: &Counts) -> Vec<u8> {
    let mut model = Model::new("model").unwrap();
    model.frames = vec![Frame::named("frame").unwrap(); counts.frames];
    for _ in 0..counts.surfaces {
        let mut surface = Surface::new("").unwrap();
        surface.name[..counts.name].fill(b'n');
        surface.add_shader("shader.tga").unwrap();
        surface.texcoords = vec![[0.5; 2]; counts.vertices];
        surface.triangles = vec![[0, 1, 2]; counts.triangles];
        for _ in 0..counts.frames {
            surface
                .add_frame(&vec![[0.0; 3]; counts.vertices], &vec![[0.0, 0.0, 1.0]; counts.vertices])
                .unwrap();
        }
        model.surfaces.push(surface);
    }
    model.write().unwrap()
}

/// An Unreal mesh of one frame, whose file says that a frame takes 3 bytes a vertex if there are too many for 4.
fn unreal_mesh(vertices: usize, textures: usize, encoding: VertexEncoding) -> [Vec<u8>; 2] {
    let is_large = vertices > 16_383;
    let mut model = unreal::write::Model::new(encoding, if is_large { 0 } else { vertices });
    if !is_large {
        model.add_integer_frame(&vec![[0; 3]; vertices]).unwrap();
    }
    model.triangles.push(unreal::Triangle { texture: textures as u8 - 1, ..Default::default() });
    if is_large {
        model.triangles.clear();
    }
    let mut files = model.write().unwrap();
    if is_large {
        files.geometry[2..4].copy_from_slice(&(vertices as u16).to_le_bytes());
        files.frames = [1u16, vertices as u16 * 3].iter().flat_map(|number| number.to_le_bytes()).collect();
        files.frames.resize(4 + 4 * vertices, 0);
    }
    [files.geometry, files.frames]
}

fn unigine_mesh(surfaces: usize) -> Vec<u8> {
    let mut model = unigine::write::Model::new(Version::Ms11);
    model.surfaces = vec![unigine::write::Surface::new("s").unwrap(); surfaces];
    model.write().unwrap()
}

/// The codes of the engine's findings about a file in which one number has this value.
fn codes(engine: &Engine, format: &str, quantity: Quantity, value: usize) -> Vec<&'static str> {
    let mut report = Report::default();
    let mut validate = |document: &Document<'_>| {
        document.validate(&mut report);
        engine.validate(document, &mut report);
    };
    match format {
        "md3" => {
            let mut counts = Counts { vertices: 3, triangles: 1, surfaces: 1, frames: 1, name: 8 };
            match quantity {
                Quantity::Vertices => counts.vertices = value,
                Quantity::Triangles => counts.triangles = value,
                Quantity::Surfaces => counts.surfaces = value,
                Quantity::Frames => counts.frames = value,
                Quantity::NameBytes => counts.name = value,
                Quantity::Textures | Quantity::VertexBytes => panic!("MD3 has no {quantity}"),
            }
            validate(&Document::parse(&md3(&counts)).unwrap());
        }
        "unreal" => {
            let [geometry, frames] = match quantity {
                Quantity::Vertices => unreal_mesh(value, 1, VertexEncoding::Packed),
                Quantity::Textures => unreal_mesh(3, value, VertexEncoding::Packed),
                Quantity::VertexBytes if value == 4 => unreal_mesh(3, 1, VertexEncoding::Packed),
                Quantity::VertexBytes => unreal_mesh(3, 1, VertexEncoding::Wide),
                _ => panic!("Unreal has no {quantity}"),
            };
            validate(&Unreal::parse(&geometry, &frames).unwrap().into());
        }
        "unigine" => validate(&Document::parse(&unigine_mesh(value)).unwrap()),
        _ => panic!("{format}"),
    }
    let groups = report.groups().map(|group| group.code.name);
    groups.filter(|code| code.contains("ENGINE_") || code.starts_with("LIMIT_")).collect()
}

#[test]
fn every_file_is_a_profile() {
    for (name, text) in FILES {
        let engine: Engine = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(engine.name, name);
        for code in engine.formats.values().flat_map(|reads| reads.refuses.keys()) {
            assert!(crate::findings::find_code(code).is_some(), "{name}: {code}");
        }
        for format in engine.formats.keys() {
            assert!(meshlens::Format::ALL.iter().any(|known| known.name() == format), "{name}: {format}");
        }
    }
    assert_eq!(ENGINES.len(), FILES.len());
}

#[test]
fn every_limit_holds_at_both_ends() {
    let mut limits = 0;
    for engine in &*ENGINES {
        for (format, reads) in &engine.formats {
            for (quantity, limit) in &reads.limits {
                let name = format!("{} {format} {quantity}", engine.name);
                assert_eq!(codes(engine, format, *quantity, limit.most), [""; 0], "{name}");
                let code = if limit.then.is_some() { "ENGINE_DIFFERS" } else { "ENGINE_REFUSES" };
                assert_eq!(codes(engine, format, *quantity, limit.most + 1), [code], "{name}");
                limits += 1;
            }
        }
    }
    assert_eq!(limits, 21);
}

#[test]
fn the_limits_of_ioquake3_are_those_of_the_validator() {
    let limits = find("IOQUAKE3").unwrap().surface_limits("md3");
    use meshlens::md3::layout::{ENGINE_TRIANGLES, ENGINE_VERTICES};
    assert_eq!(limits, Some((ENGINE_VERTICES - 1, ENGINE_TRIANGLES - 1)));
}

#[test]
fn limits_of_tools_that_no_engine_has_are_left_out() {
    let bytes = md3(&Counts { vertices: 3, triangles: 1, surfaces: 1, frames: 1, name: 8 });
    let mut model = Model::try_from(&meshlens::md3::Md3::parse(&bytes).unwrap()).unwrap();
    model.surfaces[0].shaders = vec![model.surfaces[0].shaders[0]; 257];
    let bytes = model.write().unwrap();
    let document = Document::parse(&bytes).unwrap();
    let mut report = Report::default();
    document.validate(&mut report);
    let has = |report: &Report| report.groups().any(|group| group.code.name == "LIMIT_SHADERS");
    assert!(has(&report));
    let before = report.total();
    find("ioquake3").unwrap().validate(&document, &mut report);
    assert!(!has(&report));
    assert_eq!((report.total(), report.findings().count() as u64), (before - 1, before - 1));
}

#[test]
fn incomplete_headers_are_refused_by_engines_that_check_them() {
    let whole = md3(&Counts { vertices: 3, triangles: 1, surfaces: 1, frames: 1, name: 8 });
    let refusing = |bytes: &[u8]| -> Vec<&str> {
        let refuses = |engine: &&Engine| {
            let mut report = Report::default();
            let document = Document::parse(bytes).unwrap();
            document.validate(&mut report);
            engine.validate(&document, &mut report);
            report.groups().any(|group| group.code.name == "ENGINE_REFUSES")
        };
        ENGINES.iter().filter(refuses).map(|engine| engine.name.as_str()).collect()
    };
    assert_eq!(refusing(&whole), ["quakespasm", "ut99", "unigine"]);
    // The surface follows a header of 108 bytes and a frame of 56. Its identifier is first, its number of frames at 72.
    for field in [164, 164 + 72] {
        let mut unset = whole.clone();
        unset[field..field + 4].fill(0);
        assert_eq!(refusing(&unset), ["darkplaces", "vkquake", "quakespasm", "ut99", "unigine"]);
    }
}
