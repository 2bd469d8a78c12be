//! Clips with names, for models other than players: rows as in `animation.cfg`, each with its name in a comment.
//!
//! The rows of an `animation.cfg` are in the order of [`AnimationName`](crate::animation::AnimationName). Tools that write
//! one for other models write the name of each row after `//`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use meshlens_wire::{Error, ErrorKind, Limits, Result, Token, Tokens};

use crate::animation::Animation;
pub use crate::animation::NamedAnimation;

/// The name of the format in errors.
const FORMAT: &str = "clips";

/// Parses the rows of a text that have a name. Other lines are skipped. Control characters in names become spaces.
///
/// ```
/// use meshlens_md3::clips;
///
/// let clips = clips::parse(b"// first frame, num frames, looping frames, frames per second\n0 10 10 15 // walk cycle\n")?;
/// assert_eq!((clips[0].name.as_str(), clips[0].animation.frame_count), ("walk cycle", 10));
/// assert_eq!(clips::parse(clips::write(&clips).as_bytes())?, clips);
/// # Ok::<(), meshlens_md3::Error>(())
/// ```
///
/// # Errors
///
/// There are more rows or bytes than [`Limits::DEFAULT`] allows.
pub fn parse(text: &[u8]) -> Result<Vec<NamedAnimation>> {
    Limits::DEFAULT.check_text(FORMAT, text.len())?;
    let mut clips = Vec::new();
    let mut end = 0u64;
    for line in text.split(|byte| *byte == b'\n') {
        let offset = end;
        end += line.len() as u64 + 1;
        let Some(comment) = line.windows(2).position(|pair| pair == b"//") else { continue };
        let (row, name) = line.split_at(comment);
        // The comment starts with two slashes.
        let name = one_line(&String::from_utf8_lossy(name.get(2..).unwrap_or(&[])));
        let numbers: Option<Vec<f64>> = Tokens::new(row).take(5).map(|token| number(&token)).collect();
        let Some([first, count, looped, rate]) = numbers.as_deref() else { continue };
        if name.is_empty() {
            continue;
        }
        if clips.len() as u64 >= Limits::DEFAULT.count {
            let limit = Limits::DEFAULT.count;
            let kind = ErrorKind::Limit { what: "rows", limit, found: limit + 1 };
            return Err(Error::new(FORMAT, offset, kind));
        }
        let animation = Animation::of_row([*first, *count, *looped, *rate]);
        clips.push(NamedAnimation { name, animation });
    }
    Ok(clips)
}

fn number(token: &Token<'_>) -> Option<f64> {
    core::str::from_utf8(token.text.as_bytes()).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Writes clips as text. Parsing the text returns equal clips. Control characters in names become spaces.
pub fn write(clips: &[NamedAnimation]) -> String {
    let mut text = String::from("// first frame, num frames, looping frames, frames per second, name\n\n");
    for NamedAnimation { name, animation } in clips {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{animation}\t// {}", one_line(name));
    }
    text
}

/// A name without control characters, which become spaces, and without spaces around it.
fn one_line(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    name.trim().into()
}
