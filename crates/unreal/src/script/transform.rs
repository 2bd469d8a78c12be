//! From positions as they are stored to the world: subtract the origin, scale, rotate.

use core::f32::consts::TAU;

/// Where a mesh stands. The world has the mesh's axes: left-handed, X forward, Y right, Z up.
///
/// ```
/// use meshlens_unreal::script::Transform;
///
/// // A quarter turn to the right, after the origin is taken away and the rest is halved.
/// let transform = Transform { origin: [2.0, 0.0, 0.0], scale: [0.5; 3], rotation: [64.0, 0.0, 0.0] };
/// let [x, y, z] = transform.apply([10.0, 0.0, 6.0]);
/// assert!(x.abs() < 1e-6 && (y - 4.0).abs() < 1e-6 && z == 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Subtracted first.
    pub origin: [f32; 3],
    /// Multiplied then.
    pub scale: [f32; 3],
    /// Yaw, pitch and roll, 256 to the full turn, applied last: roll about X first, then pitch about Y, then yaw about
    /// Z. Yaw turns X towards Y, pitch X towards Z, roll Z towards Y.
    pub rotation: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Transform { origin: [0.0; 3], scale: [1.0; 3], rotation: [0.0; 3] }
    }
}

impl Transform {
    /// Where the local X, Y and Z axis point: one row each.
    pub fn axes(&self) -> [[f32; 3]; 3] {
        let [yaw, pitch, roll] = self.rotation.map(|turn| {
            let radians = turn * (TAU / 256.0);
            (libm::sinf(radians), libm::cosf(radians))
        });
        let ((sin_y, cos_y), (sin_p, cos_p), (sin_r, cos_r)) = (yaw, pitch, roll);
        [
            [cos_p * cos_y, cos_p * sin_y, sin_p],
            [sin_r * sin_p * cos_y - cos_r * sin_y, sin_r * sin_p * sin_y + cos_r * cos_y, -sin_r * cos_p],
            [-(cos_r * sin_p * cos_y + sin_r * sin_y), cos_y * sin_r - cos_r * sin_p * sin_y, cos_r * cos_p],
        ]
    }

    /// The same as a matrix of three rows and four columns, for column vectors with 1 as their fourth component.
    pub fn matrix(&self) -> [[f32; 4]; 3] {
        let [x_axis, y_axis, z_axis] = self.axes();
        let [scale_x, scale_y, scale_z] = self.scale;
        let [origin_x, origin_y, origin_z] = self.origin;
        let row = |x: f32, y: f32, z: f32| {
            let (x, y, z) = (x * scale_x, y * scale_y, z * scale_z);
            [x, y, z, -(x * origin_x + y * origin_y + z * origin_z)]
        };
        [
            row(x_axis[0], y_axis[0], z_axis[0]),
            row(x_axis[1], y_axis[1], z_axis[1]),
            row(x_axis[2], y_axis[2], z_axis[2]),
        ]
    }

    /// A position as it is stored, brought into the world.
    pub fn apply(&self, position: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = position;
        self.matrix().map(|[a, b, c, d]| a * x + b * y + c * z + d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(rotation: [f32; 3], position: [f32; 3]) -> [i32; 3] {
        Transform { rotation, ..Transform::default() }
            .apply(position)
            .map(|v| libm::roundf(v * 1000.0) as i32)
    }

    #[test]
    fn quarter_turns_of_each_kind() {
        let (forward, right, up) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!(turned([64.0, 0.0, 0.0], forward), [0, 1000, 0], "yaw: forward to the right");
        assert_eq!(turned([0.0, 64.0, 0.0], forward), [0, 0, 1000], "pitch: forward to the top");
        assert_eq!(turned([0.0, 0.0, 64.0], up), [0, 1000, 0], "roll: up to the right");
        assert_eq!(turned([-64.0, 0.0, 0.0], right), [1000, 0, 0]);
        assert_eq!(turned([256.0, 512.0, -256.0], up), [0, 0, 1000], "full turns are none");
        assert_eq!(turned([64.0, 64.0, 0.0], forward), [0, 0, 1000], "pitch before yaw");
        assert_eq!(turned([64.0, 64.0, 0.0], up), [0, -1000, 0]);
    }

    #[test]
    fn the_origin_is_subtracted_before_the_scale() {
        let transform = Transform { origin: [1.0, 2.0, 3.0], scale: [2.0, 2.0, 4.0], rotation: [0.0; 3] };
        assert_eq!(transform.apply([2.0, 4.0, 6.0]), [2.0, 4.0, 12.0]);
        assert_eq!(transform.matrix()[2], [0.0, 0.0, 4.0, -12.0]);
    }
}
