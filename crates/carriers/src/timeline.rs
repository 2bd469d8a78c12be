//! The frames of a scene, one after another, and the clips that play them, for carriers of vertices.

use meshlens::lens::VertexFormat;
use meshlens::model::{
    Clip, DEFAULT_RATE, JointAnimation, Model, Semantic, Transform, VertexLayout, distinct_names,
    lose_clip_name, unit_direction,
};
use meshlens::scene::{Pose, Scene, SceneClip, ViewMesh};
use meshlens::{Report, codes};

use crate::Error;

/// A clip as a range of frames of the written file.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRange {
    /// The name. It differs from the names of other clips.
    pub name: String,
    /// The first frame.
    pub first: usize,
    /// The number of frames, at least 1.
    pub count: usize,
    /// Frames per second.
    pub rate: f32,
    /// Whether the first frame follows the last one.
    pub loops: bool,
}

/// The frames of a scene. A model without moving joints has its own frames. Otherwise, frame 0 is the scene at rest, and the
/// frames of all clips follow.
pub(crate) struct Timeline<'s, 'a> {
    scene: &'s Scene<'a>,
    pub(crate) clips: Vec<ClipRange>,
    /// The clips of the scene, in the same order. Empty if the frames are those of the model.
    baked: Vec<SceneClip<'s>>,
    /// The number of frames, at least 1.
    pub(crate) count: usize,
    /// The frame at rest.
    pub(crate) rest: usize,
}

impl<'s, 'a> Timeline<'s, 'a> {
    pub(crate) fn new(scene: &'s Scene<'a>, losses: &mut Report) -> Self {
        match &scene.nodes[..] {
            [node] if node.model.clips.iter().all(|clip| clip.animation.is_none()) => {
                let count = node.model.frame_count().max(1);
                let rest = node.rest_frame.min(count - 1);
                let clips = own_clips(&node.model, count, losses);
                Timeline { scene, clips, baked: Vec::new(), count, rest }
            }
            _ => {
                let mut baked = scene.clips();
                baked.retain(|clip| tracks(scene, clip).any(|(_, clip, count)| count > 0 && clip.count > 0));
                let mut count = 1;
                let names = distinct_names(baked.iter().map(|clip| clip.name), []);
                let mut clips = Vec::new();
                for (name, clip) in names.into_iter().zip(&baked) {
                    let mut range = ClipRange {
                        name: name.into_owned(),
                        first: count,
                        count: 1,
                        rate: DEFAULT_RATE,
                        loops: false,
                    };
                    for (_, own, frames) in tracks(scene, clip) {
                        if frames > range.count || range.count == 1 {
                            (range.count, range.rate) = (frames.max(1), own.rate.get());
                            range.loops = own.is_cycle();
                        }
                        lose_playing(own, losses);
                    }
                    count += range.count;
                    clips.push(range);
                }
                Timeline { scene, clips, baked, count, rest: 0 }
            }
        }
    }

    /// The frame of the timeline at which each of its clips, and the rest pose, have this pose.
    pub(crate) fn pose_into(&self, frame: usize, pose: &mut Pose) -> Result<(), Error> {
        if self.baked.is_empty() {
            if pose.node(0).is_none() {
                *pose = self.scene.rest_pose();
            }
            if let Some(node) = pose.node_mut(0).filter(|_| self.scene.nodes.len() == 1) {
                node.frames = frame.into();
            }
            pose.prepare(self.scene);
            return Ok(());
        }
        let Some(number) = self.clips.partition_point(|clip| clip.first <= frame).checked_sub(1) else {
            *pose = self.scene.rest_pose();
            return Ok(());
        };
        let (Some(range), Some(clip)) = (self.clips.get(number), self.baked.get(number)) else {
            return Ok(());
        };
        let step = frame - range.first;
        self.scene.pose_into([(clip.name, step as f32 / range.rate)], pose)?;
        // Exactly, without the error of the time.
        for (node, own, count) in tracks(self.scene, clip).filter(|(_, own, _)| own.animation.is_none()) {
            if let Some(node) = pose.node_mut(node) {
                node.frames = own.frame(step.min(count.saturating_sub(1))).into();
            }
        }
        pose.prepare(self.scene);
        Ok(())
    }

    /// The transforms of the joints of the first node in a frame, relative to their parents.
    #[cfg(feature = "usd")]
    pub(crate) fn joints_into(&self, frame: usize, out: &mut Vec<Transform>) {
        out.clear();
        let Some(model) = self.scene.nodes.first().map(|node| &node.model) else { return };
        let number = self.clips.partition_point(|clip| clip.first <= frame).checked_sub(1);
        let found = number.and_then(|number| Some((self.clips.get(number)?, self.baked.get(number)?)));
        let shown = found.and_then(|(range, clip)| {
            let own = clip.tracks.iter().find(|(node, _)| *node == 0);
            Some((model.clips.get(own?.1)?, (frame - range.first) as f32 / range.rate))
        });
        match shown {
            Some((clip, time)) => model.pose_into(clip, time, out),
            None => out.extend(model.joints.iter().map(|joint| joint.rest)),
        }
    }

    /// Whether the vertices of a mesh differ from frame to frame.
    pub(crate) fn moves(&self, mesh: &ViewMesh<'_, '_>) -> bool {
        let is_attached = self.scene.attachment(mesh.node()).is_some();
        self.count > 1
            && (mesh.mesh().frame_count() > 1
                || !self.baked.is_empty() && (is_attached || mesh.mesh().skin.is_some()))
    }
}

/// The nodes that a clip moves: the node, its clip, and the number of frames that exist.
fn tracks<'t>(
    scene: &'t Scene<'_>,
    clip: &'t SceneClip<'_>,
) -> impl Iterator<Item = (usize, &'t Clip, usize)> {
    clip.tracks.iter().filter_map(|(node, clip)| {
        let model = &scene.nodes.get(*node)?.model;
        let clip = model.clips.get(*clip)?;
        Some((*node, clip, clip.count.min(frames_of(model, clip).saturating_sub(clip.first))))
    })
}

/// The number of frames of the model or of the animation that a clip plays.
fn frames_of(model: &Model<'_>, clip: &Clip) -> usize {
    match clip.animation {
        Some(animation) => model.animations.get(animation).map_or(0, JointAnimation::frame_count),
        None => model.frame_count(),
    }
}

/// The clips of a model, cut to its frames.
fn own_clips(model: &Model<'_>, frames: usize, losses: &mut Report) -> Vec<ClipRange> {
    let names = distinct_names(model.clips.iter().map(|clip| &*clip.name), []);
    let mut ranges = Vec::new();
    for (clip, name) in model.clips.iter().zip(names) {
        let count = clip.count.min(frames.saturating_sub(clip.first));
        let place = format_args!("clip {name}");
        let missing = clip.count - count;
        let message = format_args!("clip {name}: {missing} of {} frames do not exist", clip.count);
        losses.lose(&codes::CLIP_FRAMES_MISSING, u64::from(missing > 0), place, message);
        if count == 0 {
            continue;
        }
        lose_clip_name(losses, &clip.name, &name);
        lose_playing(clip, losses);
        let reversed = format_args!("clip {name}: it plays backwards");
        losses.lose(&codes::CLIP_REVERSED_LOST, clip.reversed.into(), place, reversed);
        let loops = clip.is_cycle() && missing == 0;
        let rate = clip.rate.get();
        ranges.push(ClipRange { name: name.into_owned(), first: clip.first, count, rate, loops });
    }
    ranges
}

fn lose_playing(clip: &Clip, losses: &mut Report) {
    let name = &clip.name;
    let loops = clip.loop_frames > 0 && !clip.is_cycle() && clip.count > 1;
    let message = format_args!("clip {name}: the last {} of {} frames repeat", clip.loop_frames, clip.count);
    losses.lose(&codes::CLIP_LOOP_LOST, loops.into(), format_args!("clip {name}"), message);
}

/// Replaces values that are not finite.
#[derive(Default)]
pub(crate) struct Replaced(pub(crate) u64);

impl Replaced {
    /// The positions of a mesh in a pose; those that are not finite become 0. Or its normals, of length 1; those without
    /// a length point up.
    pub(crate) fn read(
        &mut self,
        semantic: Semantic,
        mesh: &ViewMesh<'_, '_>,
        pose: &Pose,
        out: &mut Vec<[f32; 3]>,
    ) -> Result<(), Error> {
        let layout = VertexLayout::new(12).with(semantic, 0, VertexFormat::Float32x3);
        out.resize(mesh.vertex_count(), [0.0; 3]);
        mesh.fill_vertex_buffer(pose, &layout, bytemuck::cast_slice_mut(out))?;
        match semantic {
            Semantic::Normal => self.unit(out),
            _ => self.finite(out),
        }
        Ok(())
    }

    pub(crate) fn finite(&mut self, values: &mut [[f32; 3]]) {
        for value in values.as_flattened_mut().iter_mut().filter(|value| !value.is_finite()) {
            *value = 0.0;
            self.0 += 1;
        }
    }

    pub(crate) fn unit(&mut self, normals: &mut [[f32; 3]]) {
        for normal in normals {
            let made = unit_direction(*normal);
            self.0 += u64::from(made.is_none());
            *normal = made.unwrap_or([0.0, 1.0, 0.0]);
        }
    }

    pub(crate) fn lose(&self, losses: &mut Report) {
        let count = self.0;
        let message = format_args!("{count} values that are not finite or have no length were replaced");
        losses.lose(&codes::VALUE_NOT_FINITE, count, format_args!(""), message);
    }
}

/// Whether a mesh has normals, or they can be computed.
pub(crate) fn has_normals(mesh: &ViewMesh<'_, '_>) -> Result<bool, Error> {
    Ok(match mesh.mesh().normals(0)? {
        Some(stored) => !stored.is_empty(),
        None => mesh.mesh().normals_into(0, &mut Vec::new())?,
    })
}

/// Lists what no carrier of frames keeps: the content of the format that a model does not have, coarser levels and tangents.
pub(crate) fn lose_common(scene: &Scene<'_>, losses: &mut Report) {
    for node in &scene.nodes {
        let name = &node.name;
        node.model.losses(losses);
        let levels = node.model.meshes.iter().map(|mesh| mesh.lod);
        let finest = levels.clone().min().unwrap_or_default();
        let mut coarser: Vec<usize> = levels.filter(|lod| *lod > finest).collect();
        coarser.sort_unstable();
        coarser.dedup();
        let count = coarser.len() + node.lods.len();
        let message = format_args!("{name}: {count} coarser levels of detail");
        losses.lose(&codes::LOD_LOST, count as u64, format_args!("{name}"), message);
    }
}

/// What does not move with the vertices of a mesh.
pub(crate) struct Corners {
    pub(crate) texcoords: Vec<[f32; 2]>,
    pub(crate) colors: Vec<[f32; 4]>,
}

impl Corners {
    /// The first set of texture coordinates and of colors, one for each vertex, or empty. Lists the loss of other sets, of
    /// tangents and of triangles.
    pub(crate) fn new(mesh: &ViewMesh<'_, '_>, losses: &mut Report) -> Result<Corners, Error> {
        let (own, map) = (mesh.mesh(), mesh.topology().corners());
        let name = &own.name;
        let (mut texcoords, mut colors) = (Vec::new(), Vec::new());
        if own.texcoord_sets() > 0 {
            own.texcoords_into(0, &mut texcoords)?;
        }
        if own.color_sets() > 0 {
            own.colors_into(0, &mut colors)?;
        }
        let mut lose = |code, count: u64, what: &str| {
            let (place, message) = (format_args!("mesh {name}"), format_args!("mesh {name}: {count} {what}"));
            losses.lose(code, count, place, message);
        };
        let sets = own.texcoord_sets().saturating_sub(1) as u64;
        lose(&codes::TEXCOORD_SET_LOST, sets, "more sets of texture coordinates");
        lose(&codes::COLORS_LOST, own.color_sets().saturating_sub(1) as u64, "more sets of colors");
        let mut tangents = Vec::new();
        own.tangents_into(0, &mut tangents)?;
        lose(&codes::TANGENTS_LOST, tangents.len() as u64, "tangents");
        let dropped = mesh.topology().dropped_triangles() as u64;
        lose(&codes::TRIANGLE_DROPPED, dropped, "triangles with indices out of range");
        let count = mesh.vertex_count();
        let (mut texcoords, mut colors) = (gathered(texcoords, map, count), gathered(colors, map, count));
        let values = texcoords.as_flattened_mut().iter_mut().chain(colors.as_flattened_mut());
        let mut replaced = 0;
        for value in values.filter(|value| !value.is_finite()) {
            *value = 0.0;
            replaced += 1;
        }
        let what = "texture coordinates or colors that are not finite became 0";
        lose(&codes::VALUE_NOT_FINITE, replaced, what);
        Ok(Corners { texcoords, colors })
    }
}

fn gathered<V: Copy + Default>(values: Vec<V>, map: Option<&[u32]>, count: usize) -> Vec<V> {
    let Some(map) = map.filter(|_| !values.is_empty()) else {
        return if values.len() == count { values } else { Vec::new() };
    };
    map.iter().map(|index| values.get(*index as usize).copied().unwrap_or_default()).collect()
}
