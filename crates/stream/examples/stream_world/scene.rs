//! The frame thread: what it asks for, and how long that takes.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, VertexLayout};
use meshlens_stream::backend::Backend;
use meshlens_stream::{
    Asset, Handle, Part, Priority, ProbeOptions, Request, RequestId, State, Streamer, StreamerOptions,
};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Whole,
    Mapped,
    Streamed,
}

impl Mode {
    pub(crate) const ALL: [Mode; 3] = [Mode::Whole, Mode::Mapped, Mode::Streamed];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Mode::Whole => "whole",
            Mode::Mapped => "mapped",
            Mode::Streamed => "streamed",
        }
    }
}

/// What one way to load took.
pub(crate) struct Run {
    pub(crate) mode: Mode,
    pub(crate) visible: usize,
    pub(crate) near: usize,
    pub(crate) first_bounds: Duration,
    pub(crate) near_buffers: Duration,
    pub(crate) full_detail: Duration,
    /// When the bounds of each model in the first view were there.
    pub(crate) bounds_at: Vec<Duration>,
    /// When each near model of the first view had its buffers.
    pub(crate) near_at: Vec<Duration>,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_wanted: u64,
    /// The longest time that the frame thread took in one frame, without the time in which the system ran other threads
    /// instead.
    pub(crate) worst_stall: Duration,
    /// The longest time that the frame thread took in one frame.
    pub(crate) worst_wall: Duration,
    /// Whether the system tells how long it ran other threads instead.
    pub(crate) is_stall_own: bool,
    pub(crate) frames: u32,
    pub(crate) requests: u64,
    pub(crate) cancelled: u64,
    pub(crate) reads: u64,
    pub(crate) memory_peak: usize,
}

/// How much of a model is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    #[default]
    Nothing,
    Bounds,
    Near,
    Full,
}

#[derive(Default)]
struct Entity {
    asset: Option<Asset>,
    /// What has been asked for, and what is there.
    asked: Level,
    there: Level,
    /// Requests that have not ended.
    handles: Vec<Handle>,
    /// What was asked for and not cancelled.
    wanted: Vec<Part>,
    bounds_at: Option<Duration>,
    near_at: Option<Duration>,
    full_at: Option<Duration>,
}

struct Scene<'w> {
    world: &'w World,
    mode: Mode,
    backend: Arc<dyn Backend>,
    streamer: Streamer,
    entities: Vec<Entity>,
    by_request: HashMap<RequestId, usize>,
    started: Instant,
    /// Where the next frame goes on with priorities.
    cursor: usize,
    requests: u64,
    cancelled: u64,
}

fn layout() -> VertexLayout {
    VertexLayout::new(32)
        .with(Semantic::Position, 0, VertexFormat::Float32x3)
        .with(Semantic::Normal, 12, VertexFormat::Float32x3)
        .with(Semantic::Texcoord, 24, VertexFormat::Float32x2)
}

pub(crate) fn run(world: &World, mode: Mode, backend: impl Backend) -> Result<Run, Box<dyn Error>> {
    let options = StreamerOptions {
        memory: 1 << 30,
        // The header and the bounds of an MD3 file, and the headers of a surface.
        probe: ProbeOptions { read: 256, patience: 12, ..ProbeOptions::default() },
        join_gap: 512,
        ..StreamerOptions::default()
    };
    let mut scene = Scene {
        world,
        mode,
        backend: Arc::new(backend),
        streamer: Streamer::new(options)?,
        entities: world.entities.iter().map(|_| Entity::default()).collect(),
        by_request: HashMap::new(),
        started: Instant::now(),
        cursor: 0,
        requests: 0,
        cancelled: 0,
    };
    let first = Camera::at(0.0);
    let distance = |index: usize| first.distance(world.entities[index].position);
    let visible: Vec<usize> = (0..world.entities.len()).filter(|index| distance(*index).is_some()).collect();
    let is_near = |index: &usize| distance(*index).is_some_and(|distance| distance <= Camera::NEAR);
    let near: Vec<usize> = visible.iter().copied().filter(is_near).collect();

    let (mut worst_stall, mut worst_wall, mut is_stall_own) = (Duration::ZERO, Duration::ZERO, true);
    let (mut frames, mut moved) = (0, 0);
    loop {
        let begun = Instant::now();
        let waited = run_delay();
        let is_settled = scene.frame(&Camera::at(moved as f32 / 60.0));
        let wall = begun.elapsed();
        let others = run_delay().zip(waited).map(|(now, before)| now.saturating_sub(before));
        is_stall_own &= others.is_some();
        worst_stall = worst_stall.max(wall.saturating_sub(others.unwrap_or_default()));
        worst_wall = worst_wall.max(wall);
        frames += 1;
        if is_settled && moved == MOVING {
            break;
        }
        let is_first_done = moved > 0 || is_settled;
        if is_first_done && moved < MOVING {
            moved += 1;
        }
        if scene.started.elapsed() > PATIENCE {
            return Err(format!("{mode:?} does not end").into());
        }
        std::thread::sleep(FRAME.saturating_sub(begun.elapsed()));
    }
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
    Ok(Run {
        mode,
        visible: visible.len(),
        near: near.len(),
        first_bounds: last(&bounds_at),
        near_buffers: last(&near_at),
        full_detail: last(&full_at),
        bytes_read: statistics.bytes_read,
        bytes_wanted: scene.bytes_wanted(),
        bounds_at,
        near_at,
        worst_stall,
        worst_wall,
        is_stall_own,
        frames,
        requests: scene.requests,
        cancelled: scene.cancelled,
        reads: statistics.reads,
        memory_peak: statistics.memory_peak,
    })
}

/// The time that this thread has waited for a processor; `None` on systems other than Linux.
fn run_delay() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').nth(1)?.parse().ok()?))
}

impl Scene<'_> {
    /// What an engine does in each frame. True if nothing is left to ask for or to wait for.
    fn frame(&mut self, camera: &Camera) -> bool {
        self.take_results();
        let begun = Instant::now();
        let count = self.entities.len();
        let mut is_settled = true;
        for step in 0..count {
            // Starts where the last frame ran out of time.
            let index = (self.cursor + step) % count;
            if begun.elapsed() > REQUEST_BUDGET {
                self.cursor = index;
                is_settled = false;
                break;
            }
            self.update(index, camera);
        }
        is_settled && self.by_request.is_empty()
    }

    fn update(&mut self, index: usize, camera: &Camera) {
        let distance = camera.distance(self.world.entities[index].position);
        let entity = &mut self.entities[index];
        let Some(distance) = distance else {
            if !entity.handles.is_empty() {
                // It left the view. Dropping a handle cancels its request.
                self.cancelled += entity.handles.len() as u64;
                for handle in entity.handles.drain(..) {
                    self.by_request.remove(&handle.id());
                }
                entity.asked = entity.there;
            }
            return;
        };
        let level = match distance <= Camera::NEAR {
            false => Level::Bounds,
            // All other frames come after the buffers.
            true if entity.there >= Level::Near => Level::Full,
            true => Level::Near,
        };
        let priority = Priority::by_distance(distance);
        if level <= entity.asked {
            for handle in &entity.handles {
                handle.set_priority(priority);
            }
            return;
        }
        let (world, asked, mode) = (self.world, entity.asked, self.mode);
        let asset = entity.asset.get_or_insert_with(|| {
            self.streamer.open(self.backend.clone(), [world.entities[index].file.clone()])
        });
        let mut requests: Vec<(Request, Priority)> = Vec::new();
        if mode == Mode::Whole {
            requests.push((Request::new(Part::Whole), priority));
            entity.asked = Level::Full;
        } else {
            if asked < Level::Bounds {
                // Bounds are few bytes, and decide what is needed next.
                requests.push((Request::new(Part::Bounds), Priority(priority.0.saturating_add(1 << 30))));
            }
            if level >= Level::Near && asked < Level::Near {
                let buffers = |part| {
                    let request = Request::new(part).vertices(layout(), Vec::new()).indices(Vec::new());
                    (request, priority)
                };
                requests.extend(World::near_parts().map(buffers));
            }
            if level == Level::Full {
                let later = Priority(priority.0.saturating_sub(1 << 28));
                requests.extend(World::full_parts().map(|part| (Request::new(part), later)));
            }
            entity.asked = level;
        }
        for (request, priority) in requests {
            entity.wanted.push(request.part());
            let handle = self.streamer.request(asset, request, priority);
            self.by_request.insert(handle.id(), index);
            entity.handles.push(handle);
            self.requests += 1;
        }
    }

    fn take_results(&mut self) {
        let now = self.started.elapsed();
        for done in self.streamer.poll_completed(RESULT_BUDGET) {
            // Cancelled requests are no longer in the map.
            let Some(index) = self.by_request.remove(&done.id) else { continue };
            assert_eq!(done.state, State::Ready, "request for {}", done.part);
            let entity = &mut self.entities[index];
            if let Some(at) = entity.handles.iter().position(|handle| handle.id() == done.id) {
                // An engine would keep the result.
                drop(entity.handles.swap_remove(at).take());
            }
            if entity.bounds_at.is_none() && matches!(done.part, Part::Bounds | Part::Whole) {
                entity.bounds_at = Some(now);
                entity.there = entity.there.max(Level::Bounds);
            }
            if entity.handles.is_empty() {
                if done.part == Part::Whole {
                    (entity.near_at, entity.full_at) = (Some(now), Some(now));
                }
                entity.there = entity.asked;
                if entity.there >= Level::Near {
                    entity.near_at.get_or_insert(now);
                }
                if entity.there >= Level::Full {
                    entity.full_at.get_or_insert(now);
                }
            }
        }
    }

    /// The number of bytes of all wanted parts. A byte in several parts counts once. With whole files, all bytes are wanted.
    fn bytes_wanted(&self) -> u64 {
        let mut sum = 0;
        for entity in self.entities.iter().filter(|entity| entity.asset.is_some()) {
            let mut parts = vec![Part::Bounds];
            match self.mode {
                Mode::Whole => parts.push(Part::Whole),
                _ => parts.extend(&entity.wanted),
            }
            let ranges = |part| self.world.plan.part(part).map(|info| info.ranges().to_vec());
            let mut ranges: Vec<_> = parts.into_iter().filter_map(ranges).flatten().collect();
            if self.mode != Mode::Whole && entity.wanted.iter().any(|part| *part != Part::Bounds) {
                ranges.extend(
                    self.world.plan.part(Part::Header).iter().flat_map(|info| info.ranges().to_vec()),
                );
            }
            ranges.sort_unstable();
            let mut at = 0;
            for range in ranges {
                sum += range.end.saturating_sub(range.start.max(at));
                at = at.max(range.end);
            }
        }
        sum
    }
}
