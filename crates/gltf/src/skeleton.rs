//! Joints and skins.

use std::sync::Arc;

use glam::Mat4;
use meshlens::Model;
use meshlens::model::{Conversion, Transform};

use crate::builder::Builder;
use crate::json::{Accessor, Component, Node, Skin};
use crate::nodes::{PartNodes, Place};
use crate::selection::Selection;
use crate::shape::finite;

/// A joint's transform in glTF's space.
pub(crate) fn place(transform: &Transform, conversion: &Conversion) -> Place {
    Place {
        translation: conversion.position(transform.translation.to_array()).map(finite).into(),
        rotation: conversion.rotation(transform.rotation).normalize(),
        scale: conversion.factors(transform.scale.to_array()).map(finite).into(),
    }
}

impl Builder<'_, '_, '_> {
    /// A node for each joint, at rest or in the frame asked for; gives back those that hang on none.
    pub(crate) fn joint_nodes(
        &mut self,
        model: &Model<'_>,
        selection: &Selection,
        nodes: &mut PartNodes,
    ) -> Vec<usize> {
        let conversion = self.tag_conversion(model);
        let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
        if let (Some(frame), Some(animation)) = (selection.still_frame, model.animations.first()) {
            animation.apply(frame, &mut pose);
        }
        let first = self.root.nodes.len();
        for (joint, transform) in model.joints.iter().zip(&pose) {
            let place = place(transform, &conversion);
            nodes.joints.push(self.root.nodes.len());
            self.root.nodes.push(Node {
                name: joint.name.clone(),
                translation: Some(place.translation.to_array()),
                rotation: Some(place.rotation.to_array()),
                scale: (place.scale != glam::Vec3::ONE).then(|| place.scale.to_array()),
                ..Node::default()
            });
        }
        let mut roots = Vec::new();
        for (index, parent) in parents(model).into_iter().enumerate() {
            match parent {
                Some(parent) => self.root.nodes[first + parent].children.push(first + index),
                None => roots.push(first + index),
            }
        }
        roots
    }

    /// Whether a mesh of the document has joints.
    pub(crate) fn is_skinned(&self, mesh: usize) -> bool {
        let primitives = self.root.meshes[mesh].primitives.iter();
        primitives.into_iter().any(|primitive| primitive.attributes.0.contains_key("JOINTS_0"))
    }

    /// The skin of a mesh; meshes that share matrices share it.
    pub(crate) fn skin(&mut self, model: &Model<'_>, joints: &[usize], matrices: &Arc<[Mat4]>) -> usize {
        let first = joints.first().copied().unwrap_or_default();
        let key = (first, matrices.as_ptr());
        if let Some(skin) = self.skins.get(&key) {
            return *skin;
        }
        let conversion = self.tag_conversion(model);
        let mut floats = Vec::with_capacity(matrices.len() * 16);
        for matrix in matrices.iter() {
            let mut converted = conversion.matrix(*matrix);
            // Exactly affine, whatever rounding did.
            (converted.x_axis.w, converted.y_axis.w, converted.z_axis.w, converted.w_axis.w) =
                (0.0, 0.0, 0.0, 1.0);
            let converted = if converted.is_finite() { converted } else { Mat4::IDENTITY };
            floats.extend(converted.to_cols_array());
        }
        let view = self.bytes_view(floats.iter().flat_map(|value| value.to_le_bytes()).collect());
        let accessor = self.accessor(Accessor::new(view, Component::F32, "MAT4", matrices.len()));
        self.root.skins.push(Skin {
            inverse_bind_matrices: accessor,
            skeleton: None,
            joints: joints.to_vec(),
        });
        let skin = self.root.skins.len() - 1;
        self.skins.insert(key, skin);
        skin
    }
}

/// The parent of each joint, `None` where following parents leads around in a circle. O(joints).
fn parents(model: &Model<'_>) -> Vec<Option<usize>> {
    let count = model.joints.len();
    let mut parents: Vec<Option<usize>> =
        model.joints.iter().map(|joint| joint.parent.filter(|parent| *parent < count)).collect();
    // The walk that first came by each joint: coming by again on the same walk is a circle, which ends there.
    let mut walked = vec![None; count];
    for start in 0..count {
        let mut joint = start;
        while walked[joint].is_none() {
            walked[joint] = Some(start);
            let Some(parent) = parents[joint] else { break };
            if walked[parent] == Some(start) {
                parents[joint] = None;
                break;
            }
            joint = parent;
        }
    }
    parents
}
