//! The memory of loads: for their bytes, and for decoding.

use bytes::Bytes;
use meshlens::part::{FileRange, PartInfo};

use super::super::Scheduler;
use super::super::reads::memory_of;
use super::Load;
use crate::backend::ReadMemory;
use crate::pool::{Charge, Pool};
use crate::slab::Key;
use crate::{Error, Part, PartialModel};

impl Scheduler {
    /// The temporary memory for decoding the requests of a load, for as many of them as fit in `left` bytes.
    pub(super) fn scratch_for(&self, id: Key, left: usize) -> Vec<usize> {
        let Some(load) = self.loads.get(id) else { return Vec::new() };
        let size = load.scratch_size(self.pool.limit());
        let waiters = load.waiters.iter().filter_map(|id| self.requests.get(*id));
        let count = waiters.filter(|active| active.needs_scratch()).count();
        vec![size; left.checked_div(size).map_or(count, |most| most.min(count))]
    }
}

impl Load {
    /// Adds copies of bytes that a probe has read.
    pub(super) fn insert(
        &mut self,
        found: Vec<(FileRange, Bytes)>,
        charges: Vec<Charge>,
    ) -> Result<(), Error> {
        let loading = self.loading.as_mut();
        let Some(model) = loading.and_then(|loading| loading.model.as_mut()) else { return Ok(()) };
        for ((range, bytes), charge) in found.into_iter().zip(charges) {
            let no_memory = || Error::NoMemory { file: self.streamed.file(range.file), bytes: range.len() };
            model.insert(range.file, range.start, copy(charge, &bytes).ok_or_else(no_memory)?);
        }
        Ok(())
    }

    /// The temporary memory for decoding: at most the decoded size of the part.
    pub(super) fn scratch_size(&self, limit: usize) -> usize {
        let info = self.loading.as_ref().and_then(|loading| loading.info.as_ref());
        let decoded = info.map_or(0, PartInfo::decoded_size);
        let ranges = info.map(PartInfo::ranges).unwrap_or_default();
        let stored = ranges.iter().map(|range| memory_of(range.len())).fold(0, usize::saturating_add);
        // A part that can be read is also decoded, with the memory that is left.
        let left = limit.saturating_sub(stored);
        usize::try_from(decoded).unwrap_or(usize::MAX).min(left)
    }
}

/// The memory of a read, with a copy of the first bytes of its range, if they are known. `None` if the system does not provide
/// memory for them.
pub(super) fn memory_with(charge: Charge, range: FileRange, before: Option<&[u8]>) -> Option<ReadMemory> {
    let Some(before) = before else { return Some(ReadMemory::Reserved(charge)) };
    let mut buffer = charge.try_into_buffer(usize::try_from(range.len()).ok()?)?;
    buffer.as_mut().get_mut(..before.len())?.copy_from_slice(before);
    Some(ReadMemory::Begun(buffer, before.len()))
}

/// Adds the bytes of a read that a part needs. Returns whether all of them are copies.
pub(super) fn insert_of(
    model: &mut PartialModel,
    part: Part,
    range: FileRange,
    answer: &Bytes,
    pool: &Pool,
) -> bool {
    let mut are_copies = true;
    for missing in model.missing(part) {
        let is_here = missing.file == range.file && range.start <= missing.start && missing.end <= range.end;
        if !is_here {
            continue;
        }
        let (start, end) = ((missing.start - range.start) as usize, (missing.end - range.start) as usize);
        let bytes = answer.slice(start..end);
        // A small part must not keep a large read alive.
        let is_small = Pool::size_of(bytes.len()) < Pool::size_of(answer.len()) / 2;
        let charge = if is_small { pool.charge(Pool::size_of(bytes.len())) } else { None };
        let copied = charge.and_then(|charge| copy(charge, &bytes));
        are_copies &= copied.is_some();
        model.insert(missing.file, missing.start, copied.unwrap_or(bytes));
    }
    are_copies
}

/// Copies bytes to memory of the pool; `None` if the system does not provide it.
fn copy(charge: Charge, bytes: &[u8]) -> Option<Bytes> {
    let mut buffer = charge.try_into_buffer(bytes.len())?;
    buffer.as_mut().copy_from_slice(bytes);
    Some(Bytes::from_owner(buffer))
}
