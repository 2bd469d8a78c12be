//! Files with and without temporary names, and processes that end before a file is complete.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::temporary::UNFINISHED;
use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

type Make = fn(&Path) -> io::Result<Temporary>;

/// All methods for making a temporary file on this system, and whether the file has a name.
fn ways(folder: &Path) -> Vec<(Make, bool)> {
    let mut ways: Vec<(Make, bool)> = vec![(Temporary::named, true)];
    if Temporary::unnamed(folder).is_some() {
        ways.push((Temporary::new, false));
    }
    ways
}

#[test]
fn a_path_that_ends_like_a_folder_is_refused_before_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = format!("{}/", folder.path().join("new").display());
    assert!(matches!(AtomicFile::create(&path, false), Err(Error::Folder { .. })));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn named_and_unnamed_files_are_placed_replaced_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (make, has_name) in ways(folder.path()) {
        let path = folder.path().join("out");
        let write = |overwrite, content: &[u8]| {
            let before = names(folder.path()).len();
            let mut file = AtomicFile::create_by(make, &path, overwrite).unwrap();
            file.write_all(content).unwrap();
            file.flush().unwrap();
            assert_eq!(names(folder.path()).len(), before + usize::from(has_name));
            file
        };
        let late = write(false, b"late");
        write(false, b"first").commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert!(matches!(late.commit(), Err(Error::Exists { .. })));
        write(true, b"second").commit().unwrap();
        drop(write(true, b"dropped"));
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["out"]);
        std::fs::remove_file(&path).unwrap();
    }
    assert!(all_unfinished().iter().all(|path| !path.starts_with(folder.path())));
}

#[test]
fn a_closed_file_is_placed_or_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (make, _) in ways(folder.path()) {
        let path = folder.path().join("out");
        let closed = |content: &[u8], overwrite| {
            let mut file = AtomicFile::create_by(make, &path, overwrite).unwrap();
            file.write_all(content).unwrap();
            file.close().unwrap();
            let is_open = file.writer.get_mut().file().is_ok();
            assert!(!is_open && (file.write_all(b"more").is_err() || file.flush().is_err()));
            file
        };
        drop(closed(b"dropped", false));
        assert!(names(folder.path()).is_empty());
        let mut file = AtomicFile::create_by(make, &path, false).unwrap();
        file.write_all(b"first").unwrap();
        file.close().unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        file.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["out"]);
        std::fs::remove_file(&path).unwrap();
    }
    assert!(all_unfinished().iter().all(|path| !path.starts_with(folder.path())));
}

/// Files after one that cannot be placed leave no trace.
#[test]
fn files_after_a_failed_one_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    for (make, _) in ways(folder.path()) {
        let file = |name: &str| AtomicFile::create_by(make, &folder.path().join(name), false).unwrap();
        let files = [file("a"), file("b"), file("c")];
        std::fs::write(folder.path().join("b"), "theirs").unwrap();
        assert!(matches!(AtomicFile::commit_all(files), Err(Error::Exists { .. })));
        assert_eq!(names(folder.path()), ["a", "b"]);
        for name in ["a", "b"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
    assert!(all_unfinished().iter().all(|path| !path.starts_with(folder.path())));
}

/// A process that runs only the test with this name in this test program, and is then ended.
struct Process {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

const FOLDER: &str = "MESHLENS_TEST_OUTPUT_FOLDER";
const HAS_NAME: &str = "MESHLENS_TEST_OUTPUT_HAS_NAME";

impl Process {
    fn start(test: &str, folder: &Path, has_name: bool) -> Process {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture"]).env(FOLDER, folder);
        if has_name {
            command.env(HAS_NAME, "1");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Process { child, lines }
    }

    /// Waits until the process prints `said`, which follows the name of the test in the same line. Errors of the
    /// process are errors of this test.
    fn wait_for(&mut self, said: &str) {
        let mut before = Vec::new();
        for line in self.lines.by_ref().map(Result::unwrap) {
            if line.ends_with(said) {
                return;
            }
            before.push(line);
        }
        panic!("{said} is expected, not the end ({:?}) after {before:#?}", self.child.wait());
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Kills the process in a way that it cannot handle.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The code of the process. It writes a part of a file and waits, then discards it and waits.
fn write_half(folder: &Path) {
    let make = if std::env::var_os(HAS_NAME).is_some() { Temporary::named } else { Temporary::new };
    let mut file = AtomicFile::create_by(make, &folder.join("out"), true).unwrap();
    file.write_all(&[7; 100_000]).unwrap();
    file.flush().unwrap();
    println!("half");
    let mut lines = io::stdin().lines();
    assert_eq!(lines.next().unwrap().unwrap(), "discard");
    discard_unfinished();
    // Committing takes this lock.
    assert!(UNFINISHED.try_lock().is_err());
    println!("discarded");
    // Waits until the process is killed.
    lines.next();
}

#[test]
fn a_killed_process_leaves_the_old_file() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_half(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("out"), "before").unwrap();
    for (_, has_name) in ways(path) {
        let start = || {
            let mut process =
                Process::start("output::tests::a_killed_process_leaves_the_old_file", path, has_name);
            process.wait_for("half");
            assert_eq!(names(path).len(), 1 + usize::from(has_name));
            process
        };
        let mut process = start();
        process.tell("discard");
        process.wait_for("discarded");
        assert_eq!(names(path), ["out"]);
        process.kill();
        if !has_name {
            start().kill();
            assert_eq!(names(path), ["out"]);
        }
        assert_eq!(std::fs::read(path.join("out")).unwrap(), b"before");
    }
}
