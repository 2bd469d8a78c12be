//! The `#exec` lines of a script: those that neither a comment nor a text hides.

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till, take_until, take_while};
use nom::combinator::{opt, peek, recognize, rest, value};
use nom::sequence::preceded;
use nom::{IResult, Parser};

type Parsed<'a, O> = IResult<&'a [u8], O>;

/// Iterates over what follows `#exec` on its line, and where that begins.
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

/// `#exec` and a blank, at the start of a line.
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

/// The rest of a line that is no directive, with the comments that begin in it, however many lines those have.
fn other_line(input: &[u8]) -> Parsed<'_, ()> {
    let mut input = input;
    loop {
        let mut plain = take_till(|byte| is_end_of_line(byte) || matches!(byte, b'"' | b'/'));
        let (behind, _): (_, &[u8]) = plain.parse(input)?;
        let closed = recognize((tag(&b"/*"[..]), take_until(&b"*/"[..]), tag(&b"*/"[..])));
        let unclosed = recognize((tag(&b"/*"[..]), rest));
        let comment = recognize((tag(&b"//"[..]), line));
        let text = recognize((
            tag(&b"\""[..]),
            take_till(|byte| is_end_of_line(byte) || byte == b'"'),
            opt(tag(&b"\""[..])),
        ));
        let piece: Parsed<'_, &[u8]> = alt((closed, unclosed, comment, text, tag(&b"/"[..]))).parse(behind);
        match piece {
            Ok((behind, _)) => input = behind,
            Err(_) => {
                return value((), opt(alt((tag(&b"\r\n"[..]), tag(&b"\n"[..]), tag(&b"\r"[..])))))
                    .parse(behind);
            }
        }
    }
}

impl<'a> Iterator for ExecLines<'a> {
    /// The line behind `#exec`, and its absolute offset.
    type Item = (&'a [u8], u64);

    fn next(&mut self) -> Option<(&'a [u8], u64)> {
        while !self.rest.is_empty() {
            if let Ok((behind, content)) = preceded(directive, line).parse(self.rest) {
                self.rest = behind;
                let end = (self.text.len() as u64).saturating_sub(behind.len() as u64);
                return Some((content, end.saturating_sub(content.len() as u64)));
            }
            // Always takes at least the end of the line, so this goes forward.
            self.rest = other_line(self.rest).map_or(&[], |(behind, ())| behind);
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
