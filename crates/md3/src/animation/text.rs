//! The text of an `animation.cfg`: read and written.

use alloc::string::String;
use core::fmt::Write;
use core::iter::Peekable;

use meshlens_wire::{Error, ErrorKind, Limits, Result, Token, Tokens, quote_token};

use super::{Animation, AnimationConfig, AnimationName, FORMAT, Sex};
use crate::clips::NamedAnimation;

impl AnimationConfig {
    /// Parses the text of an `animation.cfg`, LF or CRLF, with comments.
    ///
    /// Keywords come first, in any order and case. Rows begin at the first number, or at the first line of a name and
    /// four numbers. A file with fewer than 25 rows is not an error, but [`is_complete`](Self::is_complete) is then
    /// `false`.
    ///
    /// # Errors
    ///
    /// A keyword has no value, a row is not four numbers, or there are more bytes than [`Limits::DEFAULT`] allows.
    pub fn parse(text: &[u8]) -> Result<Self> {
        Limits::DEFAULT.check_text(FORMAT, text.len())?;
        let mut config = AnimationConfig::default();
        let mut tokens = Tokens::new(text).peekable();
        let end = text.len() as u64;
        while let Some(token) = tokens.next_if(|token| number(token).is_none()) {
            let mut value = |expected| tokens.next().ok_or_else(|| syntax(end, expected));
            if token.text.eq_ignore_case("sex") {
                let letter = value("m, f or n")?;
                let sex = Sex::from_bytes(letter.text.as_bytes());
                config.sex = Some(sex.ok_or_else(|| syntax(letter.offset, "m, f or n"))?);
            } else if token.text.eq_ignore_case("headoffset") {
                let mut offset = [0.0; 3];
                for axis in &mut offset {
                    let token = value("three numbers")?;
                    *axis = number(&token).ok_or_else(|| syntax(token.offset, "a number"))? as f32;
                }
                config.head_offset = Some(offset);
            } else if token.text.eq_ignore_case("footsteps") {
                config.footsteps = Some(value("a kind of footsteps")?.text.to_text().into_owned());
            } else if token.text.eq_ignore_case("fixedlegs") {
                config.fixed_legs = true;
            } else if token.text.eq_ignore_case("fixedtorso") {
                config.fixed_torso = true;
            } else {
                config.word(&token, &mut tokens)?;
            }
        }
        while let Some(token) = tokens.next() {
            let Some(first) = number(&token) else {
                config.word(&token, &mut tokens)?;
                continue;
            };
            let mut column = || {
                let token = tokens.next().ok_or_else(|| syntax(end, ROW))?;
                number(&token).ok_or_else(|| syntax(token.offset, ROW))
            };
            config.animations.push(Animation::of_row([first, column()?, column()?, column()?]));
        }
        Ok(config)
    }

    /// A word that is not a keyword: the name of a row if it starts a line and four numbers follow, or else unknown. The
    /// numbers after an unknown word are its values.
    fn word<'a>(
        &mut self,
        word: &Token<'a>,
        tokens: &mut Peekable<impl Iterator<Item = Token<'a>>>,
    ) -> Result<()> {
        if !word.starts_line {
            return self.note_unknown(word);
        }
        let mut next = || tokens.next_if(|next| !next.starts_line && number(next).is_some());
        let row = [(); 4].map(|()| next().as_ref().and_then(number));
        // Some games write more columns, such as a speed.
        while next().is_some() {}
        match row {
            [Some(first), Some(count), Some(loops), Some(rate)] if !word.text.is_empty() => {
                let animation = Animation::of_row([first, count, loops, rate]);
                self.named.push(NamedAnimation { name: word.to_text(), animation });
                Ok(())
            }
            _ => self.note_unknown(word),
        }
    }

    fn note_unknown(&mut self, token: &Token<'_>) -> Result<()> {
        let limit = Limits::DEFAULT.count;
        if self.unknown.len() as u64 >= limit {
            let kind = ErrorKind::Limit { what: "unknown words", limit, found: limit + 1 };
            return Err(Error::new(FORMAT, token.offset, kind));
        }
        self.unknown.push((token.offset, token.text.to_text().into_owned()));
        Ok(())
    }

    /// Writes the configuration as text, without the [`unknown`](Self::unknown) words. Parsing the text returns an
    /// equal configuration.
    pub fn write(&self) -> String {
        let mut text = String::from("// first frame, num frames, looping frames, frames per second\n\n");
        if let Some(sex) = self.sex {
            line(&mut text, format_args!("sex {sex}"));
        }
        if let Some([x, y, z]) = self.head_offset {
            line(&mut text, format_args!("headoffset {x} {y} {z}"));
        }
        if let Some(footsteps) = &self.footsteps {
            line(&mut text, format_args!("footsteps {}", quote_token(footsteps)));
        }
        if self.fixed_legs {
            line(&mut text, format_args!("fixedlegs"));
        }
        if self.fixed_torso {
            line(&mut text, format_args!("fixedtorso"));
        }
        text.push('\n');
        for (index, row) in self.animations.iter().enumerate() {
            let name = AnimationName::ALL.get(index).map_or("", |name| name.as_str());
            line(&mut text, format_args!("{row}\t// {name}"));
        }
        for NamedAnimation { name, animation } in &self.named {
            line(&mut text, format_args!("{}\t{animation}", quote_token(name)));
        }
        text
    }
}

/// The form of a row, for errors.
const ROW: &str = "four numbers: first frame, frames, looping frames, frames per second";

fn line(text: &mut String, content: core::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{content}");
}

fn syntax(offset: u64, expected: &'static str) -> Error {
    Error::new(FORMAT, offset, ErrorKind::Syntax { expected })
}

/// Parses a token as a number that an `f32` can hold. `inf` and `nan` are not numbers here.
fn number(token: &Token<'_>) -> Option<f64> {
    let text = core::str::from_utf8(token.text.as_bytes()).ok()?;
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.abs() <= f32::MAX.into())
}
