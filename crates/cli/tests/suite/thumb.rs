//! `meshlens thumb` as a user runs it.

use std::fs;
use std::path::Path;
use std::process::Output;

use meshlens_testkit::real;

use crate::shared::{meshlens, stderr, stdout, utf8};

fn thumb(arguments: &[&str]) -> Output {
    meshlens(&[&["thumb", "--size", "32"], arguments].concat())
}

fn names(folder: &Path) -> Vec<String> {
    let names = real::files_below(folder).into_iter();
    names.map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")).collect()
}

/// The width and the height of a PNG file (PNG: 11.2.1 IHDR).
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// The bodies of the chunks with a name.
fn chunks<'p>(png: &'p [u8], name: &[u8; 4]) -> Vec<&'p [u8]> {
    let (mut found, mut at) = (Vec::new(), 8);
    while at + 12 <= png.len() {
        let len = u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        if &png[at + 4..at + 8] == name {
            found.push(&png[at + 8..at + 8 + len]);
        }
        at += len + 12;
    }
    found
}

#[test]
fn one_model_becomes_one_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("static.png");
    let output = thumb(&["corpus/md3/static.md3", "-o", utf8(&path)]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let png = fs::read(&path).unwrap();
    assert_eq!(size(&png), (32, 32));
    assert_eq!(stdout(&output), format!("corpus/md3/static.md3 -> {}: {} bytes\n", utf8(&path), png.len()));
    // An existing file is kept.
    let again = thumb(&["corpus/md3/static.md3", "-o", utf8(&path)]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
    assert_eq!(thumb(&["corpus/md3/static.md3", "-o", utf8(&path), "--force"]).status.code(), Some(0));
    assert_eq!(fs::read(&path).unwrap(), png);
    let piped = thumb(&["corpus/md3/static.md3", "-o", "-"]);
    assert_eq!((piped.status.code(), &piped.stdout), (Some(0), &png));
    // If one model is named, any path is the path of the picture. In a folder, the picture gets the name of the model.
    let bare = folder.path().join("bare");
    assert_eq!(thumb(&["corpus/md3/static.md3", "-o", utf8(&bare)]).status.code(), Some(0));
    assert_eq!(fs::read(&bare).unwrap(), png);
    let inside = folder.path().join("inside/");
    assert_eq!(thumb(&["corpus/md3/static.md3", "-o", utf8(&inside)]).status.code(), Some(0));
    assert_eq!(fs::read(inside.join("static.png")).unwrap(), png);
}

#[test]
fn a_folder_becomes_a_picture_of_each_valid_model() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    let corpus = real::workspace_root().join("corpus");
    for (from, to) in [
        ("md3/static.md3", "a.md3"),
        ("u3d/v2_static.u3d", "a.u3d"),
        ("unigine/box_ms14.mesh", "b.mesh"),
        ("md3/models.pk3", "c.pk3"),
    ] {
        fs::copy(corpus.join(from), models.join(to)).unwrap();
    }
    fs::write(models.join("broken.md3"), &fs::read(corpus.join("md3/static.md3")).unwrap()[..200]).unwrap();
    let pictures = folder.path().join("pictures");
    let output = thumb(&["-o", utf8(&pictures), utf8(&models)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("broken.md3: md3: "), "{}", stderr(&output));
    let archived = ["c.pk3/MODELS/Stored_1.png", "c.pk3/models/deflated.png", "c.pk3/models/stored.png"];
    assert_eq!(names(&pictures), [&["a.md3.png", "a.u3d.png", "b.png"][..], &archived].concat());
    assert!(stdout(&output).ends_with("6 pictures, 1 failed\n"), "{}", stdout(&output));
    for name in names(&pictures) {
        assert_eq!(size(&fs::read(pictures.join(name)).unwrap()), (32, 32));
    }
}

#[test]
fn a_player_is_one_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("player.png");
    let output = thumb(&["corpus/md3/player", "-o", utf8(&path), "--skin", "red", "--clip", "LEGS_WALK"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["player.png"]);
}

#[test]
fn sheets_and_animations_have_their_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    let made = |arguments: &[&str]| {
        let file = ["corpus/md3/animated.md3", "--force", "-o", utf8(&path)];
        let output = thumb(&[&file, arguments].concat());
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
        fs::read(&path).unwrap()
    };
    let sheet = made(&["--sheet", "4x2"]);
    assert_eq!((size(&sheet), chunks(&sheet, b"acTL").len()), ((128, 64), 0));
    // Five frames, repeated forever (APNG: acTL).
    let animated = made(&["--apng"]);
    assert_eq!(chunks(&animated, b"acTL"), [[0, 0, 0, 5, 0, 0, 0, 0]]);
    // Each frame is shown for a tenth of a second: 100/1000 (APNG: fcTL).
    let delays: Vec<&[u8]> = chunks(&animated, b"fcTL").into_iter().map(|body| &body[20..24]).collect();
    assert_eq!(delays, [[0, 100, 3, 232]; 5]);
    // Each frame, view and style results in a different picture.
    let pictures = [
        made(&[]),
        made(&["--frame", "2"]),
        made(&["--view", "front"]),
        made(&["--view", "side"]),
        made(&["--view", "top"]),
        made(&["--wireframe"]),
        made(&["--background", "dark"]),
        made(&["--background", "none"]),
    ];
    for (index, picture) in pictures.iter().enumerate() {
        assert!(pictures[..index].iter().all(|other| other != picture), "picture {index}");
    }
}

#[test]
fn the_error_for_a_wrong_argument_lists_the_choices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    for (arguments, expected) in [
        (&["corpus/md3/animated.md3", "--clip", "run"][..], "no clip run; one of "),
        (&["corpus/md3/static.md3", "--clip", "run"], "no clip run; there is no clip"),
        (&["corpus/md3/animated.md3", "--frame", "5"], "no frame 5; there are frames 0 to 4"),
        (&["corpus/md3/static.md3", "--frame", "1"], "no frame 1; there is only frame 0"),
        (&["corpus/md3/static.md3", "--size", "0"], "from 1 to 4096"),
        (&["corpus/md3/static.md3", "--size", "4097"], "from 1 to 4096"),
        (&["corpus/md3/static.md3", "--sheet", "4"], "such as 4x4"),
        (&["corpus/md3/static.md3", "--sheet", "65x1"], "at most 64x64"),
        (&["corpus/md3/static.md3", "--view", "back"], "iso, front, side, top"),
        (&["corpus/md3/static.md3", "--skin", "blue"], "blue"),
        (&["corpus/md3/no.md3"], "no.md3: "),
        (&["corpus/md3/static.md3", "corpus/md3/tagged.md3"], "-o takes one model, and 2 were named"),
    ] {
        let sized = arguments.contains(&"--size");
        let all = [arguments, &["-o", utf8(&path)]].concat();
        let output = if sized { meshlens(&[&["thumb"][..], &all].concat()) } else { thumb(&all) };
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
    assert!(!path.exists());
    let unnamed = thumb(&["corpus/md3/static.md3"]);
    assert_eq!(unnamed.status.code(), Some(2));
    assert!(stderr(&unnamed).contains("name a file with -o FILE"), "{}", stderr(&unnamed));
    let little = thumb(&["corpus/md3/static.md3", "-o", utf8(&path), "--max-memory", "64K"]);
    assert_eq!(little.status.code(), Some(1));
    assert!(stderr(&little).contains("--max-memory allows more"), "{}", stderr(&little));
}

#[test]
fn pictures_are_drawn_with_colors_on_the_terminal() {
    let output = thumb(&["--color", "always", "corpus/md3/static.md3"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    // Without a terminal, pictures have 60 by 60 pixels, two in each cell.
    assert_eq!(lines.len(), 30);
    assert!(lines.iter().any(|line| line.contains("\u{2580}\x1b[0m")));
}

/// `crates/cli/desktop/NAME`.
fn desktop(name: &str) -> String {
    fs::read_to_string(real::workspace_root().join("crates/cli/desktop").join(name)).unwrap()
}

#[test]
fn file_managers_know_the_models_of_the_corpus() {
    let (thumbnailer, types) = (desktop("meshlens.thumbnailer"), desktop("meshlens.xml"));
    let types = roxmltree::Document::parse(&types).unwrap();
    let types: Vec<_> =
        types.root_element().children().filter(|node| node.tag_name().name() == "mime-type").collect();
    let names: Vec<&str> = types.iter().filter_map(|node| node.attribute("type")).collect();
    let listed = thumbnailer.lines().find_map(|line| line.strip_prefix("MimeType=")).unwrap();
    assert_eq!(listed.split_terminator(';').collect::<Vec<_>>(), names);
    // The command line of the file managers, without its placeholders.
    let command = thumbnailer.lines().find_map(|line| line.strip_prefix("Exec=meshlens ")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (file, expected) in [
        ("md3/static.md3", "model/x-quake3-md3"),
        ("unreal/Models/ring_d.3d", "model/x-unreal-mesh"),
        ("u3d/v1_static.u3d", "model/x-ultimate3d"),
        ("u3d/v2_static.u3d", "model/x-ultimate3d"),
        ("unigine/box_ms14.mesh", "model/x-unigine-mesh"),
        ("unigine/wave_an11.anim", "model/x-unigine-anim"),
    ] {
        let path = format!("corpus/{file}");
        let bytes = fs::read(real::workspace_root().join(&path)).unwrap();
        let is_of = |node: &roxmltree::Node<'_, '_>| {
            let magic = node.descendants().filter(|node| node.tag_name().name() == "match");
            let mut values = magic.filter_map(|node| node.attribute("value")).peekable();
            let glob = node.descendants().find_map(|node| node.attribute("pattern"));
            let has_name =
                glob.and_then(|glob| glob.strip_prefix('*')).is_some_and(|end| file.ends_with(end));
            if values.peek().is_none() {
                has_name
            } else {
                values.any(|value| bytes.starts_with(value.as_bytes()))
            }
        };
        let found: Vec<&str> =
            types.iter().filter(|node| is_of(node)).filter_map(|node| node.attribute("type")).collect();
        assert_eq!(found, [expected], "{file}");
        // The path of a thumbnail need not have an extension.
        let to = folder.path().join("thumbnail");
        let arguments = command.split(' ').map(|word| match word {
            "%s" => "128",
            "%o" => utf8(&to),
            "%i" => path.as_str(),
            word => word,
        });
        let output = meshlens(&arguments.collect::<Vec<_>>());
        assert_eq!((output.status.code(), stdout(&output), stderr(&output)), (Some(0), "", ""), "{file}");
        assert_eq!(size(&fs::read(&to).unwrap()), (128, 128));
    }
}

#[test]
fn a_model_that_looks_along_another_axis_is_turned() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let file = ["corpus/unigine/skinned_ms11.mesh", "-o", utf8(&path)];
        let output = thumb(&[&file, more].concat());
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{more:?}");
        fs::read(&path).unwrap()
    };
    let plain = picture("plain.png", &[]);
    assert!(picture("front.png", &["--forward", "y"]) == plain, "+Y is the forward axis of UNIGINE");
    assert!(picture("back.png", &["--forward", "-y"]) != plain, "the back is another picture");
    let output = thumb(&[
        "corpus/unigine/skinned_ms11.mesh",
        "--forward",
        "z",
        "-o",
        utf8(&folder.path().join("up.png")),
    ]);
    assert!(stderr(&output).contains("--forward +Z: up is +Z in the file"), "{}", stderr(&output));
    let output = thumb(&["corpus/unigine/skinned_ms11.mesh", "--forward", "w"]);
    assert!(stderr(&output).contains("expected x, -x, y, -y, z or -z"), "{}", stderr(&output));
}
