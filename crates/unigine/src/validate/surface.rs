//! Findings about surfaces: their headers, blocks and geometry.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::encoding::UnigineTangent;
use glam::Vec4;
use meshlens_lens::{AnyLens, ValueLens};
use meshlens_wire::{Limits, OutOfRange, Result, report_unused};

use super::Validator;
use crate::tolerance::{BOUNDS_SLACK, TANGENT_SLACK};
use crate::{Geometry, Surface, codes};

/// The smallest sum of the weights of a vertex: truncation reduces each of four weights, whose sum was 65535, by less
/// than 1.
const LEAST_SUM: u32 = 65532;

impl Validator<'_> {
    pub(super) fn surfaces<'a>(&mut self, surfaces: impl Iterator<Item = Surface<'a>>, bones: usize) {
        let mut names = BTreeSet::new();
        let mut buffer = Vec::new();
        for surface in surfaces {
            let index = surface.index();
            let pointer = format_args!("/surfaces/{index}/name");
            self.name(surface.name(), surface.offset(), pointer);
            if !names.insert(surface.name().as_bytes()) {
                let message = format_args!("the name \"{}\" is that of an earlier surface", surface.name());
                self.report.add(&codes::DUPLICATE_SURFACE_NAME, surface.offset(), pointer, message);
            }
            let pointer = format_args!("/surfaces/{index}/bounds");
            self.bounds(&surface.bounds(), surface.bounds_offset(), pointer);
            self.blocks(&surface, &mut buffer);
            let geometry = surface.geometry(&mut buffer);
            if let Err(error) = geometry.and_then(|geometry| self.geometry(&surface, &geometry, bones)) {
                self.report.add_error(&error);
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
            self.report.add(&codes::BLOCK_OFFSET, entry, format_args!("/surfaces/{index}"), message);
        }
        if let Some(block) = surface.edge_block().filter(|block| block.is_packed())
            && let Err(error) = block.unpack_into(buffer, &Limits::DEFAULT)
        {
            self.report.add_error(&error);
        }
    }

    fn geometry(&mut self, surface: &Surface<'_>, geometry: &Geometry<'_>, bones: usize) -> Result<()> {
        let index = surface.index();
        let pointer = format_args!("/surfaces/{index}");
        if let Some(block) = surface.geometry_block() {
            let end = if geometry.is_unpacked() { block.unpacked_len() } else { block.byte_range().end };
            if let Some(extra) = end.checked_sub(geometry.end()).filter(|extra| *extra > 0) {
                let message = format_args!("{extra} bytes of the block follow the geometry");
                self.report.add(&codes::BLOCK_TRAILING_BYTES, block.offset(), pointer, message);
            }
        }
        if geometry.target_count() == 0 {
            let message = format_args!("the surface has no morph target, so it has no vertices");
            self.report.add(&codes::NO_MORPH_TARGETS, surface.offset(), pointer, message);
        } else if geometry.vertex_count() == 0 && geometry.corner_count() == 0 {
            let message = format_args!("the surface has neither vertices nor triangles");
            self.report.add(&codes::SURFACE_EMPTY, surface.offset(), pointer, message);
        }
        self.counts(geometry)?;
        self.targets(surface, geometry);
        self.weights(geometry, bones);
        for set in 0..2 {
            let texcoords = geometry.texcoords(set)?;
            for (number, texcoord) in texcoords.iter().enumerate() {
                if !texcoord.iter().all(|value| value.is_finite()) {
                    let offset = geometry.offset_in_file(AnyLens::from(texcoords).offset_of(number));
                    let message = format_args!("{texcoord:?} is not finite");
                    let pointer = format_args!("/surfaces/{index}/texcoords{set}/{number}");
                    self.report.add(&codes::TEXCOORD_NOT_FINITE, offset, pointer, message);
                }
            }
        }
        self.indices(surface, geometry);
        Ok(())
    }

    /// Checks arrays that must have the length of another array or be empty.
    fn counts(&mut self, geometry: &Geometry<'_>) -> Result<()> {
        let (index, vertices, tangents) =
            (geometry.surface(), geometry.vertex_count(), geometry.tangent_count());
        let (weights, colors) = (geometry.weights(), geometry.colors());
        let texcoords = [geometry.texcoords(0)?, geometry.texcoords(1)?];
        let [first, second] =
            texcoords.map(|set| (&codes::TEXCOORD_COUNT, set.len(), set.byte_range().start));
        let optional = [
            ((&codes::WEIGHT_COUNT, weights.len(), weights.offset()), vertices),
            (first, tangents),
            (second, tangents),
            ((&codes::COLOR_COUNT, colors.len(), colors.byte_range().start), tangents),
        ];
        for ((code, found, offset), expected) in optional {
            if found != 0 && found != expected {
                let message = format_args!("{found} elements, where there should be {expected} or none");
                let offset = geometry.offset_in_file(offset);
                self.report.add(code, offset, format_args!("/surfaces/{index}"), message);
            }
        }
        Ok(())
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
                self.report.add(&codes::MORPH_TARGET_COUNT, target.offset, pointer, message);
            }
            let positions = AnyLens::from(target.positions);
            for (vertex, position) in target.positions.iter().enumerate() {
                let offset = geometry.offset_in_file(positions.offset_of(vertex));
                if !position.iter().all(|value| value.is_finite()) {
                    let pointer = format_args!("/surfaces/{index}/morph_targets/{number}/positions/{vertex}");
                    let message = format_args!("{position:?} is not finite");
                    self.report.add(&codes::POSITION_NOT_FINITE, offset, pointer, message);
                } else if !is_outside && !bounds.contains(position, reach * BOUNDS_SLACK) {
                    is_outside = true;
                    let pointer = format_args!("/surfaces/{index}/morph_targets/{number}/positions/{vertex}");
                    let message =
                        format_args!("{position:?} and perhaps others lie outside the surface's box");
                    self.report.add(&codes::BOUNDS_EXCEEDED, offset, pointer, message);
                }
            }
            self.tangents(geometry, number, &target.tangents);
        }
    }

    fn tangents(&mut self, geometry: &Geometry<'_>, target: usize, tangents: &ValueLens<'_, [f32; 4]>) {
        let index = geometry.surface();
        let has_w = tangents.format().is::<UnigineTangent>();
        for (number, quaternion) in tangents.iter().enumerate() {
            let offset = geometry.offset_in_file(tangents.as_any().offset_of(number));
            let pointer = format_args!("/surfaces/{index}/morph_targets/{target}/tangents/{number}");
            if has_w && quaternion[3] == 0.0 {
                let message = format_args!("w is 0, so that the sign of the bitangent is lost");
                self.report.add(&codes::TANGENT_W_ZERO, offset, pointer, message);
            }
            let length = Vec4::from(quaternion).length();
            if (length - 1.0).abs() > TANGENT_SLACK {
                let message = format_args!("the quaternion has a length of {length}");
                self.report.add(&codes::TANGENT_NOT_UNIT, offset, pointer, message);
            }
        }
    }

    fn weights(&mut self, geometry: &Geometry<'_>, bones: usize) {
        let index = geometry.surface();
        let mut weights = geometry.weights();
        for vertex in 0..weights.len() {
            let offset = geometry.offset_in_file(weights.offset());
            let Some(influence) = weights.next() else { break };
            let pointer = format_args!("/surfaces/{index}/weights/{vertex}");
            let missing =
                influence.parts().find(|(bone, _)| !usize::try_from(*bone).is_ok_and(|b| b < bones));
            if let Some((bone, _)) = missing {
                let message = format_args!("{}", OutOfRange::new("bone", bone, bones));
                self.report.add(&codes::WEIGHT_BONE, offset, pointer, message);
            }
            let sum: u32 = influence.weights.iter().map(|weight| u32::from(*weight)).sum();
            if influence.count == 0 {
                let message = format_args!("no bone moves the vertex");
                self.report.add(&codes::VERTEX_WITHOUT_BONES, offset, pointer, message);
            } else if !(LEAST_SUM..=u32::from(u16::MAX)).contains(&sum) {
                let message = format_args!("the weights add up to {sum} of 65535");
                self.report.add(&codes::WEIGHT_SUM, offset, pointer, message);
            }
        }
    }

    fn indices(&mut self, surface: &Surface<'_>, geometry: &Geometry<'_>) {
        let index = geometry.surface();
        let (coordinates, triangles) = (geometry.coordinate_indices(), geometry.triangle_indices());
        let start = geometry.offset_in_file(coordinates.byte_range().start);
        let (found, other) = (coordinates.len(), triangles.len());
        let pointer = format_args!("/surfaces/{index}");
        if found != other {
            let message = format_args!("{found} coordinate indices, {other} triangle indices");
            self.report.add(&codes::INDEX_COUNTS, start, pointer, message);
        } else if !found.is_multiple_of(3) {
            let message = format_args!("{found} indices make no whole triangles");
            self.report.add(&codes::INDEX_COUNT_NOT_TRIPLE, start, pointer, message);
        }
        self.ranges(geometry, coordinates, geometry.vertex_count(), "coordinate_indices");
        self.ranges(geometry, triangles, geometry.tangent_count(), "triangle_indices");
        if surface.geometry_block().is_none() && found == other && found.is_multiple_of(3) {
            let pointer = format_args!("/surfaces/{index}/vertices");
            report_unused(geometry.vertex_count(), coordinates.iter(), start, pointer, self.report);
        }
        for number in 0..found / 3 {
            let first = 3 * number;
            let [a, b, c] = [first, first + 1, first + 2].map(|corner| coordinates.get(corner));
            if a == b || b == c || c == a {
                let offset = geometry.offset_in_file(coordinates.as_any().offset_of(first));
                let pointer = format_args!("/surfaces/{index}/triangles/{number}");
                let message = format_args!("two corners of the triangle are one vertex: it spans no area");
                self.report.add(&codes::TRIANGLE_DEGENERATE, offset, pointer, message);
            }
        }
    }

    fn ranges(&mut self, geometry: &Geometry<'_>, indices: ValueLens<'_, u32>, count: usize, what: &str) {
        // The first pass only finds the largest index. Invalid indices are searched only if it is out of range.
        if indices.as_any().check_below(count, "index").is_ok() {
            return;
        }
        let index = geometry.surface();
        for (number, found) in indices.iter().enumerate() {
            if found as usize >= count {
                let offset = geometry.offset_in_file(indices.as_any().offset_of(number));
                let message = format_args!("{}", OutOfRange::new("index", found, count));
                let pointer = format_args!("/surfaces/{index}/{what}/{number}");
                self.report.add(&codes::INDEX_OUT_OF_RANGE, offset, pointer, message);
            }
        }
    }
}
