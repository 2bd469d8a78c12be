//! Object stores: local stores, and servers that violate the protocol.

use std::sync::Arc;
use std::time::Duration;

use meshlens_stream::backend::{
    Backend, ObjectStoreBackend, ObjectStoreOptions, Read, RemoteOptions, open_url,
};
use meshlens_stream::{Error, Part, Priority, ProbeOptions, Streamer, StreamerOptions};
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig};

use crate::common::{PATIENCE, file, until, wait};
use crate::probe::large_md3;
use crate::tls::install_crypto_provider;
use meshlens_testkit::server::{Asked, Reply, Server};

const PART: Part = Part::Mesh { mesh: 0, frame: 0 };

fn model() -> Vec<u8> {
    file("md3/animated.md3")
}

fn options() -> ObjectStoreOptions {
    ObjectStoreOptions::default()
}

/// A store that sends a request up to three times, with a long timeout.
fn store(server: &Server) -> Arc<dyn ObjectStore> {
    store_within(server, PATIENCE, 2)
}

/// A store with a timeout for each answer, and a number of retries.
fn store_within(server: &Server, timeout: Duration, max_retries: usize) -> Arc<dyn ObjectStore> {
    install_crypto_provider();
    let ms = Duration::from_millis;
    let backoff = BackoffConfig { init_backoff: ms(1), max_backoff: ms(5), base: 2.0 };
    let retry = RetryConfig { backoff, max_retries, retry_timeout: PATIENCE };
    let client = ClientOptions::new().with_allow_http(true).with_timeout(timeout);
    let client = client.with_connect_timeout(PATIENCE);
    let builder = HttpBuilder::new().with_url(&*server.url).with_retry(retry);
    Arc::new(builder.with_client_options(client).build().unwrap())
}

fn streamer() -> Streamer {
    let probe = Some(ProbeOptions { read: 256, ..ProbeOptions::default() });
    Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap()
}

/// Streams a mesh from a server. Either all of its bytes are correct, or an error is returned.
fn load(server: &Server) -> Result<(), Error> {
    load_from(store(server))
}

fn load_from(store: Arc<dyn ObjectStore>) -> Result<(), Error> {
    let backend = Arc::new(ObjectStoreBackend::new(store, options()).unwrap());
    let streamer = streamer();
    let streamed = streamer.open(backend, ["a.md3"]);
    let outcome = wait(streamer.request(&streamed, PART, Priority::NORMAL));
    let outcome = outcome.map_err(|failed| failed.error().clone()).map(|loaded| {
        let (loaded, whole) = (loaded.into_model().unwrap(), model());
        assert!(loaded.has(PART));
        for range in loaded.files()[0].ranges() {
            let expected = &whole[range.start as usize..range.end as usize];
            assert_eq!(loaded.files()[0].get(range.clone()).as_deref(), Some(expected), "{range:?}");
        }
    });
    until("all memory is released", || streamer.statistics().memory_used == 0);
    outcome
}

/// A server whose answers are correct, except for the change that `fault` makes.
fn server(fault: impl Fn(&Asked, Reply) -> Reply + Send + Sync + 'static) -> Server {
    let file = model();
    Server::new(move |asked| fault(asked, Reply::sound(asked, &file).with("ETag", "\"1\"")))
}

#[test]
fn a_correct_server() {
    let server = server(|_, reply| reply);
    load(&server).unwrap();
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.path == "/a.md3" && asked.range.is_some()), "{asked:?}");
    assert_eq!(asked[0].if_match, None);
    assert!(asked[1..].iter().all(|asked| asked.if_match.as_deref() == Some("\"1\"")), "{asked:?}");
}

#[test]
fn headers_on_a_server_are_read_in_two_rounds_if_the_budget_has_room() {
    let file = large_md3(6);
    for (memory, is_few) in [(64 << 20, true), (1 << 20, false)] {
        let bytes = file.clone();
        let server = Server::new(move |asked| Reply::sound(asked, &bytes).with("ETag", "\"1\""));
        let backend = Arc::new(ObjectStoreBackend::new(store(&server), options()).unwrap());
        let streamer = Streamer::new(StreamerOptions { memory, ..StreamerOptions::default() }).unwrap();
        let streamed = streamer.open(backend, ["a.md3"]);
        wait(streamer.request(&streamed, Part::Header, Priority::NORMAL)).unwrap();
        let asked = server.asked();
        assert_eq!(asked[0].range, Some(0..ProbeOptions::REMOTE.read));
        assert_eq!(asked.len() == 2, is_few, "{asked:?}");
    }
}

#[test]
fn errors_of_the_server_and_recovery() {
    let fault = |asked: &Asked, reply| {
        if asked.number % 3 < 2 { Reply::status("500 Internal Server Error") } else { reply }
    };
    load(&server(fault)).unwrap();
    let error = load(&server(|_, _| Reply::status("503 Service Unavailable"))).unwrap_err();
    assert!(error.to_string().contains("503 Service Unavailable"), "{error}");
    assert!(error.to_string().contains("after 2 retries"), "{error}");
    // The change applies after the probe has received its answers.
    let fault = |asked: &Asked, reply| match asked.if_match {
        Some(_) => Reply::status("500 Internal Server Error"),
        None => reply,
    };
    let error = load(&server(fault)).unwrap_err();
    assert!(error.to_string().contains("500 Internal Server Error"), "{error}");
}

#[test]
fn no_such_object_and_no_permission() {
    let error = load(&server(|_, _| Reply::status("404 Not Found"))).unwrap_err();
    assert!(error.is_not_found(), "{error}");
    let error = load(&server(|_, _| Reply::status("403 Forbidden"))).unwrap_err();
    assert!(!error.is_not_found() && error.to_string().contains("403 Forbidden"), "{error}");
}

#[test]
fn truncated_answers_are_completed_or_errors() {
    // The connection is closed early, and the crate requests the rest.
    let server_that_cuts = server(|asked, reply| if asked.number % 2 == 0 { reply.cut(100) } else { reply });
    load(&server_that_cuts).unwrap();
    let error = load(&server(|_, reply| reply.cut(1))).unwrap_err();
    assert!(matches!(error, Error::Read { .. }), "{error}");
    // The server reports success, but its body is shorter.
    let error = load(&server(|_, reply| reply.shorter(100))).unwrap_err();
    assert!(matches!(error, Error::Length { found: 100, .. }), "{error}");
}

#[test]
fn answers_that_never_arrive() {
    // The client retries until an answer arrives in time, so the test does not depend on the speed of the machine.
    let server_that_forgets = server(|asked, reply| if asked.number == 0 { Reply::never() } else { reply });
    load_from(store_within(&server_that_forgets, Duration::from_secs(1), usize::MAX)).unwrap();
    assert!(server_that_forgets.asked().len() > 1);
    let silent = server(|_, _| Reply::never());
    let error = load_from(store_within(&silent, Duration::from_millis(50), 2)).unwrap_err();
    assert!(error.to_string().contains("timed out"), "{error}");
}

#[test]
fn the_wrong_range() {
    let error = load(&server(|_, reply| reply.with("Content-Range", "bytes 7-262/5000"))).unwrap_err();
    assert!(error.to_string().contains("Requested 0..256, got 7..263"), "{error}");
    let error = load(&server(|_, reply| reply.with("Content-Range", "all of it"))).unwrap_err();
    assert!(error.to_string().contains("all of it"), "{error}");
}

#[test]
fn servers_without_ranges_send_the_whole_object() {
    let file = model();
    let server = Server::new(move |_| Reply::whole(&file).with("ETag", "\"1\""));
    load(&server).unwrap();
    let asked = server.asked();
    assert!(asked[0].range.is_some() && asked[1..].iter().all(|asked| asked.range.is_none()), "{asked:?}");
}

#[test]
fn an_empty_object() {
    let server = Server::new(|asked| Reply::sound(asked, &[]));
    let error = load(&server).unwrap_err();
    assert!(matches!(error, Error::Format { .. }), "{error}");
}

#[test]
fn an_object_that_changes() {
    // Both servers that check the condition and servers that ignore it.
    let error = load(&server(|asked, reply| match asked.if_match {
        Some(_) => Reply::status("412 Precondition Failed"),
        None => reply,
    }));
    assert!(matches!(error, Err(Error::Changed { .. })), "{error:?}");
    let error = load(&server(|asked, reply| match asked.number {
        0 => reply,
        _ => reply.with("ETag", "\"2\""),
    }));
    assert!(matches!(error, Err(Error::Changed { .. })), "{error:?}");
    // Without entity tags, a change is detected by the time of modification or the size.
    let file = model();
    let fault = move |asked: &Asked| {
        let time = format!("Sun, 22 Nov 2026 10:00:{:02} GMT", asked.number);
        Reply::sound(asked, &file).with("Last-Modified", time)
    };
    let error = load(&Server::new(fault));
    assert!(matches!(error, Err(Error::Changed { .. })), "{error:?}");
    let file = model();
    let error = load(&Server::new(move |asked| Reply::sound(asked, &file[..file.len() - asked.number])));
    assert!(matches!(error, Err(Error::Changed { .. })), "{error:?}");
}

#[test]
fn weak_tags_are_not_used_as_conditions() {
    let server = server(|_, reply| reply.with("ETag", "W/\"1\""));
    load(&server).unwrap();
    assert!(server.asked().iter().all(|asked| asked.if_match.is_none()));
}

#[test]
fn requests_that_hang_are_cancelled_and_dropped() {
    let server = server(|_, _| Reply::never());
    install_crypto_provider();
    let client = ClientOptions::new().with_allow_http(true).with_timeout_disabled();
    let http = HttpBuilder::new().with_url(&*server.url).with_client_options(client).build().unwrap();
    let backend = Arc::new(ObjectStoreBackend::new(Arc::new(http), options()).unwrap());
    let streamer = streamer();
    let streamed = streamer.open(backend.clone(), ["a.md3"]);
    let handle = streamer.request(&streamed, PART, Priority::NORMAL);
    until("the server is asked", || server.asked().len() == 1);
    handle.cancel();
    until("all memory is released", || streamer.statistics().memory_used == 0);
    let (sender, receiver) = std::sync::mpsc::channel();
    backend.begin(Read::new("b.md3".into(), 0..64, move |answer| sender.send(answer).unwrap()));
    until("the server is asked again", || server.asked().len() == 2);
    drop((streamed, handle, streamer, backend));
    let answer = receiver.recv_timeout(PATIENCE).unwrap();
    assert!(matches!(answer, Err(Error::NoAnswer { .. })), "{answer:?}");
}

#[test]
fn the_runtime_of_the_caller_joins_ranges() {
    let server = server(|_, reply| reply);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let backend = ObjectStoreBackend::on_runtime(runtime.handle(), store(&server), options());
    let (whole, (sender, mut receiver)) = (model(), tokio::sync::mpsc::unbounded_channel());
    let ask = |range: std::ops::Range<u64>, streamed: &FileState| {
        let sender = sender.clone();
        let read =
            Read::new("a.md3".into(), range.clone(), move |answer| sender.send((range, answer)).unwrap());
        backend.begin(streamed.applied(read));
    };
    // The runtime does not run yet, so these reads begin together, before the state of the object is known.
    let unknown = FileState(None);
    ask(0..10, &unknown);
    // The runtime runs while a future is awaited.
    let first = runtime.block_on(receiver.recv()).unwrap().1.unwrap();
    let known = FileState(first.version);
    for range in [20..30, 1000..1010, 40..60, 40..60] {
        ask(range, &known);
    }
    let wait = |_| {
        let (range, answer) = runtime.block_on(receiver.recv()).unwrap();
        assert_eq!(answer.unwrap().bytes, whole[range.start as usize..range.end as usize]);
    };
    (0..4).for_each(wait);
    let ranges: Vec<_> = server.asked().into_iter().map(|asked| asked.range.unwrap()).collect();
    assert_eq!(ranges, [0..10, 20..1010]);
}

/// The known state of a file, if any.
struct FileState(Option<meshlens_stream::backend::Version>);

impl FileState {
    fn applied(&self, read: Read) -> Read {
        match &self.0 {
            Some(version) => read.of_version(version.clone()),
            None => read,
        }
    }
}

#[test]
fn local_stores() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md3"), model()).unwrap();
    std::fs::write(folder.path().join("empty"), []).unwrap();
    let memory = InMemory::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(memory.put(&"a.md3".into(), model().into())).unwrap();
    runtime.block_on(memory.put(&"empty".into(), Vec::new().into())).unwrap();
    let local = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let stores: [Arc<dyn ObjectStore>; 2] = [Arc::new(local), Arc::new(memory)];
    for store in stores {
        let backend = Arc::new(ObjectStoreBackend::new(store, options()).unwrap());
        let whole = model();
        let len = whole.len() as u64;
        for range in [0..4, 10..1000, len - 4..len, len - 4..len + 100, 0..len] {
            let answer = backend.read("a.md3".into(), range.clone()).unwrap();
            let end = range.end.min(len) as usize;
            assert_eq!(
                (answer.bytes, answer.file_len),
                (whole[range.start as usize..end].to_vec().into(), len)
            );
        }
        let answer = backend.read("empty".into(), 0..64).unwrap();
        assert_eq!((answer.bytes.len(), answer.file_len), (0, 0));
        let error = backend.read("b.md3".into(), 0..4).unwrap_err();
        assert!(error.is_not_found(), "{error}");
        let error = backend.read("../a.md3".into(), 0..4).unwrap_err();
        assert!(error.to_string().starts_with("../a.md3: "), "{error}");
        let streamer = streamer();
        let streamed = streamer.open(backend, ["a.md3"]);
        let loaded = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap();
        let model = loaded.into_model().unwrap();
        assert_eq!(model.files()[0].get(0..len).as_deref(), Some(&whole[..]));
    }
}

#[test]
fn urls() {
    let server = server(|_, reply| reply);
    let patient = RemoteOptions {
        timeout: PATIENCE,
        connect_timeout: PATIENCE,
        retry_timeout: PATIENCE,
        ..RemoteOptions::default()
    };
    let (backend, name) = open_url(&format!("{}/a%20b/c.md3", server.url), &patient).unwrap();
    assert_eq!(&*name, "a b/c.md3");
    assert_eq!(backend.read(name, 0..4).unwrap().bytes, &b"IDP3"[..]);
    assert_eq!(server.asked()[0].path, "/a%20b/c.md3");
    let error = |url| open_url(url, &RemoteOptions::default()).unwrap_err().to_string();
    assert_eq!(error("a.md3"), "a.md3: relative URL without a base");
    let query = "http://a/b?c: URLs with a query, such as signed ones, are not supported";
    assert_eq!(error("http://a/b?c"), query);
    assert_eq!(error("http://a/"), "http://a/: names no object");
    let scheme = "gs://a/b: only http, https, s3 and file URLs are supported";
    assert_eq!(error("gs://a/b"), scheme);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md3"), model()).unwrap();
    let (backend, name) =
        open_url(&format!("file://{}/a.md3", folder.path().display()), &RemoteOptions::default()).unwrap();
    assert_eq!(backend.read(name, 0..4).unwrap().bytes, &b"IDP3"[..]);
}

/// `object_store` panics on a URL of more than 65,534 bytes.
#[test]
fn a_long_name_is_an_error_without_a_request() {
    let server = Server::new(|asked| Reply::sound(asked, b"IDP3"));
    let (backend, _) = open_url(&format!("{}/a.md3", server.url), &RemoteOptions::default()).unwrap();
    let long = "\u{20ac}".repeat(9000);
    let error = backend.read(long.as_str().into(), 0..4).unwrap_err().to_string();
    assert!(error.ends_with("...: a name of 27000 bytes; the limit is 8192"), "{error}");
    let error = backend.each_page::<Error>(&long, |_| Ok(())).unwrap_err().to_string();
    assert!(error.ends_with("...: a name of 27000 bytes; the limit is 8192"), "{error}");
    assert!(server.asked().is_empty());
    assert_eq!(backend.read("\u{20ac}".repeat(2000).as_str().into(), 0..4).unwrap().bytes, &b"IDP3"[..]);
}
