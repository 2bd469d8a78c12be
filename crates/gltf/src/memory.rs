//! The memory of an export. Growing memory is charged, and released with the export.

use meshlens::wire::{Budget, Reservation};

use crate::Error;

/// The room that a list or a table has for each element: four for the first element, later up to twice the length, and
/// the old allocation while it grows.
pub(crate) const ROOM: usize = 4;

/// Bytes of every export: buffers, and lists and tables with few elements.
const BASE: usize = 64 << 10;

/// The memory of one export.
pub(crate) struct Memory(Reservation);

impl Memory {
    pub(crate) fn new(budget: &Budget) -> Result<Memory, Error> {
        let mut memory = Memory(budget.empty());
        memory.bytes(BASE, "an export")?;
        Ok(memory)
    }

    /// Charges bytes.
    pub(crate) fn bytes(&mut self, bytes: usize, what: &str) -> Result<(), Error> {
        Ok(self.0.grow(bytes, format_args!("{what}"))?)
    }

    /// Charges an array.
    pub(crate) fn array<T>(&mut self, count: usize, what: &str) -> Result<(), Error> {
        Ok(self.0.grow(count.saturating_mul(size_of::<T>()), format_args!("{count} {what}"))?)
    }

    /// Charges elements of lists and tables that grow.
    pub(crate) fn elements<T>(&mut self, count: usize, what: &str) -> Result<(), Error> {
        self.array::<[T; ROOM]>(count, what)
    }
}
