//! Limits on the cost of parsing a file.

use crate::{Error, ErrorKind, Result};

/// Limits on the cost of parsing a file. Every known real file is within the defaults. A caller may set lower limits.
///
/// ```
/// use meshlens_wire::Limits;
///
/// let limits = Limits { count: 64, ..Limits::DEFAULT };
/// assert_eq!(limits.depth, Limits::DEFAULT.depth);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of parts of one kind in one document: surfaces, bones, materials, animations.
    pub count: u64,
    /// The number of chunks around a chunk.
    pub depth: u32,
    /// The number of records of variable size that one parse reads.
    pub work: u64,
    /// The number of bytes that one call produces by unpacking or decrypting.
    pub output: u64,
    /// The number of bytes of one text file: a script, a skin, an animation configuration.
    pub text: u64,
}

impl Limits {
    /// 65,536 parts of a kind, 16 levels of chunks, 2^28 records, 1 GiB of output, 16 MiB of text.
    pub const DEFAULT: Limits =
        Limits { count: 1 << 16, depth: 16, work: 1 << 28, output: 1 << 30, text: 16 << 20 };

    /// Checks that a text of `found` bytes is within [`Limits::text`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] at offset 0 if it is longer.
    pub const fn check_text(&self, format: &'static str, found: usize) -> Result<()> {
        let (limit, found) = (self.text, found as u64);
        if found > limit {
            return Err(Error::new(format, 0, ErrorKind::Limit { what: "bytes of text", limit, found }));
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}
