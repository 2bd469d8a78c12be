//! Escapes all output. Everything that a program of meshlens prints goes through this crate, so that a terminal never
//! receives raw content of a file, names in an archive, answers of a server or arguments.
//!
//! It escapes control characters (C0, DEL, C1), which can move the cursor and overwrite output, and bidirectional
//! controls and the byte order mark, which make text appear different from what it is.

#![forbid(unsafe_code)]

pub mod signals;
pub mod status;
pub mod usage;

use std::any::Any;
use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::io::{self, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};

/// How much the command prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only results and errors.
    Quiet,
    /// Results, errors and notes.
    #[default]
    Normal,
    /// Results, errors, and details that few users need.
    Verbose,
}

static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// Sets the verbosity of this run. Called once.
pub fn set_verbosity(verbosity: Verbosity) {
    // This function is called once, so the value is not set yet.
    let _ = VERBOSITY.set(verbosity);
}

/// Whether only results and errors are printed.
pub fn is_quiet() -> bool {
    VERBOSITY.get() == Some(&Verbosity::Quiet)
}

/// Whether details are printed.
pub fn is_verbose() -> bool {
    VERBOSITY.get() == Some(&Verbosity::Verbose)
}

/// The width of the terminal on standard output; `None` if standard output is not a terminal.
pub fn terminal_width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(io::stdout())?;
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Some(stated.unwrap_or(usize::from(width))).filter(|width| *width > 0)
}

/// Whether a character must be escaped.
fn is_unsafe(c: char) -> bool {
    // Some programs treat line separators as newlines.
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Escapes unsafe characters as `\n`, `\t` or `\u{1b}`, so that `text` stays on one line.
pub fn escape(text: &str) -> String {
    escape_as(text, |_| false, |c| c.escape_default().to_string())
}

fn escape_as(text: &str, keep: impl Fn(char) -> bool, notation: impl Fn(char) -> String) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) && !keep(c) { escaped.push_str(&notation(c)) } else { escaped.push(c) }
    }
    escaped
}

/// A path component made from file content, with `_` in place of each unsafe character.
pub fn file_name(text: &str) -> String {
    escape_as(text, |_| false, |_| "_".into())
}

/// A CSV cell that a spreadsheet does not take for a formula.
pub fn csv_cell(text: &str) -> String {
    let escaped = escape(text);
    // A single "-" means standard input.
    if escaped.starts_with(['=', '+', '-', '@']) && escaped != "-" { format!("'{escaped}") } else { escaped }
}

/// An output stream for people and programs.
///
/// - `writeln!` prints one line: a newline inside the text is escaped like every other unsafe character.
/// - Bytes that are written without formatting, as JSON and CSV writers do, keep their newlines. Other unsafe characters
///   become `\u009b`, which JSON reads back as the character it was.
pub struct Output {
    stream: BufWriter<Box<dyn Write>>,
    /// The first bytes of a character whose other bytes are not written yet.
    pending: Vec<u8>,
    ignores_closed: bool,
    is_colored: bool,
}

impl Output {
    /// An output that writes to `stream`.
    pub fn new(stream: impl Write + 'static) -> Self {
        Output {
            stream: BufWriter::new(Box::new(stream)),
            pending: Vec::new(),
            ignores_closed: false,
            is_colored: false,
        }
    }

    /// After this call, a reader that closes the stream is not an error: the work continues without it.
    pub fn ignore_closed(&mut self) {
        self.ignores_closed = true;
    }

    /// Whether [`write_colored`](Self::write_colored) writes colors. `auto` means on a terminal that supports them,
    /// unless the environment variable NO_COLOR is set and not empty (no-color.org).
    pub fn set_color(&mut self, choice: ColorChoice, is_terminal: bool) {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        self.is_colored = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                is_terminal && variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|t| t != "dumb")
            }
        };
    }

    /// Writes `text`, escaped, in a color if colors are on.
    pub fn write_colored(&mut self, color: AnsiColor, text: &str) -> io::Result<()> {
        let style = if self.is_colored { color.on_default() } else { Style::new() };
        let text = format!("{style}{}{style:#}", escape(text));
        self.put(text.as_bytes())
    }

    /// Whether colors are on.
    pub const fn is_colored(&self) -> bool {
        self.is_colored
    }

    /// Writes a drawing of escape sequences, which contains no text from a file.
    pub fn put_drawing(&mut self, drawing: &str) -> io::Result<()> {
        self.put(drawing.as_bytes())
    }

    fn put(&mut self, text: &[u8]) -> io::Result<()> {
        self.ignoring(|stream| stream.write_all(text))
    }

    fn ignoring(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match write(&mut self.stream) {
            Err(error) if self.ignores_closed && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut joined = std::mem::take(&mut self.pending);
        joined.extend_from_slice(bytes);
        let mut text = String::with_capacity(joined.len());
        let mut chunks = joined.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text += &escape_as(chunk.valid(), |c| c == '\n', |c| format!("\\u{:04x}", u32::from(c)));
            let invalid = chunk.invalid();
            // The end of the text may be an incomplete character of fewer than four bytes.
            if chunks.peek().is_none() && std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none())
            {
                self.pending = invalid.to_vec();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.put(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> io::Result<()> {
        let mut text = String::new();
        text.write_fmt(arguments).map_err(io::Error::other)?;
        let (line, end) = text.strip_suffix('\n').map_or((&*text, ""), |line| (line, "\n"));
        self.put((escape(line) + end).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.ignoring(|stream| stream.flush())
    }
}

/// Prints one line to standard error. Unlike `eprintln!`, ignores errors: standard error may be closed or full.
pub fn print_error(message: fmt::Arguments<'_>) {
    let _ = writeln!(Output::new(io::stderr()), "meshlens: {message}");
}

/// Prints a line to standard error, after the name of the command.
#[macro_export]
macro_rules! tell {
    ($($message:tt)*) => { $crate::print_error(format_args!($($message)*)) };
}

/// Returns the value; prints an error and returns `None`.
pub fn told<T>(result: Result<T, impl fmt::Display>) -> Option<T> {
    result.map_err(|error| tell!("{error}")).ok()
}

thread_local! {
    /// Whether this thread is inside [`catch`].
    static CATCHES: Cell<bool> = const { Cell::new(false) };
    /// The text of the last panic inside [`catch`].
    static CAUGHT: Cell<Option<String>> = const { Cell::new(None) };
}

/// Prints panics through this module, except for those that [`catch`] returns. A panic is a bug, but its message may contain
/// content of a file.
pub fn escape_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let text = format!("panicked at {place}: {}", message(panic.payload()));
        if CATCHES.get() {
            return CAUGHT.set(Some(text));
        }
        tell!("{text}");
        let backtrace = std::backtrace::Backtrace::capture();
        if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
            backtrace.to_string().lines().for_each(|line| tell!("{line}"));
        }
        tell!("this is a bug in meshlens; please report it");
    }));
}

/// Calls a function that uses code of others on the bytes of one file. A panic becomes its text.
pub fn catch<R>(call: impl FnOnce() -> R) -> Result<R, String> {
    let outer = CATCHES.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    CATCHES.set(outer);
    outcome.map_err(|panic| CAUGHT.take().unwrap_or_else(|| format!("panicked: {}", message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::{Output, csv_cell, escape, file_name};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn written(write: impl FnOnce(&mut Output)) -> String {
        let shared = Shared::default();
        let mut output = Output::new(shared.clone());
        write(&mut output);
        output.flush().unwrap();
        String::from_utf8(shared.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn only_control_and_bidirectional_characters_are_escaped() {
        assert_eq!(escape("a\x1b[2J\x07\u{9b}1m\u{7f}"), "a\\u{1b}[2J\\u{7}\\u{9b}1m\\u{7f}");
        assert_eq!(escape("\u{202e}md3\u{2066}\u{200f}\u{2028}"), "\\u{202e}md3\\u{2066}\\u{200f}\\u{2028}");
        assert_eq!(escape("\u{feff}a.md3"), "\\u{feff}a.md3");
        assert_eq!(escape("two\nlines\tand\r"), "two\\nlines\\tand\\r");
        assert_eq!(escape("Zoë 模型 C:\\x 👩‍🚀"), "Zoë 模型 C:\\x 👩‍🚀");
        assert_eq!(file_name("models/a\x1b[2J\u{202e}.md3"), "models/a_[2J_.md3");
    }

    #[test]
    fn a_formatted_line_is_one_line() {
        let text = written(|out| {
            let (name, message) = ("a\nforged", "\x1b[2J");
            writeln!(out, "{name}: {message}").unwrap();
            writeln!(out).unwrap();
        });
        assert_eq!(text, "a\\nforged: \\u{1b}[2J\n\n");
    }

    #[test]
    fn escaped_text_is_unchanged_after_parsing_json() {
        let value = serde_json::json!({"name": "a\u{9b}\u{202e}\x1b\n\u{7f}é"});
        let text = written(|out| serde_json::to_writer_pretty(out, &value).unwrap());
        assert_eq!(text, "{\n  \"name\": \"a\\u009b\\u202e\\u001b\\n\\u007fé\"\n}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_character_may_be_written_in_pieces() {
        let text = written(|out| {
            for byte in "\u{9b}é模\u{202e}👩".bytes() {
                out.write_all(&[byte]).unwrap();
            }
            out.write_all(b"\x9b1m\xff").unwrap();
        });
        assert_eq!(text, "\\u009bé模\\u202e👩\u{fffd}1m\u{fffd}");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, cell) in
            [("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\t=x", "\\t=x"), ("-", "-")]
        {
            assert_eq!(csv_cell(text), cell);
        }
    }
}
