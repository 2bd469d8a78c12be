//! The progress of a batch: one line on a terminal that is drawn over itself.

use std::io::{IsTerminal, Write, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::terminal::is_quiet;

/// The time between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);

/// The number of cells of the bar.
const CELLS: usize = 40;

/// Counts the files that are done. Prints nothing unless standard error is a terminal.
pub(crate) struct Progress {
    /// `None` while it is not known.
    total: Option<usize>,
    start: Instant,
    /// `None` if nothing is drawn.
    state: Option<Mutex<State>>,
}

struct State {
    done: usize,
    drawn: Instant,
}

impl Progress {
    pub(crate) fn new(total: Option<usize>) -> Progress {
        let start = Instant::now();
        let is_shown = !is_quiet() && stderr().is_terminal();
        Progress { total, start, state: is_shown.then(|| Mutex::new(State { done: 0, drawn: start })) }
    }

    /// Counts one more file.
    pub(crate) fn advance(&self) {
        let Some(Ok(mut state)) = self.state.as_ref().map(Mutex::lock) else { return };
        state.done += 1;
        let now = Instant::now();
        if now - state.drawn >= INTERVAL {
            state.drawn = now;
            // The progress line is optional, so errors are ignored.
            let _ = write!(stderr(), "\r{}\x1b[K", line(state.done, self.total, now - self.start));
        }
    }

    /// Clears the line, so that other text can be printed.
    pub(crate) fn clear(&self) {
        if self.state.is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn line(done: usize, total: Option<usize>, elapsed: Duration) -> String {
    let Some(total) = total else { return format!("{done} files") };
    let share = done as f64 / total.max(1) as f64;
    let filled = ((share * CELLS as f64) as usize).min(CELLS);
    let left = elapsed.as_secs_f64() / share.max(f64::MIN_POSITIVE) * (1.0 - share);
    format!("[{:CELLS$}] {done}/{total} files, {left:.0} s left", "=".repeat(filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_the_share_and_the_time_left() {
        let bar = format!("[{}{}]", "=".repeat(10), " ".repeat(30));
        assert_eq!(line(25, Some(100), Duration::from_secs(2)), format!("{bar} 25/100 files, 6 s left"));
        assert_eq!(line(3, None, Duration::from_secs(9)), "3 files");
        assert_eq!(
            line(3, Some(3), Duration::from_secs(9)),
            format!("[{}] 3/3 files, 0 s left", "=".repeat(40))
        );
    }
}
