//! Conversion of models to glTF 2.0, with a callback for the output.

mod carry;
mod items;
mod output;
mod texture;

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::io::{BufWriter, Write};
use std::slice;

use meshlens::Report;
use meshlens::model::Material;
use meshlens::scene::{Attachment, Scene, Socket};
use meshlens_carriers::skeleton::{self, Rigged};
use meshlens_gltf::{Export, Frames, Meshopt, Normals, Options, Texture};

use crate::asset::ml_asset;
use crate::call::{call, check_list, needed_text, text};
use crate::enums::{ml_glb_frames, raw};
use crate::error::ml_error;
use crate::handle;
use crate::memory::Limited;
use crate::options::{Progress, ml_progress_fn, ml_write_fn};
use crate::report::ml_report;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};
use items::{Item, with_scene};
use output::Output;
use texture::find_texture;

/// Finds the texture of a material by its path in the file, and fills `texture`. Returns 0 if the texture was found. It
/// is called on the thread of the call, once for each texture.
pub type ml_find_texture_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, path: *const c_char, texture: *mut ml_texture) -> c_int>;

/// A texture that was found: either `uri` or `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_texture {
    /// The size of the struct in this version of the library.
    pub size: usize,
    /// The relative path of a file next to the output, or NULL. It must stay valid until the next call of the callback,
    /// or until the call that uses it returns.
    pub uri: *const c_char,
    /// The content of a PNG or JPEG file, to be embedded, or NULL. It must stay valid as long as `uri`.
    pub data: *const c_void,
    /// The number of bytes of `data`.
    pub data_size: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_texture {}

/// A flag of ml_glb_opts: show each frame until the next one, without interpolation.
pub const ML_GLB_STEP: u32 = 1;
/// A flag of ml_glb_opts: store positions as the integers of the file, for readers that support KHR_mesh_quantization.
pub const ML_GLB_QUANTIZE: u32 = 2;
/// A flag of ml_glb_opts: write only the normals of the frame at rest. The file has less than half the size.
pub const ML_GLB_BASE_NORMALS: u32 = 4;
/// A flag of ml_glb_opts: compress without loss, for readers that support KHR_meshopt_compression.
pub const ML_GLB_MESHOPT: u32 = 8;
/// A flag of ml_glb_opts: also write the coarser levels of detail of a model (MSFT_lod).
pub const ML_GLB_LODS: u32 = 16;
/// A flag of ml_glb_opts: like ML_GLB_MESHOPT, for older readers, which support EXT_meshopt_compression.
pub const ML_GLB_MESHOPT_EXT: u32 = 32;
/// A flag of ml_glb_opts: leave out the files that belong to a model, such as skins, shaders, coarser levels of detail and
/// animation.cfg. They travel in the extras of its node, and conversions of the glTF file write them again.
pub const ML_GLB_NO_FILES: u32 = 64;
/// A flag of ml_glb_opts: also write the materials of all skins (KHR_materials_variants).
pub const ML_GLB_VARIANTS: u32 = 128;
/// A flag of ml_glb_opts: find a skeleton that moves the vertices as the frames have them, in place of morph targets. All models
/// of the call get one skeleton.
pub const ML_GLB_SKELETON: u32 = 256;

/// Options for writing a glTF file. All zeros are the defaults: every frame, no quantization, the finest level of
/// detail.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_glb_opts {
    /// sizeof(ml_glb_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The name of the first node, or NULL for the one that ml_get_asset_node writes; "model" if it has none.
    pub name: *const c_char,
    /// The frame that the first node shows while no clip plays; 0 for the one that ml_get_asset_node writes.
    pub rest_frame: usize,
    /// The frames to write.
    pub frames: raw::ml_glb_frames,
    /// The sum of flags such as ML_GLB_STEP.
    pub flags: u32,
    /// The first frame, for ML_GLB_FRAMES_RANGE, or the only one, for ML_GLB_FRAMES_ONE.
    pub first_frame: usize,
    /// The last frame, inclusive, for ML_GLB_FRAMES_RANGE.
    pub last_frame: usize,
    /// The name of a clip, for ML_GLB_FRAMES_CLIP.
    pub clip: *const c_char,
    /// The factor of lengths; 0 means 1.
    pub scale: f32,
    /// Further assets, each attached to a tag of an earlier node, or NULL.
    pub nodes: *const ml_glb_node,
    /// The number of further assets.
    pub node_count: usize,
    /// Finds textures, or NULL. With NULL, materials only keep the paths of textures.
    pub find_texture: ml_find_texture_fn,
    /// Passed to `find_texture`.
    pub find_texture_user: *mut c_void,
    /// Called while the output is written, or NULL.
    pub progress: ml_progress_fn,
    /// Passed to `progress`.
    pub progress_user: *mut c_void,
    /// For ML_GLB_SKELETON, the largest root mean square of the distances between vertices and where the frames have them,
    /// in units of the model. No distance is more than eight times as large. 0 means 1/16 for MD3, and 0.25 % of
    /// the height for other models.
    pub skeleton_error: f64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_glb_opts {}

/// An asset that is attached to a tag of an earlier node, such as the weapon of a player.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_glb_node {
    /// The asset.
    pub asset: *const ml_asset,
    /// The name of its first node.
    pub name: *const c_char,
    /// The index of the node that it is attached to. The nodes of the asset of the call come first, as ml_get_asset_node counts
    /// them, then those of each further asset. It must be a node of an earlier asset.
    pub parent: usize,
    /// The index of the tag of that node; ML_NONE leaves the asset at the root.
    pub tag: usize,
    /// The frame that its first node shows while no clip plays; 0 for the one that ml_get_asset_node writes.
    pub rest_frame: usize,
}

/// Writes the scene of an asset as one binary glTF 2.0 file (GLB): all nodes, such as the parts of a player, attached to one another.
/// ml_get_node_asset makes an asset of one of them. `write` is called with the bytes of the file, in order. The files that belong
/// to a model that was opened with them travel in the file, unless ML_GLB_NO_FILES is set. Content of the models
/// that glTF does not keep is listed in a report: if `losses` is not NULL, `*losses` is a new handle on success, to be
/// closed with ml_close_report.
///
/// Cost: O(model) to measure it, and O(output); up to about ten seconds for a skeleton. The output is streamed. Keys, textures
/// and compressed data are held in memory, which is reserved from the memory limit of the asset.
/// Threads: any.
/// Errors: ML_ERROR_CALLBACK, ML_ERROR_CANCELLED, ML_ERROR_MISSING and ML_ERROR_INDEX for a clip or a frame that does
/// not exist, ML_ERROR_LIMIT for more than 4 GiB, ML_ERROR_MEMORY_LIMIT; with ML_GLB_SKELETON, ML_ERROR_UNSUPPORTED for a
/// model that has a skeleton, does not move, or whose vertices no skeleton moves within the distances; those of
/// ml_get_scene_mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_write_glb(
    asset: *const ml_asset,
    opts: *const ml_glb_opts,
    write: ml_write_fn,
    user: *mut c_void,
    losses: *mut *mut ml_report,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        if !losses.is_null() {
            handle::clear(losses)?;
        }
        let write = write.ok_or(Failure::argument("the callback that takes the output is NULL"))?;
        let asset = handle::get(asset)?;
        let opts = sized::read(opts)?;
        let mut items =
            vec![Item { asset, name: text(opts.name)?, attachment: None, rest_frame: opts.rest_frame }];
        for node in nodes(&opts)? {
            let is_attached = node.tag != crate::model::ML_NONE;
            let to = Attachment { node: node.parent, socket: Socket::Tag(node.tag) };
            items.push(Item {
                asset: handle::get(node.asset)?,
                name: Some(needed_text(node.name)?),
                attachment: is_attached.then_some(to),
                rest_frame: node.rest_frame,
            });
        }
        let mut output = Some(Output {
            write,
            user,
            progress: Progress::new(opts.progress, opts.progress_user),
            done: 0,
            total: 0,
            failure: None,
        });
        let mut export = |scene: &Scene<'_>, losses: &Report| match output.take() {
            Some(output) => export(asset.memory(), scene, losses, &opts, output),
            None => Err(Failure::argument("the models are there once")),
        };
        let opened = &mut Report::default();
        let report = with_scene(&items, opts.flags, Scene::default(), opened, &mut export)?;
        if losses.is_null() {
            return Ok(());
        }
        handle::open(losses, report)
    })
}

/// # Safety
///
/// The list of the options is valid.
unsafe fn nodes(opts: &ml_glb_opts) -> Result<&[ml_glb_node]> {
    if opts.node_count == 0 {
        return Ok(&[]);
    }
    check_list(opts.nodes, opts.node_count, "the list of nodes is NULL or not aligned")?;
    if opts.node_count > MOST_NODES {
        return Err(Failure::argument("there are more than 64 further assets"));
    }
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { slice::from_raw_parts(opts.nodes, opts.node_count) })
}

/// The largest number of further assets in a glTF file.
const MOST_NODES: usize = 64;

/// # Safety
///
/// The pointers of the options are valid.
unsafe fn export(
    memory: &Limited,
    scene: &Scene<'_>,
    opened: &Report,
    opts: &ml_glb_opts,
    mut output: Output,
) -> Result<ml_report> {
    // SAFETY: guaranteed by the caller.
    let frames = unsafe { frames(opts)? };
    if opts.flags & !ALL_FLAGS != 0 {
        return Err(Failure::argument("the options have flags that are not known"));
    }
    let is_set = |flag: u32| opts.flags & flag != 0;
    let fault = Cell::new(None);
    let textures = |material: &Material| {
        // SAFETY: guaranteed by the caller.
        let found = unsafe { find_texture(opts, material, &memory.budget) };
        found.unwrap_or_else(|failure| {
            fault.set(Some(failure));
            None
        })
    };
    let options = Options {
        frames,
        step: is_set(ML_GLB_STEP),
        quantize: is_set(ML_GLB_QUANTIZE),
        normals: if is_set(ML_GLB_BASE_NORMALS) { Normals::Base } else { Normals::All },
        meshopt: match () {
            () if is_set(ML_GLB_MESHOPT_EXT) => Some(Meshopt::Ext),
            () => is_set(ML_GLB_MESHOPT).then_some(Meshopt::Khr),
        },
        lods: is_set(ML_GLB_LODS),
        compact_joints: is_set(ML_GLB_SKELETON),
        scale: if opts.scale == 0.0 { 1.0 } else { opts.scale },
        textures: opts.find_texture.map(|_| &textures as &dyn Fn(&Material) -> Option<Texture>),
        budget: Some(&memory.budget),
        ..Options::default()
    };
    let rigged = skeleton(memory, scene, opts)?;
    let export = Export::plan(rigged.as_ref().map_or(scene, |rigged| &rigged.scene), &options)?;
    if let Some(failure) = fault.take() {
        return Err(failure);
    }
    // Measuring writes the document an additional time.
    output.total = if output.progress.is_none() { 0 } else { export.glb_len() };
    let mut buffer = BufWriter::with_capacity(BUFFER, &mut output);
    let written = export.write_glb(&mut buffer).map(|_| ()).and_then(|()| Ok(buffer.flush()?));
    // After a failure, the content of the buffer is not written.
    let (output, _) = buffer.into_parts();
    match (written, output.failure.take()) {
        (Ok(()), None) => output.progress.report(output.done, output.total)?,
        (_, Some(failure)) => return Err(failure),
        (Err(error), None) => return Err(error.into()),
    }
    let mut losses = export.losses().clone();
    losses.append(opened.clone());
    ml_report::new(&losses, memory)
}

/// The number of bytes that are collected before they are passed on.
const BUFFER: usize = 64 << 10;

const ALL_FLAGS: u32 = ML_GLB_STEP
    | ML_GLB_QUANTIZE
    | ML_GLB_BASE_NORMALS
    | ML_GLB_MESHOPT
    | ML_GLB_LODS
    | ML_GLB_MESHOPT_EXT
    | ML_GLB_NO_FILES
    | ML_GLB_VARIANTS
    | ML_GLB_SKELETON;

/// The scene as one model with a skeleton, if the options ask for it.
fn skeleton(memory: &Limited, scene: &Scene<'_>, opts: &ml_glb_opts) -> Result<Option<Rigged>> {
    if opts.flags & ML_GLB_SKELETON == 0 {
        return Ok(None);
    }
    let error = opts.skeleton_error;
    if !(error.is_finite() && error >= 0.0) {
        return Err(Failure::argument("the distances of a skeleton are not positive and finite"));
    }
    let error = Some(error).filter(|error| *error > 0.0);
    let options = skeleton::Options { error, budget: Some(&memory.budget) };
    Ok(Some(skeleton::skeleton(scene, &options)?))
}

/// # Safety
///
/// The pointers of the options are valid.
unsafe fn frames(opts: &ml_glb_opts) -> Result<Frames<'_>> {
    use ml_glb_frames::*;
    match ml_glb_frames::of(opts.frames) {
        Some(ML_GLB_FRAMES_ALL) => Ok(Frames::All),
        Some(ML_GLB_FRAMES_RANGE) => Ok(Frames::Range(opts.first_frame, opts.last_frame)),
        Some(ML_GLB_FRAMES_ONE) => Ok(Frames::One(opts.first_frame)),
        // SAFETY: guaranteed by the caller.
        Some(ML_GLB_FRAMES_CLIP) => Ok(Frames::Clip(unsafe { needed_text(opts.clip)? })),
        None => Err(Failure::argument("there is no such choice of frames")),
    }
}
