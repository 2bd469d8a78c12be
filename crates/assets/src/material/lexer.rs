//! Splits a shader script into words.

/// A word and its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// The bytes, without quotes.
    pub(super) text: &'a [u8],
    /// The absolute offset.
    pub(super) offset: u64,
    /// Whether it is the first word of its line.
    pub(super) starts_line: bool,
    /// Whether it was quoted. A quoted brace is an ordinary word.
    pub(super) is_quoted: bool,
}

impl Token<'_> {
    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word.as_bytes())
    }

    pub(super) fn opens(&self) -> bool {
        !self.is_quoted && self.text == b"{"
    }

    pub(super) fn closes(&self) -> bool {
        !self.is_quoted && self.text == b"}"
    }

    /// Decodes the word as UTF-8, or else as Latin-1.
    pub(super) fn to_text(self) -> String {
        meshlens::wire::Name::new(self.text).to_text().into_owned()
    }
}

/// An iterator over the words of a script. Like engines, it separates words at bytes up to the space, at comments of
/// both kinds, and at quotes. A brace at the end of a word, or at the start of the first word of a line, is a word of
/// its own, because some scripts have no space there. Every byte is read a constant number of times.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    is_new_line: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Lexer { text, at, is_new_line: true }
    }

    /// A lexer for the words from an offset on, at the start of a line.
    pub(super) fn at(other: &Lexer<'a>, offset: u64) -> Self {
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(other.text.len());
        Lexer { text: other.text, at, is_new_line: true }
    }

    /// The offset at which the search for the next word starts.
    pub(super) const fn offset(&self) -> u64 {
        self.at as u64
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.text.len());
    }

    /// Skips blanks and comments.
    fn skip(&mut self) {
        loop {
            match self.rest() {
                [b'\n' | b'\r', ..] => {
                    self.is_new_line = true;
                    self.advance(1);
                }
                [0..=b' ', ..] => self.advance(1),
                [b'/', b'/', rest @ ..] => {
                    let line = rest.iter().position(|byte| is_end_of_line(*byte));
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
}

const fn is_end_of_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip();
        let rest = self.rest();
        let starts_line = std::mem::replace(&mut self.is_new_line, false);
        let offset = self.at as u64;
        let token = |text, is_quoted| Some(Token { text, offset, starts_line, is_quoted });
        match rest {
            [] => None,
            [b'"', inner @ ..] => {
                // An unclosed quote ends with its line.
                let len = inner.iter().position(|byte| *byte == b'"' || is_end_of_line(*byte));
                let len = len.unwrap_or(inner.len());
                let closed = inner.get(len) == Some(&b'"');
                self.advance(len.saturating_add(1).saturating_add(usize::from(closed)));
                token(inner.get(..len).unwrap_or_default(), true)
            }
            [brace @ (b'{' | b'}'), ..] if starts_line || *brace == b'}' => {
                self.advance(1);
                // The next word on the line also starts a statement.
                self.is_new_line = true;
                token(rest.get(..1).unwrap_or_default(), false)
            }
            _ => {
                let is_end = |pair: &[u8]| matches!(pair, [0..=b' ' | b'"', ..] | [b'/', b'/' | b'*', ..]);
                let len = (1..rest.len()).find(|at| is_end(rest.get(*at..).unwrap_or_default()));
                let word = rest.get(..len.unwrap_or(rest.len())).unwrap_or_default();
                let is_brace = |byte: &u8| matches!(byte, b'{' | b'}');
                let braces = word.iter().rev().take_while(|byte| is_brace(byte)).count();
                // Each brace of a word that consists of braces is a word.
                let len = word.len().saturating_sub(braces).max(1);
                let word = word.get(..len).unwrap_or(word);
                self.advance(word.len());
                if word == b"{" || matches!(self.rest(), [b'{' | b'}', ..]) {
                    self.is_new_line = true;
                }
                token(word, false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8]) -> Vec<(String, bool)> {
        Lexer::new(text).map(|token| (token.to_text(), token.starts_line)).collect()
    }

    fn plain(text: &str) -> Vec<String> {
        words(text.as_bytes()).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn comments_of_both_kinds_end_words() {
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
    fn braces_need_no_space_where_statements_begin_and_end() {
        assert_eq!(plain("a{\n{map b}\n}"), ["a", "{", "{", "map", "b", "}", "}"]);
        assert_eq!(plain("{ map {blue }"), ["{", "map", "{blue", "}"]);
        assert_eq!(plain("}}{"), ["}", "}", "{"]);
        assert_eq!(plain("a{}\nb {}"), ["a", "{", "}", "b", "{", "}"]);
        assert!(Lexer::new(b"\"{\"").all(|token| !token.opens()));
    }

    #[test]
    fn offsets_are_absolute() {
        let offsets: Vec<u64> = Lexer::new(b"ab  \"c\"\n}").map(|token| token.offset).collect();
        assert_eq!(offsets, [0, 4, 8]);
    }
}
