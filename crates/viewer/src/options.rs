//! Options that determine what is shown, and how.

use meshlens::model::{Axis, Space, Winding};

/// How surfaces are shaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// With textures and light.
    #[default]
    Lit,
    /// With light and the normals of the triangles.
    Flat,
    /// With textures and without light.
    Unlit,
    /// Normals as colors.
    Normals,
    /// Edges only.
    Wires,
}

choices!(Look: Lit "Lit", Flat "Flat", Unlit "Unlit", Normals "Normals", Wires "Wireframe");

/// Options that determine what is shown, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The shading.
    pub look: Look,
    /// Whether textures are drawn.
    pub textures: bool,
    /// Whether edges are drawn over surfaces.
    pub edges: bool,
    /// Whether back faces are drawn.
    pub back_faces: bool,
    /// Whether the axes and names of tags are drawn.
    pub tags: bool,
    /// Whether the skeleton is drawn, with the names of its joints.
    pub skeleton: bool,
    /// Whether names are written next to tags and joints.
    pub names: bool,
    /// Whether the bounding box is drawn.
    pub bounds: bool,
    /// Whether normals are drawn as lines.
    pub normals: bool,
    /// Whether a grid is drawn on the ground.
    pub ground: bool,
    /// Whether the camera turns around the model.
    pub turntable: bool,
    /// The level of detail.
    pub level: usize,
    /// The axis that points up.
    pub up: UpAxis,
    /// The background: red, green and blue; `None` for the color of the theme.
    pub background: Option<[u8; 3]>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            look: Look::Lit,
            textures: true,
            edges: false,
            back_faces: false,
            tags: false,
            skeleton: false,
            names: true,
            bounds: false,
            normals: false,
            ground: true,
            turntable: false,
            level: 0,
            up: UpAxis::Format,
            background: None,
        }
    }
}

/// The axis of the model that points up in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// The axis that the format defines.
    #[default]
    Format,
    /// +Y.
    Y,
    /// +Z.
    Z,
}

choices!(UpAxis: Format "of the format", Y "+Y", Z "+Z");

impl UpAxis {
    /// The space of a model of `format` if this axis points up. Its coordinates are not mirrored.
    pub(crate) fn space(self, format: &Space) -> Space {
        let mut space = match self {
            UpAxis::Format => return *format,
            UpAxis::Y => Space::GLTF,
            UpAxis::Z => Space { up: Axis::Z, forward: Axis::NegY, ..Space::GLTF },
        };
        // A mirrored model would show its back faces.
        let is_mirrored = space.handedness() != format.handedness();
        let is_clockwise = (format.winding == Winding::Clockwise) != is_mirrored;
        space.winding = if is_clockwise { Winding::Clockwise } else { Winding::CounterClockwise };
        space
    }
}
