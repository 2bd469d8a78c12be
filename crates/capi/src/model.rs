//! The model of a file: meshes, materials and tags with the same names in every format.

use std::ffi::c_char;

use crate::asset::{ml_asset, model_of};
use crate::call::{at, call, check_index, output};
use crate::enums::{ml_alpha, ml_handedness, ml_texture_alpha, ml_texture_coordinates, ml_wrap, raw};
use crate::error::{ml_error, write_text};
use crate::result::{Failure, ml_result};
use crate::sized::{self, Growing};
use crate::space::{ml_matrix, ml_space};

/// An index that means "none": no material, no parent, no animation.
pub const ML_NONE: usize = usize::MAX;

pub(crate) fn or_none(index: Option<usize>) -> usize {
    index.unwrap_or(ML_NONE)
}

/// A model: its counts, and the space of its coordinates.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_model {
    /// sizeof(ml_model), or 0 for the first version of the struct.
    pub size: usize,
    /// The name in the file; often empty or a path. Valid until ml_close, like every text that a call returns.
    pub name: *const c_char,
    /// The number of meshes.
    pub mesh_count: usize,
    /// The number of materials.
    pub material_count: usize,
    /// The number of tags: named attachment points for other models.
    pub tag_count: usize,
    /// The number of joints of the skeleton.
    pub joint_count: usize,
    /// The number of animations of joints.
    pub animation_count: usize,
    /// The number of clips.
    pub clip_count: usize,
    /// The number of frames of vertices, or of tags if that is larger.
    pub frame_count: usize,
    /// The number of frames of tags.
    pub tag_frame_count: usize,
    /// The axes and the winding of all coordinates, which are the same as in the file.
    pub space: ml_space,
    /// The handedness, which follows from the axes.
    pub handedness: raw::ml_handedness,
    /// The size of a unit in meters if the format defines it, otherwise 0.
    pub meters: f32,
    /// The usual size of a unit in meters in models of the format: an inch in MD3; 0 if there is no common unit.
    pub usual_meters: f32,
    /// The transform to apply to positions and tags: the identity, unless a script places the mesh. It may scale each
    /// axis by another factor, or mirror. Normals are multiplied by its inverse transpose. If it mirrors (its determinant
    /// is negative), two corners of each triangle have to be exchanged.
    pub placement: ml_matrix,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_model {}

/// Writes the counts and the space of a model.
///
/// Cost: the first call that needs the model makes it, O(headers and names of frames), and unpacks packed geometry
/// (UNIGINE ms14). After that O(meshes).
/// Threads: any.
/// Errors: ML_ERROR_UNSUPPORTED for one file of an Unreal mesh, errors for packed geometry that cannot be unpacked and
/// for bones whose parents form a cycle, ML_ERROR_MEMORY_LIMIT. The arrays of such a file can still be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_model(
    asset: *const ml_asset,
    model: *mut ml_model,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let found = content.model();
            let written = ml_model {
                size: 0,
                name: content.names.texts.get(content.names.model),
                mesh_count: found.meshes.len(),
                material_count: found.materials.len(),
                tag_count: found.tags.len(),
                joint_count: found.joints.len(),
                animation_count: found.animations.len(),
                clip_count: found.clips.len(),
                frame_count: found.frame_count(),
                tag_frame_count: found.tag_frame_count(),
                space: found.space.into(),
                handedness: ml_handedness::number(found.space.handedness()),
                meters: found.space.meters().unwrap_or(0.0),
                usual_meters: found.space.usual_meters().unwrap_or(0.0),
                placement: found.placement.into(),
            };
            sized::write(model, written)
        })
    })
}

/// A mesh: vertices that move together, and triangles between them.
///
/// There are two kinds of attributes. Points have positions, joints and weights; corners have normals, tangents, colors
/// and texture coordinates. In some formats vertex i has point i and corner i. Others index points and corners
/// separately, and ml_get_scene_mesh welds them into vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_mesh {
    /// sizeof(ml_mesh), or 0 for the first version of the struct.
    pub size: usize,
    /// The name. It may be empty, and several meshes may have the same.
    pub name: *const c_char,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The index of the material of all triangles; ML_NONE if they have several materials or none.
    pub material: usize,
    /// The number of positions in one frame.
    pub point_count: usize,
    /// The number of normals, colors and texture coordinates in one frame.
    pub corner_count: usize,
    /// The number of triangles.
    pub triangle_count: usize,
    /// The number of frames of vertices, or of morph targets; 1 if vertices do not move.
    pub frame_count: usize,
    /// The number of sets of texture coordinates.
    pub texcoord_set_count: usize,
    /// Not 0 if vertex i has point i and corner i.
    pub is_welded: u32,
    /// Not 0 if joints move the mesh.
    pub has_skin: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_mesh {}

/// Writes the properties of a mesh.
///
/// Cost: O(1); O(morph targets) in UNIGINE. The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_mesh(
    asset: *const ml_asset,
    index: usize,
    mesh: *mut ml_mesh,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_mesh(index, |content, found| {
            let written = ml_mesh {
                size: 0,
                name: content.names.of(&content.names.meshes, index),
                lod: found.lod,
                material: or_none(found.material),
                point_count: found.point_count(),
                corner_count: found.corner_count(),
                triangle_count: found.triangle_count(),
                frame_count: found.frame_count(),
                texcoord_set_count: found.texcoord_sets(),
                is_welded: found.is_welded().into(),
                has_skin: found.skin.is_some().into(),
            };
            sized::write(mesh, written)
        })
    })
}

/// Writes the name of a frame: of the model if `mesh` is ML_NONE, otherwise of a frame or morph target of that mesh. It
/// is empty if the frame has no name, cut to `name_size` bytes, and NUL-terminated.
///
/// Cost: O(length of the name).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, ML_ERROR_INDEX if there is no such mesh or frame; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_frame_name(
    asset: *const ml_asset,
    mesh: usize,
    frame: usize,
    name: *mut c_char,
    name_size: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let file = model_of(asset)?;
        if name_size == 0 {
            return Err(Failure::argument("there is no room for the name"));
        }
        let room = output(name, name_size)?;
        if mesh == ML_NONE {
            return file.with_model(|content| {
                check_index("frame", frame, content.model().frame_count())?;
                write_text(room, content.model().frame_name(frame));
                Ok(())
            });
        }
        file.with_mesh(mesh, |_, found| {
            check_index("frame", frame, found.frame_count())?;
            write_text(room, found.frame_name(frame));
            Ok(())
        })
    })
}

/// A material: the path of its texture as written in the file, and the few properties that the formats have.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_material {
    /// sizeof(ml_material), or 0 for the first version of the struct.
    pub size: usize,
    /// The name; the path of the shader or of the texture if the format has no other name.
    pub name: *const c_char,
    /// The path of the color texture, as written in the file, or NULL. It may have backslashes, no extension, or be
    /// absolute.
    pub texture: *const c_char,
    /// The source of the alpha of the texture.
    pub texture_alpha: raw::ml_texture_alpha,
    /// How the texture continues along U.
    pub wrap_u: raw::ml_wrap,
    /// How the texture continues along V.
    pub wrap_v: raw::ml_wrap,
    /// How alpha is used.
    pub alpha: raw::ml_alpha,
    /// The smallest alpha that is drawn with ML_ALPHA_MASK.
    pub cutoff: f32,
    /// The color that the texture is multiplied by: red, green, blue and alpha, linear.
    pub color: [f32; 4],
    /// The color of emitted light: red, green and blue, linear.
    pub emissive: [f32; 3],
    /// Not 0 if back faces are drawn.
    pub is_two_sided: u32,
    /// Not 0 if the material is drawn at full brightness, without lighting.
    pub is_unlit: u32,
    /// Not 0 if surfaces with this material are not drawn at all.
    pub is_hidden: u32,
    /// Not 0 if every four vertices of a surface are a square that turns to the camera and shows the whole texture. The
    /// texture coordinates of the surface are then not used.
    pub is_sprites: u32,
    /// The source of the texture coordinates.
    pub texture_coordinates: raw::ml_texture_coordinates,
    /// The index of the set of texture coordinates of the texture.
    pub texture_set: u32,
    /// Not 0 if the texture is drawn without filtering.
    pub is_nearest: u32,
    /// The path of the height map of the surface, or NULL. White is the highest point. ml_read_normal_map makes a normal map
    /// of it.
    pub height_map: *const c_char,
    /// The height of white over black, for a height map with sides of length 1.
    pub height_scale: f32,
    /// The index of the set of texture coordinates of the height map.
    pub height_set: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_material {}

/// Writes the properties of a material.
///
/// Cost: O(1). The first call makes the model: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such material; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_material(
    asset: *const ml_asset,
    index: usize,
    material: *mut ml_material,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        model_of(asset)?.with_model(|content| {
            let found = at(&content.model().materials, "material", index)?;
            let (name, [texture, height_map]) = at(&content.names.materials, "material", index)?;
            let (height_scale, height_set) =
                found.height_map.as_ref().map_or((0.0, 0), |map| (map.scale, map.set));
            let [wrap_u, wrap_v] = found.wrap.map(ml_wrap::number);
            let written = ml_material {
                size: 0,
                name: content.names.texts.get(*name),
                texture: content.names.texts.get_if(*texture),
                texture_alpha: ml_texture_alpha::number(found.texture_alpha),
                wrap_u,
                wrap_v,
                alpha: ml_alpha::number(found.alpha),
                cutoff: found.cutoff,
                color: found.color,
                emissive: found.emissive,
                is_two_sided: found.two_sided.into(),
                is_unlit: found.unlit.into(),
                is_hidden: found.hidden.into(),
                is_sprites: found.sprites.into(),
                texture_coordinates: ml_texture_coordinates::number(found.texture_coordinates),
                // Formats have at most eight sets.
                texture_set: found.texture_set as u32,
                is_nearest: found.nearest.into(),
                height_map: content.names.texts.get_if(*height_map),
                height_scale,
                height_set: height_set as u32,
            };
            sized::write(material, written)
        })
    })
}
