//! Scenes in GPU memory: each node with its textures.

use std::sync::Arc;

use meshlens::model::Blend;
use meshlens::scene::{Pose, View};

use super::{Draw, Instance, Textures};
use crate::device::Gpu;
use crate::error::Result;
use crate::model::{GpuModel, UploadOptions};

/// The nodes of a [`Scene`](meshlens::scene::Scene) in GPU memory, each with its textures.
///
/// ```
/// use meshlens::model::Space;
/// use meshlens::scene::Scene;
/// use meshlens_gpu::render::{GpuScene, Image, RenderOptions, Renderer, Textures};
/// use meshlens_gpu::{Error, Gpu, UploadOptions};
///
/// fn picture(gpu: &Gpu, scene: &Scene<'_>, clip: &str, options: &RenderOptions) -> Result<Image, Error> {
///     let view = scene.view(&Space::GLTF);
///     let uploaded = GpuScene::new(gpu, &view, &UploadOptions::default(), |_node, model| {
///         Textures::new(gpu, model, |_material| None) // white instead of images
///     })?;
///     let pose = scene.pose(&[(clip, 0.5)])?;
///     let instances = uploaded.instances(&view, &pose);
///     Renderer::new(gpu).render_image(options, &uploaded.draws(&instances), [640, 480])
/// }
/// ```
#[derive(Debug)]
pub struct GpuScene {
    nodes: Vec<(GpuModel, Textures)>,
}

impl GpuScene {
    /// Uploads every node at the level of detail of the view, instead of the [level in the
    /// options](UploadOptions::lod). `textures` receives the index of a node and makes its textures.
    ///
    /// # Errors
    ///
    /// The errors of [`GpuModel::new`] and of `textures`.
    pub fn new(
        gpu: &Gpu,
        view: &View<'_, '_>,
        options: &UploadOptions,
        mut textures: impl FnMut(usize, &GpuModel) -> Result<Textures>,
    ) -> Result<GpuScene> {
        let mut nodes = Vec::new();
        for (node, model) in (0..).map_while(|node| Some((node, view.model(node)?))) {
            let shown = view.mesh_indices().find(|(of, _)| *of == node);
            let lod = shown.and_then(|(_, mesh)| model.meshes.get(mesh)).map_or(0, |mesh| mesh.lod);
            let uploaded = GpuModel::new(gpu, model, &UploadOptions { lod, ..*options })?;
            let textures = textures(node, &uploaded)?;
            nodes.push((uploaded, textures));
        }
        Ok(GpuScene { nodes })
    }

    /// The nodes, in the order of the scene.
    pub fn models(&self) -> impl ExactSizeIterator<Item = &GpuModel> {
        self.nodes.iter().map(|(model, _)| model)
    }

    /// The nodes as a view of the same scene places them: one instance for each. The space of the view must be
    /// right-handed.
    pub fn instances(&self, view: &View<'_, '_>, pose: &Pose) -> Vec<Instance> {
        // All meshes of a node have the same transform. Their triangles are already uploaded.
        let transform = |node| {
            let (_, mesh) = view.mesh_indices().find(|(of, _)| *of == node)?;
            view.mesh_with(node, mesh, Arc::default()).ok()?.matrix(pose).ok()
        };
        let instance = |(node, model): (usize, &GpuModel)| {
            let (Some(transform), Some(shown)) = (transform(node), pose.node(node)) else {
                return Instance::default();
            };
            // A coarser level of detail may have fewer frames and different joints.
            let last = model.frame_count().saturating_sub(1);
            let Blend { a, b, weight } = shown.frames;
            let blend = Blend { a: a.min(last), b: b.min(last), weight };
            let joints = shown.joints.iter().filter(|_| shown.joints.len() == model.joint_count());
            Instance { transform, blend, joints: joints.copied().collect() }
        };
        self.models().enumerate().map(instance).collect()
    }

    /// The draws of a picture: each node with its element of [`instances`](Self::instances).
    pub fn draws<'d>(&'d self, instances: &'d [Instance]) -> Vec<Draw<'d>> {
        let draw = |((model, textures), instance): (&'d (GpuModel, Textures), &'d Instance)| Draw {
            model,
            textures,
            instances: core::slice::from_ref(instance),
        };
        self.nodes.iter().zip(instances).map(draw).collect()
    }
}
