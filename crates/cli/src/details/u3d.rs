//! Chunks, meshes, materials, bones and actions of an Ultimate 3D model.

use meshlens::u3d::{Material, Mesh, U3d};

use super::section;

pub(super) fn text(u3d: &U3d<'_>) -> String {
    let chunks = section(
        if u3d.version().is_v1() { "sections" } else { "chunks" },
        ["identifier", "offset", "size"],
        u3d.sections().map(|chunk| {
            let indent = "  ".repeat(chunk.depth as usize);
            let identifier = format!("{indent}{}", chunk.identifier);
            cells![identifier, format_args!("{:#x}", chunk.offset), chunk.size]
        }),
    );
    let actions = section(
        "actions",
        ["name", "first", "last"],
        u3d.actions().map(|action| cells![action.name, action.first, action.last]),
    );
    [chunks, meshes(u3d), materials(u3d), bones(u3d), actions].concat()
}

fn meshes(u3d: &U3d<'_>) -> String {
    section(
        "meshes",
        ["#", "name", "level", "frame", "in frame", "vertices", "triangles", "texcoords", "weights"],
        u3d.meshes().map(|mesh: Mesh<'_, '_>| {
            let triangles = match (mesh.owns_triangles(), mesh.triangle_owner()) {
                (true, _) => mesh.triangle_count().to_string(),
                (false, Some(owner)) => format!("{} of mesh {}", mesh.triangle_count(), owner.index()),
                (false, None) => format!("{} of an unknown mesh", mesh.triangle_count()),
            };
            let dimensions = mesh.texcoord_dimensions();
            let sets: Vec<String> =
                dimensions.iter().filter(|d| **d > 0).map(|dimension| format!("{dimension}D")).collect();
            let level = mesh.lod_index().map_or("?".into(), |lod| lod.to_string());
            let (frame, in_frame, vertices) = (mesh.frame(), mesh.mesh_in_frame(), mesh.vertex_count());
            let (sets, weights) = (sets.join(" "), mesh.skin_weight_count());
            cells![mesh.index(), mesh.name(), level, frame, in_frame, vertices, triangles, sets, weights]
        }),
    )
}

fn materials(u3d: &U3d<'_>) -> String {
    section(
        "materials",
        ["#", "name", "textures"],
        u3d.materials().map(|material: Material<'_>| {
            let textures: Vec<String> = material
                .textures()
                .map(|texture| {
                    let files: Vec<String> = texture.files().map(|file| file.name().to_string()).collect();
                    format!("{}: {}", texture.stage, files.join(" "))
                })
                .collect();
            let textures = if material.is_opaque() { "not documented".into() } else { textures.join(", ") };
            cells![material.index(), material.name(), textures]
        }),
    )
}

fn bones(u3d: &U3d<'_>) -> String {
    section(
        "bones",
        ["#", "name", "parent", "meshes", "scaling keys", "translation keys", "rotation keys"],
        u3d.bones().map(|bone| {
            let parent = bone.parent().map_or("-".into(), |parent| parent.to_string());
            let (scaling, translation) = (bone.scaling_keys().len(), bone.translation_keys().len());
            let rotation = bone.rotation_keys().len();
            cells![bone.index(), bone.name(), parent, bone.mesh_count(), scaling, translation, rotation]
        }),
    )
}
