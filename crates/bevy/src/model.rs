//! The parsed files of a scene, and the transforms of its nodes and tags.

use std::sync::Arc;

use bevy::asset::Asset;
use bevy::math::{Affine3A, Mat4, Quat};
use bevy::reflect::TypePath;
use bevy::transform::components::Transform;
use meshlens::scene::{Attachment, Pose, Scene, Socket, View};
use meshlens_assets::{Asset as Files, Assets};
use meshlens_stream::LoadedScene;

use crate::{LoadError, MeshlensSettings};

/// The models of a scene, with the bytes that they are decoded from. Clones share them.
#[derive(Asset, TypePath, Clone)]
pub struct MeshlensModel(Arc<Inner>);

struct Inner {
    owner: Owner,
    settings: MeshlensSettings,
}

/// The files of a scene.
enum Owner {
    Files(Files),
    /// Streamed files at one level of detail.
    Streamed(Streamed),
}

/// A streamed scene.
pub(crate) struct Streamed {
    pub(crate) scene: LoadedScene,
    pub(crate) assets: Assets,
    pub(crate) name: String,
    /// The loaded level of detail inside the file of each node.
    pub(crate) lods: Vec<usize>,
}

impl Owner {
    fn scene(&self) -> &Scene<'_> {
        match self {
            Owner::Files(files) => files.scene(),
            Owner::Streamed(streamed) => streamed.scene.scene(),
        }
    }
}

impl MeshlensModel {
    /// Keeps opened files. O(meshes).
    pub fn new(files: Files, settings: &MeshlensSettings) -> Self {
        MeshlensModel::of(Owner::Files(files), settings)
    }

    /// Keeps streamed files. O(meshes).
    pub(crate) fn streamed(streamed: Streamed, settings: &MeshlensSettings) -> Self {
        MeshlensModel::of(Owner::Streamed(streamed), settings)
    }

    fn of(owner: Owner, settings: &MeshlensSettings) -> Self {
        MeshlensModel(Arc::new(Inner { owner, settings: settings.clone() }))
    }

    /// The files, with their findings and all looked-up files; `None` if the scene was streamed.
    pub fn files(&self) -> Option<&Files> {
        match &self.0.owner {
            Owner::Files(files) => Some(files),
            Owner::Streamed(_) => None,
        }
    }

    /// The loaded path: a file, or the folder of a player.
    pub fn path(&self) -> String {
        match &self.0.owner {
            Owner::Files(files) => files.path().to_string(),
            Owner::Streamed(streamed) => streamed.name.clone(),
        }
    }

    /// The search path with the textures of a node.
    pub(crate) fn assets(&self, node: usize) -> Option<&Assets> {
        match &self.0.owner {
            Owner::Files(files) => files.node_assets(node),
            Owner::Streamed(streamed) => Some(&streamed.assets),
        }
    }

    /// The scene of all nodes.
    pub fn scene(&self) -> &Scene<'_> {
        self.0.owner.scene()
    }

    /// The settings that the scene was loaded with.
    pub fn settings(&self) -> &MeshlensSettings {
        &self.0.settings
    }

    /// The scene in the space of the settings, at the level of detail of the node. Its vertices are relative to their node, like
    /// those of the meshes of an entity. `None` if the node is out of range.
    pub fn node_view(&self, node: usize) -> Option<View<'_, '_>> {
        let lod = match &self.0.owner {
            Owner::Files(_) => 0,
            Owner::Streamed(streamed) => streamed.lods.get(node).copied().unwrap_or(0),
        };
        self.scene().nodes.get(node)?;
        let view = self.scene().view(&self.settings().axes.space());
        Some(view.scaled(self.settings().scale).lod(lod).local())
    }

    /// The transform of a node's entity relative to the entity that it is attached to, or to the root.
    pub(crate) fn transform(&self, node: usize) -> Transform {
        let Some(of) = self.scene().nodes.get(node) else { return Transform::IDENTITY };
        let settings = self.settings();
        let own = of.model.space.to(&settings.axes.space()).scaled(settings.scale).transform(&of.transform);
        Transform {
            translation: own.translation.into(),
            rotation: Quat::from_array(own.rotation),
            scale: own.scale.into(),
        }
    }

    /// The transform of a tag or a joint relative to the entity of its node; `None` if it is out of range.
    pub fn socket(&self, node: usize, socket: Socket, pose: &Pose) -> Option<Transform> {
        let view = self.node_view(node)?;
        let matrix = |columns: [[f32; 4]; 4]| Affine3A::from_mat4(Mat4::from_cols_array_2d(&columns));
        let entity = matrix(view.node_matrix(node, pose)?).inverse();
        // From the space of the model to the space of the entity.
        let space = entity * matrix(view.matrix(node, pose)?);
        let relative = entity * matrix(view.socket(node, socket, pose)?) * space.inverse();
        let (_, rotation, translation) = relative.to_scale_rotation_translation();
        Some(Transform { translation, rotation: rotation.normalize(), ..Transform::IDENTITY })
    }

    /// The attachment of a node, and the transform of its socket at rest.
    pub(crate) fn attachment(&self, node: usize) -> Option<Attachment> {
        self.scene().attachment(node)
    }

    /// The companions that are missing or broken. A model in memory has no companions, and none are missing.
    pub(crate) fn companion_errors(&self) -> Vec<LoadError> {
        let textures = !self.settings().load_materials.is_empty();
        match &self.0.owner {
            Owner::Files(files) => LoadError::of_companions(&self.path(), files.findings(), textures),
            Owner::Streamed(of) => LoadError::of_companions(&of.name, of.scene.findings(), textures),
        }
    }

    /// The path of a node's file, for messages.
    pub(crate) fn file(&self, node: usize) -> String {
        let of_node = self.files().and_then(|files| files.node_path(node));
        of_node.map_or_else(|| self.path(), ToString::to_string)
    }
}

impl std::fmt::Debug for MeshlensModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MeshlensModel").field(&self.path()).finish()
    }
}
