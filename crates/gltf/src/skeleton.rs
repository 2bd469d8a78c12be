//! Joints and skins.

use std::sync::Arc;

use glam::{Mat4, Quat};
use meshlens::Model;
use meshlens::model::{Conversion, JointScales, Transform, joint_parents};

use crate::Error;
use crate::builder::{Builder, added};
use crate::codes;
use crate::extras::{Joint, NodeExtras};
use crate::json::{Kind, Node, Skin};
use crate::nodes::{ModelNodes, NodeTransform};
use crate::selection::Selection;
use crate::shape::finite;
use crate::stored::Use;

impl Builder<'_, '_, '_> {
    /// A joint's transform in glTF's space.
    pub(crate) fn joint_place(&mut self, transform: &Transform, conversion: &Conversion) -> NodeTransform {
        let Transform { translation, rotation, scale } = conversion.transform(transform);
        let is_finite = translation.iter().chain(&scale).all(|value| value.is_finite());
        self.scratch.replaced += u64::from(!is_finite);
        NodeTransform {
            translation: translation.map(finite).into(),
            rotation: Quat::from_array(rotation).normalize(),
            scale: scale.map(finite).into(),
        }
    }

    /// Adds a node for each joint, at rest or in the requested frame. Returns the nodes without a parent.
    pub(crate) fn joint_nodes(
        &mut self,
        model: &Model<'_>,
        selection: &Selection,
        nodes: &mut ModelNodes,
    ) -> Result<Vec<usize>, Error> {
        self.memory.elements::<[Transform; 3]>(model.joints.len(), "joints")?;
        let conversion = self.conversion(model);
        let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        if let (Some(frame), Some(animation)) = (selection.still_frame, model.animations.first()) {
            animation.apply(frame, &mut pose);
        }
        let first = self.root.nodes.len();
        nodes.scales = JointScales::at_rest(&model.joints);
        let moved = nodes.scales.count();
        if moved > 0 {
            let message =
                format!("the uniform scales of {moved} joints at rest, which are in translations now");
            self.loss(&codes::JOINT_SCALE_MOVED, moved, message)?;
        }
        for (index, (joint, transform)) in model.joints.iter().zip(&pose).enumerate() {
            let place = self.joint_place(&nodes.scales.unscale(index, transform), &conversion);
            let ([scaled, ..], [unscaled, ..]) =
                (joint.rest.scale, nodes.scales.unscale(index, &joint.rest).scale);
            if place.is_scaled() {
                nodes.scaled_joints.insert(index);
            }
            nodes.joints.push(self.node(Node {
                name: joint.name.clone(),
                translation: Some(place.translation.to_array()),
                rotation: (place.rotation != Quat::IDENTITY).then(|| place.rotation.to_array()),
                scale: (place.scale != glam::Vec3::ONE).then(|| place.scale.to_array()),
                extras: (scaled != unscaled).then(|| NodeExtras::Joint(Joint { scale: scaled / unscaled })),
                ..Node::default()
            })?);
        }
        let mut roots = Vec::new();
        for (index, parent) in joint_parents(&model.joints).into_iter().enumerate() {
            match parent {
                Some(parent) => self.root.nodes[first + parent].children.push(first + index),
                None => roots.push(first + index),
            }
        }
        Ok(roots)
    }

    /// Adds a warning if joints keep a scale.
    pub(crate) fn warn_of_scales(&mut self, model: &Model<'_>, nodes: &ModelNodes) {
        let Some(first) = nodes.scaled_joints.first().and_then(|joint| model.joints.get(*joint)) else {
            return;
        };
        let name = &first.name;
        let joints = match nodes.scaled_joints.len() {
            1 => format!("joint {name} keeps a scale"),
            count => format!("{count} joints, such as {name}, keep a scale"),
        };
        let why = "that is not uniform, or that a clip changes: Blender's bones have none";
        self.warnings.push(format!("{joints} {why}"));
    }

    /// Whether a mesh of the document has joints and weights.
    pub(crate) fn is_skinned(&self, mesh: usize) -> bool {
        let primitives = self.root.meshes[mesh].primitives.iter();
        primitives.into_iter().any(|primitive| primitive.attributes.contains_key("JOINTS_0"))
    }

    /// The index of a mesh's skin. Meshes that share matrices share it.
    pub(crate) fn skin(
        &mut self,
        model: &Model<'_>,
        nodes: &ModelNodes,
        matrices: &Arc<[[[f32; 4]; 4]]>,
    ) -> Result<usize, Error> {
        let joints = &nodes.joints;
        let first = joints.first().copied().unwrap_or_default();
        let key = (first, matrices.as_ptr());
        if let Some(skin) = self.skins.get(&key) {
            return Ok(*skin);
        }
        let conversion = self.conversion(model);
        self.memory.elements::<(Skin, [usize; 3])>(1, "skins")?;
        self.memory.array::<([[f32; 16]; 2], usize)>(matrices.len(), "inverse bind matrices")?;
        let mut floats = Vec::with_capacity(matrices.len() * 16);
        for (joint, matrix) in matrices.iter().enumerate() {
            let mut converted = conversion.matrix(nodes.scales.unscale_bind(joint, *matrix));
            // The last row is exact, without rounding.
            for (column, last) in converted.iter_mut().zip([0.0, 0.0, 0.0, 1.0]) {
                column[3] = last;
            }
            let is_finite = converted.as_flattened().iter().all(|value| value.is_finite());
            self.scratch.replaced += u64::from(!is_finite);
            let converted = if is_finite { converted } else { Mat4::IDENTITY.to_cols_array_2d() };
            floats.extend_from_slice(converted.as_flattened());
        }
        let accessor = self.floats_accessor(Use::Binds, &floats, Kind::Mat4)?;
        let skin = Skin { inverse_bind_matrices: Some(accessor), skeleton: None, joints: joints.clone() };
        let skin = added(&mut self.root.skins, skin);
        self.skins.insert(key, skin);
        Ok(skin)
    }
}
