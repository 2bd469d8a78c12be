//! Streams, and the parts of a model that can be loaded separately.

use std::ffi::c_char;
use std::sync::Arc;

use meshlens_stream::backend::Backend;
use meshlens_stream::{Part, Plan, StreamedModel};

use super::streamer::{Readers, Shared, ml_streamer};
use crate::assets::{ml_asset_opts, read_opts};
use crate::bounds::ml_bounds;
use crate::call::{at, call, check_index, check_place, needed_text, output, put, text};
use crate::enums::{ml_format, ml_part_kind, raw};
use crate::error::{ml_error, write_text};
use crate::files::StreamedNode;
use crate::handle;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing, text_member};

/// A model that is loaded part by part. It stores the plan of the model as soon as it is known, but no bytes of its
/// files.
pub struct ml_stream {
    pub(super) model: StreamedModel,
    /// The node of a search path.
    pub(super) node: Option<Arc<StreamedNode>>,
    pub(super) shared: Arc<Shared>,
}

handle::opaque!(ml_stream: shared.allocator);

/// A part of a model that can be loaded separately.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ml_stream_part {
    /// The kind of part.
    pub kind: raw::ml_part_kind,
    /// The mesh, the animation of joints (ML_PART_CLIP) or the level of detail (ML_PART_LOD); otherwise 0.
    pub index: u32,
    /// The frame of ML_PART_FRAME and ML_PART_MESH; otherwise 0.
    pub frame: u32,
}

crate::call::plain!(ml_stream_part: raw::ml_part_kind, u32, u32);

impl ml_stream_part {
    pub(super) fn read(self) -> Result<Part> {
        use ml_part_kind::*;
        let (mesh, frame) = (self.index, self.frame);
        let known = [
            (ML_PART_HEADER, Part::Header),
            (ML_PART_BOUNDS, Part::Bounds),
            (ML_PART_NAMES, Part::Names),
            (ML_PART_MATERIALS, Part::Materials),
            (ML_PART_SKELETON, Part::Skeleton),
            (ML_PART_TAGS, Part::Tags),
            (ML_PART_INDICES, Part::Indices { mesh }),
            (ML_PART_TEXCOORDS, Part::Texcoords { mesh }),
            (ML_PART_COLORS, Part::Colors { mesh }),
            (ML_PART_WEIGHTS, Part::Weights { mesh }),
            (ML_PART_FRAME, Part::Frame { mesh, frame }),
            (ML_PART_CLIP, Part::Clip { clip: mesh }),
            (ML_PART_MESH, Part::Mesh { mesh, frame }),
            (ML_PART_LOD, Part::Lod { lod: mesh }),
            (ML_PART_WHOLE, Part::Whole),
        ];
        let found = known.into_iter().find(|(known, _)| *known as i32 == self.kind);
        found.map(|(_, part)| part).ok_or(Failure::argument("there is no such kind of part"))
    }

    pub(super) fn new(part: Part) -> ml_stream_part {
        use ml_part_kind::*;
        let (kind, index, frame) = match part {
            Part::Header => (ML_PART_HEADER, 0, 0),
            Part::Bounds => (ML_PART_BOUNDS, 0, 0),
            Part::Names => (ML_PART_NAMES, 0, 0),
            Part::Materials => (ML_PART_MATERIALS, 0, 0),
            Part::Skeleton => (ML_PART_SKELETON, 0, 0),
            Part::Tags => (ML_PART_TAGS, 0, 0),
            Part::Indices { mesh } => (ML_PART_INDICES, mesh, 0),
            Part::Texcoords { mesh } => (ML_PART_TEXCOORDS, mesh, 0),
            Part::Colors { mesh } => (ML_PART_COLORS, mesh, 0),
            Part::Weights { mesh } => (ML_PART_WEIGHTS, mesh, 0),
            Part::Frame { mesh, frame } => (ML_PART_FRAME, mesh, frame),
            Part::Clip { clip } => (ML_PART_CLIP, clip, 0),
            Part::Mesh { mesh, frame } => (ML_PART_MESH, mesh, frame),
            Part::Lod { lod } => (ML_PART_LOD, lod, 0),
            Part::Whole => (ML_PART_WHOLE, 0, 0),
            // The kind was added in a later version of the library.
            _ => (ML_PART_OTHER, 0, 0),
        };
        ml_stream_part { kind: kind as raw::ml_part_kind, index, frame }
    }
}

/// Properties of a model that is loaded part by part.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_stream_info {
    /// sizeof(ml_stream_info), or 0 for the first version of the struct.
    pub size: usize,
    /// Not 0 once the plan is known: after the first request for any part except ML_PART_BOUNDS, which is ready as soon
    /// as the bounds are read. Until then the other members are 0, except the format and the bounds.
    pub has_plan: u32,
    /// The format.
    pub format: raw::ml_format,
    /// The version of the format, as in ml_file_info.
    pub version: [c_char; 60],
    /// Not 0 once the bounds are known: after a request for ML_PART_BOUNDS, and after the first read for formats that
    /// store them at the front of the file.
    pub has_bounds: u32,
    /// The number of meshes, of all levels of detail.
    pub mesh_count: usize,
    /// The number of levels of detail.
    pub lod_count: usize,
    /// The number of parts listed by ml_list_stream_parts.
    pub part_count: usize,
    /// The number of bytes of all files of the model.
    pub byte_count: u64,
    /// The bounding box of the model in frame 0, as its script places it, in the space of the file.
    pub bounds: ml_bounds,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_stream_info {
    const TEXTS: &'static [(usize, usize)] = &[text_member!(ml_stream_info, version)];
}

/// The size of a part, known before it is loaded.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_stream_part_info {
    /// sizeof(ml_stream_part_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of bytes of the part in its files.
    pub stored_size: u64,
    /// The number of bytes of its decoded values.
    pub decoded_size: u64,
    /// The number of separate byte ranges.
    pub range_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_stream_part_info {}

/// Options for a model that is loaded part by part. All zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_stream_opts {
    /// sizeof(ml_stream_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The frames (x_a.3d) of an Unreal mesh, whose geometry (x_d.3d) is the path, or NULL. A search path finds them.
    pub frames_path: *const c_char,
    /// The node, which ml_get_asset_node describes: the part of a player. A path names a single node.
    pub node: usize,
    /// 0 for the node itself, otherwise the number of a coarser level of detail in another file. A path names no other files.
    pub lod: usize,
    /// The options with which a search path finds the files and the skin of the model, as ml_open_asset does, or NULL. They are
    /// copied. The password is ignored. Must be NULL for a path.
    pub asset: *const ml_asset_opts,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_stream_opts {}

/// Opens a node of a model to be loaded part by part. If the streamer has a search path, `name` is what ml_open_asset opens:
/// folders are listed, and lengths of files and scripts of Unreal meshes are read now, but no model. Otherwise `name` is the
/// path of a file in the file system of the streamer, or without one, of the operating system in UTF-8; nothing is read before
/// the first request. Vertices are placed as scripts say; attachments are those of ml_get_asset_node. A file of another format
/// (glTF) is imported as a whole by ml_open_asset, and has no parts to load.
///
/// On success, `*stream` is a new handle, to be closed with ml_close_stream; otherwise it is NULL. `opts` and `error` may be
/// NULL.
///
/// Cost: O(1) for a path, O(files in the folders) for a name.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or lod; ML_ERROR_ARGUMENT, also for frames of a streamer with a search
/// path, and for options of an asset without one; ML_ERROR_UNSUPPORTED for a file that is imported (glTF); ML_ERROR_MEMORY; for a
/// name those of ml_open_asset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_stream(
    streamer: *const ml_streamer,
    name: *const c_char,
    opts: *const ml_stream_opts,
    stream: *mut *mut ml_stream,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(stream)?;
        let shared = &handle::get(streamer)?.shared;
        let opts = sized::read(opts)?;
        let (name, frames) = (needed_text(name)?, text(opts.frames_path)?);
        let open = |backend: Arc<dyn Backend>| {
            if !opts.asset.is_null() {
                return Err(Failure::argument("options of an asset belong to a name in a search path"));
            }
            check_index("node", opts.node, 1)?;
            check_index("lod", opts.lod, 1)?;
            let files = [Some(name), frames].into_iter().flatten();
            shared.with(|streamer| Ok((streamer.open(backend, files), None)))
        };
        let (model, node) = match &shared.readers {
            Readers::Callbacks(backend) => open(backend.clone())?,
            Readers::System(backend) => open(backend.clone())?,
            Readers::Assets(_) if frames.is_some() => {
                return Err(Failure::argument("the search path of the streamer finds the frames of a mesh"));
            }
            Readers::Assets(backend) => {
                let options = read_opts(opts.asset)?;
                let scene = shared.with(|streamer| Ok(streamer.open_scene(backend, name, &options)?))?;
                let model = at(at(scene.nodes(), "node", opts.node)?.lods(), "lod", opts.lod)?.clone();
                (model, Some(Arc::new(StreamedNode { scene, node: opts.node })))
            }
        };
        handle::open(stream, ml_stream { model, node, shared: shared.clone() })
    })
}

/// Closes a stream. Its requests continue. NULL is ignored.
///
/// Cost: O(parts).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close_stream(stream: *mut ml_stream) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(stream))
}

/// Writes the known properties of a model. It never waits.
///
/// Cost: O(parts).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_stream_info(
    stream: *const ml_stream,
    info: *mut ml_stream_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let model = &handle::get(stream)?.model;
        let bounds = model.bounds();
        let mut written = ml_stream_info {
            size: 0,
            has_plan: 0,
            format: model.format().map_or(0, ml_format::number),
            version: [0; 60],
            has_bounds: bounds.is_some().into(),
            mesh_count: 0,
            lod_count: 0,
            part_count: 0,
            byte_count: 0,
            bounds: bounds.map_or(ml_bounds { min: [0.0; 3], max: [0.0; 3] }, Into::into),
        };
        if let Some(plan) = model.plan() {
            written.has_plan = 1;
            write_text(&mut written.version, plan.version());
            written.mesh_count = plan.mesh_count();
            written.lod_count = plan.lod_count();
            written.part_count = plan.parts().count();
            written.byte_count = plan.file_lens().iter().fold(0, |sum, len| sum.saturating_add(*len));
        }
        sized::write(info, written)
    })
}

fn plan(stream: &ml_stream) -> Result<&Plan> {
    stream.model.plan().ok_or(Failure::new(
        ml_result::ML_ERROR_NOT_READY,
        "the parts of the model are not known before a request for one of them has been answered",
    ))
}

/// Lists the parts of a model that do not consist of other parts, in the usual order of loading. ML_PART_MESH,
/// ML_PART_LOD and ML_PART_WHOLE can be requested too. `*count` is set to the number of all parts; the first `capacity`
/// of them are written to `parts`, which may be NULL if `capacity` is 0.
///
/// Cost: O(parts).
/// Threads: any.
/// Errors: ML_ERROR_NOT_READY if the plan is not known yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_list_stream_parts(
    stream: *const ml_stream,
    parts: *mut ml_stream_part,
    capacity: usize,
    count: *mut usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let plan = plan(handle::get(stream)?)?;
        check_place(count)?;
        let mut slots = output(parts, capacity)?.iter_mut();
        let mut found: usize = 0;
        for part in plan.parts() {
            found = found.saturating_add(1);
            if let Some(slot) = slots.next() {
                *slot = ml_stream_part::new(part);
            }
        }
        put(count, found)
    })
}

/// Writes the size of a part.
///
/// Cost: O(1), or O(meshes) for parts that consist of others.
/// Threads: any.
/// Errors: ML_ERROR_NOT_READY if the plan is not known yet, ML_ERROR_MISSING if the model does not have the part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_stream_part(
    stream: *const ml_stream,
    part: ml_stream_part,
    info: *mut ml_stream_part_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let plan = plan(handle::get(stream)?)?;
        let part = part.read()?;
        let missing = || Failure::owned(ml_result::ML_ERROR_MISSING, format_args!("the model has no {part}"));
        let found = plan.part(part).ok_or_else(missing)?;
        let written = ml_stream_part_info {
            size: 0,
            stored_size: found.stored_size(),
            decoded_size: found.decoded_size(),
            range_count: found.ranges().len(),
        };
        sized::write(info, written)
    })
}
