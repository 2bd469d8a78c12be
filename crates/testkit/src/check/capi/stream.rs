//! The calls of a streamer.

use std::mem::zeroed;
use std::ptr::{null, null_mut};

use super::get::get;
use super::{Machine, Program, ROOM, file_size, read_file};
use meshlens_capi::ml_result::ML_OK;
use meshlens_capi::*;

impl Machine<'_> {
    /// Uses a streamer with one request, from its start to its end.
    pub(super) unsafe fn stream(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header. The bytes are unchanged until the streamer is
        // freed.
        unsafe {
            let mut system: ml_file_system = zeroed();
            system.user = (&raw mut self.bytes).cast();
            system.file_size = Some(file_size);
            system.read = Some(read_file);
            let mut opts: ml_streamer_opts = zeroed();
            (opts.decode_threads, opts.read_threads, opts.files) = (1, 1, &raw const system);
            opts.memory_limit = if program.chance(4) { program.size(1 << 14) } else { 0 };
            let (mut streamer, mut stream, mut request) = (null_mut(), null_mut(), null_mut());
            program.call(|_, error| ml_new_streamer(&raw const opts, &raw mut streamer, error));
            program.call(|_, error| ml_open_stream(streamer, c"x".as_ptr(), null(), &raw mut stream, error));
            let mut asked: ml_request_opts = zeroed();
            asked.part = ml_stream_part {
                kind: program.number() % 17,
                index: program.index() as u32,
                frame: program.index() as u32,
            };
            let attribute = ml_vertex_attribute { attribute: 1, set: 0, offset: 0, format: 3 };
            let mut layout: ml_vertex_layout = zeroed();
            (layout.stride, layout.attributes, layout.attribute_count) = (12, &raw const attribute, 1);
            let size = program.size(ROOM);
            if program.chance(2) {
                asked.layout = &raw const layout;
                (asked.vertices.data, asked.vertices.size) = (self.out.at(0), size);
            }
            program.call(|_, error| ml_request_part(stream, &raw const asked, &raw mut request, error));
            if program.chance(4) {
                ml_cancel_request(request, null_mut());
            }
            let is_freed_early = program.chance(8);
            if is_freed_early {
                assert_eq!(ml_free_streamer(streamer), ML_OK);
            }
            wait(request);
            get!(program, ml_loaded, |to, error| ml_get_loaded(request, to, error));
            let mut file = null_mut();
            let code = program.call(|_, error| ml_get_loaded_asset(request, &raw mut file, error));
            self.keep(file, code);
            get!(program, ml_stream_info, |to, error| ml_get_stream_info(stream, to, error));
            assert_eq!(ml_close_request(request), ML_OK);
            assert_eq!(ml_close_stream(stream), ML_OK);
            if !is_freed_early {
                assert_eq!(ml_free_streamer(streamer), ML_OK);
            }
            self.out.finish(size);
        }
    }
}

/// Waits until a request has ended.
///
/// # Safety
///
/// The request is open, or NULL.
unsafe fn wait(request: *mut ml_request) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        while !request.is_null() {
            let mut info: ml_request_info = zeroed();
            assert_eq!(ml_poll_request(request, &raw mut info, null_mut()), ML_OK);
            if info.state >= ml_request_state::ML_REQUEST_READY as i32 {
                break;
            }
            std::thread::yield_now();
        }
    }
}
