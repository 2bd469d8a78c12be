//! The vertex frames of an entity, for the shader.

use bevy::ecs::component::Component;
use bevy::ecs::query::QueryItem;
use bevy::render::gpu_component_array_buffer::GpuComponentArrayBuffer;

use super::frames::HEAD;
use crate::VertexFrames;
/// The vertex frames of an entity, in the form that the shader reads.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct GpuAnimated {
    /// The offsets of two frames in the buffer, in words of 4 bytes.
    pub(super) frames: [u32; 2],
    pub(super) weight: f32,
    /// The size of a frame in words, and the number of frames.
    pub(super) size: u32,
    pub(super) count: u32,
}

impl GpuAnimated {
    pub(super) fn show(&mut self, frames: VertexFrames) {
        let place = |frame: u32| HEAD as u32 + frame.min(self.count.saturating_sub(1)) * self.size;
        self.frames = [frames.shown.a, frames.shown.b].map(place);
        self.weight = frames.shown.weight;
    }
}

/// An instance has 16 bytes: the offsets of two frames, a weight, and padding.
impl GpuComponentArrayBuffer for GpuAnimated {
    type QueryData = &'static GpuAnimated;
    type QueryFilter = ();
    type Out = [u32; 4];

    fn extract_component(shown: QueryItem<'_, '_, Self::QueryData>) -> Option<[u32; 4]> {
        let [a, b] = shown.frames;
        Some([a, b, shown.weight.to_bits(), 0])
    }
}
