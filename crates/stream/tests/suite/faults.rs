//! Files, servers and functions that break their contracts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens_stream::backend::{Backend, Description, FileBackend, Read};
use meshlens_stream::{
    Destination, Error, FileName, Part, Priority, ProbeOptions, Request, Streamer, StreamerOptions,
};

use crate::common::{Manual, Memory, answer, file, until, wait};

const PART: Part = Part::Mesh { mesh: 0, frame: 0 };

/// A backend that calls a function to answer each read.
struct Fault<F>(F, AtomicUsize);

impl<F: Fn(Read, usize) + Send + Sync + 'static> Backend for Fault<F> {
    fn begin(&self, read: Read) {
        let number = self.1.fetch_add(1, Ordering::Relaxed);
        (self.0)(read, number);
    }
}

/// The error of a request to a backend with a fault.
fn error(fault: impl Fn(Read, usize) + Send + Sync + 'static) -> Error {
    let streamer = Streamer::new(StreamerOptions {
        probe: Some(ProbeOptions { read: 64, ..ProbeOptions::default() }),
        ..StreamerOptions::default()
    });
    let streamer = streamer.unwrap();
    let streamed = streamer.open(Arc::new(Fault(fault, AtomicUsize::new(0))), ["a"]);
    let error = wait(streamer.request(&streamed, PART, Priority::NORMAL)).unwrap_err().error().clone();
    // The streamer still works.
    let bytes = file("md3/animated.md3");
    let sound = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    assert!(wait(streamer.request(&sound, PART, Priority::NORMAL)).is_ok());
    until("all memory is released", || streamer.statistics().memory_used == 0);
    error
}

fn files() -> std::collections::HashMap<String, Vec<u8>> {
    [("a".to_owned(), file("md3/animated.md3"))].into()
}

#[test]
fn a_missing_file() {
    let found = error(|read, _| answer(read, &Default::default()));
    assert!(found.is_not_found(), "{found}");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Arc::new(FileBackend::new(1).unwrap()), ["/no/such/file.md3"]);
    let failed = wait(streamer.request(&streamed, PART, Priority::NORMAL)).unwrap_err();
    assert!(failed.error().is_not_found(), "{failed}");
    let text = failed.to_string();
    assert!(text.starts_with("/no/such/file.md3: cannot open: "), "the name comes once: {text}");
}

#[test]
fn short_answers() {
    let files = files();
    let found = error(move |mut read, number| match number {
        0 => answer(read, &files),
        _ => {
            let half = read.buffer().len() / 2;
            read.finish(half, files["a"].len() as u64, None);
        }
    });
    assert!(matches!(found, Error::Length { .. }), "{found}");
}

#[test]
fn the_wrong_range() {
    let files = files();
    let found = error(move |read, _| {
        let whole = Bytes::from(files["a"].clone());
        let len = whole.len() as u64;
        read.finish_with(whole, len, None);
    });
    assert!(matches!(found, Error::Length { .. }), "{found}");
}

#[test]
fn a_file_that_shrinks_between_probe_and_read() {
    let files = files();
    let found = error(move |mut read, number| {
        let file = &files["a"];
        let range = read.range();
        let len = (range.end.min(file.len() as u64) - range.start) as usize;
        read.buffer()[..len].copy_from_slice(&file[range.start as usize..][..len]);
        // The file gets shorter with every read.
        read.finish(len, file.len() as u64 - number as u64, None);
    });
    assert!(matches!(found, Error::Changed { .. } | Error::Length { .. }), "{found}");
}

#[test]
fn a_file_on_the_disk_that_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md3");
    let bytes = file("md3/animated.md3");
    std::fs::write(&path, &bytes).unwrap();
    let streamer = Streamer::new(StreamerOptions {
        probe: Some(ProbeOptions { read: 64, ..ProbeOptions::default() }),
        ..StreamerOptions::default()
    });
    let streamer = streamer.unwrap();
    let backend: Arc<dyn Backend> = Arc::new(FileBackend::new(1).unwrap());
    let streamed = streamer.open(backend.clone(), [path.to_str().unwrap()]);
    assert!(wait(streamer.request(&streamed, Part::Header, Priority::NORMAL)).is_ok());
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    let failed = wait(streamer.request(&streamed, PART, Priority::NORMAL)).unwrap_err();
    assert!(matches!(failed.error(), Error::Changed { .. }), "{failed}");
    // The file has changed. A new model of the file is independent of the old one.
    std::fs::write(&path, &bytes).unwrap();
    let streamed = streamer.open(backend, [path.to_str().unwrap()]);
    assert!(wait(streamer.request(&streamed, PART, Priority::NORMAL)).is_ok());
}

#[test]
#[cfg(feature = "assets")]
fn a_model_does_not_read_the_file_that_replaces_its_own() {
    use std::time::SystemTime;

    use meshlens_assets::{Assets, OpenOptions};
    use meshlens_stream::backend::AssetsBackend;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md3");
    let replace = |height: f32, seconds: u64| {
        std::fs::write(&path, meshlens::md3::write::sample(&[height; 200]).unwrap()).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    let mut assets = Assets::new();
    assets.mount_folder(folder.path()).unwrap();
    let backend = Arc::new(AssetsBackend::new(assets, 1).unwrap());
    let probe = Some(ProbeOptions { read: 64, ..ProbeOptions::default() });
    let streamer = Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap();
    let open = || {
        let scene = streamer.open_scene(&backend, "a.md3", &OpenOptions::default()).unwrap();
        scene.nodes()[0].model().clone()
    };
    let frame = Part::Frame { mesh: 0, frame: 199 };
    replace(8.0, 1);
    let before = open();
    wait(streamer.request(&before, Part::Header, Priority::NORMAL)).unwrap();
    replace(9.0, 2);
    let after = open();
    let failed = wait(streamer.request(&before, frame, Priority::NORMAL)).unwrap_err();
    assert!(matches!(failed.error(), Error::Changed { .. }), "{failed}");
    let loaded = wait(streamer.request(&after, frame, Priority::NORMAL)).unwrap();
    assert_eq!(loaded.mesh().unwrap().positions(199).unwrap().get(2), Some([0.0, 0.0, 9.0]));
}

#[test]
fn damaged_headers() {
    let mut bytes = file("md3/animated.md3");
    bytes[84..88].fill(0xff);
    let files = [("a".to_owned(), bytes)].into();
    let found = error(move |read, _| answer(read, &files));
    assert_eq!(found.to_string(), "a: md3: NUM_SURFACES: expected at least 0, found -1 at 0x54");
    let found = error(|read, _| answer(read, &[("a".to_owned(), b"RIFF".repeat(9))].into()));
    assert!(matches!(found, Error::Format { .. }), "{found}");
    let found = error(|read, _| answer(read, &[("a".to_owned(), Vec::new())].into()));
    assert!(matches!(found, Error::Format { .. }), "{found}");
}

#[test]
fn a_backend_that_panics_or_forgets() {
    let found = error(|_, _| panic!("out of order"));
    assert_eq!(found.to_string(), "a backend panicked: out of order");
    let found = error(|read, _| drop(read));
    assert_eq!(found.to_string(), "a: the backend gave no answer");
    let found = error(|read, _| {
        std::thread::spawn(move || {
            let _read = read;
            panic!("on a thread of its own");
        });
    });
    assert_eq!(found.to_string(), "a backend panicked: while it read a");
}

/// A backend that panics when it describes a file.
struct Speechless(Arc<Memory>);

impl Backend for Speechless {
    fn begin(&self, read: Read) {
        self.0.begin(read);
    }

    fn max_reads(&self) -> usize {
        panic!("no number")
    }

    fn describe(&self, _: &FileName) -> Description {
        panic!("no words")
    }
}

#[test]
fn a_backend_whose_description_panics() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let memory = Memory::new(&[("a", &bytes)]);
    let streamed = streamer.open(Arc::new(Speechless(memory)), ["a"]);
    assert!(wait(streamer.request(&streamed, PART, Priority::NORMAL)).is_ok());
}

#[test]
fn a_function_that_panics() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    for _ in 0..4 {
        let request = Request::new(PART).then(|_| panic!("no good"));
        let failed = wait(streamer.request(&streamed, request, Priority::NORMAL)).unwrap_err();
        assert_eq!(failed.to_string(), "the function of a request panicked: no good");
    }
    assert!(wait(streamer.request(&streamed, PART, Priority::NORMAL)).is_ok());
}

struct Small(Vec<u8>);

impl Destination for Small {
    fn room(&mut self, len: usize) -> Option<&mut [u8]> {
        self.0.get_mut(..len)
    }
}

struct Broken;

impl Destination for Broken {
    fn room(&mut self, _: usize) -> Option<&mut [u8]> {
        panic!("unmapped")
    }
}

/// A destination that is smaller than its stated size.
struct Liar(Vec<u8>);

impl Destination for Liar {
    fn room(&mut self, _: usize) -> Option<&mut [u8]> {
        Some(&mut self.0)
    }
}

#[test]
fn buffers_that_do_not_fit() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let layout = || VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let run = |request: Request| wait(streamer.request(&streamed, request, Priority::NORMAL));
    let failed = run(Request::new(PART).vertices(layout(), Small(vec![0; 8]))).unwrap_err();
    assert!(failed.to_string().contains("has no room for"), "{failed}");
    assert_eq!(failed.into_request().unwrap().take_vertices::<Small>().unwrap().0, [0; 8]);
    assert!(run(Request::new(PART).vertices(layout(), Liar(vec![0; 8]))).is_err());
    let failed = run(Request::new(PART).indices(Broken)).unwrap_err();
    assert_eq!(failed.to_string(), "decoding panicked: unmapped");
    let failed = run(Request::new(Part::Names).vertices(layout(), Vec::new())).unwrap_err();
    assert!(matches!(failed.error(), Error::NotAMesh { .. }), "{failed}");
    let layout = layout().with(Semantic::Color, 0, VertexFormat::Unorm8x4);
    let failed = run(Request::new(PART).vertices(layout, Vec::new())).unwrap_err();
    assert!(matches!(failed.error(), Error::Format { .. }), "{failed}");
}

#[test]
fn a_missing_part() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    for part in [Part::Skeleton, Part::Mesh { mesh: 7, frame: 0 }, Part::Frame { mesh: 0, frame: 1 << 20 }] {
        let failed = wait(streamer.request(&streamed, part, Priority::NORMAL)).unwrap_err();
        assert_eq!(failed.to_string(), format!("a: there is no {part}"));
    }
}

#[test]
fn half_of_a_pair_and_three_files() {
    let (_, files) = crate::common::models().into_iter().find(|(_, files)| files.len() == 2).unwrap();
    let backend = Memory::new(&[("d", &files[0]), ("a", &files[1])]);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    for names in [&["d"][..], &["d", "a", "a"], &[], &["d", "x"]] {
        let streamed = streamer.open(backend.clone(), names.iter().copied());
        assert!(wait(streamer.request(&streamed, PART, Priority::NORMAL)).is_err(), "{names:?}");
    }
    let pair = streamer.open(backend, ["d", "a"]);
    assert!(wait(streamer.request(&pair, PART, Priority::NORMAL)).is_ok());
}

#[test]
fn no_call_waits_for_a_slow_server() {
    let bytes = file("md3/animated.md3");
    let backend = Manual::new(&[("slow", &bytes)], 64);
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let slow = streamer.open(backend.clone(), ["slow"]);
    let waiting: Vec<_> = (0..1000).map(|_| streamer.request(&slow, PART, Priority::HIGHEST)).collect();
    backend.wait(1);
    let fast = streamer.open(Memory::new(&[("fast", &bytes)]), ["fast"]);
    assert!(wait(streamer.request(&fast, PART, Priority::LOWEST)).is_ok());
    until("it is listed", || streamer.poll_completed(Duration::from_secs(1)).count() == 1);
    let mut left = waiting.len();
    drop(waiting);
    until("all are cancelled", || {
        left -= streamer.poll_completed(Duration::from_secs(1)).count();
        left == 0
    });
}
