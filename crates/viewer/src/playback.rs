//! Playing clips: the position in each clip, and the frames to show.

use meshlens::Model;
use meshlens::model::{Clip, Rate};
use meshlens::scene::{Node, Pose, Scene};

/// The behavior at the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// The clip stops at its last frame.
    Once,
    /// The clip starts again.
    #[default]
    Loop,
    /// The clip plays backwards, then forwards again.
    PingPong,
}

choices!(Repeat: Once "Once", Loop "Loop", PingPong "Ping-pong");

/// The settings of playback, which apply to all parts of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Whether time passes.
    pub playing: bool,
    /// The factor of the rate.
    pub speed: f32,
    /// The behavior at the end.
    pub repeat: Repeat,
    /// Whether frames are blended. If not, each frame is shown until the next one begins.
    pub blending: bool,
}

impl Default for Playback {
    fn default() -> Self {
        Playback { playing: false, speed: 1.0, repeat: Repeat::Loop, blending: true }
    }
}

/// The clips of one part of a model, and the position in one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    clips: Vec<Clip>,
    clip: Option<usize>,
    /// The frame that is shown without a clip.
    rest: usize,
    /// The position in frames from the start of the clip.
    step: f64,
    /// Whether a ping-pong is on its way back.
    is_returning: bool,
}

impl Track {
    /// Makes a track with the clips of a model. If the clips are named ranges of its frames, a clip of all frames is
    /// added. The first clip is selected. Without clips, the track shows frame `rest`.
    pub fn new(model: &Model<'_>, rest: usize) -> Track {
        let mut clips = model.clips.clone();
        let frames = model.frame_count();
        let covers = |clip: &Clip| clip.animation.is_none() && clip.first == 0 && clip.count >= frames;
        if frames > 1 && !clips.iter().any(covers) {
            clips.push(Clip::without_rate("all frames", 0, frames));
        }
        let named = |name: &str| clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(name));
        // Players stand still at first.
        let idle = named("LEGS_IDLE").or_else(|| named("TORSO_STAND"));
        let clip = idle.or((!clips.is_empty()).then_some(0));
        Track { clips, clip, rest, step: 0.0, is_returning: false }
    }

    /// Makes a track for each node.
    pub fn of_nodes(nodes: &[Node<'_>]) -> Vec<Track> {
        nodes.iter().map(|node| Track::new(&node.model, node.rest_frame)).collect()
    }

    /// The clips.
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// The index of the selected clip.
    pub fn selected(&self) -> Option<usize> {
        self.clip
    }

    /// The selected clip.
    pub fn clip(&self) -> Option<&Clip> {
        self.clips.get(self.clip?)
    }

    /// Selects a clip, from its start.
    pub fn select(&mut self, clip: usize) {
        self.clip = Some(clip).filter(|clip| *clip < self.clips.len());
        self.go_to(0);
    }

    /// Selects the first clip with this name, in any case. Returns whether there is one.
    pub fn select_named(&mut self, name: &str) -> bool {
        let found = self.clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(name));
        found.inspect(|clip| self.select(*clip)).is_some()
    }

    /// The number of frames of the selected clip; 1 without a clip.
    pub fn frame_count(&self) -> usize {
        self.clip().map_or(1, |clip| clip.count.max(1))
    }

    /// The frame that is shown, counted from the start of the clip.
    pub fn frame(&self) -> usize {
        (self.step as usize).min(self.frame_count() - 1)
    }

    /// The frame of the model that is shown.
    pub fn model_frame(&self) -> usize {
        self.clip().map_or(self.rest, |clip| clip.frame(self.frame()))
    }

    /// Goes to a frame, counted from the start of the clip. A number after the end selects the last frame.
    pub fn go_to(&mut self, frame: usize) {
        self.step = frame.min(self.frame_count() - 1) as f64;
        self.is_returning = false;
    }

    /// Goes to the next frame, or to the previous one. The last frame is followed by the first one.
    pub fn step_by(&mut self, forwards: bool) {
        let count = self.frame_count();
        let next = self.frame() + if forwards { 1 } else { count - 1 };
        self.go_to(next % count);
    }

    /// Advances the time by a number of seconds. Returns whether the clip is still playing.
    pub fn advance(&mut self, seconds: f64, playback: &Playback) -> bool {
        let Some(clip) = self.clip() else { return false };
        let count = clip.count.max(1) as f64;
        let last = count - 1.0;
        let moved = seconds * f64::from(clip.rate.get()) * f64::from(playback.speed);
        if !moved.is_finite() || moved < 0.0 || last <= 0.0 {
            return false;
        }
        match playback.repeat {
            Repeat::Once => {
                self.step = (self.step + moved).min(last);
                return self.step < last;
            }
            // The last frame is shown as long as every other frame.
            Repeat::Loop => self.step = (self.step + moved) % count,
            Repeat::PingPong => {
                let there = if self.is_returning { 2.0 * last - self.step } else { self.step };
                let there = (there + moved) % (2.0 * last);
                self.is_returning = there > last;
                self.step = if self.is_returning { 2.0 * last - there } else { there };
            }
        }
        true
    }

    /// Shows the clip at its position on a node. Without a clip, the node is unchanged.
    pub fn play(&self, scene: &Scene<'_>, node: usize, playback: &Playback, pose: &mut Pose) {
        let Some(clip) = self.clip() else { return };
        // One frame per second, so that times equal frame numbers.
        let loop_frames = if clip.is_cycle() && playback.repeat == Repeat::Loop { clip.count } else { 0 };
        let timed = Clip { rate: Rate::ONE, loop_frames, ..clip.clone() };
        let step = if playback.blending { self.step } else { self.step.floor() };
        pose.play_on(scene, node, &timed, step as f32);
    }
}
