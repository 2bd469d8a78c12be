//! Signals that end a program, which first removes partial outputs, and the signal for the limit on file sizes.
//! Elsewhere than on Unix, these functions do nothing.

use std::io;

/// After this call, writing past the limit on file sizes is an error, like a full disk, instead of a signal that ends
/// the program.
///
/// # Errors
///
/// The system refuses the handler.
pub fn survive_file_size_limit() -> io::Result<()> {
    // With a handler in place of the default action, writing fails with EFBIG.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    Ok(())
}

/// After this call, a signal that ends the program first removes the files that are being written.
///
/// # Errors
///
/// The system refuses the handlers or the thread.
pub fn clean_up() -> io::Result<()> {
    #[cfg(unix)]
    handle_ending_signals()?;
    Ok(())
}

#[cfg(unix)]
fn handle_ending_signals() -> io::Result<()> {
    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    };
    use signal_hook::iterator::Signals;

    // Signals that report a fault of the program itself (SIGSEGV, SIGABRT and the like) end the command at once.
    let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU];
    // The parent process may have set some signals to be ignored (nohup); they stay ignored.
    let mut signals = Signals::new(ending.into_iter().filter(|signal| !is_ignored(*signal)))?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            meshlens_source::discard_unfinished();
            // The exit status of the process shows the signal.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// Ends the process, whatever its other threads do: nothing runs that usually runs at the end.
pub fn exit_at_once(code: u8) -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(code.into());
    #[cfg(not(unix))]
    std::process::exit(code.into())
}

/// Whether the process was started with a signal ignored, if the system reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal - 1) & 1 == 1
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Child, Command, Output, Stdio};

    use meshlens_source::AtomicFile;

    use super::{clean_up, is_ignored};

    const PATH: &str = "MESHLENS_TEST_SIGNALS";

    /// The body of the child process: it writes half of a file, prints the signals that it ignores, waits, and writes
    /// the other half.
    fn write_in_halves(path: &Path) {
        clean_up().unwrap();
        let mut file = AtomicFile::create(path, true).unwrap();
        file.write_all(&[b'a'; 100_000]).unwrap();
        file.flush().unwrap();
        let ignored: Vec<i32> = (1..32).filter(|signal| is_ignored(*signal)).collect();
        println!("half {ignored:?}");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        assert_eq!(line, "go on\n");
        file.write_all(&[b'b'; 100_000]).unwrap();
        file.commit().unwrap();
    }

    /// Starts the child process, and waits until it has written half of the file. Also returns the signals that it
    /// ignores. `before` are shell commands that run first.
    fn started(path: &Path, before: &str) -> (Child, String) {
        // Some signals would write a core dump.
        let line = format!(r#"ulimit -c 0; {before} exec "$0" --exact "$1" --nocapture"#);
        let child = Command::new("bash")
            .args(["-c", &line])
            .arg(std::env::current_exe().unwrap())
            .arg("signals::tests::a_signal_leaves_the_existing_file")
            .env(PATH, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        waiting(child.unwrap())
    }

    /// Waits until the process prints the signals that it ignores.
    fn waiting(mut child: Child) -> (Child, String) {
        let mut said = String::new();
        let mut stdout = BufReader::new(child.stdout.as_mut().unwrap());
        loop {
            let start = said.len();
            if stdout.read_line(&mut said).unwrap() == 0 {
                panic!("it does not wait: {said}: {:?}", child.wait_with_output());
            }
            // The name of the test precedes it on the same line.
            if let Some((_, ignored)) = said[start..].split_once("half ") {
                return (child, ignored.trim().to_owned());
            }
        }
    }

    fn send(child: &Child, signal: i32) {
        let status = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    fn go_on(mut child: Child) -> Output {
        // If a signal has ended the process, its status shows that.
        let _ = child.stdin.take().unwrap().write_all(b"go on\n");
        child.wait_with_output().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_signal_leaves_the_existing_file() {
        if let Some(path) = std::env::var_os(PATH) {
            return write_in_halves(Path::new(&path));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "before").unwrap();
        // INT, TERM, HUP, QUIT, ALRM, VTALRM, PROF, USR1, USR2, XCPU
        let ending = [2, 15, 1, 3, 14, 26, 27, 10, 12, 24];
        // KILL, ABRT and IO cannot be handled in time, or at all. The system removes a file without a name when the
        // process ends.
        for signal in ending.into_iter().chain([9, 6, 29]) {
            let (child, _) = started(&path, "");
            let is_unnamed = names(folder.path()) == ["out"];
            if is_ignored(signal) || !ending.contains(&signal) && !is_unnamed {
                assert!(go_on(child).status.success());
                fs::write(&path, "before").unwrap();
                continue;
            }
            send(&child, signal);
            let output = child.wait_with_output().unwrap();
            // The parent process learns that a signal ended the process, and which signal.
            assert_eq!(output.status.signal(), Some(signal), "{output:?}");
            assert_eq!(names(folder.path()), ["out"], "{signal}");
            assert_eq!(fs::read(&path).unwrap(), b"before", "{signal}");
        }
    }

    #[test]
    fn an_ignored_signal_remains_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (child, ignored) = started(&path, "trap '' HUP INT QUIT;");
        assert!(ignored.starts_with("[1, 2, 3"), "{ignored}");
        for signal in [1, 2, 3] {
            send(&child, signal);
        }
        let output = go_on(child);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), [[b'a'; 100_000], [b'b'; 100_000]].concat());
    }
}
