//! Lists, folders and servers that are damaged or hostile.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::servers::Server;
use crate::table::{batches, census, corpus, finish, run, states, texts};

/// Runs the command with this many MiB of memory.
fn limited(mib: usize, arguments: &[&str]) -> std::process::Output {
    let mut shell = Command::new("sh");
    let line = format!("ulimit -v {}; exec \"$0\" \"$@\"", mib << 10);
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_meshlens-census")]);
    shell.args(arguments).env_remove("AWS_PROFILE").output().unwrap()
}

fn model() -> Vec<u8> {
    fs::read(corpus().join("md3/static.md3")).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The statuses and codes of a table.
fn codes(table: &Path) -> Vec<(String, String)> {
    states(table).into_iter().map(|[_, _, status, code]| (status, code)).collect()
}

fn pair(status: &str, code: &str) -> (String, String) {
    (status.into(), code.into())
}

#[test]
fn objects_without_a_size_wait_for_memory() {
    // Both files of six meshes, each of 130 MiB, and the frames once more: 2.4 GB if all are read at once.
    let names = (0..6).flat_map(|number| [format!("{number}_a.3d"), format!("{number}_d.3d")]);
    let (server, _keep) = Server::start(names.clone().map(|name| (name, model())));
    server.enlarge(130 << 20);
    let folder = tempfile::tempdir().unwrap();
    let (list, table) = (folder.path().join("list.csv"), folder.path().join("table"));
    let rows: String = names.map(|name| format!("{},,\n", server.url(&name))).collect();
    fs::write(&list, format!("uri,size,etag\n{rows}")).unwrap();
    finish(
        limited(2048, &["census", "--manifest", path(&list), "-o", path(&table), "--columns", "headers"]),
        0,
    );
    assert_eq!(states(&table).len(), 12);
    assert!(states(&table).iter().all(|[_, _, status, _]| status != "unread"), "{:?}", states(&table));
}

#[test]
fn rows_of_a_list_have_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let (list, table) = (folder.path().join("list.csv"), folder.path().join("table"));
    let arguments = ["census", "--manifest", path(&list), "-o", path(&table)];
    let mut file = fs::File::create(&list).unwrap();
    file.write_all(b"uri,size,etag\n\"").unwrap();
    // Zeros without an end of the field.
    file.set_len(3 << 30).unwrap();
    assert!(finish(limited(2048, &arguments), 2).contains("a row has more than 1048576 bytes"));
    let long = format!("s3://b/m/{}.md3", "\u{20ac}".repeat(9000));
    fs::write(&list, format!("uri,size,etag\n{long},,\n{},,\n", path(&corpus().join("md3/static.md3"))))
        .unwrap();
    run(&arguments, 0);
    assert_eq!(codes(&table), [pair("unread", "MANIFEST"), pair("ok", "")]);
    run(&["census", "verify", path(&table), "--manifest", path(&list)], 0);
    let other = folder.path().join("other");
    run(&["census", &long, "-o", path(&other)], 0);
    assert_eq!(codes(&other), [pair("unread", "MANIFEST")]);
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table");
    run(&["census", path(&corpus().join("md3")), "-o", path(&table)], 0);
    let pipe = table.join("part-00001.parquet");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for list in ["/dev/zero", path(&pipe)] {
        let text = finish(limited(2048, &["census", "verify", path(&table), "--manifest", list]), 2);
        assert!(text.contains(list), "{text}");
        let text = finish(
            limited(2048, &["census", "--manifest", list, "-o", path(&folder.path().join("other"))]),
            2,
        );
        assert!(text.contains(list), "{text}");
    }
    finish(limited(2048, &["census", "verify", path(&table)]), 1);
}

#[test]
fn a_list_of_equal_rows_is_read_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let (list, table) = (folder.path().join("list.parquet"), folder.path().join("table"));
    let long = "x".repeat(1 << 20);
    let write = |uri: &str, rows: usize| {
        let text = || Arc::new(StringArray::from(vec![uri; 100])) as ArrayRef;
        let size = Arc::new(Int64Array::from(vec![1; 100])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("uri", text()), ("size", size), ("etag", text())]).unwrap();
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(None)
            .set_dictionary_page_size_limit(4 << 20)
            .build();
        let file = fs::File::create(&list).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        (0..rows / 100).for_each(|_| writer.write(&batch).unwrap());
        writer.close().unwrap();
    };
    // 1.2 GB, if all rows are read at once.
    write(&long, 600);
    assert!(fs::metadata(&list).unwrap().len() < 8 << 20);
    fs::create_dir(&table).unwrap();
    let verify = ["census", "verify", path(&table), "--manifest", path(&list)];
    assert!(finish(limited(512, &verify), 1).contains("0 files, and the list has 600"));
    write("x", 2000);
    // The dictionary is taken for an index, which readers skip.
    let mut bytes = fs::read(&list).unwrap();
    assert_eq!(bytes[..6], *b"PAR1\x15\x04");
    bytes[5] = 2;
    fs::write(&list, bytes).unwrap();
    let text = finish(limited(2048, &["census", "--manifest", path(&list), "-o", path(&table)]), 2);
    assert!(text.contains("list.parquet: Parquet error: a page needs a dictionary"), "{text}");
}

#[test]
fn one_run_writes_a_table() {
    let (server, reached) = Server::start([("a.md3".to_owned(), model())]);
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table");
    server.answer_only(0);
    let url = server.url("a.md3");
    let arguments = ["census", &url, "-o", path(&table)];
    let mut first = census(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    reached.recv().unwrap();
    assert!(run(&arguments, 2).contains("another run is writing this table"));
    first.kill().unwrap();
    first.wait().unwrap();
    server.answer_only(usize::MAX);
    run(&arguments, 0);
    run(&["census", "verify", path(&table)], 0);
}

#[test]
fn a_part_that_is_no_table_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table");
    let arguments =
        ["census", path(&corpus().join("md3")), "-o", path(&table), "--part-rows", "4"].map(str::to_owned);
    let arguments = arguments.each_ref().map(String::as_str);
    run(&arguments, 0);
    let expected = states(&table);
    let part = table.join("part-00001.parquet");
    let junk = |content: &[u8]| fs::write(&part, content).unwrap();
    let other = fs::read(table.join("part-00000.parquet")).unwrap();
    let damages: [&dyn Fn(); 4] = [&|| junk(b""), &|| junk(b"PAR1 junk PAR1"), &|| junk(&other), &|| {
        fs::remove_file(&part).unwrap();
        fs::create_dir(&part).unwrap();
    }];
    for damage in damages {
        damage();
        assert!(run(&arguments, 0).contains("files were done before; the table is complete"));
        assert_eq!(states(&table), expected);
        run(&["census", "verify", path(&table)], 0);
    }
    // Files of others are not replaced, also if a run was killed before its plan was complete.
    let input = corpus().join("md3");
    for (name, has_plan) in [("part-00000.zip", false), ("part-00000.zip", true), ("_SUCCESS", false)] {
        let folder = tempfile::tempdir().unwrap();
        let [other, plan] = ["other", "other.plan"].map(|name| folder.path().join(name));
        fs::create_dir(&other).unwrap();
        fs::write(other.join(name), "mine").unwrap();
        if has_plan {
            fs::create_dir(&plan).unwrap();
        }
        let text = run(&["census", "convert", path(&input), "-o", path(&other), "--pack", "zip"], 2);
        assert!(text.contains(&format!("{name} exists")), "{text}");
        assert_eq!(fs::read(other.join(name)).unwrap(), b"mine");
        assert_eq!(plan.exists(), has_plan);
    }
    let list = folder.path().join("list.parquet");
    run(&["list", path(&input), "-o", path(&list)], 0);
    assert!(run(&["list", path(&input), "-o", path(&list)], 2).contains("list.parquet"));
    run(&["list", path(&input), "-o", path(&list), "--force"], 0);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_a_run_that_can_be_continued() {
    let (folder, input) = (tempfile::tempdir().unwrap(), corpus().join("md3"));
    let products = |verb, pack| ["census", verb, path(&input), "--pack", pack].map(str::to_owned).to_vec();
    let table = ["census", path(&input)].map(str::to_owned).to_vec();
    // The list has room, and the table or the pack has none.
    for (number, (arguments, file)) in [
        (table, "part-00000.parquet"),
        (products("convert", "zip"), "part-00000."),
        (products("convert", "tar"), "part-00000."),
        (products("thumb", "parquet"), "part-00000.parquet"),
    ]
    .into_iter()
    .enumerate()
    {
        let output = folder.path().join(number.to_string());
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["-o", path(&output)]);
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -f 8; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_meshlens-census")]);
        let text = finish(shell.args(&arguments).output().unwrap(), 2);
        assert!(text.contains(file) && text.contains("File too large"), "{text}");
        assert_eq!(fs::read_dir(&output).unwrap().count(), 0, "{text}");
        run(&arguments, 0);
        run(&["census", "verify", path(&output)], 0);
    }
}

#[test]
fn a_server_that_refuses_does_not_deny_the_rows_of_others() {
    let (good, _keep) = Server::start((0..20).map(|number| (format!("{number}.md3"), model())));
    let (bad, _keep) = Server::start([]);
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.csv");
    let local = corpus().join("md3/static.md3");
    let rows = |server: &Server, count: usize| -> String {
        (0..count).map(|number| format!("{},,\n", server.url(&format!("{number}.md3")))).collect()
    };
    for (status, others) in
        [("403 Forbidden", rows(&good, 20)), ("401 Unauthorized", format!("{},,\n", path(&local)))]
    {
        let table = folder.path().join(&status[..3]);
        bad.refuse(usize::MAX, status);
        // The rows of the server that refuses are in parts of their own, before the others.
        fs::write(&list, format!("uri,size,etag\n{}{others}", rows(&bad, 20))).unwrap();
        run(&["census", "--manifest", path(&list), "-o", path(&table), "--part-rows", "10"], 0);
        let found = codes(&table);
        assert!(found[..20].iter().all(|row| *row == pair("unread", "REFUSED")), "{found:?}");
        assert!(found[20..].iter().all(|row| *row == pair("ok", "")), "{found:?}");
        run(&["census", "verify", path(&table)], 0);
    }
}

#[test]
fn hostile_lists_and_servers_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (list, number) = (folder.path().join("list.parquet"), AtomicUsize::new(0));
    let settings = [("ALLOW_HTTP", "true"), ("SKIP_SIGNATURE", "true"), ("REGION", "us-east-1")];
    meshlens_testkit::hostile::check_lists(&model(), |_, server| {
        let mut command = census(&["list", "s3://bucket/m/", "-o", path(&list), "--requests", "2"]);
        command.envs(settings.map(|(name, value)| (format!("AWS_{name}"), value)));
        let told = finish(command.env("AWS_ENDPOINT", &server.url).output().unwrap(), 2);
        assert!(!list.exists());
        Err(told)
    });
    // A file that is cut off is requested again from there, and has more parts than there are retries.
    let model = fs::read(corpus().join("md3/animated.md3")).unwrap();
    meshlens_testkit::hostile::check_objects(&model, |url| {
        let table = folder.path().join(number.fetch_add(1, Ordering::Relaxed).to_string());
        // The other file shows that the rest goes on.
        let other = corpus().join("md3/static.md3");
        let mut command = census(&["census", url, path(&other), "-o", path(&table)]);
        finish(command.env("MESHLENS_CENSUS_RETRY_SECONDS", "1").output().unwrap(), 0);
        assert_eq!(codes(&table)[1], pair("ok", ""));
        match &texts(&batches(&table)[0], "message")[0] {
            None => Ok(()),
            Some(message) => Err(message.clone()),
        }
    });
}

#[test]
fn no_raw_escape_reaches_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.csv");
    fs::write(&list, "\x1b[2Juri,\u{9b}1m,\u{202e}\n").unwrap();
    let (table, hostile) = (folder.path().join("table"), "\x1b[2J\u{feff}.md3");
    for arguments in [
        &["census", "--manifest", path(&list), "-o", path(&table)][..],
        &["census", hostile, "-o", path(&table)],
        &["census", "--columns", hostile, "a.md3", "-o", path(&table)],
        &[hostile],
        &["census", "--\x1b[2J"],
        &["census", "verify", hostile],
    ] {
        let text = finish(census(arguments).output().unwrap(), 2);
        assert!(!text.contains(['\x1b', '\u{9b}', '\u{202e}', '\u{feff}']), "{arguments:?}: {text:?}");
        assert!(text.contains("\\u{1b}[2J"), "{arguments:?}: {text:?}");
    }
}
