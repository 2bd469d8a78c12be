//! The options of a picture, and models with their instances and textures.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};
use meshlens::model::Blend;
use meshlens::scene::{AMBIENT_LIGHT, LIGHT_DIRECTION};

use super::textures::Textures;
use crate::model::GpuModel;

/// The shading of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shading {
    /// Lit, with the normals of the vertices if there are any.
    #[default]
    Lit,
    /// The colors of the textures, without light.
    Unlit,
    /// Lit, with the normal of each triangle.
    Flat,
    /// The normals as colors: -1 to 1 in red, green and blue.
    Normals,
    /// Edges without surfaces, in [`RenderOptions::edges`] or the colors of the textures. Only models that are uploaded
    /// [with edges](crate::UploadOptions::wires) are drawn.
    Wires,
}

/// The camera, the light and the background of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// The matrix from the space of the world to clip space, with depth 0 to 1, column-major.
    pub view_projection: [[f32; 4]; 4],
    /// The position of the camera in the world.
    pub camera: [f32; 3],
    /// The direction to the light, of length 1.
    pub light: [f32; 3],
    /// The fraction of ambient light, 0 to 1.
    pub ambient: f32,
    /// The light that is added to dark surfaces that are not blended, as displayed (sRGB), at points that face the
    /// light: 0 to 1. `meshlens_thumb::tone` measures the light that a model needs. It is not added with
    /// [`Shading::Unlit`].
    pub fill: f32,
    /// The background color: red, green, blue and alpha, as displayed (sRGB).
    pub background: [f64; 4],
    /// The shading of surfaces.
    pub shading: Shading,
    /// The color of edges that are drawn over the surfaces, as displayed (sRGB); `None` to draw no edges. Only edges of
    /// models that are uploaded [with edges](crate::UploadOptions::wires) are drawn.
    pub edges: Option<[f32; 4]>,
    /// Whether back faces are hidden, except back faces of [two-sided](meshlens::model::Material::two_sided) materials.
    pub culling: bool,
    /// Whether the colors of vertices multiply the colors of textures.
    pub vertex_colors: bool,
    /// The set of texture coordinates. Meshes without this set use set 0.
    pub texcoord_set: u32,
}

impl RenderOptions {
    /// Options of a picture of a right-handed world whose Y points up, with a camera at `camera` that looks at `target` with a
    /// vertical field of view of 45 degrees. `aspect` is the width of the picture divided by its height.
    pub fn looking(camera: [f32; 3], target: [f32; 3], aspect: f32) -> Self {
        let (camera, target) = (Vec3::from(camera), Vec3::from(target));
        let distance = camera.distance(target).max(1e-3);
        let (near, far) = (distance * 0.01, distance * 100.0);
        // The cotangent of half of the field of view.
        let height = 1.0 / (core::f32::consts::FRAC_PI_4 * 0.5).tan();
        let depth = far / (near - far);
        let projection = Mat4::from_cols(
            Vec4::X * (height / aspect),
            Vec4::Y * height,
            Vec4::new(0.0, 0.0, depth, -1.0),
            Vec4::new(0.0, 0.0, depth * near, 0.0),
        );
        let back = (camera - target).normalize_or(Vec3::Z);
        let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
        let up = back.cross(right);
        let row = |axis: Vec3| axis.extend(-axis.dot(camera));
        RenderOptions {
            view_projection: (projection * Mat4::from_rows(row(right), row(up), row(back), Vec4::W))
                .to_cols_array_2d(),
            camera: camera.to_array(),
            light: Vec3::from(LIGHT_DIRECTION.map(|axis| axis as f32)).normalize().to_array(),
            ambient: AMBIENT_LIGHT,
            fill: 0.0,
            background: [0.13, 0.15, 0.18, 1.0],
            shading: Shading::Lit,
            edges: None,
            culling: true,
            vertex_colors: true,
            texcoord_set: 0,
        }
    }
}

/// An instance of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The matrix from the vertices of the model, as they are stored, to the world, which is right-handed, column-major:
    /// [`ViewMesh::matrix`](meshlens::scene::ViewMesh::matrix). [`GpuScene::instances`](super::GpuScene::instances) makes the
    /// instances of a scene.
    pub transform: [[f32; 4]; 4],
    /// The two blended frames, and the weight of the second.
    pub blend: Blend,
    /// The matrix of each joint in the space of the model, as [`meshlens::model::world_into`] computes it; empty for the pose
    /// at rest.
    pub joints: Vec<[[f32; 4]; 4]>,
}

impl Default for Instance {
    /// The model as stored, in its first frame.
    fn default() -> Self {
        Instance::new(Mat4::IDENTITY.to_cols_array_2d())
    }
}

impl Instance {
    /// Makes an instance that shows the first frame of the model.
    pub fn new(transform: [[f32; 4]; 4]) -> Self {
        Instance { transform, blend: Blend::from(0), joints: Vec::new() }
    }

    /// The same instance between two frames.
    #[must_use]
    pub fn showing(self, blend: impl Into<Blend>) -> Self {
        Instance { blend: blend.into(), ..self }
    }
}

/// A model, its textures and its instances.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a> {
    /// The model.
    pub model: &'a GpuModel,
    /// The textures of the model.
    pub textures: &'a Textures,
    /// The instances of the model.
    pub instances: &'a [Instance],
}

/// The uniform of a picture.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SceneUniform {
    view_projection: [[f32; 4]; 4],
    camera: [f32; 4],
    light: [f32; 4],
    edges: [f32; 4],
    mode: [u32; 4],
}

impl SceneUniform {
    /// The uniform for surfaces or for edges. `is_srgb` if the target has an sRGB format.
    pub(super) fn new(scene: &RenderOptions, is_srgb: bool, edges: bool) -> Self {
        let mode = match scene.shading {
            _ if edges && scene.edges.is_some() => 4,
            Shading::Lit => 0,
            Shading::Unlit | Shading::Wires => 1,
            Shading::Flat => 2,
            Shading::Normals => 3,
        };
        SceneUniform {
            view_projection: scene.view_projection,
            camera: Vec3::from(scene.camera).extend(scene.fill).to_array(),
            light: Vec3::from(scene.light).extend(scene.ambient).to_array(),
            edges: scene.edges.unwrap_or_default(),
            mode: [mode, u32::from(is_srgb), scene.texcoord_set, u32::from(scene.vertex_colors)],
        }
    }
}

/// A displayed color as a target stores it: sRGB formats store linear colors.
pub(super) fn stored_color(color: [f64; 4], is_srgb: bool) -> [f64; 4] {
    let linear = |value: f64| match value {
        value if value <= 0.04045 => value / 12.92,
        value => ((value + 0.055) / 1.055).powf(2.4),
    };
    let [red, green, blue, alpha] = color;
    if is_srgb { [linear(red), linear(green), linear(blue), alpha] } else { color }
}

/// The rows of an affine matrix.
pub(super) fn rows(matrix: &Mat4) -> [[f32; 4]; 3] {
    [0, 1, 2].map(|row| matrix.row(row).to_array())
}

/// The attributes of an instance.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct InstanceRecord {
    pub(super) rows: [[f32; 4]; 3],
    pub(super) frames: [u32; 2],
    pub(super) first_joint: u32,
    pub(super) weight: f32,
}
