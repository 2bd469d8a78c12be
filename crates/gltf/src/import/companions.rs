//! What belongs to the models of a document and is not in them: files in the extras of their nodes, and variants of materials.

use std::collections::HashMap;

use meshlens::Report;
use meshlens::model::{Material, Model};
use meshlens::scene::{Companion, CompanionKind, Variant};

use super::buffers::Buffers;
use super::scene::Scene;
use crate::json::Mapping;
use crate::memory::ROOM;
use crate::{Error, codes};

/// The files of the models of a scene, each once.
pub(super) fn files(
    scene: &Scene<'_>,
    buffers: &Buffers<'_>,
    losses: &mut Report,
) -> Result<Vec<Companion>, Error> {
    let mut files: Vec<Companion> = Vec::new();
    let mut known: HashMap<(CompanionKind, String), usize> = HashMap::new();
    for (index, node) in scene.nodes() {
        let of = scene.name(index);
        for file in node.frames.iter().flat_map(|frames| &frames.files) {
            buffers.spend(1, ROOM * size_of::<(Companion, String)>() + of.len() + file.cost())?;
            let read = file.read(of).and_then(|file| {
                match known.get(&(file.kind, file.name.clone())).and_then(|at| files.get(*at)) {
                    None => {
                        known.insert((file.kind, file.name.clone()), files.len());
                        Ok(Some(file))
                    }
                    Some(earlier) if earlier.bytes == file.bytes => Ok(None),
                    Some(_) => Err("one file of this name"),
                }
            });
            match read {
                Ok(file) => files.extend(file),
                Err(expected) => {
                    let message = format_args!("node {of}: file {}: expected {expected}", file.title());
                    losses.lose(&codes::EXTRAS_FILE_LOST, 1, format_args!("node {of}"), message);
                }
            }
        }
    }
    Ok(files)
}

/// The variants of the materials of the meshes of a model, which are the visible primitives of a scene in order.
pub(super) fn variants(
    scene: &Scene<'_>,
    buffers: &Buffers<'_>,
    model: &Model<'_>,
    materials: &[Material],
    losses: &mut Report,
) -> Result<Vec<Variant>, Error> {
    let names = &scene.document.extensions.variants.variants;
    let primitives = || {
        let all = scene.shown_meshes().flat_map(|(_, mesh, _)| &mesh.primitives);
        all.filter(|primitive| primitive.mode.is_triangles())
    };
    let maps = || primitives().map(|primitive| &primitive.extensions.variants.mappings);
    if names.is_empty() || maps().all(Vec::is_empty) {
        return Ok(Vec::new());
    }
    if primitives().count() != model.meshes.len() {
        let count = names.len();
        let message = format_args!("{count} variants of materials; the model has other meshes than the file");
        losses.lose(&meshlens::codes::VARIANT_LOST, count as u64, format_args!(""), message);
        return Ok(Vec::new());
    }
    let meshes = model.meshes.len();
    buffers.spend(names.len().saturating_mul(meshes), size_of::<Option<Material>>())?;
    let mut all = Vec::new();
    for variant in names {
        buffers.spend(1, ROOM * size_of::<Variant>() + variant.name.len())?;
        all.push(Variant { name: variant.name.clone(), materials: vec![None; meshes] });
    }
    for (mesh, mappings) in maps().enumerate() {
        for Mapping { material, variants } in mappings {
            let Some(material) = materials.get(*material) else { continue };
            let len = material.name.len() + material.texture.as_ref().map_or(0, String::len);
            for variant in variants {
                if let Some(slot) = all.get_mut(*variant).and_then(|variant| variant.materials.get_mut(mesh))
                {
                    buffers.spend(1, len)?;
                    *slot = Some(material.clone());
                }
            }
        }
    }
    all.retain(|variant| variant.materials.iter().any(Option::is_some));
    Ok(all)
}
