//! Vertex and index buffers, in the layout and the space that the caller wants.

use std::ffi::c_void;
use std::mem::replace;

use meshlens::model::{Semantic, Space, VertexLayout};

use crate::animation::ml_blend;
use crate::call::{call, input, output, put};
use crate::content::ml_file;
use crate::enums::{ml_attribute, ml_index_format, ml_vertex_format, raw};
use crate::error::ml_error;
use crate::handle;
use crate::model::or_none;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};
use crate::space::{conversion, ml_convert_opts, ml_space};

/// The triangles of a mesh, and the number of vertices to draw them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_triangles {
    /// sizeof(ml_triangles), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of vertices to draw, after welding if the mesh has to be welded.
    pub vertex_count: usize,
    /// The number of triangles in all parts.
    pub triangle_count: usize,
    /// The number of indices: three for each triangle.
    pub index_count: usize,
    /// The number of parts. Each has one material, and together they cover all triangles.
    pub part_count: usize,
    /// The number of triangles that were left out because of an index out of range (Unreal). In other formats, such a
    /// triangle is an error.
    pub dropped_triangle_count: usize,
    /// The smallest index type that can index the vertices.
    pub index_format: raw::ml_index_format,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_triangles {}

/// Writes the numbers of vertices, triangles and parts that a mesh is drawn with.
///
/// Cost: the first call for a mesh checks its indices, O(triangles), and welds vertices if the format indexes points
/// and corners separately, O(n log n). Both are kept until ml_close. After that O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh, or for the first index that is not below the number of vertices, with
/// its offset; ML_ERROR_MEMORY_LIMIT; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_triangles(
    file: *const ml_file,
    mesh: usize,
    triangles: *mut ml_triangles,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let file = handle::get(file)?;
            file.with_mesh(mesh, |content, _| {
                let topology = content.topology(mesh, file.memory())?;
                // The indices are in memory, so their number does not saturate.
                let count = topology.triangles().len();
                let written = ml_triangles {
                    size: 0,
                    vertex_count: topology.vertex_count(),
                    triangle_count: count,
                    index_count: count.saturating_mul(3),
                    part_count: topology.parts().len(),
                    dropped_triangle_count: topology.dropped_triangles(),
                    index_format: ml_index_format::number(topology.index_format()),
                };
                sized::write(triangles, written)
            })
        })
    }
}

/// Triangles with the same material.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_part {
    /// sizeof(ml_part), or 0 for the first version of the struct.
    pub size: usize,
    /// The index of the material; ML_NONE if the file does not state one.
    pub material: usize,
    /// The position of the first index of the part in the index buffer.
    pub first_index: usize,
    /// The number of indices of the part.
    pub index_count: usize,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_part {}

/// Writes the properties of a part of a mesh, which is drawn with one draw call.
///
/// Cost: that of ml_get_triangles.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh or part; those of ml_get_triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_part(
    file: *const ml_file,
    mesh: usize,
    index: usize,
    part: *mut ml_part,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let file = handle::get(file)?;
            file.with_mesh(mesh, |content, _| {
                let parts = content.topology(mesh, file.memory())?.parts();
                let found = parts.get(index).ok_or_else(|| Failure::index("part", index, parts.len()))?;
                let written = ml_part {
                    size: 0,
                    material: or_none(found.material),
                    // The indices are in memory, so the numbers do not saturate.
                    first_index: found.triangles.start.saturating_mul(3),
                    index_count: found.triangles.len().saturating_mul(3),
                };
                sized::write(part, written)
            })
        })
    }
}

/// Writes the index buffer of a mesh: three indices for each triangle, part by part, in native byte order. If `opts`
/// converts to a space with another winding, the winding of the triangles is reversed; its scale has no effect. `opts`
/// may be NULL. `out_size` is in bytes, and must be the size of all indices: index_count of ml_get_triangles times 2 or
/// 4.
///
/// Cost: O(triangles), and that of ml_get_triangles.
/// Threads: any.
/// Errors: ML_ERROR_LENGTH, ML_ERROR_LIMIT if there are more vertices than 16-bit indices can index; those of
/// ml_get_triangles. The output is then unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_indices(
    file: *const ml_file,
    mesh: usize,
    format: raw::ml_index_format,
    opts: *const ml_convert_opts,
    out: *mut c_void,
    out_size: usize,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let file = handle::get(file)?;
            let opts = sized::read(opts)?;
            let format =
                ml_index_format::read(format).ok_or(Failure::argument("there is no such type of index"))?;
            file.check_apart(out.cast(), out_size)?;
            let out = output::<u8>(out.cast(), out_size)?;
            file.with_mesh(mesh, |content, _| {
                let way = conversion(&content.model.space, opts.space, opts.custom_space, opts.scale)?;
                let topology = content.topology(mesh, file.memory())?;
                Ok(topology.write_indices(format, way.as_ref(), out)?)
            })
        })
    }
}

/// One attribute of a vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ml_vertex_attribute {
    /// The kind of attribute.
    pub attribute: raw::ml_attribute,
    /// The index of the set of texture coordinates; 0 for other attributes.
    pub set: u32,
    /// The offset in the vertex, in bytes: a multiple of the size of one of its components.
    pub offset: u32,
    /// The format in which it is stored.
    pub format: raw::ml_vertex_format,
}

/// A flag of ml_vertex_layout: write past the cache. For mapped staging memory, and for buffers larger than the cache.
/// Bytes that belong to no attribute become 0.
pub const ML_LAYOUT_NON_TEMPORAL: u32 = 1;

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
    /// The space that positions, normals and tangents are converted to; 0 is the space of the file.
    pub space: raw::ml_space_id,
    /// The factor of positions; 0 means 1.
    pub scale: f32,
    /// The space if `space` is ML_SPACE_CUSTOM.
    pub custom_space: ml_space,
    /// ML_LAYOUT_NON_TEMPORAL, or 0.
    pub flags: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_vertex_layout {}

/// The largest number of attributes in a vertex. GPUs support 16 to 32.
const MOST_ATTRIBUTES: usize = 64;

/// A layout that was read.
pub(crate) struct OwnedLayout {
    layout: ml_vertex_layout,
    attributes: Vec<ml_vertex_attribute>,
}

impl OwnedLayout {
    /// Reads a layout, and checks what can be checked before the file is known.
    ///
    /// # Safety
    ///
    /// `layout` is NULL or points to a layout, whose list is valid.
    pub(crate) unsafe fn read(layout: *const ml_vertex_layout) -> Result<OwnedLayout> {
        // SAFETY: guaranteed by the caller.
        let (layout, attributes) = unsafe { read_list(layout)? };
        let owned = OwnedLayout { layout, attributes: attributes.to_vec() };
        owned.resolve(&Space::GLTF)?;
        Ok(owned)
    }

    /// The layout for a file whose coordinates are in this space.
    pub(crate) fn resolve(&self, from: &Space) -> Result<VertexLayout> {
        resolve(&self.layout, &self.attributes, from)
    }
}

/// # Safety
///
/// `layout` is NULL or points to a layout, whose list is valid.
unsafe fn read_layout(layout: *const ml_vertex_layout, from: &Space) -> Result<VertexLayout> {
    // SAFETY: guaranteed by the caller.
    let (layout, attributes) = unsafe { read_list(layout)? };
    resolve(&layout, attributes, from)
}

/// # Safety
///
/// As [`read_layout`].
unsafe fn read_list<'a>(
    layout: *const ml_vertex_layout,
) -> Result<(ml_vertex_layout, &'a [ml_vertex_attribute])> {
    if layout.is_null() {
        return Err(Failure::argument("the layout is NULL"));
    }
    // SAFETY: guaranteed by the caller.
    let layout = unsafe { sized::read(layout)? };
    if layout.attribute_count > MOST_ATTRIBUTES {
        return Err(Failure::argument("a layout has more than 64 attributes"));
    }
    // SAFETY: guaranteed by the caller.
    let attributes = unsafe { input(layout.attributes, layout.attribute_count)? };
    Ok((layout, attributes))
}

fn resolve(
    layout: &ml_vertex_layout,
    attributes: &[ml_vertex_attribute],
    from: &Space,
) -> Result<VertexLayout> {
    if layout.flags & !ML_LAYOUT_NON_TEMPORAL != 0 {
        return Err(Failure::argument("a layout has flags that are not known"));
    }
    let mut made = VertexLayout::new(layout.stride);
    let mut joints = false;
    for attribute in attributes {
        let format = ml_vertex_format::read(attribute.format)
            .ok_or(Failure::argument("the format of an attribute is no vertex format"))?;
        let offset = attribute.offset as usize;
        let semantic = semantic(attribute.attribute, attribute.set)?;
        if semantic == Semantic::Joints {
            let storable =
                [ml_vertex_format::ML_VERTEX_FORMAT_UINT8X4, ml_vertex_format::ML_VERTEX_FORMAT_UINT16X4];
            if !storable.iter().any(|known| *known as i32 == attribute.format) {
                return Err(Failure::argument(
                    "joints can only be stored as ML_VERTEX_FORMAT_UINT8X4 or ML_VERTEX_FORMAT_UINT16X4",
                ));
            }
            if replace(&mut joints, true) {
                return Err(Failure::argument("a layout has joints twice"));
            }
        }
        made = made.with(semantic, offset, format);
    }
    if let Some(way) = conversion(from, layout.space, layout.custom_space, layout.scale)? {
        made = made.converted(way);
    }
    Ok(if layout.flags & ML_LAYOUT_NON_TEMPORAL != 0 { made.non_temporal() } else { made })
}

/// Converts the attribute to the library's type.
fn semantic(attribute: raw::ml_attribute, set: u32) -> Result<Semantic> {
    use ml_attribute::*;
    let known = [
        (ML_ATTRIBUTE_POSITION, Semantic::Position),
        (ML_ATTRIBUTE_NORMAL, Semantic::Normal),
        (ML_ATTRIBUTE_TANGENT, Semantic::Tangent),
        (ML_ATTRIBUTE_COLOR, Semantic::Color),
        (ML_ATTRIBUTE_TEXCOORD, Semantic::Texcoord(set as usize)),
        (ML_ATTRIBUTE_WEIGHTS, Semantic::Weights),
        (ML_ATTRIBUTE_JOINTS, Semantic::Joints),
    ];
    let found = known.into_iter().find(|(known, _)| *known as i32 == attribute);
    found.map(|(_, semantic)| semantic).ok_or(Failure::argument("there is no such attribute of a vertex"))
}

/// Fills a vertex buffer with a mesh in one frame, or between two frames. Positions are interpolated linearly, and
/// normals are normalized. `blend` may be NULL, which means frame 0. `out_size` is in bytes, and must be vertex_count
/// of ml_get_triangles times the stride of the layout.
///
/// Arrays of the file are gathered, decoded, blended, converted and stored in one pass over `out`. Normals that are
/// computed from triangles (Unreal) are first written to temporary memory.
///
/// Cost: O(vertices), and that of ml_get_triangles for meshes that are not welded.
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such mesh or frame, ML_ERROR_MISSING for an attribute that the mesh does not
/// have, ML_ERROR_VALUE and ML_ERROR_UNSUPPORTED for a layout that does not fit, ML_ERROR_LENGTH; those of
/// ml_get_triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_fill_vertex_buffer(
    file: *const ml_file,
    mesh: usize,
    blend: *const ml_blend,
    layout: *const ml_vertex_layout,
    out: *mut c_void,
    out_size: usize,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let file = handle::get(file)?;
            let blend = match blend {
                blend if blend.is_null() => ml_blend { a: 0, b: 0, weight: 0.0 },
                blend if blend.is_aligned() => *blend,
                _ => return Err(Failure::argument("the frames are not aligned")),
            };
            file.check_apart(out.cast(), out_size)?;
            let out = output::<u8>(out.cast(), out_size)?;
            file.with_mesh(mesh, |content, found| {
                let layout = read_layout(layout, &content.model.space)?;
                if found.is_welded() {
                    return Ok(found.interleave(&Default::default(), blend, &layout, out)?);
                }
                let topology = content.topology(mesh, file.memory())?;
                Ok(found.interleave(topology, blend, &layout, out)?)
            })
        })
    }
}

/// Writes 1 to `*has` if ml_fill_vertex_buffer can write this attribute of a mesh, else 0. `set` is the set of texture
/// coordinates, else 0.
///
/// Cost: O(1) for positions and texture coordinates, else up to O(corners), and the same amount of temporary memory.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT, ML_ERROR_INDEX if there is no such mesh; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_has_attribute(
    file: *const ml_file,
    mesh: usize,
    attribute: raw::ml_attribute,
    set: u32,
    has: *mut u32,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
    unsafe {
        call(error, || {
            let attribute = semantic(attribute, set)?;
            handle::get(file)?.with_mesh(mesh, |_, found| {
                let there = found.frame_count() > 0;
                let found = match attribute {
                    Semantic::Position => there,
                    Semantic::Normal => {
                        there && (found.normals(0)?.is_some() || found.normals_into(0, &mut Vec::new())?)
                    }
                    Semantic::Tangent => there && found.tangents_into(0, &mut Vec::new())?,
                    Semantic::Color => found.colors_into(&mut Vec::new())?,
                    Semantic::Texcoord(set) => set < found.texcoord_sets(),
                    _ => found.influences_into(&mut Vec::new(), &mut Vec::new())?,
                };
                put(has, found.into())
            })
        })
    }
}
