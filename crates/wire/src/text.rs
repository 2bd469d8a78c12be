//! Texts that accompany binary files: tokens between white space and comments, each with its absolute offset.

use alloc::borrow::Cow;
use alloc::string::String;
use core::iter::FusedIterator;

use crate::Name;

/// The number of bytes of `text` before `rest`, which is the end of it.
pub(crate) const fn consumed(text: &[u8], rest: &[u8]) -> u64 {
    (text.len() as u64).saturating_sub(rest.len() as u64)
}

/// The tokens of a text, separated by white space and by `//` and `/* */` comments. Quotes around a token are removed. A comment
/// or a quote that is not closed ends with the text. Every byte is read a constant number of times.
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
    at: usize,
    is_script: bool,
    is_new_line: bool,
}

/// Writes `text` in a form that [`Tokens`] reads as one token: unchanged, or in quotes. Quotes inside a quoted token
/// are removed.
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

/// One token, and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Token<'a> {
    /// The token, without quotes.
    pub text: Name<'a>,
    /// The absolute offset of its first byte.
    pub offset: u64,
    /// Whether it is the first token of its line, or follows a brace in a script.
    pub starts_line: bool,
    /// Whether it was in quotes.
    pub is_quoted: bool,
}

impl Token<'_> {
    /// The token as UTF-8, or otherwise as Latin-1, like [`Name::to_text`].
    pub fn to_text(self) -> String {
        self.text.to_text().into_owned()
    }

    /// Whether the token is this word, ignoring case.
    pub fn is(&self, word: &str) -> bool {
        self.text.raw().eq_ignore_ascii_case(word.as_bytes())
    }

    /// Whether it is an opening brace. A brace in quotes is a word.
    pub fn opens(&self) -> bool {
        !self.is_quoted && self.text.raw() == b"{"
    }

    /// Whether it is a closing brace.
    pub fn closes(&self) -> bool {
        !self.is_quoted && self.text.raw() == b"}"
    }
}

impl<'a> Tokens<'a> {
    /// The tokens of `text`.
    pub const fn new(text: &'a [u8]) -> Self {
        Tokens { text, at: 0, is_script: false, is_new_line: true }
    }

    /// The tokens of a script, in the way in which engines read it. Comments and quotes also end a token, a quote that
    /// is not closed ends with its line, and all bytes up to the space are white space. A brace at the end of a token,
    /// or at the start of the first token of a line, is a separate token, because some scripts have no space there. A
    /// byte order mark is skipped.
    pub fn of_script(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Tokens { text, at, is_script: true, is_new_line: true }
    }

    /// The absolute offset of the next byte that has not been read.
    pub const fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Continues at an absolute offset, as at the start of a line.
    pub fn seek(&mut self, offset: u64) {
        self.at = usize::try_from(offset).unwrap_or(usize::MAX).min(self.text.len());
        self.is_new_line = true;
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.text.len());
    }

    const fn is_blank(&self, byte: u8) -> bool {
        is_blank(byte) || self.is_script && byte <= b' '
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            match self.rest() {
                [b'\n' | b'\r', ..] => {
                    self.is_new_line = true;
                    self.advance(1);
                }
                [byte, ..] if self.is_blank(*byte) => self.advance(1),
                [b'/', b'/', rest @ ..] => {
                    let line =
                        rest.iter().position(|byte| *byte == b'\n' || self.is_script && *byte == b'\r');
                    self.advance(line.unwrap_or(rest.len()).saturating_add(2));
                }
                [b'/', b'*', rest @ ..] => {
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    let len = end.map_or(rest.len(), |end| end.saturating_add(2));
                    self.is_new_line |= rest.iter().take(len).any(|byte| is_end_of_line(*byte));
                    self.advance(len.saturating_add(2));
                }
                _ => return,
            }
        }
    }

    /// The number of bytes of the word at the start of `rest`.
    fn word_len(&self, rest: &[u8]) -> usize {
        if !self.is_script {
            return rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
        }
        let is_end = |pair: &[u8]| matches!(pair, [0..=b' ' | b'"', ..] | [b'/', b'/' | b'*', ..]);
        let len = (1..rest.len()).find(|at| is_end(rest.get(*at..).unwrap_or_default()));
        let word = rest.get(..len.unwrap_or(rest.len())).unwrap_or_default();
        let braces = word.iter().rev().take_while(|byte| matches!(byte, b'{' | b'}')).count();
        // Each brace of a word that consists of braces is a separate word.
        word.len().saturating_sub(braces).max(1)
    }
}

/// Whether a byte separates tokens: ASCII white space, including form feeds and vertical tabs, or NUL.
const fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

const fn is_end_of_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let before = self.offset();
        self.skip();
        let starts_line = core::mem::replace(&mut self.is_new_line, false);
        let (offset, rest) = (self.offset(), self.rest());
        let (text, is_quoted) = match rest {
            [] => return None,
            [b'"', inner @ ..] => {
                let is_end = |byte: &u8| *byte == b'"' || self.is_script && is_end_of_line(*byte);
                let len = inner.iter().position(is_end).unwrap_or(inner.len());
                let closed = usize::from(inner.get(len) == Some(&b'"'));
                self.advance(len.saturating_add(1).saturating_add(closed));
                (inner.get(..len), true)
            }
            [brace @ (b'{' | b'}'), ..] if self.is_script && (starts_line || *brace == b'}') => {
                self.advance(1);
                // The next word on the line also starts a statement.
                self.is_new_line = true;
                (rest.get(..1), false)
            }
            _ => {
                let word = rest.get(..self.word_len(rest));
                self.advance(self.word_len(rest));
                if self.is_script && (word == Some(b"{") || matches!(self.rest(), [b'{' | b'}', ..])) {
                    self.is_new_line = true;
                }
                (word, false)
            }
        };
        crate::steps::count(self.offset().saturating_sub(before));
        Some(Token { text: Name::new(text.unwrap_or_default()), offset, starts_line, is_quoted })
    }
}

impl FusedIterator for Tokens<'_> {}
