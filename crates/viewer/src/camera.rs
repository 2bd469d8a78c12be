//! The camera, which orbits around a point.

use glam::{Mat4, Vec3};
use meshlens::lens::Bounds;

/// The vertical field of view in radians.
pub const FIELD_OF_VIEW: f32 = core::f32::consts::FRAC_PI_4;

/// The largest angle above or below the horizon: at the poles, the camera would have no direction to the right.
const STEEPEST: f32 = 1.55;

/// The distance after a step towards a point, divided by the distance before it.
const FOCUS: f32 = 0.6;

/// A side from which a model is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The front.
    Front,
    /// The back.
    Back,
    /// The left side of the model, which faces left in the picture.
    Left,
    /// The right side of the model, which faces right in the picture.
    Right,
    /// From above. The front of the model is at the bottom of the picture.
    Top,
    /// From below.
    Bottom,
}

choices!(Direction: Front "Front", Back "Back", Left "Left", Right "Right", Top "Top", Bottom "Bottom");

impl Direction {
    /// The opposite side.
    #[must_use]
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Front => Direction::Back,
            Direction::Back => Direction::Front,
            Direction::Left => Direction::Right,
            Direction::Right => Direction::Left,
            Direction::Top => Direction::Bottom,
            Direction::Bottom => Direction::Top,
        }
    }

    /// The yaw and the pitch of a camera that looks from this side.
    const fn angles(self) -> (f32, f32) {
        use core::f32::consts::{FRAC_PI_2, PI};
        match self {
            Direction::Front => (0.0, 0.0),
            Direction::Back => (PI, 0.0),
            Direction::Left => (FRAC_PI_2, 0.0),
            Direction::Right => (-FRAC_PI_2, 0.0),
            Direction::Top => (0.0, STEEPEST),
            Direction::Bottom => (0.0, -STEEPEST),
        }
    }
}

/// A camera that orbits around a target, in a right-handed world whose Y points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point in the middle of the picture.
    pub target: [f32; 3],
    /// The distance to the target, greater than 0.
    pub distance: f32,
    /// The angle around the vertical axis in radians. At 0, the camera looks along -Z: a model shows its front.
    pub yaw: f32,
    /// The angle above the horizon in radians.
    pub pitch: f32,
}

impl Default for Camera {
    /// From the front, from above and from the left of the model, in the direction of pictures of `meshlens-thumb`.
    fn default() -> Self {
        Camera { target: [0.0; 3], distance: 10.0, yaw: 0.5764, pitch: 0.3969 }
    }
}

impl Camera {
    /// The position.
    pub fn position(&self) -> [f32; 3] {
        let (sin, cos) = self.yaw.sin_cos();
        let (up, out) = self.pitch.sin_cos();
        (Vec3::from(self.target) + Vec3::new(sin * out, up, cos * out) * self.distance).into()
    }

    /// The directions in the world to the right of the picture, to its top, and from the target to the camera.
    pub fn axes(&self) -> [[f32; 3]; 3] {
        self.directions().map(Vec3::into)
    }

    fn directions(&self) -> [Vec3; 3] {
        let back = (Vec3::from(self.position()) - Vec3::from(self.target)).normalize_or(Vec3::Z);
        let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
        [right, back.cross(right), back]
    }

    /// Turns the camera by a drag of `x` pixels to the right and `y` pixels down.
    pub fn orbit(&mut self, x: f32, y: f32) {
        const TURN: f32 = 0.008;
        self.turn(-x * TURN, y * TURN);
    }

    /// Turns the camera by angles in radians: around the vertical axis to the right of the model, and up.
    pub fn turn(&mut self, yaw: f32, pitch: f32) {
        if yaw.is_finite() && pitch.is_finite() {
            self.yaw = (self.yaw + yaw) % core::f32::consts::TAU;
            self.pitch = (self.pitch + pitch).clamp(-STEEPEST, STEEPEST);
        }
    }

    /// Looks at the target from a side. The distance does not change.
    pub fn look_from(&mut self, direction: Direction) {
        (self.yaw, self.pitch) = direction.angles();
    }

    /// Moves a point to the middle of the picture, and the camera towards it.
    pub fn focus(&mut self, point: [f32; 3]) {
        if point.iter().all(|value| value.is_finite()) {
            self.target = point;
            self.zoom(FOCUS);
        }
    }

    /// The ray through a point of a picture with this aspect, 0 to 1 from the left and from the top. Returns its start
    /// and its direction.
    pub fn ray(&self, [x, y]: [f32; 2], aspect: f32) -> ([f32; 3], [f32; 3]) {
        let [right, up, back] = self.directions();
        let half = (FIELD_OF_VIEW * 0.5).tan();
        let direction = right * ((x * 2.0 - 1.0) * half * aspect) + up * ((1.0 - y * 2.0) * half) - back;
        (self.position(), direction.normalize_or(-back).into())
    }

    /// Multiplies the distance by a factor.
    pub fn zoom(&mut self, factor: f32) {
        if factor.is_finite() && factor > 0.0 {
            self.distance = (self.distance * factor).clamp(1e-4, 1e9);
        }
    }

    /// Moves the target by a drag of `x` pixels to the right and `y` pixels down, in a picture of `height` pixels.
    pub fn pan(&mut self, x: f32, y: f32, height: f32) {
        let [right, up, _] = self.directions();
        let unit = 2.0 * self.distance * (FIELD_OF_VIEW * 0.5).tan() / height.max(1.0);
        let moved = Vec3::from(self.target) + (up * y - right * x) * unit;
        if moved.is_finite() {
            self.target = moved.into();
        }
    }

    /// Moves the camera so that a whole box is visible in a picture with this aspect (width divided by height). The
    /// angles do not change.
    pub fn fit(&mut self, bounds: &Bounds, aspect: f32) {
        let (min, max) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
        let (middle, radius) = ((min + max) * 0.5, (max - min).length() * 0.5);
        if !middle.is_finite() || !radius.is_finite() {
            return;
        }
        let vertical = FIELD_OF_VIEW * 0.5;
        let horizontal = (vertical.tan() * aspect.max(0.05)).atan();
        self.target = middle.into();
        self.distance = (radius * 1.08 / vertical.min(horizontal).sin()).clamp(1e-3, 1e9);
    }

    /// Converts a point in the world to its place in the picture: 0 to 1 from the left and from the top. The matrix, from the
    /// world to clip space, is column-major. `None` if the point is not in front of the camera.
    pub fn project(view_projection: &[[f32; 4]; 4], point: [f32; 3]) -> Option<[f32; 2]> {
        let clip = Mat4::from_cols_array_2d(view_projection) * Vec3::from(point).extend(1.0);
        let seen = clip.w > 1e-6 && clip.is_finite();
        seen.then(|| [clip.x / clip.w * 0.5 + 0.5, 0.5 - clip.y / clip.w * 0.5])
    }
}
