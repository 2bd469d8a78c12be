//! Hostile servers and hostile lists of buckets: who reads from a server gives the error that each case names, and ends.
//! Each door that reads from servers calls [`check_lists`] and [`check_objects`].

use crate::server::{Asked, Reply, Server};

/// The folder that is listed.
pub const FOLDER: &str = "m/";

/// Asserts that the error of reading from a server contains `error`, or that reading succeeds if it is `None`.
fn check(name: &str, error: Option<&str>, outcome: Result<(), String>) {
    let is_right = match (error, &outcome) {
        (None, Ok(())) => true,
        (Some(part), Err(error)) => error.contains(part),
        _ => false,
    };
    assert!(is_right, "{name}: {outcome:?}, not {error:?}");
}

/// Checks a door that lists folders of buckets. `list` lists [`FOLDER`] of a bucket at a server, and returns the errors that
/// it prints. It asks for nothing above the folder, and its errors have the text of the case.
pub fn check_lists(file: &[u8], list: impl Fn(&str, &Server) -> Result<(), String>) {
    for (name, error, answer) in LISTS {
        let file = file.to_vec();
        let server = Server::new(move |asked| match asked.parameter("list-type") {
            Some(_) => answer(asked, &asked.parameter("prefix").unwrap_or_default()),
            None => tagged(asked, &file),
        });
        check(name, Some(error), list(name, &server));
        let above = |asked: &Asked| asked.parameter("prefix").is_some_and(|at| !at.starts_with(FOLDER));
        assert!(!server.asked().iter().any(above), "{name}: {:?}", server.asked());
    }
}

/// Checks a door that reads objects. `read` reads the model at a URL, and returns the error.
pub fn check_objects(file: &[u8], read: impl Fn(&str) -> Result<(), String>) {
    for (name, error, answer) in OBJECTS {
        let file = file.to_vec();
        let server = Server::new(move |asked| answer(asked, &file));
        check(name, error, read(&format!("{}/a.md3", server.url)));
    }
}

/// A page of a list of S3.
pub fn page(keys: &[&str], folders: &[&str], token: Option<&str>) -> Reply {
    let mut body =
        format!("<?xml version=\"1.0\"?>\n<ListBucketResult><IsTruncated>{}</IsTruncated>", token.is_some());
    if let Some(token) = token {
        body += &format!("<NextContinuationToken>{token}</NextContinuationToken>");
    }
    for key in keys {
        let time = "2026-11-24T00:00:00.000Z";
        body += &format!(
            "<Contents><Key>{key}</Key><LastModified>{time}</LastModified><Size>1</Size></Contents>"
        );
    }
    for folder in folders {
        body += &format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>");
    }
    Reply::whole((body + "</ListBucketResult>").as_bytes())
}

/// The answer of a correct server.
fn tagged(asked: &Asked, file: &[u8]) -> Reply {
    Reply::sound(asked, file).with("ETag", "\"1\"")
}

/// The answer to a request for the list of a prefix.
type List = fn(&Asked, &str) -> Reply;

/// Servers whose list of [`FOLDER`] is refused or does not end: what each does, and a part of the error. Their objects can be read.
const LISTS: [(&str, &str, List); 15] = [
    ("every list is denied", "403 Forbidden", |_, _| Reply::status("403 Forbidden")),
    ("a sign-in page", "answers with \"<html><body>Sign in", |_, _| {
        Reply::whole(b"<html><body>Sign in</body></html>")
    }),
    ("an empty answer", "answers with nothing", |_, _| Reply::whole(b"")),
    ("another host", "redirects to http://elsewhere.invalid/, another host", |_, _| {
        Reply::status("307 Temporary Redirect").with("Location", "http://elsewhere.invalid/")
    }),
    ("a page that is denied", "403 Forbidden", |asked, _| match asked.parameter("continuation-token") {
        Some(_) => Reply::status("403 Forbidden"),
        None => page(&["m/a.md3"], &[], Some("more")),
    }),
    ("a repeated token", "repeats a page", |_, _| page(&["m/a.md3"], &[], Some("same"))),
    ("pages without end", "pages of the list are empty", |asked, _| {
        page(&[], &[], Some(&format!("t{}", asked.number)))
    }),
    ("a long token", "a token of 100000 bytes", |_, _| page(&[], &[], Some(&"t".repeat(100_000)))),
    ("a part without a token", "without a token", |_, _| {
        Reply::whole(b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")
    }),
    ("a folder in itself", "lists m, which is not in the folder", |_, prefix| {
        page(&["m/", "m/a.md3"], &[prefix], None)
    }),
    ("a file of another folder", "lists n/b.md3, which is not in the folder", |_, _| {
        page(&["n/b.md3"], &[], None)
    }),
    ("a key with ..", "m/../b.md3", |_, _| page(&["m/../b.md3"], &[], None)),
    ("a tree that grows", "folders inside one another", |_, prefix| {
        page(&[], &[&format!("{prefix}a/"), &format!("{prefix}b/")], None)
    }),
    ("a tree that grows, with long names", "folders inside one another", |_, prefix| {
        let [a, b] = ["a", "b"].map(|name| name.repeat(101));
        page(&[], &[&format!("{prefix}{a}/"), &format!("{prefix}{b}/")], None)
    }),
    ("a list that is cut off", "", |_, _| page(&["m/a.md3"], &[], None).cut(100)),
];

/// The answer of a server of one file.
type Answer = fn(&Asked, &[u8]) -> Reply;

/// Servers whose objects are wrong: what each does, and a part of the error; `None` if reading succeeds.
const OBJECTS: [(&str, Option<&str>, Answer); 7] = [
    ("another host", Some("redirects to http://elsewhere.invalid/, another host"), |_, _| {
        Reply::status("302 Found").with("Location", "http://elsewhere.invalid/")
    }),
    ("a sign-in page", Some("\"<html><b\""), |asked, _| {
        tagged(asked, b"<html><body>Sign in to read this file</body></html>")
    }),
    ("a wrong length", Some(""), |asked, file| tagged(asked, file).shorter(7)),
    ("more bytes than promised", Some("Content-Length"), |asked, file| {
        tagged(asked, file).stating(None).and(&[7; 4096])
    }),
    ("fewer bytes than promised", Some(""), |asked, file| tagged(asked, file).cut(100)),
    ("denied", Some("403 Forbidden"), |_, _| Reply::status("403 Forbidden")),
    ("one byte at a time", None, |asked, file| tagged(asked, file).in_portions_of(1)),
];
