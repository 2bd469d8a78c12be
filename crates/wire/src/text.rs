//! Text files that accompany binary files: tokens between blanks and comments, each with its absolute offset.

use alloc::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while1};
use nom::combinator::{recognize, rest, value};
use nom::multi::fold_many0;
use nom::sequence::preceded;
use nom::{IResult, Parser};

use crate::Name;

type Parsed<'a, O> = IResult<&'a [u8], O>;

/// The number of bytes of `text` before `rest`, which is the end of it.
pub(crate) const fn consumed(text: &[u8], rest: &[u8]) -> u64 {
    (text.len() as u64).saturating_sub(rest.len() as u64)
}

/// The tokens of a text, separated by white space and by `//` and `/* */` comments. Quotes around a token are removed. A comment
/// or a quote that is not closed ends with the text.
///
/// ```
/// use meshlens_wire::Tokens;
///
/// let mut tokens = Tokens::new(b"sex f // hers\r\n\"two words\" /* none */ 3");
/// assert_eq!(tokens.next().map(|token| token.offset), Some(0));
/// assert_eq!(tokens.map(|token| token.text.to_string()).collect::<Vec<_>>(), ["f", "two words", "3"]);
/// ```
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    rest: &'a [u8],
}

/// Writes `text` so that [`Tokens`] reads it as one token: as it is, or in quotes. Quotes inside a quoted token are removed.
///
/// ```
/// use meshlens_wire::quote_token;
///
/// assert_eq!(quote_token("boot"), "boot");
/// assert_eq!(quote_token("two words"), "\"two words\"");
/// ```
pub fn quote_token(text: &str) -> Cow<'_, str> {
    let is_comment = text.starts_with("//") || text.starts_with("/*");
    if text.is_empty() || text.starts_with('"') || is_comment || text.bytes().any(is_blank) {
        Cow::Owned(alloc::format!("\"{}\"", text.replace('"', "")))
    } else {
        Cow::Borrowed(text)
    }
}

/// One token, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Token<'a> {
    /// The token, without quotes.
    pub text: Name<'a>,
    /// The absolute offset of its first byte.
    pub offset: u64,
}

impl<'a> Tokens<'a> {
    /// The tokens of `text`.
    pub const fn new(text: &'a [u8]) -> Self {
        Tokens { text, rest: text }
    }

    /// The absolute offset of the next byte that has not been read.
    pub const fn offset(&self) -> u64 {
        consumed(self.text, self.rest)
    }
}

/// Whether a byte separates tokens: ASCII white space, including form feeds and vertical tabs, or NUL.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

fn blank(input: &[u8]) -> Parsed<'_, ()> {
    let line = preceded(tag(&b"//"[..]), take_till(|byte| byte == b'\n'));
    let closed = (tag(&b"/*"[..]), take_until(&b"*/"[..]), tag(&b"*/"[..]));
    let unclosed = preceded(tag(&b"/*"[..]), rest);
    value((), alt((take_while1(is_blank), line, recognize(closed), unclosed))).parse(input)
}

fn blanks(input: &[u8]) -> Parsed<'_, ()> {
    fold_many0(blank, || (), |(), ()| ()).parse(input)
}

fn quoted(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (input, text) = preceded(tag(&b"\""[..]), take_till(|byte| byte == b'"')).parse(input)?;
    // A quote that is not closed has no byte after it.
    Ok((input.get(1..).unwrap_or(&[]), text))
}

fn bare(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(|byte| !is_blank(byte))(input)
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        #[cfg(feature = "steps")]
        let before = self.offset();
        if let Ok((rest, ())) = blanks(self.rest) {
            self.rest = rest;
        }
        let offset = self.offset();
        let (rest, text) = alt((quoted, bare)).parse(self.rest).ok()?;
        self.rest = rest;
        #[cfg(feature = "steps")]
        crate::steps::count(self.offset().saturating_sub(before));
        Some(Token { text: Name::new(text), offset })
    }
}

impl core::iter::FusedIterator for Tokens<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

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
            let written = alloc::format!(" {}\t", quote_token(text));
            let tokens: Vec<_> = Tokens::new(written.as_bytes()).map(|token| token.text.to_text()).collect();
            assert_eq!(tokens, [text], "{written}");
        }
    }

    #[test]
    fn offsets_are_absolute() {
        let offsets: Vec<u64> = Tokens::new(b"// c\nab  \"c\" d").map(|token| token.offset).collect();
        assert_eq!(offsets, [5, 9, 13]);
    }
}
