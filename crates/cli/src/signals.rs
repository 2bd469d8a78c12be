//! Signals that end the command, which first removes partial outputs, and the signal for the limit on file sizes.

use std::io;

/// After this call, writing past the limit on file sizes is an error like a full disk, and does not end the command.
#[cfg(unix)]
pub(crate) fn survive_file_size_limit() -> io::Result<()> {
    // With a handler in place of the default action, writing fails with EFBIG.
    let unused = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, unused).map(drop)
}

/// After this call, a signal that ends the command first removes the files that are being written.
#[cfg(unix)]
pub(crate) fn clean_up() -> io::Result<()> {
    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    };
    use signal_hook::iterator::Signals;

    // Signals that report a fault of the program itself (SIGSEGV, SIGABRT and the like) end it at once.
    let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU];
    // The parent process may have set some signals to be ignored (nohup); they stay ignored.
    let mut signals = Signals::new(ending.into_iter().filter(|signal| !is_ignored(*signal)))?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            meshlens_source::discard_unfinished();
            // The exit status of the process shows which signal it was.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn survive_file_size_limit() -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn clean_up() -> io::Result<()> {
    Ok(())
}

/// Whether the process was started with a signal ignored, if the system reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}
