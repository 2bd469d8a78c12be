//! The textures, written row by row.

use std::io::Write;

use meshlens::model::Semantic;
use meshlens::scene::Pose;

use super::{Vat, movement};
use crate::Error;
use crate::timeline::{Replaced, has_normals};

impl Vat<'_, '_> {
    /// Writes the movements as a PNG of three channels of 16 bits. O(vertices x frames).
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write_positions(&self, out: &mut dyn Write) -> Result<(), Error> {
        self.write(Semantic::Position, out)
    }

    /// Writes the normals as a PNG of three channels of 8 bits. Meshes without normals have texels of 0. O(vertices x frames).
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write_normals(&self, out: &mut dyn Write) -> Result<(), Error> {
        self.write(Semantic::Normal, out)
    }

    fn write(&self, kind: Semantic, out: &mut dyn Write) -> Result<(), Error> {
        let (width, height) = self.size();
        let mut encoder = png::Encoder::new(out, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        let depth = if kind == Semantic::Position { png::BitDepth::Sixteen } else { png::BitDepth::Eight };
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().map_err(failed)?;
        let mut writer = writer.stream_writer().map_err(failed)?;
        let (mut pose, mut values, mut bytes) = (Pose::default(), Vec::new(), Vec::new());
        let blocks = self.vertices().div_ceil(width);
        for row in 0..height {
            let (block, frame) = (row / self.frames(), row % self.frames());
            bytes.clear();
            if block < blocks {
                self.timeline.pose_into(frame, &mut pose)?;
                self.row(kind, block * width..(block + 1) * width, &pose, &mut values, &mut bytes)?;
            }
            bytes.resize(width * if kind == Semantic::Position { 6 } else { 3 }, 0);
            writer.write_all(&bytes)?;
        }
        writer.finish().map_err(failed)
    }

    /// Appends the texels of some vertices.
    fn row(
        &self,
        kind: Semantic,
        wanted: std::ops::Range<usize>,
        pose: &Pose,
        values: &mut Vec<[f32; 3]>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Error> {
        // Values that are replaced were counted before.
        let mut replaced = Replaced::default();
        for (mesh, start) in self.meshes.iter().zip(&self.starts) {
            let end = start + mesh.vertex_count();
            let own = wanted.start.max(*start)..wanted.end.min(end);
            if own.is_empty() {
                continue;
            }
            let base = self.base.get(own.clone()).unwrap_or_default();
            if kind == Semantic::Normal && !has_normals(mesh)? {
                bytes.extend(std::iter::repeat_n(0, 3 * own.len()));
                continue;
            }
            replaced.read(kind, mesh, pose, values)?;
            let [min, max] = self.bounds;
            for (value, base) in values.iter().skip(own.start - start).zip(base) {
                if kind == Semantic::Position {
                    let moved = movement(*value, *base);
                    for (axis, value) in moved.into_iter().enumerate() {
                        let range = f64::from(max[axis]) - f64::from(min[axis]);
                        let share =
                            if range > 0.0 { (f64::from(value) - f64::from(min[axis])) / range } else { 0.0 };
                        bytes.extend(((share * 65535.0).round() as u16).to_be_bytes());
                    }
                } else {
                    let texels = movement(*value, [0.0; 3]).map(|axis| (axis * 0.5 + 0.5) * 255.0);
                    bytes.extend(texels.map(|texel| texel.round() as u8));
                }
            }
        }
        Ok(())
    }
}

fn failed(error: png::EncodingError) -> Error {
    match error {
        png::EncodingError::IoError(error) => Error::Io(error),
        error => Error::Io(std::io::Error::other(error)),
    }
}
