//! Whether a file is read or mapped: thresholds for each kind of use, with their measurements.

/// How much of a file the caller will use.
///
/// For only the first bytes use [`read_head`](crate::read_head), which costs the same at every file size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Headers and a few arrays, or one frame of many.
    Sparse,
    /// Every byte, about once.
    Everything,
}

/// [`Source::open`](crate::Source::open) maps files of at least this size (128 KiB) if only a small part of them is used ([`Access::Sparse`]).
///
/// `cargo bench -p meshlens-benches --bench source`: mapping and touching the first 4 KiB takes 5 to 9 us at any
/// size, reading 6 to 8 us at 128 KiB, 10 to 16 at 256 KiB and 49 to 74 at 1 MiB. On two cores of a Zen 5, Linux
/// 6.18, warm page cache of ext4 and of tmpfs; the ranges span both and two runs, here and below.
const MAP_SPARSE_FROM: u64 = 128 << 10;

/// The file size (512 KiB) from which [`Source::open_reusing`](crate::Source::open_reusing) maps a file that is used completely
/// ([`Access::Everything`]), even if the caller's buffer is large enough for it.
///
/// `cargo bench -p meshlens-benches --bench source`, reading into a reused buffer compared with mapping, using all
/// bytes, in us: 128 KiB 6 to 8 and 12 to 15; 256 KiB 10 to 15 and 10 to 16; 512 KiB 18 to 28 and 17 to 24; 1 MiB 49 to
/// 74 and 31 to 47; 2 MiB 196 to 270 and 59 to 130. If the page cache has small folios and faults are handled one by
/// one, the times are equal later, near 2 MiB, but differ by less than a third; mapping too late costs more than
/// mapping too early.
const MAP_EVERYTHING_FROM: u64 = 512 << 10;

/// The file size (256 KiB) from which [`Source::open`](crate::Source::open) maps a file that is used completely ([`Access::Everything`]), if
/// reading it would need new memory.
///
/// `cargo bench -p meshlens-benches --bench source`, reading into kept memory compared with mapping, using all bytes,
/// in us: 128 KiB 6 to 8 and 12 to 15; 256 KiB 13 to 21 and 10 to 16; 512 KiB 106 to 119 and 17 to 24; 1 MiB 286 to 329
/// and 31 to 47.
const MAP_EVERYTHING_FRESH_FROM: u64 = 256 << 10;

/// Whether mapping is faster than reading a file of `len` bytes, if a buffer of `room` bytes is available.
pub(crate) fn prefers_map(len: u64, access: Access, room: u64) -> bool {
    let from = match access {
        Access::Sparse => MAP_SPARSE_FROM,
        Access::Everything if room >= len => MAP_EVERYTHING_FROM,
        Access::Everything => MAP_EVERYTHING_FRESH_FROM,
    };
    len >= from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_decide_between_reading_and_mapping() {
        let sparse = |len| prefers_map(len, Access::Sparse, 0);
        assert!(!sparse(MAP_SPARSE_FROM - 1));
        assert!(sparse(MAP_SPARSE_FROM));

        let fresh = |len| prefers_map(len, Access::Everything, len - 1);
        assert!(!fresh(MAP_EVERYTHING_FRESH_FROM - 1));
        assert!(fresh(MAP_EVERYTHING_FRESH_FROM));

        let reused = |len| prefers_map(len, Access::Everything, len);
        assert!(!reused(MAP_EVERYTHING_FROM - 1));
        assert!(reused(MAP_EVERYTHING_FROM));
    }
}
