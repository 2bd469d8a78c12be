//! The shown scene: the open model and the model that is attached to it, in the space of the world, and its pose.

use std::borrow::Cow;

use meshlens::lens::Bounds;
use meshlens::model::{Material, Space};
use meshlens::scene::{Attachment, Pose, Scene, View};
use meshlens_assets::material::Image;

use crate::State;
use crate::attached::Attached;
use crate::geometry::sockets;
use crate::options::UpAxis;
use crate::playback::Track;

/// The tag of a player's torso that holds a weapon.
const WEAPON: &str = "tag_weapon";

impl State {
    /// Attaches a model of the list to a tag of the open model.
    ///
    /// # Errors
    ///
    /// The reason why that model cannot be opened.
    pub fn attach(&mut self, at: Attachment, item: usize) -> Result<(), String> {
        let Some(item) = self.library.items().get(item) else { return Ok(()) };
        let opened = item.open(None).map_err(|failure| failure.message)?;
        let (name, tracks) = (item.name.clone(), Track::of_nodes(&opened.scene().nodes));
        self.attached = Some(Attached { at, name, opened, tracks });
        self.generation += 1;
        Ok(())
    }

    /// The tag for a weapon: the first tag named `tag_weapon`.
    pub fn weapon_tag(&self) -> Option<Attachment> {
        self.model()?.scene().find_tag(WEAPON)
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

    /// The open model and the model that is attached to it, whose nodes come last. `None` if no model is open.
    pub(crate) fn joined_scene(&self) -> Option<Cow<'_, Scene<'_>>> {
        let own = self.model()?.scene();
        let Some(attached) = &self.attached else { return Some(Cow::Borrowed(own)) };
        let mut joined = own.clone();
        joined.attach(attached.opened.scene().clone(), attached.at);
        Some(Cow::Owned(joined))
    }

    /// The shown scene: the open model, then the model that is attached to it, with the [chosen
    /// axis](crate::Options::up) pointing up. `None` if no model is open. O(nodes).
    pub fn scene(&self) -> Option<Cow<'_, Scene<'_>>> {
        let mut scene = self.joined_scene()?;
        if self.options.up != UpAxis::Format {
            for model in scene.to_mut().nodes.iter_mut().map(|node| &mut node.model) {
                model.space = self.options.up.space(&model.space);
            }
        }
        Some(scene)
    }

    /// The view of a [scene](Self::scene) in the world, which is right-handed and whose Y points up.
    pub fn view<'s, 'a>(&self, scene: &'s Scene<'a>) -> View<'s, 'a> {
        scene.view(&Space::GLTF).lod(self.options.level)
    }

    /// The pose of the nodes of a [scene](Self::scene).
    pub fn pose(&self, scene: &Scene<'_>) -> Pose {
        let mut pose = scene.rest_pose();
        let attached = self.attached.iter().flat_map(|attached| &attached.tracks);
        for (node, track) in self.tracks.iter().chain(attached).enumerate() {
            track.play(scene, node, &self.playback, &mut pose);
        }
        pose
    }

    /// The texture of a material of a node of the [scene](Self::scene), with the alpha of its file.
    ///
    /// # Errors
    ///
    /// The reason why no texture is available: the material has none, its file was not found, or it cannot be decoded.
    pub fn texture(&self, node: usize, material: &Material, side: u32) -> Result<Image, String> {
        let own = self.model().filter(|own| node < own.scene().nodes.len());
        let opened = own.or(self.attached.as_ref().map(|attached| &attached.opened));
        opened.ok_or("no model is open")?.texture(material, side)
    }

    /// The bounding box of the shown scene. Without vertices, the bounding box of its joints and tags. O(vertices).
    pub fn bounds(&self) -> Option<Bounds> {
        let scene = self.scene()?;
        let (view, pose) = (self.view(&scene), self.pose(&scene));
        let sockets = || Bounds::around(sockets(&view, &pose).map(|matrix| matrix.w_axis.truncate().into()));
        view.bounds(&pose).ok().flatten().or_else(sockets)
    }
}
