//! Whether a file is read or mapped: thresholds for each kind of use, with their measurements.

/// How much of a file the caller will use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Headers and a few arrays, or one frame of many frames.
    Sparse,
    /// Every byte, about once.
    Everything,
}

/// [`Source::open`](crate::Source::open) maps files of at least this size (128 KiB) if only a small part of them is used ([`Access::Sparse`]).
///
/// `cargo bench -p meshlens-benches --bench models -- source/`: mapping and touching the first 4 KiB takes 5 to 9 us at any
/// size, reading 6 to 8 us at 128 KiB, 10 to 16 at 256 KiB and 49 to 74 at 1 MiB. On two cores of a Zen 5, Linux
/// 6.18, warm page cache of ext4 and of tmpfs; the ranges span both and two runs, here and below.
const MAP_SPARSE_FROM: u64 = 128 << 10;

/// The file size (256 KiB) from which [`Source::open`](crate::Source::open) maps a file that is used completely ([`Access::Everything`]).
///
/// `cargo bench -p meshlens-benches --bench models -- source/`, reading into kept memory compared with mapping, using all bytes,
/// in us: 128 KiB 6 to 8 and 12 to 15; 256 KiB 13 to 21 and 10 to 16; 512 KiB 106 to 119 and 17 to 24; 1 MiB 286 to 329
/// and 31 to 47.
const MAP_EVERYTHING_FROM: u64 = 256 << 10;

/// Whether mapping is faster than reading a file of `len` bytes.
pub(crate) fn prefers_map(len: u64, access: Access) -> bool {
    len >= match access {
        Access::Sparse => MAP_SPARSE_FROM,
        Access::Everything => MAP_EVERYTHING_FROM,
    }
}
