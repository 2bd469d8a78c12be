//! The `#exec` lines of a script, outside comments and strings.

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till, take_until, take_while};
use nom::combinator::{opt, peek, recognize, rest, value};
use nom::sequence::preceded;
use nom::{IResult, Parser};

type Parsed<'a, O> = IResult<&'a [u8], O>;

/// Iterates over the rest of each line after `#exec`.
#[derive(Clone, Debug)]
pub(super) struct ExecLines<'a> {
    text: &'a [u8],
    rest: &'a [u8],
}

impl<'a> ExecLines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        ExecLines { text, rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) }
    }
}

const fn is_end_of_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

const fn is_blank(byte: u8) -> bool {
    !is_end_of_line(byte) && (byte.is_ascii_whitespace() || byte == 0x0b || byte == 0)
}

fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(is_blank)(input)
}

fn line(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_till(is_end_of_line)(input)
}

/// `#exec` and white space, at the start of a line.
fn directive(input: &[u8]) -> Parsed<'_, ()> {
    let mut word = (blanks, tag(&b"#"[..]), blanks, tag_no_case(&b"exec"[..]));
    let (input, _) = word.parse(input)?;
    let end = alt((recognize(nom::combinator::eof), recognize(nom::bytes::complete::take(1usize))));
    let (_, next) = peek(end).parse(input)?;
    if next.iter().all(u8::is_ascii_whitespace) {
        return Ok((input, ()));
    }
    Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Space)))
}

/// The rest of a line that is not a directive, with the comments that begin in it, which may have several lines.
fn other_line(input: &[u8]) -> Parsed<'_, ()> {
    let mut input = input;
    loop {
        let mut plain = take_till(|byte| is_end_of_line(byte) || matches!(byte, b'"' | b'/'));
        let (after, _): (_, &[u8]) = plain.parse(input)?;
        let closed = recognize((tag(&b"/*"[..]), take_until(&b"*/"[..]), tag(&b"*/"[..])));
        let unclosed = recognize((tag(&b"/*"[..]), rest));
        let comment = recognize((tag(&b"//"[..]), line));
        let text = recognize((
            tag(&b"\""[..]),
            take_till(|byte| is_end_of_line(byte) || byte == b'"'),
            opt(tag(&b"\""[..])),
        ));
        let piece: Parsed<'_, &[u8]> = alt((closed, unclosed, comment, text, tag(&b"/"[..]))).parse(after);
        match piece {
            Ok((after, _)) => input = after,
            Err(_) => {
                return value((), opt(alt((tag(&b"\r\n"[..]), tag(&b"\n"[..]), tag(&b"\r"[..])))))
                    .parse(after);
            }
        }
    }
}

impl<'a> Iterator for ExecLines<'a> {
    /// The rest of the line after `#exec`, and its absolute offset.
    type Item = (&'a [u8], u64);

    fn next(&mut self) -> Option<(&'a [u8], u64)> {
        while !self.rest.is_empty() {
            if let Ok((after, content)) = preceded(directive, line).parse(self.rest) {
                self.rest = after;
                // The content ends where the rest of the text begins.
                let offset = self.text.len() - after.len() - content.len();
                return Some((content, offset as u64));
            }
            // Consumes at least the end of the line, so the loop ends.
            self.rest = other_line(self.rest).map_or(&[], |(after, ())| after);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn found(text: &[u8]) -> Vec<(&[u8], u64)> {
        ExecLines::new(text).collect()
    }

    #[test]
    fn directives_begin_lines_in_any_case() {
        assert_eq!(found(b"#exec a\r\n \t# EXEC\tb\n#exec"), [(&b" a"[..], 5), (b"\tb", 17), (b"", 25)]);
        assert_eq!(found(b"\xef\xbb\xbf#exec a"), [(&b" a"[..], 8)]);
        assert_eq!(found(b"x #exec a\n#executive b\n#exec(c)"), []);
    }

    #[test]
    fn comments_and_texts_hide() {
        assert_eq!(found(b"//#exec a\n/*\n#exec b\n*/\n#exec c"), [(&b" c"[..], 29)]);
        assert_eq!(found(b"s = \"/*\"; // /*\n#exec a"), [(&b" a"[..], 21)]);
        assert_eq!(found(b"s = \"unclosed /*\n#exec a\nx / y\n#exec b").len(), 2);
        assert_eq!(found(b"/* a */ #exec b\n/* unclosed\n#exec c"), []);
        assert_eq!(found(b"\n\n\r\r\n\n"), []);
    }
}
