//! The counts of a document.

/// The counts of a document, with the same names for every format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Summary {
    /// The number of vertex frames, or of frames of bones.
    pub frames: u64,
    /// The number of surfaces or meshes.
    pub surfaces: u64,
    /// The number of vertices in one frame, over all surfaces.
    pub vertices: u64,
    /// The number of triangles, over all surfaces.
    pub triangles: u64,
    /// The number of tags or bones.
    pub tags: u64,
}

impl Summary {
    /// The counts of two files that belong together, such as the parts of a player: the larger number of frames, and the sums
    /// of the others.
    #[must_use]
    pub fn and(self, other: Summary) -> Summary {
        Summary {
            frames: self.frames.max(other.frames),
            surfaces: self.surfaces.saturating_add(other.surfaces),
            vertices: self.vertices.saturating_add(other.vertices),
            triangles: self.triangles.saturating_add(other.triangles),
            tags: self.tags.saturating_add(other.tags),
        }
    }

    /// The sum of a count over the parts of a document. It saturates only for a hostile file.
    #[allow(dead_code, reason = "a format of this build may have one part")]
    pub(crate) fn sum<T>(parts: impl Iterator<Item = T>, count: impl Fn(T) -> usize) -> u64 {
        parts.fold(0, |sum, part| sum.saturating_add(count(part) as u64))
    }
}
