//! Several archives as one tree, the later ones overriding the earlier.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::entry::{Entry, fold_name};
use crate::{Archive, Error, ReadAt, Result, Source};

/// Archives in the order in which they were pushed. A name is looked for in the last one first, the way games
/// let `pak1.pk3` replace parts of `pak0.pk3`.
#[derive(Debug)]
pub struct SearchPath<B = Source> {
    archives: Vec<Archive<B>>,
}

/// An entry, and the archive that it was found in.
#[derive(Debug)]
pub struct Found<'a, B = Source> {
    /// The archive.
    pub archive: &'a Archive<B>,
    /// The entry.
    pub entry: Entry<'a>,
}

impl<'a, B: ReadAt> Found<'a, B> {
    /// The entry's bytes.
    ///
    /// # Errors
    ///
    /// As [`Archive::read`].
    pub fn read(&self) -> Result<Cow<'a, [u8]>> {
        self.archive.read(&self.entry)
    }
}

impl<B: ReadAt> SearchPath<B> {
    /// A path without archives.
    pub fn new() -> SearchPath<B> {
        SearchPath { archives: Vec::new() }
    }

    /// Adds an archive that overrides those that are there already.
    pub fn push(&mut self, archive: Archive<B>) {
        self.archives.push(archive);
    }

    /// The archives, the overriding ones last.
    pub fn archives(&self) -> &[Archive<B>] {
        &self.archives
    }

    /// The entry of this name in the last archive that has one. Names compare as in [`Archive`].
    pub fn find(&self, name: &str) -> Option<Found<'_, B>> {
        self.archives
            .iter()
            .rev()
            .find_map(|archive| archive.find(name).map(|entry| Found { archive, entry }))
    }

    /// The bytes of the entry of this name. An entry that cannot be read is an error: what it overrides does
    /// not take its place.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`], and as [`Archive::read`].
    pub fn read(&self, name: &str) -> Result<Cow<'_, [u8]>> {
        match self.find(name) {
            Some(found) => found.read(),
            None => {
                let archives: Vec<&str> = self.archives.iter().map(Archive::name).collect();
                Err(Error::NoEntry { archive: archives.join(":").into(), entry: name.into() })
            }
        }
    }

    /// What can be found, each name once, ordered by name (as names compare). Folders' own entries and refused
    /// names are left out.
    pub fn entries(&self) -> Vec<Found<'_, B>> {
        let mut merged = BTreeMap::new();
        for archive in &self.archives {
            for entry in archive.entries() {
                if entry.name_fault().is_none() && !entry.is_folder() {
                    merged.insert(fold_name(entry.name()), Found { archive, entry });
                }
            }
        }
        merged.into_values().collect()
    }
}

impl<B: ReadAt> Default for SearchPath<B> {
    fn default() -> SearchPath<B> {
        SearchPath::new()
    }
}
