//! Animations.

use serde::{Deserialize, Serialize};

use crate::extras::is_default;

#[derive(Serialize, Deserialize)]
pub(crate) struct Animation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) samplers: Vec<Sampler>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Channel {
    pub(crate) sampler: usize,
    pub(crate) target: ChannelTarget,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ChannelTarget {
    /// `None` if an extension defines the animated property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<usize>,
    pub(crate) path: Property,
}

/// A property of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
    /// A property that an extension defines.
    #[serde(other)]
    Other,
}

impl Animation {
    /// The channels that move a node: the node, its property, and the keys.
    pub(crate) fn tracks(&self) -> impl Iterator<Item = (usize, Property, &Sampler)> {
        self.channels.iter().filter_map(|Channel { sampler, target }| {
            Some((target.node?, target.path, self.samplers.get(*sampler)?))
        })
    }
}

/// The keys of a channel: the accessors of their times and values.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sampler {
    pub(crate) input: usize,
    pub(crate) output: usize,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) interpolation: Interpolation,
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Interpolation {
    #[default]
    Linear,
    Step,
    CubicSpline,
}
