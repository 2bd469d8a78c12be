//! Standard error, which may be closed or full: what cannot be told is not worth dying for, as `eprintln!` would.

/// As `eprintln!`, with the command's name in front, but never panics.
macro_rules! tell {
    ($($message:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "meshlens: {}", format_args!($($message)*));
    }};
}

pub(crate) use tell;
