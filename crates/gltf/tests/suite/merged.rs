//! Imports of files as one model.

use meshlens::import::{Read, Roots};
use meshlens::{Model, Report};
use meshlens_gltf::{Error, ImportOptions};

/// Imports a file as one model.
pub(crate) fn import(
    bytes: &[u8],
    options: &ImportOptions,
    read: &Read<'_>,
) -> Result<(Model<'static>, Report), Error> {
    let options = ImportOptions { roots: Roots::Merged, ..*options };
    let (mut scene, losses) = meshlens_gltf::import(bytes, &options, read)?;
    assert_eq!(scene.nodes.len(), 1);
    Ok((scene.nodes.remove(0).model, losses))
}
