//! The skeleton of a scene: its joints in the order and by the names of UsdSkel.

use meshlens::model::{Transform, joint_parents};
use meshlens::scene::Scene;
use meshlens::{Report, codes};

use super::text::Names;

/// The skeleton of a scene of one model.
pub(super) struct Skeleton {
    /// The joints of the model, each after its parent.
    pub(super) order: Vec<usize>,
    /// The place of each joint of the model in this order.
    pub(super) places: Vec<usize>,
    /// The path of each joint, in this order.
    pub(super) paths: Vec<String>,
    /// The path of its prim.
    pub(super) path: String,
    /// The matrix of each joint of the model in the pose in which the meshes are bound.
    pub(super) binds: Vec<[[f32; 4]; 4]>,
}

impl Skeleton {
    /// The skeleton of a scene whose meshes have one bind pose; `None` for others, whose frames are written instead.
    pub(super) fn new(scene: &Scene<'_>, losses: &mut Report) -> Option<Skeleton> {
        let [node] = &scene.nodes[..] else { return None };
        let model = &node.model;
        let is_placed = node.transform != Transform::IDENTITY
            || model.placement != glam::Mat4::IDENTITY.to_cols_array_2d();
        let mut skins = model.meshes.iter().filter_map(|mesh| mesh.skin.as_ref());
        let skin = skins.next().filter(|_| !is_placed)?;
        let binds: Vec<glam::Mat4> =
            skin.iter().map(|inverse| glam::Mat4::from_cols_array_2d(inverse).inverse()).collect();
        let fits = binds.len() == model.joints.len() && binds.iter().all(glam::Mat4::is_finite);
        if !fits || skins.any(|other| other != skin) {
            return None;
        }
        let morphs = model.meshes.iter().filter(|mesh| mesh.skin.is_some() && mesh.frame_count() > 1).count();
        let message = format_args!("{}: the morph targets of {morphs} meshes", node.name);
        losses.lose(&codes::MORPH_TARGET_LOST, morphs as u64, format_args!("{}", node.name), message);
        let parents = joint_parents(&model.joints);
        let mut depths = vec![0usize; parents.len()];
        for (joint, depth) in depths.iter_mut().enumerate() {
            let ancestors =
                std::iter::successors(parents.get(joint).copied().flatten(), |parent| parents[*parent]);
            *depth = ancestors.take(parents.len()).count();
        }
        let mut order: Vec<usize> = (0..parents.len()).collect();
        order.sort_by_key(|joint| depths[*joint]);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, joint)| places[*joint] = place);
        let (mut names, mut paths) = (Names::default(), Vec::<String>::new());
        for joint in &order {
            let name = names.add(&model.joints[*joint].name);
            let parent = parents[*joint].and_then(|parent| paths.get(places[parent]));
            paths.push(parent.map_or_else(|| name.clone(), |parent| format!("{parent}/{name}")));
        }
        let binds = binds.iter().map(glam::Mat4::to_cols_array_2d).collect();
        Some(Skeleton { order, places, paths, path: String::new(), binds })
    }
}
