//! Pictures as PNG files inside escape sequences: the graphics protocol of kitty, and the inline images of iTerm2.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The number of characters of base64 in one escape sequence of kitty, a multiple of four.
const CHUNK: usize = 4096;

/// Transmits and displays a PNG file (f=100, a=T). The terminal does not answer (q=2). Long data are in several
/// sequences; m=1 means that another sequence follows.
pub(super) fn kitty(png: &[u8]) -> String {
    let data = STANDARD.encode(png);
    let mut text = String::with_capacity(data.len() + data.len() / CHUNK * 16 + 32);
    let mut rest = data.as_str();
    let mut keys = "a=T,f=100,q=2,";
    loop {
        // base64 is ASCII.
        let (chunk, others) = rest.split_at_checked(CHUNK).unwrap_or((rest, ""));
        // Writing to a string does not fail.
        let _ = write!(text, "\x1b_G{keys}m={};{chunk}\x1b\\", u8::from(!others.is_empty()));
        if others.is_empty() {
            return text;
        }
        (rest, keys) = (others, "");
    }
}

/// Displays a PNG file at its own size (OSC 1337).
pub(super) fn iterm(png: &[u8]) -> String {
    let data = STANDARD.encode(png);
    format!("\x1b]1337;File=inline=1;size={};width=auto;height=auto:{data}\x07", png.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sequence_of_kitty_is_marked() {
        assert_eq!(kitty(b"abc"), "\x1b_Ga=T,f=100,q=2,m=0;YWJj\x1b\\");
        // 3072 bytes are 4096 characters.
        let full = STANDARD.encode([7; 3072]);
        assert_eq!(kitty(&[7; 3072]), format!("\x1b_Ga=T,f=100,q=2,m=0;{full}\x1b\\"));
        let expected = format!("\x1b_Ga=T,f=100,q=2,m=1;{full}\x1b\\\x1b_Gm=0;Bw==\x1b\\");
        assert_eq!(kitty(&[7; 3073]), expected);
    }

    #[test]
    fn an_image_of_iterm_states_its_size() {
        assert_eq!(iterm(b"abcd"), "\x1b]1337;File=inline=1;size=4;width=auto;height=auto:YWJjZA==\x07");
    }
}
