//! Hostile servers and hostile lists of buckets: who reads from a server gives the error that each case names, and ends.
//! Each door that reads from servers calls [`check_lists`] and [`check_objects`].

use crate::server::{Asked, Reply, Server};

/// The folder that is listed.
pub const FOLDER: &str = "m/";

/// A server with one fault.
struct Case {
    /// What the server does.
    name: &'static str,
    /// A part of the error; `None` if reading succeeds.
    error: Option<&'static str>,
    answer: fn(&Asked, &[u8]) -> Reply,
}

impl Case {
    /// Starts a server, whose objects are all `file`.
    fn server(&self, file: Vec<u8>) -> Server {
        let answer = self.answer;
        Server::new(move |asked| answer(asked, &file))
    }

    fn check(&self, outcome: Result<(), String>) {
        let is_right = match (self.error, &outcome) {
            (None, Ok(())) => true,
            (Some(part), Err(error)) => error.contains(part),
            _ => false,
        };
        assert!(is_right, "{}: {outcome:?}, not {:?}", self.name, self.error);
    }
}

/// Checks a door that lists folders of buckets. `list` lists [`FOLDER`] of a bucket at a server, and returns the errors that
/// it prints. It asks for nothing above the folder, and its errors have the text of the case.
pub fn check_lists(file: &[u8], list: impl Fn(&str, &Server) -> Result<(), String>) {
    for case in LISTS {
        let server = case.server(file.to_vec());
        case.check(list(case.name, &server));
        let above = |asked: &Asked| asked.parameter("prefix").is_some_and(|at| !at.starts_with(FOLDER));
        assert!(!server.asked().iter().any(above), "{}: {:?}", case.name, server.asked());
    }
}

/// Checks a door that reads objects. `read` reads the model at a URL, and returns the error.
pub fn check_objects(file: &[u8], read: impl Fn(&str) -> Result<(), String>) {
    for case in OBJECTS {
        let server = case.server(file.to_vec());
        case.check(read(&format!("{}/a.md3", server.url)));
    }
}

const fn case(name: &'static str, error: Option<&'static str>, answer: fn(&Asked, &[u8]) -> Reply) -> Case {
    Case { name, error, answer }
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

/// Answers a request for an object, or for a list by `list`, which gets the prefix.
fn listing(asked: &Asked, file: &[u8], list: impl Fn(&str) -> Reply) -> Reply {
    match asked.parameter("list-type") {
        Some(_) => list(&asked.parameter("prefix").unwrap_or_default()),
        None => tagged(asked, file),
    }
}

/// The answer of a correct server.
fn tagged(asked: &Asked, file: &[u8]) -> Reply {
    Reply::sound(asked, file).with("ETag", "\"1\"")
}

/// Servers whose list of [`FOLDER`] is refused or does not end. Their objects can be read.
const LISTS: [Case; 15] = [
    case("every list is denied", Some("403 Forbidden"), |asked, file| {
        listing(asked, file, |_| Reply::status("403 Forbidden"))
    }),
    case("a sign-in page", Some("answers with \"<html><body>Sign in"), |asked, file| {
        listing(asked, file, |_| Reply::whole(b"<html><body>Sign in</body></html>"))
    }),
    case("an empty answer", Some("answers with nothing"), |asked, file| {
        listing(asked, file, |_| Reply::whole(b""))
    }),
    case("another host", Some("redirects to http://elsewhere.invalid/, another host"), |asked, file| {
        let reply = Reply::status("307 Temporary Redirect").with("Location", "http://elsewhere.invalid/");
        listing(asked, file, |_| reply.clone())
    }),
    case("a page that is denied", Some("403 Forbidden"), |asked, file| {
        listing(asked, file, |_| match asked.parameter("continuation-token") {
            Some(_) => Reply::status("403 Forbidden"),
            None => page(&["m/a.md3"], &[], Some("more")),
        })
    }),
    case("a repeated token", Some("repeats a page"), |asked, file| {
        listing(asked, file, |_| page(&["m/a.md3"], &[], Some("same")))
    }),
    case("pages without end", Some("pages of the list are empty"), |asked, file| {
        listing(asked, file, |_| page(&[], &[], Some(&format!("t{}", asked.number))))
    }),
    case("a long token", Some("a token of 100000 bytes"), |asked, file| {
        listing(asked, file, |_| page(&[], &[], Some(&"t".repeat(100_000))))
    }),
    case("a part without a token", Some("without a token"), |asked, file| {
        listing(asked, file, |_| {
            Reply::whole(b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")
        })
    }),
    case("a folder in itself", Some("lists m, which is not in the folder"), |asked, file| {
        listing(asked, file, |prefix| page(&["m/", "m/a.md3"], &[prefix], None))
    }),
    case("a file of another folder", Some("lists n/b.md3, which is not in the folder"), |asked, file| {
        listing(asked, file, |_| page(&["n/b.md3"], &[], None))
    }),
    case("a key with ..", Some("m/../b.md3"), |asked, file| {
        listing(asked, file, |_| page(&["m/../b.md3"], &[], None))
    }),
    case("a tree that grows", Some("folders inside one another"), |asked, file| {
        listing(asked, file, |prefix| page(&[], &[&format!("{prefix}a/"), &format!("{prefix}b/")], None))
    }),
    case("a tree that grows, with long names", Some("folders inside one another"), |asked, file| {
        let [a, b] = ["a", "b"].map(|name| name.repeat(101));
        listing(asked, file, |prefix| page(&[], &[&format!("{prefix}{a}/"), &format!("{prefix}{b}/")], None))
    }),
    case("a list that is cut off", Some(""), |asked, file| {
        let whole = page(&["m/a.md3"], &[], None).cut(100);
        listing(asked, file, |_| whole.clone())
    }),
];

/// Servers whose objects are wrong.
const OBJECTS: [Case; 7] = [
    case("another host", Some("redirects to http://elsewhere.invalid/, another host"), |_, _| {
        Reply::status("302 Found").with("Location", "http://elsewhere.invalid/")
    }),
    case("a sign-in page", Some("expected a known mesh format"), |asked, _| {
        tagged(asked, b"<html><body>Sign in to read this file</body></html>")
    }),
    case("a wrong length", Some(""), |asked, file| tagged(asked, file).shorter(7)),
    case("more bytes than promised", Some("Content-Length"), |asked, file| {
        tagged(asked, file).stating(None).and(&[7; 4096])
    }),
    case("fewer bytes than promised", Some(""), |asked, file| tagged(asked, file).cut(100)),
    case("denied", Some("403 Forbidden"), |_, _| Reply::status("403 Forbidden")),
    case("one byte at a time", None, |asked, file| tagged(asked, file).in_portions_of(1)),
];
