//! What a file may cost, however it was made.

/// Bounds a caller may tighten; the defaults let every real file pass.
///
/// ```
/// use meshlens_wire::Limits;
///
/// let limits = Limits { count: 64, ..Limits::DEFAULT };
/// assert_eq!(limits.depth, Limits::DEFAULT.depth);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Parts of one kind in one document: surfaces, bones, materials, animations.
    pub count: u64,
    /// How deep chunks may nest.
    pub depth: u32,
    /// Variable-size records one parse may walk.
    pub work: u64,
    /// Bytes one call may produce where it unpacks or decrypts.
    pub output: u64,
}

impl Limits {
    /// 65,536 parts of a kind, 16 levels, 2^28 records, 1 GiB.
    pub const DEFAULT: Limits = Limits { count: 1 << 16, depth: 16, work: 1 << 28, output: 1 << 30 };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}
