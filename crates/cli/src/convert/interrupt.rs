//! Signals that end the command: what is half written goes first.

use std::io;

/// From now on, a signal that ends the command removes the files that are being written before it does.
#[cfg(unix)]
pub(super) fn clean_up() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // Whoever started the command may have it ignore some (nohup), which stays so.
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)))?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            meshlens_source::discard_unfinished();
            // The status of the process tells which signal it was.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn clean_up() -> io::Result<()> {
    Ok(())
}

/// Whether the process was started with a signal ignored, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}
