//! The text of names, and comparisons of names.

use meshlens_wire::*;

#[test]
fn a_field_without_nul_is_text() {
    let name = Name::new(&[b'a'; 64]);
    assert_eq!(name.as_bytes().len(), 64);
    assert!(!name.is_terminated() && !name.has_bytes_after_nul());
}

#[test]
fn text_is_utf8_or_latin_1() {
    assert_eq!(Name::new("größe".as_bytes()).to_string(), "größe");
    assert_eq!(Name::new(b"gr\xf6\xdfe\0").to_string(), "größe");
    assert!(Name::new(b"\0\0").is_empty() && Name::new(b"").is_empty());
}
