//! Locates the parts of UNIGINE files: headers at the front, then bones, animations and the geometry of each surface.

use alloc::boxed::Box;
use core::ops::Range;

use meshlens_lens::{ArrayParts, Bounds};
use meshlens_unigine::{Anim, FORMAT, GeometryPlace, Mesh, Parts, layout};
use meshlens_wire::{Data, Partial, Pieces, Result, Span};

use crate::formats::{Document, Format, FormatParts, PartList, one_file};
use crate::model::Transform;
use crate::part::{Front, Part, PartInfo};

/// The decoded sizes in bytes: of the quaternion of a tangent frame; of the joints and weights of a vertex; of the
/// translation, rotation and scale of a joint.
const TANGENT: u64 = size_of::<[f32; 4]>() as u64;
const INFLUENCE: u64 = size_of::<([u16; 4], [f32; 4])>() as u64;
const TRANSFORM: u64 = size_of::<Transform>() as u64;

/// Reads the bounds, which are at the front of the file.
pub(super) fn locate_front(pieces: &dyn Pieces) -> Result<Front> {
    let span = Parts::locate_bounds(pieces)?;
    let record = span.and_then(|span| {
        // `None` until the bytes are loaded.
        Data::of_pieces(FORMAT, pieces).record::<layout::Bound>(span.offset(), "bounds").ok()
    });
    let bounds = record.map(|bound| Bounds { min: bound.min, max: bound.max });
    // If there are no vertices, the minimum of the stored box is greater than its maximum.
    let is_empty = |bounds: &Bounds| bounds.min.iter().zip(bounds.max).all(|(min, max)| *min > max);
    let bounds = bounds.filter(|bounds| !is_empty(bounds));
    Ok(Front { bounds, ..Front::default() })
}

impl FormatParts for Parts {
    fn format(&self) -> Format {
        Format::Unigine
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(Parts::arrays(self))
    }

    fn bind(self, bytes: &[u8]) -> Result<Document<'_>> {
        match self.version().is_mesh() {
            true => Ok(Mesh::bind(self, bytes)?.into()),
            false => Ok(Anim::bind(self, bytes)?.into()),
        }
    }
}

/// The end of all headers, which is the start of the first table, the bones.
fn headers_end(parts: &Parts) -> u64 {
    parts.skeleton().transforms().offset()
}

/// The bytes of the header of a surface, which contains its name and the names of its morph targets.
fn surface_header(parts: &Parts, mesh: usize) -> Option<Range<u64>> {
    let start = parts.surfaces().get(mesh)?.offset();
    let next = parts.surfaces().get(mesh.saturating_add(1));
    Some(start..next.map_or_else(|| headers_end(parts), |next| next.offset()))
}

/// Adds the geometry of a surface, without its weights.
fn frames(info: PartInfo, place: &GeometryPlace) -> Option<PartInfo> {
    Some(match place {
        GeometryPlace::InFile(parts) => {
            let points = parts.positions().count().saturating_mul(PartInfo::VECTOR);
            let decoded = points.saturating_add(parts.tangents().count().saturating_mul(TANGENT));
            // The tables of the targets are separated by counts.
            info.with(0, parts.byte_range().start..parts.weights().offset(), decoded)
        }
        GeometryPlace::Packed(packed) => {
            let block = packed.block();
            info.with(0, block.content().byte_range(), block.unpacked_len())
        }
        _ => return None,
    })
}

impl PartList for Parts {
    fn mesh_count(&self) -> usize {
        self.surfaces().len()
    }

    fn frame_count(&self, mesh: usize) -> usize {
        self.surfaces().get(mesh).map_or(0, |surface| surface.target_count() as usize)
    }

    fn clip_count(&self) -> usize {
        self.animations().len()
    }

    fn find(&self, part: Part) -> Option<PartInfo> {
        let info = PartInfo::new(part);
        let place = |mesh: u32| self.surfaces().get(mesh as usize).map(|surface| *surface.geometry());
        let in_file = |mesh: u32| match place(mesh)? {
            GeometryPlace::InFile(parts) => Some(parts),
            _ => None,
        };
        match part {
            Part::Header => Some(info.with(0, 0..headers_end(self), headers_end(self))),
            Part::Bounds => Some(info.with_table(self.bounds()?, PartInfo::BOUNDS)),
            Part::Names => {
                let surfaces = (0..self.mesh_count()).filter_map(|mesh| surface_header(self, mesh));
                let names = self.animations().names().map(|names| names.byte_range());
                let names = surfaces.chain(names).map(Span::of_bytes);
                Some(names.fold(info, PartInfo::with_bytes))
            }
            Part::Skeleton if !self.skeleton().is_empty() => {
                let info = info.with_bytes(self.skeleton().headers());
                Some(info.with_table(self.skeleton().transforms(), TRANSFORM))
            }
            Part::Clip { clip } => {
                let [records, name] = self.animations().animation(clip as usize)?;
                let decoded = self.animations().transform_count(clip as usize)?.saturating_mul(TRANSFORM);
                let info = info.with(0, records.byte_range(), decoded).with_bytes(name);
                Some(if self.skeleton().is_empty() { info } else { info.needing(Part::Skeleton) })
            }
            Part::Indices { mesh } => match place(mesh)? {
                GeometryPlace::InFile(parts) => Some(
                    info.with_table(parts.coordinate_indices(), 4).with_table(parts.triangle_indices(), 4),
                ),
                GeometryPlace::Packed(packed) => {
                    let indices = packed.index_counts().map(u64::from).iter().sum::<u64>();
                    let decoded = indices.saturating_mul(4);
                    Some(info.with(0, packed.block().content().byte_range(), decoded))
                }
                _ => None,
            },
            Part::Texcoords { mesh } => {
                let sets = in_file(mesh)?.texcoords();
                Some(sets.into_iter().fold(info, |info, set| info.with_table(set, 8)))
            }
            Part::Colors { mesh } => Some(info.with_table(in_file(mesh)?.colors(), 16)),
            Part::Weights { mesh } => {
                let parts = in_file(mesh)?;
                let decoded = u64::from(parts.weight_count()).saturating_mul(INFLUENCE);
                Some(info.with(0, parts.weights().byte_range(), decoded).needing(Part::Skeleton))
            }
            Part::Frame { mesh, frame } if (frame as usize) < self.frame_count(mesh as usize) => {
                frames(info.with(0, surface_header(self, mesh as usize)?, 0), &place(mesh)?)
            }
            _ => None,
        }
    }

    fn bind_pieces<'a>(&'a self, files: &[&'a dyn Pieces]) -> Result<Document<'a, Partial>> {
        let pieces = one_file(files)?;
        match self.version().is_mesh() {
            true => Ok(Mesh::bind_pieces(self, pieces)?.into()),
            false => Ok(Anim::bind_pieces(self, pieces)?.into()),
        }
    }
}
