//! Splits surfaces that have more vertices or triangles than an engine accepts.

use alloc::vec::Vec;

use meshlens_wire::Result;

use super::{Model, Surface};

impl Model {
    /// Splits every surface that has more than `vertices` vertices or `triangles` triangles. The parts have the name and the
    /// shaders of the surface, so that skins still apply, and its triangles in the same order. Vertices without triangles are
    /// omitted. Returns the number of surfaces that were split. `vertices` is at least 3, and `triangles` at least 1.
    /// O(size of the file).
    ///
    /// ```
    /// use meshlens_md3::{Md3, write};
    ///
    /// let mut model = write::Model::try_from(&Md3::parse(&write::sample(&[8.0])?)?)?;
    /// let first = model.surfaces[0].triangles[0];
    /// model.surfaces[0].triangles.push(first);
    /// assert_eq!((model.split_surfaces(999, 1)?, model.surfaces.len()), (1, 2));
    /// # Ok::<(), meshlens_md3::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A vertex index is out of range, or the lengths of arrays do not match.
    pub fn split_surfaces(&mut self, vertices: usize, triangles: usize) -> Result<usize> {
        let (vertices, triangles) = (vertices.max(3), triangles.max(1));
        let mut split = 0;
        let mut surfaces = Vec::with_capacity(self.surfaces.len());
        for surface in core::mem::take(&mut self.surfaces) {
            if surface.texcoords.len() <= vertices && surface.triangles.len() <= triangles {
                surfaces.push(surface);
                continue;
            }
            surface.header()?;
            surface.split_into(vertices, triangles, &mut surfaces);
            split += 1;
        }
        self.surfaces = surfaces;
        Ok(split)
    }
}

impl Surface {
    /// Adds the parts of this surface, whose arrays are checked.
    fn split_into(&self, vertices: usize, triangles: usize, parts: &mut Vec<Surface>) {
        let mut numbers: Vec<Option<u32>> = alloc::vec![None; self.texcoords.len()];
        let (mut used, mut part) = (Vec::new(), Vec::new());
        for triangle in &self.triangles {
            let is_new = |vertex: &&u32| {
                numbers.get(**vertex as usize).is_some_and(|number: &Option<u32>| number.is_none())
            };
            let new = triangle.iter().filter(is_new).count();
            if used.len() + new > vertices || part.len() == triangles {
                for vertex in &used {
                    if let Some(number) = numbers.get_mut(*vertex as usize) {
                        *number = None;
                    }
                }
                parts.push(self.part(&core::mem::take(&mut used), core::mem::take(&mut part)));
            }
            part.push(triangle.map(|vertex| {
                // The index is checked.
                let Some(number) = numbers.get_mut(vertex as usize) else { return 0 };
                *number.get_or_insert_with(|| {
                    used.push(vertex);
                    // There are at most as many vertices as in the surface.
                    used.len() as u32 - 1
                })
            }));
        }
        parts.push(self.part(&used, part));
    }

    /// The part with these vertices of the surface.
    fn part(&self, used: &[u32], triangles: Vec<[u32; 3]>) -> Surface {
        let pick = |vertex: &u32| self.texcoords.get(*vertex as usize).copied().unwrap_or_default();
        let frames = (0..self.frame_count as usize).map(|frame| self.frame(frame));
        let vertices =
            frames.flat_map(|frame| used.iter().filter_map(|vertex| frame.get(*vertex as usize)).copied());
        Surface {
            name: self.name,
            flags: self.flags,
            frame_count: self.frame_count,
            shaders: self.shaders.clone(),
            triangles,
            texcoords: used.iter().map(pick).collect(),
            vertices: vertices.collect(),
        }
    }
}
