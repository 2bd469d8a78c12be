//! Parses the JSON and the chunks of a file.

use meshlens::wire::{ErrorKind, is_git_lfs_pointer};

use super::document::{Document, Header};
use super::memory::Memory;
use super::{broken, instances, json, split};
use crate::Error;

/// Extensions that a document may require: they are read, or they do not affect models.
const KNOWN: [&str; 7] = [
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_quantization",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "MSFT_texture_dds",
];

/// The prefixes of more such extensions: of materials, and of formats of images.
const KNOWN_PREFIXES: [&str; 4] = ["KHR_materials_", "EXT_materials_", "KHR_texture_", "EXT_texture_"];

/// Parses a document. Returns it and the binary chunk of a GLB.
pub(super) fn parse<'b>(bytes: &'b [u8], memory: &mut Memory) -> Result<(Document, Option<&'b [u8]>), Error> {
    if is_git_lfs_pointer(bytes) {
        return Err(broken(format_args!("{}", ErrorKind::GitLfsPointer)));
    }
    let (text, blob) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    memory.charge_records(text)?;
    let Header { asset, extensions_required } = json::read(text)?;
    if !asset.version.starts_with("2.") {
        return Err(broken(format_args!(
            "/asset/version: expected version 2.0, found {:?}",
            asset.version.chars().take(32).collect::<String>()
        )));
    }
    let is_known =
        |name: &str| KNOWN.contains(&name) || KNOWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if let Some(unknown) = extensions_required.into_iter().find(|name| !is_known(name)) {
        return Err(Error::Extension { name: unknown });
    }
    let mut document: Document = json::read(text)?;
    document.check()?;
    document.joined = split::join(&mut document, memory)?;
    instances::expand(&mut document, memory)?;
    Ok((document, blob))
}

/// The chunks of a GLB: the JSON, and the binary chunk if there is one.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Error> {
    let field = |at: usize| -> Result<usize, Error> {
        let field = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
        let field = field.ok_or_else(|| broken(format_args!("the file ends at {at}, inside a header")))?;
        Ok(u32::from_le_bytes(*field) as usize)
    };
    if field(4)? != 2 {
        return Err(broken(format_args!("at 4: expected version 2, found {}", field(4)?)));
    }
    let chunk = |at: usize| -> Result<(&[u8], &[u8], usize), Error> {
        let (len, kind) = (field(at)?, bytes.get(at + 4..at + 8));
        let body = at + 8;
        let content = bytes.get(body..body.saturating_add(len));
        match (kind, content) {
            (Some(kind), Some(content)) => Ok((kind, content, body + len)),
            _ => Err(broken(format_args!("at {at}: a chunk of {len} bytes ends past the file"))),
        }
    };
    let (kind, text, mut next) = chunk(12)?;
    if kind != b"JSON" {
        return Err(broken("at 16: expected a chunk of JSON first"));
    }
    // Chunks of unknown types are skipped (glTF 2.0: 4.4.3.1).
    while next < bytes.len() {
        let (kind, content, end) = chunk(next)?;
        if kind == b"BIN\0" {
            return Ok((text, Some(content)));
        }
        next = end;
    }
    Ok((text, None))
}
