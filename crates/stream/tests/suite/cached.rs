//! Ranges of objects that are kept in a folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use meshlens_stream::backend::{Backend, ObjectStoreBackend, RangeCache, RemoteOptions, open_url};
use meshlens_stream::{Error, FileName, Part, Priority, ProbeOptions, Result, Streamer, StreamerOptions};
use meshlens_testkit::server::{Asked, Reply, Server};

use crate::common::{file, wait};
use crate::tls::install_crypto_provider;

fn object() -> Vec<u8> {
    (0..1_000_000u32).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect()
}

/// A process that uses the folder: it has its own cache and its own client.
fn open(server: &Server, folder: &Path) -> (ObjectStoreBackend, FileName) {
    install_crypto_provider();
    let cache = Some(RangeCache::open(folder, 1 << 30).unwrap());
    let options = RemoteOptions { cache, retries: 0, ..RemoteOptions::default() };
    open_url(&format!("{}/a.md3", server.url), &options).unwrap()
}

/// Reads ranges of an object. The first read finds out whether the object has changed.
fn read(server: &Server, folder: &Path, ranges: &[std::ops::Range<u64>]) -> Result<Vec<Vec<u8>>> {
    let (backend, name) = open(server, folder);
    let (sender, receiver) = std::sync::mpsc::channel();
    let (mut version, mut all) = (None, Vec::new());
    for range in ranges {
        let sender = sender.clone();
        let read = meshlens_stream::backend::Read::new(name.clone(), range.clone(), move |answer| {
            sender.send(answer).unwrap();
        });
        backend.begin(match &version {
            Some(version) => read.of_version(Arc::clone(version)),
            None => read,
        });
        let answer = receiver.recv().unwrap()?;
        version = answer.version;
        all.push(answer.bytes.to_vec());
    }
    Ok(all)
}

fn read_one(server: &Server, folder: &Path, range: std::ops::Range<u64>) -> Result<Vec<u8>> {
    Ok(read(server, folder, std::slice::from_ref(&range))?.remove(0))
}

fn kept(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = entries.flat_map(|path| if path.is_dir() { kept(&path) } else { vec![path] });
    below.filter(|path| path.extension().is_some_and(|extension| extension != "TAG")).collect()
}

fn sound(tag: &'static str) -> impl Fn(&Asked) -> Reply {
    let object = object();
    move |asked| Reply::tagged(asked, &object, tag)
}

#[test]
fn a_kept_range_is_not_sent_again() {
    let (server, object) = (Server::new(sound("\"1\"")), object());
    let folder = tempfile::tempdir().unwrap();
    let ranges = [10..300_000, 1_000_000..3_000_000, 3_999_990..u64::MAX];
    let expected: Vec<Vec<u8>> = ranges
        .iter()
        .map(|range| object[range.start as usize..range.end.min(4_000_000) as usize].to_vec())
        .collect();
    assert!(read(&server, folder.path(), &ranges).unwrap() == expected);
    assert_eq!(server.asked().len(), 3);
    assert!(read(&server, folder.path(), &ranges).unwrap() == expected);
    let inside = [20..200_000, 1_500_000..2_000_000];
    let read_inside = read(&server, folder.path(), &inside).unwrap();
    assert!(read_inside[0] == object[20..200_000] && read_inside[1] == object[1_500_000..2_000_000]);
    let asked = server.asked().split_off(3);
    assert_eq!(asked.len(), 2, "the first read of each process asks for the state: {asked:?}");
    assert!(asked.iter().all(|asked| asked.if_none_match.as_deref() == Some("\"1\"")), "{asked:?}");
    // A range that is not there.
    assert!(read(&server, folder.path(), &[20..40, 0..40]).unwrap()[1] == object[0..40]);
    let asked = server.asked().pop().unwrap();
    assert_eq!((asked.range, asked.if_match.as_deref()), (Some(0..40), Some("\"1\"")));
}

#[test]
fn an_object_with_another_tag_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (object, version) = (object(), Arc::new(AtomicU64::new(1)));
    let now = version.clone();
    let server = Server::new(move |asked| {
        let version = now.load(Ordering::Relaxed);
        let mut object = object.clone();
        object[100] = version as u8;
        Reply::tagged(asked, &object, &format!("\"{version}\""))
    });
    for number in [1, 2, 2, 3, 1] {
        version.store(number, Ordering::Relaxed);
        let bytes = read(&server, folder.path(), &[0..200, 90..110]).unwrap();
        assert_eq!((bytes[0][100], bytes[1][10]), (number as u8, number as u8));
        assert_eq!(kept(folder.path()).iter().filter(|path| path.extension().unwrap() == "range").count(), 1);
    }
    assert_eq!(server.asked().iter().filter(|asked| asked.range == Some(0..200)).count(), 5);
    // The object is replaced while it is read.
    let (backend, name) = open(&server, folder.path());
    let first = backend.read(name.clone(), 0..200).unwrap();
    version.store(9, Ordering::Relaxed);
    let (sender, receiver) = std::sync::mpsc::channel();
    let rest =
        meshlens_stream::backend::Read::new(name, 200..300, move |answer| sender.send(answer).unwrap());
    backend.begin(rest.of_version(first.version.unwrap()));
    assert!(matches!(receiver.recv().unwrap(), Err(Error::Changed { .. })));
}

#[test]
fn objects_without_a_strong_tag_are_not_kept() {
    let object = object();
    for tag in [None, Some("W/\"1\"")] {
        let folder = tempfile::tempdir().unwrap();
        let bytes = object.clone();
        let server = Server::new(move |asked| {
            let reply = Reply::sound(asked, &bytes);
            tag.map_or(reply.clone(), |tag| reply.with("ETag", tag))
        });
        for _ in 0..2 {
            assert!(read_one(&server, folder.path(), 5..50).unwrap() == object[5..50]);
        }
        let asked = server.asked();
        assert!(asked.len() == 2 && asked.iter().all(|asked| asked.if_none_match.is_none()), "{asked:?}");
        assert!(kept(folder.path()).is_empty());
    }
}

#[test]
fn an_incomplete_answer_is_not_kept() {
    let object = object();
    let faults: [fn(Reply) -> Reply; 3] =
        [|reply| reply.cut(900_000), |reply| reply.and(b"more"), |reply| reply.stating(None).cut(10)];
    for (number, fault) in faults.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = object.clone();
        let server = Server::new(move |asked| {
            let reply = Reply::tagged(asked, &bytes, "\"1\"");
            if asked.number == 0 { fault(reply) } else { reply }
        });
        let outcome = read_one(&server, folder.path(), 0..1_000_000);
        // A client that ignores what follows the stated length has all bytes.
        assert!(outcome.is_err() || number == 1 && outcome.unwrap() == object[..1_000_000]);
        assert!(number == 1 || kept(folder.path()).iter().all(|path| path.extension().unwrap() != "range"));
        assert!(read_one(&server, folder.path(), 0..1_000_000).unwrap() == object[..1_000_000]);
    }
}

#[test]
fn a_damaged_range_is_requested_again() {
    let (server, object) = (Server::new(sound("\"1\"")), object());
    for at in [0, 100, 1_000, 700_000, 1_999_999] {
        let folder = tempfile::tempdir().unwrap();
        read_one(&server, folder.path(), 0..2_000_000).unwrap();
        let path = kept(folder.path()).into_iter().find(|path| path.extension().unwrap() == "range").unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[at] ^= 0x10;
        std::fs::write(&path, bytes).unwrap();
        let before = server.asked().len();
        assert!(read_one(&server, folder.path(), 0..2_000_000).unwrap() == object[..2_000_000], "byte {at}");
        let asked = server.asked().split_off(before);
        assert!(asked.iter().any(|asked| asked.if_none_match.is_none()), "byte {at}: {asked:?}");
    }
}

#[test]
fn whole_objects_are_kept() {
    let (server, object) = (Server::new(sound("\"1\"")), object());
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for _ in 0..2 {
        let (backend, name) = open(&server, folder.path());
        let bytes = runtime.block_on(async {
            let mut found = backend.get(&name).await.unwrap();
            assert_eq!((found.file_len(), found.etag()), (4_000_000, Some("\"1\"")));
            let mut bytes = Vec::new();
            while let Some(portion) = found.next().await.unwrap() {
                bytes.extend_from_slice(&portion);
            }
            bytes
        });
        assert!(bytes == object);
    }
    let asked = server.asked();
    assert_eq!(asked.iter().filter(|asked| asked.if_none_match.is_some()).count(), 1);
    assert_eq!(asked.len(), 2);
}

#[test]
fn models_are_streamed_from_the_folder() {
    let bytes = file("md3/animated.md3");
    let whole = bytes.clone();
    let sent = Arc::new(Mutex::new(0));
    let counter = sent.clone();
    let server = Server::new(move |asked| {
        let reply = Reply::tagged(asked, &bytes, "\"1\"");
        if asked.if_none_match.is_none() {
            *counter.lock().unwrap() += asked.range.clone().map_or(0, |range| range.end - range.start);
        }
        reply
    });
    let folder = tempfile::tempdir().unwrap();
    let mut before = 0;
    for round in 0..3 {
        let (backend, name) = open(&server, folder.path());
        let probe = Some(ProbeOptions { read: 256, ..ProbeOptions::default() });
        let streamer = Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap();
        let streamed = streamer.open(Arc::new(backend), [name]);
        let loaded = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap();
        let model = loaded.into_model().unwrap();
        assert_eq!(model.files()[0].get(0..whole.len() as u64).as_deref(), Some(&whole[..]));
        let now = *sent.lock().unwrap();
        assert!(round == 0 || now == before, "{} bytes were sent again", now - before);
        before = now;
    }
}

#[test]
fn a_server_that_does_not_answer_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|asked| match asked.number {
        0 => Reply::tagged(asked, b"0123456789", "\"1\""),
        _ => Reply::status("403 Forbidden"),
    });
    assert_eq!(read_one(&server, folder.path(), 0..10).unwrap(), b"0123456789");
    // Who may not read the object does not read it from the folder either.
    read_one(&server, folder.path(), 0..10).unwrap_err();
}
