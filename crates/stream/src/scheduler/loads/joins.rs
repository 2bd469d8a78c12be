//! The reads of loads: ranges that are near each other are read together.

use meshlens::part::FileRange;

use super::super::Scheduler;
use super::{Load, LoadState};
use crate::slab::Key;
use crate::{Few, streamed};

/// A planned read: bytes of one file, and the loads that need them.
pub(super) struct Joined {
    pub(super) range: FileRange,
    pub(super) loads: Few<Key>,
}

impl Scheduler {
    /// The reads of a load. Nearby ranges are joined, and waiting loads of the same model are included if all their
    /// ranges are nearby.
    pub(super) fn join_reads(
        &self,
        id: Key,
        missing: &[FileRange],
        streamed: &streamed::Inner,
    ) -> Vec<Joined> {
        let mut joined = self.own_reads(id, missing, streamed, true);
        let whole = |range: FileRange| whole(streamed, range);
        let of = self.loads.get(id).and_then(|load| self.models.get(load.of));
        let others = of.map(|state| state.loads.as_slice()).unwrap_or_default();
        let mut others: Vec<(Key, &Load)> = others
            .iter()
            .filter(|(_, other)| *other != id)
            .filter_map(|(_, other)| Some((*other, self.loads.get(*other)?)))
            .filter(|(_, other)| other.state == LoadState::Queued)
            .collect();
        others.sort_by_key(|(_, other)| (std::cmp::Reverse(other.priority), other.place.number));
        for (other, load) in others {
            let missing = load.missing();
            let read_of =
                |range: &FileRange| joined.iter().position(|read| self.is_near(&read.range, &whole(*range)));
            let reads: Option<Vec<usize>> = missing.iter().map(read_of).collect();
            for (read, range) in reads.into_iter().flatten().zip(&missing) {
                let read = &mut joined[read];
                let range = whole(*range);
                read.range.start = read.range.start.min(range.start);
                read.range.end = read.range.end.max(range.end);
                if !read.loads.contains(&other) {
                    read.loads.push(other);
                }
            }
        }
        joined
    }

    /// The reads of the missing ranges of one load. Nearby ranges are joined if there is memory for the gaps between them.
    pub(super) fn own_reads(
        &self,
        id: Key,
        missing: &[FileRange],
        streamed: &streamed::Inner,
        joins: bool,
    ) -> Vec<Joined> {
        let mut joined: Vec<Joined> = Vec::new();
        for range in missing.iter().map(|range| whole(streamed, *range)) {
            let is_joined =
                |last: &&mut Joined| last.range == range || joins && self.is_near(&last.range, &range);
            match joined.last_mut().filter(is_joined) {
                Some(last) => last.range.end = last.range.end.max(range.end),
                None => joined.push(Joined { range, loads: Few::from_elem(id, 1) }),
            }
        }
        joined
    }

    /// Whether one read of both ranges is better than two.
    fn is_near(&self, a: &FileRange, b: &FileRange) -> bool {
        let gap = b.start.saturating_sub(a.end).max(a.start.saturating_sub(b.end));
        let len = a.end.max(b.end) - a.start.min(b.start);
        let is_inside = a.start <= b.start && b.end <= a.end;
        a.file == b.file && gap <= self.options.join_gap && (is_inside || len <= self.options.join_size)
    }
}

/// The whole file instead of a range, if the backend reads it anyway.
pub(super) fn whole(streamed: &streamed::Inner, range: FileRange) -> FileRange {
    let described = streamed.described(range.file);
    match described.file_len.filter(|_| described.is_whole) {
        Some(len) => FileRange::new(range.file, 0..len),
        None => range,
    }
}
