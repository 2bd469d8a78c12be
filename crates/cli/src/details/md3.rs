//! Surfaces, tags and frames of an MD3 model.

use meshlens::md3::{Frame, Md3, Surface, Tag};

use super::{printable, section, vector};

pub(super) fn text(md3: &Md3<'_>) -> String {
    let name = if md3.name().is_empty() {
        String::new()
    } else {
        format!("name {}\n", printable(&md3.name().to_text()))
    };
    let surfaces = section(
        "surfaces",
        ["#", "name", "offset", "frames", "vertices", "triangles", "shaders"],
        md3.surfaces().map(|surface: Surface<'_>| {
            let shaders: Vec<String> = surface.shaders().map(|shader| shader.name.to_string()).collect();
            let (index, name, offset) = (surface.index(), surface.name(), format!("{:#x}", surface.offset()));
            let (frames, vertices) = (surface.frame_count(), surface.vertex_count());
            cells![index, name, offset, frames, vertices, surface.triangle_count(), shaders.join(", ")]
        }),
    );
    let tags = section(
        "tags (in frame 0)",
        ["#", "name", "origin", "X axis", "Y axis", "Z axis"],
        md3.tags(0).enumerate().map(|(index, tag): (usize, Tag<'_>)| {
            let [x, y, z] = tag.axis.map(vector);
            cells![index, tag.name, vector(tag.origin), x, y, z]
        }),
    );
    let frames = section(
        "frames",
        ["#", "name", "least", "greatest", "origin", "radius"],
        md3.frames().enumerate().map(|(index, frame): (usize, Frame<'_>)| {
            let [least, greatest, origin] =
                [frame.bounds.min, frame.bounds.max, frame.local_origin].map(vector);
            cells![index, frame.name, least, greatest, origin, format_args!("{:.3}", frame.radius)]
        }),
    );
    format!("{name}{surfaces}{tags}{frames}")
}
