//! Locates the parts of Ultimate 3D. Each frame and level of detail has its own meshes. The meshes of frame 0 are the
//! meshes of a model.

use alloc::boxed::Box;

use meshlens_lens::ArrayParts;
use meshlens_u3d::{BoneParts, MeshParts, Parts, U3d};
use meshlens_wire::{Partial, PieceList, Pieces, Result, Span};

use super::SETS;
use crate::formats::{Document, Format, FormatParts, PartList, one_file};
use crate::part::{Part, PartInfo};

/// The size of the file header of version 2.0, with the header of its chunk.
const FILE_HEADER: u64 = 41;

impl FormatParts for Parts {
    fn format(&self) -> Format {
        Format::U3d
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(Parts::arrays(self))
    }

    fn bind(self, bytes: &[u8]) -> Result<Document<'_>> {
        Ok(U3d::bind(self, bytes)?.into())
    }
}

/// The parts as a document without bytes, which resolves the data that meshes borrow from each other.
fn document<'a>(parts: &'a Parts, nothing: &'a PieceList<'a>) -> Option<U3d<'a, Partial>> {
    // Binding only checks the length of the file, which is the same.
    U3d::bind_pieces(parts, nothing).ok()
}

/// The index in the file of a mesh of the model.
fn file_index(parts: &Parts, mesh: usize) -> Option<usize> {
    parts.first_frame().get(mesh).map(|index| *index as usize)
}

/// The mesh that a frame shows instead of a mesh of the model.
fn frame_mesh(parts: &Parts, mesh: usize, frame: usize) -> Option<&MeshParts> {
    let first = parts.meshes().get(file_index(parts, mesh)?)?;
    if frame == 0 {
        return Some(first);
    }
    if !parts.bones().is_empty() {
        return None;
    }
    let (lod, frame) = (first.lod_index().unwrap_or(0), u32::try_from(frame).ok()?);
    let found = parts.meshes().get(parts.mesh_at(lod, first.mesh_in_frame(), frame)?)?;
    (found.positions().count() == first.positions().count()).then_some(found)
}

/// The bytes of a bone without its keys.
fn without_keys(info: PartInfo, bone: &BoneParts) -> PartInfo {
    let chunk = bone.byte_range();
    let mut keys = [bone.scaling_keys(), bone.translation_keys(), bone.rotation_keys()];
    keys.sort_unstable_by_key(Span::offset);
    let keys = keys.into_iter().filter(|keys| !keys.is_empty()).map(|keys| keys.byte_range());
    let (info, rest) = keys.fold((info, chunk.start), |(info, at), keys| {
        let bytes = keys.start.saturating_sub(at);
        (info.with(0, at..keys.start, bytes), keys.end)
    });
    info.with(0, rest..chunk.end, chunk.end.saturating_sub(rest))
}

impl PartList for Parts {
    fn mesh_count(&self) -> usize {
        self.first_frame().len()
    }

    fn lod(&self, mesh: usize) -> usize {
        let found = file_index(self, mesh).and_then(|index| self.meshes().get(index));
        found.and_then(MeshParts::lod_index).unwrap_or(0) as usize
    }

    /// O(frames log meshes).
    fn frame_count(&self, mesh: usize) -> usize {
        let most = if self.bones().is_empty() { self.header().frames as usize } else { 1 };
        (0..most.max(1)).take_while(|frame| frame_mesh(self, mesh, *frame).is_some()).count()
    }

    fn clip_count(&self) -> usize {
        usize::from(!self.bones().is_empty())
    }

    fn find(&self, part: Part) -> Option<PartInfo> {
        let info = PartInfo::new(part);
        let nothing = PieceList::empty(self.file_len());
        let mesh = |mesh: u32| file_index(self, mesh as usize);
        match part {
            Part::Header => {
                let fields = self.header().fields();
                let front = if self.header().version.is_v1() { fields.offset() } else { FILE_HEADER };
                Some(info.with(0, 0..front, front).with_bytes(fields))
            }
            Part::Bounds => {
                let coarsest = (0..self.mesh_count()).map(|mesh| self.lod(mesh)).max()?;
                let meshes = (0..self.mesh_count()).filter(|mesh| self.lod(*mesh) == coarsest);
                let meshes = meshes.filter_map(|mesh| frame_mesh(self, mesh, 0));
                Some(meshes.fold(info.with(0, 0..0, PartInfo::BOUNDS), |info, mesh| {
                    info.with(0, mesh.positions().byte_range(), 0)
                }))
            }
            Part::Names => {
                let meshes = (0..self.mesh_count()).filter_map(|mesh| frame_mesh(self, mesh, 0));
                let names = meshes.fold(info, |info, mesh| info.with_bytes(mesh.name()));
                Some(self.actions().into_iter().fold(names, PartInfo::with_bytes))
            }
            Part::Materials => {
                let chunks = self.materials().iter().map(|material| Span::of_bytes(material.byte_range()));
                Some(chunks.fold(info, PartInfo::with_bytes))
            }
            Part::Skeleton => Some(self.bones().iter().fold(info, without_keys)),
            Part::Clip { clip: 0 } => {
                let keys = self.bones().iter().fold(info, |info, bone| {
                    // Each key decodes to a frame, and to a vector or a quaternion.
                    let info = info.with_table(bone.scaling_keys(), 16);
                    info.with_table(bone.translation_keys(), 16).with_table(bone.rotation_keys(), 20)
                });
                Some(keys.needing(Part::Skeleton))
            }
            Part::Indices { mesh: number } => {
                let owner = document(self, &nothing)?.mesh(mesh(number)?)?.triangle_owner()?.parts().clone();
                Some(info.with_table(owner.triangles(), 12).with_table(owner.triangle_materials(), 2))
            }
            Part::Texcoords { mesh: number } => {
                let owner = document(self, &nothing)?.mesh(mesh(number)?)?.texcoord_owner()?.parts().clone();
                let sets = (0..SETS).filter_map(|set| owner.texcoords(set));
                Some(sets.fold(info, PartInfo::with_bytes))
            }
            Part::Weights { mesh: number } => {
                let found = self.meshes().get(mesh(number)?)?;
                let info = info.with_bytes(found.skin_weights()).with_bytes(found.skin_bones());
                Some(info.needing(Part::Skeleton))
            }
            Part::Frame { mesh, frame } => {
                let found = frame_mesh(self, mesh as usize, frame as usize)?;
                let info = info.with_table(found.positions(), PartInfo::VECTOR);
                Some(info.with_table(found.normals(), PartInfo::VECTOR))
            }
            _ => None,
        }
    }

    fn bind_pieces<'a>(&'a self, files: &[&'a dyn Pieces]) -> Result<Document<'a, Partial>> {
        Ok(U3d::bind_pieces(self, one_file(files)?)?.into())
    }
}
