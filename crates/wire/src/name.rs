//! Text fields: bytes that end at their first NUL, or fill their field to the brim.

use alloc::borrow::Cow;
use core::fmt;

/// A text field as it lies in the file.
///
/// The text ends at the first NUL; what follows is kept, since some writers leave old bytes there and a byte-exact
/// rewrite needs them. The formats give no character set: [`to_text`](Name::to_text) reads UTF-8 and falls back to
/// Latin-1, byte by byte, so that no two different names read the same.
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
    /// The whole field.
    pub const fn new(raw: &'a [u8]) -> Self {
        Name { raw }
    }

    /// The whole field, with its NULs and what follows them.
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The bytes before the first NUL.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.raw.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// The text before the first NUL.
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

    /// Whether the field holds a NUL at all.
    pub fn is_terminated(&self) -> bool {
        self.raw.contains(&0)
    }

    /// Whether anything but NULs follows the first NUL.
    pub fn has_bytes_after_nul(&self) -> bool {
        self.raw.iter().skip(self.as_bytes().len()).any(|byte| *byte != 0)
    }

    /// Whether the text equals `other`, ASCII letters in any case.
    pub fn eq_ignore_case(&self, other: &str) -> bool {
        self.as_bytes().eq_ignore_ascii_case(other.as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_full_field_is_all_text() {
        let name = Name::new(&[b'a'; 64]);
        assert_eq!(name.as_bytes().len(), 64);
        assert!(!name.is_terminated() && !name.has_bytes_after_nul());
    }

    #[test]
    fn text_is_utf8_or_else_latin_1() {
        assert_eq!(Name::new("größe".as_bytes()).to_string(), "größe");
        assert_eq!(Name::new(b"gr\xf6\xdfe\0").to_string(), "größe");
        assert!(Name::new(b"\0\0").is_empty() && Name::new(b"").is_empty());
    }
}
