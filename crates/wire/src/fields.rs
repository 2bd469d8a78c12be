//! Lines of a command script: words and `KEY=VALUE` pairs, each with its absolute offset.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while};
use nom::combinator::{map, opt};
use nom::sequence::preceded;
use nom::{IResult, Parser};

use crate::Name;
use crate::text::consumed;

type Parsed<'a, O> = IResult<&'a [u8], O>;

/// The fields of one line, separated by blanks, up to a `//` comment. Quotes around a value, or around a word without a value,
/// are removed. A quote that is not closed ends with the line.
///
/// ```
/// use meshlens_wire::Fields;
///
/// let mut fields = Fields::new(b"texture IMPORT File=\"Skins\\a b.pcx\" LODNOTEX // none", 100);
/// assert_eq!(fields.next().map(|field| (field.key.to_string(), field.value)), Some(("texture".into(), None)));
/// let file = fields.nth(1).ok_or("no such field")?;
/// assert!(file.key.eq_ignore_case("FILE") && file.value.is_some_and(|value| value == "Skins\\a b.pcx"));
/// assert_eq!((file.offset, file.value_offset), (115, 121));
/// assert_eq!(fields.count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    line: &'a [u8],
    rest: &'a [u8],
    offset: u64,
}

/// One field, and its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field<'a> {
    /// The word, or the text before the `=`.
    pub key: Name<'a>,
    /// The text after the `=`, without quotes; `None` if there is no `=`.
    pub value: Option<Name<'a>>,
    /// The absolute offset of the key, or of its quote.
    pub offset: u64,
    /// The absolute offset of the value, after its quote; the end of the key if there is no value.
    pub value_offset: u64,
}

impl<'a> Fields<'a> {
    /// The fields of `line`, which begins at absolute `offset`.
    pub const fn new(line: &'a [u8], offset: u64) -> Self {
        Fields { line, rest: line, offset }
    }

    fn offset_of(&self, rest: &[u8]) -> u64 {
        // The line lies in a file, so its offsets do not saturate.
        self.offset.saturating_add(consumed(self.line, rest))
    }
}

const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

/// The text, and the number of bytes of the quote before it.
fn quoted(input: &[u8]) -> Parsed<'_, (&[u8], u64)> {
    let (input, text) = preceded(tag(&b"\""[..]), take_till(|byte| byte == b'"')).parse(input)?;
    // A quote that is not closed has no byte after it.
    Ok((input.get(1..).unwrap_or(&[]), (text, 1)))
}

fn value(input: &[u8]) -> Parsed<'_, (&[u8], u64)> {
    alt((quoted, map(take_till(is_blank), |text| (text, 0)))).parse(input)
}

fn key(input: &[u8]) -> Parsed<'_, &[u8]> {
    alt((map(quoted, |(text, _)| text), take_till(|byte| is_blank(byte) || byte == b'='))).parse(input)
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let (start, _) = take_while::<_, _, nom::error::Error<&[u8]>>(is_blank)(self.rest).ok()?;
        if start.is_empty() || start.starts_with(b"//") {
            self.rest = &[];
            return None;
        }
        // The rest begins with a byte that is not blank, so a key or a `=` is read.
        let (after_key, key) = key(start).ok()?;
        let (after_equals, equals) =
            opt(tag::<_, _, nom::error::Error<&[u8]>>(&b"="[..])).parse(after_key).ok()?;
        let (rest, (text, quotes)) =
            if equals.is_some() { value(after_equals).ok()? } else { (after_key, (&[][..], 0)) };
        crate::steps::count(consumed(self.rest, rest));
        self.rest = rest;
        Some(Field {
            key: Name::new(key),
            value: equals.map(|_| Name::new(text)),
            offset: self.offset_of(start),
            value_offset: self.offset_of(after_equals).saturating_add(quotes),
        })
    }
}

impl core::iter::FusedIterator for Fields<'_> {}
