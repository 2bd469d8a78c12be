//! Requests for parts, and their states.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshlens::lens::Bounds;
use meshlens::model::Space;
use meshlens_stream::{Handle, Part, PartialModel, Priority, Request, State, StreamedModel};

use super::buffers::{Buffers, Filled, ml_stream_buffer};
use super::failure::failure;
use super::parts::{ml_stream, ml_stream_part};
use super::streamer::Shared;
use crate::call::{call, input};
use crate::enums::{ml_request_state, raw};
use crate::error::ml_error;
use crate::files::StreamedNode;
use crate::handle;
use crate::result::{Failure, Result, ml_result};
use crate::scene::{ml_vertex_layout, read_layout};
use crate::sized::{self, Growing};
use crate::space::{ml_convert_opts, target};

/// A request for a part of a model.
pub struct ml_request {
    handle: Handle,
    /// The result, once the request has ended.
    outcome: Mutex<Option<Result<Done, Ended>>>,
    slot: Arc<Mutex<Slot>>,
    model: StreamedModel,
    pub(super) node: Option<Arc<StreamedNode>>,
    space: (Option<Space>, f32),
    id: u64,
    pub(super) shared: Arc<Shared>,
}

/// A loaded part.
pub(super) struct Done {
    pub(super) model: Option<PartialModel>,
    pub(super) bounds: Option<Bounds>,
    pub(super) filled: Filled,
}

/// The state and the error of a request that loaded nothing.
struct Ended {
    state: ml_request_state,
    failure: Failure,
}

/// The buffers of a request. The thread that fills them holds the lock.
#[derive(Default)]
struct Slot {
    buffers: Option<Buffers>,
    filled: Option<Result<Filled>>,
}

handle::opaque!(ml_request: shared.allocator);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ml_request {
    fn new(
        stream: &ml_stream,
        handle: Handle,
        slot: Arc<Mutex<Slot>>,
        space: (Option<Space>, f32),
    ) -> ml_request {
        let (id, outcome) = (handle.id().get(), Mutex::default());
        let (model, node, shared) = (stream.model.clone(), stream.node.clone(), stream.shared.clone());
        ml_request { handle, outcome, slot, model, node, space, id, shared }
    }

    /// Takes the outcome if there is one, and returns the state.
    fn poll(&self) -> (MutexGuard<'_, Option<Result<Done, Ended>>>, ml_request_state) {
        use ml_request_state::*;
        let mut ended = lock(&self.outcome);
        if ended.is_none()
            && let Some(outcome) = self.handle.take()
        {
            let mut slot = lock(&self.slot);
            // The buffers are returned to the caller.
            slot.buffers = None;
            let filled = slot.filled.take().unwrap_or_else(|| Ok(Filled::default()));
            drop(slot);
            *ended = Some(match (outcome, filled) {
                (Ok(loaded), Ok(filled)) => {
                    let bounds = loaded.bounds().and_then(|bounds| self.in_space(bounds));
                    Ok(Done { bounds, model: loaded.into_model(), filled })
                }
                (Ok(_), Err(failure)) => Err(Ended { state: ML_REQUEST_FAILED, failure }),
                (Err(failed), _) => {
                    let error = failed.error().clone();
                    let state = match error {
                        meshlens_stream::Error::Cancelled => ML_REQUEST_CANCELLED,
                        _ => ML_REQUEST_FAILED,
                    };
                    Err(Ended { state, failure: failure(error, self.shared.is_callback()) })
                }
            });
        }
        let state = match &*ended {
            Some(Ok(_)) => ML_REQUEST_READY,
            Some(Err(ended)) => ended.state,
            None => match self.handle.state() {
                State::Queued => ML_REQUEST_QUEUED,
                State::Loading => ML_REQUEST_LOADING,
                State::Cancelled => ML_REQUEST_CANCELLING,
                // The outcome will follow soon.
                State::Decoding | State::Ready | State::Failed => ML_REQUEST_DECODING,
            },
        };
        (ended, state)
    }

    /// Converts a box in the space of the file to the space of the request.
    fn in_space(&self, bounds: Bounds) -> Option<Bounds> {
        let (space, scale) = self.space;
        let from = self.model.format()?.space();
        let conversion = from.to(&space.unwrap_or(from)).scaled(scale);
        Bounds::around([bounds.min, bounds.max].map(|corner| conversion.position(corner)))
    }

    /// Passes the loaded part to `then`. Returns an error if nothing is loaded.
    pub(super) fn done<R>(&self, then: impl FnOnce(&Done) -> Result<R>) -> Result<R> {
        let (ended, _) = self.poll();
        match &*ended {
            Some(Ok(done)) => then(done),
            Some(Err(ended)) => Err(ended.failure.clone()),
            None => Err(Failure::new(ml_result::ML_ERROR_NOT_READY, "the request has not ended yet")),
        }
    }
}

impl Drop for ml_request {
    fn drop(&mut self) {
        self.handle.cancel();
        // This waits for the thread that is filling the buffers, if any.
        lock(&self.slot).buffers = None;
    }
}

/// The options of a request.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_request_opts {
    /// sizeof(ml_request_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The part.
    pub part: ml_stream_part,
    /// The priority: higher values are loaded first. 0 is normal.
    pub priority: i32,
    /// The layout of the vertex buffer to fill, or NULL for none. It is copied. The part must be ML_PART_MESH, or
    /// ML_PART_FRAME with attributes of the frame in formats that store vertices as they are drawn (MD3, Ultimate 3D).
    pub layout: *const ml_vertex_layout,
    /// The memory for vertices if there is a layout.
    pub vertices: ml_stream_buffer,
    /// The memory for indices of ML_PART_MESH, in the smallest type that holds every index; all zeros for no index
    /// buffer.
    pub indices: ml_stream_buffer,
    /// The space and the scale of vertices, indices and bounds, as for ml_open_scene, or NULL. It is copied.
    pub space: *const ml_convert_opts,
}

// SAFETY: `size` comes first, and every bit pattern is valid: functions are checked for NULL, and are the caller's.
unsafe impl Growing for ml_request_opts {}

/// # Safety
///
/// The pointers of the options are NULL or valid.
unsafe fn read_buffers(
    opts: &ml_request_opts,
    part: Part,
    space: (Option<Space>, f32),
) -> Result<Option<Buffers>> {
    let vertices = match (opts.layout.is_null(), opts.vertices.is_set()?) {
        (true, false) => None,
        (true, true) => return Err(Failure::argument("there is a buffer for vertices, and no layout")),
        // SAFETY: guaranteed by the caller.
        (false, _) => Some((unsafe { read_layout(opts.layout)? }, opts.vertices)),
    };
    let indices = opts.indices.is_set()?.then_some(opts.indices);
    match part {
        _ if vertices.is_none() && indices.is_none() => Ok(None),
        Part::Mesh { .. } => Ok(Some(Buffers { vertices, indices, space })),
        Part::Frame { .. } if indices.is_none() => Ok(Some(Buffers { vertices, indices, space })),
        _ => Err(Failure::argument(
            "vertex buffers are made of ML_PART_MESH or ML_PART_FRAME, index buffers of ML_PART_MESH",
        )),
    }
}

/// Requests a part of a model. Requests for the same part share the bytes that are read. The buffers of a skinned mesh have the
/// pose in which it is bound to its joints. A scene of the whole model has the joints, and moves it: ml_get_loaded_asset of
/// ML_PART_WHOLE, ml_open_scene.
///
/// On success, `*request` is a new handle, to be closed with ml_close_request; otherwise it is NULL.
///
/// Cost: O(attributes of the layout). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, also for an invalid layout and for buffers of a part that is not a mesh;
/// ML_ERROR_CANCELLED if the streamer was freed, ML_ERROR_MEMORY. Errors of the file are returned by ml_get_loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_request_part(
    stream: *const ml_stream,
    opts: *const ml_request_opts,
    request: *mut *mut ml_request,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(request)?;
        let stream = handle::get(stream)?;
        if opts.is_null() {
            return Err(Failure::argument("the options of the request are NULL"));
        }
        let opts = sized::read(opts)?;
        let part = opts.part.read()?;
        let space = target(&sized::read(opts.space)?)?;
        let buffers = read_buffers(&opts, part, space)?;
        let fills = buffers.is_some();
        let slot = Arc::new(Mutex::new(Slot { buffers, filled: None }));
        let mut asked = Request::new(part);
        if fills {
            let slot = slot.clone();
            asked = asked.then(move |loaded| {
                let mut slot = lock(&slot);
                // SAFETY: the caller's memory stays valid until the buffers are removed from the slot.
                let filled = slot.buffers.as_ref().map(|buffers| buffers.fill(loaded));
                slot.filled = filled;
            });
        }
        let priority = Priority(opts.priority);
        let made = stream.shared.with(|streamer| Ok(streamer.request(&stream.model, asked, priority)))?;
        handle::open(request, ml_request::new(stream, made, slot, space))
    })
}

/// Requests the same part of many models of a streamer at once, such as the bounds of all models of a level: `streams` and
/// `requests` have `count` elements. The options have no buffers. The streamer is notified a few times, and knows all requests before
/// it reads.
///
/// On success, each of `requests` is a new handle, to be closed with ml_close_request; otherwise all are NULL, and nothing is requested.
///
/// Cost: O(count). It never waits.
/// Threads: any.
/// Errors: those of ml_request_part; ML_ERROR_ARGUMENT for buffers, and for streams of different streamers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_request_parts(
    streams: *const *const ml_stream,
    count: usize,
    opts: *const ml_request_opts,
    requests: *mut *mut ml_request,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        if count > 0 && (streams.is_null() || requests.is_null()) {
            return Err(Failure::argument("the streams or the requests are NULL"));
        }
        for index in 0..count {
            handle::clear(requests.add(index))?;
        }
        if opts.is_null() {
            return Err(Failure::argument("the options of the requests are NULL"));
        }
        let opts = sized::read(opts)?;
        let (part, space) = (opts.part.read()?, target(&sized::read(opts.space)?)?);
        if read_buffers(&opts, part, space)?.is_some() {
            return Err(Failure::argument("buffers belong to one request: use ml_request_part"));
        }
        let all = (0..count).map(|index| handle::get(streams.add(index).read_unaligned()));
        let all = all.collect::<Result<Vec<&ml_stream>>>()?;
        let Some(first) = all.first() else { return Ok(()) };
        if all.iter().any(|stream| !Arc::ptr_eq(&stream.shared, &first.shared)) {
            return Err(Failure::argument("the streams belong to different streamers"));
        }
        let asked = all.iter().map(|stream| (&stream.model, part, Priority(opts.priority)));
        let made = first.shared.with(|streamer| Ok(streamer.request_many(asked)))?;
        for (index, (stream, made)) in all.iter().zip(made).enumerate() {
            let opened =
                handle::open(requests.add(index), ml_request::new(stream, made, Arc::default(), space));
            if opened.is_err() {
                for before in 0..index {
                    handle::close(requests.add(before).read())?;
                    handle::clear(requests.add(before))?;
                }
                return opened;
            }
        }
        Ok(())
    })
}

/// Changes the priority of a request. It has no effect after the request has ended.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_set_priority(
    request: *const ml_request,
    priority: i32,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::get(request)?.handle.set_priority(Priority(priority));
        Ok(())
    })
}

/// Changes the priorities of many requests at once, such as those of all objects after the camera has moved: `priorities` and
/// `requests` have `count` elements. The streamer is notified a few times. If one of the requests is NULL, nothing is changed.
///
/// Cost: O(count). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_set_priorities(
    requests: *const *const ml_request,
    priorities: *const i32,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        if count > 0 && requests.is_null() {
            return Err(Failure::argument("the requests are NULL"));
        }
        let priorities = input(priorities, count)?;
        let found = (0..count).map(|index| handle::get(requests.add(index).read_unaligned()));
        let found = found.collect::<Result<Vec<&ml_request>>>()?;
        let Some(first) = found.first() else { return Ok(()) };
        let changed = found.iter().zip(priorities);
        let changed = changed.map(|(request, priority)| (&request.handle, Priority(*priority)));
        // All requests of a streamer that was freed have ended.
        first.shared.unless_freed(|streamer| streamer.set_priorities(changed));
        Ok(())
    })
}

/// Cancels a request. It has no effect after the request has ended. Its buffers may be in use until the state is
/// ML_REQUEST_CANCELLED. Bytes that no other request needs are not read, or are dropped.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_cancel_request(request: *const ml_request, error: *mut ml_error) -> ml_result {
    call!(error, {
        handle::get(request)?.handle.cancel();
        Ok(())
    })
}

/// The state of a request.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_request_info {
    /// sizeof(ml_request_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of the request, as listed by ml_poll_streamer. It is unique within the streamer.
    pub id: u64,
    /// The state.
    pub state: raw::ml_request_state,
    /// The requested part.
    pub part: ml_stream_part,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_request_info {}

/// Writes the state of a request.
///
/// Cost: O(1). It never waits.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_poll_request(
    request: *const ml_request,
    info: *mut ml_request_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let request = handle::get(request)?;
        let state = request.poll().1;
        let part = ml_stream_part::new(request.handle.part());
        let state = state as raw::ml_request_state;
        sized::write(info, ml_request_info { size: 0, id: request.id, state, part })
    })
}

/// Closes a request, and cancels it unless it has ended. When it returns, its buffers are no longer used.
/// NULL is ignored. It must not be called from a callback of the request.
///
/// Cost: O(1); it waits for the thread that is filling the buffers, if any. It never waits after ml_poll_request returned that
/// the request has ended; to close one early without waiting, cancel it, and close it once it has ended.
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close_request(request: *mut ml_request) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(request))
}
