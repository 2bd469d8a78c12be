//! Attaches models to tags of the open model, such as weapons.

use crate::State;
use crate::attached::Attached;
use crate::figure::{self, PartPose};
use crate::playback::Track;

/// The tag of a player's torso that holds a weapon.
const WEAPON: &str = "tag_weapon";

impl State {
    /// The state of each part of the attached model.
    pub fn attached_poses(&self, poses: &[PartPose]) -> Vec<PartPose> {
        let placed = || {
            let attached = self.attached.as_ref()?;
            let (part, tag) = attached.at;
            let (pose, parent) = (poses.get(part)?, self.model()?.parts().get(part)?);
            let tag = figure::tag_matrix(&parent.model, tag, pose.blend)?;
            // The attached model is in the space of the model, not of the world.
            let up = self.options.up;
            let mut own = figure::poses(&attached.opened, &attached.tracks, &self.playback, up);
            let root = up.transform(&attached.opened.parts().first()?.model.space);
            let place = pose.transform * tag * root.inverse();
            own.iter_mut().for_each(|pose| pose.transform = place * pose.transform);
            Some(own)
        };
        placed().unwrap_or_default()
    }

    /// Attaches a model of the list to a tag of the open model.
    ///
    /// # Errors
    ///
    /// The reason why that model cannot be opened.
    pub fn attach(&mut self, part: usize, tag: usize, item: usize) -> Result<(), String> {
        let Some(item) = self.library.items().get(item) else { return Ok(()) };
        let opened = item.open(None).map_err(|failure| failure.message)?;
        let (name, tracks) = (item.name.clone(), Track::of_parts(opened.parts()));
        self.attached = Some(Attached { at: (part, tag), name, opened, tracks });
        self.generation += 1;
        Ok(())
    }

    /// The part and the tag that a weapon is put on: the first tag `tag_weapon`.
    pub fn weapon_tag(&self) -> Option<(usize, usize)> {
        let mut parts = self.model()?.parts().iter().enumerate();
        parts.find_map(|(number, part)| Some((number, part.model.find_tag(WEAPON)?)))
    }

    /// The other models of the list, which can be put on a tag. Those with "weapon" in their path come first.
    pub fn weapons(&self) -> Vec<usize> {
        let items = self.library.items();
        let mut others: Vec<usize> = (0..items.len()).filter(|index| Some(*index) != self.selected).collect();
        let is_other = |index: &usize| {
            items.get(*index).is_none_or(|item| !item.name.to_ascii_lowercase().contains("weapon"))
        };
        others.sort_by_key(is_other);
        others
    }

    /// Removes the attached model.
    pub fn detach(&mut self) {
        if self.attached.take().is_some() {
            self.generation += 1;
        }
    }
}
