//! The labels of the parts of a loaded scene.

use std::fmt;

use bevy::asset::AssetPath;

/// The label of a part of a [`MeshlensScene`](crate::MeshlensScene).
///
/// ```
/// use bevy_meshlens::MeshlensLabel;
///
/// let mesh = MeshlensLabel::Mesh { node: 0, lod: 0, mesh: 2, submesh: 0 };
/// assert_eq!(mesh.from_asset("guns/shotgun.md3").to_string(), "guns/shotgun.md3#Node0/Mesh2");
/// assert_eq!(MeshlensLabel::Clip("LEGS_RUN".into()).to_string(), "Clip:LEGS_RUN");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MeshlensLabel {
    /// `Scene`: all nodes, as a [`WorldAsset`](bevy::world_serialization::WorldAsset).
    Scene,
    /// `Model`: the parsed files, as a [`MeshlensModel`](crate::MeshlensModel).
    Model,
    /// `Node0/Mesh0`: a [`Mesh`](bevy::mesh::Mesh) at rest. Coarser levels are `Node0/Lod1/Mesh0`, further submeshes are
    /// `Node0/Mesh0/Submesh1`.
    Mesh {
        /// The index of the node.
        node: usize,
        /// The level of detail, 0 for the finest.
        lod: usize,
        /// The index of the mesh in its model.
        mesh: usize,
        /// The index of the range of triangles with one material.
        submesh: usize,
    },
    /// `Node0/Mesh0/InverseBindposes`: the
    /// [`SkinnedMeshInverseBindposes`](bevy::mesh::skinning::SkinnedMeshInverseBindposes) of a mesh that is moved by
    /// joints.
    InverseBindposes {
        /// The index of the node.
        node: usize,
        /// The level of detail.
        lod: usize,
        /// The index of the mesh in its model.
        mesh: usize,
    },
    /// `Material0`: a [`StandardMaterial`](bevy::pbr::StandardMaterial). The materials of all nodes are numbered
    /// consecutively.
    Material(usize),
    /// `Texture0`: the [`Image`](bevy::image::Image) of a material with this number.
    Texture(usize),
    /// `Skeleton`: the joints of a node, as a [`MeshlensSkeleton`](crate::MeshlensSkeleton). For nodes other than the
    /// first, the label is `Node1/Skeleton`.
    Skeleton(usize),
    /// `Clip:LEGS_RUN`: an [`AnimationClip`](bevy::animation::AnimationClip) for every node that has a clip with this
    /// name.
    Clip(String),
    /// `Graph`: an [`AnimationGraph`](bevy::animation::graph::AnimationGraph) of all clips.
    Graph,
    /// `Tag:tag_weapon`: a [`MeshlensTag`](crate::MeshlensTag), the node and the index of a tag.
    Tag(String),
}

impl fmt::Display for MeshlensLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lod = |lod: usize| if lod > 0 { format!("/Lod{lod}") } else { String::new() };
        match self {
            MeshlensLabel::Scene => f.write_str("Scene"),
            MeshlensLabel::Model => f.write_str("Model"),
            MeshlensLabel::Mesh { node, lod: level, mesh, submesh: 0 } => {
                write!(f, "Node{node}{}/Mesh{mesh}", lod(*level))
            }
            MeshlensLabel::Mesh { node, lod: level, mesh, submesh } => {
                write!(f, "Node{node}{}/Mesh{mesh}/Submesh{submesh}", lod(*level))
            }
            MeshlensLabel::InverseBindposes { node, lod: level, mesh } => {
                write!(f, "Node{node}{}/Mesh{mesh}/InverseBindposes", lod(*level))
            }
            MeshlensLabel::Material(index) => write!(f, "Material{index}"),
            MeshlensLabel::Texture(index) => write!(f, "Texture{index}"),
            MeshlensLabel::Skeleton(0) => f.write_str("Skeleton"),
            MeshlensLabel::Skeleton(node) => write!(f, "Node{node}/Skeleton"),
            MeshlensLabel::Clip(name) => write!(f, "Clip:{name}"),
            MeshlensLabel::Graph => f.write_str("Graph"),
            MeshlensLabel::Tag(name) => write!(f, "Tag:{name}"),
        }
    }
}

impl MeshlensLabel {
    /// The path of this part of an asset.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}
