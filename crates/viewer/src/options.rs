//! Options that determine what is shown, and how.

use crate::figure::UpAxis;

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

impl Look {
    /// Every variant.
    pub const ALL: [Look; 5] = [Look::Lit, Look::Flat, Look::Unlit, Look::Normals, Look::Wires];

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Look::Lit => "Lit",
            Look::Flat => "Flat",
            Look::Unlit => "Unlit",
            Look::Normals => "Normals",
            Look::Wires => "Wireframe",
        }
    }
}

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
