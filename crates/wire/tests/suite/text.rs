//! Tokens of texts.

use meshlens_wire::*;

fn texts(input: &'static [u8]) -> Vec<&'static [u8]> {
    Tokens::new(input).map(|token| token.text.raw()).collect()
}

#[test]
fn comments_blanks_and_quotes() {
    assert_eq!(texts(b"a/*b*/c"), [&b"a/*b*/c"[..]], "a comment begins after a blank");
    assert_eq!(texts(b"a /*b c*/ d\r\n//e\nf"), [&b"a"[..], b"d", b"f"]);
    assert_eq!(texts(b"a /* never closed"), [&b"a"[..]]);
    assert_eq!(texts(b"\"a b\"c \"never closed"), [&b"a b"[..], b"c", b"never closed"]);
    assert_eq!(texts(b"\"\" x"), [&b""[..], b"x"]);
    assert_eq!(texts(b" \t\r\n\0"), [&b""[..]; 0]);
}

#[test]
fn a_quoted_token_reads_back() {
    for text in ["a", "a\"b", "a b", "//a", "/*", "", "a\u{b}b", "a\u{c}", "\u{85}"] {
        let written = format!(" {}\t", quote_token(text));
        let tokens: Vec<_> = Tokens::new(written.as_bytes()).map(|token| token.text.to_text()).collect();
        assert_eq!(tokens, [text], "{written}");
    }
}

#[test]
fn offsets_are_absolute() {
    let offsets: Vec<u64> = Tokens::new(b"// c\nab  \"c\" d").map(|token| token.offset).collect();
    assert_eq!(offsets, [5, 9, 13]);
}

fn words(text: &[u8]) -> Vec<(String, bool)> {
    Tokens::of_script(text).map(|token| (token.to_text(), token.starts_line)).collect()
}

fn plain(text: &str) -> Vec<String> {
    words(text.as_bytes()).into_iter().map(|(word, _)| word).collect()
}

#[test]
fn both_kinds_of_comments_end_words() {
    assert_eq!(plain("a//b\nc/*d\n*/e // f"), ["a", "c", "e"]);
    assert_eq!(plain("a /* open"), ["a"]);
    assert_eq!(plain("a /"), ["a", "/"]);
    assert_eq!(words(b"a/*\n*/b /* */ c"), [("a".into(), true), ("b".into(), true), ("c".into(), false)]);
}

#[test]
fn lines_and_quotes() {
    let found = words(b"\xef\xbb\xbfcull none\r\n\"a b\" \"open\nx\"y\"");
    let expected =
        [("cull", true), ("none", false), ("a b", true), ("open", false), ("x", true), ("y", false)];
    assert_eq!(found, expected.map(|(word, first)| (word.to_owned(), first)));
    assert_eq!(words(b"gr\xf6n"), [("grön".to_owned(), true)]);
}

#[test]
fn braces_need_no_space_at_statement_boundaries() {
    assert_eq!(plain("a{\n{map b}\n}"), ["a", "{", "{", "map", "b", "}", "}"]);
    assert_eq!(plain("{ map {blue }"), ["{", "map", "{blue", "}"]);
    assert_eq!(plain("}}{"), ["}", "}", "{"]);
    assert_eq!(plain("a{}\nb {}"), ["a", "{", "}", "b", "{", "}"]);
    assert!(Tokens::of_script(b"\"{\"").all(|token| !token.opens()));
}

#[test]
fn offsets_in_scripts_are_absolute() {
    let offsets: Vec<u64> = Tokens::of_script(b"ab  \"c\"\n}").map(|token| token.offset).collect();
    assert_eq!(offsets, [0, 4, 8]);
}
