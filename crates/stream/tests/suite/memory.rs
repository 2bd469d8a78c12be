//! The memory budget.

use std::sync::Arc;

use meshlens_source::{Archive, ArchiveLimits, Source};
use meshlens_stream::backend::{ArchiveBackend, MappedBackend};
use meshlens_stream::{Error, Part, Priority, ProbeOptions, State, Streamer, StreamerOptions};

use crate::common::{Manual, Memory, file, until, wait};

/// A model of about `kib` KiB.
fn model(kib: usize) -> Vec<u8> {
    use meshlens_md3::write;
    let mut model = write::Model::new("model").unwrap();
    model.frames = vec![write::Frame::named("frame").unwrap(); 4];
    let mut surface = write::Surface::new("surface").unwrap();
    surface.texcoords = vec![[0.0; 2]; kib * 1024 / 40];
    for _ in 0..4 {
        let vertices = vec![[1.0, 2.0, 3.0]; surface.texcoords.len()];
        surface.add_frame(&vertices, &vec![[0.0, 0.0, 1.0]; vertices.len()]).unwrap();
    }
    surface.triangles = vec![[0, 1, 2]; 10];
    model.surfaces.push(surface);
    model.write().unwrap()
}

#[test]
fn the_budget_is_kept_and_everything_is_loaded() {
    let bytes = model(100);
    let names: Vec<String> = (0..64).map(|number| format!("model {number}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &bytes[..])).collect();
    let backend = Memory::new(&files);
    let memory = 1 << 20;
    let streamer = Streamer::new(StreamerOptions { memory, ..StreamerOptions::default() }).unwrap();
    let handles: Vec<_> = names
        .iter()
        .map(|name| {
            let streamed = streamer.open(backend.clone(), [&**name]);
            streamer.request(&streamed, Part::Whole, Priority::NORMAL)
        })
        .collect();
    // 64 models of 100 KiB do not fit in 1 MiB. Each is dropped after it was checked.
    for handle in handles {
        let loaded = wait(handle).unwrap();
        assert_eq!(
            loaded.model().unwrap().files()[0].get(0..bytes.len() as u64).as_deref(),
            Some(&bytes[..])
        );
        assert!(streamer.statistics().memory_used <= memory);
    }
    let statistics = streamer.statistics();
    assert!(statistics.memory_peak <= memory && statistics.memory_peak > memory / 2, "{statistics:?}");
    assert!(statistics.bytes_read >= 64 * bytes.len() as u64);
}

#[test]
fn a_model_of_another_streamer_has_its_own_bytes() {
    let files = [3.0_f32, 8.0].map(|greatest| {
        let mut bytes = meshlens::md3::write::sample(&[1.0]).unwrap();
        // The largest x of the bounds, after the header and the smallest coordinates.
        bytes[108 + 12..][..4].copy_from_slice(&greatest.to_le_bytes());
        bytes
    });
    let backend = Memory::new(&[("a", &files[0]), ("b", &files[1])]);
    let probe = Some(ProbeOptions { read: 256, ..ProbeOptions::default() });
    let streamers: [Streamer; 2] = std::array::from_fn(|_| {
        Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap()
    });
    // Both streamers keep the start of their first file.
    let models: Vec<_> = streamers
        .iter()
        .zip(["a", "b"])
        .map(|(streamer, name)| streamer.open(backend.clone(), [name]))
        .collect();
    for (streamer, model) in streamers.iter().zip(&models) {
        wait(streamer.request(model, Part::Bounds, Priority::NORMAL)).unwrap();
    }
    for (streamer, (model, bytes)) in streamers.iter().zip(models.iter().zip(&files).rev()) {
        let loaded = wait(streamer.request(model, Part::Whole, Priority::NORMAL)).unwrap();
        let file = &loaded.model().unwrap().files()[0];
        assert_eq!(file.get(0..bytes.len() as u64).as_deref(), Some(&bytes[..]));
    }
}

#[test]
fn results_are_charged_until_the_caller_drops_them() {
    let bytes = model(100);
    let backend = Memory::new(&[("a", &bytes), ("b", &bytes)]);
    let slow = Manual::new(&[("c", &bytes)], 1);
    let memory = 160 << 10;
    let streamer = Streamer::new(StreamerOptions { memory, ..StreamerOptions::default() }).unwrap();
    let [a, b] = ["a", "b"].map(|name| streamer.open(backend.clone(), [name]));
    drop(wait(streamer.request(&b, Part::Header, Priority::NORMAL)).unwrap());
    let first = wait(streamer.request(&a, Part::Whole, Priority::NORMAL)).unwrap();
    // A read that begins before the second request and is answered after it. After it has ended, the streamer has
    // already tried to start the second request.
    let third = streamer.request(&streamer.open(slow.clone(), ["c"]), Part::Header, Priority::HIGHEST);
    slow.wait(1);
    let second = streamer.request(&b, Part::Whole, Priority::NORMAL);
    slow.answer();
    drop(wait(third).unwrap());
    assert_eq!(second.state(), State::Queued, "there is no memory");
    let kept = first.into_model().unwrap();
    let clone = kept.clone();
    drop(kept);
    assert_eq!(second.state(), State::Queued, "the clone has the memory");
    drop(clone);
    assert!(wait(second).is_ok());
    assert!(streamer.statistics().memory_peak <= memory);
}

#[test]
fn a_part_larger_than_the_budget() {
    let bytes = model(100);
    let backend = Memory::new(&[("a", &bytes)]);
    let streamer = Streamer::new(StreamerOptions { memory: 64 << 10, ..StreamerOptions::default() }).unwrap();
    let streamed = streamer.open(backend, ["a"]);
    let failed = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap_err();
    assert!(matches!(failed.error(), Error::OverBudget { limit: 65536, .. }), "{failed}");
    let part = Part::Frame { mesh: 0, frame: 3 };
    assert!(wait(streamer.request(&streamed, part, Priority::NORMAL)).unwrap().model().unwrap().has(part));
    let streamer = Streamer::new(StreamerOptions { memory: 0, ..StreamerOptions::default() }).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    assert!(wait(streamer.request(&streamed, Part::Names, Priority::NORMAL)).is_err());
}

#[test]
fn a_small_part_does_not_keep_a_large_read() {
    let bytes = file("md3/animated.md3");
    let backend = Memory::new(&[("a", &bytes)]);
    let options = StreamerOptions {
        probe: Some(ProbeOptions { read: 64 << 10, ..ProbeOptions::default() }),
        ..StreamerOptions::default()
    };
    let streamer = Streamer::new(options).unwrap();
    let streamed = streamer.open(backend, ["a"]);
    let loaded = wait(streamer.request(&streamed, Part::Texcoords { mesh: 0 }, Priority::NORMAL)).unwrap();
    drop(loaded.into_model().unwrap());
    let loaded = wait(streamer.request(&streamed, Part::Header, Priority::NORMAL)).unwrap();
    until("the rest is released", || streamer.statistics().memory_used <= 16 << 10);
    drop(loaded);
}

#[test]
fn probes_of_many_models_do_not_block_each_other() {
    // Models that need many rounds, with memory for a few rounds.
    let bytes = {
        use meshlens_md3::write;
        let mut model = write::Model::new("model").unwrap();
        model.frames = vec![write::Frame::named("frame").unwrap()];
        for index in 0..12 {
            let mut surface = write::Surface::new(&format!("surface {index}")).unwrap();
            surface.texcoords = vec![[0.0; 2]; 700];
            surface.add_frame(&vec![[0.0; 3]; 700], &vec![[0.0, 0.0, 1.0]; 700]).unwrap();
            model.surfaces.push(surface);
        }
        model.write().unwrap()
    };
    let names: Vec<String> = (0..40).map(|number| format!("model {number}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &bytes[..])).collect();
    let backend = Memory::new(&files);
    let memory = 256 << 10;
    let streamer = Streamer::new(StreamerOptions { memory, ..StreamerOptions::default() }).unwrap();
    let handles: Vec<_> = names
        .iter()
        .map(|name| {
            let streamed = streamer.open(backend.clone(), [&**name]);
            streamer.request(&streamed, Part::Texcoords { mesh: 11 }, Priority::NORMAL)
        })
        .collect();
    // Later requests are more urgent than the ones whose probes have begun.
    for (handle, priority) in handles.iter().zip(0..) {
        handle.set_priority(Priority(priority));
    }
    for handle in handles.into_iter().rev() {
        assert!(wait(handle).is_ok());
    }
    assert!(streamer.statistics().memory_peak <= memory);
}

#[test]
fn mapped_bytes_are_not_counted() {
    let bytes = model(512);
    let backend = MappedBackend::new(1).unwrap();
    backend.insert("a", Source::from_vec(bytes.clone()));
    let streamer = Streamer::new(StreamerOptions { memory: 32 << 10, ..StreamerOptions::default() }).unwrap();
    let streamed = streamer.open(Arc::new(backend), ["a"]);
    let loaded = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap();
    assert_eq!(loaded.model().unwrap().files()[0].get(0..bytes.len() as u64).as_deref(), Some(&bytes[..]));
}

#[test]
#[cfg(feature = "assets")]
fn stored_entries_of_a_mounted_archive_in_memory_are_not_counted() {
    use meshlens_assets::{ArchiveFiles, Assets, OpenOptions};
    use meshlens_source::ArchiveWriter;
    use meshlens_stream::backend::AssetsBackend;

    let (bytes, folder) = (model(512), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.pk3");
    let mut archive = ArchiveWriter::create(&path, false).unwrap();
    archive.add("a.md3", &bytes).unwrap();
    archive.finish().unwrap();
    let mut assets = Assets::new();
    // As with a mapped archive.
    assets.mount("a.pk3", ArchiveFiles::new(Archive::open(Source::read(&path).unwrap()).unwrap()));
    let backend = Arc::new(AssetsBackend::new(assets, 1).unwrap());
    let streamer = Streamer::new(StreamerOptions { memory: 32 << 10, ..StreamerOptions::default() }).unwrap();
    let scene = streamer.open_scene(&backend, "a.md3", &OpenOptions::default()).unwrap();
    let loaded = wait(streamer.request(scene.nodes()[0].model(), Part::Whole, Priority::NORMAL)).unwrap();
    assert_eq!(loaded.model().unwrap().files()[0].get(0..bytes.len() as u64).as_deref(), Some(&bytes[..]));
}

#[test]
fn a_stored_and_a_deflated_file_of_one_model() {
    use std::io::Write;
    use zip::CompressionMethod::{Deflated, Stored};

    let (_, files) = crate::common::models().into_iter().find(|(_, files)| files.len() == 2).unwrap();
    for methods in [[Stored, Deflated], [Deflated, Stored]] {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for ((name, bytes), method) in ["a", "b"].into_iter().zip(&files).zip(methods) {
            let options = zip::write::SimpleFileOptions::default().compression_method(method);
            zip.start_file(name, options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        let pk3 = zip.finish().unwrap().into_inner();
        let archive = Archive::parse(pk3, "pak0", ArchiveLimits::default()).unwrap();
        let backend = Arc::new(ArchiveBackend::new(archive, 1).unwrap());
        let streamer = Streamer::new(StreamerOptions::default()).unwrap();
        let streamed = streamer.open(backend, ["a", "b"]);
        let loaded = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL)).unwrap();
        let charged = files.iter().zip(methods).find(|(_, method)| *method == Deflated).unwrap().0.len();
        until("only the inflated bytes are charged", || {
            streamer.statistics().memory_used == charged.next_multiple_of(4096)
        });
        drop(loaded);
    }
}

/// An archive with deflated files of these bytes, whose names are numbers.
fn deflated(count: usize, bytes: &[u8]) -> Arc<ArchiveBackend<Vec<u8>>> {
    use std::io::Write;

    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for number in 0..count {
        zip.start_file(number.to_string(), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    let pk3 = zip.finish().unwrap().into_inner();
    let archive = Archive::parse(pk3, "pak0", ArchiveLimits::default()).unwrap();
    Arc::new(ArchiveBackend::new(archive, 1).unwrap())
}

#[test]
fn a_deflated_file_is_inflated_once_for_many_parts() {
    let (count, memory) = (20, 1 << 20);
    let backend = deflated(count, &model(100));
    let streamer = Streamer::new(StreamerOptions { memory, ..StreamerOptions::default() }).unwrap();
    let models: Vec<_> =
        (0..count).map(|number| streamer.open(backend.clone(), [number.to_string()])).collect();
    let load = |number: usize, part: Part, priority: Priority| {
        drop(wait(streamer.request(&models[number], part, priority)).unwrap());
        streamer.statistics().reads
    };
    let frame = |frame: u32| Part::Frame { mesh: 0, frame };
    (0..count).for_each(|number| _ = load(number, Part::Texcoords { mesh: 0 }, Priority::NORMAL));
    // The budget has room for a few files, and the first one is no longer among them.
    let before = load(0, frame(0), Priority::NORMAL);
    for number in 1..4 {
        assert_eq!(load(0, frame(number), Priority::HIGHEST), before, "frame {number}");
    }
    // It was far away when it was read. It is near now, and stays longer than those that are read later.
    (1..count).for_each(|number| _ = load(number, frame(0), Priority::NORMAL));
    let before = streamer.statistics().reads;
    assert_eq!(load(0, frame(0), Priority::NORMAL), before);
    assert!(streamer.statistics().memory_peak <= memory);
    // What is requested takes the place of the files that were used the longest time ago, and of no more than it needs.
    let held: Vec<_> = (1..8)
        .map(|number| wait(streamer.request(&models[number], Part::Whole, Priority::NORMAL)).unwrap())
        .collect();
    let before = streamer.statistics().reads;
    assert_eq!(load(0, frame(1), Priority::NORMAL), before);
    drop(held);
}

#[test]
fn a_whole_inflated_entry_is_charged() {
    let backend = deflated(1, &model(100));
    // Once, not twice.
    for (memory, is_enough) in [(80 << 10, false), (120 << 10, true), (1 << 20, true)] {
        for part in [Part::Texcoords { mesh: 0 }, Part::Whole] {
            let streamer = Streamer::new(StreamerOptions { memory, ..StreamerOptions::default() }).unwrap();
            let streamed = streamer.open(backend.clone(), ["0"]);
            let outcome = wait(streamer.request(&streamed, part, Priority::NORMAL));
            assert_eq!(outcome.is_ok(), is_enough, "{part} within {memory}: {outcome:?}");
            assert!(streamer.statistics().memory_peak <= memory);
        }
    }
}
