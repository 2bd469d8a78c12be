//! Surfaces, animations and bones of a UNIGINE file.

use meshlens::unigine::{Anim, Animation, Mesh, Skeleton};

use super::{section, vector};

pub(super) fn mesh(mesh: &Mesh<'_>) -> String {
    let surfaces = section(
        "surfaces",
        ["#", "name", "offset", "morph targets", "vertices", "triangles", "least", "greatest", "geometry"],
        mesh.surfaces().map(|surface| {
            let bounds = surface.bounds().bounds;
            let (least, greatest) = (vector(bounds.min), vector(bounds.max));
            let (offset, targets) = (format!("{:#x}", surface.offset()), surface.target_count());
            let (vertices, triangles) = (surface.vertex_count(), surface.triangle_count());
            let (index, name) = (surface.index(), surface.name());
            let geometry = if surface.is_packed() { "packed" } else { "raw" };
            cells![index, name, offset, targets, vertices, triangles, least, greatest, geometry]
        }),
    );
    format!("{surfaces}{}{}", animations(mesh.animations()), bones(mesh.skeleton()))
}

pub(super) fn anim(anim: &Anim<'_>) -> String {
    format!("{}{}", animations(anim.animations()), bones(anim.skeleton()))
}

fn animations<'d, 'a: 'd>(animations: impl Iterator<Item = Animation<'d, 'a>>) -> String {
    section(
        "animations",
        ["#", "name", "offset", "frames", "bones", "mask"],
        animations.map(|animation| {
            let (index, name, offset) = (animation.index(), animation.name(), animation.offset());
            let (offset, mask) = (format!("{offset:#x}"), format!("{:#04x}", animation.mask()));
            cells![index, name, offset, animation.frame_count(), animation.bone_count(), mask]
        }),
    )
}

fn bones(skeleton: Skeleton<'_, '_>) -> String {
    section(
        "bones",
        ["#", "name", "parent", "position", "scale"],
        skeleton.bones().enumerate().map(|(index, bone)| {
            let parent = bone.parent.map_or_else(|| "-1".to_owned(), |parent| parent.to_string());
            let (position, scale) = (vector(bone.transform.position), vector(bone.transform.scale));
            cells![index, bone.name, parent, position, scale]
        }),
    )
}
