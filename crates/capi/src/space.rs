//! Spaces, and conversions between them.

use meshlens::model::{Axis, Space};

use crate::enums::{ml_axis, ml_space_id, ml_winding, raw};
use crate::result::{Failure, Result};
use crate::sized::Growing;

/// The directions to the right, up and forward of a model, as axes of its coordinate system, and the winding of its
/// front faces.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

crate::call::plain!(ml_space: raw::ml_axis, raw::ml_axis, raw::ml_axis, raw::ml_winding);

/// A matrix of four columns: `m[4 * column + row]`. It multiplies column vectors from the left.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ml_matrix {
    /// The columns, one after another.
    pub m: [f32; 16],
}

crate::call::plain!(ml_matrix: [f32; 16]);

impl From<[[f32; 4]; 4]> for ml_matrix {
    fn from(matrix: [[f32; 4]; 4]) -> Self {
        ml_matrix { m: bytemuck::cast(matrix) }
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
        let axis = |number| ml_axis::read(number).ok_or(Failure::argument("an axis of a space is no axis"));
        let (right, up, forward) = (axis(self.right)?, axis(self.up)?, axis(self.forward)?);
        let winding = ml_winding::read(self.winding)
            .ok_or(Failure::argument("the winding of a space is no winding"))?;
        // The three axes must be different.
        let line = |axis: Axis| ml_axis::number(axis).unsigned_abs();
        if line(right) == line(up) || line(up) == line(forward) || line(forward) == line(right) {
            return Err(Failure::argument("two axes of a space lie on the same line"));
        }
        Ok(Space { right, up, forward, winding })
    }
}

/// Returns the space and the scale of the options. The space is `None` if it is the space of the file.
pub(crate) fn target(opts: &ml_convert_opts) -> Result<(Option<Space>, f32)> {
    use ml_space_id::*;
    if !opts.scale.is_finite() {
        return Err(Failure::argument("the scale is not finite"));
    }
    let scale = if opts.scale == 0.0 { 1.0 } else { opts.scale };
    let space = match ml_space_id::of(opts.space).ok_or(Failure::argument("there is no such space"))? {
        ML_SPACE_FILE => None,
        ML_SPACE_GLTF => Some(Space::GLTF),
        ML_SPACE_MD3 => Some(Space::MD3),
        ML_SPACE_UNREAL => Some(Space::UNREAL),
        ML_SPACE_U3D => Some(Space::U3D),
        ML_SPACE_UNIGINE => Some(Space::UNIGINE),
        ML_SPACE_UNREAL_ENGINE => Some(Space::UNREAL_ENGINE),
        ML_SPACE_UNITY => Some(Space::UNITY),
        ML_SPACE_GODOT => Some(Space::GODOT),
        ML_SPACE_BLENDER => Some(Space::BLENDER),
        ML_SPACE_CUSTOM => Some(opts.custom_space.to_space()?),
    };
    Ok((space, scale))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_converted_to_c_and_back() {
        for space in
            [Space::GLTF, Space::MD3, Space::UNREAL, Space::U3D, Space::UNIGINE, Space::UNREAL_ENGINE]
        {
            assert_eq!(ml_space::from(space).to_space().unwrap(), space);
        }
        let gltf = ml_space::from(Space::GLTF);
        assert!(ml_space { up: gltf.right, ..gltf }.to_space().is_err());
        assert!(ml_space { up: -gltf.right, ..gltf }.to_space().is_err());
        assert!(ml_space { up: 0, ..gltf }.to_space().is_err());
        assert!(ml_space { winding: 3, ..gltf }.to_space().is_err());
        let zero = ml_space { right: 0, up: 0, forward: 0, winding: 0 };
        let to =
            |space, custom_space, scale| target(&ml_convert_opts { size: 0, space, scale, custom_space });
        assert_eq!(to(0, zero, 0.0).unwrap(), (None, 1.0));
        assert_eq!(to(1, zero, 2.0).unwrap(), (Some(Space::GLTF), 2.0));
        assert_eq!(to(6, gltf, 2.0).unwrap(), (Some(Space::GLTF), 2.0));
        assert_eq!(to(10, zero, 1.0).unwrap(), (Some(Space::BLENDER), 1.0));
        assert!(to(6, zero, 1.0).is_err() && to(11, gltf, 1.0).is_err());
        assert!(to(1, zero, f32::NAN).is_err());
    }
}
