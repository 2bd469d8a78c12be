//! Imports a document as frames of vertices: morph targets, joints and moving nodes, baked.

use meshlens::Report;
use meshlens::model::{Model, PlainMesh, Tag, TagPose};

use super::baking::Baking;
use super::frames::{Frames, Place};
use super::primitive::Base;
use super::sampling::{Sampling, Time};
use super::tags::{is_tag, tag_pose};
use super::{Import, ImportLimits, broken, memory};
use crate::{Error, codes};

impl<'i> Import<'i, '_> {
    /// Fills a model with frames of vertices, tags and clips.
    pub(super) fn bake(&self, model: &mut Model<'static>, losses: &mut Report) -> Result<(), Error> {
        let Import { document, buffers, scene, shown, limits, .. } = *self;
        // A requested rate needs new frames.
        let has_own_frames = !self.at_rest && self.options.asked_rate().is_none();
        let stored = has_own_frames.then(|| Frames::read(document, scene, limits.frames)).flatten();
        let known = stored.as_ref().map_or(1, Frames::len);
        let names = stored.as_ref().map_or(Vec::new(), Frames::names);
        let vertices = memory::geometry(&mut buffers.memory(), document, shown, known, length(&names))?;
        self.within_work(vertices.saturating_add(scene.moment_cost()).saturating_mul(known))?;
        let mut baking = self.meshes_to_bake(losses)?;
        let tags = self.tags(stored.as_ref());
        let tag_nodes: Vec<usize> = tags.iter().map(|(node, _)| *node).collect();
        let times = match &stored {
            Some(frames) => {
                model.clips.extend(frames.clips());
                model.frame_names = names;
                stored_times(frames)
            }
            None if self.at_rest => {
                vec![Time { animation: None, time: 0.0, slack: 0.0, name: String::new() }]
            }
            None => {
                let (times, clips) = Sampling::new(self, &baking, &tag_nodes)?.times(losses)?;
                let names: usize = times.iter().map(|at| at.name.len()).sum();
                memory::frames(&mut buffers.memory(), document, shown, times.len(), names)?;
                model.clips = clips;
                times
            }
        };
        self.within_work(vertices.saturating_add(scene.moment_cost()).saturating_mul(times.len()))?;
        // The size of all frames is known before any is made.
        for Baking { base, .. } in &baking {
            buffers.spend(base.len().saturating_mul(times.len()), 24)?;
        }
        model
            .tags
            .extend(tags.iter().enumerate().map(|(index, (_, name))| Tag { name: (*name).into(), index }));
        buffers.spend(tags.len().saturating_mul(times.len()), size_of::<TagPose>())?;
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
    fn tags(&self, stored: Option<&Frames>) -> Vec<(usize, &'i str)> {
        let nodes = self.document.nodes.iter().enumerate();
        nodes
            .filter(|(index, node)| node.mesh.is_none() && self.shown[*index])
            .filter_map(|(index, node)| Some((index, node.name.as_deref()?)))
            .filter(|(node, name)| {
                is_tag(name) || stored.is_some_and(|frames| frames.is_tag(self.scene, *node, name))
            })
            .collect()
    }

    fn within_work(&self, work: usize) -> Result<(), Error> {
        let ImportLimits { work: limit, .. } = *self.limits;
        if work <= limit {
            return Ok(());
        }
        Err(broken(format_args!("{work} vertices to move in all frames; the limit is {limit}")))
    }
}

fn length(names: &[String]) -> usize {
    names.iter().map(String::len).sum()
}

/// The times of frames that the extras describe.
fn stored_times(frames: &Frames) -> Vec<Time> {
    let time = |frame| {
        let Place { animation, time, slack } = frames.place(frame);
        Time { animation, time, slack, name: String::new() }
    };
    (0..frames.len()).map(time).collect()
}
