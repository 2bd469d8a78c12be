//! The first step of a parse: locates each part from header bytes alone, for either version.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use meshlens_wire::{Data, Limits, Pieces, Result};

use crate::header::{FileHeader, Version};
use crate::parts::{MeshParts, MeshSlot, Parts};
use crate::{FORMAT, v1, v2};

/// Options of parsing.
///
/// ```
/// use meshlens_u3d::{ParseOptions, wire::Limits};
///
/// let options = ParseOptions { limits: Limits { count: 64, ..Limits::DEFAULT } };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// The limits on the cost of parsing.
    pub limits: Limits,
}

impl From<Limits> for ParseOptions {
    fn from(limits: Limits) -> Self {
        ParseOptions { limits }
    }
}

impl Parts {
    /// Locates the parts of a file of `file_len` bytes whose first bytes are `prefix`.
    ///
    /// Reads headers and the small fields between arrays, skips arrays, and allocates one entry for each mesh, material
    /// and bone. Records of variable size (texture paths, actions) are walked once, without an entry for each.
    ///
    /// # Errors
    ///
    /// Same as [`U3d::parse`](crate::U3d::parse); [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) if a field lies
    /// after the prefix. The error has the number of bytes that are needed.
    pub fn locate(prefix: &[u8], file_len: u64, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(Data::prefix(FORMAT, prefix, file_len), options)
    }

    /// Like [`locate`](Self::locate), from any pieces of the file. Only the bytes between the arrays are needed,
    /// regardless of the size of the arrays.
    ///
    /// # Errors
    ///
    /// Same as [`locate`](Self::locate). [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) has the offset of the first byte
    /// that is needed.
    pub fn locate_pieces(pieces: &dyn Pieces, options: &ParseOptions) -> Result<Parts> {
        Self::locate_in(Data::of_pieces(FORMAT, pieces), options)
    }

    pub(crate) fn locate_in(data: Data<'_>, options: &ParseOptions) -> Result<Parts> {
        let file = FileHeader::read_in(data)?;
        file.check_readable(data)?;
        let mut parts = match file.version {
            Version::V1 => v1::locate(data, &options.limits)?,
            Version::V2 { .. } => v2::locate(data, &file, &options.limits)?,
        };
        parts.materials.sort_unstable_by_key(|material| (material.index, material.offset));
        parts.bones.sort_unstable_by_key(|bone| (bone.index, bone.offset));
        parts.sort_meshes();
        Ok(parts)
    }

    /// Sorts the meshes by place. O(n log n).
    fn sort_meshes(&mut self) {
        // Both versions count meshes with at most 32 bits.
        self.by_place = (0u32..).zip(&self.meshes).map(|(index, _)| index).collect();
        let place = |meshes: &[MeshParts], index: u32| meshes.get(index as usize).map(MeshParts::place);
        if self.header.version.is_v1() {
            // Version 1.0 does not store the number of a mesh in its frame: meshes are counted in file order.
            let frame = |place: Option<MeshSlot>| place.map(|(lod, _, frame)| (lod, frame));
            let meshes = &self.meshes;
            self.by_place.sort_unstable_by_key(|index| (frame(place(meshes, *index)), *index));
            let mut previous = None;
            let mut number = 0u32;
            for index in &self.by_place {
                let Some(mesh) = self.meshes.get_mut(*index as usize) else { continue };
                let frame = (mesh.lod_index, mesh.frame);
                // The number of meshes fits 32 bits.
                number = if previous == Some(frame) { number.saturating_add(1) } else { 0 };
                previous = Some(frame);
                mesh.mesh_in_frame = number;
            }
        }
        let meshes = &self.meshes;
        self.by_place.sort_unstable_by_key(|index| (place(meshes, *index), *index));
        let in_order = (0u32..).zip(&self.meshes).filter(|(_, mesh)| mesh.frame == 0);
        self.first_frame = in_order.map(|(index, _)| index).collect();
    }
}
