//! The validator: reports content that some readers reject or show incorrectly, or that is probably a mistake.

mod surface;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use glam::Vec3;
use meshlens_lens::Bounds;
use meshlens_wire::{Code, Name, Record, Report, Span};

use crate::tolerance::{AXIS_SLACK, BOUNDS_SLACK, farthest};
use crate::{Frame, Md3, codes, layout};

/// Adds the findings about `md3` to `report`. O(size of the file).
pub fn validate(md3: &Md3<'_>, report: &mut Report) {
    let mut v = Validator { md3, report };
    v.header();
    v.frames();
    v.tags();
    for surface in md3.surfaces() {
        v.surface(&surface);
    }
    v.surface_names();
}

/// The offset of the name in a frame record.
const FRAME_NAME: u64 = layout::Frame::SIZE as u64;

struct Validator<'v, 'a> {
    md3: &'v Md3<'a>,
    report: &'v mut Report,
}

impl Validator<'_, '_> {
    fn name(&mut self, name: Name<'_>, offset: u64, pointer: fmt::Arguments<'_>) {
        if !name.is_terminated() {
            let size = name.raw().len();
            let message = format_args!("the name fills its {size} bytes and has no NUL");
            self.report.add(&codes::NAME_UNTERMINATED, offset, pointer, message);
        } else if name.has_bytes_after_nul() {
            let message = format_args!("there are bytes after the NUL of the name \"{name}\"");
            self.report.add(&codes::NAME_TRAILING_BYTES, offset, pointer, message);
        }
    }

    fn above(
        &mut self,
        code: &'static Code,
        what: &str,
        found: usize,
        limit: usize,
        offset: u64,
        at: fmt::Arguments<'_>,
    ) {
        if found > limit {
            let message = format_args!("{found} {what}; Quake 3's tools take at most {limit}");
            self.report.add(code, offset, at, message);
        }
    }

    fn header(&mut self) {
        let md3 = self.md3;
        // The header is inside the file, so the offsets of its fields do not overflow.
        let at = |field: u64| md3.offset() + field;
        if md3.name().is_empty() {
            let message = format_args!("the model has no name");
            self.report.add(&codes::NAME_EMPTY, at(8), format_args!("/name"), message);
        }
        self.name(md3.name(), at(8), format_args!("/name"));
        if md3.flags() != 0 {
            let message = format_args!("flags are {:#x}", md3.flags());
            self.report.add(&codes::FLAGS_SET, at(72), format_args!("/flags"), message);
        }
        if md3.skin_count() > 0 {
            let message = format_args!(
                "the header counts {} skins; the format has no table of skins",
                md3.skin_count()
            );
            self.report.add(&codes::SKINS_ANNOUNCED, at(88), format_args!("/skins"), message);
        }
        if md3.frame_count() == 0 {
            let message = format_args!("there is no frame, so there is nothing to show");
            self.report.add(&codes::NO_FRAMES, at(76), format_args!("/frames"), message);
        }
        if md3.surface_count() == 0 {
            let message = format_args!("there is no surface, only {} tags", md3.tag_count());
            self.report.add(&codes::NO_SURFACES, at(84), format_args!("/surfaces"), message);
        }
        let limit = layout::MAX_FRAMES;
        self.above(&codes::LIMIT_FRAMES, "frames", md3.frame_count(), limit, at(76), format_args!("/frames"));
        let limit = layout::MAX_TAGS;
        self.above(&codes::LIMIT_TAGS, "tags", md3.tag_count(), limit, at(80), format_args!("/tags"));
        let (limit, pointer) = (layout::MAX_SURFACES, format_args!("/surfaces"));
        self.above(&codes::LIMIT_SURFACES, "surfaces", md3.surface_count(), limit, at(84), pointer);

        let file_len = md3.data().file_len();
        let data_end = self.data_end();
        if data_end > md3.end() {
            let message = format_args!("data ends at {data_end:#x}, after OFS_EOF ({:#x})", md3.end());
            self.report.add(&codes::DATA_BEHIND_EOF, at(104), format_args!(""), message);
        } else if file_len > md3.end() {
            let extra = file_len - md3.end();
            let message = format_args!("{extra} bytes follow OFS_EOF ({:#x})", md3.end());
            self.report.add(&codes::TRAILING_BYTES, md3.end(), format_args!(""), message);
        }
        self.overlaps();
    }

    /// The name, start and end of every table and header. The bounds of tables are checked, so the ends do not
    /// overflow.
    fn blocks(&self) -> Vec<(u64, u64, &'static str)> {
        let parts = self.md3.parts();
        let mut blocks = Vec::new();
        let mut add = |span: Span, what| {
            if !span.is_empty() {
                let range = span.byte_range();
                blocks.push((range.start, range.end, what));
            }
        };
        add(parts.front().header(), "header");
        add(parts.frames(), "frames");
        add(parts.tags(), "tags");
        for surface in parts.surfaces() {
            add(surface.header(), "surface header");
            add(surface.shaders(), "shaders");
            add(surface.triangles(), "triangles");
            add(surface.texcoords(), "texcoords");
            add(surface.vertices(), "vertices");
        }
        blocks
    }

    fn data_end(&self) -> u64 {
        self.blocks().iter().fold(0, |end, block| end.max(block.1))
    }

    fn overlaps(&mut self) {
        let mut blocks = self.blocks();
        blocks.sort_unstable();
        for pair in blocks.windows(2) {
            if let [(_, end, first), (start, _, second)] = pair
                && start < end
            {
                let message = format_args!("{second} at {start:#x} begin before the {first} end ({end:#x})");
                self.report.add(&codes::OVERLAP, *start, format_args!(""), message);
            }
        }
    }

    fn frames(&mut self) {
        let md3 = self.md3;
        if md3.has_wide_frames() {
            let message =
                format_args!("frames are 104 bytes long, with names of 64 bytes; most readers expect 56");
            let offset = md3.parts().frames().offset();
            self.report.add(&codes::FRAME_STRIDE_104, offset, format_args!("/frames"), message);
        }
        for ((index, frame), computed) in md3.frames().enumerate().zip(self.computed_bounds()) {
            let pointer = format_args!("/frames/{index}");
            self.name(frame.name, frame.offset + FRAME_NAME, format_args!("/frames/{index}/name"));
            if !frame.is_finite() {
                let message = format_args!("bounds, origin or radius are not finite numbers");
                self.report.add(&codes::FRAME_NOT_FINITE, frame.offset, pointer, message);
                continue;
            }
            if let Some(computed) = computed {
                self.radius(index, &frame, &computed);
            }
            let Bounds { min, max } = frame.bounds;
            if min.iter().zip(max).any(|(min, max)| *min > max) {
                // If a model has no vertices, some exporters write bounds whose minimum is greater than their maximum.
                let code = if computed.is_some() {
                    &codes::FRAME_BOUNDS_INVERTED
                } else {
                    &codes::FRAME_BOUNDS_UNUSED
                };
                let message =
                    format_args!("the minimum of the bounds {min:?} is greater than the maximum {max:?}");
                self.report.add(code, frame.offset, pointer, message);
            } else if let Some(computed) = computed
                && !(frame.bounds.contains(computed.min, BOUNDS_SLACK)
                    && frame.bounds.contains(computed.max, BOUNDS_SLACK))
            {
                let message = format_args!(
                    "the bounds {min:?} to {max:?} do not hold the vertices, which reach from {:?} to {:?}",
                    computed.min, computed.max
                );
                self.report.add(&codes::FRAME_BOUNDS_EXCEEDED, frame.offset, pointer, message);
            }
        }
    }

    /// `computed` are the bounds of the vertices, whose corners are at least as far as the vertices.
    fn radius(&mut self, index: usize, frame: &Frame<'_>, computed: &Bounds) {
        let most = frame.radius + BOUNDS_SLACK;
        if computed.radius_from(frame.local_origin) <= most {
            return;
        }
        let positions = self.md3.surfaces().filter_map(|surface| surface.positions(index).ok());
        let farthest = farthest(frame.local_origin, positions.flat_map(|positions| positions.iter()));
        if farthest > most {
            let message =
                format_args!("the radius is {}, and a vertex is {farthest} from the origin", frame.radius);
            let pointer = format_args!("/frames/{index}/radius");
            self.report.add(&codes::FRAME_RADIUS_EXCEEDED, frame.offset + 36, pointer, message);
        }
    }

    /// The bounds of the vertices of every frame, in one pass.
    fn computed_bounds(&self) -> Vec<Option<Bounds>> {
        let mut computed: Vec<Option<Bounds>> = alloc::vec![None; self.md3.frame_count()];
        for surface in self.md3.surfaces().filter(|surface| surface.vertex_count() > 0) {
            for (frame, computed) in computed.iter_mut().enumerate().take(surface.frame_count()) {
                let both = surface.compute_bounds(frame).into_iter().chain(*computed);
                *computed = both.reduce(|a, b| a.union(&b));
            }
        }
        computed
    }

    fn tags(&mut self) {
        let md3 = self.md3;
        let mut names = BTreeSet::new();
        for (index, tag) in md3.tags(0).enumerate() {
            let pointer = format_args!("/tags/{index}");
            self.name(tag.name, tag.offset, pointer);
            if tag.name.is_empty() {
                let message = format_args!("the tag has no name");
                self.report.add(&codes::TAG_NAME_EMPTY, tag.offset, pointer, message);
            } else if !names.insert(tag.name.to_text().to_ascii_lowercase()) {
                let message = format_args!(
                    "the name \"{}\" is the name of an earlier tag, which is found first",
                    tag.name
                );
                self.report.add(&codes::DUPLICATE_TAG_NAME, tag.offset, pointer, message);
            }
        }
        for frame in 0..md3.frame_count() {
            for (index, tag) in md3.tags(frame).enumerate() {
                let pointer = format_args!("/frames/{frame}/tags/{index}");
                if md3.tag(0, index).is_some_and(|first| first.name.as_bytes() != tag.name.as_bytes()) {
                    let message =
                        format_args!("the tag is called \"{}\" here, another name in frame 0", tag.name);
                    self.report.add(&codes::TAG_NAME_CHANGES, tag.offset, pointer, message);
                }
                if !tag.is_finite() {
                    let message = format_args!("origin or axes are not finite numbers");
                    self.report.add(&codes::TAG_NOT_FINITE, tag.offset, pointer, message);
                    continue;
                }
                if tag.axis.iter().any(|row| (Vec3::from(*row).length() - 1.0).abs() > AXIS_SLACK) {
                    let message = format_args!("the axes of \"{}\" do not all have length 1", tag.name);
                    self.report.add(&codes::TAG_AXIS_NOT_UNIT, tag.offset, pointer, message);
                }
                if tag.determinant() < 0.0 {
                    let message = format_args!("the axes of \"{}\" are left-handed", tag.name);
                    self.report.add(&codes::TAG_AXIS_LEFT_HANDED, tag.offset, pointer, message);
                }
            }
        }
    }
}
