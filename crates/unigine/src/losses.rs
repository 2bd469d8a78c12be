//! The content of a UNIGINE mesh that no conversion keeps.

use alloc::vec::Vec;
use core::fmt;

use meshlens_lens::Bounds;
use meshlens_wire::{Name, Report};

use crate::{BoundingVolume, Mesh, codes};

/// Adds findings for content that other formats cannot store: the settings of light maps, and enlarged bounds. Edges and
/// spatial trees are not reported, because engines compute them from the triangles. O(file), and unpacks geometry.
pub fn losses(mesh: &Mesh<'_>, losses: &mut Report) {
    let (mut buffer, mut whole) = (Vec::new(), None::<Bounds>);
    for surface in mesh.surfaces() {
        let (index, name) = (surface.index(), surface.name());
        if let Some([channel, resolution]) = surface.lightmap().filter(|lightmap| *lightmap != [0; 2]) {
            let message =
                format_args!("surface {name}: its lightmap's channel {channel} and resolution {resolution}");
            losses.lose(&codes::LIGHTMAP_LOST, 1, format_args!("/surfaces/{index}"), message);
        }
        // What cannot be unpacked has been an error before.
        let Ok(geometry) = surface.geometry(&mut buffer) else { continue };
        let own = Bounds::around(geometry.targets().flat_map(|target| target.positions.iter()));
        bounds(&surface.bounds(), own, name, format_args!("/surfaces/{index}/bounds"), losses);
        whole = whole.into_iter().chain(own).reduce(|a, b| a.union(&b));
    }
    bounds(&mesh.bounds(), whole, Name::new(b"all"), format_args!("/bounds"), losses);
}

fn bounds(
    stored: &BoundingVolume,
    own: Option<Bounds>,
    name: Name<'_>,
    pointer: fmt::Arguments<'_>,
    losses: &mut Report,
) {
    let is_exceeded = |own: Bounds| own.is_exceeded_by(&stored.bounds, stored.center, stored.radius);
    if !stored.is_empty() && own.is_some_and(is_exceeded) {
        let message = format_args!("bounds of surface {name}, larger than its vertices");
        losses.lose(&codes::BOUNDS_LOST, 1, pointer, message);
    }
}
