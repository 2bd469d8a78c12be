//! The parts of a scene as Bevy values, before they become assets. They can also be used by loaders of other
//! containers.

mod clip;
mod material;
mod mesh;
mod skeleton;

use bevy::animation::AnimationClip;
use bevy::image::Image;
use bevy::math::Mat4;
use bevy::mesh::Mesh;
use bevy::pbr::StandardMaterial;
use bytes::Bytes;
use meshlens_assets::{Assets, OpenOptions};

use crate::limits::DeviceLimits;
use crate::{LoadError, MeshlensModel, MeshlensSettings};

pub use clip::target;
pub(crate) use mesh::offset;
pub use skeleton::MeshlensSkeleton;

/// The parts of a scene.
#[derive(Debug)]
pub struct MeshlensParts {
    /// The models that the parts were made from.
    pub model: MeshlensModel,
    /// The textures.
    pub textures: Vec<Image>,
    /// The materials of all nodes, one node after the other.
    pub materials: Vec<MaterialPart>,
    /// The submeshes of all nodes and levels.
    pub meshes: Vec<MeshPart>,
    /// The clips of all nodes.
    pub clips: Vec<ClipPart>,
    /// The parts of the files that could not be made. The rest of the scene can be shown.
    pub problems: Vec<LoadError>,
}

/// A material without its textures.
#[derive(Debug)]
pub struct MaterialPart {
    /// The name in the file.
    pub name: String,
    /// The material.
    pub material: StandardMaterial,
    /// The index of its texture.
    pub texture: Option<usize>,
    /// The index of its normal map, which is made from a height map.
    pub normal_map: Option<usize>,
}

/// The triangles of a mesh with one material.
#[derive(Debug)]
pub struct MeshPart {
    /// The index of the node.
    pub node: usize,
    /// The level of detail, 0 for the finest.
    pub lod: usize,
    /// The index of the mesh in its model.
    pub index: usize,
    /// The index of the submesh in the mesh.
    pub submesh: usize,
    /// The name of the mesh.
    pub name: String,
    /// The vertices at rest, in the space of the node's entity.
    pub mesh: Mesh,
    /// The smallest and the largest position in any frame; `None` if the mesh has no vertices.
    pub bounds: Option<[[f32; 3]; 2]>,
    /// The index of the material; `None` if the file specifies none.
    pub material: Option<usize>,
    /// The number of vertex frames of the mesh; 1 if it does not move.
    pub frame_count: usize,
    /// The inverse bind matrix of each joint; `None` if the mesh is not moved by joints.
    pub inverse_bindposes: Option<Vec<Mat4>>,
}

/// A clip with one name.
#[derive(Debug)]
pub struct ClipPart {
    /// The name.
    pub name: String,
    /// The curves of every node that has the clip.
    pub clip: AnimationClip,
    /// Whether the whole clip repeats.
    pub is_cycle: bool,
}

/// Makes the parts of a model that is a single file in memory, without companions, for loaders of other containers.
///
/// # Errors
///
/// The file is broken. Meshes that cannot be shown are listed in [`MeshlensParts::problems`].
///
/// ```
/// # let mut file = meshlens::md3::write::Model::new("flag")?;
/// # file.frames.push(meshlens::md3::write::Frame::named("wave")?);
/// # let mut surface = meshlens::md3::write::Surface::new("cloth")?;
/// # surface.triangles.push([0, 1, 2]);
/// # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
/// # surface.add_frame(&[[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
/// # file.surfaces.push(surface);
/// # let bytes = file.write()?;
/// use bevy_meshlens::{MeshlensSettings, load_scene};
///
/// let parts = load_scene("flag.md3", bytes, &MeshlensSettings::default())?;
/// assert_eq!(parts.meshes[0].mesh.count_vertices(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load_scene(
    name: &str,
    bytes: impl Into<Bytes>,
    settings: &MeshlensSettings,
) -> Result<MeshlensParts, LoadError> {
    let files = Assets::new().open_bytes_with(name, bytes, &options(settings))?;
    Ok(MeshlensParts::new(MeshlensModel::new(files, settings)))
}

/// The options for opening the files.
pub(crate) fn options(settings: &MeshlensSettings) -> OpenOptions {
    OpenOptions {
        skin: settings.skin.clone(),
        lods: settings.lods,
        materials: true,
        password: settings.password.clone(),
        ..OpenOptions::default()
    }
}

impl MeshlensParts {
    /// Makes the parts of opened files. Failures are listed in [`problems`](Self::problems). O(vertices of all frames).
    pub fn new(model: MeshlensModel) -> MeshlensParts {
        MeshlensParts::within(model, &DeviceLimits::NONE)
    }

    /// Like [`new`](Self::new). Parts that exceed the limits of the device and missing companions are listed as
    /// problems, too.
    pub(crate) fn within(model: MeshlensModel, limits: &DeviceLimits) -> MeshlensParts {
        let mut parts = MeshlensParts {
            textures: Vec::new(),
            materials: Vec::new(),
            meshes: Vec::new(),
            clips: Vec::new(),
            problems: model.companion_errors(),
            model: model.clone(),
        };
        let mut first_material = Vec::new();
        for node in 0..model.scene().nodes.len() {
            first_material.push(parts.materials.len());
            parts.add_materials(node, &limits.texture);
        }
        for (node, first) in first_material.into_iter().enumerate() {
            parts.add_meshes(node, first, limits);
        }
        for part in &mut parts.meshes {
            let material = part.material.and_then(|material| parts.materials.get(material));
            let needs = material.is_some_and(|material| material.normal_map.is_some());
            if needs && !part.mesh.contains_attribute(Mesh::ATTRIBUTE_TANGENT) {
                // Without normals or texture coordinates, the normal map is not used.
                let _ = part.mesh.generate_tangents();
            }
        }
        parts.add_clips();
        parts
    }

    fn fail(&mut self, error: LoadError) {
        self.problems.push(error);
    }
}
