//! A killed census continues.

use std::fs;
use std::process::Stdio;

use crate::servers::Server;
use crate::table::{batches, census, corpus, run, states};

/// The number of objects, in parts of four.
const OBJECTS: usize = 22;

#[test]
fn every_row_exists_once_after_a_kill() {
    let model = fs::read(corpus().join("md3/static.md3")).unwrap();
    let object = |number: usize| {
        // All objects have different bytes.
        let mut bytes = model.clone();
        bytes.extend(number.to_le_bytes());
        (format!("{number}.md3"), bytes)
    };
    let (server, reached) = Server::start((0..OBJECTS).map(object));
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.csv");
    let rows: String =
        (0..OBJECTS).map(|number| format!("{},,\n", server.url(&format!("{number}.md3")))).collect();
    fs::write(&list, format!("uri,size,etag\n{rows}")).unwrap();
    let list = list.to_str().unwrap();
    let whole = folder.path().join("whole");
    let arguments =
        |table: &str| ["census", "--manifest", list, "-o", table, "--part-rows", "4"].map(str::to_owned);
    let run_all = |table: &str| {
        let all = arguments(table);
        run(&all.each_ref().map(String::as_str), 0)
    };
    run_all(whole.to_str().unwrap());
    let expected = batches(&whole);
    assert_eq!(states(&whole).len(), OBJECTS);
    // Killed in the first part, at the start and in the middle of other parts, and in the last part.
    for answered in [0, 3, 4, 9, 16, 21] {
        let table = folder.path().join(format!("killed-{answered}"));
        let path = table.to_str().unwrap();
        server.answer_only(answered);
        let mut child =
            census(&arguments(path).each_ref().map(String::as_str)).stderr(Stdio::null()).spawn().unwrap();
        // The other objects of its part are requested at the same time.
        let part = (OBJECTS - answered / 4 * 4).min(4);
        (answered % 4..part).for_each(|_| reached.recv().unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!table.join("_SUCCESS").exists());
        assert!(run(&["census", "verify", path], 1).contains("missing"));
        server.answer_only(usize::MAX);
        while reached.try_recv().is_ok() {}
        let before = server.requests();
        run_all(path);
        // The parts before the kill are complete and not read again.
        assert_eq!(server.requests() - before, OBJECTS - answered / 4 * 4, "after {answered} answers");
        assert_eq!(batches(&table), expected, "after {answered} answers");
        run(&["census", "verify", path], 0);
    }
}

#[test]
fn an_incomplete_plan_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let [table, plan] = ["table", "table.plan"].map(|name| folder.path().join(name));
    let input = corpus().join("md3");
    let arguments = ["census", input.to_str().unwrap(), "-o", table.to_str().unwrap(), "--part-rows", "4"];
    run(&arguments, 0);
    let expected = batches(&table);
    // Simulates a kill between writing the list and writing the file that marks it as complete.
    fs::remove_file(plan.join("plan.json")).unwrap();
    fs::remove_dir_all(&table).unwrap();
    run(&arguments, 0);
    assert_eq!(batches(&table), expected);
}
