//! Imports a document with a skeleton as a model with joints.

use glam::Mat4;
use meshlens::Report;
use meshlens::model::{Clip, JointAnimation, Mesh, Model, PlainFrame, PlainMesh, Tag, TagPose, Transform};
use meshlens::scene::Socket;

use super::primitive::Base;
use super::rig::{Binding, Rig};
use super::sampling::frame_count;
use super::scene::Moment;
use super::tags::tag_pose;
use super::tracks::Tracks;
use super::{Import, broken, read_primitive};
use crate::memory::ROOM;
use crate::{Error, codes};

impl Import<'_> {
    /// Fills a model with joints, meshes, tags and clips. Returns what others can be attached to.
    pub(super) fn rigged(
        &self,
        mut rig: Rig,
        model: &mut Model<'static>,
        losses: &mut Report,
    ) -> Result<Vec<(usize, Socket)>, Error> {
        let rest = self.scene.at(None, 0.0, 0.0);
        let joints = rig.joints.len();
        self.buffers.spend(joints, Rig::JOINT)?;
        self.animations(&rig, model, losses)?;
        self.meshes(&mut rig, &rest, model, losses)?;
        let joints =
            (0..self.scene.ids.len()).filter_map(|node| Some((node, Socket::Joint(rig.joint(node)?))));
        let mut sockets: Vec<(usize, Socket)> = joints.collect();
        let mut poses: Vec<TagPose> = Vec::new();
        for (index, node) in self.scene.nodes().filter(|(index, _)| self.scene.tags[*index]) {
            if self.scene.shown[index] && rig.joint(index).is_none() {
                sockets.push((index, Socket::Tag(poses.len())));
                let name = node.name.clone().unwrap_or_default();
                model.tags.push(Tag { name, index: poses.len() });
                poses.push(tag_pose(&rest, index));
            }
        }
        if !poses.is_empty() {
            model.set_tag_poses(vec![poses]);
        }
        let scaled = rig.scaled();
        if scaled > 0 {
            let message =
                format_args!("the uniform scales of {scaled} joints at rest, which are in translations now");
            losses.lose(&codes::JOINT_SCALE_MOVED, scaled as u64, format_args!(""), message);
        }
        model.joints = rig.joints;
        Ok(sockets)
    }

    /// Adds every animation that moves a joint, and a clip that plays it.
    fn animations(&self, rig: &Rig, model: &mut Model<'static>, losses: &mut Report) -> Result<(), Error> {
        let (mut frames, mut work) = (0usize, 0usize);
        for (index, animation) in self.scene.animations.iter().enumerate() {
            let name = &animation.name;
            let moved = rig.moved(self.scene, index).len();
            if moved == 0 {
                let message = format_args!("animation {name}: it moves no joint");
                losses.lose(&codes::ANIMATION_LOST, 1, format_args!("animation {name}"), message);
                continue;
            }
            let rate = self.options.asked_rate().unwrap_or_else(|| animation.joint_rate());
            let count = frame_count(animation, rate);
            frames = frames.saturating_add(count);
            if frames > self.options.limits.frames {
                let most = self.options.limits.frames;
                return Err(broken(format_args!("animation {name}: more than {most} frames in all")));
            }
            work = work.saturating_add(count.saturating_mul(self.scene.moment_cost()));
            if work > self.options.limits.work {
                let most = self.options.limits.work;
                return Err(broken(format_args!("more than {most} nodes to move in all frames")));
            }
            self.work.set(work);
            self.buffers.spend(count.saturating_mul(moved), ROOM * size_of::<Transform>())?;
            self.animation_losses(animation, rate, losses);
            let records = size_of::<(Clip, JointAnimation<'_>)>();
            self.buffers.spend(1, ROOM * records + 2 * name.len())?;
            let times = (0..count).map(|step| (step as f32 / rate, 0.01 / rate));
            let Some(made) = rig.animation(self.scene, index, times) else { continue };
            let clip = Clip::new(name.clone(), 0, count, rate);
            model.clips.push(Clip { animation: Some(model.animations.len()), ..clip });
            model.animations.push(made);
        }
        Ok(())
    }

    fn animation_losses(&self, animation: &Tracks, rate: f32, losses: &mut Report) {
        let name = &animation.name;
        let tracks = || animation.tracks.iter().filter(|track| track.moves_node());
        let steps = tracks().filter(|track| track.is_step()).count();
        let place = format_args!("animation {name}");
        let message = format_args!("animation {name}: {steps} tracks of steps, which take a frame each");
        losses.lose(&codes::STEP_LINEARIZED, steps as u64, place, message);
        let keys = || tracks().flat_map(|track| &track.times);
        let between = keys().filter(|time| ((**time * rate) - (**time * rate).round()).abs() > 0.05).count();
        if between > 0 {
            let all = keys().count();
            let message = format_args!(
                "animation {name}: {between} of {all} keys lie between its frames, {rate} per second"
            );
            losses.lose(&codes::KEY_BETWEEN_FRAMES, between as u64, place, message);
        }
        let weights = animation.tracks.len() - tracks().count();
        let message = format_args!("animation {name}: {weights} tracks of morph targets");
        losses.lose(&codes::MORPH_TRACK_LOST, weights as u64, place, message);
    }

    fn meshes(
        &self,
        rig: &mut Rig,
        rest: &Moment,
        model: &mut Model<'static>,
        losses: &mut Report,
    ) -> Result<(), Error> {
        let mut cut = 0;
        for (index, mesh, name) in self.scene.shown_meshes() {
            for primitive in &mesh.primitives {
                let records = size_of::<(Base, PlainMesh, Mesh<'_>)>();
                self.buffers.spend(1, ROOM * records + name.len())?;
                let mut plain = PlainMesh::default();
                let base = read_primitive::read(self, (index, name), primitive, &mut plain, losses)?;
                let Some(base) = base else { continue };
                let vertex = size_of::<([[f32; 3]; 2], [f32; 4], [u16; 4], [f32; 4])>();
                self.buffers.spend(base.len().saturating_mul(base.targets.len() + 1), vertex)?;
                let bound = base.skin().map_or(0, |skin| skin.joints.len()).max(rig.joints.len());
                self.buffers.spend(bound, Rig::BOUND)?;
                let world = rest.world[index];
                let bound = match base.skin() {
                    Some(skin) => Some(rig.bind(&base, skin)),
                    None => rig.carry(self.scene, index, world, base.len()),
                };
                if base.is_mirrored(rest) {
                    plain.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
                }
                let place = bound.as_ref().map_or(world, |bound| bound.place);
                plain.frames.push(base.still(&place, &rest.weights[index], String::new()));
                self.target_frames(&base, &place, &mesh.extras.target_names, &mut plain)?;
                let skin = bound.map(|Binding { skin, joints, weights, cut: more, .. }| {
                    (plain.joints, plain.weights) = (joints, weights);
                    cut += more;
                    skin
                });
                compact(&mut plain);
                let mut made = plain.into_mesh(name)?;
                made.material = primitive.material;
                made.skin = skin;
                model.meshes.push(made);
            }
        }
        let message = format_args!("the weakest joints of {cut} vertices that more than four move");
        losses.lose(&codes::JOINTS_LOST, cut as u64, format_args!(""), message);
        Ok(())
    }

    /// Adds a frame for each morph target.
    fn target_frames(
        &self,
        base: &Base,
        place: &Mat4,
        names: &[String],
        plain: &mut PlainMesh,
    ) -> Result<(), Error> {
        let targets = base.targets.len();
        for target in 0..targets {
            let name = names.get(target).cloned().unwrap_or_else(|| format!("target {target}"));
            self.buffers.spend(1, ROOM * size_of::<PlainFrame>() + name.len())?;
            let mut weights = vec![0.0; targets];
            weights[target] = 1.0;
            plain.frames.push(base.still(place, &weights, name));
        }
        Ok(())
    }
}

/// Removes vertices that no triangle uses: the primitives of a mesh often share all vertices.
fn compact(plain: &mut PlainMesh) {
    let count = plain.frames.first().map_or(0, |frame| frame.positions.len());
    let mut used = vec![false; count];
    plain.triangles.as_flattened().iter().for_each(|vertex| used[*vertex as usize] = true);
    if plain.triangles.is_empty() || used.iter().all(|used| *used) {
        return;
    }
    let mut next = 0;
    let numbers: Vec<u32> = used
        .iter()
        .map(|used| {
            let number = next;
            next += u32::from(*used);
            number
        })
        .collect();
    plain.triangles.as_flattened_mut().iter_mut().for_each(|vertex| *vertex = numbers[*vertex as usize]);
    fn keep<T>(values: &mut Vec<T>, used: &[bool]) {
        let mut flags = used.iter();
        values.retain(|_| flags.next().copied().unwrap_or_default());
    }
    for PlainFrame { positions, normals, tangents, .. } in &mut plain.frames {
        keep(positions, &used);
        keep(normals, &used);
        keep(tangents, &used);
    }
    plain.texcoords.iter_mut().for_each(|set| keep(set, &used));
    plain.colors.iter_mut().for_each(|set| keep(set, &used));
    keep(&mut plain.joints, &used);
    keep(&mut plain.weights, &used);
}
