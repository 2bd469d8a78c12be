//! Spaces: the axes, the winding and the unit of a format, and conversions between them.

use glam::{Mat3, Mat4};

use super::Transform;

/// A coordinate axis and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Axis {
    X,
    Y,
    Z,
    NegX,
    NegY,
    NegZ,
}

impl Axis {
    /// The axis as a vector of length 1.
    pub const fn vector(self) -> [f32; 3] {
        match self {
            Axis::X => [1.0, 0.0, 0.0],
            Axis::Y => [0.0, 1.0, 0.0],
            Axis::Z => [0.0, 0.0, 1.0],
            Axis::NegX => [-1.0, 0.0, 0.0],
            Axis::NegY => [0.0, -1.0, 0.0],
            Axis::NegZ => [0.0, 0.0, -1.0],
        }
    }

    /// The name of the axis with its direction, such as `-X`.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::X => "+X",
            Axis::Y => "+Y",
            Axis::Z => "+Z",
            Axis::NegX => "-X",
            Axis::NegY => "-Y",
            Axis::NegZ => "-Z",
        }
    }

    const fn component(self) -> usize {
        match self {
            Axis::X | Axis::NegX => 0,
            Axis::Y | Axis::NegY => 1,
            Axis::Z | Axis::NegZ => 2,
        }
    }

    const fn sign(self) -> f32 {
        match self {
            Axis::X | Axis::Y | Axis::Z => 1.0,
            Axis::NegX | Axis::NegY | Axis::NegZ => -1.0,
        }
    }
}

/// The order of the corners of a triangle that faces the viewer, as seen on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Winding {
    Clockwise,
    CounterClockwise,
}

/// The directions to the right, up and forward of a model, as axes of its coordinate system, and the winding of its
/// front faces.
///
/// | space | right | up | forward | handedness | front faces | one unit |
/// |---|---|---|---|---|---|---|
/// | [`GLTF`](Space::GLTF) | -X | +Y | +Z | right | counter-clockwise | a meter |
/// | [`MD3`](Space::MD3) | -Y | +Z | +X | right | clockwise | about an inch |
/// | [`UNREAL`](Space::UNREAL) | +Y | +Z | +X | left | clockwise | not defined |
/// | [`U3D`](Space::U3D) | -X | +Y | -Z | left | clockwise | not defined |
/// | [`UNIGINE`](Space::UNIGINE) | +X | +Z | +Y | right | counter-clockwise | a meter |
/// | [`UNREAL_ENGINE`](Space::UNREAL_ENGINE) | +Y | +Z | +X | left | counter-clockwise | a centimeter |
/// | [`UNITY`](Space::UNITY) | +X | +Y | +Z | left | clockwise | a meter |
/// | [`GODOT`](Space::GODOT) | -X | +Y | +Z | right | clockwise | a meter |
/// | [`BLENDER`](Space::BLENDER) | -X | +Z | -Y | right | counter-clockwise | a meter |
///
/// Ultimate 3D defines no forward axis for models. With the axis given here, a model faces the viewer both in its own
/// space and in the space of glTF. The last four are not formats, but programs that receive vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// The axis to the right of the model, as seen by the model.
    pub right: Axis,
    /// The axis that points up.
    pub up: Axis,
    /// The axis along which the model looks.
    pub forward: Axis,
    /// The winding of front faces.
    pub winding: Winding,
}

/// The handedness of a coordinate system: thumb, index finger and middle finger of this hand point along X, Y and Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Handedness {
    Right,
    Left,
}

impl Space {
    /// glTF 2.0: 3.4 Coordinate System and Units.
    pub const GLTF: Space =
        Space { right: Axis::NegX, up: Axis::Y, forward: Axis::Z, winding: Winding::CounterClockwise };
    /// Quake 3 MD3.
    pub const MD3: Space =
        Space { right: Axis::NegY, up: Axis::Z, forward: Axis::X, winding: Winding::Clockwise };
    /// Unreal vertex meshes.
    pub const UNREAL: Space =
        Space { right: Axis::Y, up: Axis::Z, forward: Axis::X, winding: Winding::Clockwise };
    /// Ultimate 3D.
    pub const U3D: Space =
        Space { right: Axis::NegX, up: Axis::Y, forward: Axis::NegZ, winding: Winding::Clockwise };
    /// UNIGINE.
    pub const UNIGINE: Space =
        Space { right: Axis::X, up: Axis::Z, forward: Axis::Y, winding: Winding::CounterClockwise };
    /// Unreal Engine 4 and 5, with the same front faces as [`UNREAL`](Self::UNREAL), but the opposite winding.
    pub const UNREAL_ENGINE: Space =
        Space { right: Axis::Y, up: Axis::Z, forward: Axis::X, winding: Winding::CounterClockwise };
    /// Unity.
    pub const UNITY: Space =
        Space { right: Axis::X, up: Axis::Y, forward: Axis::Z, winding: Winding::Clockwise };
    /// Godot 4: a model looks along `Vector3.MODEL_FRONT`.
    pub const GODOT: Space =
        Space { right: Axis::NegX, up: Axis::Y, forward: Axis::Z, winding: Winding::Clockwise };
    /// Blender: a model faces the viewer in the front view.
    pub const BLENDER: Space =
        Space { right: Axis::NegX, up: Axis::Z, forward: Axis::NegY, winding: Winding::CounterClockwise };

    /// Every space above and its name.
    pub const NAMED: [(&'static str, Space); 9] = [
        ("gltf", Space::GLTF),
        ("md3", Space::MD3),
        ("unreal", Space::UNREAL),
        ("u3d", Space::U3D),
        ("unigine", Space::UNIGINE),
        ("unreal_engine", Space::UNREAL_ENGINE),
        ("unity", Space::UNITY),
        ("godot", Space::GODOT),
        ("blender", Space::BLENDER),
    ];

    /// The space with this name, such as `unreal_engine`.
    pub fn of_name(name: &str) -> Option<Space> {
        Space::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, space)| space)
    }

    /// The name of the space; `None` if it is not one of [`NAMED`](Space::NAMED).
    pub fn name(&self) -> Option<&'static str> {
        Space::NAMED.iter().find(|(_, known)| known == self).map(|(name, _)| *name)
    }

    fn basis(&self) -> Mat3 {
        Mat3::from_cols_array_2d(&[self.right, self.up, self.forward].map(Axis::vector))
    }

    /// The handedness, computed from the axes.
    pub fn handedness(&self) -> Handedness {
        // Right, up and backwards make a right-handed system.
        if self.basis().determinant() < 0.0 { Handedness::Right } else { Handedness::Left }
    }

    /// The size of a unit in meters; `None` if the format does not define it.
    pub fn meters(&self) -> Option<f32> {
        match *self {
            Space::GLTF | Space::UNIGINE | Space::UNITY | Space::GODOT | Space::BLENDER => Some(1.0),
            Space::UNREAL_ENGINE => Some(0.01),
            _ => None,
        }
    }

    /// The size of a unit in meters in most models: the size that the format defines, an inch for MD3, and a sixteenth
    /// of a foot for Unreal. `None` for Ultimate 3D, whose models have no common unit.
    pub fn usual_meters(&self) -> Option<f32> {
        match *self {
            Space::MD3 => Some(0.0254),
            Space::UNREAL => Some(0.3048 / 16.0),
            _ => self.meters(),
        }
    }

    /// The same space for a model that looks along another axis, turned around [`up`](Self::up); `None` for the axis that points up
    /// or down. UNIGINE's files do not say where a mesh looks: characters often look along -Y.
    ///
    /// ```
    /// use meshlens::model::{Axis, Space};
    ///
    /// let back = Space::UNIGINE.facing(Axis::NegY).unwrap();
    /// assert_eq!((back.right, back.up, back.handedness()), (Axis::NegX, Axis::Z, Space::UNIGINE.handedness()));
    /// assert_eq!(Space::UNIGINE.facing(Axis::Z), None);
    /// ```
    #[must_use]
    pub fn facing(self, forward: Axis) -> Option<Space> {
        let axes = [Axis::X, Axis::Y, Axis::Z, Axis::NegX, Axis::NegY, Axis::NegZ];
        let turned = axes.into_iter().map(|right| Space { right, forward, ..self });
        let own = self.basis().determinant();
        turned.into_iter().find(|space| space.basis().determinant() == own)
    }

    /// The conversion from this space to `target`. O(1).
    pub fn to(&self, target: &Space) -> Conversion {
        let mut conversion = Conversion {
            source: [0; 3],
            sign: [0.0; 3],
            scale: 1.0,
            mirrors: self.handedness() != target.handedness(),
            swaps_winding: self.winding != target.winding,
        };
        let pairs = [(self.right, target.right), (self.up, target.up), (self.forward, target.forward)];
        for (from, to) in pairs {
            if let (Some(source), Some(sign)) =
                (conversion.source.get_mut(to.component()), conversion.sign.get_mut(to.component()))
            {
                *source = from.component();
                *sign = from.sign() * to.sign();
            }
        }
        conversion
    }
}

/// A conversion from one space to another. It exchanges components, changes their signs, and scales lengths.
///
/// Without a scale, coordinates are only exchanged and negated, so the opposite conversion restores them bit for bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    source: [usize; 3],
    sign: [f32; 3],
    /// The factor for positions and other lengths.
    pub scale: f32,
    /// Whether the handedness changes.
    pub mirrors: bool,
    /// Whether the winding changes, so that two corners of each triangle are swapped.
    pub swaps_winding: bool,
}

impl Conversion {
    /// The conversion from a space to itself.
    pub(crate) const IDENTITY: Conversion =
        Conversion { source: [0, 1, 2], sign: [1.0; 3], scale: 1.0, mirrors: false, swaps_winding: false };

    /// The same conversion with another scale for lengths.
    #[must_use]
    pub const fn scaled(mut self, scale: f32) -> Self {
        self.scale = scale;
        self
    }

    /// Converts a direction, such as a normal. Its length does not change.
    #[inline]
    pub fn direction(&self, v: [f32; 3]) -> [f32; 3] {
        let ([a, b, c], [s, t, u]) = (self.factors(v), self.sign);
        [a * s, b * t, c * u]
    }

    /// Converts a position.
    #[inline]
    pub fn position(&self, v: [f32; 3]) -> [f32; 3] {
        self.direction(v).map(|axis| axis * self.scale)
    }

    /// Converts three scale factors, one for each axis. Their signs do not change.
    #[inline]
    pub fn factors(&self, v: [f32; 3]) -> [f32; 3] {
        // Every source is below 3, so the default is never used.
        self.source.map(|axis| v.get(axis).copied().unwrap_or(0.0))
    }

    /// Converts a tangent and the sign of its bitangent, which changes with the handedness.
    #[inline]
    pub fn tangent(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = self.direction([x, y, z]);
        [x, y, z, if self.mirrors { -w } else { w }]
    }

    /// Converts a rotation x, y, z, w, so that it rotates converted vectors in the same way.
    pub fn rotation(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        // The axis of a rotation is a pseudovector: a mirror reverses it.
        let [x, y, z] = self.direction([x, y, z]);
        if self.mirrors { [-x, -y, -z, w] } else { [x, y, z, w] }
    }

    /// Converts the transform of a joint.
    pub fn transform(&self, transform: &Transform) -> Transform {
        Transform {
            translation: self.position(transform.translation),
            rotation: self.rotation(transform.rotation),
            scale: self.factors(transform.scale),
        }
    }

    /// Converts a transform, so that it moves converted points in the same way. Matrices are column-major.
    pub fn matrix(&self, matrix: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
        let change = Mat4::from_cols_array_2d(&self.linear());
        // The inverse of the whole matrix would round the last row, and the result for an affine matrix would not be
        // affine.
        let back = Mat4::from_mat3(Mat3::from_mat4(change).inverse());
        (change * Mat4::from_cols_array_2d(&matrix) * back).to_cols_array_2d()
    }

    /// The conversion of positions as a matrix, column-major.
    pub fn linear(&self) -> [[f32; 4]; 4] {
        let column = |axis: Axis| {
            let [x, y, z] = self.position(axis.vector());
            [x, y, z, 0.0]
        };
        [column(Axis::X), column(Axis::Y), column(Axis::Z), [0.0, 0.0, 0.0, 1.0]]
    }

    /// The source of each component of a position, and its factor. A fourth component is unchanged.
    pub(crate) fn position_factors(&self) -> ([usize; 4], [f32; 4]) {
        let ([a, b, c], [s, t, u]) = (self.source, self.sign.map(|sign| sign * self.scale));
        ([a, b, c, 3], [s, t, u, 1.0])
    }

    /// Like [`position_factors`](Self::position_factors), for a direction, or a tangent with the sign of its bitangent.
    pub(crate) fn direction_factors(&self) -> ([usize; 4], [f32; 4]) {
        let ([a, b, c], [s, t, u]) = (self.source, self.sign);
        ([a, b, c, 3], [s, t, u, if self.mirrors { -1.0 } else { 1.0 }])
    }

    /// Converts the corners of a triangle: two of them are swapped if the winding changes.
    #[inline]
    pub const fn corners(&self, [a, b, c]: [u32; 3]) -> [u32; 3] {
        if self.swaps_winding { [a, c, b] } else { [a, b, c] }
    }
}
