//! Texts of files in errors.

/// The first characters of a text, in at most `most` bytes.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).filter(|_| text.len() > most).unwrap_or(text)
}
