//! Vertex frames as a component that an `AnimationPlayer` animates, and the curves of clips.

use bevy::animation::animatable::{Animatable, BlendInput};
use bevy::curve::{Curve, Interval};
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use meshlens::model::{Blend, Clip};

/// The vertex frames that a node shows. Clips change it through an `AnimationPlayer`; it can also be written directly.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Clone)]
pub struct VertexFrames {
    /// Two frames, and the weight of the second one.
    pub shown: FrameBlend,
}

/// Two vertex frames, and the weight of the second one, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Clone)]
pub struct FrameBlend {
    /// The frame at weight 0.
    pub a: u32,
    /// The frame at weight 1.
    pub b: u32,
    /// The weight of frame `b`.
    pub weight: f32,
}

impl FrameBlend {
    /// The frame with the larger weight.
    pub const fn nearest(&self) -> u32 {
        if self.weight < 0.5 { self.a } else { self.b }
    }
}

impl From<Blend> for FrameBlend {
    fn from(blend: Blend) -> Self {
        let frame = |frame: usize| u32::try_from(frame).unwrap_or(u32::MAX);
        FrameBlend { a: frame(blend.a), b: frame(blend.b), weight: blend.weight }
    }
}

impl From<FrameBlend> for Blend {
    fn from(blend: FrameBlend) -> Self {
        Blend { a: blend.a as usize, b: blend.b as usize, weight: blend.weight }
    }
}

/// A single clip shows both of its frames. Between two clips, the nearest frame of each is blended.
impl Animatable for FrameBlend {
    fn interpolate(a: &Self, b: &Self, time: f32) -> Self {
        match time {
            time if time <= 0.0 => *a,
            time if time >= 1.0 => *b,
            weight => FrameBlend { a: a.nearest(), b: b.nearest(), weight },
        }
    }

    fn blend(inputs: impl Iterator<Item = BlendInput<Self>>) -> Self {
        let mut shown: Option<(FrameBlend, f32)> = None;
        // Frames do not support additive blending.
        for input in inputs.filter(|input| !input.additive) {
            shown = Some(match shown {
                None => (input.value, input.weight),
                Some((value, weight)) => {
                    let sum = weight + input.weight;
                    let share = if sum > 0.0 { input.weight / sum } else { 0.0 };
                    (FrameBlend::interpolate(&value, &input.value, share), sum)
                }
            });
        }
        shown.map(|(value, _)| value).unwrap_or_default()
    }
}

/// The frames of a clip, by the seconds since its start.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque)]
#[reflect(Clone)]
pub struct FrameCurve(pub Clip);

impl Curve<FrameBlend> for FrameCurve {
    fn domain(&self) -> Interval {
        // If only the end of a clip repeats, the clip has no end.
        let end = if repeats_in_part(&self.0) { f32::INFINITY } else { self.0.duration() };
        Interval::new(0.0, end).unwrap_or(Interval::EVERYWHERE)
    }

    fn sample_unchecked(&self, time: f32) -> FrameBlend {
        self.0.sample(time).into()
    }

    // At the end of a cycle, `sample` returns the first frame.
    fn sample_clamped(&self, time: f32) -> FrameBlend {
        self.sample_unchecked(time)
    }
}

/// Whether only the end of a clip repeats. It cannot be repeated from its start.
pub(crate) const fn repeats_in_part(clip: &Clip) -> bool {
    clip.loop_frames > 0 && !clip.is_cycle()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_shows_the_frames_of_its_clip() {
        let mut clip = Clip::new("walk", 20, 4, 8.0);
        let curve = FrameCurve(clip.clone());
        assert_eq!(curve.domain(), Interval::new(0.0, 0.375).unwrap());
        assert_eq!(curve.sample_clamped(0.1875), FrameBlend { a: 21, b: 22, weight: 0.5 });
        assert_eq!(curve.sample_clamped(9.0), FrameBlend { a: 23, b: 23, weight: 0.0 });
        clip.loop_frames = 2;
        let curve = FrameCurve(clip);
        assert_eq!(curve.domain().end(), f32::INFINITY);
        assert_eq!(curve.sample_clamped(0.5).a, 22, "frames 22 and 23 repeat");
    }

    #[test]
    fn two_clips_blend_their_nearest_frames() {
        let (walk, run) = (FrameBlend { a: 1, b: 2, weight: 0.75 }, FrameBlend { a: 7, b: 8, weight: 0.25 });
        assert_eq!(FrameBlend::interpolate(&walk, &run, 0.0), walk);
        assert_eq!(FrameBlend::interpolate(&walk, &run, 0.25), FrameBlend { a: 2, b: 7, weight: 0.25 });
        let input = |value, weight| BlendInput { weight, value, additive: false };
        let blended = FrameBlend::blend([input(walk, 1.0), input(run, 1.0)].into_iter());
        assert_eq!(blended, FrameBlend { a: 2, b: 7, weight: 0.5 });
    }
}
