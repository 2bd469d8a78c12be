//! What benchmarks share.

pub mod copy;
// The lenses are also measured in WebAssembly, where not all crates are available.
#[cfg(not(target_family = "wasm"))]
pub mod large;
pub mod ratio;
pub mod zip_archive;

use meshlens_lens::Level;

/// Runs `work` twice. `.ci/instructions` counts the instructions of the second run, and reads the name that this prints.
pub fn count(name: &str, mut work: impl FnMut()) {
    work();
    println!("{name}");
    counted_work(&mut work);
}

/// callgrind counts from the call of this function to its return.
#[inline(never)]
fn counted_work(work: &mut dyn FnMut()) {
    work();
    // The call is not the last thing that the function does: a jump would leave it.
    std::hint::black_box(());
}

/// The levels whose instructions are counted: valgrind knows no AVX-512.
pub fn counted_levels() -> Vec<Level> {
    ["sse", "avx2"].into_iter().filter_map(|level| level.parse().ok()).collect()
}

/// Whether the program has this argument.
pub fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

/// The argument that selects benches by a part of their names.
pub fn filter() -> Option<String> {
    std::env::args().skip(1).find(|argument| !argument.starts_with("--"))
}

/// Whether tables are printed. Without `--table`, they are not in test mode, or if only some benches are selected.
pub fn wants_tables() -> bool {
    has("--table") || !(has("--test") || has("--list") || filter().is_some())
}
