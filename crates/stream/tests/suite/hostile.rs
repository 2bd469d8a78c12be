//! Servers that send more than was requested, or redirect to other hosts. Each test runs in a process with little
//! memory.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use meshlens_stream::backend::{
    Answer, Backend, ObjectStoreBackend, ObjectStoreOptions, Read, RemoteOptions, open_url,
};
use meshlens_stream::{Error, FileName, Result};
use object_store::ClientOptions;
use object_store::http::HttpBuilder;

use crate::tls::install_crypto_provider;

/// The address space of a test in KiB. The runtime and the threads of a client use a part of it.
const ADDRESS_SPACE: u32 = 2 << 20;
/// More than the address space.
const HUGE: &str = "50000000000";

/// Runs a test of this module again, in a process whose address space is limited. Returns true in that process.
fn is_limited(test: &str) -> bool {
    const MARK: &str = "MESHLENS_STREAM_LIMITED";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let line =
        format!("ulimit -c 0; ulimit -v {ADDRESS_SPACE}; exec \"$0\" --exact hostile::{test} --nocapture");
    let program = std::env::current_exe().unwrap();
    let output = Command::new("bash").args(["-c", &line]).arg(program).env(MARK, "1").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}: {}{}", output.status, text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("1 passed"), "{}", text(&output.stdout));
    false
}

/// A server. `answer` gets the lines of a request, and writes the whole answer.
fn server(
    answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (log, answer) = (requests.clone(), Arc::new(answer));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (log, answer) = (log.clone(), answer.clone());
            std::thread::spawn(move || {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let lines = lines.map_while(|line| line.ok().filter(|line| !line.is_empty()));
                let request = lines.collect::<Vec<_>>().join("\n").to_ascii_lowercase();
                log.lock().unwrap().push(request.clone());
                answer(&request, &mut stream);
            });
        }
    });
    (url, requests)
}

/// Writes the start of an answer, and an endless body.
fn endless(stream: &mut TcpStream, head: &str) {
    let _ = write!(stream, "HTTP/1.1 {head}\r\nETag: \"1\"\r\nConnection: close\r\n\r\n");
    // Writes until the client closes the connection.
    while stream.write_all(&[7; 4096]).is_ok() {}
}

/// The head of the answer for a range of a file of 1 MB.
fn partial(request: &str) -> String {
    let range = request.lines().find_map(|line| line.strip_prefix("range: bytes=")).expect("a range");
    format!("206 Partial Content\r\nContent-Range: bytes {range}/1000000")
}

/// The same head, with a larger length.
fn too_long(request: &str) -> String {
    format!("{}\r\nContent-Length: {HUGE}", partial(request))
}

/// A backend for a store of the caller, which does not check lengths.
fn plain(url: &str) -> ObjectStoreBackend {
    install_crypto_provider();
    let client = ClientOptions::new().with_allow_http(true);
    let store = HttpBuilder::new().with_url(url).with_client_options(client).build().unwrap();
    ObjectStoreBackend::new(Arc::new(store), ObjectStoreOptions::default()).unwrap()
}

fn options() -> RemoteOptions {
    RemoteOptions { retries: 0, ..RemoteOptions::default() }
}

fn read(url: &str, range: std::ops::Range<u64>, options: &RemoteOptions) -> Result<Answer> {
    let (backend, name) = open_url(&format!("{url}/a.md3"), options).unwrap();
    backend.read(name, range)
}

#[test]
fn a_body_without_end_fails_at_its_range() {
    if !is_limited("a_body_without_end_fails_at_its_range") {
        return;
    }
    let (url, _) = server(|request, stream| endless(stream, &too_long(request)));
    let error = plain(&url).read("a.md3".into(), 100..300).unwrap_err();
    assert_eq!(error.to_string(), "a.md3: more came than the 200 bytes at 0x64");
}

#[test]
fn joined_ranges_fail_at_their_ends() {
    if !is_limited("joined_ranges_fail_at_their_ends") {
        return;
    }
    // The first read is answered correctly. The ranges of later reads are joined if they begin together.
    let (url, _) = server(|request, stream| match request.contains("bytes=0-99\n") {
        true => {
            let body = "7".repeat(100);
            let head = partial(request);
            let _ = write!(
                stream,
                "HTTP/1.1 {head}\r\nContent-Length: 100\r\nETag: \"1\"\r\nConnection: close\r\n\r\n{body}"
            );
        }
        false => endless(stream, &too_long(request)),
    });
    let (backend, name) = (plain(&url), FileName::from("a.md3"));
    let version = backend.read(name.clone(), 0..100).unwrap().version.unwrap();
    let (sender, receiver) = channel();
    for index in 1..=16 {
        let sender = sender.clone();
        let done = move |answer| sender.send(answer).unwrap();
        let read = Read::new(name.clone(), 1000 * index..1000 * index + 100, done);
        backend.begin(read.of_version(version.clone()));
    }
    drop(sender);
    let answers: Vec<_> = receiver.iter().collect();
    assert_eq!(answers.len(), 16);
    assert!(answers.iter().all(|answer| matches!(answer, Err(Error::TooLong { .. }))), "{answers:?}");
}

#[test]
fn a_wrong_length_is_refused_before_the_body() {
    if !is_limited("a_wrong_length_is_refused_before_the_body") {
        return;
    }
    // The body never arrives.
    let (url, _) = server(|request, stream| {
        let head = partial(request);
        let _ = write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {HUGE}\r\nETag: \"1\"\r\n\r\n");
        let _ = std::io::copy(stream, &mut std::io::sink());
    });
    let error = read(&url, 100..300, &options()).unwrap_err().to_string();
    assert!(error.contains("the server announces 50000000000 bytes for the 200 bytes at 0x64"), "{error}");
}

#[test]
fn the_text_of_an_error_ends() {
    if !is_limited("the_text_of_an_error_ends") {
        return;
    }
    let (url, _) = server(|_, stream| endless(stream, "404 Not Found"));
    let error = read(&url, 100..300, &options()).unwrap_err();
    assert!(error.is_not_found() && error.to_string().len() < 10_000, "{error}");
}

#[test]
fn a_server_without_ranges_sends_to_the_end_of_the_range() {
    if !is_limited("a_server_without_ranges_sends_to_the_end_of_the_range") {
        return;
    }
    let (url, _) = server(|_, stream| endless(stream, &format!("200 OK\r\nContent-Length: {HUGE}")));
    let answer = read(&url, 100..300, &options()).unwrap();
    assert_eq!((&answer.bytes[..], answer.file_len), (&[7; 200][..], HUGE.parse().unwrap()));
}

#[test]
fn memory_is_allocated_only_for_received_bytes() {
    if !is_limited("memory_is_allocated_only_for_received_bytes") {
        return;
    }
    let (url, _) = server(|_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {HUGE}\r\nConnection: close\r\n\r\nshort");
    });
    let error = read(&url, 0..u64::MAX, &options()).unwrap_err();
    assert!(matches!(error, Error::Read { .. }), "{error}");
}

#[test]
fn redirects_to_another_host_are_refused() {
    let body = |request: &str, stream: &mut TcpStream| {
        let head = partial(request);
        let _ = write!(
            stream,
            "HTTP/1.1 {head}\r\nContent-Length: 2\r\nETag: \"1\"\r\nConnection: close\r\n\r\n77"
        );
    };
    let (other, asked) = server(body);
    let target = other.clone();
    let (url, _) = server(move |request, stream| {
        let to = match request.starts_with("get /a.md3 ") {
            true => "/moved/a.md3".to_owned(),
            false => format!("{target}/secret?key=1"),
        };
        let _ = write!(
            stream,
            "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    });
    let error = read(&url, 1..3, &options()).unwrap_err();
    let expected = format!(
        "a.md3: redirects to {other}/secret, another host; the option `allows_redirects` of the backend permits it"
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(asked.lock().unwrap().len(), 0, "the other host was not asked");
    let allowed = RemoteOptions { allows_redirects: true, ..options() };
    assert_eq!(&read(&url, 1..3, &allowed).unwrap().bytes[..], b"77");
    assert!(asked.lock().unwrap()[0].starts_with("get /secret?key=1 "), "{asked:?}");
}

#[test]
fn redirects_on_the_same_host_are_followed() {
    let (url, _) = server(move |request, stream| {
        if request.starts_with("get /a.md3 ") {
            let moved = "302 Found\r\nLocation: /moved\r\nContent-Length: 0\r\nConnection: close";
            let _ = write!(stream, "HTTP/1.1 {moved}\r\n\r\n");
        } else {
            let head = partial(request);
            let _ = write!(
                stream,
                "HTTP/1.1 {head}\r\nContent-Length: 2\r\nETag: \"1\"\r\nConnection: close\r\n\r\n77"
            );
        }
    });
    assert_eq!(&read(&url, 1..3, &options()).unwrap().bytes[..], b"77");
}
