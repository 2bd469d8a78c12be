//! Vertex and index buffers, in the layout that the caller wants.

use std::ffi::c_void;
use std::mem::replace;

use meshlens::lens::VertexFormat;
use meshlens::model::{MAX_ATTRIBUTES, Semantic, VertexLayout};

use super::pose::ml_pose;
use super::{ml_scene, with_pose};
use crate::asset::{ml_asset, model_of};
use crate::call::{at, call, check_length, input, output, put};
use crate::enums::{ml_attribute, ml_index_format, ml_vertex_format, raw};
use crate::error::ml_error;
use crate::handle;
use crate::model::or_none;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};
use crate::space::ml_matrix;

/// A mesh of a scene, and the numbers that it is drawn with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_scene_mesh {
    /// sizeof(ml_scene_mesh), or 0 for the first version of the struct.
    pub size: usize,
    /// The index of its node.
    pub node: usize,
    /// The index of the mesh in the model of the node, at the level of detail of the scene.
    pub mesh: usize,
    /// The number of vertices to draw, after welding if the mesh has to be welded.
    pub vertex_count: usize,
    /// The number of triangles in all submeshes.
    pub triangle_count: usize,
    /// The number of indices: three for each triangle.
    pub index_count: usize,
    /// The number of submeshes. Each has one material, and together they cover all triangles.
    pub submesh_count: usize,
    /// The number of triangles that were left out because of an index out of range (Unreal). In other formats, such a
    /// triangle is an error.
    pub dropped_triangle_count: usize,
    /// The smallest index type that can index the vertices.
    pub index_format: raw::ml_index_format,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_scene_mesh {}

/// Writes the properties of a mesh of a scene. Meshes are listed node by node, in file order.
///
/// Cost: the first call for a mesh checks its indices, O(triangles), and welds vertices if the format indexes points
/// and corners separately, O(n log n). Both are kept until ml_close_scene. After that O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or for the first index that is not below the number of vertices, with
/// its offset; ML_ERROR_MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_scene_mesh(
    scene: *const ml_scene,
    index: usize,
    mesh: *mut ml_scene_mesh,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        scene.with_mesh(index, |found| {
            // The indices are in memory, so their number does not saturate.
            let count = found.triangle_count();
            let written = ml_scene_mesh {
                size: 0,
                node: found.node(),
                mesh: scene.meshes.get(index).map_or(0, |mesh| mesh.mesh),
                vertex_count: found.vertex_count(),
                triangle_count: count,
                index_count: count.saturating_mul(3),
                submesh_count: found.submeshes().len(),
                dropped_triangle_count: found.topology().dropped_triangles(),
                index_format: ml_index_format::number(found.index_format()),
            };
            sized::write(mesh, written)
        })
    })
}

/// Triangles with the same material, which are drawn with one draw call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_submesh {
    /// sizeof(ml_submesh), or 0 for the first version of the struct.
    pub size: usize,
    /// The index of the material in the model of the node; ML_NONE if the file does not state one.
    pub material: usize,
    /// The position of the first index of the submesh in the index buffer.
    pub first_index: usize,
    /// The number of indices of the submesh.
    pub index_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_submesh {}

/// Writes the properties of a submesh of a mesh.
///
/// Cost: that of ml_get_scene_mesh.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh or submesh; those of ml_get_scene_mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_submesh(
    scene: *const ml_scene,
    mesh: usize,
    index: usize,
    submesh: *mut ml_submesh,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::get(scene)?.with_mesh(mesh, |mesh| {
            let found = at(mesh.submeshes(), "submesh", index)?;
            let written = ml_submesh {
                size: 0,
                material: or_none(found.material),
                // The indices are in memory, so the numbers do not saturate.
                first_index: found.triangles.start.saturating_mul(3),
                index_count: found.triangles.len().saturating_mul(3),
            };
            sized::write(submesh, written)
        })
    })
}

/// Writes the index buffer of a mesh: three indices for each triangle, submesh by submesh, in native byte order, with the
/// winding of the scene's space. `out_size` is in bytes, and must be the size of all indices: index_count of
/// ml_get_scene_mesh times 2 or 4.
///
/// Cost: O(triangles), and that of ml_get_scene_mesh.
/// Threads: any.
/// Errors: ML_ERROR_LENGTH, ML_ERROR_LIMIT if there are more vertices than 16-bit indices can index; those of
/// ml_get_scene_mesh. The output is then unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_indices(
    scene: *const ml_scene,
    mesh: usize,
    format: raw::ml_index_format,
    out: *mut c_void,
    out_size: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        let format =
            ml_index_format::read(format).ok_or(Failure::argument("there is no such type of index"))?;
        scene.check_apart(out.cast(), out_size)?;
        let out = output::<u8>(out.cast(), out_size)?;
        scene.with_mesh(mesh, |mesh| Ok(mesh.write_indices(format, out)?))
    })
}

/// One attribute of a vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ml_vertex_attribute {
    /// The kind of attribute.
    pub attribute: raw::ml_attribute,
    /// The index of the set of texture coordinates or colors; 0 for other attributes.
    pub set: u32,
    /// The offset in the vertex, in bytes: a multiple of the size of one of its components.
    pub offset: u32,
    /// The format in which it is stored.
    pub format: raw::ml_vertex_format,
}

crate::call::plain!(ml_vertex_attribute: raw::ml_attribute, u32, u32, raw::ml_vertex_format);

/// A flag of ml_vertex_layout: write past the cache. For mapped staging memory, and for buffers larger than the cache.
/// Bytes that belong to no attribute become 0.
pub const ML_LAYOUT_NON_TEMPORAL: u32 = 1;

/// A flag of ml_vertex_layout: write only positions, normals and tangents, which depend on the pose. Other bytes are
/// unchanged, so a buffer that was filled once without the flag is brought to the next pose with it. Not together with
/// ML_LAYOUT_NON_TEMPORAL.
pub const ML_LAYOUT_MOVING: u32 = 2;

/// The layout of the vertices in a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_vertex_layout {
    /// sizeof(ml_vertex_layout), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of bytes from one vertex to the next. Bytes that belong to no attribute are left unchanged.
    pub stride: usize,
    /// The attributes, which must not overlap.
    pub attributes: *const ml_vertex_attribute,
    /// The number of attributes.
    pub attribute_count: usize,
    /// ML_LAYOUT_NON_TEMPORAL, ML_LAYOUT_MOVING, or 0.
    pub flags: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_vertex_layout {}

/// # Safety
///
/// `layout` is NULL or points to a layout, whose list is valid.
pub(crate) unsafe fn read_layout(layout: *const ml_vertex_layout) -> Result<VertexLayout> {
    if layout.is_null() {
        return Err(Failure::argument("the layout is NULL"));
    }
    // SAFETY: guaranteed by the caller.
    let layout = unsafe { sized::read(layout)? };
    if layout.attribute_count > MAX_ATTRIBUTES {
        return Err(Failure::argument("a layout has more than 32 attributes"));
    }
    if layout.flags > ML_LAYOUT_MOVING {
        return Err(Failure::argument(
            "a layout has flags that are not known, or two that exclude each other",
        ));
    }
    let mut made = VertexLayout::new(layout.stride);
    let mut joints = false;
    // SAFETY: guaranteed by the caller.
    for attribute in unsafe { input(layout.attributes, layout.attribute_count)? } {
        let format = ml_vertex_format::read(attribute.format)
            .ok_or(Failure::argument("the format of an attribute is no vertex format"))?;
        let semantic = semantic(attribute.attribute)?;
        if semantic == Semantic::Joints {
            if !matches!(format, VertexFormat::Uint8x4 | VertexFormat::Uint16x4) {
                return Err(Failure::argument(
                    "joints can only be stored as ML_VERTEX_FORMAT_UINT8X4 or ML_VERTEX_FORMAT_UINT16X4",
                ));
            }
            if replace(&mut joints, true) {
                return Err(Failure::argument("a layout has joints twice"));
            }
        }
        made.add(semantic, attribute.set as usize, attribute.offset as usize, format);
    }
    match layout.flags {
        ML_LAYOUT_NON_TEMPORAL => Ok(made.non_temporal()),
        ML_LAYOUT_MOVING => Ok(made.moving()),
        _ => Ok(made),
    }
}

/// Converts the attribute to the library's type.
fn semantic(attribute: raw::ml_attribute) -> Result<Semantic> {
    ml_attribute::read(attribute).ok_or(Failure::argument("there is no such attribute of a vertex"))
}

/// Fills a vertex buffer with a mesh in a pose: frames are blended, joints move their vertices, and positions, normals and
/// tangents are in the space of the scene. If the layout has joints and weights, the vertices stay as they are bound, for a
/// shader that moves them with ml_get_skin_matrices. `pose` may be NULL, which means at rest. `out_size` is in bytes, and
/// must be vertex_count of ml_get_scene_mesh times the stride of the layout.
///
/// Arrays of the file are gathered, decoded, blended, converted and stored in one pass over `out`, and nothing is allocated
/// after the first call. Values that are computed, such as the normals of a frame of an Unreal mesh, are
/// kept until the asset or file and its scenes are closed.
///
/// Cost: O(vertices), and that of ml_get_scene_mesh for meshes that are not welded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or the pose is of another scene, ML_ERROR_MISSING for an attribute that
/// the mesh does not have, ML_ERROR_VALUE and ML_ERROR_UNSUPPORTED for a layout that does not fit, ML_ERROR_LENGTH; those
/// of ml_get_scene_mesh. The output is then unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_fill_vertex_buffer(
    scene: *const ml_scene,
    mesh: usize,
    pose: *const ml_pose,
    layout: *const ml_vertex_layout,
    out: *mut c_void,
    out_size: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        let layout = read_layout(layout)?;
        scene.check_apart(out.cast(), out_size)?;
        let out = output::<u8>(out.cast(), out_size)?;
        with_pose(scene, pose, |pose| {
            scene.with_vertices(mesh, |mesh| Ok(mesh.fill_vertex_buffer(pose, &layout, out)?))
        })
    })
}

/// Writes the matrices with which a vertex shader moves the vertices of a mesh, one for each joint of its model. They
/// turn the vertices that ml_fill_vertex_buffer writes with joints and weights into vertices in the pose. `pose` may be
/// NULL, which means at rest. `count` must be the number of joints.
///
/// Cost: O(joints), and that of ml_get_scene_mesh for meshes that are not welded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or the pose is of another scene, ML_ERROR_MISSING if no joint moves it,
/// ML_ERROR_LENGTH; those of ml_get_scene_mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_skin_matrices(
    scene: *const ml_scene,
    mesh: usize,
    pose: *const ml_pose,
    skin: *mut ml_matrix,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let scene = handle::get(scene)?;
        let out = output(skin, count)?;
        with_pose(scene, pose, |pose| {
            scene.with_vertices(mesh, |mesh| {
                if mesh.mesh().skin.is_none() {
                    return Err(Failure::new(ml_result::ML_ERROR_MISSING, "no joint moves the mesh"));
                }
                let found = mesh.skin(pose)?;
                check_length("joints", found.len(), count)?;
                out.iter_mut().zip(found).for_each(|(out, matrix)| *out = matrix.into());
                Ok(())
            })
        })
    })
}

/// Writes 1 to `*has` if ml_fill_vertex_buffer can write this attribute of a mesh, otherwise 0. `set` is the set of
/// texture coordinates or colors, else 0.
///
/// Cost: O(1) for positions and texture coordinates, else up to O(corners), and the same amount of temporary memory.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, ML_ERROR_INDEX if there is no such mesh; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_has_attribute(
    asset: *const ml_asset,
    mesh: usize,
    attribute: raw::ml_attribute,
    set: u32,
    has: *mut u32,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let attribute = semantic(attribute)?;
        model_of(asset)?.with_mesh(mesh, |_, found| {
            let moves = matches!(attribute, Semantic::Position | Semantic::Normal | Semantic::Tangent);
            let has_frame = !moves || found.frame_count() > 0;
            let is_there = has_frame && found.attribute(attribute, set as usize, 0)?.is_some();
            put(has, is_there.into())
        })
    })
}
