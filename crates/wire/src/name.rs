//! Text fields: bytes that end at their first NUL, or with their field.

use alloc::borrow::Cow;
use core::fmt;

/// A text field as it is stored in the file.
///
/// The text ends at the first NUL. The bytes after it are kept, because some writers leave other bytes there, which an
/// exact copy must preserve. The formats define no character set: [`to_text`](Name::to_text) reads UTF-8, or Latin-1 if
/// the bytes are not UTF-8. Comparisons compare bytes.
///
/// ```
/// use meshlens_wire::Name;
///
/// let name = Name::new(b"tag_head\0junk\0\0\0");
/// assert_eq!(name.to_text(), "tag_head");
/// assert_eq!(name.raw().len(), 16);
/// assert!(name.is_terminated() && name.has_bytes_after_nul());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Name<'a> {
    raw: &'a [u8],
}

impl<'a> Name<'a> {
    /// A name from all bytes of its field.
    pub const fn new(raw: &'a [u8]) -> Self {
        Name { raw }
    }

    /// The whole field, with its NULs and the bytes after them.
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The bytes before the first NUL.
    pub fn as_bytes(&self) -> &'a [u8] {
        // Splitting always returns at least one part.
        self.raw.split(|byte| *byte == 0).next().unwrap_or(&[])
    }

    /// The text before the first NUL: UTF-8, or Latin-1 if the bytes are not UTF-8.
    pub fn to_text(&self) -> Cow<'a, str> {
        let bytes = self.as_bytes();
        match core::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
        }
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// Whether the field contains a NUL.
    pub fn is_terminated(&self) -> bool {
        self.raw.contains(&0)
    }

    /// Whether bytes other than NUL follow the first NUL.
    pub fn has_bytes_after_nul(&self) -> bool {
        self.raw.iter().skip(self.as_bytes().len()).any(|byte| *byte != 0)
    }

    /// Whether the text equals `other`, ignoring ASCII case.
    pub fn eq_ignore_case(&self, other: &str) -> bool {
        self.as_bytes().eq_ignore_ascii_case(other.as_bytes())
    }
}

impl AsRef<[u8]> for Name<'_> {
    /// [`as_bytes`](Name::as_bytes): the bytes before the first NUL.
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq<str> for Name<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Name<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}
