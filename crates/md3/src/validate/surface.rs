//! The validator for surfaces: headers, shaders, triangles and texture coordinates.

use alloc::collections::BTreeSet;

use meshlens_lens::AnyLens;
use meshlens_wire::{OutOfRange, Span, report_unused};

use super::Validator;
use crate::{Surface, codes, layout};

impl Validator<'_, '_> {
    pub(super) fn surface_names(&mut self) {
        let mut names = BTreeSet::new();
        for surface in self.md3.surfaces() {
            let (name, index) = (surface.name(), surface.index());
            let offset = surface.offset() + 4;
            let pointer = format_args!("/surfaces/{index}/name");
            self.name(name, offset, pointer);
            if !names.insert(name.to_text().to_ascii_lowercase()) {
                let message = format_args!(
                    "the name \"{name}\" is the name of an earlier surface; skins apply to both"
                );
                self.report.add(&codes::DUPLICATE_SURFACE_NAME, offset, pointer, message);
            }
        }
    }

    pub(super) fn surface(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        let pointer = format_args!("/surfaces/{index}");
        // The header is inside the file, so the offsets of its fields do not overflow.
        let at = |field: u64| surface.offset() + field;
        if surface.flags() != 0 {
            let message = format_args!("flags are {:#x}", surface.flags());
            self.report.add(&codes::FLAGS_SET, at(68), format_args!("/surfaces/{index}/flags"), message);
        }
        // The header is proven.
        let unset = surface.header().map_or([false; 2], |header| {
            [header.ident == [0; 4], header.num_frames == 0 && surface.frame_count() > 0]
        });
        let fields = [("identifier", 0), ("number of frames", 72)];
        for (_, (what, field)) in unset.into_iter().zip(fields).filter(|(is_unset, _)| *is_unset) {
            let message = format_args!("the {what} of the surface is 0; engines set it");
            self.report.add(&codes::SURFACE_HEADER_UNSET, at(field), pointer, message);
        }
        if surface.frame_count() != self.md3.frame_count() {
            let message = format_args!(
                "the surface has {} frames, the model {}",
                surface.frame_count(),
                self.md3.frame_count()
            );
            self.report.add(&codes::SURFACE_FRAME_COUNT, at(72), pointer, message);
        }
        if surface.vertex_count() == 0 && surface.triangle_count() == 0 {
            let message = format_args!("the surface has neither vertices nor triangles");
            self.report.add(&codes::SURFACE_EMPTY, surface.offset(), pointer, message);
        }
        self.surface_limits(surface);
        self.shaders(surface);
        self.triangles(surface);
        self.texcoords(surface);
        if !surface.parts().tables().is_sorted_by_key(Span::offset) {
            let message = format_args!("the tables are not in the documented order");
            self.report.add(&codes::BLOCK_ORDER, at(88), pointer, message);
        }
    }

    fn surface_limits(&mut self, surface: &Surface<'_>) {
        let (index, shaders) = (surface.index(), surface.shader_count());
        let (vertices, triangles) = (surface.vertex_count(), surface.triangle_count());
        let at = |field: u64| surface.offset() + field;
        let pointer = format_args!("/surfaces/{index}/vertices");
        self.above(&codes::LIMIT_VERTICES, "vertices", vertices, layout::MAX_VERTICES, at(80), pointer);
        if vertices >= layout::ENGINE_VERTICES {
            let least = layout::ENGINE_VERTICES;
            let message = format_args!("{vertices} vertices; ioquake3 and OpenArena refuse {least} or more");
            self.report.add(&codes::ENGINE_LIMIT_VERTICES, at(80), pointer, message);
        }
        let pointer = format_args!("/surfaces/{index}/triangles");
        self.above(&codes::LIMIT_TRIANGLES, "triangles", triangles, layout::MAX_TRIANGLES, at(84), pointer);
        if triangles >= layout::ENGINE_TRIANGLES {
            let least = layout::ENGINE_TRIANGLES;
            let message =
                format_args!("{triangles} triangles; ioquake3 and OpenArena refuse {least} or more");
            self.report.add(&codes::ENGINE_LIMIT_TRIANGLES, at(84), pointer, message);
        }
        let pointer = format_args!("/surfaces/{index}/shaders");
        self.above(&codes::LIMIT_SHADERS, "shaders", shaders, layout::MAX_SHADERS, at(76), pointer);
        if shaders == 0 {
            self.report.add(&codes::NO_SHADERS, at(76), pointer, format_args!("the surface names no shader"));
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
                self.report.add(&codes::SHADER_NAME_EMPTY, shader.offset, pointer, message);
                continue;
            }
            if text.contains('\\') {
                let message = format_args!(
                    "\"{text}\" has backslashes, which only some systems read as folder separators"
                );
                self.report.add(&codes::SHADER_PATH_BACKSLASH, shader.offset, pointer, message);
            }
            if text.starts_with(['/', '\\']) {
                let message = format_args!("\"{text}\" begins with a slash, which engines skip");
                self.report.add(&codes::SHADER_PATH_SLASH, shader.offset, pointer, message);
            }
            if text.get(1..2) == Some(":") {
                let message = format_args!("\"{text}\" is an absolute path on the author's machine");
                self.report.add(&codes::SHADER_PATH_ABSOLUTE, shader.offset, pointer, message);
            }
            let file = text.rsplit(['/', '\\']).next().unwrap_or("");
            if !file.contains('.') {
                let message =
                    format_args!("\"{text}\" has no extension: it names a shader, or a texture of any type");
                self.report.add(&codes::SHADER_NO_EXTENSION, shader.offset, pointer, message);
            }
        }
        let mut names = surface.shaders().map(|shader| shader.name.to_text());
        if let Some(first) = names.next()
            && surface.shader_count() > 1
            && names.all(|name| name == first)
        {
            let count = surface.shader_count();
            let message = format_args!("the surface names the shader \"{first}\" {count} times");
            let pointer = format_args!("/surfaces/{index}/shaders");
            self.report.add(&codes::SHADER_REPEATED, surface.offset() + 76, pointer, message);
        }
    }

    fn triangles(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        let triangles = surface.triangles();
        let offset = |number| AnyLens::from(triangles).offset_of(number);
        let is_vertex = |corner: i32| corner >= 0 && (corner as usize) < surface.vertex_count();
        for (number, corners) in triangles.iter().enumerate() {
            if let Some(corner) = corners.into_iter().find(|corner| !is_vertex(*corner)) {
                let message = format_args!("{}", OutOfRange::new("vertex", corner, surface.vertex_count()));
                let pointer = format_args!("/surfaces/{index}/triangles/{number}");
                self.report.add(&codes::INDEX_OUT_OF_RANGE, offset(number), pointer, message);
                continue;
            }
            let [a, b, c] = corners;
            if a == b || b == c || c == a {
                let message = format_args!("the corners {a}, {b}, {c} are not three different vertices");
                let pointer = format_args!("/surfaces/{index}/triangles/{number}");
                self.report.add(&codes::TRIANGLE_DEGENERATE, offset(number), pointer, message);
            }
        }
        let corners = triangles.iter().flatten().map(|corner| u32::try_from(corner).unwrap_or(u32::MAX));
        let pointer = format_args!("/surfaces/{index}/vertices");
        report_unused(surface.vertex_count(), corners, surface.offset() + 80, pointer, self.report);
    }

    fn texcoords(&mut self, surface: &Surface<'_>) {
        let index = surface.index();
        let texcoords = surface.texcoords();
        let offset = |number| AnyLens::from(texcoords).offset_of(number);
        for (number, texcoord) in texcoords.iter().enumerate() {
            if !texcoord.iter().all(|value| value.is_finite()) {
                let message = format_args!("{texcoord:?} is not finite");
                let pointer = format_args!("/surfaces/{index}/texcoords/{number}");
                self.report.add(&codes::TEXCOORD_NOT_FINITE, offset(number), pointer, message);
            }
        }
        let outside = |texcoord: &[f32; 2]| texcoord.iter().any(|value| *value < 0.0 || *value > 1.0);
        let count = texcoords.iter().filter(outside).count();
        if let Some(first) = texcoords.iter().position(|texcoord| outside(&texcoord)) {
            let message =
                format_args!("{count} texture coordinates lie outside 0 to 1, so the texture repeats");
            let pointer = format_args!("/surfaces/{index}/texcoords/{first}");
            self.report.add_several(&codes::TEXCOORD_OUTSIDE, count as u64, offset(first), pointer, message);
        }
    }
}
