//! Opening one file, and closing it.

use std::ffi::{c_char, c_void};

use meshlens::Format;

use crate::asset::ml_asset;
use crate::call::{bytes, call, check_place};
use crate::content::Counts;
use crate::enums::{ml_format, ml_role, raw};
use crate::error::ml_error;
use crate::handle;
use crate::input::Inputs;
use crate::options::{Options, ml_open_opts};
use crate::result::ml_result;
use crate::sized::{self, Growing, text_member};

/// Opens a model that is one file in memory. With ML_OWNERSHIP_BORROW, which is the default, nothing is copied: `data` must
/// stay in place, unchanged, until ml_close. The data may have any alignment. A GLB file is imported, in O(size).
///
/// On success, `*asset` is a new handle, to be closed with ml_close; otherwise it is NULL. `opts` and `error` may be
/// NULL.
///
/// Cost: O(headers). Headers are read once, and nothing in proportion to vertices, triangles or frames is read.
/// Decryption and ML_OWNERSHIP_COPY are O(size).
/// Threads: any.
/// Errors: ML_ERROR_MAGIC for bytes of no known format, ML_ERROR_VERSION, ML_ERROR_UNSUPPORTED for one file of a format
/// that needs two, ML_ERROR_ENCRYPTED, ML_ERROR_PASSWORD_WRONG, ML_ERROR_PASSWORD_TOO_LONG, ML_ERROR_MEMORY,
/// ML_ERROR_MEMORY_LIMIT, and for invalid headers any code from 100 on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_memory(
    data: *const c_void,
    size: usize,
    opts: *const ml_open_opts,
    asset: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(asset)?;
        let options = Options::read(opts)?;
        let data = options.take(bytes(data.cast(), size)?)?;
        #[cfg(all(feature = "assets", feature = "gltf"))]
        if options.format.is_none() && crate::assets::is_imported(data.as_ref()) {
            return handle::open(asset, crate::assets::import(data, options.memory)?.into());
        }
        let mut inputs = Inputs::default();
        inputs.add(ml_role::ML_ROLE_MODEL as i32, "", data)?;
        handle::open(asset, inputs.open(options)?.into())
    })
}

/// Closes an asset: frees it and everything that calls returned pointers to. NULL is ignored. No other call may use the
/// asset at the same time. Scenes and nodes that were made from it stay open.
///
/// Cost: O(values that were made of the asset while it was open).
/// Threads: any, one at a time.
/// Errors: ML_ERROR_HANDLE if it was already closed, in builds with debug assertions. In other builds, closing twice is
/// undefined behavior.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close(asset: *mut ml_asset) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(asset))
}

/// The format, the version and the counts of the files of an asset.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_file_info {
    /// sizeof(ml_file_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The format; ML_FORMAT_DETECT, which is 0, for a file that was imported (glTF).
    pub format: raw::ml_format,
    /// The version of the format, as its documentation writes it. NUL-terminated; longer texts are cut. For formats
    /// without versions, a description of the file's layout.
    pub version: [c_char; 60],
    /// The number of frames, of vertices or of bones; the largest of a player's files.
    pub frame_count: u64,
    /// The number of surfaces or meshes.
    pub surface_count: u64,
    /// The number of vertices in one frame, over all surfaces.
    pub vertex_count: u64,
    /// The number of triangles, over all surfaces.
    pub triangle_count: u64,
    /// The number of tags or bones.
    pub tag_count: u64,
    /// The number of bytes of the file, of both files of an Unreal mesh, or of all files of a player.
    pub byte_count: u64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_file_info {
    const TEXTS: &'static [(usize, usize)] = &[text_member!(ml_file_info, version)];
}

/// Writes the format, the version and the counts of the files of an asset, such as those of all parts of a player. Coarser
/// levels of detail in files of their own are not counted: ml_get_node_asset makes an asset of each, and of each node, which has
/// the counts of its file.
///
/// Cost: O(surfaces); O(triangles) for Unreal meshes.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT; ML_ERROR_UNSUPPORTED for a node of an imported asset (ml_get_node_asset), which has no file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_file_info(
    asset: *const ml_asset,
    info: *mut ml_file_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let asset = handle::get(asset)?;
        check_place(info)?;
        let Counts { format, version, summary, bytes } = asset.counts()?;
        let mut written = ml_file_info {
            size: 0,
            format: format.map_or(0, ml_format::number),
            version: [0; 60],
            frame_count: summary.frames,
            surface_count: summary.surfaces,
            vertex_count: summary.vertices,
            triangle_count: summary.triangles,
            tag_count: summary.tags,
            byte_count: bytes,
        };
        crate::error::write_text(&mut written.version, version);
        sized::write(info, written)
    })
}

/// Detects the format of bytes by their first bytes, and the version in their header. This also works for files that
/// cannot be opened because they are encrypted. 64 bytes are enough. `*format` is ML_FORMAT_DETECT if the format is
/// unknown. `version` may be NULL; the text is cut to `version_size` bytes and NUL-terminated.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_detect(
    data: *const c_void,
    size: usize,
    format: *mut raw::ml_format,
    version: *mut c_char,
    version_size: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        check_place(format)?;
        let data = bytes(data.cast(), size)?;
        let found = Format::detect(data);
        if !version.is_null() {
            let room = crate::call::output(version, version_size)?;
            let said = found.and_then(|format| format.peek_version(data)).unwrap_or_default();
            crate::error::write_text(room, said);
        }
        crate::call::put(format, found.map_or(0, ml_format::number))
    })
}
