//! Reports wrong arguments, as clap finds them.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

use crate::escape;

/// Prints the message of clap, which may be the requested help, and returns the exit status. Arguments in it are escaped.
pub fn print(mut error: clap::Error) -> u8 {
    let escaped: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, ContextValue::String(escape(text)))),
            ContextValue::Strings(texts) => {
                Some((kind, ContextValue::Strings(texts.iter().map(|text| escape(text)).collect())))
            }
            ContextValue::StyledStrs(texts) => {
                // The style is dropped, because an argument may contain escape sequences.
                let plain = texts.iter().map(|text| StyledStr::from(escape(&text.to_string())));
                Some((kind, ContextValue::StyledStrs(plain.collect())))
            }
            _ => None,
        })
        .collect();
    for (kind, value) in escaped {
        error.insert(kind, value);
    }
    // An error of the output stream does not change the exit status.
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(2)
}
