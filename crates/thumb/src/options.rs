//! How a picture is made, and the limits on its work.

use meshlens::model::Material;
use meshlens::wire::Budget;

use crate::{Background, Camera, Frames, Note, Texture, View};

/// A function that finds the texture of a material, with the [stored
/// alpha](meshlens::model::TextureAlpha::without_blend_mode): colors are added and multiplied according to the
/// material. It is called once for each combination of a path and a source of alpha.
pub type FindTexture<'o> = &'o dyn Fn(&Material) -> Option<Texture>;

/// Options of a picture.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The width and the height of a picture, or of each cell of a sheet, in pixels.
    pub size: u32,
    /// The frames to show. A still picture shows the first one.
    pub frames: Frames<'o>,
    /// The direction of view.
    pub view: View,
    /// The camera, such as [that of another picture](crate::camera()); `None` for one that sees all frames to show.
    pub camera: Option<Camera>,
    /// Whether to draw the edges of triangles.
    pub wireframe: bool,
    /// The background.
    pub background: Background,
    /// Finds textures; `None` to draw without textures. Surfaces without a texture get the
    /// [color](crate::surface_color) of their material.
    pub textures: Option<FindTexture<'o>>,
    /// Called for the parts of a model that a picture does not show, or shows differently.
    pub notes: Option<&'o dyn Fn(Note)>,
    /// Limits on the work.
    pub limits: Limits,
    /// The number of threads that draw a picture, at least 1. The picture is the same for any number. If threads cannot
    /// be started, as in browsers, one thread draws.
    pub threads: usize,
    /// The budget for pictures and for temporary memory; `None` for no limit.
    pub budget: Option<&'o Budget>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("size", &self.size).field("view", &self.view).finish_non_exhaustive()
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            size: 512,
            frames: Frames::Rest,
            view: View::Iso,
            camera: None,
            wireframe: false,
            background: Background::Auto,
            textures: None,
            notes: None,
            limits: Limits::DEFAULT,
            threads: 1,
            budget: None,
        }
    }
}

/// Limits on the work of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest width and height of a picture, and of a cell of a sheet.
    pub size: u32,
    /// The largest number of pixels of a sheet.
    pub pixels: u64,
    /// The largest number of triangles of all models.
    pub triangles: u64,
    /// The largest number of frames of a clip.
    pub frames: usize,
    /// The largest number of vertices and joints of all frames of a clip together.
    pub vertices: u64,
    /// The largest number of textures. Further ones are not used.
    pub textures: usize,
    /// The largest number of lines that show joints, tags, points and thin triangles in a picture. Further ones are not
    /// drawn.
    pub lines: usize,
    /// The number of times that all samples of a picture may be covered by triangles.
    pub layers: u64,
}

impl Limits {
    /// Pictures of 4096 by 4096 pixels, sheets of 64 Mi pixels, 16 Mi triangles, 4096 frames, 128 Mi vertices, 1024 textures,
    /// 6144 lines and 256 layers.
    pub const DEFAULT: Limits = Limits {
        size: 4096,
        pixels: 1 << 26,
        triangles: 1 << 24,
        frames: 4096,
        vertices: 1 << 27,
        textures: 1024,
        lines: 6144,
        layers: 256,
    };
}
