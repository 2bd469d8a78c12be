//! PK3 and zip archives.

use std::borrow::Cow;

use meshlens_assets::{ArchiveFiles, AssetPath, Assets, Bytes, FindOptions};
use meshlens_source::{Archive, ArchiveLimits};

use crate::meter::bounded_by;

/// The memory per byte that listing an archive may use. An entry takes 72 bytes and its name, and the directory can
/// have one every 47 bytes.
const MEMORY_PER_BYTE: u64 = 4;

/// Lists, finds and reads every entry, and checks the models among them.
pub fn archive(bytes: &[u8]) {
    let limits = ArchiveLimits { max_entry_bytes: 1 << 20, max_entries: 4096, ..ArchiveLimits::default() };
    let list = || Archive::parse(bytes, "archive", limits);
    let Ok(archive) = bounded_by(MEMORY_PER_BYTE, bytes.len(), "list", list) else { return };
    let mut inflated = 0;
    for entry in archive.entries() {
        if entry.name_fault().is_none() && !entry.is_folder() {
            assert!(
                archive.find(&entry.name().to_ascii_uppercase()).is_some(),
                "{} is not found",
                entry.name()
            );
        }
        match archive.read(&entry) {
            Ok(Cow::Borrowed(stored)) => {
                let (start, end) = (bytes.as_ptr_range().start, bytes.as_ptr_range().end);
                let range = stored.as_ptr_range();
                assert!(stored.is_empty() || (range.start >= start && range.end <= end), "not borrowed");
            }
            Ok(Cow::Owned(content)) => {
                assert!(content.len() as u64 == entry.size() && content.len() <= 1 << 20);
                inflated += content.len();
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if inflated > 8 << 20 {
            break;
        }
    }
    walk(bytes, &limits);
}

/// Finds the models of an archive one by one.
fn walk(bytes: &[u8], limits: &ArchiveLimits) {
    let Ok(archive) = Archive::parse(Bytes::copy_from_slice(bytes), "archive", *limits) else { return };
    // Scripts are read and kept.
    let has_scripts = archive.entries().any(|entry| entry.name().to_ascii_lowercase().ends_with(".uc"));
    let most = archive.entries().len();
    let count = || {
        let mut assets = Assets::new();
        assets.mount("archive", ArchiveFiles::new(archive));
        assets.each_model(&AssetPath::root(), &FindOptions::default()).filter(Result::is_ok).count()
    };
    let found = if has_scripts { count() } else { bounded_by(MEMORY_PER_BYTE, bytes.len(), "walk", count) };
    assert!(found <= most, "{found} models of {most} entries");
}
