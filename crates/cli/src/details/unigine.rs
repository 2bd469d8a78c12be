//! Surfaces, animations and bones of a UNIGINE file.

use meshlens::unigine::{Anim, Animation, Mesh, Skeleton};

use super::{section, vector};

pub(super) fn mesh(mesh: &Mesh<'_>) -> String {
    let surfaces = section(
        "surfaces",
        ["#", "name", "offset", "morph targets", "vertices", "triangles", "least", "greatest", "geometry"],
        mesh.surfaces().map(|surface| {
            let bounds = surface.bounds().bounds;
            [
                surface.index().to_string(),
                surface.name().to_string(),
                format!("{:#x}", surface.offset()),
                surface.target_count().to_string(),
                surface.vertex_count().to_string(),
                surface.triangle_count().to_string(),
                vector(bounds.min),
                vector(bounds.max),
                if surface.is_packed() { "packed" } else { "raw" }.to_owned(),
            ]
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
            [
                animation.index().to_string(),
                animation.name().to_string(),
                format!("{:#x}", animation.offset()),
                animation.frame_count().to_string(),
                animation.bone_count().to_string(),
                format!("{:#04x}", animation.mask()),
            ]
        }),
    )
}

fn bones(skeleton: Skeleton<'_, '_>) -> String {
    section(
        "bones",
        ["#", "name", "parent", "position", "scale"],
        skeleton.bones().enumerate().map(|(index, bone)| {
            [
                index.to_string(),
                bone.name.to_string(),
                bone.parent.map_or_else(|| "-1".to_owned(), |parent| parent.to_string()),
                vector(bone.transform.position),
                vector(bone.transform.scale),
            ]
        }),
    )
}
