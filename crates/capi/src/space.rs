//! Spaces, and the way from that of a file to another one.

use meshlens::model::{Axis, Conversion, Space};

use crate::call::{call, check_place, output};
use crate::content::ml_file;
use crate::enums::{ml_axis, ml_space_id, ml_winding, raw};
use crate::error::ml_error;
use crate::handle;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// Where a model's own right hand, head and nose are, and how its triangles are wound.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ml_space {
    /// Where the model's own right is.
    pub right: raw::ml_axis,
    /// Where its head is.
    pub up: raw::ml_axis,
    /// Where it looks.
    pub forward: raw::ml_axis,
    /// How its front faces are wound.
    pub winding: raw::ml_winding,
}

/// A matrix of four columns: `m[4 * column + row]`. It is multiplied by columns, from the left.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ml_matrix {
    /// The columns, one after another.
    pub m: [f32; 16],
}

impl From<glam::Mat4> for ml_matrix {
    fn from(matrix: glam::Mat4) -> Self {
        ml_matrix { m: matrix.to_cols_array() }
    }
}

impl From<ml_matrix> for glam::Mat4 {
    fn from(matrix: ml_matrix) -> Self {
        glam::Mat4::from_cols_array(&matrix.m)
    }
}

impl From<Space> for ml_space {
    fn from(space: Space) -> Self {
        ml_space {
            right: ml_axis::number(space.right),
            up: ml_axis::number(space.up),
            forward: ml_axis::number(space.forward),
            winding: ml_winding::number(space.winding),
        }
    }
}

impl ml_space {
    fn to_space(self) -> Result<Space> {
        let no_axis = Failure::argument("an axis of a space is no axis");
        let axis = |number| ml_axis::read(number);
        let (Some(right), Some(up), Some(forward)) = (axis(self.right), axis(self.up), axis(self.forward))
        else {
            return Err(no_axis);
        };
        let winding = ml_winding::read(self.winding)
            .ok_or(Failure::argument("the winding of a space is no winding"))?;
        // The axes have to be three different ones.
        let line = |axis: Axis| ml_axis::number(axis).unsigned_abs();
        if line(right) == line(up) || line(up) == line(forward) || line(forward) == line(right) {
            return Err(Failure::argument("two axes of a space lie on the same line"));
        }
        Ok(Space { right, up, forward, winding })
    }
}

/// The way to the space that options ask for; `None` if nothing is converted.
pub(crate) fn conversion(
    from: &Space,
    to: raw::ml_space_id,
    custom: ml_space,
    scale: f32,
) -> Result<Option<Conversion>> {
    use ml_space_id::*;
    if !scale.is_finite() {
        return Err(Failure::argument("the scale is not finite"));
    }
    let scale = if scale == 0.0 { 1.0 } else { scale };
    let spaces = [
        (ML_SPACE_FILE, *from),
        (ML_SPACE_GLTF, Space::GLTF),
        (ML_SPACE_MD3, Space::MD3),
        (ML_SPACE_UNREAL, Space::UNREAL),
        (ML_SPACE_U3D, Space::U3D),
        (ML_SPACE_UNIGINE, Space::UNIGINE),
    ];
    let target = match spaces.into_iter().find(|(id, _)| *id as i32 == to) {
        Some((_, space)) => space,
        None if to == ML_SPACE_CUSTOM as i32 => custom.to_space()?,
        None => return Err(Failure::argument("there is no such space")),
    };
    Ok((target != *from || scale != 1.0).then(|| from.to(&target).scaled(scale)))
}

/// The way from the space of a file to another one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_conversion {
    /// sizeof(ml_conversion), or 0 for the first version of the struct.
    pub size: usize,
    /// What takes a position from the space of the file to the other one, with the scale.
    pub matrix: ml_matrix,
    /// What takes a position back.
    pub inverse: ml_matrix,
    /// Not 0 if handedness changes. Then the sign of bitangents changes too.
    pub mirrors: u32,
    /// Not 0 if two corners of each triangle have to change places, so that its front stays its front.
    pub swaps_winding: u32,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_conversion {}

/// A space to convert to, and a scale.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_convert_opts {
    /// sizeof(ml_convert_opts), or 0 for the first version of the struct.
    pub size: usize,
    /// The space.
    pub space: raw::ml_space_id,
    /// What positions and other lengths are multiplied by; 0 for 1.
    pub scale: f32,
    /// The space if `space` is ML_SPACE_CUSTOM.
    pub custom_space: ml_space,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_convert_opts {}

/// # Safety
///
/// `opts` is NULL or points to options.
unsafe fn read_conversion(file: &ml_file, opts: *const ml_convert_opts) -> Result<Conversion> {
    // SAFETY: as the caller says.
    let opts = unsafe { sized::read(opts)? };
    file.with_model(|content| {
        let from = &content.model.space;
        let found = conversion(from, opts.space, opts.custom_space, opts.scale)?;
        Ok(found.unwrap_or_else(|| from.to(from)))
    })
}

/// Writes the way from the space of a file to another one. `opts` may be NULL: the way to the same space.
///
/// Cost: O(1), after the model was made: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT for no space or a scale that is not finite; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_conversion(
    file: *const ml_file,
    opts: *const ml_convert_opts,
    out: *mut ml_conversion,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: as the header asks.
    unsafe {
        call(error, || {
            check_place(out)?;
            let conversion = read_conversion(handle::get(file)?, opts)?;
            let matrix = conversion.linear();
            let written = ml_conversion {
                size: 0,
                matrix: matrix.into(),
                inverse: matrix.inverse().into(),
                mirrors: conversion.mirrors.into(),
                swaps_winding: conversion.swaps_winding.into(),
            };
            sized::write(out, written)
        })
    }
}

/// Converts matrices from the space of a file to another one, in place: those of joints, of skinning, of tags. What such a
/// matrix did to a position, the converted one does to the converted position.
///
/// Cost: O(count).
/// Threads: any.
/// Errors: as ml_get_conversion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_convert_matrices(
    file: *const ml_file,
    opts: *const ml_convert_opts,
    matrices: *mut ml_matrix,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: as the header asks.
    unsafe {
        call(error, || {
            let conversion = read_conversion(handle::get(file)?, opts)?;
            for matrix in output(matrices, count)? {
                *matrix = conversion.matrix((*matrix).into()).into();
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_go_to_c_and_back() {
        for space in [Space::GLTF, Space::MD3, Space::UNREAL, Space::U3D, Space::UNIGINE] {
            assert_eq!(ml_space::from(space).to_space().unwrap(), space);
        }
        let gltf = ml_space::from(Space::GLTF);
        assert!(ml_space { up: gltf.right, ..gltf }.to_space().is_err());
        assert!(ml_space { up: -gltf.right, ..gltf }.to_space().is_err());
        assert!(ml_space { up: 0, ..gltf }.to_space().is_err());
        assert!(ml_space { winding: 3, ..gltf }.to_space().is_err());
        let zero = ml_space { right: 0, up: 0, forward: 0, winding: 0 };
        assert_eq!(conversion(&Space::MD3, 0, zero, 0.0).unwrap(), None);
        assert_eq!(conversion(&Space::MD3, 2, zero, 1.0).unwrap(), None);
        let way = conversion(&Space::MD3, 1, zero, 2.0).unwrap().unwrap();
        assert_eq!(way.position([1.0, 2.0, 3.0]), [4.0, 6.0, 2.0]);
        assert_eq!(conversion(&Space::MD3, 6, gltf, 2.0).unwrap(), Some(way));
        assert!(
            conversion(&Space::MD3, 6, zero, 1.0).is_err() && conversion(&Space::MD3, 7, gltf, 1.0).is_err()
        );
        assert!(conversion(&Space::MD3, 1, zero, f32::NAN).is_err());
        assert_eq!(Space::U3D.to(&Space::U3D).linear(), glam::Mat4::IDENTITY);
    }
}
