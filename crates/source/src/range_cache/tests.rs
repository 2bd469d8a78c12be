use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::*;

const OBJECT: &str = "https://example.com/models/a.md3";
const TAG: &str = "\"1\"";
const LEN: u64 = 200_000;

/// The bytes of an object in a state.
fn bytes_of(object: &str, tag: &str, range: Range<u64>) -> Vec<u8> {
    let seed = u64::from(crc32fast::hash(format!("{object} {tag}").as_bytes()));
    range.map(|at| ((at ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn keep(cache: &RangeCache, object: &str, tag: &str, range: Range<u64>) {
    if let Some(mut keeping) = cache.keep(object, tag, LEN, range.clone()) {
        // In portions, as a server sends them.
        bytes_of(object, tag, range).chunks(10_000).for_each(|portion| keeping.write(portion));
        keeping.finish();
    }
}

/// Whether a range is found. What is found is right.
fn has(cache: &RangeCache, object: &str, tag: Option<&str>, range: Range<u64>) -> bool {
    let Some(mut found) = cache.find(object, tag, range.clone()) else { return false };
    let mut out = vec![0; (range.end.min(LEN) - range.start) as usize];
    if !found.read(range.start, &mut out) {
        return false;
    }
    assert!(out == bytes_of(object, found.tag(), range.start..range.end.min(LEN)), "{range:?}");
    assert_eq!(found.object_len(), LEN);
    true
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.map(|entry| entry.path());
    let below = below.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    below.filter(|path| !path.ends_with("room") && !path.ends_with("CACHEDIR.TAG")).collect()
}

fn on_disk(folder: &Path) -> u64 {
    let len = |path: &PathBuf| path.metadata().map_or(0, |meta| meta.len().next_multiple_of(4096));
    files(folder).iter().map(len).sum()
}

fn opened() -> (tempfile::TempDir, RangeCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = RangeCache::open(folder.path(), 1 << 30).unwrap();
    (folder, cache)
}

#[test]
fn contained_ranges_are_found() {
    let (folder, cache) = opened();
    keep(&cache, OBJECT, TAG, 1000..180_000);
    for range in [1000..180_000, 1000..1001, 179_999..180_000, 65_000..70_000, 66_536..132_072, 100..1000] {
        assert_eq!(has(&cache, OBJECT, Some(TAG), range.clone()), range.start >= 1000, "{range:?}");
        assert_eq!(has(&cache, OBJECT, None, range.clone()), range.start >= 1000, "{range:?}");
    }
    for range in [999..1001, 179_999..180_001, 0..LEN, LEN..LEN + 1, 2000..2000] {
        assert!(!has(&cache, OBJECT, Some(TAG), range.clone()), "{range:?}");
    }
    // The end of the object ends every range.
    keep(&cache, OBJECT, TAG, 150_000..LEN);
    assert!(has(&cache, OBJECT, Some(TAG), 190_000..u64::MAX));
    assert!(!has(&cache, OBJECT, Some(TAG), LEN..u64::MAX));
    assert!(!has(&cache, "https://example.com/models/b.md3", None, 2000..2001));
    // A range replaces those inside it.
    assert_eq!(files(folder.path()).len(), 2);
    keep(&cache, OBJECT, TAG, 0..LEN);
    assert_eq!(files(folder.path()).len(), 1);
    assert!(has(&cache, OBJECT, Some(TAG), 0..u64::MAX));
}

#[test]
fn another_state_of_the_object_is_not_found() {
    let (folder, cache) = opened();
    keep(&cache, OBJECT, TAG, 0..100);
    keep(&cache, OBJECT, TAG, 300..400);
    assert!(!has(&cache, OBJECT, Some("\"2\""), 0..100));
    keep(&cache, OBJECT, "\"2\"", 0..100);
    assert!(has(&cache, OBJECT, Some("\"2\""), 0..100) && has(&cache, OBJECT, None, 0..100));
    assert!(!has(&cache, OBJECT, Some(TAG), 0..100) && !has(&cache, OBJECT, Some(TAG), 300..400));
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn a_range_is_found_when_it_is_complete() {
    let (folder, cache) = opened();
    let mut keeping = cache.keep(OBJECT, TAG, LEN, 0..70_000).unwrap();
    keeping.write(&bytes_of(OBJECT, TAG, 0..69_999));
    assert!(!has(&cache, OBJECT, None, 0..1));
    keeping.finish();
    assert!(files(folder.path()).is_empty(), "one byte is missing");
    let mut keeping = cache.keep(OBJECT, TAG, LEN, 0..70_000).unwrap();
    keeping.write(&[0; 70_001]);
    keeping.finish();
    assert!(files(folder.path()).is_empty(), "one byte too many");
    drop(cache.keep(OBJECT, TAG, LEN, 0..70_000).unwrap());
    assert!(files(folder.path()).is_empty() && cache.error().is_none());
    assert!(cache.keep(OBJECT, TAG, LEN, 5..5).is_none());
    assert!(cache.keep(OBJECT, TAG, LEN, 5..LEN + 1).is_none());
}

/// Changes the file of a range in many ways. Whatever is read from it is right.
fn damaged(range: Range<u64>, damage: impl Fn(&[u8], &mut dyn FnMut(&[u8]))) {
    let (folder, cache) = opened();
    keep(&cache, OBJECT, TAG, range.clone());
    let [path] = &files(folder.path())[..] else { panic!("one file") };
    let sound = std::fs::read(path).unwrap();
    damage(&sound, &mut |bytes| {
        std::fs::write(path, bytes).unwrap();
        assert!(!has(&cache, OBJECT, Some(TAG), range.clone()), "{} bytes", bytes.len());
        assert!(!path.exists(), "a damaged file is removed");
        // The object is kept again.
        std::fs::write(path, &sound).unwrap();
        assert!(has(&cache, OBJECT, None, range.clone()));
    });
    assert!(cache.error().is_none());
}

#[test]
fn a_torn_file_is_absent() {
    damaged(7..57, |sound, check| (0..sound.len()).for_each(|len| check(&sound[..len])));
    // A file that is as long as it should be, without its last blocks.
    damaged(7..57, |sound, check| {
        for len in 0..sound.len() {
            let mut torn = sound.to_vec();
            torn[len..].fill(0);
            if torn != sound {
                check(&torn);
            }
        }
    });
    damaged(7..57, |sound, check| check(&[sound, &[0]].concat()));
}

#[test]
fn an_altered_byte_is_noticed() {
    damaged(7..57, |sound, check| {
        for at in 0..sound.len() {
            for change in [1, 0x80, 0xff] {
                let mut altered = sound.to_vec();
                altered[at] ^= change;
                check(&altered);
            }
        }
    });
    // Blocks that change places.
    damaged(0..196_608, |sound, check| {
        let data = sound.len() - 3 * entry::BLOCK;
        let mut altered = sound.to_vec();
        altered[data..].rotate_left(entry::BLOCK);
        check(&altered);
    });
}

#[test]
fn damage_elsewhere_in_a_range_does_not_matter() {
    let (folder, cache) = opened();
    keep(&cache, OBJECT, TAG, 0..LEN);
    let path = files(folder.path()).remove(0);
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(has(&cache, OBJECT, Some(TAG), 10..70_000));
    assert!(!has(&cache, OBJECT, Some(TAG), 10..LEN) && !path.exists());
}

#[test]
fn a_file_under_the_name_of_another_is_absent() {
    let (folder, cache) = opened();
    keep(&cache, OBJECT, TAG, 0..100);
    let path = files(folder.path()).remove(0);
    let other = path.with_file_name("64-c8-30d40-0.range");
    std::fs::copy(&path, &other).unwrap();
    assert!(!has(&cache, OBJECT, None, 110..120) && !other.exists());
    std::fs::copy(&path, &other).unwrap();
    std::fs::rename(&path, path.with_file_name(path.file_name().unwrap().to_str().unwrap().to_uppercase()))
        .unwrap();
    assert!(!has(&cache, OBJECT, None, 0..100));
}

#[test]
fn the_oldest_ranges_are_removed_first() {
    let folder = tempfile::tempdir().unwrap();
    let limit = 16 * 4096;
    let cache = RangeCache::open(folder.path(), limit).unwrap();
    let object = |number: u64| format!("https://example.com/{number}");
    for number in 0..16 {
        keep(&cache, &object(number), TAG, 0..100);
        // Used a long time ago, in this order.
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(number);
        let path =
            cache.folder(&object(number)).join(files(&cache.folder(&object(number)))[0].file_name().unwrap());
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(on_disk(folder.path()), limit);
    assert!(has(&cache, &object(0), None, 0..100), "used now");
    keep(&cache, &object(16), TAG, 0..100);
    let kept: Vec<u64> = (0..=16).filter(|number| has(&cache, &object(*number), None, 0..100)).collect();
    assert_eq!(kept, [&[0][..], &(3..=16).collect::<Vec<_>>()].concat());
    assert_eq!(on_disk(folder.path()), limit - 4096);
    // Larger than everything.
    keep(&cache, OBJECT, TAG, 0..LEN);
    assert!(!has(&cache, OBJECT, None, 0..1) && cache.error().is_none());
    assert_eq!(files(folder.path()).len(), 15);
}

#[test]
fn files_of_ended_processes_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = RangeCache::open(folder.path(), 3 * 4096).unwrap();
    let keeping = cache.keep(OBJECT, TAG, LEN, 0..100).unwrap();
    let left = cache.folder(OBJECT).join("1-0-1.tmp");
    std::fs::write(&left, [0; 100]).unwrap();
    std::fs::remove_file(folder.path().join(ENTRIES).join("room")).unwrap();
    keep(&cache, OBJECT, TAG, 200..300);
    assert!(!left.exists(), "nobody has locked it");
    keeping.finish();
    assert!(has(&cache, OBJECT, None, 200..300));
}

#[test]
fn nothing_changes_while_another_process_counts() {
    let (folder, cache) = opened();
    let keeping = |range: Range<u64>| {
        let mut keeping = cache.keep(OBJECT, TAG, LEN, range.clone())?;
        keeping.write(&bytes_of(OBJECT, TAG, range));
        Some(keeping)
    };
    let finished = keeping(0..100).unwrap();
    let others = File::options().write(true).open(folder.path().join(ENTRIES).join("room")).unwrap();
    others.lock().unwrap();
    assert!(keeping(200..300).is_none());
    // It would have two names, and be counted under neither.
    finished.finish();
    assert!(files(folder.path()).is_empty() && cache.error().is_none());
    others.unlock().unwrap();
    keeping(0..100).unwrap().finish();
    assert!(has(&cache, OBJECT, None, 0..100));
}

#[test]
fn somebody_removes_the_folder() {
    let (folder, cache) = opened();
    let mut keeping = cache.keep(OBJECT, TAG, LEN, 0..100).unwrap();
    keep(&cache, OBJECT, TAG, 200..300);
    let mut found = cache.find(OBJECT, None, 200..300).unwrap();
    std::fs::remove_dir_all(folder.path()).unwrap();
    keeping.write(&[0; 100]);
    keeping.finish();
    // An open file keeps its bytes, except on Windows.
    let mut out = [0; 100];
    assert!(!found.read(200, &mut out) || out[..] == bytes_of(OBJECT, TAG, 200..300));
    assert!(!has(&cache, OBJECT, None, 200..300));
    keep(&cache, OBJECT, TAG, 0..100);
    assert!(has(&cache, OBJECT, None, 0..100) && cache.error().is_none());
}

/// A file on a disk that has room for this number of bytes.
struct Small(File);

static LEFT: AtomicU64 = AtomicU64::new(150_000);

impl WriteEntry for Small {
    fn file(&self) -> &File {
        &self.0
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let left = LEFT.load(Ordering::Relaxed);
        let fits = bytes.len().min(left as usize);
        WriteEntry::write_at(&mut self.0, offset, &bytes[..fits])?;
        LEFT.store(left - fits as u64, Ordering::Relaxed);
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[test]
fn a_full_disk_ends_the_keeping() {
    let folder = tempfile::tempdir().unwrap();
    let create: Create = |path| {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        Ok(Box::new(Small(file)))
    };
    let cache = RangeCache::open_with(create, folder.path(), 1 << 30).unwrap();
    keep(&cache, OBJECT, TAG, 0..100_000);
    keep(&cache, OBJECT, TAG, 100_000..LEN);
    let text = cache.error().unwrap().to_owned();
    assert!(text.starts_with(&*folder.path().to_string_lossy()) && text.contains("cannot write: "), "{text}");
    assert!(has(&cache, OBJECT, None, 0..100_000) && !has(&cache, OBJECT, None, 100_000..100_001));
    assert_eq!(files(folder.path()).len(), 1, "nothing remains");
    assert!(cache.keep(OBJECT, TAG, LEN, 5..6).is_none());
    // Another process, when there is room again.
    let cache = RangeCache::open(folder.path(), 1 << 30).unwrap();
    keep(&cache, OBJECT, TAG, 100_000..LEN);
    assert!(has(&cache, OBJECT, None, 100_000..LEN));
}

#[test]
fn several_users_of_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let limit = 1 << 20;
    let start = std::sync::Barrier::new(4);
    let (start, path) = (&start, folder.path());
    let found: usize = std::thread::scope(|scope| {
        let user = |user: u64| {
            // Each has its own, as if it were another process.
            let cache = RangeCache::open(path, limit).unwrap();
            start.wait();
            let mut found = 0;
            for round in 0..300 {
                let number = (round * 7 + user * 3) % 11;
                let (object, tag) = (format!("https://example.com/{number}"), format!("\"{}\"", round / 100));
                let from = (round + user) % 5 * 1000;
                let range = from..from + 1 + number * 9000;
                if has(&cache, &object, Some(&tag), range.clone()) {
                    found += 1;
                } else {
                    keep(&cache, &object, &tag, range);
                }
                has(&cache, &object, None, from..from + 1);
            }
            assert!(cache.error().is_none(), "{:?}", cache.error());
            found
        };
        let users: Vec<_> = (0..4).map(|number| scope.spawn(move || user(number))).collect();
        users.into_iter().map(|user| user.join().unwrap()).sum()
    });
    assert!(found > 0);
    assert!(on_disk(path) <= limit, "{} bytes", on_disk(path));
    let left = files(path).iter().filter(|path| path.extension().unwrap() == "tmp").count();
    assert_eq!(left, 0);
}
