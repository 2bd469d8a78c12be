//! The extras of models: which frames their morph targets and animations show.

use meshlens::scene::{Companion, CompanionKind, Node};

use crate::Error;
use crate::builder::Builder;
use crate::extras::{Frames, NodeExtras, Range, TagPoses};
use crate::files::File;
use crate::nodes::NodeTransform;
use crate::selection::Selection;

impl Builder<'_, '_, '_> {
    /// The extras of a model's node. `None` for a model of one frame without clips and files, unless it `is_part` of a scene: the
    /// extras show where its nodes begin.
    pub(crate) fn frame_extras(
        &mut self,
        node: &Node<'_>,
        selection: &Selection,
        is_part: bool,
    ) -> Result<Option<NodeExtras>, Error> {
        let model = &node.model;
        let all = selection.first..=selection.last;
        for frame in all.clone() {
            self.memory.elements::<(String, TagPoses, bool)>(1, "frames")?;
            self.memory.array::<([f32; 3], [f32; 4])>(model.tags.len(), "poses of tags")?;
            self.memory.bytes(model.frame_name(frame).len(), "the name of a frame")?;
        }
        for name in
            model.tags.iter().map(|tag| &tag.name).chain(selection.clips.iter().map(|clip| &clip.name))
        {
            self.memory.elements::<Range>(1, "clips and tags")?;
            self.memory.bytes(name.len(), "the name of a clip or a tag")?;
        }
        let frame_names: Vec<String> = all.clone().map(|frame| model.frame_name(frame).to_owned()).collect();
        let clips = selection.clips.iter().map(|clip| Range {
            name: clip.name.clone(),
            first: clip.first - selection.first,
            count: clip.count,
            rate: clip.rate.get(),
            is_rate_assumed: clip.is_rate_assumed,
            loop_frames: clip.loop_frames,
            reversed: clip.reversed,
        });
        let mut shown = vec![false; selection.last - selection.first + 1];
        for clip in &selection.clips {
            let first = clip.first - selection.first;
            shown.iter_mut().skip(first).take(clip.count).for_each(|shown| *shown = true);
        }
        let conversion = self.conversion(model);
        let place = |tag: usize, frame: usize| NodeTransform::new(model.tag_pose(tag, frame), &conversion);
        let hidden = all.zip(&shown).filter(|(frame, shown)| !**shown && *frame != selection.rest);
        let poses = hidden.filter(|_| !model.tags.is_empty()).map(|(frame, _)| TagPoses {
            frame: frame - selection.first,
            translations: model
                .tags
                .iter()
                .map(|tag| place(tag.index, frame).translation.to_array())
                .collect(),
            rotations: model.tags.iter().map(|tag| place(tag.index, frame).rotation.to_array()).collect(),
        });
        let mut files = Vec::new();
        let options = self.options;
        let is_whole = options.frames == crate::Frames::All
            && !options.quantize
            && options.normals == crate::Normals::All;
        // The rest only fits all frames and exact normals.
        let fits = |companion: &&Companion| is_whole || companion.kind != CompanionKind::Rest;
        for companion in node.companions.iter().filter(fits) {
            self.memory.bytes(File::memory(companion), "a file of a model")?;
            files.push(File::new(companion));
        }
        let frames = Frames {
            files,
            frames: shown.len(),
            rest: selection.rest - selection.first,
            frame_names: if frame_names.iter().all(String::is_empty) { Vec::new() } else { frame_names },
            clips: clips.collect(),
            tags: model.tags.iter().map(|tag| tag.name.clone()).collect(),
            tag_poses: poses.collect(),
        };
        let is_plain = frames.frames == 1
            && frames.clips.is_empty()
            && frames.frame_names.is_empty()
            && frames.files.is_empty();
        Ok((is_part || !is_plain).then_some(NodeExtras::Frames(frames)))
    }
}
