//! What is said of surfaces: their headers, blocks and geometry.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use meshlens_wire::Limits;
use meshlens_wire::Severity::{Error, Hint, Info, Warning};

use super::Validator;
use crate::{Geometry, Indices, Mesh, Surface, Tangents};

/// How far a vertex may lie outside its surface's bounds, as a share of the box' largest coordinate.
const BOUNDS_SLACK: f32 = 1e-4;
/// How far the length of a tangent space's quaternion may be from 1.
const TANGENT_SLACK: f32 = 0.01;
/// What cut-off weights of one vertex add up to at least.
const LEAST_SUM: u32 = 65533;

impl Validator<'_> {
    pub(super) fn surfaces(&mut self, mesh: &Mesh<'_>) {
        if mesh.surface_count() == 0 {
            let message = format_args!("there is no surface, only {} bones", mesh.skeleton().len());
            let offset = mesh.parts().surfaces_offset;
            self.add(Info, "NO_SURFACES", offset, format_args!("/surfaces"), message);
        }
        let mut names = BTreeSet::new();
        let mut buffer = Vec::new();
        for surface in mesh.surfaces() {
            let index = surface.index();
            let pointer = format_args!("/surfaces/{index}/name");
            self.name(surface.name(), surface.offset(), pointer);
            if !names.insert(surface.name().as_bytes()) {
                let message = format_args!("the name \"{}\" stands before", surface.name());
                self.add(Info, "DUPLICATE_SURFACE_NAME", surface.offset(), pointer, message);
            }
            let pointer = format_args!("/surfaces/{index}/bounds");
            self.bounds(&surface.bounds(), surface.bounds_offset(), pointer);
            self.blocks(&surface, &mut buffer);
            match surface.geometry(&mut buffer) {
                Ok(geometry) => {
                    self.geometry(&surface, &geometry, mesh.skeleton().len());
                }
                Err(error) => self.report.add_error(&error),
            }
        }
    }

    fn blocks(&mut self, surface: &Surface<'_>, buffer: &mut Vec<u8>) {
        let index = surface.index();
        if let Some((block, (claimed, entry))) = surface.geometry_block().zip(surface.block_entry())
            && u64::try_from(claimed) != Ok(block.offset())
        {
            let message =
                format_args!("the geometry lies at {:#x}, the table says {claimed:#x}", block.offset());
            self.add(Error, "BLOCK_OFFSET", entry, format_args!("/surfaces/{index}"), message);
        }
        if let Some(block) = surface.edge_block().filter(|block| block.is_packed())
            && let Err(error) = block.unpack_into(buffer, &Limits::DEFAULT)
        {
            self.report.add_error(&error);
        }
    }

    fn geometry(&mut self, surface: &Surface<'_>, geometry: &Geometry<'_>, bones: usize) {
        let index = surface.index();
        let pointer = format_args!("/surfaces/{index}");
        if let Some(block) = surface.geometry_block() {
            let end = if geometry.is_unpacked() { block.unpacked_len() } else { block.byte_range().end };
            if geometry.end() < end {
                let extra = end.saturating_sub(geometry.end());
                let message = format_args!("{extra} bytes of the block follow the geometry");
                self.add(Info, "BLOCK_TRAILING_BYTES", block.offset(), pointer, message);
            }
        }
        if geometry.target_count() == 0 {
            let message = format_args!("the surface has no morph target, so it has no vertices");
            self.add(Warning, "NO_MORPH_TARGETS", surface.offset(), pointer, message);
        } else if geometry.vertex_count() == 0 && geometry.coordinate_indices().is_empty() {
            let message = format_args!("the surface has neither vertices nor triangles");
            self.add(Info, "SURFACE_EMPTY", surface.offset(), pointer, message);
        }
        self.counts(geometry);
        self.targets(surface, geometry);
        self.weights(geometry, bones);
        for set in 0..2 {
            let texcoords = geometry.texcoords(set);
            for (number, texcoord) in (0u64..).zip(texcoords) {
                if !texcoord.iter().all(|value| value.is_finite()) {
                    let offset = texcoords.byte_range().start.saturating_add(number.saturating_mul(8));
                    let message = format_args!("{texcoord:?} is not finite");
                    let pointer = format_args!("/surfaces/{index}/texcoords{set}/{number}");
                    self.add(Error, "TEXCOORD_NOT_FINITE", geometry.offset_in_file(offset), pointer, message);
                }
            }
        }
        self.indices(geometry);
    }

    /// Lists that must be as long as another, or empty.
    fn counts(&mut self, geometry: &Geometry<'_>) {
        let (index, tangents) = (geometry.surface(), geometry.tangent_count());
        let optional = [
            ("WEIGHT_COUNT", geometry.weights().len(), geometry.vertex_count(), geometry.weights().offset()),
            (
                "TEXCOORD_COUNT",
                geometry.texcoords(0).len(),
                tangents,
                geometry.texcoords(0).byte_range().start,
            ),
            (
                "TEXCOORD_COUNT",
                geometry.texcoords(1).len(),
                tangents,
                geometry.texcoords(1).byte_range().start,
            ),
            ("COLOR_COUNT", geometry.colors().len(), tangents, geometry.colors().byte_range().start),
        ];
        for (code, found, expected, offset) in optional {
            if found != 0 && found != expected {
                let message = format_args!("{found} elements, where there should be {expected} or none");
                let offset = geometry.offset_in_file(offset);
                self.add(Error, code, offset, format_args!("/surfaces/{index}"), message);
            }
        }
    }

    fn targets(&mut self, surface: &Surface<'_>, geometry: &Geometry<'_>) {
        let index = surface.index();
        let bounds = surface.bounds().bounds;
        let reach =
            bounds.min.iter().chain(&bounds.max).fold(1e-3, |reach: f32, value| reach.max(value.abs()));
        let mut is_outside = false;
        for (number, target) in geometry.targets().enumerate() {
            let pointer = format_args!("/surfaces/{index}/morph_targets/{number}");
            self.name(target.name, target.offset, pointer);
            let counts = (target.positions.len(), target.tangents.len());
            if counts != (geometry.vertex_count(), geometry.tangent_count()) {
                let message =
                    format_args!("{} vertices and {} tangents, other than target 0", counts.0, counts.1);
                self.add(Error, "MORPH_TARGET_COUNT", target.offset, pointer, message);
            }
            let start = target.positions.byte_range().start;
            for (vertex, position) in (0u64..).zip(target.positions) {
                let offset = geometry.offset_in_file(start.saturating_add(vertex.saturating_mul(12)));
                if !position.iter().all(|value| value.is_finite()) {
                    let pointer = format_args!("/surfaces/{index}/morph_targets/{number}/positions/{vertex}");
                    let message = format_args!("{position:?} is not finite");
                    self.add(Error, "POSITION_NOT_FINITE", offset, pointer, message);
                } else if !is_outside && !bounds.contains(position, reach * BOUNDS_SLACK) {
                    is_outside = true;
                    let pointer = format_args!("/surfaces/{index}/morph_targets/{number}/positions/{vertex}");
                    let message =
                        format_args!("{position:?} and perhaps others lie outside the surface's box");
                    self.add(Warning, "BOUNDS_EXCEEDED", offset, pointer, message);
                }
            }
            self.tangents(geometry, number, &target.tangents);
        }
    }

    fn tangents(&mut self, geometry: &Geometry<'_>, target: usize, tangents: &Tangents<'_>) {
        let index = geometry.surface();
        let (start, stride) = match tangents {
            Tangents::Quaternions(lens) => (lens.byte_range().start, 8),
            Tangents::Signed { quaternions, .. } => (quaternions.byte_range().start, 7),
        };
        for (number, quaternion) in (0u64..).zip(tangents.quaternions()) {
            let offset = geometry.offset_in_file(start.saturating_add(number.saturating_mul(stride)));
            let pointer = format_args!("/surfaces/{index}/morph_targets/{target}/tangents/{number}");
            if matches!(tangents, Tangents::Quaternions(_)) && quaternion[3] == 0.0 {
                let message = format_args!("w is 0, so that the binormal's sign is lost");
                self.add(Warning, "TANGENT_W_ZERO", offset, pointer, message);
            }
            let length = libm::sqrtf(quaternion.iter().map(|v| v * v).sum());
            if (length - 1.0).abs() > TANGENT_SLACK {
                let message = format_args!("the quaternion has a length of {length}");
                self.add(Warning, "TANGENT_NOT_UNIT", offset, pointer, message);
            }
        }
    }

    fn weights(&mut self, geometry: &Geometry<'_>, bones: usize) {
        let index = geometry.surface();
        let mut weights = geometry.weights();
        for vertex in 0..weights.len() {
            let offset = geometry.offset_in_file(weights.offset());
            let influence = weights.next().unwrap_or_default();
            let pointer = format_args!("/surfaces/{index}/weights/{vertex}");
            let missing =
                influence.parts().find(|(bone, _)| !usize::try_from(*bone).is_ok_and(|b| b < bones));
            if let Some((bone, _)) = missing {
                let message = format_args!("bone {bone} of {bones}");
                self.add(Error, "WEIGHT_BONE", offset, pointer, message);
            }
            let sum: u32 =
                influence.weights.iter().fold(0, |sum, weight| sum.saturating_add((*weight).into()));
            if influence.count == 0 {
                let message = format_args!("no bone moves the vertex");
                self.add(Info, "VERTEX_WITHOUT_BONES", offset, pointer, message);
            } else if !(LEAST_SUM..=u32::from(u16::MAX)).contains(&sum) {
                let message = format_args!("the weights add up to {sum} of 65535");
                self.add(Warning, "WEIGHT_SUM", offset, pointer, message);
            }
        }
    }

    fn indices(&mut self, geometry: &Geometry<'_>) {
        let index = geometry.surface();
        let (coordinates, triangles) = (geometry.coordinate_indices(), geometry.triangle_indices());
        let start = geometry.offset_in_file(coordinates.byte_range().start);
        if coordinates.len() != triangles.len() {
            let message = format_args!(
                "{} coordinate indices, {} triangle indices",
                coordinates.len(),
                triangles.len()
            );
            self.add(Error, "INDEX_COUNTS", start, format_args!("/surfaces/{index}"), message);
        } else if !coordinates.len().is_multiple_of(3) {
            let message = format_args!("{} indices make no whole triangles", coordinates.len());
            self.add(Error, "INDEX_COUNT_NOT_TRIPLE", start, format_args!("/surfaces/{index}"), message);
        }
        self.ranges(geometry, &coordinates, geometry.vertex_count(), "coordinate_indices");
        self.ranges(geometry, &triangles, geometry.tangent_count(), "triangle_indices");
        for number in 0..coordinates.len() / 3 {
            let first = number.saturating_mul(3);
            let corner = |corner: usize| coordinates.get(first.saturating_add(corner));
            let (a, b, c) = (corner(0), corner(1), corner(2));
            if a == b || b == c || c == a {
                let offset = coordinates.byte_range().start;
                let offset =
                    offset.saturating_add((first as u64).saturating_mul(coordinates.stride() as u64));
                let pointer = format_args!("/surfaces/{index}/triangles/{number}");
                let message = format_args!("two corners of the triangle are one vertex: it spans no area");
                self.add(Hint, "TRIANGLE_DEGENERATE", geometry.offset_in_file(offset), pointer, message);
            }
        }
    }

    fn ranges(&mut self, geometry: &Geometry<'_>, indices: &Indices<'_>, count: usize, what: &str) {
        let index = geometry.surface();
        for (number, found) in (0u64..).zip(indices.iter()) {
            if found as usize >= count {
                let offset = number.saturating_mul(indices.stride() as u64);
                let offset = geometry.offset_in_file(indices.byte_range().start.saturating_add(offset));
                let message = format_args!("index {found} of {count}");
                let pointer = format_args!("/surfaces/{index}/{what}/{number}");
                self.add(Error, "INDEX_OUT_OF_RANGE", offset, pointer, message);
            }
        }
    }
}
