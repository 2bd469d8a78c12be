//! Pictures of archives with textures and shaders: no picture is black or blank, and players are joined and have a
//! skin.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use meshlens::md3::write;
use meshlens_testkit::real;
use meshlens_testkit::share::{few_or_all, is_all};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::shared::{meshlens, stderr, stdout, utf8};

/// A pyramid whose surface has this shader. If `has_texcoords` is false, all of its texture coordinates are equal.
fn pyramid(shader: &str, has_texcoords: bool) -> Vec<u8> {
    let mut file = write::Model::new("pyramid").unwrap();
    file.frames.push(write::Frame::named("rest").unwrap());
    let mut surface = write::Surface::new("pyramid").unwrap();
    surface.add_shader(shader).unwrap();
    surface.triangles.extend([[0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]]);
    let texcoords = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]];
    surface.texcoords.extend(texcoords.map(|texcoord| if has_texcoords { texcoord } else { [0.0, 1.0] }));
    let base = [[-8.0, -8.0, 0.0], [8.0, -8.0, 0.0], [8.0, 8.0, 0.0], [-8.0, 8.0, 0.0], [0.0, 0.0, 12.0]];
    let normals = base.map(|[x, y, _]: [f32; 3]| [x / 16.0, y / 16.0, if x == 0.0 { 1.0 } else { 0.7 }]);
    surface.add_frame(&base, &normals).unwrap();
    file.surfaces.push(surface);
    file.recompute_bounds();
    file.write().unwrap()
}

/// A square of four vertices with equal texture coordinates, like a flash.
fn sprite(shader: &str) -> Vec<u8> {
    let mut file = write::Model::new("sprite").unwrap();
    file.frames.push(write::Frame::named("rest").unwrap());
    let mut surface = write::Surface::new("sprite").unwrap();
    surface.add_shader(shader).unwrap();
    surface.triangles.extend([[0, 2, 1], [0, 3, 2]]);
    surface.texcoords.extend([[0.0, 1.0]; 4]);
    let corners = [[30.0, 30.0, 0.0], [-30.0, 30.0, 0.0], [-30.0, -30.0, 0.0], [30.0, -30.0, 0.0]];
    surface.add_frame(&corners, &[[0.0, 0.0, 1.0]; 4]).unwrap();
    file.surfaces.push(surface);
    file.recompute_bounds();
    file.write().unwrap()
}

/// An uncompressed TGA image of 16 by 16 pixels: blue, green, red and alpha.
fn tga(color: impl Fn(u8, u8) -> [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 16, 0, 32, 8];
    for y in 0..16 {
        for x in 0..16 {
            bytes.extend(color(x, y));
        }
    }
    bytes
}

fn corpus(name: &str) -> Vec<u8> {
    fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

const SHADERS: &str = "
chrome { { map fx/chrome.tga tcGen environment } }
glass { cull disable { map fx/chrome.tga blendFunc add tcGen environment } }
glow { { map fx/spot.tga blendFunc add } }
filter { { map fx/red.tga blendFunc filter } }
flash { deformVertexes autosprite { clampMap fx/spot.tga blendFunc add } }
coal { { map fx/black.tga rgbGen lightingDiffuse } }
snow { { map fx/white.tga } }
";

/// An archive with models, shaders, textures and players.
fn archive(folder: &Path) -> PathBuf {
    let path = folder.join("pak.pk3");
    let mut zip = ZipWriter::new(fs::File::create(&path).unwrap());
    let mut add = |name: &str, bytes: &[u8]| {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    };
    add("scripts/fx.shader", SHADERS.as_bytes());
    add("fx/chrome.tga", &tga(|x, _| [x * 8, x * 8, x * 8, 255]));
    // A spot in the upper left corner on a black background.
    add("fx/spot.tga", &tga(|x, y| if x < 6 && y > 9 { [90, 220, 255, 255] } else { [0, 0, 0, 255] }));
    add("fx/red.tga", &tga(|_, _| [20, 20, 200, 255]));
    add("fx/black.tga", &tga(|_, _| [0, 0, 0, 255]));
    add("fx/white.tga", &tga(|_, _| [228, 228, 228, 255]));
    for name in ["chrome", "glass"] {
        add(&format!("models/{name}.md3"), &pyramid(name, false));
    }
    for name in ["glow", "filter", "coal", "snow"] {
        add(&format!("models/{name}.md3"), &pyramid(name, true));
    }
    add("models/flash.md3", &sprite("flash"));
    for part in ["lower", "upper", "head"] {
        let model = corpus(&format!("md3/player/{part}.md3"));
        add(&format!("models/players/one/{part}.md3"), &model);
        let meshes: Vec<String> =
            meshlens::Model::parse(&model).unwrap().meshes.iter().map(|mesh| mesh.name.clone()).collect();
        for (skin, texture) in [("blue", "fx/spot.tga"), ("red", "fx/red.tga")] {
            let lines: String = meshes.iter().map(|mesh| format!("{mesh},{texture}\n")).collect();
            add(&format!("models/players/one/{part}_{skin}.skin"), lines.as_bytes());
        }
    }
    add("models/players/one/animation.cfg", &corpus("md3/player/animation.cfg"));
    zip.finish().unwrap();
    path
}

/// The pixels of a PNG file: red, green and blue.
fn pixels(path: &Path) -> (usize, Vec<[u8; 3]>) {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width as usize, bytes.as_chunks().0.to_vec())
}

/// The fault of a picture: it is blank, black, or uses less than half of its width and height.
fn fault(path: &Path) -> Option<String> {
    let (side, pixels) = pixels(path);
    let mut shown = Vec::new();
    let (mut columns, mut rows) = (vec![false; side], vec![false; side]);
    for (y, row) in pixels.chunks(side).enumerate() {
        for (x, pixel) in row.iter().enumerate() {
            // The first pixel of a row shows the background.
            let far = pixel.iter().zip(row[0]).map(|(a, b)| a.abs_diff(b)).max().unwrap();
            if far >= 16 {
                shown.push(*pixel.iter().max().unwrap());
                (columns[x], rows[y]) = (true, true);
            }
        }
    }
    shown.sort_unstable();
    let used = |axis: &[bool]| {
        let first = axis.iter().position(|used| *used).unwrap_or(0);
        axis.iter().rposition(|used| *used).unwrap_or(0) - first
    };
    if shown.len() * 100 < side * side {
        return Some(format!("{}: blank", path.display()));
    }
    let is_dark = shown[shown.len() * 9 / 10] < 40;
    let is_small = used(&columns).max(used(&rows)) * 2 < side;
    (is_dark || is_small).then(|| format!("{}: black {is_dark}, small {is_small}", path.display()))
}

fn faults(folder: &Path) -> Vec<String> {
    real::files_below(folder).iter().filter_map(|path| fault(path)).collect()
}

#[test]
fn no_picture_is_black_or_blank() {
    let folder = tempfile::tempdir().unwrap();
    let (pak, pictures) = (archive(folder.path()), folder.path().join("pictures"));
    let output = meshlens(&["thumb", utf8(&pak), "--size", "64", "--out-dir", utf8(&pictures)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(faults(&pictures), Vec::<String>::new());
    // The player is one picture, with the first of its skins.
    assert!(stdout(&output).ends_with("8 pictures, 0 failed\n"), "{}", stdout(&output));
    assert!(pictures.join("models/players/one.png").is_file());
    let skins = "no skin called default: blue is worn; there are blue, red";
    assert!(stderr(&output).contains(skins), "{}", stderr(&output));
}

#[test]
fn a_part_of_a_player_has_the_textures_of_its_skin() {
    let folder = tempfile::tempdir().unwrap();
    let pak = archive(folder.path());
    let upper = format!("{}!models/players/one/upper.md3", utf8(&pak));
    let made = |arguments: &[&str], name: &str| {
        let path = folder.path().join(name);
        let output = meshlens(&[&["thumb", &upper, "--size", "32", "-o", utf8(&path)], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::read(path).unwrap()
    };
    let (own, blue, red) =
        (made(&[], "own.png"), made(&["--skin", "blue"], "b.png"), made(&["--skin", "red"], "r.png"));
    assert!(own == blue && own != red);
}

#[test]
fn an_environment_map_is_a_metal_in_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let chrome = format!("{}!models/chrome.md3", utf8(&archive(folder.path())));
    let path = folder.path().join("chrome.gltf");
    let output = meshlens(&["convert", &chrome, "-o", utf8(&path)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let pbr = &document["materials"][0]["pbrMetallicRoughness"];
    assert!(pbr["baseColorTexture"].is_null() && document["images"].is_null(), "{document}");
    assert_eq!((&pbr["metallicFactor"], &pbr["roughnessFactor"]), (&1.0.into(), &0.25.into()));
    // The stored grays are 0, 8 .. 120. The expected value is the average of their linear values.
    let gray = pbr["baseColorFactor"][0].as_f64().unwrap();
    assert!((0.06..0.075).contains(&gray), "{gray}");
}

#[test]
fn a_glb_is_shown_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (glb, from_glb) = (folder.path().join("player.glb"), folder.path().join("glb.png"));
    let from_folder = folder.path().join("folder.png");
    let player = "corpus/md3/player";
    let convert = ["convert", player, "-o", utf8(&glb), "--textures", "none"];
    assert_eq!(meshlens(&convert).status.code(), Some(0));
    for (from, to) in [(utf8(&glb), &from_glb), (player, &from_folder)] {
        let output = meshlens(&["thumb", from, "--size", "64", "--background", "light", "-o", utf8(to)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let ((side, a), (_, b)) = (pixels(&from_glb), pixels(&from_folder));
    let far = |(a, b): &(&[u8; 3], &[u8; 3])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24);
    let differing = a.iter().zip(&b).filter(far).count();
    // A frame with another pose differs in a tenth of the pixels.
    assert!(differing * 50 < side * side, "{differing} of {}", side * side);
}

#[test]
fn an_animation_is_shown_on_its_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |arguments: &[&str], name: &str| {
        let path = folder.path().join(name);
        let output = meshlens(&[&["thumb", "--size", "32", "-o", utf8(&path)], arguments].concat());
        (output.status.code(), stderr(&output).to_owned(), fs::read(path).unwrap_or_default())
    };
    let walk = folder.path().join("other name.anim");
    fs::copy(real::workspace_root().join("corpus/gallery/walker_walk.anim"), &walk).unwrap();
    let mesh = folder.path().join("walker.mesh");
    fs::copy(real::workspace_root().join("corpus/gallery/walker.mesh"), &mesh).unwrap();
    let rest = picture(&[utf8(&mesh)], "rest.png");
    let walking = picture(&[utf8(&mesh), "--anim", utf8(&walk), "--frame", "5"], "walk.png");
    assert_eq!((rest.0, walking.0), (Some(0), Some(0)), "{}", walking.1);
    assert!(rest.2 != walking.2);
    // An error for a file of another kind names its kind.
    let wrong = picture(&[utf8(&mesh), "--anim", "corpus/md3/static.md3"], "wrong.png");
    assert!(wrong.0 == Some(1) && wrong.1.contains("static.md3"), "{}", wrong.1);
}

#[test]
fn the_pictures_of_openarena_show_something() {
    let Some(game) = std::env::var_os("MESHLENS_OPENARENA").map(PathBuf::from) else {
        return println!("skipped: MESHLENS_OPENARENA is not set");
    };
    let folder = tempfile::tempdir().unwrap();
    let pak = game.join("pak0.pk3");
    let output = meshlens(&["thumb", utf8(&pak), "--size", "64", "-q", "--out-dir", utf8(folder.path())]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(real::files_below(folder.path()).len() > 100);
    assert_eq!(faults(folder.path()), Vec::<String>::new());
}

/// An MD3 with only tags, 112 bytes each.
fn tags(path: &Path, count: u32) {
    let mut file = write::Model::new("tags").unwrap();
    file.frames.push(write::Frame::named("rest").unwrap());
    let name = write::name("tag_many").unwrap();
    let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let tag = |at: u32| write::Tag { name, origin: [(at % 700) as f32, (at / 700) as f32, 0.0], axis };
    file.tags.extend((0..count).map(tag));
    file.tags_per_frame = count;
    fs::write(path, file.write().unwrap()).unwrap();
}

/// Drawing every tag would need 3 KB for each.
#[cfg(target_os = "linux")]
#[test]
fn many_tags_are_drawn_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let (count, limit) = few_or_all((4_000, 100_000), (450_000, 1_000_000));
    tags(&folder.path().join("tags.md3"), count);
    let run = |line: &str| {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", line, "test"]).arg(folder.path()).env("meshlens", env!("CARGO_BIN_EXE_meshlens"));
        // Each arena of glibc reserves 64 MB of addresses, and the order of the threads decides how many there are.
        command.env("MALLOC_ARENA_MAX", "1").output().unwrap()
    };
    let limited = format!("ulimit -v {limit}; cd \"$1\"; ");
    let output = run(&format!("{limited} \"$meshlens\" thumb -j 1 --size 64 tags.md3 -o tags.png"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let expected = format!("tags.md3: warning: no triangles: 2048 of {count} joints and tags are drawn\n");
    assert!(stderr(&output).ends_with(&expected), "{}", stderr(&output));
    assert!(fault(&folder.path().join("tags.png")).is_none());
    if !is_all() {
        return;
    }
    // The report is written for the other model. Its pictures are large, with every joint above the others.
    fs::write(folder.path().join("static.md3"), corpus("md3/static.md3")).unwrap();
    let output = run(&format!("{limited} \"$meshlens\" inspect -j 1 --html report.html tags.md3 static.md3"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert_eq!(report.matches("data:image/png").count(), 2);
}
