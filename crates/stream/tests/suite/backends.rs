//! Backends, which are the source of bytes.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use meshlens_source::{Archive, ArchiveLimits, FileArchive, Source};
use meshlens_stream::backend::{
    ArchiveBackend, Backend, BlockingBackend, FileBackend, MappedBackend, Read, Throttle, Throttled,
};
use meshlens_stream::{Part, Priority, Streamer, StreamerOptions};

use crate::common::{Held, Memory, file, noted, wait};

/// Reads every kind of range of a file, and past its end.
fn check_reads(backend: &dyn Backend, name: &str, bytes: &[u8]) {
    let len = bytes.len() as u64;
    for range in [0..4, 0..len, 1..len - 1, len - 1..len, len - 1..len + 100, 7..7, len..len + 1, 0..1 << 20]
    {
        let answer = backend.read(name.into(), range.clone()).unwrap();
        let clamp = |offset: u64| offset.min(len) as usize;
        assert_eq!(answer.bytes, bytes[clamp(range.start)..clamp(range.end)], "{range:?}");
        assert_eq!(answer.file_len, len);
    }
    let error = backend.read("no such file".into(), 0..4).unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

/// Reads ranges that are larger than any memory, and a range that ends before it starts.
fn check_far_reads(backend: &dyn Backend, name: &str, bytes: &[u8]) {
    let read = |range| backend.read(name.into(), range).unwrap().bytes;
    assert_eq!(read(0..u64::MAX), bytes);
    assert_eq!(read(3..1 << 40), bytes[3..]);
    assert!(read(u64::MAX - 1..u64::MAX).is_empty());
    let (start, end) = (7, 3);
    assert!(read(start..end).is_empty());
}

fn streams(backend: Arc<dyn Backend>, name: &str, bytes: &[u8]) {
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(backend, [name]);
    for part in [Part::Mesh { mesh: 0, frame: 1 }, Part::Names, Part::Whole] {
        let loaded = wait(streamer.request(&streamed, part, Priority::NORMAL)).unwrap();
        for range in streamed.plan().unwrap().part(part).unwrap().ranges() {
            let found = loaded.model().unwrap().files()[0].get(range.range()).unwrap();
            assert_eq!(found, bytes[range.start as usize..range.end as usize]);
        }
    }
}

/// Threads that have read decide what is read next: no answer is forgotten while another one does that.
#[test]
fn many_files_on_few_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md3");
    std::fs::write(&path, file("md3/animated.md3")).unwrap();
    for threads in [1, 2, 3] {
        let streamer = Streamer::new(StreamerOptions::default()).unwrap();
        let backend = Arc::new(FileBackend::new(threads).unwrap());
        let mut handles = Vec::new();
        for number in 0..1500 {
            let model = streamer.open(backend.clone(), [path.to_str().unwrap()]);
            let part = if number % 2 == 0 { Part::Bounds } else { Part::Whole };
            handles.push(streamer.request(&model, part, Priority::NORMAL));
            if number >= 20 {
                assert!(handles.remove(0).wait().is_ok());
            }
        }
        assert!(handles.into_iter().all(|handle| handle.wait().is_ok()));
    }
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md3");
    let bytes = file("md3/animated.md3");
    std::fs::write(&path, &bytes).unwrap();
    let backend = Arc::new(FileBackend::new(2).unwrap());
    check_reads(&*backend, path.to_str().unwrap(), &bytes);
    check_far_reads(&*backend, path.to_str().unwrap(), &bytes);
    streams(backend, path.to_str().unwrap(), &bytes);
}

#[test]
fn maps() {
    let bytes = file("md3/animated.md3");
    let backend = Arc::new(MappedBackend::new(1).unwrap());
    backend.insert("a", Source::from_vec(bytes.clone()));
    check_reads(&*backend, "a", &bytes);
    check_far_reads(&*backend, "a", &bytes);
    streams(backend, "a", &bytes);
}

#[test]
fn functions() {
    let bytes = Arc::new(file("md3/animated.md3"));
    let files = bytes.clone();
    let backend = BlockingBackend::new(1, move |mut read| {
        if &**read.file() != "a" {
            return read.fail_with(&std::io::Error::from(std::io::ErrorKind::NotFound));
        }
        let clamp = |offset: u64| offset.min(files.len() as u64) as usize;
        let range = clamp(read.range().start)..clamp(read.range().end);
        read.buffer()[..range.len()].copy_from_slice(&files[range.clone()]);
        read.finish(range.len(), files.len() as u64, None);
    });
    let backend = Arc::new(backend.unwrap());
    check_reads(&*backend, "a", &bytes);
    streams(backend.clone(), "a", &bytes);
    backend.close();
    assert_eq!(Arc::strong_count(&bytes), 1, "the function is dropped");
    assert_eq!(backend.read("a".into(), 0..4).unwrap_err().to_string(), "a: the backend gave no answer");
}

#[test]
fn archives() {
    let bytes = file("md3/animated.md3");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("models/stored.md3", stored).unwrap();
    zip.write_all(&bytes).unwrap();
    zip.start_file("models/deflated.md3", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&bytes).unwrap();
    let pk3 = zip.finish().unwrap().into_inner();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    std::fs::write(&path, &pk3).unwrap();

    let in_memory = Archive::parse(pk3, "pak0", ArchiveLimits::default()).unwrap();
    let on_disk = FileArchive::open_file(&path, ArchiveLimits::default()).unwrap();
    let backends: [Arc<dyn Backend>; 3] = [
        Arc::new(ArchiveBackend::new(in_memory, 1).unwrap()),
        Arc::new(ArchiveBackend::new(on_disk, 2).unwrap()),
        Arc::new(ArchiveBackend::open(&path, 1).unwrap()),
    ];
    for backend in backends {
        for name in ["models/stored.md3", "models\\DEFLATED.md3"] {
            check_reads(&*backend, name, &bytes);
            check_far_reads(&*backend, name, &bytes);
            streams(backend.clone(), name, &bytes);
        }
        assert!(backend.describe(&"models/deflated.md3".into()).is_whole);
        assert!(!backend.describe(&"models/stored.md3".into()).is_whole);
    }
}

#[test]
fn a_deflated_entry_is_inflated_once_for_all_waiting_requests() {
    let bytes = file("md3/multi_surface.md3");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a.md3", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&bytes).unwrap();
    let archive =
        Archive::parse(zip.finish().unwrap().into_inner(), "pak0", ArchiveLimits::default()).unwrap();
    let backend = Held::new(ArchiveBackend::new(archive, 1).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(backend.clone(), ["a.md3"]);
    let parts = [Part::Names, Part::Mesh { mesh: 0, frame: 0 }, Part::Mesh { mesh: 1, frame: 0 }];
    let handles = parts.map(|part| streamer.request(&streamed, part, Priority::NORMAL));
    noted(&streamer);
    backend.release();
    for handle in handles {
        assert!(wait(handle).is_ok());
    }
    // Later requests use the bytes as long as nothing else needs the memory.
    for part in [Part::Bounds, Part::Lod { lod: 0 }, Part::Whole] {
        assert!(wait(streamer.request(&streamed, part, Priority::NORMAL)).is_ok());
    }
    assert_eq!(streamer.statistics().reads, 1);
}

#[test]
fn a_throttle_adds_its_latency_and_the_time_of_the_bytes() {
    let bytes = file("md3/animated.md3");
    let latency = Duration::from_millis(30);
    let throttle = Throttle { latency, bandwidth: None, max_reads: 64 };
    let backend =
        Arc::new(Throttled::new(Memory(Memory::new(&[("a", &bytes)]).0.clone()), throttle).unwrap());
    check_reads(&*backend, "a", &bytes);
    let started = Instant::now();
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let handles: Vec<_> = (0..32)
        .map(|_| {
            let streamed = streamer.open(backend.clone(), ["a"]);
            streamer.request(&streamed, Part::Names, Priority::NORMAL)
        })
        .collect();
    for handle in handles {
        assert!(wait(handle).is_ok());
    }
    assert!(started.elapsed() >= latency);
    let narrow = Throttle { latency: Duration::ZERO, bandwidth: Some(20 * bytes.len() as u64), max_reads: 1 };
    let backend = Throttled::new(Memory(Memory::new(&[("a", &bytes)]).0.clone()), narrow).unwrap();
    let started = Instant::now();
    backend.read("a".into(), 0..bytes.len() as u64).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(45), "a twentieth of a second");
}

#[test]
fn a_throttle_that_never_ends_delays_only_its_reads() {
    let slowest = Throttle { latency: Duration::MAX, bandwidth: Some(0), max_reads: 1 };
    let backend = Throttled::new(Memory(Memory::new(&[("a", b"IDP3")]).0.clone()), slowest).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    backend.begin(Read::new("a".into(), 0..u64::MAX, move |answer| sender.send(answer.is_ok()).unwrap()));
    drop(backend);
    assert!(!receiver.recv().unwrap());
}

#[test]
#[cfg(feature = "assets")]
fn entries_of_a_search_path_are_read_in_ranges_or_inflated_once() {
    use meshlens_assets::{Assets, OpenOptions};
    use meshlens_stream::ProbeOptions;
    use meshlens_stream::backend::AssetsBackend;

    let bytes = crate::probe::large_md3(6);
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pak0.pk3");
        let mut pk3 = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        pk3.start_file("a.md3", zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
        pk3.write_all(&bytes).unwrap();
        pk3.finish().unwrap();
        let mut assets = Assets::new();
        assets.mount_archive(&path).unwrap();
        let backend = Arc::new(AssetsBackend::new(assets, 1).unwrap());
        // As without latency, however long the first read takes on a busy machine.
        let probe = Some(ProbeOptions::default());
        let streamer = Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap();
        let scene = streamer.open_scene(&backend, "a.md3", &OpenOptions::default()).unwrap();
        let model = scene.nodes()[0].model();
        let len = bytes.len() as u64;
        for frame in [7, 0] {
            let part = Part::Frame { mesh: 5, frame };
            let loaded = wait(streamer.request(model, part, Priority::NORMAL)).unwrap();
            let ranges = loaded.model().unwrap().plan().part(part).unwrap().ranges().to_vec();
            for range in ranges {
                let found = loaded.model().unwrap().files()[0].get(range.range()).unwrap();
                assert_eq!(found, bytes[range.start as usize..range.end as usize]);
            }
        }
        let statistics = streamer.statistics();
        match method {
            zip::CompressionMethod::Stored => assert!(statistics.bytes_read < len / 4, "{statistics:?}"),
            _ => assert_eq!((statistics.reads, statistics.bytes_read), (1, len)),
        }
    }
}
