//! The text of a USD file: blocks, names, strings and numbers.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufWriter, Write};

/// A text that is written without being held in memory.
pub(super) struct Text<'w> {
    out: BufWriter<&'w mut dyn Write>,
    depth: usize,
}

impl<'w> Text<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Self {
        Text { out: BufWriter::with_capacity(1 << 16, out), depth: 0 }
    }

    fn indent(&mut self) -> io::Result<()> {
        (0..self.depth).try_for_each(|_| self.out.write_all(b"    "))
    }

    /// Writes a line.
    pub(super) fn line(&mut self, line: fmt::Arguments<'_>) -> io::Result<()> {
        self.indent()?;
        writeln!(self.out, "{line}")
    }

    /// Begins a prim: its definition, and the lines of its metadata.
    pub(super) fn prim(&mut self, definition: fmt::Arguments<'_>, metadata: &[String]) -> io::Result<()> {
        if metadata.is_empty() {
            self.line(definition)?;
        } else {
            self.open(&format!("{definition} ("))?;
            metadata.iter().try_for_each(|line| self.line(format_args!("{line}")))?;
            self.close(")")?;
        }
        self.open("{")
    }

    /// Begins a block with a line.
    pub(super) fn open(&mut self, line: &str) -> io::Result<()> {
        self.line(format_args!("{line}"))?;
        self.depth += 1;
        Ok(())
    }

    /// Ends a block with a line.
    pub(super) fn close(&mut self, line: &str) -> io::Result<()> {
        self.depth -= 1;
        self.line(format_args!("{line}"))
    }

    /// Writes an attribute: `head`, an array, and `tail`.
    pub(super) fn array<V: Element>(
        &mut self,
        head: fmt::Arguments<'_>,
        values: impl IntoIterator<Item = V>,
        tail: &str,
    ) -> io::Result<()> {
        self.indent()?;
        write!(self.out, "{head}[")?;
        write_list(values, &mut self.out)?;
        writeln!(self.out, "]{tail}")
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An element of an array.
pub(super) trait Element {
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Writes values with commas between them.
fn write_list<V: Element>(values: impl IntoIterator<Item = V>, out: &mut dyn Write) -> io::Result<()> {
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b", ")?;
        }
        value.write(out)?;
    }
    Ok(())
}

/// The shortest text that is read as the same number.
impl Element for f32 {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // Zero has no sign in text. Values that are not finite were replaced.
        let value = if self.is_finite() { *self + 0.0 } else { 0.0 };
        let is_plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
        if is_plain { write!(out, "{value}") } else { write!(out, "{value:e}") }
    }
}

impl<const N: usize> Element for [f32; N] {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"(")?;
        write_list(self.iter().copied(), out)?;
        out.write_all(b")")
    }
}

/// A matrix. The columns of a matrix for column vectors are the rows of one for row vectors, as in USD.
impl Element for [[f32; 4]; 4] {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"( ")?;
        write_list(self.iter().copied(), out)?;
        out.write_all(b" )")
    }
}

impl Element for usize {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{self}")
    }
}

impl Element for &str {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}", Quoted(self))
    }
}

/// An element as text.
pub(super) struct Number<T>(pub(super) T);

impl<T: Element> fmt::Display for Number<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.0.write(&mut text).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// A string in quotes.
pub(super) struct Quoted<'t>(pub(super) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                c if c.is_control() => f.write_str("?")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Names of prims that have the same parent.
#[derive(Default)]
pub(super) struct Names(HashMap<String, usize>);

impl Names {
    /// A name that is an identifier, and that no other prim has. Other characters become underscores.
    pub(super) fn add(&mut self, name: &str) -> String {
        let mut made: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !made.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            made.insert(0, '_');
        }
        let mut number = *self.0.entry(made.clone()).and_modify(|count| *count += 1).or_insert(1);
        if number == 1 {
            return made;
        }
        loop {
            let other = format!("{made}_{number}");
            if !self.0.contains_key(&other) {
                self.0.insert(made, number);
                self.0.insert(other.clone(), 1);
                return other;
            }
            number += 1;
        }
    }
}

/// The metadata of a prim whose name is not the name in the model.
pub(super) fn display_name(name: &str, identifier: &str) -> Option<String> {
    (name != identifier && !name.is_empty()).then(|| format!("displayName = {}", Quoted(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        let text = |value: f32| Number(value).to_string();
        assert_eq!([0.1, -0.0, 3.0, 1e-7, 1e20, f32::NAN].map(text), ["0.1", "0", "3", "1e-7", "1e20", "0"]);
        assert_eq!(Number([1.0, -2.5]).to_string(), "(1, -2.5)");
        for value in [f32::MAX, f32::MIN_POSITIVE, 16777217.0, 0.3] {
            assert_eq!(text(value).parse(), Ok(value));
        }
    }

    #[test]
    fn names_are_identifiers_and_distinct() {
        let mut names = Names::default();
        let made = ["h_head", "1 a/b", "", "h_head", "h_head_2", "h.head"].map(|name| names.add(name));
        assert_eq!(made, ["h_head", "_1_a_b", "_", "h_head_2", "h_head_2_2", "h_head_3"]);
        assert_eq!(Quoted("a\"b\\\n").to_string(), "\"a\\\"b\\\\\\n\"");
    }
}
