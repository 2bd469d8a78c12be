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
            [identifier, format!("{:#x}", chunk.offset), chunk.size.to_string()]
        }),
    );
    let actions = section(
        "actions",
        ["name", "first", "last"],
        u3d.actions()
            .map(|action| [action.name.to_string(), action.first.to_string(), action.last.to_string()]),
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
            [
                mesh.index().to_string(),
                mesh.name().to_string(),
                mesh.lod_index().map_or("?".into(), |lod| lod.to_string()),
                mesh.frame().to_string(),
                mesh.mesh_in_frame().to_string(),
                mesh.vertex_count().to_string(),
                triangles,
                sets.join(" "),
                mesh.skin_weight_count().to_string(),
            ]
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
            [material.index().to_string(), material.name().to_string(), textures]
        }),
    )
}

fn bones(u3d: &U3d<'_>) -> String {
    section(
        "bones",
        ["#", "name", "parent", "meshes", "scaling keys", "translation keys", "rotation keys"],
        u3d.bones().map(|bone| {
            [
                bone.index().to_string(),
                bone.name().to_string(),
                bone.parent().map_or("-".into(), |parent| parent.to_string()),
                bone.mesh_count().to_string(),
                bone.scaling_keys().len().to_string(),
                bone.translation_keys().len().to_string(),
                bone.rotation_keys().len().to_string(),
            ]
        }),
    )
}
