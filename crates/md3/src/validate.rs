//! The validator: everything a file may hold that some reader stumbles over, or that looks like a mistake.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use meshlens_wire::Severity::{Error, Hint, Info, Warning};
use meshlens_wire::{Name, Report, Severity, Span};

use crate::layout;
use crate::{Bounds, Md3, Surface};

/// How far a vertex may lie outside its frame's bounds before it counts: exporters round one and not the other.
const BOUNDS_SLACK: f32 = 1.0 / 32.0;
/// How far an axis' length may be from 1.
const AXIS_SLACK: f32 = 0.01;

/// Adds what there is to say about `md3` to `report`. O(file).
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

struct Validator<'v, 'a> {
    md3: &'v Md3<'a>,
    report: &'v mut Report,
}

impl Validator<'_, '_> {
    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        offset: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        self.report.add(severity, code, offset, pointer, message);
    }

    fn name(&mut self, name: Name<'_>, offset: u64, pointer: fmt::Arguments<'_>) {
        if !name.is_terminated() {
            let size = name.raw().len();
            let message = format_args!("the name fills its {size} bytes and has no NUL");
            self.add(Warning, "NAME_UNTERMINATED", offset, pointer, message);
        } else if name.has_bytes_after_nul() {
            let message = format_args!("there are bytes behind the NUL of the name \"{name}\"");
            self.add(Hint, "NAME_TRAILING_BYTES", offset, pointer, message);
        }
    }

    fn above(
        &mut self,
        code: &'static str,
        what: &str,
        found: u64,
        limit: u32,
        offset: u64,
        at: fmt::Arguments<'_>,
    ) {
        if found > u64::from(limit) {
            let message = format_args!("{found} {what}, engines take {limit}");
            self.add(Warning, code, offset, at, message);
        }
    }

    fn header(&mut self) {
        let md3 = self.md3;
        let start = md3.offset();
        let at = |field: u64| start.saturating_add(field);
        if md3.name().is_empty() {
            let message = format_args!("the model has no name");
            self.add(Hint, "NAME_EMPTY", at(8), format_args!("/name"), message);
        }
        self.name(md3.name(), at(8), format_args!("/name"));
        if md3.flags() != 0 {
            let message = format_args!("flags are {:#x}", md3.flags());
            self.add(Info, "FLAGS_SET", at(72), format_args!("/flags"), message);
        }
        if md3.skin_count() > 0 {
            let message =
                format_args!("{} skins are announced, the format has no block for them", md3.skin_count());
            self.add(Info, "SKINS_ANNOUNCED", at(88), format_args!("/skins"), message);
        }
        if md3.frame_count() == 0 {
            let message = format_args!("there is no frame, so there is nothing to show");
            self.add(Error, "NO_FRAMES", at(76), format_args!("/frames"), message);
        }
        if md3.surface_count() == 0 {
            let message = format_args!("there is no surface, only {} tags", md3.tag_count());
            self.add(Info, "NO_SURFACES", at(84), format_args!("/surfaces"), message);
        }
        let (frames, tags, surfaces) =
            (md3.frame_count() as u64, md3.tag_count() as u64, md3.surface_count() as u64);
        self.above("LIMIT_FRAMES", "frames", frames, layout::MAX_FRAMES, at(76), format_args!("/frames"));
        self.above("LIMIT_TAGS", "tags", tags, layout::MAX_TAGS, at(80), format_args!("/tags"));
        self.above(
            "LIMIT_SURFACES",
            "surfaces",
            surfaces,
            layout::MAX_SURFACES,
            at(84),
            format_args!("/surfaces"),
        );

        let file_len = md3.data().file_len();
        let data_end = self.data_end();
        if data_end > md3.end() {
            let message = format_args!("data ends at {data_end:#x}, behind OFS_EOF ({:#x})", md3.end());
            self.add(Warning, "DATA_BEHIND_EOF", at(104), format_args!(""), message);
        } else if file_len > md3.end() {
            let extra = file_len.saturating_sub(md3.end());
            let message = format_args!("{extra} bytes follow OFS_EOF ({:#x})", md3.end());
            self.add(Info, "TRAILING_BYTES", md3.end(), format_args!(""), message);
        }
        self.overlaps();
    }

    /// Every table and header with its name.
    fn blocks(&self) -> Vec<(u64, u64, &'static str)> {
        let parts = self.md3.parts();
        let mut blocks = Vec::new();
        let mut add = |span: Span, what| {
            if span.count() > 0 {
                let range = span.byte_range();
                blocks.push((range.start, range.end, what));
            }
        };
        add(parts.frames(), "frames");
        add(parts.tags(), "tags");
        for surface in parts.surfaces() {
            add(surface.shaders(), "shaders");
            add(surface.triangles(), "triangles");
            add(surface.texcoords(), "texcoords");
            add(surface.vertices(), "vertices");
        }
        let header = (self.md3.offset(), self.md3.offset().saturating_add(108), "header");
        blocks.push(header);
        for surface in parts.surfaces() {
            blocks.push((surface.offset(), surface.offset().saturating_add(108), "surface header"));
        }
        blocks
    }

    fn data_end(&self) -> u64 {
        self.blocks().iter().map(|(_, end, _)| *end).max().unwrap_or_default()
    }

    fn overlaps(&mut self) {
        let mut blocks = self.blocks();
        blocks.sort_unstable();
        for pair in blocks.windows(2) {
            if let [(_, end, first), (start, _, second)] = pair
                && start < end
            {
                let message = format_args!("{second} at {start:#x} begin before the {first} end ({end:#x})");
                self.add(Warning, "OVERLAP", *start, format_args!(""), message);
            }
        }
    }

    fn frames(&mut self) {
        let md3 = self.md3;
        if md3.has_wide_frames() {
            let message = format_args!("frames are 104 bytes long, with names of 64; most readers expect 56");
            self.add(
                Warning,
                "FRAME_STRIDE_104",
                md3.parts().frames().offset(),
                format_args!("/frames"),
                message,
            );
        }
        for ((index, frame), computed) in md3.frames().enumerate().zip(self.computed_bounds()) {
            self.name(frame.name, frame.offset.saturating_add(40), format_args!("/frames/{index}/name"));
            if !frame.is_finite() {
                let message = format_args!("bounds, origin or radius are not finite numbers");
                self.add(Error, "FRAME_NOT_FINITE", frame.offset, format_args!("/frames/{index}"), message);
                continue;
            }
            let Bounds { min, max } = frame.bounds;
            if min.iter().zip(max).any(|(min, max)| *min > max) {
                // Some exporters leave the bounds of a model without vertices inside out.
                let severity = if computed.is_some() { Warning } else { Info };
                let message =
                    format_args!("the bounds' least corner {min:?} lies beyond the greatest {max:?}");
                self.add(
                    severity,
                    "FRAME_BOUNDS_INVERTED",
                    frame.offset,
                    format_args!("/frames/{index}"),
                    message,
                );
            } else if let Some(computed) = computed
                && !(frame.bounds.contains(computed.min, BOUNDS_SLACK)
                    && frame.bounds.contains(computed.max, BOUNDS_SLACK))
            {
                let message = format_args!(
                    "the bounds {min:?} to {max:?} do not hold the vertices, which reach from {:?} to {:?}",
                    computed.min, computed.max
                );
                self.add(
                    Warning,
                    "FRAME_BOUNDS_EXCEEDED",
                    frame.offset,
                    format_args!("/frames/{index}"),
                    message,
                );
            }
        }
    }

    /// The true bounds of every frame, in one pass over the vertices.
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
                self.add(Warning, "TAG_NAME_EMPTY", tag.offset, pointer, format_args!("the tag has no name"));
            } else if !names.insert(tag.name.to_text().to_ascii_lowercase()) {
                let message = format_args!("the name \"{}\" stands before; the first one is found", tag.name);
                self.add(Warning, "DUPLICATE_TAG_NAME", tag.offset, pointer, message);
            }
        }
        for frame in 0..md3.frame_count() {
            for (index, tag) in md3.tags(frame).enumerate() {
                let pointer = format_args!("/frames/{frame}/tags/{index}");
                let first = md3.tag(0, index).map(|tag| tag.name.as_bytes()).unwrap_or_default();
                if tag.name.as_bytes() != first {
                    let message =
                        format_args!("the tag is called \"{}\" here, another name in frame 0", tag.name);
                    self.add(Warning, "TAG_NAME_CHANGES", tag.offset, pointer, message);
                }
                if !tag.is_finite() {
                    let message = format_args!("origin or axes are not finite numbers");
                    self.add(Error, "TAG_NOT_FINITE", tag.offset, pointer, message);
                    continue;
                }
                let square = |row: &[f32; 3]| row.iter().map(|v| v * v).sum::<f32>();
                if tag.axis.iter().any(|row| (libm::sqrtf(square(row)) - 1.0).abs() > AXIS_SLACK) {
                    let message = format_args!("the axes of \"{}\" do not all have length 1", tag.name);
                    self.add(Info, "TAG_AXIS_NOT_UNIT", tag.offset, pointer, message);
                }
                if tag.determinant() < 0.0 {
                    let message = format_args!("the axes of \"{}\" are left-handed", tag.name);
                    self.add(Warning, "TAG_AXIS_LEFT_HANDED", tag.offset, pointer, message);
                }
            }
        }
    }

    fn surface_names(&mut self) {
        let mut names = BTreeSet::new();
        for surface in self.md3.surfaces() {
            let (name, index) = (surface.name(), surface.index());
            let offset = surface.offset().saturating_add(4);
            self.name(name, offset, format_args!("/surfaces/{index}/name"));
            if !names.insert(name.to_text().to_ascii_lowercase()) {
                let message = format_args!("the name \"{name}\" stands before; skins dress both the same");
                self.add(
                    Warning,
                    "DUPLICATE_SURFACE_NAME",
                    offset,
                    format_args!("/surfaces/{index}/name"),
                    message,
                );
            }
        }
    }

    fn surface(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        let start = surface.offset();
        let at = |field: u64| start.saturating_add(field);
        if surface.flags() != 0 {
            let message = format_args!("flags are {:#x}", surface.flags());
            self.add(Info, "FLAGS_SET", at(68), format_args!("/surfaces/{index}/flags"), message);
        }
        if surface.frame_count() != self.md3.frame_count() {
            let message = format_args!(
                "the surface has {} frames, the model {}",
                surface.frame_count(),
                self.md3.frame_count()
            );
            self.add(Error, "SURFACE_FRAME_COUNT", at(72), format_args!("/surfaces/{index}"), message);
        }
        let (vertices, triangles) = (surface.vertex_count() as u64, surface.triangle_count() as u64);
        if vertices == 0 && triangles == 0 {
            let message = format_args!("the surface has neither vertices nor triangles");
            self.add(Info, "SURFACE_EMPTY", start, format_args!("/surfaces/{index}"), message);
        }
        self.surface_limits(surface, vertices, triangles);
        self.shaders(surface);
        self.triangles(surface);
        self.texcoords(surface);
        let parts = surface.parts();
        let order = [parts.shaders(), parts.triangles(), parts.texcoords(), parts.vertices()];
        if !order.is_sorted_by_key(Span::offset) {
            let message = format_args!("the blocks are not in the documented order");
            self.add(Hint, "BLOCK_ORDER", at(88), format_args!("/surfaces/{index}"), message);
        }
    }

    fn surface_limits(&mut self, surface: &Surface<'_>, vertices: u64, triangles: u64) {
        let index = surface.index();
        let at = |field: u64| surface.offset().saturating_add(field);
        let shaders = surface.shader_count() as u64;
        let pointer = format_args!("/surfaces/{index}/vertices");
        self.above("LIMIT_VERTICES", "vertices", vertices, layout::MAX_VERTICES, at(80), pointer);
        if vertices >= u64::from(layout::ENGINE_VERTICES) {
            let message =
                format_args!("{vertices} vertices, ioquake3 refuses {} and more", layout::ENGINE_VERTICES);
            self.add(Warning, "ENGINE_LIMIT_VERTICES", at(80), pointer, message);
        }
        let pointer = format_args!("/surfaces/{index}/triangles");
        self.above("LIMIT_TRIANGLES", "triangles", triangles, layout::MAX_TRIANGLES, at(84), pointer);
        if triangles >= u64::from(layout::ENGINE_TRIANGLES) {
            let message =
                format_args!("{triangles} triangles, ioquake3 refuses {} and more", layout::ENGINE_TRIANGLES);
            self.add(Warning, "ENGINE_LIMIT_TRIANGLES", at(84), pointer, message);
        }
        let pointer = format_args!("/surfaces/{index}/shaders");
        self.above("LIMIT_SHADERS", "shaders", shaders, layout::MAX_SHADERS, at(76), pointer);
        if shaders == 0 {
            self.add(Info, "NO_SHADERS", at(76), pointer, format_args!("the surface names no shader"));
        }
    }

    fn shaders(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        for (number, shader) in surface.shaders().enumerate() {
            let pointer = format_args!("/surfaces/{index}/shaders/{number}");
            self.name(shader.name, shader.offset, pointer);
            let text = shader.name.to_text();
            if text.is_empty() {
                let message = format_args!("the shader has no name");
                self.add(Info, "SHADER_NAME_EMPTY", shader.offset, pointer, message);
                continue;
            }
            if text.contains('\\') {
                let message =
                    format_args!("\"{text}\" has backslashes, which only some systems take for folders");
                self.add(Warning, "SHADER_PATH_BACKSLASH", shader.offset, pointer, message);
            }
            if text.starts_with(['/', '\\']) || text.get(1..2) == Some(":") {
                let message = format_args!("\"{text}\" is a path of the author's machine");
                self.add(Warning, "SHADER_PATH_ABSOLUTE", shader.offset, pointer, message);
            }
            let file = text.rsplit(['/', '\\']).next().unwrap_or_default();
            if !file.contains('.') {
                let message =
                    format_args!("\"{text}\" has no extension: a shader's name, or a texture of any kind");
                self.add(Hint, "SHADER_NO_EXTENSION", shader.offset, pointer, message);
            }
        }
    }

    fn triangles(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        let triangles = surface.triangles();
        let first = triangles.byte_range().start;
        for (number, corners) in (0u64..).zip(triangles) {
            let offset = first.saturating_add(number.saturating_mul(layout::TRIANGLE_SIZE.into()));
            let is_vertex =
                |corner: i32| usize::try_from(corner).is_ok_and(|corner| corner < surface.vertex_count());
            if let Some(corner) = corners.into_iter().find(|corner| !is_vertex(*corner)) {
                let message = format_args!("vertex {corner} of {}", surface.vertex_count());
                let pointer = format_args!("/surfaces/{index}/triangles/{number}");
                self.add(Error, "INDEX_OUT_OF_RANGE", offset, pointer, message);
                continue;
            }
            let [a, b, c] = corners;
            if a == b || b == c || c == a {
                let message = format_args!("the corners {a}, {b}, {c} span no area");
                let pointer = format_args!("/surfaces/{index}/triangles/{number}");
                self.add(Info, "TRIANGLE_DEGENERATE", offset, pointer, message);
            }
        }
    }

    fn texcoords(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        let texcoords = surface.texcoords();
        let offset = |number: usize| {
            let bytes = (number as u64).saturating_mul(layout::TEXCOORD_SIZE.into());
            texcoords.byte_range().start.saturating_add(bytes)
        };
        for (number, texcoord) in texcoords.iter().enumerate() {
            if !texcoord.iter().all(|value| value.is_finite()) {
                let message = format_args!("{texcoord:?} is not finite");
                let pointer = format_args!("/surfaces/{index}/texcoords/{number}");
                self.add(Error, "TEXCOORD_NOT_FINITE", offset(number), pointer, message);
            }
        }
        let outside = |texcoord: &[f32; 2]| texcoord.iter().any(|value| *value < 0.0 || *value > 1.0);
        let count = texcoords.iter().filter(outside).count();
        if let Some(first) = texcoords.iter().position(|texcoord| outside(&texcoord)) {
            let message =
                format_args!("{count} texture coordinates lie outside 0 to 1, and repeat the texture");
            let pointer = format_args!("/surfaces/{index}/texcoords/{first}");
            self.add(Hint, "TEXCOORD_OUTSIDE", offset(first), pointer, message);
        }
    }
}
