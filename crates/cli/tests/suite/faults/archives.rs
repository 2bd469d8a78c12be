//! Hostile archives.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{assert_code, folder, json, model, shell, stderr};

/// An archive whose entries are added by `add`.
pub(super) fn archive(path: &Path, add: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    add(&mut zip);
    fs::write(path, zip.finish().unwrap().into_inner()).unwrap();
}

pub(super) fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

#[test]
fn a_bomb_does_not_go_off() {
    let (_keep, path) = folder();
    let pak = path.join("bomb.pk3");
    archive(&pak, |zip| {
        let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file("models/bomb.md3", deflated).unwrap();
        for _ in 0..300 {
            zip.write_all(&vec![0; 1 << 20]).unwrap();
        }
        zip.start_file("models/good.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    assert!(pak.metadata().unwrap().len() < 1 << 20);
    // 64 MiB of memory, where the bomb would take 300.
    let output = shell(r#"ulimit -d 65536; "$meshlens" inspect -j 1 --format json "$1""#, &pak);
    assert_code(&output, 2);
    let document = json(&output);
    assert!(document["files"][0]["error"].as_str().unwrap().contains("when inflated"), "{document}");
    assert_eq!(document["files"][1]["format"], "md3");
}

#[test]
fn an_archive_of_a_hundred_thousand_entries_is_listed() {
    let (_keep, path) = folder();
    let pak = path.join("many.pk3");
    archive(&pak, |zip| {
        for number in 0..100_000 {
            zip.start_file(format!("textures/{number:06}.txt"), stored()).unwrap();
        }
        zip.start_file("models/only.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    let output = shell(r#"ulimit -d 262144; "$meshlens" inspect -j 1 --format json "$1""#, &pak);
    assert_code(&output, 0);
    assert_eq!(json(&output)["totals"]["files"], 1);
    let one = PathBuf::from(format!("{}!MODELS\\ONLY.md3", pak.display()));
    assert_code(&shell(r#""$meshlens" dump "$1""#, &one), 0);
}

#[test]
fn names_in_an_archive_do_not_lead_out_of_it_and_may_be_there_twice() {
    let (_keep, path) = folder();
    let pak = path.join("names.pk3");
    let deep = format!("{}deep.md3", "a/".repeat(500));
    archive(&pak, |zip| {
        for name in ["../up.md3", "/root.md3", "c:\\drive.md3", "Twice.md3", "twice.MD3", deep.as_str()] {
            zip.start_file(name, stored()).unwrap();
            zip.write_all(&model()).unwrap();
        }
        zip.start_file("inner.pk3", stored()).unwrap();
        zip.write_all(b"an archive in an archive is bytes").unwrap();
    });
    let output = shell(r#""$meshlens" inspect --format json "$1""#, &pak);
    assert_code(&output, 2);
    for name in ["up.md3", "root.md3", "drive.md3"] {
        assert!(stderr(&output).contains(name), "{}", stderr(&output));
    }
    let document = json(&output);
    let uris: Vec<&str> =
        document["files"].as_array().unwrap().iter().map(|file| file["uri"].as_str().unwrap()).collect();
    let expected = [deep.as_str(), "Twice.md3", "twice.MD3"].map(|name| format!("{}!{name}", pak.display()));
    assert_eq!(uris, expected);
    assert!(fs::read_dir(&path).unwrap().count() == 1, "something was written beside the archive");
}

/// Twenty entries that all inflate the same bytes, which would be twenty times the work.
#[test]
fn entries_that_overlap_are_refused_and_the_rest_goes_on() {
    let (_keep, path) = folder();
    let pak = path.join("overlap.pk3");
    archive(&pak, |zip| {
        let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        for number in 0..20 {
            zip.start_file(format!("{number:02}.md3"), deflated).unwrap();
            zip.write_all(&model()).unwrap();
        }
        zip.start_file("good.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    let mut bytes = fs::read(&pak).unwrap();
    let records: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
    assert_eq!(records.len(), 21);
    for record in &records[..20] {
        // The offset of the local header (APPNOTE 4.3.12): the one of the first entry.
        bytes[record + 42..record + 46].fill(0);
    }
    fs::write(&pak, &bytes).unwrap();
    let output = shell(r#""$meshlens" inspect --format json "$1""#, &pak);
    assert_code(&output, 2);
    let document = json(&output);
    let files = document["files"].as_array().unwrap();
    assert_eq!(files.len(), 21);
    for (number, file) in files[..20].iter().enumerate() {
        let error = file["error"].as_str().unwrap();
        let other = if number == 0 { "01.md3" } else { "00.md3" };
        assert!(error.contains(&format!(" overlaps {other} at 0x0")), "{error}");
    }
    assert_eq!(files[20]["format"], "md3");
}
