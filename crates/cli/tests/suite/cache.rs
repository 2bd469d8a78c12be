//! What servers send is kept in a folder.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use meshlens_testkit::real;
use meshlens_testkit::server::{Reply, Server};

use crate::shared::{meshlens, stderr, stdout, utf8};

/// A server of the corpus whose files have tags, and the number of bytes that it has sent.
fn server() -> (Server, Arc<AtomicU64>) {
    let sent = Arc::<AtomicU64>::default();
    let counter = sent.clone();
    let server = Server::new(move |asked| {
        let path = real::workspace_root().join("corpus").join(asked.path.trim_start_matches('/'));
        let Ok(file) = std::fs::read(path) else { return Reply::status("404 Not Found") };
        if asked.if_none_match.is_none() {
            let range = asked.range.clone().unwrap_or(0..u64::MAX);
            counter.fetch_add(range.end.min(file.len() as u64) - range.start, Ordering::Relaxed);
        }
        Reply::tagged(asked, &file, "\"1\"")
    });
    (server, sent)
}

#[test]
fn the_second_run_receives_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = utf8(folder.path());
    let (server, sent) = server();
    let url = |name: &str| format!("{}/{name}", server.url);
    let urls = [url("md3/animated.md3"), url("unigine/skinned_ms11.mesh"), url("u3d/v2_newer.u3d")];
    for verb in ["plan", "inspect", "validate"] {
        let run = |options: &[&str]| {
            let arguments = [&[verb], options, &urls.each_ref().map(|url| &**url)].concat();
            let output = meshlens(&arguments);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{verb}");
            (output.stdout, sent.swap(0, Ordering::Relaxed))
        };
        let (plain, bytes) = run(&[]);
        assert!(bytes > 0);
        assert_eq!(run(&["--cache", folder]).0, plain);
        assert_eq!(run(&["--cache", folder]), (plain.clone(), 0), "{verb}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens"));
        let output = command.arg(verb).args(&urls).env("MESHLENS_CACHE", folder).output().unwrap();
        assert_eq!((output.stdout, sent.swap(0, Ordering::Relaxed)), (plain.clone(), 0), "{verb}");
        // A folder that is too small for anything.
        let small = tempfile::tempdir().unwrap();
        assert_eq!(run(&["--cache", utf8(small.path()), "--cache-limit", "4095"]), (plain, bytes), "{verb}");
    }
}

#[test]
fn several_commands_use_one_folder_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _) = server();
    let names = ["md3/animated.md3", "md3/static.md3", "unigine/skinned_ms11.mesh", "u3d/v2_newer.u3d"];
    // There is room for a part of the files.
    let options = ["validate", "--verbose", "--cache-limit", "24K", "--cache", utf8(folder.path())];
    let urls = names.map(|name| format!("{}/{name}", server.url));
    let arguments = [&options[..], &urls.each_ref().map(|url| &**url)].concat();
    let expected = meshlens(&arguments).stdout;
    assert!(!expected.is_empty());
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let output = meshlens(&arguments);
                        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
                        assert_eq!(output.stdout, expected);
                    }
                })
            })
            .collect();
        runs.into_iter().for_each(|run| run.join().unwrap());
    });
}

#[test]
fn a_disk_without_room_is_a_warning() {
    if !cfg!(unix) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (server, _) = server();
    let limited = |folder: &Path| {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_meshlens")]);
        let urls = ["md3/animated.md3", "md3/static.md3"].map(|name| format!("{}/{name}", server.url));
        command.args(["inspect", "--format", "csv", "--cache"]).arg(folder).args(urls).output().unwrap()
    };
    let output = limited(folder.path());
    assert_eq!((output.status.code(), stdout(&output).lines().count()), (Some(0), 3));
    let told = stderr(&output);
    let is_one = told.lines().count() == 1 && told.starts_with("meshlens: warning: ");
    assert!(
        is_one && told.contains(": cannot write: ") && told.ends_with("; nothing more was kept\n"),
        "{told}"
    );
    // A file is no folder.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let output = limited(&file);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    assert!(stderr(&output).contains("file: cannot create: "), "{}", stderr(&output));
}
