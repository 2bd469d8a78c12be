//! The content of a model that no conversion keeps.

use alloc::vec::Vec;

use meshlens_wire::Report;

use crate::layout::{CAMERA_SPACE_NORMAL, STAGES};
use crate::{Material, Mesh, U3d, codes};

/// Adds findings for the content that other formats cannot store: shadow volumes, texture coordinates of one, three or
/// four numbers, what only later frames have, projections in the matrices of bones, chunks of other programs, and how
/// materials mix textures. O(file).
pub fn losses(u3d: &U3d<'_>, losses: &mut Report) {
    let header = u3d.header();
    effects(u3d, losses);
    let mut has_set = [false; STAGES];
    for mesh in u3d.meshes() {
        let (index, name) = (mesh.index(), mesh.name());
        for (has, size) in has_set.iter_mut().zip(mesh.texcoord_dimensions()) {
            *has |= size > 0;
        }
        if mesh.shadow().is_some() {
            let message = format_args!("mesh {name}: the geometry of its shadow volume");
            losses.lose(&codes::SHADOW_LOST, 1, format_args!("/meshes/{index}/shadow"), message);
        }
        let is_kept = |set: usize, size: u8| {
            matches!(size, 0 | 2) || mesh.tangent_sets().is_some_and(|sets| sets.contains(&set))
        };
        let sets = (0..).zip(mesh.texcoord_dimensions());
        let odd = sets.filter(|(set, size)| !is_kept(*set, *size)).count() as u64;
        let message =
            format_args!("mesh {name}: {odd} sets of texture coordinates that are not of two numbers");
        losses.lose(&codes::TEXCOORD_DIMENSION_LOST, odd, format_args!("/meshes/{index}/texcoords"), message);
    }
    matrices(u3d, losses);
    for chunk in u3d.unknown_chunks() {
        let message = format_args!("the chunk \"{}\" of another program", chunk.identifier);
        losses.lose(&codes::CHUNK_LOST, 1, format_args!(""), message);
    }
    let frames = u3d.frame_count() as u64;
    if !header.vertex_tweening && u3d.bone_count() == 0 && frames > 1 {
        let message = format_args!("that {frames} frames follow each other without being blended");
        losses.lose(&codes::STEPS_LOST, 1, format_args!("/header"), message);
    }
    later_frames(u3d, losses);
    for material in u3d.materials() {
        materials(&material, &has_set, losses);
    }
}

/// Effects that only the engine draws, and bytes that only newer versions read.
fn effects(u3d: &U3d<'_>, losses: &mut Report) {
    let header = u3d.header();
    if header.v1.is_some_and(|v1| v1.cel_shading_strength > 0.0) {
        losses.lose(&codes::CEL_SHADING_LOST, 1, format_args!("/header"), format_args!("the outline"));
    }
    if header.shader_pack().is_some() {
        losses.lose(&codes::SHADER_PACK_LOST, 1, format_args!("/header"), format_args!("the shader pack"));
    }
    for material in u3d.materials() {
        let (index, name) = (material.index(), material.name());
        let pointer = format_args!("/materials/{index}");
        if material.parts().shader_pack().is_some() {
            let message = format_args!("material {name}: its shader pack");
            losses.lose(&codes::SHADER_PACK_LOST, 1, pointer, message);
        }
        if let Some(depth) = material.depth().filter(|depth| *depth != 0.0) {
            let message = format_args!("material {name}: its depth of {depth} for parallax mapping");
            losses.lose(&codes::PARALLAX_LOST, 1, pointer, message);
        }
    }
    let others = u3d.parts().sections().map(|(_, used, end)| (used, end));
    let chunks = [(header.used, header.end)].into_iter().chain(others);
    // Version 1.0 has no chunks.
    let longer = chunks.filter(|(used, end)| !header.version.is_v1() && used < end).count() as u64;
    let message = format_args!("the undocumented bytes of {longer} chunks");
    losses.lose(&codes::CHUNK_BYTES_LOST, longer, format_args!(""), message);
}

/// What meshes of later frames have of their own: every frame is drawn with the content of frame 0, except for positions and
/// normals.
fn later_frames(u3d: &U3d<'_>, losses: &mut Report) {
    for mesh in u3d.meshes().filter(|mesh| mesh.frame() > 0) {
        let first = mesh.lod_index().and_then(|lod| u3d.find_mesh(lod, mesh.mesh_in_frame(), 0));
        let Some(first) = first else { continue };
        let set = |mesh: &Mesh<'_, '_>, set| mesh.texcoords(set).map(|floats| floats.to_floats());
        let triangles = |mesh: &Mesh<'_, '_>| {
            let owner = mesh.triangle_owner()?;
            Some((owner.triangles()?.to_vec(), owner.triangle_materials().iter().collect::<Vec<_>>()))
        };
        let differs = [
            ("its name", mesh.name() != first.name()),
            ("texture coordinates", (0..STAGES).any(|number| set(&mesh, number) != set(&first, number))),
            ("triangles", mesh.owns_triangles() && triangles(&mesh) != triangles(&first)),
        ];
        for (what, _) in differs.iter().filter(|(_, differs)| *differs) {
            let (index, frame) = (mesh.index(), mesh.frame());
            let message = format_args!("mesh {}: {what} of frame {frame}, unlike frame 0", first.name());
            losses.lose(&codes::LATER_FRAME_LOST, 1, format_args!("/meshes/{index}"), message);
        }
    }
}

/// Matrices that are not affine: a model only moves joints by affine matrices.
fn matrices(u3d: &U3d<'_>, losses: &mut Report) {
    for (number, bone) in u3d.bones().enumerate() {
        for index in 0..bone.mesh_count() {
            let Some(matrix) = bone.mesh_to_bone(index) else { continue };
            let [x, y, z, w] = matrix.map(|[.., w]| w);
            if [x, y, z, w] != [0.0, 0.0, 0.0, 1.0] {
                let message = format_args!(
                    "bone {}: the last column {x}, {y}, {z}, {w} of its MeshToBone matrix",
                    bone.name()
                );
                let pointer = format_args!("/bones/{number}/mesh_to_bone/{index}");
                losses.lose(&codes::MATRIX_PROJECTION_LOST, 1, pointer, message);
            }
        }
    }
}

/// `has_set` states which sets of texture coordinates the meshes have.
fn materials(material: &Material<'_>, has_set: &[bool; STAGES], losses: &mut Report) {
    let (index, name) = (material.index(), material.name());
    let pointer = format_args!("/materials/{index}");
    if material.is_opaque() {
        let message = format_args!("material {name}: what only its engine can read");
        losses.lose(&codes::MATERIAL_OPAQUE_LOST, 1, pointer, message);
        return;
    }
    let (color, height) = (material.color_texture(), material.height_map());
    let kept = [color, height].into_iter().flatten();
    let more = (material.textures().count() as u64).saturating_sub(kept.clone().count() as u64);
    let message =
        format_args!("material {name}: {more} textures that are neither its color nor its height map");
    losses.lose(&codes::TEXTURE_STAGE_LOST, more, pointer, message);
    let is_known = |set: u32| has_set.get(set as usize).is_some_and(|has| *has);
    for texture in kept {
        let (set, stage) = (texture.coordinates, texture.stage);
        let is_environment = set == CAMERA_SPACE_NORMAL && !texture.is_normal_map;
        if !is_known(set) && !is_environment {
            let message = format_args!(
                "material {name}: texture coordinates {set:#x} of stage {stage}, which are no set of a mesh"
            );
            losses.lose(&codes::TEXTURE_SET_LOST, 1, pointer, message);
        }
        let (width, height) = (texture.width, texture.height);
        if (width, height) != (0, 0) {
            let message =
                format_args!("material {name}: the size {width} x {height} of the texture of stage {stage}");
            losses.lose(&codes::TEXTURE_SIZE_LOST, 1, pointer, message);
        }
    }
    // Operations 4 to 6 multiply the texture by the color, and by 1, 2 or 4.
    if let Some(texture) = color.filter(|texture| !(4..=6).contains(&texture.color_op)) {
        let (operation, stage) = (texture.color_op, texture.stage);
        let message = format_args!("material {name}: color operation {operation} of stage {stage}");
        losses.lose(&codes::COLOR_OPERATION_LOST, 1, pointer, message);
    }
    let is_black = |[r, g, b, _]: [f32; 4]| [r, g, b] == [0.0; 3];
    let ambient = material.ambient();
    if !is_black(material.specular()) || !(is_black(ambient) || ambient == material.diffuse()) {
        let message = format_args!("material {name}: its ambient and specular colors");
        losses.lose(&codes::MATERIAL_COLORS_LOST, 1, pointer, message);
    }
}
