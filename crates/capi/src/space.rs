//! Spaces, and conversions between them.

use meshlens::model::{Axis, Conversion, Space};

use crate::call::{call, check_place, output};
use crate::content::ml_file;
use crate::enums::{ml_axis, ml_space_id, ml_winding, raw};
use crate::error::ml_error;
use crate::handle;
use crate::result::{Failure, Result, ml_result};
use crate::sized::{self, Growing};

/// The directions to the right, up and forward of a model, as axes of its coordinate system, and the winding of its
/// front faces.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ml_space {
    /// The axis to the right of the model, as seen by the model.
    pub right: raw::ml_axis,
    /// The axis that points up.
    pub up: raw::ml_axis,
    /// The axis along which the model looks.
    pub forward: raw::ml_axis,
    /// The winding of front faces.
    pub winding: raw::ml_winding,
}

/// A matrix of four columns: `m[4 * column + row]`. It multiplies column vectors from the left.
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
        // The axes must be three different ones.
        let line = |axis: Axis| ml_axis::number(axis).unsigned_abs();
        if line(right) == line(up) || line(up) == line(forward) || line(forward) == line(right) {
            return Err(Failure::argument("two axes of a space lie on the same line"));
        }
        Ok(Space { right, up, forward, winding })
    }
}

/// The conversion to the space in the options; `None` if nothing is converted.
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

/// The conversion from the space of a file to another one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_conversion {
    /// sizeof(ml_conversion), or 0 for the first version of the struct.
    pub size: usize,
    /// The matrix that converts positions, including the scale.
    pub matrix: ml_matrix,
    /// The inverse matrix.
    pub inverse: ml_matrix,
    /// Not 0 if the handedness changes. The sign of bitangents then changes too.
    pub mirrors: u32,
    /// Not 0 if the winding changes: two corners of each triangle must then be exchanged.
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
    /// The factor of positions and other lengths; 0 means 1.
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
    // SAFETY: guaranteed by the caller.
    let opts = unsafe { sized::read(opts)? };
    file.with_model(|content| {
        let from = &content.model.space;
        let found = conversion(from, opts.space, opts.custom_space, opts.scale)?;
        Ok(found.unwrap_or_else(|| from.to(from)))
    })
}

/// Writes the conversion from the space of a file to another one. `opts` may be NULL, which means the same space.
///
/// Cost: O(1), after the model was made: see ml_get_model.
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT for an invalid space or a scale that is not finite; those of ml_get_model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_conversion(
    file: *const ml_file,
    opts: *const ml_convert_opts,
    out: *mut ml_conversion,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
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

/// Converts matrices from the space of a file to another one, in place: matrices of joints, of skinning, of tags. The
/// converted matrix moves converted positions in the same way.
///
/// Cost: O(count).
/// Threads: any.
/// Errors: those of ml_get_conversion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_convert_matrices(
    file: *const ml_file,
    opts: *const ml_convert_opts,
    matrices: *mut ml_matrix,
    count: usize,
    error: *mut ml_error,
) -> ml_result {
    // SAFETY: required by the header.
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
