//! Compact signed integers: one to five bytes, a sign and a magnitude of up to 31 bits.

use crate::{Cursor, ErrorKind, Expected, Result};

/// The number of bits of the magnitude in the first byte. Each later byte has seven.
const FIRST_BITS: u32 = 6;
/// The number of bits of the magnitude in each later byte.
const LATER_BITS: u32 = 7;
/// The position in the magnitude of the lowest bit of each byte.
const SHIFTS: [u32; Compact::MAX_LEN] = [0, 6, 13, 20, 27];
const SIGN: u8 = 0x40;
const MORE: u8 = 0x80;

/// A compact integer, and the bytes that store it.
///
/// Byte 0 holds the sign (bit 6) and the lowest six bits of the magnitude; each later byte holds the next seven. Bit 7
/// of a byte is set if another one follows. A value can be stored in more bytes than necessary, which readers accept
/// and writers do not produce.
///
/// ```
/// use meshlens_wire::{Compact, Cursor};
///
/// assert_eq!(Compact::new(16344).map(|compact| compact.as_bytes().to_vec()), Some(vec![0x98, 0xff, 0x01]));
/// let mut cursor = Cursor::new("unigine", &[0x41, 0x81, 0x01, 0x80, 0x00]);
/// assert_eq!(cursor.compact("parent")?.value(), -1);
/// assert_eq!(cursor.compact("count")?.value(), 65);
/// assert!(!cursor.compact("count")?.is_minimal());
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compact {
    value: i32,
    bytes: [u8; 5],
    len: u8,
}

/// The reasons why bytes are not a compact integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Malformed {
    /// The integer ends after the bytes.
    Short,
    /// Bit 7 of the fifth byte is set.
    Long,
    /// The magnitude needs more than 31 bits.
    Large { magnitude: u64, is_negative: bool },
}

impl Compact {
    /// The largest number of bytes.
    pub const MAX_LEN: usize = 5;

    /// The shortest form of a value; `None` for `i32::MIN`, whose magnitude has 32 bits.
    pub fn new(value: i32) -> Option<Compact> {
        let mut magnitude = value.checked_abs()?.unsigned_abs();
        let mut bytes = [0; Self::MAX_LEN];
        let mut bits = FIRST_BITS;
        let mut sign = if value < 0 { SIGN } else { 0 };
        for (len, byte) in (1u8..).zip(&mut bytes) {
            let low = magnitude & !(u32::MAX << bits);
            magnitude >>= bits;
            *byte = low as u8 | sign | if magnitude > 0 { MORE } else { 0 };
            if magnitude == 0 {
                return Some(Compact { value, bytes, len });
            }
            (bits, sign) = (LATER_BITS, 0);
        }
        // A magnitude of 31 bits fits into five bytes.
        None
    }

    /// The integer at the start of `bytes`; `None` if it ends after them, has more than five bytes, or has a magnitude above
    /// 2^31 - 1.
    pub fn decode(bytes: &[u8]) -> Option<Compact> {
        Self::read(bytes).ok()
    }

    fn read(input: &[u8]) -> Result<Compact, Malformed> {
        let mut bytes = [0; Self::MAX_LEN];
        let mut magnitude = 0u64;
        let mut is_negative = false;
        let mut rest = input.iter();
        for ((len, shift), slot) in (1u8..).zip(SHIFTS).zip(&mut bytes) {
            let byte = *rest.next().ok_or(Malformed::Short)?;
            *slot = byte;
            let low = if len == 1 { byte & !(MORE | SIGN) } else { byte & !MORE };
            is_negative |= len == 1 && byte & SIGN != 0;
            magnitude |= u64::from(low) << shift;
            if byte & MORE == 0 {
                let value =
                    i32::try_from(magnitude).map_err(|_| Malformed::Large { magnitude, is_negative })?;
                // Negating a value from 0 to `i32::MAX` cannot overflow.
                let value = if is_negative { value.wrapping_neg() } else { value };
                return Ok(Compact { value, bytes, len });
            }
        }
        Err(Malformed::Long)
    }

    /// The value, from -(2^31 - 1) to 2^31 - 1.
    pub const fn value(&self) -> i32 {
        self.value
    }

    /// The bytes as they are stored, one to five of them.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&self.bytes)
    }

    /// Whether no shorter form has the same value: the last byte of several is not 0, and 0 has no sign.
    pub fn is_minimal(&self) -> bool {
        match self.as_bytes() {
            [byte] => *byte != SIGN,
            bytes => bytes.last().is_some_and(|last| *last != 0),
        }
    }
}

impl Cursor<'_> {
    /// The next compact integer.
    ///
    /// # Errors
    ///
    /// An integer that ends after the file, has more than five bytes, or has a magnitude above 2^31 - 1. The errors have the offset
    /// of the integer.
    pub fn compact(&mut self, what: &'static str) -> Result<Compact> {
        crate::steps::count(1);
        match Compact::read(self.rest()) {
            Ok(compact) => {
                self.take(compact.as_bytes().len() as u64, what)?;
                Ok(compact)
            }
            Err(Malformed::Short) => {
                // At least one byte more than the available bytes, which are fewer than five.
                let size = (self.rest().len() as u64).saturating_add(1);
                Err(self.short(what, 1, size))
            }
            Err(Malformed::Long) => {
                let expected = Expected::Text("a compact integer of at most 5 bytes");
                let found = Self::first_bytes(self.rest());
                Err(self.error(ErrorKind::Value { what, expected, found }))
            }
            Err(Malformed::Large { magnitude, is_negative }) => {
                // A magnitude has at most 34 bits.
                let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
                let found = if is_negative { magnitude.wrapping_neg() } else { magnitude };
                let expected = Expected::Text("a magnitude of at most 2147483647");
                Err(self.error(ErrorKind::Value { what, expected, found }))
            }
        }
    }

    /// The next compact integer as a count. The errors have the offset of the integer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] if it is negative; otherwise the same as [`compact`](Self::compact).
    pub fn compact_count(&mut self, what: &'static str) -> Result<(u32, Compact)> {
        let mut ahead = *self;
        let compact = ahead.compact(what)?;
        match u32::try_from(compact.value()) {
            Ok(count) => {
                *self = ahead;
                Ok((count, compact))
            }
            Err(_) => {
                let (expected, found) = (Expected::AtLeast(0), compact.value().into());
                Err(self.error(ErrorKind::Value { what, expected, found }))
            }
        }
    }

    /// The first five bytes as one big-endian number, for an error.
    fn first_bytes(bytes: &[u8]) -> i64 {
        bytes.iter().take(Compact::MAX_LEN).fold(0, |sum, byte| sum << 8 | i64::from(*byte))
    }
}
