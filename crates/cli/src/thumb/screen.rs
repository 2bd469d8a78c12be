//! The terminal that pictures are drawn on: its graphics protocol, and the size that fits.

use std::env;
use std::io::{self, IsTerminal};

use meshlens_thumb::{Limits, Picture};

use super::{cells, inline};
use crate::args::TerminalGraphics;
use crate::terminal::Output;

/// A way to draw pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Graphics {
    /// The graphics protocol of kitty.
    Kitty,
    /// The inline images of iTerm2.
    Iterm,
    /// Characters in two colors.
    Blocks,
}

/// A terminal, or standard output in place of one.
pub(super) struct Screen {
    graphics: Graphics,
    size: u32,
}

/// The size of a picture in pixels if no size is requested and the terminal has enough room.
const SIZE: u32 = 512;

/// The width and the height of a character cell if the terminal does not report them.
const CELL: (u32, u32) = (8, 16);

impl Screen {
    /// Detects the graphics of the terminal on standard output, unless `choice` selects them. `size` is the requested
    /// size of pictures in pixels. It has no effect on block characters, whose pictures fill the terminal.
    pub(super) fn detect(choice: TerminalGraphics, size: Option<u32>) -> Screen {
        let is_terminal = io::stdout().is_terminal();
        let graphics = match choice {
            TerminalGraphics::Kitty => Graphics::Kitty,
            TerminalGraphics::Iterm => Graphics::Iterm,
            TerminalGraphics::Blocks => Graphics::Blocks,
            TerminalGraphics::Auto if !is_terminal => Graphics::Blocks,
            TerminalGraphics::Auto => named(|name| env::var(name).ok()),
        };
        let size = match graphics {
            Graphics::Blocks => cells::size(),
            _ => size.unwrap_or(SIZE).min(room()).max(1),
        };
        Screen { graphics, size }
    }

    /// The width and the height of pictures, in pixels.
    pub(super) const fn size(&self) -> u32 {
        self.size
    }

    /// Draws a picture, and ends the line.
    pub(super) fn draw(&self, picture: &Picture, out: &mut Output) -> io::Result<()> {
        let drawing = match self.graphics {
            Graphics::Kitty => inline::kitty(&png(picture)?),
            Graphics::Iterm => inline::iterm(&png(picture)?),
            Graphics::Blocks => return out.put_drawing(&cells::text(picture)),
        };
        out.put_drawing(&drawing)?;
        out.put_drawing("\n")
    }
}

fn png(picture: &Picture) -> io::Result<Vec<u8>> {
    picture.to_png().map_err(io::Error::other)
}

/// The size of the largest square that fits the terminal, in pixels. Two lines are left for the prompt.
fn room() -> u32 {
    let limit = Limits::DEFAULT.size;
    let Some((terminal_size::Width(columns), terminal_size::Height(rows))) =
        terminal_size::terminal_size_of(io::stdout())
    else {
        return limit;
    };
    let (width, height) = cell().unwrap_or(CELL);
    let across = u32::from(columns).saturating_mul(width);
    across.min(u32::from(rows).saturating_sub(2).saturating_mul(height)).clamp(height, limit)
}

/// The width and the height of a character cell in pixels, if the system knows them and they are plausible.
#[cfg(unix)]
fn cell() -> Option<(u32, u32)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    let width = u32::from(size.ws_xpixel.checked_div(size.ws_col)?);
    let height = u32::from(size.ws_ypixel.checked_div(size.ws_row)?);
    [width, height].iter().all(|side| (1..=256).contains(side)).then_some((width, height))
}

/// Other systems do not report it.
#[cfg(not(unix))]
fn cell() -> Option<(u32, u32)> {
    None
}

/// The graphics of the terminal, by the environment variables that identify terminals.
fn named(variable: impl Fn(&str) -> Option<String>) -> Graphics {
    let text = |name| variable(name).unwrap_or_default();
    let (term, program) = (text("TERM"), text("TERM_PROGRAM"));
    // tmux and screen are terminals themselves, but the variables describe the terminal that they run in.
    let is_inside = ["TMUX", "STY"].iter().any(|name| !text(name).is_empty())
        || ["tmux", "screen"].iter().any(|name| term.starts_with(name));
    let starts = |names: &[&str]| names.iter().any(|name| term.starts_with(name));
    if is_inside || term.is_empty() || starts(&["dumb", "linux", "cons25"]) {
        Graphics::Blocks
    } else if starts(&["xterm-kitty", "xterm-ghostty"])
        || !text("KITTY_WINDOW_ID").is_empty()
        || program == "ghostty"
    {
        Graphics::Kitty
    } else if ["iTerm.app", "WezTerm", "mintty"].contains(&&*program) || text("LC_TERMINAL") == "iTerm2" {
        Graphics::Iterm
    } else {
        Graphics::Blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_their_variables() {
        for (variables, expected) in [
            (&[("TERM", "xterm-kitty")][..], Graphics::Kitty),
            (&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")], Graphics::Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "ghostty")], Graphics::Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Graphics::Iterm),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], Graphics::Iterm),
            (&[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")], Graphics::Iterm),
            (&[("TERM", "xterm-256color")], Graphics::Blocks),
            // In tmux, the variables describe the terminal that tmux runs in.
            (&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")], Graphics::Blocks),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")], Graphics::Blocks),
            (&[("TERM", "dumb"), ("TERM_PROGRAM", "iTerm.app")], Graphics::Blocks),
            (&[], Graphics::Blocks),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(named(variable), expected, "{variables:?}");
        }
    }
}
