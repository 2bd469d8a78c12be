//! Layout, materials and frames of an Unreal mesh.

use std::collections::BTreeMap;

use meshlens::unreal::{TriangleType, Unreal};

use super::{section, vector};

pub(super) fn text(mesh: &Unreal<'_>) -> String {
    let layout = format!("{}, {}\n", mesh.vertex_encoding(), mesh.rule());
    let mut materials: BTreeMap<(u8, u8), usize> = BTreeMap::new();
    for triangle in mesh.geometry().records() {
        *materials.entry((triangle.texture, triangle.triangle_type.0)).or_default() += 1;
    }
    let materials = section(
        "materials",
        ["texture", "type", "triangles"],
        materials.into_iter().map(|((texture, bits), count)| cells![texture, TriangleType(bits), count]),
    );
    let weapon = match mesh.weapon_attachment(0) {
        Ok(Some(attachment)) => {
            format!("weapon at {} in frame 0 (triangle {})\n", vector(attachment.origin), attachment.triangle)
        }
        _ => String::new(),
    };
    let frames = section(
        "frames",
        ["#", "least", "greatest"],
        (0..mesh.frame_count()).filter_map(|frame| {
            let bounds = mesh.compute_bounds(frame)?;
            Some(cells![frame, vector(bounds.min), vector(bounds.max)])
        }),
    );
    format!("{layout}{materials}{weapon}{frames}")
}
