//! The content of an asset: its nodes, its files, and the files that were looked up.

use std::ffi::c_char;

use meshlens::Report;
use meshlens::scene::Socket;

use crate::asset::ml_asset;
use crate::call::{at, call, check_index};
use crate::error::ml_error;
use crate::handle;
use crate::model::or_none;
use crate::report::ml_report;
use crate::result::{Failure, ml_result};
use crate::sized::{self, Growing};

/// The content of an asset.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_info {
    /// sizeof(ml_asset_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The files of the model in the form that users write, such as "pak0.pk3!models/x.md3". Valid until
    /// ml_close, like every text of an asset.
    pub name: *const c_char,
    /// The number of nodes: 1, or the nodes of a player.
    pub node_count: usize,
    /// The number of files that the asset was made from.
    pub file_count: usize,
    /// The number of files that were looked up.
    pub lookup_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_info {}

/// Writes the content of an asset.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_info(
    asset: *const ml_asset,
    info: *mut ml_asset_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let written = match handle::get(asset)?.found() {
            Some(asset) => ml_asset_info {
                size: 0,
                name: asset.texts.get(asset.name),
                node_count: asset.nodes.len(),
                file_count: asset.files.len(),
                lookup_count: asset.lookups.len(),
            },
            None => {
                ml_asset_info { size: 0, name: c"".as_ptr(), node_count: 1, file_count: 0, lookup_count: 0 }
            }
        };
        sized::write(info, written)
    })
}

/// One model of an asset: the only one, or a node of a player.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_node {
    /// sizeof(ml_asset_node), or 0 for the first version of the struct.
    pub size: usize,
    /// The name of its file without the extension.
    pub name: *const c_char,
    /// The path of its file in the mounts.
    pub path: *const c_char,
    /// The index of the node that it is attached to, or ML_NONE.
    pub parent: usize,
    /// The index of the tag of that node's model, or ML_NONE.
    pub tag: usize,
    /// The frame to show while no clip plays.
    pub rest_frame: usize,
    /// The number of coarser levels of detail.
    pub lod_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_node {}

/// Writes the properties of a node of an asset.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_node(
    asset: *const ml_asset,
    index: usize,
    node: *mut ml_asset_node,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let (name, path, found) = match handle::get(asset)?.found() {
            Some(asset) => {
                let names = at(&asset.nodes, "node", index)?;
                let found = asset.whole().and_then(|whole| whole.scene().nodes.get(index));
                (asset.texts.get(names.name), asset.texts.get(names.path), found)
            }
            None => {
                check_index("node", index, 1)?;
                (c"".as_ptr(), c"".as_ptr(), None)
            }
        };
        let attachment = found.and_then(|node| node.attachment);
        let tag = attachment.and_then(|at| match at.socket {
            Socket::Tag(tag) => Some(tag),
            Socket::Joint(_) => None,
        });
        let written = ml_asset_node {
            size: 0,
            name,
            path,
            parent: or_none(attachment.map(|at| at.node)),
            tag: or_none(tag),
            rest_frame: found.map_or(0, |node| node.rest_frame),
            lod_count: found.map_or(0, |node| node.lods.len()),
        };
        sized::write(node, written)
    })
}

/// A file that an asset was made from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_file {
    /// sizeof(ml_asset_file), or 0 for the first version of the struct.
    pub size: usize,
    /// The file in the form that users write.
    pub name: *const c_char,
    /// Its path in its mount.
    pub path: *const c_char,
    /// The name of the rule by which it was found, such as "Skin".
    pub rule: *const c_char,
    /// The number of bytes.
    pub byte_count: u64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_file {}

/// Writes a file that an asset was made from, in the order in which the files were read.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_file(
    asset: *const ml_asset,
    index: usize,
    file: *mut ml_asset_file,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let asset = handle::get(asset)?.found().ok_or_else(|| Failure::index("file", index, 0))?;
        let found = at(&asset.files, "file", index)?;
        let written = ml_asset_file {
            size: 0,
            name: asset.texts.get(found.name),
            path: asset.texts.get(found.path),
            rule: asset.texts.get(found.rule),
            byte_count: found.len,
        };
        sized::write(file, written)
    })
}

/// A file that was looked up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_asset_lookup {
    /// sizeof(ml_asset_lookup), or 0 for the first version of the struct.
    pub size: usize,
    /// The path that was looked up.
    pub path: *const c_char,
    /// The name of the rule.
    pub rule: *const c_char,
    /// The file in the form that users write, or NULL if no mount has it.
    pub found: *const c_char,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_asset_lookup {}

/// Writes a file that was looked up, in order, found or not.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such lookup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_lookup(
    asset: *const ml_asset,
    index: usize,
    lookup: *mut ml_asset_lookup,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let asset = handle::get(asset)?.found().ok_or_else(|| Failure::index("lookup", index, 0))?;
        let found = at(&asset.lookups, "lookup", index)?;
        let written = ml_asset_lookup {
            size: 0,
            path: asset.texts.get(found.path),
            rule: asset.texts.get(found.rule),
            found: asset.texts.get_if(found.found),
        };
        sized::write(lookup, written)
    })
}

/// Writes a report on the files of an asset and how they fit together: clips without frames, bones that do not match,
/// textures that were not found. ml_validate reports on the content of the files. On success, `*report` is a new handle,
/// to be closed with ml_close_report; otherwise it is NULL.
///
/// Cost: O(findings). For an asset of ml_get_loaded_asset, that of ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_asset_report(
    asset: *const ml_asset,
    report: *mut *mut ml_report,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(report)?;
        let asset = handle::get(asset)?;
        let made = match asset.is_opened_by_name() {
            true => asset.with_scene(|_, found| ml_report::new(found, asset.memory()))?,
            false => ml_report::new(&Report::default(), asset.memory())?,
        };
        handle::open(report, made)
    })
}

/// Makes an asset of one node of an asset. `lod` is 0 for the node itself, otherwise the number of a coarser level of
/// detail; 1 is the finest of those. It shares the bytes of the asset, and stays open when the asset is closed.
/// Its model has the clips, materials and animations that were found. Its arrays are the arrays of the node's own file; a node
/// of an imported asset (glTF) has none.
///
/// On success, `*of_node` is a new handle, to be closed with ml_close; otherwise it is NULL.
///
/// Cost: O(headers and names).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such node or lod, ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_node_asset(
    asset: *const ml_asset,
    node: usize,
    lod: usize,
    of_node: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(of_node)?;
        let asset = handle::get(asset)?;
        let file = match asset.found() {
            Some(found) => found.model(node, lod)?,
            None if (node, lod) == (0, 0) => asset.file()?.share(),
            None => return Err(Failure::index("node", node.max(lod), 1)),
        };
        handle::open(of_node, file.into())
    })
}
