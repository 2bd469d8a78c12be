//! The arrays of the models that are measured, sorted by format and name.

use meshlens::lens::{Encoding, Lens, Level};
use meshlens::{Document, VisitArrays};
use meshlens_source::Room;

/// A lens whose encoding does not matter any more.
pub(super) trait Decode: Send + Sync {
    fn elements(&self) -> u64;
    fn bytes(&self) -> &[u8];
    /// Bytes of memory for its values or for a copy of its bytes, with what aligns them.
    fn room(&self) -> usize;
    fn decode(&self, level: Level, room: Room<'_>);
}

impl<E: Encoding + Send + Sync> Decode for Lens<'_, E> {
    fn elements(&self) -> u64 {
        self.len() as u64
    }

    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    fn room(&self) -> usize {
        self.len().saturating_mul(size_of::<E::Value>()).max(self.as_bytes().len()).saturating_add(64)
    }

    fn decode(&self, level: Level, mut room: Room<'_>) {
        // There is room for the largest, so every array is decoded.
        if let Some(out) = room.take::<E::Value>(self.len()) {
            let _ = std::hint::black_box(self.decode_into_with(level, out));
        }
    }
}

/// All arrays of one name and format, over all models.
pub(super) struct Group<'a> {
    pub(super) format: &'static str,
    pub(super) name: &'static str,
    pub(super) arrays: Vec<Box<dyn Decode + 'a>>,
    /// What is in these arrays is in those of another group too.
    pub(super) again: bool,
}

#[derive(Default)]
pub(super) struct Groups<'a> {
    format: &'static str,
    groups: Vec<Group<'a>>,
}

impl<'a> Groups<'a> {
    pub(super) fn add(&mut self, document: &Document<'a>) {
        self.format = document.format().name();
        document.visit_arrays(self);
    }
}

impl<'a> std::ops::Deref for Groups<'a> {
    type Target = [Group<'a>];

    fn deref(&self) -> &[Group<'a>] {
        &self.groups
    }
}

impl<'a> VisitArrays<'a> for Groups<'a> {
    fn array<E: Encoding + Send + Sync + 'a>(&mut self, name: &'static str, lens: Lens<'a, E>) {
        self.push(name, lens, false);
    }

    fn array_again<E: Encoding + Send + Sync + 'a>(&mut self, name: &'static str, lens: Lens<'a, E>) {
        self.push(name, lens, true);
    }
}

impl<'a> Groups<'a> {
    fn push<E: Encoding + Send + Sync + 'a>(&mut self, name: &'static str, lens: Lens<'a, E>, again: bool) {
        if lens.is_empty() {
            return;
        }
        let (format, lens) = (self.format, Box::new(lens));
        match self.groups.iter_mut().find(|group| (group.format, group.name) == (format, name)) {
            Some(group) => group.arrays.push(lens),
            None => self.groups.push(Group { format, name, arrays: vec![lens], again }),
        }
    }
}
