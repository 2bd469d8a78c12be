//! The `#exec` lines of a script, outside comments and strings.

use meshlens_wire::Tokens;

/// Iterates over the rest of each line after `#exec`.
#[derive(Clone, Debug)]
pub(super) struct ExecLines<'a> {
    text: &'a [u8],
    tokens: Tokens<'a>,
}

impl<'a> ExecLines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        ExecLines { text, tokens: Tokens::of_script(text) }
    }

    /// Whether only white space is before `offset` on its line.
    fn begins_line(&self, offset: usize) -> bool {
        let before = self.text.get(..offset).unwrap_or_default();
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        before.iter().rev().find(|byte| !is_blank(**byte)).is_none_or(|byte| is_end_of_line(*byte))
    }
}

const fn is_end_of_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

const fn is_blank(byte: u8) -> bool {
    !is_end_of_line(byte) && (byte.is_ascii_whitespace() || byte == 0x0b || byte == 0)
}

/// The text after `#exec` and white space, or after `#ForceExec`, which only editors read.
fn after_exec(line: &[u8]) -> Option<&[u8]> {
    let word = line.strip_prefix(b"#")?;
    let word = word.get(word.iter().take_while(|byte| is_blank(**byte)).count()..)?;
    let forced = word.split_at_checked(5).filter(|(force, _)| force.eq_ignore_ascii_case(b"force"));
    let word = forced.map_or(word, |(_, rest)| rest);
    let (exec, content) = word.split_at_checked(4)?;
    let is_directive =
        exec.eq_ignore_ascii_case(b"exec") && content.iter().take(1).all(u8::is_ascii_whitespace);
    is_directive.then_some(content)
}

impl<'a> Iterator for ExecLines<'a> {
    /// The rest of the line after `#exec`, and its absolute offset.
    type Item = (&'a [u8], u64);

    fn next(&mut self) -> Option<(&'a [u8], u64)> {
        loop {
            // Offsets of tokens are offsets in a slice.
            let offset = self.tokens.next()?.offset as usize;
            let rest = self.text.get(offset..).unwrap_or_default();
            if !rest.starts_with(b"#") || !self.begins_line(offset) {
                continue;
            }
            let end = rest.iter().position(|byte| is_end_of_line(*byte)).unwrap_or(rest.len());
            if let Some(content) = rest.get(..end).and_then(after_exec) {
                let end = offset + end;
                self.tokens.seek(end as u64);
                return Some((content, (end - content.len()) as u64));
            }
        }
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
        assert_eq!(found(b"#ForceExec a\n#forceexec b"), [(&b" a"[..], 10), (b" b", 23)]);
        assert_eq!(found(b"x #exec a\n#executive b\n#exec(c)\n#force exec d"), []);
    }

    #[test]
    fn directives_in_comments_and_strings_are_ignored() {
        assert_eq!(found(b"//#exec a\n/*\n#exec b\n*/\n#exec c"), [(&b" c"[..], 29)]);
        assert_eq!(found(b"s = \"/*\"; // /*\n#exec a"), [(&b" a"[..], 21)]);
        assert_eq!(found(b"s = \"unclosed /*\n#exec a\nx / y\n#exec b").len(), 2);
        assert_eq!(found(b"/* a */ #exec b\n/* unclosed\n#exec c"), []);
        assert_eq!(found(b"\n\n\r\r\n\n"), []);
    }
}
