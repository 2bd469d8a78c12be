//! A small file for examples.

use alloc::vec::Vec;

use meshlens_wire::Result;

use super::{Frame, Model, Surface};

/// A file for the examples of this workspace: a flag of one triangle, whose third vertex is `up[frame]` units above the first.
/// Not public API.
pub fn sample(up: &[f32]) -> Result<Vec<u8>> {
    let mut file = Model::new("flag")?;
    let mut surface = Surface::new("flag")?;
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for up in up {
        file.frames.push(Frame::named("wave")?);
        surface.add_frame(&[[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, *up]], &[[1.0, 0.0, 0.0]; 3])?;
    }
    file.surfaces.push(surface);
    file.write()
}
