//! The frame thread: its requests, and the time that they take.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, Space, VertexLayout};
use meshlens_assets::OpenOptions;
use meshlens_stream::{Part, Priority, ProbeOptions, Request, RequestId, Streamer, StreamerOptions};

use crate::entity::{Entity, Level};
use crate::run::{Mode, Run};
use crate::source::Source;
use crate::world::{Camera, World};

/// The duration of a frame.
const FRAME: Duration = Duration::from_micros(16_667);
/// The time per frame for new requests and priorities.
const REQUEST_BUDGET: Duration = Duration::from_micros(300);
/// The time per frame for results.
const RESULT_BUDGET: Duration = Duration::from_micros(200);
/// The number of frames in which the camera moves, after everything in its first view is loaded.
const MOVING: u32 = 90;
/// A run that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

struct Scene<'w> {
    world: &'w World,
    mode: Mode,
    streamer: Streamer,
    entities: Vec<Entity>,
    by_request: HashMap<RequestId, usize>,
    started: Instant,
    /// The position from which the next frame updates priorities.
    cursor: usize,
    /// The number of entities in sequence that needed no request where the camera is now.
    settled: usize,
    requests: u64,
    cancelled: u64,
}

fn layout() -> VertexLayout {
    VertexLayout::new(32)
        .with(Semantic::Position, 0, VertexFormat::Float32x3)
        .with(Semantic::Normal, 12, VertexFormat::Float32x3)
        .with(Semantic::Texcoord, 24, VertexFormat::Float32x2)
}

fn options(mode: Mode) -> StreamerOptions {
    StreamerOptions {
        memory: 1 << 30,
        // The header and the bounds of an MD3 file, and the headers of a surface. What is best for a server is measured.
        probe: (!mode.is_remote()).then(|| ProbeOptions { read: 256, ..ProbeOptions::default() }),
        join_gap: 512,
        ..StreamerOptions::default()
    }
}

/// Runs the world once. `None` if it cannot be read in this way.
pub(crate) fn run(world: &World, mode: Mode) -> Result<Option<Run>, Box<dyn Error>> {
    let streamer = Streamer::new(options(mode))?;
    let Some(source) = Source::new(world, mode)? else { return Ok(None) };
    let backend = Arc::new(source);

    // While the level is loaded, every model is opened by its name.
    let opening = Instant::now();
    let mut entities = Vec::new();
    for place in &world.entities {
        entities.push(Entity::new(streamer.open_scene(&backend, &place.name, &OpenOptions::default())?));
    }
    let opened = opening.elapsed();

    let by_request = HashMap::new();
    let started = Instant::now();
    let mut scene = Scene {
        world,
        mode,
        streamer,
        entities,
        by_request,
        started,
        cursor: 0,
        settled: 0,
        requests: 0,
        cancelled: 0,
    };
    let first = Camera::at(0.0);
    let distance = |index: usize| first.distance(world.entities[index].position);
    let visible: Vec<usize> = (0..world.entities.len()).filter(|index| distance(*index).is_some()).collect();
    let is_near = |index: &usize| distance(*index).is_some_and(|distance| distance <= Camera::NEAR);
    let near: Vec<usize> = visible.iter().copied().filter(is_near).collect();
    let played = scene.play()?;
    let times = |indices: &[usize], time: fn(&Entity) -> Option<Duration>| -> Vec<Duration> {
        indices.iter().filter_map(|index| time(&scene.entities[*index])).collect()
    };
    let (bounds_at, near_at) =
        (times(&visible, |entity| entity.bounds_at), times(&near, |entity| entity.near_at));
    let full_at = times(&near, |entity| entity.full_at);
    if bounds_at.len() != visible.len() || near_at.len() != near.len() || full_at.len() != near.len() {
        return Err("something of the first view is not there".into());
    }
    let last = |times: &[Duration]| times.iter().max().copied().unwrap_or_default();
    let statistics = scene.streamer.statistics();
    Ok(Some(Run {
        opened,
        visible: visible.len(),
        near: near.len(),
        first_bounds: last(&bounds_at),
        near_buffers: last(&near_at),
        full_detail: last(&full_at),
        bytes_read: statistics.bytes_read,
        bytes_wanted: scene.bytes_wanted(),
        worst_frame: played.worst_frame,
        worst_own: played.worst_own,
        frames: played.frames,
        requests: scene.requests,
        cancelled: scene.cancelled,
        reads: statistics.reads,
        memory_peak: statistics.memory_peak,
    }))
}

/// The request of a part of a node.
fn request(node: usize, part: Part, priority: Priority) -> (usize, Request, Priority) {
    match part {
        // These parts are small, and determine what is needed next.
        Part::Bounds | Part::Header => (node, part.into(), Priority(priority.0.saturating_add(1 << 30))),
        part => {
            let request = Request::new(part).vertices(layout(), Vec::new());
            (node, request.indices(Vec::new()).space(Space::GLTF), priority)
        }
    }
}

/// The frames of a run.
struct Played {
    worst_frame: Duration,
    /// The longest frame, without the time in which other threads ran.
    worst_own: Option<Duration>,
    frames: u32,
}

/// The time that this thread has waited for a processor; `None` on systems other than Linux.
fn run_delay() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').nth(1)?.parse().ok()?))
}

impl Scene<'_> {
    /// Stands until everything in the first view is loaded, then moves, and ends when everything in the last view is loaded.
    fn play(&mut self) -> Result<Played, Box<dyn Error>> {
        let mut played = Played { worst_frame: Duration::ZERO, worst_own: Some(Duration::ZERO), frames: 0 };
        let mut moved = 0;
        loop {
            let begun = Instant::now();
            let waited = run_delay();
            let is_settled = self.frame(&Camera::at(moved as f32 / 60.0))?;
            let stall = begun.elapsed();
            let others = run_delay().zip(waited).map(|(now, before)| now.saturating_sub(before));
            let own = others.map(|others| stall.saturating_sub(others));
            played.worst_frame = played.worst_frame.max(stall);
            played.worst_own = played.worst_own.zip(own).map(|(worst, own)| worst.max(own));
            played.frames += 1;
            if is_settled && moved == MOVING {
                return Ok(played);
            }
            let is_first_done = moved > 0 || is_settled;
            if is_first_done && moved < MOVING {
                moved += 1;
                self.settled = 0;
            }
            if self.started.elapsed() > PATIENCE {
                return Err(format!("{:?} does not end", self.mode).into());
            }
            std::thread::sleep(FRAME.saturating_sub(begun.elapsed()));
        }
    }

    /// The work of an engine in each frame. Returns true if nothing is left to request or to wait for.
    fn frame(&mut self, camera: &Camera) -> Result<bool, Box<dyn Error>> {
        self.take_results()?;
        let begun = Instant::now();
        let count = self.entities.len();
        for _ in 0..count {
            // Continues where the last frame ran out of time: a slow build does not reach all entities in one frame.
            if begun.elapsed() > REQUEST_BUDGET {
                break;
            }
            let before = self.requests;
            self.update(self.cursor, camera);
            self.settled = if self.requests == before { self.settled + 1 } else { 0 };
            self.cursor = (self.cursor + 1) % count;
        }
        Ok(self.settled >= count && self.by_request.is_empty())
    }

    fn update(&mut self, index: usize, camera: &Camera) {
        let distance = camera.distance(self.world.entities[index].position);
        let Some(distance) = distance else { return self.leave(index) };
        let now = self.started.elapsed();
        let entity = &mut self.entities[index];
        if self.mode != Mode::Whole {
            entity.note_known_bounds(now);
        }
        let level = match distance <= Camera::NEAR {
            false => Level::Bounds,
            // Buffers are requested after the plan, and all other frames after the buffers.
            true => match entity.there {
                Level::Nothing | Level::Bounds => Level::Plan,
                Level::Plan => Level::Near,
                Level::Near | Level::Full => Level::Full,
            },
        };
        let priority = Priority::by_distance(distance);
        if level <= entity.asked {
            entity.all_handles().for_each(|handle| handle.set_priority(priority));
            return;
        }
        let mut requests: Vec<(usize, Request, Priority)> = Vec::new();
        if self.mode == Mode::Whole {
            let nodes = 0..entity.model.nodes().len();
            requests.extend(nodes.map(|node| (node, Part::Whole.into(), priority)));
            entity.asked = Level::Full;
        } else {
            for step in [Level::Bounds, Level::Plan, Level::Near] {
                if step > entity.asked && step <= level {
                    let parts = entity.parts(step).into_iter();
                    requests.extend(parts.map(|(node, part)| request(node, part, priority)));
                }
            }
            if level == Level::Full {
                let later = Priority(priority.0.saturating_sub(1 << 28));
                let full = entity.model.request_all(&self.streamer, 0, later);
                for handle in full.handles() {
                    self.by_request.insert(handle.id(), index);
                    self.requests += 1;
                }
                entity.wanted.push(Part::Model { lod: 0 });
                entity.full = Some(full);
            }
            entity.asked = level;
        }
        for (node, request, priority) in requests {
            let part = request.part();
            if !entity.wanted.contains(&part) {
                entity.wanted.push(part);
            }
            let Some(node) = entity.model.nodes().get(node) else { continue };
            let handle = self.streamer.request(node.model(), request, priority);
            self.by_request.insert(handle.id(), index);
            entity.handles.push(handle);
            self.requests += 1;
        }
    }

    /// An entity left the view. Dropping a handle cancels its request.
    fn leave(&mut self, index: usize) {
        let entity = &mut self.entities[index];
        for handle in entity.all_handles() {
            self.cancelled += 1;
            self.by_request.remove(&handle.id());
        }
        entity.handles.clear();
        entity.full = None;
        entity.asked = entity.there;
    }

    fn take_results(&mut self) -> Result<(), Box<dyn Error>> {
        let now = self.started.elapsed();
        for done in self.streamer.poll_completed(RESULT_BUDGET) {
            // Cancelled requests are no longer in the map.
            if let Some(index) = self.by_request.remove(&done.id) {
                self.settled = 0;
                self.entities[index].take(&done, now)?;
            }
        }
        Ok(())
    }

    /// The number of bytes of all wanted parts. A byte in several parts counts once. With whole files, all bytes are wanted.
    fn bytes_wanted(&self) -> u64 {
        let mut sum = 0;
        for entity in self.entities.iter().filter(|entity| !entity.wanted.is_empty()) {
            for node in entity.model.nodes() {
                let plan = self.world.plan(node.name());
                let ranges = |part: &Part| plan.part(*part).map(|info| info.ranges().to_vec());
                let mut ranges: Vec<_> = entity.wanted.iter().filter_map(ranges).flatten().collect();
                ranges.sort_unstable();
                let mut at = 0;
                for range in ranges {
                    sum += range.end.saturating_sub(range.start.max(at));
                    at = at.max(range.end);
                }
            }
        }
        sum
    }
}
