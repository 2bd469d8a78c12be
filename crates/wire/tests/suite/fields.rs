//! The fields of lines of scripts.

use meshlens_wire::*;

type Texts<'a> = Vec<(&'a [u8], Option<&'a [u8]>)>;

fn texts(line: &[u8]) -> Texts<'_> {
    Fields::new(line, 0).map(|field| (field.key.raw(), field.value.map(|value| value.raw()))).collect()
}

#[test]
fn words_pairs_quotes_and_comments() {
    assert_eq!(
        texts(b"a  b=c\td=\"e f\"g"),
        [(&b"a"[..], None), (b"b", Some(&b"c"[..])), (b"d", Some(b"e f")), (b"g", None)]
    );
    assert_eq!(texts(b"a=b//c //d=e"), [(&b"a"[..], Some(&b"b//c"[..]))], "a comment begins after a blank");
    assert_eq!(texts(b"a= =b ="), [(&b"a"[..], Some(&b""[..])), (b"", Some(b"b")), (b"", Some(b""))]);
    assert_eq!(texts(b"\"a b\"=c \"d"), [(&b"a b"[..], Some(&b"c"[..])), (b"d", None)]);
    assert_eq!(texts(b"a==b=\"c\""), [(&b"a"[..], Some(&b"=b=\"c\""[..]))]);
    assert_eq!(texts(b"x=\"never closed"), [(&b"x"[..], Some(&b"never closed"[..]))]);
    assert!(texts(b" \t\0\r// a").is_empty() && texts(b"").is_empty());
}

#[test]
fn offsets_are_absolute() {
    let fields: Vec<_> = Fields::new(b" ab=\"c\" d", 10).map(|f| (f.offset, f.value_offset)).collect();
    assert_eq!(fields, [(11, 15), (18, 19)]);
}
