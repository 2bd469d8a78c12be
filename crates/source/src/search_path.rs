//! Several archives as one tree, in which later archives override earlier ones.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::entry::Entry;
use crate::entry_name::fold_name;
use crate::{Archive, Error, ReadAt, Result, Source};

/// An ordered list of archives. A name is looked up in the last archive first, so that `pak1.pk3` can replace entries
/// of `pak0.pk3`.
#[derive(Debug)]
pub struct SearchPath<B = Source> {
    archives: Vec<Archive<B>>,
}

/// An entry and its archive.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found<'a, B = Source> {
    /// The archive.
    pub archive: &'a Archive<B>,
    /// The entry.
    pub entry: Entry<'a>,
}

impl<'a, B: ReadAt> Found<'a, B> {
    /// The bytes of the entry.
    ///
    /// # Errors
    ///
    /// Same as [`Archive::read`].
    pub fn read(&self) -> Result<Cow<'a, [u8]>> {
        self.archive.read(&self.entry)
    }
}

impl<B: ReadAt> SearchPath<B> {
    /// Makes a search path without archives.
    pub fn new() -> SearchPath<B> {
        SearchPath { archives: Vec::new() }
    }

    /// Adds an archive that overrides the earlier ones.
    pub fn push(&mut self, archive: Archive<B>) {
        self.archives.push(archive);
    }

    /// The archives; later ones override earlier ones.
    pub fn archives(&self) -> &[Archive<B>] {
        &self.archives
    }

    /// The entry with this name in the last archive that has one. Names are compared as in [`Archive`].
    pub fn find(&self, name: &str) -> Option<Found<'_, B>> {
        self.archives
            .iter()
            .rev()
            .find_map(|archive| archive.find(name).map(|entry| Found { archive, entry }))
    }

    /// The bytes of the entry with this name. If it cannot be read, that is an error: an overridden entry is not used
    /// instead.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`], and the errors of [`Archive::read`].
    pub fn read(&self, name: &str) -> Result<Cow<'_, [u8]>> {
        match self.find(name) {
            Some(found) => found.read(),
            None => {
                let archives: Vec<&str> = self.archives.iter().map(Archive::name).collect();
                Err(Error::NoEntry { archive: archives.join(":").into(), entry: name.into() })
            }
        }
    }

    /// The entries that can be found, each name once, sorted by name. Entries of folders and entries with refused names
    /// are left out.
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
