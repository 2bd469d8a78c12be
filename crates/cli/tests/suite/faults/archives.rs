//! Hostile archives.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use meshlens_testkit::share::few_or_all;
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
fn a_compression_bomb_is_refused() {
    let (_keep, path) = folder();
    let pak = path.join("bomb.pk3");
    archive(&pak, |zip| {
        let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file("models/bomb.md3", deflated).unwrap();
        for _ in 0..few_or_all(30, 300) {
            zip.write_all(&vec![0; 1 << 20]).unwrap();
        }
        zip.start_file("models/good.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    assert!(pak.metadata().unwrap().len() < 1 << 20);
    // The entry inflates to more than the memory limit.
    let limit = few_or_all(20, 64) << 10;
    let output = shell(&format!(r#"ulimit -d {limit}; "$meshlens" inspect -j 1 --format json "$1""#), &pak);
    assert_code(&output, 2);
    let document = json(&output);
    let expected = few_or_all("more than 200 times as many", "when inflated");
    assert!(document["files"][0]["error"].as_str().unwrap().contains(expected), "{document}");
    assert_eq!(document["files"][1]["format"], "md3");
}

#[test]
fn an_archive_of_many_entries_is_listed() {
    let (_keep, path) = folder();
    let pak = path.join("many.pk3");
    archive(&pak, |zip| {
        for number in 0..few_or_all(5_000, 100_000) {
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
fn names_in_an_archive_cannot_leave_it_and_may_be_repeated() {
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
    let refused = ["../up.md3", "/root.md3", "c:\\drive.md3"];
    let expected = [&[&*deep, "Twice.md3", "twice.MD3"], &refused[..]].concat();
    let expected: Vec<String> = expected.iter().map(|name| format!("{}!{name}", pak.display())).collect();
    assert_eq!(uris, expected);
    assert_eq!(document["totals"]["unreadable"], 3);
    assert!(fs::read_dir(&path).unwrap().count() == 1, "something was written beside the archive");
}

/// Twenty entries refer to the same compressed bytes. Inflating each would be twenty times the work.
#[test]
fn overlapping_entries_are_refused_and_the_others_are_read() {
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
        // The offset of the local header (APPNOTE 4.3.12) is set to the offset of the first entry.
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

/// Writes an archive with many names for one entry. None of them can be read.
fn many_names(path: &Path, count: usize) {
    let mut bytes = Vec::new();
    let header = |out: &mut Vec<u8>, signature: u32, zeros: usize, name: &str| {
        out.extend(signature.to_le_bytes());
        let start = out.len();
        out.resize(start + zeros, 0);
        let len = (name.len() as u16).to_le_bytes();
        // The length of the name (APPNOTE 4.3.7, 4.3.12).
        let at = if zeros == 26 { start + 22 } else { start + 24 };
        out[at..at + 2].copy_from_slice(&len);
        out.extend(name.bytes());
    };
    header(&mut bytes, 0x0403_4b50, 26, "x");
    let start = bytes.len() as u64;
    for number in 0..count {
        header(&mut bytes, 0x0201_4b50, 42, &format!("{number}.md3"));
    }
    let end = bytes.len() as u64;
    // The end records of archives of more than 65,535 entries (APPNOTE 4.3.14 to 4.3.16).
    bytes.extend(0x0606_4b50u32.to_le_bytes());
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [count as u64, count as u64, end - start, start] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(0x0706_4b50u32.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(end.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(0x0605_4b50u32.to_le_bytes());
    bytes.extend([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    bytes.extend([0xff; 8]);
    bytes.extend([0; 2]);
    fs::write(path, bytes).unwrap();
}

/// An earlier version needed 1,700 bytes for each entry.
#[test]
fn memory_does_not_grow_with_the_number_of_entries() {
    let (_keep, path) = folder();
    let (count, limit) = few_or_all((4_000, 20), (100_000, 128));
    for name in ["a.pk3", "b.pk3"] {
        many_names(&path.join(name), count);
    }
    for verb in ["inspect -j 1 --format jsonl", "validate -j 1", "convert -j 1 --out-dir \"$1.out\""] {
        let line = format!(r#"ulimit -d $(({limit} * 1024)); "$meshlens" {verb} "$1" 2>"$1/told""#);
        let output = shell(&line, &path);
        let told = fs::read_to_string(path.join("told")).unwrap();
        let end = told.lines().last().unwrap_or_default();
        assert_eq!(output.status.code(), Some(2), "{verb}: {end}");
        assert_eq!(told.lines().count(), 2 * count, "{verb}: {end}");
        assert!(told.lines().all(|line| line.contains(" overlaps ")), "{verb}: {end}");
        let lines = output.stdout.split(|byte| *byte == b'\n').count();
        assert_eq!(lines > 2 * count, verb.contains("jsonl"), "{verb}: {lines} lines");
    }
    assert!(!PathBuf::from(format!("{}.out", path.display())).exists());
}

#[test]
fn names_in_archives_are_charged_to_the_memory_limit() {
    let (_keep, path) = folder();
    many_names(&path.join("a.pk3"), 200_000);
    fs::write(path.join("b.md3"), model()).unwrap();
    for verb in ["inspect", "validate", "convert --out-dir \"$1/out\""] {
        let output = shell(&format!(r#""$meshlens" {verb} --max-memory 8M "$1""#), &path);
        assert_code(&output, 2);
        let told = stderr(&output);
        assert!(told.contains("a.pk3: the list of its entries need"), "{verb}: {told}");
        assert!(
            told.contains("the limit is 8388608") && told.contains("--max-memory allows more"),
            "{verb}: {told}"
        );
        assert!(String::from_utf8(output.stdout).unwrap().contains('1'), "{verb}: the other file is read");
    }
    assert!(path.join("out/b.glb").exists());
}

/// The name with an ESC character would be altered to the name of the other entry.
#[test]
fn an_altered_name_does_not_replace_another_output() {
    let (_keep, path) = folder();
    let pak = path.join("names.pk3");
    archive(&pak, |zip| {
        for (name, is_model) in [("a\u{1b}b.md3", false), ("a_b.md3", true), ("a\u{1b}c.md3", true)] {
            zip.start_file(name, stored()).unwrap();
            zip.write_all(&if is_model { model() } else { b"no model".to_vec() }).unwrap();
        }
    });
    let output = shell(r#""$meshlens" convert --out-dir "$1.out" "$1""#, &pak);
    let out = PathBuf::from(format!("{}.out", pak.display()));
    let mut names: Vec<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a_b.glb", "a_c.glb"]);
    assert_code(&output, 1);
    assert!(stderr(&output).contains(r"a\u{1b}b.md3"), "{}", stderr(&output));
}
