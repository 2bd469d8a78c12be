//! The totals of all rows.

use serde::Serialize;

use super::row::Row;

/// The sums of all models.
#[derive(Default, Serialize)]
pub(crate) struct Totals {
    pub(crate) files: u64,
    pub(crate) invalid: u64,
    pub(crate) unreadable: u64,
    pub(super) frames: u64,
    pub(super) surfaces: u64,
    pub(super) vertices: u64,
    pub(crate) triangles: u64,
    pub(crate) bytes: u64,
    pub(super) seconds: f64,
    pub(super) gigabytes_per_second: f64,
}

impl Totals {
    pub(super) fn add(&mut self, row: &Row) {
        self.files += 1;
        self.unreadable += u64::from(row.bytes.is_none());
        self.invalid += u64::from(row.bytes.is_some() && row.error.is_some() && !row.is_locked);
        for (total, count) in [
            (&mut self.frames, row.frames),
            (&mut self.surfaces, row.surfaces),
            (&mut self.vertices, row.vertices),
            (&mut self.triangles, row.triangles),
            (&mut self.bytes, row.bytes),
        ] {
            *total = total.saturating_add(count.unwrap_or_default());
        }
    }
}
