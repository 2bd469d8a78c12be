//! The C program of the guide, without changes.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::programs::{compile, crate_folder};

/// The program of the guide.
fn program() -> String {
    let guide = fs::read_to_string(crate_folder().join("GUIDE.md")).expect("the guide is in the repository");
    let (_, rest) = guide.split_once("```c\n").expect("a program in C");
    rest.split_once("```\n").expect("the end of the program").0.to_owned()
}

/// An archive with the player of the corpus, and a texture for its red skin: two pixels with only red.
fn write_archive(path: &Path) {
    let mut zip = ZipWriter::new(File::create(path).expect("a file"));
    let mut add = |name: &str, content: &[u8]| {
        let name = format!("models/players/block/{name}");
        zip.start_file(name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(content).expect("the content of an entry");
    };
    let player = crate_folder().join("../../corpus/md3/player");
    for entry in fs::read_dir(player).expect("the corpus has a player") {
        let entry = entry.expect("an entry of a folder");
        add(&entry.file_name().to_string_lossy(), &fs::read(entry.path()).expect("a file of the corpus"));
    }
    // The size, 24 bits per pixel, the first row at the top; then blue, green and red of each pixel.
    let tga = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0x20, 0, 0, 200, 0, 0, 255];
    add("red.tga", &tga);
    zip.finish().expect("the directory");
}

#[test]
#[cfg(target_os = "linux")]
fn the_program_draws_a_player_with_its_skin() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let [source, built, archive] = ["guide.c", "guide", "player.pk3"].map(|name| folder.path().join(name));
    fs::write(&source, program()).expect("the program is written");
    if !compile(&source, &built) {
        return;
    }
    write_archive(&archive);
    let draw = |skin| {
        let mut draw = Command::new(&built);
        draw.arg(&archive).args(["models/players/block", skin]).output().expect("the program starts")
    };
    let drawn = draw("red");
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let pixels = drawn.stdout.strip_prefix(b"P6\n768 192\n255\n").expect("four frames of 192 by 192 pixels");
    let (pixels, []) = pixels.as_chunks::<3>() else { panic!("whole pixels") };
    assert_eq!(pixels.len(), 768 * 192);
    // Each frame has a mark of 5 by 5 pixels in front of a red player on black.
    assert_eq!(pixels.iter().filter(|pixel| **pixel == [255, 255, 0]).count(), 4 * 25);
    let red = pixels.iter().filter(|pixel| pixel[0] > 0 && pixel[1..] == [0, 0]).count();
    assert!(red > 10_000, "{red}");
    assert!(pixels.iter().all(|pixel| *pixel == [255, 255, 0] || pixel[1..] == [0, 0]), "no other color");
    // The player moves between the frames.
    let row = &pixels[60 * 768..61 * 768];
    assert_ne!(row[..192], row[192..384]);

    let failed = draw("blue");
    assert_eq!(failed.status.code(), Some(1));
    let expected = "models/players/block/lower_blue.skin: not found; one of red\n";
    assert_eq!(String::from_utf8_lossy(&failed.stderr), expected);
}
