//! A writer of binary files.

use alloc::vec::Vec;

use zerocopy::IntoBytes;

use crate::{Checks, Compact, Record, Result};

/// The bytes of a file that is being written. Numbers are little-endian.
///
/// Writing numbers of a fixed type cannot fail. Counts are passed as `usize` and checked against their field. An error
/// has the name of the format and no offset, since there is no file yet.
///
/// ```
/// use meshlens_wire::Writer;
///
/// let mut out = Writer::new("test");
/// out.bytes(b"MESH");
/// out.count_u16(3, "vertices")?;
/// out.align(4);
/// out.sized_u32("chunk size", |out| {
///     out.nul_terminated(b"hull", "name")?;
///     out.f32s(&[1.0, -1.0]);
///     Ok(())
/// })?;
/// assert_eq!(out.offset(), 25);
/// assert_eq!(out.as_bytes()[..12], *b"MESH\x03\0\0\0\x0d\0\0\0");
/// let error = out.count_u16(65_536, "vertices").unwrap_err();
/// assert_eq!(error.to_string(), "test: vertices: the limit is 65535, found 65536");
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    checks: Checks,
    bytes: Vec<u8>,
}

macro_rules! numbers {
    ($($name:ident, $names:ident: $type:ty;)*) => {$(
        #[doc = concat!("Writes a little-endian `", stringify!($type), "`.")]
        pub fn $name(&mut self, value: $type) {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }

        #[doc = concat!("Writes each `", stringify!($type), "` of a slice, little-endian.")]
        pub fn $names(&mut self, values: &[$type]) {
            if cfg!(target_endian = "little") {
                self.bytes.extend_from_slice(values.as_bytes());
            } else {
                self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
    )*};
}

impl Writer {
    /// An empty file of `format`, which is the name in errors.
    pub const fn new(format: &'static str) -> Self {
        Writer { checks: Checks::new(format), bytes: Vec::new() }
    }

    /// An empty file with room for `capacity` bytes.
    pub fn with_capacity(format: &'static str, capacity: usize) -> Self {
        Writer { checks: Checks::new(format), bytes: Vec::with_capacity(capacity) }
    }

    /// The checks of this format.
    pub const fn checks(&self) -> Checks {
        self.checks
    }

    /// The absolute offset of the next byte, which is the number of bytes so far.
    pub const fn offset(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The bytes so far.
    pub const fn as_bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// The bytes of the whole file.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    numbers! {
        i8, i8s: i8;
        u16, u16s: u16;
        i16, i16s: i16;
        u32, u32s: u32;
        i32, i32s: i32;
        u64, u64s: u64;
        i64, i64s: i64;
        f32, f32s: f32;
    }

    /// Writes a byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Writes 0 or 1 as a byte.
    pub fn bool(&mut self, value: bool) {
        self.bytes.push(value.into());
    }

    /// Writes bytes unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the bytes of a record of one of the layouts of the format.
    pub fn record<T: Record>(&mut self, record: &T) {
        record.write(&mut self.bytes);
    }

    /// Writes `count` zero bytes.
    pub fn zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len().saturating_add(count), 0);
    }

    /// Writes zero bytes until the offset is a multiple of `alignment`; none if `alignment` is 0.
    pub fn align(&mut self, alignment: usize) {
        if let Some(end) = self.bytes.len().checked_next_multiple_of(alignment.max(1)) {
            self.bytes.resize(end, 0);
        }
    }

    /// Writes a count or an index as a `u16`.
    ///
    /// # Errors
    ///
    /// [`Limit`](crate::ErrorKind::Limit) if it is larger than `u16::MAX`.
    pub fn count_u16(&mut self, count: usize, what: &'static str) -> Result<()> {
        let value = u16::try_from(count).map_err(|_| self.checks.limit(what, u16::MAX.into(), count))?;
        self.u16(value);
        Ok(())
    }

    /// Writes a count or an index as a `u32`.
    ///
    /// # Errors
    ///
    /// [`Limit`](crate::ErrorKind::Limit) if it is larger than `u32::MAX`.
    pub fn count_u32(&mut self, count: usize, what: &'static str) -> Result<()> {
        let value = u32::try_from(count).map_err(|_| self.checks.limit(what, u32::MAX.into(), count))?;
        self.u32(value);
        Ok(())
    }

    /// Writes a count as a [`Compact`] integer in its shortest form.
    ///
    /// # Errors
    ///
    /// [`Limit`](crate::ErrorKind::Limit) if it is larger than `i32::MAX`.
    pub fn compact_count(&mut self, count: usize, what: &'static str) -> Result<()> {
        let compact = i32::try_from(count).ok().and_then(Compact::new);
        let compact =
            compact.ok_or_else(|| self.checks.limit(what, i32::MAX.unsigned_abs().into(), count))?;
        self.bytes(compact.as_bytes());
        Ok(())
    }

    /// Writes a text, followed by a NUL.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) if the text contains a NUL.
    pub fn nul_terminated(&mut self, text: &[u8], what: &'static str) -> Result<()> {
        self.checks.no_nul(what, text)?;
        self.bytes(text);
        self.u8(0);
        Ok(())
    }

    /// Writes the number of bytes of `body` as a `u32`, followed by `body`.
    ///
    /// # Errors
    ///
    /// The errors of `body`; [`Limit`](crate::ErrorKind::Limit) if there are more bytes than a `u32` can count.
    pub fn sized_u32(
        &mut self,
        what: &'static str,
        body: impl FnOnce(&mut Writer) -> Result<()>,
    ) -> Result<()> {
        let field = self.bytes.len();
        self.u32(0);
        let start = self.bytes.len();
        body(self)?;
        // A body can only add bytes.
        let size = self.bytes.len().saturating_sub(start);
        let size = u32::try_from(size).map_err(|_| self.checks.limit(what, u32::MAX.into(), size))?;
        if let Some(slot) = self.bytes.get_mut(field..start) {
            slot.copy_from_slice(&size.to_le_bytes());
        }
        Ok(())
    }
}
