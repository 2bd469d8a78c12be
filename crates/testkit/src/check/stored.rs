//! What is written to be read again later: packs, and ranges of remote objects that are kept in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use arbitrary::{Result, Unstructured};
use meshlens_assets::{ArchiveFiles, AssetPath, Assets};
use meshlens_source::{ALIGNMENT, Archive, ArchiveLimits, ArchiveWriter, RangeCache, Source};
use meshlens_stream::{Bytes, PlanTable, PlanTableBuilder, TableFile};

use super::explained;
use crate::files::Files;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let thread = format!("{:?}", std::thread::current().id());
        let name = format!("meshlens-{name}-{}-{thread}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Packs a tree of files with any names, with a table of its models. The archive has the files that it took, aligned
/// and as they were; and the table finds the plans of its models.
pub fn pack(bytes: &[u8]) {
    let (folder, files) = (Folder::new("pack"), Files::unpack(bytes));
    let path = folder.0.join("out.pk3");
    let mut writer = ArchiveWriter::create(&path, false).expect("a new file");
    let (mut table, mut packed) = (PlanTableBuilder::default(), Vec::<(&str, &Bytes)>::new());
    for (name, content) in files.contents().filter(|(name, _)| !name.eq_ignore_ascii_case(PlanTable::NAME)) {
        if explained(writer.add(name, content)).is_some() {
            packed.push((name, content));
            // A table is of the files that have a plan.
            explained(table.add(&[(name, content)]));
        }
    }
    let plans = table.len();
    let made = table.finish();
    writer.add(PlanTable::NAME, &made).expect("no other file has this name");
    writer.finish().expect("a new file");
    let archive =
        Archive::open(Source::read(&path).expect("the file")).expect("what was written is an archive");
    for (name, content) in &packed {
        let entry = archive.entries().find(|entry| entry.name() == *name).expect("what was added");
        assert_eq!(*archive.read(&entry).expect("an entry"), ***content, "{name}");
        let start =
            archive.read(&entry).expect("an entry").as_ptr() as usize - archive.bytes().as_ptr() as usize;
        assert!(content.is_empty() || start.is_multiple_of(ALIGNMENT.into()), "{name} is at {start}");
    }
    let table = PlanTable::parse(made.into()).expect("what was written is a table");
    let found = packed.iter().filter(|(name, content)| {
        let file = TableFile { name, len: content.len() as u64, crc32: crc32fast::hash(content) };
        table.find(&[file]).is_some()
    });
    assert!(found.count() <= plans);
    let bytes = Bytes::from(fs::read(&path).expect("the file"));
    let mounted = Archive::parse(bytes, "out.pk3", ArchiveLimits::default()).expect("an archive");
    let mut assets = Assets::new();
    assets.mount("out.pk3", ArchiveFiles::new(mounted));
    for (name, content) in packed {
        let Ok(path) = AssetPath::new(name) else { continue };
        // Another file may have the same name but for its case.
        let Some(found) = assets.find(&path).expect("an archive in memory") else { continue };
        let read = assets.read_limited(&found, u64::MAX).expect("a file");
        assert!(found.path().as_str() != name || read == *content, "{name}");
    }
}

const OBJECTS: [&str; 2] = ["https://example.com/a.md3", "https://example.com/b.md3"];
const TAGS: [&str; 2] = ["\"1\"", "\"2\""];
/// The length of each object.
const LEN: u64 = 150_000;

/// The bytes of an object in a state.
fn content(object: usize, tag: usize, range: core::ops::Range<u64>) -> Vec<u8> {
    range.map(|at| (at as usize * 31 + object * 7 + tag * 13 + (at >> 16) as usize) as u8).collect()
}

/// Keeps and finds ranges in any order, beside others who change the files. What is found has the right length, and is right
/// unless somebody changed a file.
pub fn range_cache(bytes: &[u8]) {
    let folder = Folder::new("ranges");
    let _ = calls(&mut Unstructured::new(bytes), &folder.0);
}

fn calls(u: &mut Unstructured<'_>, folder: &Path) -> Result<()> {
    let limit = u.int_in_range(0..=LEN * 4)?;
    let cache = RangeCache::open(folder, limit).expect("a folder");
    let mut is_sound = true;
    for _ in 0..24 {
        let (object, tag) = (u.int_in_range(0..=1)?, u.int_in_range(0..=1)?);
        let start = u.int_in_range(0..=LEN)?;
        let range = start..u.int_in_range(0..=LEN + 10)?.max(start);
        match u.int_in_range(0..=4)? {
            0 | 1 => {
                let Some(mut keeping) = cache.keep(OBJECTS[object], TAGS[tag], LEN, range.clone()) else {
                    continue;
                };
                let bytes = content(object, tag, range);
                let portion = u.int_in_range(1..=70_000)?;
                // Sometimes too few.
                let portions = if u.ratio(1, 8)? { 1 } else { usize::MAX };
                bytes.chunks(portion).take(portions).for_each(|bytes| keeping.write(bytes));
                keeping.finish();
            }
            2 | 3 => {
                let wanted = u.arbitrary()?;
                let Some(mut found) =
                    cache.find(OBJECTS[object], Some(TAGS[tag]).filter(|_| wanted), range.clone())
                else {
                    continue;
                };
                let mut out = vec![0; range.end.min(LEN).saturating_sub(range.start) as usize];
                let is_read = found.read(range.start, &mut out);
                let of = TAGS.iter().position(|tag| *tag == found.tag());
                if is_sound && is_read {
                    let of = of.expect("a tag that was kept");
                    assert!(!wanted || of == tag, "another state");
                    assert!(out == content(object, of, range.start..range.end.min(LEN)), "{range:?}");
                }
            }
            _ => is_sound &= !changed(u, folder)?,
        }
        let on_disk: u64 =
            entries(folder).iter().map(|path| path.metadata().map_or(0, |meta| meta.len())).sum();
        assert!(on_disk <= limit || !is_sound, "{on_disk} bytes of {limit}");
        assert_eq!(cache.error(), None);
    }
    Ok(())
}

/// Replaces bytes of an entry, or all of them. Returns whether there was one.
fn changed(u: &mut Unstructured<'_>, folder: &Path) -> Result<bool> {
    let entries = entries(folder);
    if entries.is_empty() {
        return Ok(false);
    }
    let path = &entries[u.int_in_range(0..=entries.len() - 1)?];
    let Ok(mut bytes) = fs::read(path) else { return Ok(false) };
    let len = u.int_in_range(0..=64)?;
    let new = u.bytes(len.min(u.len()))?.to_vec();
    if u.arbitrary()? {
        bytes = new;
    } else {
        let at = u.int_in_range(0..=bytes.len())?;
        bytes.iter_mut().skip(at).zip(new).for_each(|(byte, new)| *byte = new);
    }
    let _ = fs::write(path, bytes);
    Ok(true)
}

/// The files of ranges.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let all = crate::real::files_below(folder).into_iter();
    let mut all: Vec<_> = all.filter(|path| path.extension().is_some_and(|known| known == "range")).collect();
    all.sort();
    all
}
