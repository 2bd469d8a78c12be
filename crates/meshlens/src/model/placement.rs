//! The conversion of the vertices of a model to another space.

use glam::{Mat3, Mat4, Vec3};

use super::{Conversion, Model, Space, TagPose, unit_direction};

/// The conversion of the vertices of a model to another space: the placement by its script, then the change of axes,
/// winding and unit.
///
/// [`View`](crate::scene::View) applies it to vertex buffers. Use it if vertices are converted one by one, such as for
/// a file with morph targets.
///
/// ```
/// use meshlens::Model;
/// use meshlens::model::Space;
///
/// let mut model = Model::empty(None, Space::MD3);
/// // Twice as long, and mirrored: up becomes down.
/// model.placement = [[2.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
/// let placement = model.placement_in(&Space::GLTF).scaled(0.5);
/// assert_eq!(placement.position([1.0, 0.0, 3.0]), [0.0, -1.5, 1.0]);
/// assert_eq!(placement.normal([0.0, 0.0, 1.0]), [0.0, -1.0, 0.0]);
/// // MD3 is wound clockwise. After mirroring, the winding is the same as in glTF.
/// assert_eq!(placement.corners([0, 1, 2]), [0, 1, 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The transform before the conversion, if it is not the identity.
    transform: Option<VertexTransform>,
    /// From the space of the model to the other space. Its winding includes both steps.
    conversion: Conversion,
}

/// A transform of positions and normals.
#[derive(Clone, Copy, Debug, PartialEq)]
struct VertexTransform {
    positions: Mat4,
    normals: Mat3,
    /// Whether the handedness changes.
    mirrors: bool,
}

/// A [`Placement`] as matrices, by columns.
pub(crate) struct Matrices {
    pub(crate) positions: [[f32; 3]; 4],
    pub(crate) normals: [[f32; 3]; 3],
    pub(crate) tangents: [[f32; 3]; 3],
    /// The factor of the sign of bitangents.
    pub(crate) sign: f32,
}

impl Model<'_> {
    /// The conversion of the vertices of this model to another space, including the placement by its script. The model
    /// is at the origin. O(1).
    pub fn placement_in(&self, space: &Space) -> Placement {
        let mut placement = Placement::new(self.placement_matrix(), self.space.to(space));
        // A script may mirror its mesh, which reverses the winding of its triangles.
        placement.conversion.swaps_winding ^= placement.transform.is_some_and(|script| script.mirrors);
        placement
    }

    /// Transforms a pose by the placement, without its scale.
    pub(super) fn placed(&self, pose: TagPose) -> TagPose {
        let placement = self.placement_matrix();
        if placement == Mat4::IDENTITY {
            return pose;
        }
        let (_, rotation, _) = placement.to_scale_rotation_translation();
        TagPose {
            origin: placement.transform_point3(pose.origin.into()).into(),
            axes: pose.axes.map(|axis| (rotation * Vec3::from(axis)).into()),
        }
    }

    pub(crate) const fn placement_matrix(&self) -> Mat4 {
        Mat4::from_cols_array_2d(&self.placement)
    }
}

impl From<Conversion> for Placement {
    fn from(conversion: Conversion) -> Self {
        Placement { transform: None, conversion }
    }
}

impl Placement {
    /// A transform, and then a conversion. To convert triangles, its winding has to include both.
    pub(crate) fn new(positions: Mat4, conversion: Conversion) -> Self {
        if positions == Mat4::IDENTITY {
            return conversion.into();
        }
        let linear = Mat3::from_mat4(positions);
        let normals = normal_matrix(linear);
        let transform = VertexTransform { positions, normals, mirrors: linear.determinant() < 0.0 };
        Placement { transform: Some(transform), conversion }
    }

    /// The same placement in another unit: lengths are multiplied by `scale`, which must be positive.
    #[must_use]
    pub const fn scaled(mut self, scale: f32) -> Self {
        self.conversion.scale *= scale;
        self
    }

    /// The conversion, if components are only exchanged, negated and scaled by one factor; `None` if a script places
    /// the model.
    pub fn conversion(&self) -> Option<&Conversion> {
        Some(&self.conversion).filter(|_| self.transform.is_none())
    }

    /// The matrices of positions, normals and tangents, and the factor of the sign of bitangents; `None` if there is a
    /// [conversion](Self::conversion).
    pub(crate) fn matrices(&self) -> Option<Matrices> {
        let VertexTransform { positions, normals, mirrors } = self.transform?;
        let [x, y, z, w] = positions.to_cols_array_2d().map(|[x, y, z, _]| [x, y, z]);
        let conversion = &self.conversion;
        Some(Matrices {
            positions: [x, y, z, w].map(|column| conversion.position(column)),
            normals: normals.to_cols_array_2d().map(|column| conversion.direction(column)),
            tangents: [x, y, z].map(|column| conversion.direction(column)),
            sign: if mirrors == conversion.mirrors { 1.0 } else { -1.0 },
        })
    }

    /// The conversion of triangles.
    pub(crate) const fn winding(&self) -> Conversion {
        let mut winding = Conversion::IDENTITY;
        winding.swaps_winding = self.conversion.swaps_winding;
        winding
    }

    /// Transforms a position.
    #[inline]
    pub fn position(&self, position: [f32; 3]) -> [f32; 3] {
        self.conversion.position(match &self.transform {
            Some(transform) => transform.positions.transform_point3(Vec3::from(position)).to_array(),
            None => position,
        })
    }

    /// Transforms a normal. It stays perpendicular to the surface, and on its outside. Its length does not change if no
    /// script places the model, and becomes 1 otherwise. A normal of length 0 is unchanged.
    #[inline]
    pub fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        self.conversion.direction(match &self.transform {
            Some(transform) => turned(transform.normals, normal),
            None => normal,
        })
    }

    /// Transforms a tangent. The sign of its bitangent changes with the handedness.
    #[inline]
    pub fn tangent(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        self.conversion.tangent(match &self.transform {
            Some(transform) => {
                let [x, y, z] = turned(Mat3::from_mat4(transform.positions), [x, y, z]);
                [x, y, z, if transform.mirrors { -w } else { w }]
            }
            None => [x, y, z, w],
        })
    }

    /// The corners of a triangle in the winding of the other space.
    #[inline]
    pub const fn corners(&self, corners: [u32; 3]) -> [u32; 3] {
        self.conversion.corners(corners)
    }

    /// The transform of positions as a matrix, column-major.
    pub fn matrix(&self) -> [[f32; 4]; 4] {
        self.positions().to_cols_array_2d()
    }

    /// The same matrix for positions that are stored as multiples of `step` along each axis.
    pub fn matrix_of_steps(&self, step: [f32; 3]) -> [[f32; 4]; 4] {
        (self.positions() * Mat4::from_scale(step.into())).to_cols_array_2d()
    }

    fn positions(&self) -> Mat4 {
        let positions = self.transform.map_or(Mat4::IDENTITY, |transform| transform.positions);
        Mat4::from_cols_array_2d(&self.conversion.linear()) * positions
    }
}

/// The matrix for normals that belongs to the matrix for points: its inverse transpose, times a positive factor, so that
/// rotations and mirrors, also scaled ones, keep the lengths of normals.
fn normal_matrix(matrix: Mat3) -> Mat3 {
    // Products of small scales would underflow.
    let largest = matrix.to_cols_array().into_iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    let matrix = if largest > 0.0 && largest.is_finite() { matrix * largest.recip() } else { matrix };
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let sign = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
    let adjugate = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    let length = adjugate.x_axis.length();
    adjugate * if length.is_normal() { sign / length } else { sign }
}

/// A direction transformed by a matrix, normalized. It is unchanged if the result has no [known length](unit_direction).
fn turned(matrix: Mat3, direction: [f32; 3]) -> [f32; 3] {
    unit_direction((matrix * Vec3::from(direction)).to_array()).unwrap_or(direction)
}
