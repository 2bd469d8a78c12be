//! Bytes by offset. Most files are in one piece, which needs no allocation.

use std::collections::BTreeMap;

use bytes::Bytes;

#[derive(Clone, Default)]
pub(crate) struct PieceMap {
    /// The piece with the smallest offset.
    first: Option<(u64, Bytes)>,
    others: BTreeMap<u64, Bytes>,
}

impl PieceMap {
    pub(crate) const fn new() -> Self {
        PieceMap { first: None, others: BTreeMap::new() }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// All pieces by offset.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Bytes)> {
        let first = self.first.iter().map(|(at, piece)| (*at, piece));
        first.chain(self.others.iter().map(|(at, piece)| (*at, piece)))
    }

    /// The last piece that starts before `offset`.
    pub(crate) fn last_before(&self, offset: u64) -> Option<(u64, &Bytes)> {
        self.last_to(offset.checked_sub(1)?)
    }

    /// The last piece that starts at `offset` or before.
    pub(crate) fn last_to(&self, offset: u64) -> Option<(u64, &Bytes)> {
        let other = if self.others.is_empty() { None } else { self.others.range(..=offset).next_back() };
        let first = self.first.as_ref().filter(|(at, _)| *at <= offset);
        other.or(first.map(|(at, piece)| (at, piece))).map(|(at, piece)| (*at, piece))
    }

    /// The first piece that starts at `offset` or after.
    pub(crate) fn first_from(&self, offset: u64) -> Option<(u64, &Bytes)> {
        let (at, piece) = self.first.as_ref()?;
        if *at >= offset {
            return Some((*at, piece));
        }
        self.others.range(offset..).next().map(|(at, piece)| (*at, piece))
    }

    pub(crate) fn insert(&mut self, offset: u64, piece: Bytes) {
        match &mut self.first {
            None => self.first = Some((offset, piece)),
            Some((first, _)) if offset > *first => {
                self.others.insert(offset, piece);
            }
            Some(first) => {
                let (at, other) = std::mem::replace(first, (offset, piece));
                if at != offset {
                    self.others.insert(at, other);
                }
            }
        }
    }

    pub(crate) fn remove(&mut self, offset: u64) -> Option<Bytes> {
        let Some((_, piece)) = self.first.take_if(|(first, _)| *first == offset) else {
            return self.others.remove(&offset);
        };
        self.first = self.others.pop_first();
        Some(piece)
    }
}
