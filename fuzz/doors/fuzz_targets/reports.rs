//! Reports of `meshlens bench`, which `compare` reads: two, separated by 0.
#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../../crates/bench/src/args.rs"]
mod args;
#[path = "../../../crates/bench/src/compare.rs"]
mod compare;

/// The parts of the module `report` that `compare` needs.
mod report {
    #[derive(Clone, Copy, serde::Deserialize)]
    pub(crate) struct Share {
        pub(crate) median: f64,
        pub(crate) spread: f64,
    }
}

use std::fs;
use std::io;

use meshlens_terminal::Output;

fn json(result: &impl serde::Serialize, out: &mut Output) -> io::Result<()> {
    serde_json::to_writer(out, result).map_err(io::Error::from)
}

libfuzzer_sys::fuzz_target!(init: meshlens_terminal::escape_panics(), |bytes: &[u8]| {
    let split = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (before, after) = (&bytes[..split], &bytes[(split + 1).min(bytes.len())..]);
    let name = |number| std::env::temp_dir().join(format!("meshlens-fuzz-{}-{number}.json", std::process::id()));
    let paths = [name(0), name(1)];
    for (path, bytes) in paths.iter().zip([before, if after.is_empty() { before } else { after }]) {
        fs::write(path, bytes).expect("a folder for temporary files");
    }
    if let [Ok(before), Ok(after)] = [&paths[0], &paths[1]].map(|path| compare::read(path)) {
        let _ = compare::changed(&before, &after);
        let rows = compare::rows(&before, &after, 0.05);
        // A number that is not finite is `null`.
        let json = serde_json::to_value(&rows).expect("plain values");
        let mut values = json.as_array().into_iter().flatten().filter_map(|row| row.as_object());
        assert!(values.all(|row| row.values().all(|value| !value.is_null())), "{json}");
        compare::text(&rows, &mut Output::new(io::sink())).expect("a sink takes everything");
    }
    paths.iter().for_each(|path| drop(fs::remove_file(path)));
});
