//! Lists of `meshlens census --manifest`, as CSV or as Parquet, which `--manifest` and `verify` read. The last byte is the kind.
#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../../crates/census/src/command/manifest.rs"]
mod manifest;
#[path = "../../../crates/census/src/command/parquet_columns.rs"]
mod parquet_columns;
#[path = "../../../crates/census/src/command/part.rs"]
mod part;
#[path = "../../../crates/census/src/command/stop.rs"]
mod stop;

use std::fs;

/// Rows after which reading ends: a small Parquet file may have any number of equal rows.
const ENOUGH: usize = 1 << 14;

// Panics of `parquet` are caught; the hook of the fuzzer would end the process.
libfuzzer_sys::fuzz_target!(init: meshlens_terminal::escape_panics(), |bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_last() else { return };
    let name = if kind & 1 == 0 { "csv" } else { "parquet" };
    let path = std::env::temp_dir().join(format!("meshlens-fuzz-{}.{name}", std::process::id()));
    fs::write(&path, bytes).expect("a folder for temporary files");
    let mut count = 0;
    let _ = manifest::read(&path, |rows| {
        for row in &rows {
            let is_short = |text: &str| text.len() <= 3 * manifest::LONGEST_FIELD;
            assert!(is_short(&row.uri) && row.etag.as_deref().is_none_or(is_short), "a field is too long");
            assert!(row.fault.is_some() || !row.uri.is_empty(), "an invalid row has no reason");
        }
        count += rows.len();
        if count < ENOUGH { Ok(()) } else { Err(stop::Stop("enough".into())) }
    });
    let _ = fs::remove_file(&path);
});
