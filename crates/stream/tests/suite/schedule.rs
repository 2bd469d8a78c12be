//! Random requests, cancellations and answers: every request ends, and no memory stays reserved.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens_stream::backend::Read;
use meshlens_stream::{
    Handle, Part, Priority, ProbeOptions, Request, StreamedModel, Streamer, StreamerOptions,
};

use crate::common::{Manual, PATIENCE, answer, models, until};

/// A small random number generator: xorshift64 (Marsaglia).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Answers a read in a random way.
fn respond(read: Read, files: &HashMap<String, Vec<u8>>, random: &mut Random) {
    match random.below(40) {
        0 => drop(read),
        1 => {
            let error = meshlens_stream::Error::read(read.file(), &std::io::Error::other("refused"));
            read.fail(error);
        }
        2 => {
            let mut read = read;
            let half = read.buffer().len() / 2;
            read.finish(half, 1 << 30, None);
        }
        3 => {
            let files = files.clone();
            std::thread::spawn(move || answer(read, &files));
        }
        _ => answer(read, files),
    }
}

fn request(streamed: &StreamedModel, random: &mut Random) -> Request {
    let part = match streamed.plan() {
        Some(plan) if random.below(8) > 0 => {
            let parts: Vec<Part> = plan.parts().collect();
            parts[random.below(parts.len())]
        }
        _ => [
            Part::Bounds,
            Part::Whole,
            Part::Lod { lod: 0 },
            Part::Mesh { mesh: 0, frame: 0 },
            Part::Skeleton,
        ][random.below(5)],
    };
    let mut request = Request::new(part);
    if random.below(3) == 0 {
        let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
        request = request.vertices(layout, Vec::new());
    }
    match random.below(16) {
        0 => request.then(|_| panic!("at random")),
        1 => request.then(|_| std::thread::yield_now()),
        _ => request,
    }
}

/// Runs one streamer with random requests, in which any fault may happen.
fn run(seed: u64, steps: usize) {
    let mut random = Random(seed | 1);
    let models = models();
    let mut files = HashMap::new();
    let mut names = Vec::new();
    for (number, (_, model)) in models.into_iter().enumerate().filter(|(number, _)| number % 3 == 0) {
        let own: Vec<String> = (0..model.len()).map(|part| format!("{number}.{part}")).collect();
        files.extend(own.iter().cloned().zip(model));
        names.push(own);
    }
    let listed: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (&**name, &bytes[..])).collect();
    let backend = Manual::new(&listed, 1 + random.below(6));
    let memory = [16 << 10, 64 << 10, 1 << 20][random.below(3)];
    let read = [64, 512, 4096][random.below(3)];
    let probe = Some(ProbeOptions { read, patience: 3, ..ProbeOptions::default() });
    let join_gap = [0, 64, 4096][random.below(3)];
    let options = StreamerOptions { memory, probe, join_gap, ..StreamerOptions::default() };
    let streamer = Streamer::new(options).unwrap();
    let open = |names: &Vec<String>| streamer.open(backend.clone(), names.iter().map(|name| &**name));
    let mut models: Vec<StreamedModel> = names.iter().map(&open).collect();
    let mut handles: Vec<Handle> = Vec::new();
    for _ in 0..steps {
        match random.below(12) {
            0..4 => {
                let streamed = &models[random.below(models.len())];
                let priority = Priority(random.below(100) as i32);
                handles.push(streamer.request(streamed, request(streamed, &mut random), priority));
            }
            4 if !handles.is_empty() => drop(handles.swap_remove(random.below(handles.len()))),
            5 if !handles.is_empty() => handles[random.below(handles.len())].cancel(),
            6 if !handles.is_empty() => {
                handles[random.below(handles.len())].set_priority(Priority(random.below(200) as i32 - 100));
            }
            7 if !handles.is_empty() => {
                let index = random.below(handles.len());
                drop(handles[index].take());
            }
            8 => models[random.below(names.len())] = open(&names[random.below(names.len())]),
            9 => drop(streamer.poll_completed(Duration::from_micros(50)).count()),
            _ => {
                if let Some(read) = backend.take() {
                    respond(read, &files, &mut random);
                }
            }
        }
        assert!(streamer.statistics().memory_used <= memory);
    }
    let close = random.below(4) == 0;
    let respond = || backend.take().map(|read| respond(read, &files, &mut random)).is_some();
    if close {
        drop(streamer);
        for handle in &mut handles {
            until("the streamer is closed", || handle.state().is_final());
        }
    } else {
        finish(seed, streamer, handles, memory, respond);
    }
}

/// Answers every read until all requests have ended and no memory is used. `respond` returns false if there is no read
/// to answer.
fn finish(
    seed: u64,
    streamer: Streamer,
    mut handles: Vec<Handle>,
    memory: usize,
    mut respond: impl FnMut() -> bool,
) {
    let started = Instant::now();
    while !handles.is_empty() {
        // Loaded models are dropped, so that there is memory for other requests.
        handles.retain_mut(|handle| handle.take().is_none() && !handle.state().is_final());
        respond();
        assert!(started.elapsed() < PATIENCE, "seed {seed}: {handles:?}");
    }
    until("all memory is released", || {
        while respond() {}
        streamer.statistics().memory_used == 0
    });
    assert!(streamer.statistics().memory_peak <= memory, "seed {seed}");
}

/// `MESHLENS_STREAM_SCHEDULES` sets a larger number of schedules.
#[test]
fn random_schedules_end_and_release_all_memory() {
    let schedules = std::env::var("MESHLENS_STREAM_SCHEDULES").ok().and_then(|count| count.parse().ok());
    for seed in 0..schedules.unwrap_or(12u64) {
        run(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), 1500);
    }
}
