//! Reading ahead: the number of reads one after another, and the bytes that they read.

use std::sync::LazyLock;
use std::time::Duration;

use meshlens::unreal::VertexEncoding;
use meshlens::{unigine, unreal};
use meshlens_stream::backend::FileBackend;
use meshlens_stream::{Part, Plan, Priority, ProbeOptions, State, Streamer, StreamerOptions};
use meshlens_testkit::share::few_or_all;
use meshlens_u3d::{Version, write};

use crate::common::{Manual, models, noted, slices, until, wait};
use crate::probe::large_md3;

fn large_unigine(surfaces: u32, vertices: u32) -> Vec<u8> {
    let mut model = unigine::write::Model::new(unigine::Version::Ms11);
    for number in 0..surfaces {
        let mut surface = unigine::write::Surface::new(&format!("surface {number}")).unwrap();
        // No two surfaces are at the same distance.
        let vertices = vertices + 100 * number;
        let target = &mut surface.targets[0];
        target.positions = (0..vertices).map(|x| [x as f32, 1.0, 2.0]).collect();
        target.add_tangents(unigine::Version::Ms11, &vec![[0.0, 0.0, 0.0, 1.0]; vertices as usize]);
        surface.texcoords0 = vec![[0.5; 2]; vertices as usize];
        for x in 2..vertices {
            surface.add_triangle([[0, 0], [x - 1, x - 1], [x, x]]);
        }
        model.surfaces.push(surface);
    }
    model.recompute_bounds();
    model.write().unwrap()
}

fn large_u3d(frames: u32, vertices: usize) -> Vec<u8> {
    let mut model = write::Model::new(Version::V2_0_0);
    model.frames = frames;
    for frame in 0..frames {
        let mut mesh = write::Mesh::new("mesh");
        mesh.frame = frame;
        let (positions, normals) = (vec![[0.0; 3]; vertices], vec![[0.0, 0.0, 1.0]; vertices]);
        mesh.set_vertices(&positions, &normals, Version::V2_0_0).unwrap();
        model.meshes.push(mesh);
    }
    model.write().unwrap()
}

fn large_unreal(frames: usize, vertices: usize) -> Vec<Vec<u8>> {
    let mut model = unreal::write::Model::new(VertexEncoding::Packed, vertices);
    let corners = [[0, 1, 2], [1, 2, 3]].map(|vertices| unreal::Triangle { vertices, ..Default::default() });
    model.triangles = corners.repeat(vertices / 2);
    for frame in 0..frames {
        model.add_frame(&vec![[frame as f32, 1.0, 2.0]; vertices]).unwrap();
    }
    let files = model.write().unwrap();
    vec![files.geometry, files.frames]
}

/// Files of 0.3 to 20 MB of every format; by default, of at most 6 MB.
fn large() -> Vec<(String, Vec<Vec<u8>>)> {
    static FILES: LazyLock<Vec<(String, Vec<Vec<u8>>)>> = LazyLock::new(|| {
        let files = [
            ("md3", vec![large_md3(4)]),
            ("md3", vec![large_md3(24)]),
            ("md3", vec![large_md3(few_or_all(32, 64))]),
            ("unigine", vec![large_unigine(8, 500)]),
            ("unigine", vec![large_unigine(20, few_or_all(1_000, 4_000))]),
            ("unigine", vec![large_unigine(6, few_or_all(8_000, 64_000))]),
            ("u3d", vec![large_u3d(30, 500)]),
            ("u3d", vec![large_u3d(110, few_or_all(2_500, 10_000))]),
            ("unreal", large_unreal(20, 2_000)),
            ("unreal", large_unreal(few_or_all(250, 1_000), 4_000)),
        ];
        let len = |files: &[Vec<u8>]| files.iter().map(Vec::len).sum::<usize>();
        files.map(|(format, files)| (format!("{format} of {} bytes", len(&files)), files)).into()
    });
    FILES.clone()
}

/// The reads one after another, all reads and the bytes read for each of `parts`, which are requested one after another.
fn load(files: &[Vec<u8>], latency: Duration, parts: &[Part]) -> Vec<(usize, usize, u64)> {
    let names = ["a", "b"];
    let listed: Vec<(&str, &[u8])> = names.into_iter().zip(slices(files)).collect();
    let backend = Manual::new(&listed, 16);
    let probe = Some(ProbeOptions::for_latency(latency));
    let streamer = Streamer::new(StreamerOptions { probe, ..StreamerOptions::default() }).unwrap();
    let streamed = streamer.open(backend.clone(), names.into_iter().take(files.len()));
    let load = |part: &Part| {
        let (reads, bytes) = (backend.names().len(), streamer.statistics().bytes_read);
        let handle = streamer.request(&streamed, *part, Priority::NORMAL);
        let rounds = backend.rounds(&streamer, || handle.state().is_final());
        wait(handle).unwrap();
        (rounds, backend.names().len() - reads, streamer.statistics().bytes_read - bytes)
    };
    parts.iter().map(load).collect()
}

const SLOW: Duration = Duration::from_millis(20);

#[test]
fn a_plan_takes_two_reads_and_that_of_a_large_file_three() {
    for (name, files) in models().into_iter().chain(large()) {
        let len: u64 = files.iter().map(|file| file.len() as u64).sum();
        let most = if len <= 1 << 20 { 2 } else { 3 };
        let [(rounds, reads, bytes)] = load(&files, SLOW, &[Part::Header])[..] else { panic!("{name}") };
        assert!(
            rounds <= most && bytes <= len,
            "{name}: {rounds} rounds, {reads} reads, {bytes} of {len} bytes"
        );
    }
}

#[test]
fn a_latency_that_was_measured_counts_for_the_next_reads_of_a_model() {
    let bytes = large_unigine(8, 500);
    for part in [Part::Bounds, Part::Header] {
        let backend = Manual::new(&[("a", &bytes)], 16);
        let streamer = Streamer::new(StreamerOptions::default()).unwrap();
        let streamed = streamer.open(backend.clone(), ["a"]);
        let first = streamer.request(&streamed, part, Priority::NORMAL);
        backend.wait(1);
        std::thread::sleep(SLOW);
        backend.answer();
        let header = streamer.request(&streamed, Part::Header, Priority::NORMAL);
        let rounds = backend.rounds(&streamer, || header.state().is_final());
        assert_eq!((rounds, wait(header).is_ok(), wait(first).is_ok()), (1, true, true), "{part}");
    }
}

#[test]
fn no_byte_is_read_twice() {
    let parts = [Part::Bounds, Part::Header, Part::Mesh { mesh: 0, frame: 0 }, Part::Lod { lod: 0 }];
    for (name, files) in models().into_iter().chain(large()) {
        let len: u64 = files.iter().map(|file| file.len() as u64).sum();
        if !Plan::of(&slices(&files)).is_ok_and(|plan| plan.part(parts[2]).is_some()) {
            continue;
        }
        let read: u64 = load(&files, SLOW, &parts).iter().map(|(_, _, bytes)| bytes).sum();
        assert!(read <= len, "{name}: {read} of {len} bytes");
    }
}

#[test]
fn everything_is_read_once_and_at_once() {
    for latency in [Duration::ZERO, SLOW] {
        for (name, files) in models().into_iter().chain(large()) {
            let len: u64 = files.iter().map(|file| file.len() as u64).sum();
            let [(rounds, _, bytes)] = load(&files, latency, &[Part::Whole])[..] else { panic!("{name}") };
            assert!(rounds <= 2 && bytes == len, "{name}: {rounds} rounds, {bytes} of {len} bytes");
        }
    }
}

#[test]
fn without_latency_little_more_is_read_than_a_level_of_detail() {
    for (name, files) in large() {
        let plan = Plan::of(&slices(&files)).unwrap();
        let part = Part::Lod { lod: 0 };
        let size = plan.part(part).unwrap().stored_size() + plan.part(Part::Header).unwrap().stored_size();
        let len = files.iter().map(|file| file.len() as u64).sum();
        let options = ProbeOptions::default();
        // In Ultimate 3D, every frame is a mesh with headers of its own. After a few reads, their places are predicted.
        let frames = plan.parts().filter(|part| matches!(part, Part::Frame { .. })).count() as u64;
        let headers = if name.starts_with("u3d") { 4 * options.read + 300 * frames } else { 0 };
        // For more surfaces, a probe reads in larger portions.
        let is_long = plan.mesh_count() > options.patience as usize;
        let most = if is_long { len } else { size + size / 10 + headers };
        let [(_, _, bytes)] = load(&files, Duration::ZERO, &[part])[..] else { panic!("{name}") };
        assert!(bytes <= most, "{name}: {bytes} bytes read for {size}, at most {most}");
    }
}

#[test]
fn models_that_are_read_ahead_leave_memory_for_the_first_request() {
    let file = large_md3(2);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let backend = Manual::new(&names.map(|name| (name, &file[..])), 16);
    for part in [Part::Whole, Part::Mesh { mesh: 0, frame: 0 }] {
        let probe = Some(ProbeOptions::for_latency(SLOW));
        let memory = 4 * file.len();
        let streamer =
            Streamer::new(StreamerOptions { memory, probe, ..StreamerOptions::default() }).unwrap();
        let open = |name: &str| streamer.open(backend.clone(), [name]);
        let handles = names.map(|name| streamer.request(&open(name), part, Priority::NORMAL));
        // The first model is answered after all others that have room.
        let mut first = Vec::new();
        let mut answer = |keeps: bool| {
            while let Some(read) = backend.take() {
                if keeps && &**read.file() == "a" { first.push(read) } else { backend.answer_to(read) }
            }
            if !keeps {
                first.drain(..).for_each(|read| backend.answer_to(read));
            }
            noted(&streamer);
        };
        until("the second model is loaded", || {
            answer(true);
            handles[1].state().is_final()
        });
        (0..50).for_each(|_| answer(true));
        // Nobody takes the others.
        until("the first model is loaded", || {
            answer(false);
            handles[0].state() == State::Ready
        });
        assert!(streamer.statistics().memory_peak <= memory);
    }
}

#[test]
fn a_small_file_that_is_wanted_whole_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let backend = std::sync::Arc::new(FileBackend::new(2).unwrap());
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let (mut reads, mut small) = (0, 0);
    for (number, (name, files)) in models().into_iter().enumerate() {
        let [bytes] = &files[..] else { continue };
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, bytes).unwrap();
        let streamed = streamer.open(backend.clone(), [path.to_str().unwrap()]);
        let outcome = wait(streamer.request(&streamed, Part::Whole, Priority::NORMAL));
        reads += 1;
        assert_eq!(streamer.statistics().reads, reads, "{name}");
        if let Ok(loaded) = outcome {
            let model = loaded.into_model().unwrap();
            assert_eq!(model.files()[0].get(0..bytes.len() as u64).as_deref(), Some(&bytes[..]), "{name}");
            small += 1;
        } else {
            assert!(Plan::of(&slices(&files)).is_err(), "{name}");
        }
    }
    assert!(small > 20);
    until("all memory is released", || streamer.statistics().memory_used == 0);
}
