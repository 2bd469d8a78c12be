//! The content of a UNIGINE mesh that no conversion keeps.

use meshlens_wire::Report;

use crate::{Mesh, codes};

/// Adds a finding for content that other formats cannot store: the settings of light maps. Edges and spatial trees are
/// not reported, because engines compute them from the triangles. O(surfaces).
pub fn losses(mesh: &Mesh<'_>, losses: &mut Report) {
    for surface in mesh.surfaces() {
        if let Some([channel, resolution]) = surface.lightmap().filter(|lightmap| *lightmap != [0; 2]) {
            let (index, name) = (surface.index(), surface.name());
            let message =
                format_args!("surface {name}: its lightmap's channel {channel} and resolution {resolution}");
            losses.lose(&codes::LIGHTMAP_LOST, 1, format_args!("/surfaces/{index}"), message);
        }
    }
}
