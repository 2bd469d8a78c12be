//! Imports a document as frames of vertices: morph targets, joints and moving nodes, baked.

use meshlens::Report;
use meshlens::model::{Mesh, Model, PlainFrame, PlainMesh, Tag, TagPose};
use meshlens::scene::{Node, Socket};

use super::baking::Baking;
use super::frames::{Frames, Time};
use super::sampling::Sampling;
use super::scene::Moment;
use super::tags::tag_pose;
use super::{Import, broken, read_primitive};
use crate::memory::ROOM;
use crate::{Error, codes};

impl<'i> Import<'i> {
    /// Fills the model of a node with frames of vertices, tags and clips. Returns what others can be attached to.
    pub(super) fn bake(
        &self,
        node: &mut Node<'static>,
        losses: &mut Report,
    ) -> Result<Vec<(usize, Socket)>, Error> {
        let scene = self.scene;
        let model = &mut node.model;
        // A requested rate needs new frames.
        let has_own_frames = !self.options.at_rest && self.options.asked_rate().is_none();
        let stored = has_own_frames.then(|| Frames::read(scene, self.options.limits.frames)).flatten();
        let vertices = self.vertices();
        let cost = |frames| vertices.saturating_add(scene.moment_cost()).saturating_mul(frames);
        self.within_work(cost(stored.as_ref().map_or(1, Frames::len)))?;
        let mut meshes = self.meshes_to_bake(losses)?;
        let tags = self.tags(stored.as_ref());
        let nodes: Vec<usize> = tags.iter().map(|(node, _)| *node).collect();
        let times = match &stored {
            Some(frames) => {
                node.rest_frame = frames.rest();
                self.stored_times(frames, model)?
            }
            None if self.options.at_rest => vec![Time::REST],
            None => {
                let (times, clips) = Sampling::new(self, &meshes, &nodes)?.times(losses)?;
                model.clips = clips;
                self.lose_targets(&meshes, losses);
                times
            }
        };
        self.within_work(cost(times.len()))?;
        model
            .tags
            .extend(tags.iter().enumerate().map(|(index, (_, name))| Tag { name: (*name).into(), index }));
        let shown = ShownFrames { import: self, stored: stored.as_ref(), times: &times, tags: &nodes };
        shown.bake(&mut meshes, model)?;
        for Baking { name, material, plain, .. } in meshes {
            let mut made = plain.into_mesh(name)?;
            made.material = material;
            model.meshes.push(made);
        }
        if model.frame_count() == 0 && !model.clips.is_empty() {
            model.clips.clear();
            let message = format_args!("animations: nothing of what they move is kept");
            losses.lose(&codes::ANIMATION_LOST, 1, format_args!(""), message);
        }
        let skins = scene.skins.len() as u64;
        let message = format_args!("{skins} skins: what they move is written as frames of vertices");
        losses.lose(&codes::SKIN_BAKED, skins, format_args!(""), message);
        let sockets = nodes.iter().enumerate().map(|(tag, node)| (*node, Socket::Tag(tag)));
        Ok(sockets.collect())
    }

    /// The times of frames that the extras describe. Adds their clips and names.
    fn stored_times(&self, frames: &Frames<'_>, model: &mut Model<'static>) -> Result<Vec<Time>, Error> {
        model.clips.extend(frames.clips());
        self.buffers.spend(frames.len(), size_of::<(String, Time)>())?;
        model.frame_names = frames.names();
        Ok((0..frames.len()).map(|frame| frames.time(frame)).collect())
    }

    /// The triangles of the visible meshes.
    fn meshes_to_bake(&self, losses: &mut Report) -> Result<Vec<Baking<'i>>, Error> {
        let mut baking = Vec::new();
        for (node, mesh, name) in self.scene.shown_meshes() {
            for primitive in &mesh.primitives {
                let records = size_of::<(Baking<'_>, PlainMesh, Mesh<'_>)>();
                self.buffers.spend(1, ROOM * records + name.len())?;
                let mut plain = PlainMesh::default();
                let base = read_primitive::read(self, (node, name), primitive, &mut plain, losses)?;
                let Some(base) = base else { continue };
                if !base.tangents.is_empty() {
                    let message = format_args!("mesh {name}: tangents");
                    losses.lose(&meshlens::codes::TANGENTS_LOST, 1, format_args!("mesh {name}"), message);
                }
                let (material, target_names) = (primitive.material, mesh.extras.target_names.as_slice());
                baking.push(Baking { name, material, base, plain, target_names });
            }
        }
        Ok(baking)
    }

    /// Reports the morph targets that neither the file at rest nor an animation shows: no frame has them.
    fn lose_targets(&self, meshes: &[Baking<'_>], losses: &mut Report) {
        let mut states = self.scene.rest.clone();
        for track in self.scene.animations.iter().flat_map(|animation| &animation.tracks) {
            if let Some(state) = states.get_mut(track.node) {
                track.mark_shown(&mut state.weights);
            }
        }
        // The primitives of a mesh have the same morph targets.
        let nodes = meshes.chunk_by(|a, b| a.base.node == b.base.node).filter_map(<[_]>::first);
        for Baking { name, base, .. } in nodes {
            let count = states[base.node].weights.iter().filter(|weight| **weight == 0.0).count();
            let message = format_args!("mesh {name}: {count} morph targets that no animation shows");
            losses.lose(
                &meshlens::codes::MORPH_TARGET_LOST,
                count as u64,
                format_args!("mesh {name}"),
                message,
            );
        }
    }

    /// The nodes that are tags, and their names.
    fn tags(&self, stored: Option<&Frames<'_>>) -> Vec<(usize, &'i str)> {
        let nodes = self.scene.nodes();
        nodes
            .filter(|(index, node)| node.mesh.is_none() && self.scene.shown[*index])
            .filter_map(|(index, node)| Some((index, node.name.as_deref()?)))
            .filter(|(node, name)| {
                self.scene.tags[*node] || stored.is_some_and(|frames| frames.is_tag(self.scene, *node, name))
            })
            .collect()
    }

    /// The number of vertices of all visible meshes.
    fn vertices(&self) -> usize {
        let primitives = self.scene.shown_meshes().flat_map(|(_, mesh, _)| &mesh.primitives);
        let positions = primitives.filter_map(|primitive| primitive.get("POSITION"));
        positions.map(|accessor| self.buffers.count(accessor)).fold(0, usize::saturating_add)
    }

    fn within_work(&self, work: usize) -> Result<(), Error> {
        let limit = self.options.limits.work;
        if work <= limit {
            self.work.set(work.max(self.work.get()));
            return Ok(());
        }
        Err(broken(format_args!("{work} vertices to move in all frames; the limit is {limit}")))
    }
}

/// The frames that are baked.
struct ShownFrames<'s, 'i> {
    import: &'s Import<'i>,
    stored: Option<&'s Frames<'i>>,
    times: &'s [Time],
    /// The nodes of the tags.
    tags: &'s [usize],
}

impl ShownFrames<'_, '_> {
    /// Adds every frame to the meshes, and the poses of the tags to the model. The size of all frames is known before any is
    /// made.
    fn bake(&self, meshes: &mut [Baking<'_>], model: &mut Model<'static>) -> Result<(), Error> {
        let (buffers, count) = (self.import.buffers, self.times.len());
        for Baking { base, plain, .. } in &mut *meshes {
            buffers.spend(count, size_of::<PlainFrame>())?;
            plain.frames.reserve_exact(count);
            buffers.spend(base.len().saturating_mul(count), size_of::<[[f32; 3]; 2]>())?;
        }
        let poses = ROOM * size_of::<Vec<TagPose>>() + self.tags.len() * size_of::<TagPose>();
        buffers.spend(count, poses)?;
        self.check_work(meshes)?;
        let mut tag_poses = Vec::new();
        for (number, at) in self.times.iter().enumerate() {
            let moment = self.moment(at, number);
            for Baking { base, plain, target_names, .. } in &mut *meshes {
                if number == 0 && base.is_mirrored(&moment) {
                    plain.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
                }
                let name = match self.stored {
                    Some(frames) => frames.target_name(target_names, number),
                    None => at.name.clone(),
                };
                buffers.spend(1, name.len())?;
                plain.frames.push(base.frame(&moment, name));
            }
            if !self.tags.is_empty() {
                tag_poses.push(self.tags.iter().map(|node| tag_pose(&moment, *node)).collect());
            }
        }
        model.set_tag_poses(tag_poses);
        Ok(())
    }

    fn moment(&self, at: &Time, number: usize) -> Moment {
        let scene = self.import.scene;
        let mut moment = scene.at(at.animation, at.time, at.slack);
        if let Some(frames) = self.stored {
            frames.show(scene, number, self.tags, &mut moment);
        }
        moment
    }

    /// Checks the work of all frames, which depends on the active morph targets.
    fn check_work(&self, meshes: &[Baking<'_>]) -> Result<(), Error> {
        let mut work = self.import.scene.moment_cost().saturating_mul(self.times.len());
        for (number, at) in self.times.iter().enumerate() {
            let moment = self.moment(at, number);
            work = meshes.iter().map(|baking| baking.base.cost(&moment)).fold(work, usize::saturating_add);
            self.import.within_work(work)?;
        }
        Ok(())
    }
}
