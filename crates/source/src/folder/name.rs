//! The names of files as text.

use std::ffi::OsString;
use std::path::PathBuf;

/// The first of the characters that represent bytes that are not UTF-8. It represents byte 0.
#[cfg(unix)]
const ESCAPES: u32 = 0xEF00;

/// The name of a file as text. On Unix, a byte that is not UTF-8 is escaped. Each byte of a character that looks like
/// an escape is escaped, too, so that two names never have the same text.
#[cfg(unix)]
pub(super) fn to_name(name: OsString) -> Option<String> {
    use std::os::unix::ffi::OsStrExt;

    let mut text = String::with_capacity(name.len());
    let escape = |bytes: &[u8], text: &mut String| {
        text.extend(bytes.iter().filter_map(|&byte| char::from_u32(ESCAPES + u32::from(byte))));
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if (ESCAPES + 0x80..ESCAPES + 0x100).contains(&u32::from(c)) {
                escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
            } else {
                text.push(c);
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    Some(text)
}

/// The path of a name from [`to_name`].
#[cfg(unix)]
pub(super) fn to_path(name: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        match u32::from(c).checked_sub(ESCAPES) {
            Some(byte @ 0x80..0x100) => bytes.push(byte as u8),
            _ => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
pub(super) fn to_name(name: OsString) -> Option<String> {
    name.into_string().ok()
}

#[cfg(not(unix))]
pub(super) fn to_path(name: &str) -> PathBuf {
    name.into()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn every_name_has_a_distinct_reversible_text() {
        let names: [&[u8]; 5] =
            [b"a.md3", "\u{e4}.md3".as_bytes(), b"m\xff\xfe.md3", "\u{efff}".as_bytes(), b"\xff"];
        let mut texts = Vec::new();
        for name in names {
            let name = OsString::from_vec(name.to_vec());
            let text = to_name(name.clone()).unwrap();
            assert_eq!(to_path(&text), PathBuf::from(name));
            texts.push(text);
        }
        assert_eq!(
            texts,
            ["a.md3", "\u{e4}.md3", "m\u{efff}\u{effe}.md3", "\u{efee}\u{efbf}\u{efbf}", "\u{efff}"]
        );
    }
}
