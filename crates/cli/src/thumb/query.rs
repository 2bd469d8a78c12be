//! Asks the terminal what it shows. The question is sent only if standard input and output are the same terminal and this
//! process is in its foreground; its modes are restored in any case.

/// What a terminal answered.
#[cfg_attr(not(unix), allow(dead_code, reason = "only Unix has the question"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// It shows sixel graphics.
    pub(super) sixel: bool,
    /// The width and the height of a character cell in pixels.
    pub(super) cell: Option<(u32, u32)>,
}

#[cfg(unix)]
pub(super) use unix::{ask, cell};

/// Other systems have no such question.
#[cfg(not(unix))]
pub(super) fn ask() -> Option<Answer> {
    None
}

/// The size of a character cell is unknown.
#[cfg(not(unix))]
pub(super) fn cell() -> Option<(u32, u32)> {
    None
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, IsTerminal, Write};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios};
    use rustix::{process, termios};

    use super::{Answer, is_cell, parse};

    /// How long an answer may take. Every terminal answers, but a program in its place may not.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The size of a cell (XTWINOPS 16), and the primary device attributes, which every terminal answers: after them,
    /// no further answer is to be expected.
    const QUESTION: &[u8] = b"\x1b[16t\x1b[c";

    /// Longer answers are no answers.
    const LONGEST: usize = 4096;

    /// The size of a cell that the system knows.
    pub(in super::super) fn cell() -> Option<(u32, u32)> {
        let size = termios::tcgetwinsize(io::stdout()).ok()?;
        let width = u32::from(size.ws_xpixel.checked_div(size.ws_col)?);
        let height = u32::from(size.ws_ypixel.checked_div(size.ws_row)?);
        is_cell((width, height)).then_some((width, height))
    }

    /// Asks the terminal. `None` if there is none, or no answer.
    pub(in super::super) fn ask() -> Option<Answer> {
        let input = io::stdin();
        if !input.is_terminal() || !io::stdout().is_terminal() {
            return None;
        }
        // The terminal stops a process in the background that changes its modes.
        if termios::tcgetpgrp(&input).ok()? != process::getpgrp() {
            return None;
        }
        let modes = Raw::enter(input.as_fd()).ok()?;
        let answer = converse(input.as_fd());
        // What comes late must not be taken for keys.
        modes.leave(if answer.is_some() { OptionalActions::Now } else { OptionalActions::Flush });
        answer
    }

    fn converse(input: BorrowedFd<'_>) -> Option<Answer> {
        let mut output = File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
        output.write_all(QUESTION).ok()?;
        let until = Instant::now() + PATIENCE;
        let mut said = Vec::new();
        while said.len() < LONGEST {
            // What has come is read, however late it is looked at.
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).ok()?;
            let mut waited = [PollFd::new(&input, PollFlags::IN)];
            match poll(&mut waited, Some(&left)) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return None,
            }
            // One byte at a time: those after the answer are keys, which another program reads.
            let mut byte = [0];
            if rustix::io::read(input, &mut byte).ok()? == 0 {
                return None;
            }
            said.extend(byte);
            if let Some(answer) = parse(&said) {
                return Some(answer);
            }
        }
        None
    }

    /// A terminal that passes bytes on as they come and echoes none, until it is dropped.
    struct Raw<'t> {
        terminal: BorrowedFd<'t>,
        before: Termios,
    }

    impl<'t> Raw<'t> {
        fn enter(terminal: BorrowedFd<'t>) -> io::Result<Self> {
            let before = termios::tcgetattr(terminal)?;
            let mut modes = before.clone();
            // Without signals, no key can end the program before the modes are restored.
            modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
            modes.special_codes[SpecialCodeIndex::VMIN] = 1;
            modes.special_codes[SpecialCodeIndex::VTIME] = 0;
            termios::tcsetattr(terminal, OptionalActions::Now, &modes)?;
            Ok(Raw { terminal, before })
        }

        fn leave(self, actions: OptionalActions) {
            // The terminal may be gone.
            let _ = termios::tcsetattr(self.terminal, actions, &self.before);
        }
    }

    impl Drop for Raw<'_> {
        fn drop(&mut self) {
            let _ = termios::tcsetattr(self.terminal, OptionalActions::Now, &self.before);
        }
    }
}

/// Whether a width and a height are plausible for a cell.
#[cfg(unix)]
fn is_cell((width, height): (u32, u32)) -> bool {
    (1..=256).contains(&width) && (1..=256).contains(&height)
}

/// The answer in what a terminal sent, once its device attributes are complete: `ESC [ ? Ps ; ... c`. An attribute of 4
/// stands for sixel graphics. The size of a cell is `ESC [ 6 ; height ; width t`.
#[cfg(unix)]
fn parse(said: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(said);
    let mut answer = Answer::default();
    for sequence in text.split("\x1b[").skip(1) {
        if let Some(size) = sequence.strip_prefix("6;").and_then(|size| size.split_once('t')) {
            let numbers = size.0.split_once(';');
            let numbers = numbers.and_then(|(h, w)| Some((w.parse().ok()?, h.parse().ok()?)));
            answer.cell = numbers.filter(|cell| is_cell(*cell));
        } else if let Some((attributes, _)) = sequence.strip_prefix('?').and_then(|rest| rest.split_once('c'))
        {
            answer.sixel = attributes.split(';').any(|attribute| attribute == "4");
            return Some(answer);
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Answer, parse};

    #[test]
    fn an_answer_ends_with_the_device_attributes() {
        let answer = |sixel, cell| Some(Answer { sixel, cell });
        assert_eq!(parse(b"\x1b[?62;4;22c"), answer(true, None));
        assert_eq!(parse(b"\x1b[6;20;10t\x1b[?64;1;4c"), answer(true, Some((10, 20))));
        assert_eq!(parse(b"q\x1b[6;0;10t\x1b[?1;2c"), answer(false, None));
        // Keys that were pressed before.
        assert_eq!(parse(b"\xffls\r\x1b[A\x1b[?62;4c"), answer(true, None));
        // 14 and 42 are other attributes.
        assert_eq!(parse(b"\x1b[?62;14;42c"), answer(false, None));
        for incomplete in [&b""[..], b"\x1b[6;20;10t", b"\x1b[?62;4", b"c", b"\xff"] {
            assert_eq!(parse(incomplete), None);
        }
    }
}
