//! Imports a document as frames of vertices: morph targets, joints and moving nodes, baked.

use meshlens::Report;
use meshlens::model::{Mesh, Model, PlainFrame, PlainMesh, Tag, TagPose};

use super::baking::Baking;
use super::frames::{Frames, Place};
use super::primitive::Base;
use super::sampling::{Sampling, Time};
use super::tags::{is_tag, tag_pose};
use super::{Import, ImportLimits, broken};
use crate::memory::ROOM;
use crate::{Error, codes};

impl<'i> Import<'i, '_> {
    /// Fills a model with frames of vertices, tags and clips.
    pub(super) fn bake(&self, model: &mut Model<'static>, losses: &mut Report) -> Result<(), Error> {
        let Import { document, buffers, scene, limits, .. } = *self;
        // A requested rate needs new frames.
        let has_own_frames = !self.at_rest && self.options.asked_rate().is_none();
        let stored = has_own_frames.then(|| Frames::read(document, scene, limits.frames)).flatten();
        let known = stored.as_ref().map_or(1, Frames::len);
        let vertices = self.vertices();
        self.within_work(vertices.saturating_add(scene.moment_cost()).saturating_mul(known))?;
        let mut baking = self.meshes_to_bake(losses)?;
        let tags = self.tags(stored.as_ref());
        let tag_nodes: Vec<usize> = tags.iter().map(|(node, _)| *node).collect();
        let times = match &stored {
            Some(frames) => {
                model.clips.extend(frames.clips());
                buffers.spend(frames.len(), size_of::<String>())?;
                model.frame_names = frames.names();
                stored_times(frames)
            }
            None if self.at_rest => {
                vec![Time { animation: None, time: 0.0, slack: 0.0, name: String::new() }]
            }
            None => {
                let (times, clips) = Sampling::new(self, &baking, &tag_nodes)?.times(losses)?;
                model.clips = clips;
                times
            }
        };
        self.within_work(vertices.saturating_add(scene.moment_cost()).saturating_mul(times.len()))?;
        // The size of all frames is known before any is made.
        for Baking { base, plain, .. } in &mut baking {
            buffers.spend(times.len(), size_of::<PlainFrame>())?;
            plain.frames.reserve_exact(times.len());
            buffers.spend(base.len().saturating_mul(times.len()), size_of::<[[f32; 3]; 2]>())?;
        }
        model
            .tags
            .extend(tags.iter().enumerate().map(|(index, (_, name))| Tag { name: (*name).into(), index }));
        buffers.spend(times.len(), ROOM * size_of::<Vec<TagPose>>() + tags.len() * size_of::<TagPose>())?;
        let moment = |at: &Time, number| {
            let mut moment = scene.at(at.animation, at.time, at.slack);
            if let Some(frames) = &stored {
                frames.show(scene, number, &tag_nodes, &mut moment);
            }
            moment
        };
        let mut work = scene.moment_cost().saturating_mul(times.len());
        for (number, at) in times.iter().enumerate() {
            let moment = moment(at, number);
            let costs = baking.iter().map(|baking| baking.base.cost(&moment));
            work = costs.fold(work, usize::saturating_add);
            self.within_work(work)?;
        }
        let mut tag_poses = Vec::new();
        for (number, at) in times.iter().enumerate() {
            let moment = moment(at, number);
            for Baking { base, plain, target_names, .. } in &mut baking {
                if number == 0 && base.is_mirrored(&moment) {
                    plain.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
                }
                let name = match &stored {
                    Some(frames) => frames.target_name(target_names, number),
                    None => at.name.clone(),
                };
                buffers.spend(1, name.len())?;
                plain.frames.push(base.frame(&moment, name));
            }
            if !tags.is_empty() {
                tag_poses.push(tags.iter().map(|(node, _)| tag_pose(&moment, *node)).collect());
            }
        }
        model.set_tag_poses(tag_poses);
        for Baking { name, material, plain, .. } in baking {
            let mut made = plain.into_mesh(name)?;
            made.material = material;
            model.meshes.push(made);
        }
        if model.frame_count() == 0 && !model.clips.is_empty() {
            model.clips.clear();
            let message = format_args!("animations: nothing of what they move is kept");
            losses.lose(&codes::ANIMATION_LOST, 1, format_args!(""), message);
        }
        let skins = document.skins.len() as u64;
        let message = format_args!("{skins} skins: what they move is written as frames of vertices");
        losses.lose(&codes::SKIN_BAKED, skins, format_args!(""), message);
        Ok(())
    }

    /// The triangles of the visible meshes.
    fn meshes_to_bake(&self, losses: &mut Report) -> Result<Vec<Baking<'i>>, Error> {
        let mut baking = Vec::new();
        for (node, mesh, name) in self.document.shown_meshes(self.shown) {
            for primitive in &mesh.primitives {
                let records = size_of::<(Baking<'_>, PlainMesh, Mesh<'_>)>();
                self.buffers.spend(1, ROOM * records + name.len())?;
                let mut plain = PlainMesh::default();
                let Some(base) = Base::read(self.document, self.buffers, node, primitive, &mut plain)? else {
                    let message = format_args!("mesh {name}: points or lines");
                    losses.lose(&codes::PRIMITIVE_LOST, 1, format_args!("mesh {name}"), message);
                    continue;
                };
                if base.has_tangents() {
                    let message = format_args!("mesh {name}: tangents");
                    losses.lose(&meshlens::codes::TANGENTS_LOST, 1, format_args!("mesh {name}"), message);
                }
                let (material, target_names) = (primitive.material, mesh.extras.target_names.as_slice());
                baking.push(Baking { name, material, base, plain, target_names });
            }
        }
        Ok(baking)
    }

    /// The nodes that are tags, and their names.
    fn tags(&self, stored: Option<&Frames<'_>>) -> Vec<(usize, &'i str)> {
        let nodes = self.document.nodes.iter().enumerate();
        nodes
            .filter(|(index, node)| node.mesh.is_none() && self.shown[*index])
            .filter_map(|(index, node)| Some((index, node.name.as_deref()?)))
            .filter(|(node, name)| {
                is_tag(name) || stored.is_some_and(|frames| frames.is_tag(self.scene, *node, name))
            })
            .collect()
    }

    /// The number of vertices of all visible meshes.
    fn vertices(&self) -> usize {
        let primitives = self.document.shown_meshes(self.shown).flat_map(|(_, mesh, _)| &mesh.primitives);
        let positions = primitives.filter_map(|primitive| primitive.get("POSITION"));
        positions.map(|accessor| self.buffers.count(accessor)).fold(0, usize::saturating_add)
    }

    fn within_work(&self, work: usize) -> Result<(), Error> {
        let ImportLimits { work: limit, .. } = *self.limits;
        if work <= limit {
            return Ok(());
        }
        Err(broken(format_args!("{work} vertices to move in all frames; the limit is {limit}")))
    }
}

/// The times of frames that the extras describe.
fn stored_times(frames: &Frames<'_>) -> Vec<Time> {
    let time = |frame| {
        let Place { animation, time, slack } = frames.place(frame);
        Time { animation, time, slack, name: String::new() }
    };
    (0..frames.len()).map(time).collect()
}
