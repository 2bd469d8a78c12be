//! The state of the viewer, apart from its interface: the list, the open model, its playback, and the camera.

#[cfg(not(target_arch = "wasm32"))]
use std::time::SystemTime;

use crate::attached::Attached;
use crate::camera::Camera;
use crate::content::Failure;
use crate::findings::FindingTarget;
use crate::library::Library;
use crate::marks::Marks;
use crate::opened::Opened;
use crate::options::{Options, UpAxis};
use crate::pick::pick;
use crate::playback::{Playback, Repeat, Track};

/// The state of the viewer.
#[derive(Debug, Default)]
pub struct State {
    /// The list of models.
    pub library: Library,
    /// The index of the selected model.
    pub selected: Option<usize>,
    /// The open model, or the reason why it cannot be shown. `None` if no model is selected.
    pub opened: Option<Result<Opened, Failure>>,
    /// The clips of each part.
    pub tracks: Vec<Track>,
    /// The settings of playback.
    pub playback: Playback,
    /// Options that determine what is shown.
    pub options: Options,
    /// The camera.
    pub camera: Camera,
    /// A model that is attached to a tag.
    pub attached: Option<Attached>,
    /// The place of a finding that is marked.
    pub marked: Option<FindingTarget>,
    /// A number that changes when another model is opened or the same model is read again.
    pub generation: u64,
    /// The part whose frames the slider shows.
    pub part: usize,
    #[cfg(not(target_arch = "wasm32"))]
    modified: Option<SystemTime>,
    aspect: f32,
    /// The target and the distance of the camera after it was fitted.
    fitted: Option<([f32; 3], f32)>,
}

impl State {
    /// Makes a viewer with the models at these paths. The first model is opened.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of_paths<P: AsRef<std::path::Path>>(paths: impl IntoIterator<Item = P>) -> State {
        let mut state = State::default();
        state.add_paths(paths);
        state
    }

    /// Adds the models at these paths, and opens the first one.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn add_paths<P: AsRef<std::path::Path>>(&mut self, paths: impl IntoIterator<Item = P>) {
        let first = self.library.items().len();
        for path in paths {
            self.library.add_path(path.as_ref());
        }
        if self.library.items().len() > first {
            self.select(first);
        }
    }

    /// Adds files in memory, and opens the first model in them.
    pub fn add_files(&mut self, files: impl IntoIterator<Item = (String, Vec<u8>)>) {
        let before = self.selected.and_then(|index| self.library.items().get(index));
        let before = before.map(|item| item.name.clone());
        let new = self.library.add_files(files);
        // The open model may have lacked a texture or a script, so it is opened again.
        let items = self.library.items();
        let again = || items.iter().position(|item| Some(&item.name) == before.as_ref());
        if let Some(index) = new.or_else(again).or(items.len().checked_sub(1)) {
            self.select(index);
        }
    }

    /// Opens a model of the list. An index out of range changes nothing.
    pub fn select(&mut self, index: usize) {
        if index < self.library.items().len() {
            self.selected = Some(index);
            self.attached = None;
            self.options.level = 0;
            self.options.up = UpAxis::Format;
            self.open(None);
            self.fit();
        }
    }

    /// Opens the next model of the list, or the previous one. The last model is followed by the first one.
    pub fn select_next(&mut self, forwards: bool) {
        let count = self.library.items().len();
        if count > 0 {
            let next = match self.selected {
                Some(selected) => selected + if forwards { 1 } else { count - 1 },
                None => 0,
            };
            self.select(next % count);
        }
    }

    /// Opens the selected model with a skin.
    pub fn set_skin(&mut self, skin: Option<&str>) {
        self.open(skin);
    }

    /// Sets the password of encrypted files, and opens the selected model with it.
    pub fn set_password(&mut self, password: &str) {
        self.library.set_password(password);
        self.open(None);
        self.fit();
    }

    /// Whether the selected model is encrypted and needs a password, or a different one.
    pub fn is_locked(&self) -> bool {
        matches!(&self.opened, Some(Err(failure)) if failure.is_locked)
    }

    fn open(&mut self, skin: Option<&str>) {
        let Some(item) = self.selected.and_then(|index| self.library.items().get(index)) else { return };
        let opened = item.open(skin);
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.modified = item.modified();
        }
        self.tracks =
            opened.as_ref().map_or_else(|_| Vec::new(), |opened| Track::of_nodes(&opened.scene().nodes));
        self.part = 0;
        self.marked = None;
        self.opened = Some(opened);
        self.generation += 1;
    }

    /// Reads the open model again if one of its files has changed. The camera and the frames do not change. Returns
    /// whether the model was read again.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn reload_if_changed(&mut self) -> bool {
        let Some(index) = self.selected else { return false };
        let modified = self.library.items().get(index).and_then(|item| item.modified());
        if modified.is_none() || modified == self.modified {
            return false;
        }
        self.library.renew(index);
        let skin = self.model().and_then(|opened| opened.skin.clone());
        let before = std::mem::take(&mut self.tracks);
        self.open(skin.as_deref());
        for (track, before) in self.tracks.iter_mut().zip(&before) {
            if let Some(clip) = before.clip() {
                track.select_named(&clip.name.clone());
                track.go_to(before.frame());
            }
        }
        true
    }

    /// The open model.
    pub fn model(&self) -> Option<&Opened> {
        self.opened.as_ref()?.as_ref().ok()
    }

    /// The reason why the selected model cannot be shown.
    pub fn error(&self) -> Option<&str> {
        self.opened.as_ref()?.as_ref().err().map(|failure| failure.message.as_str())
    }

    /// Moves the camera so that the whole model, including the attached model, is in the picture.
    pub fn fit(&mut self) {
        if let Some(bounds) = self.bounds() {
            self.camera.fit(&bounds, self.aspect());
            self.fitted = Some((self.camera.target, self.camera.distance));
        }
    }

    /// Moves the point of the model at a place of the picture, 0 to 1 from the left and from the top, to the middle,
    /// and the camera towards it. If there is no model at this place, the whole model is shown again. O(triangles).
    pub fn focus_at(&mut self, at: [f32; 2]) {
        let ray = self.camera.ray(at, self.aspect());
        let point = self.scene().and_then(|scene| pick(&self.view(&scene), &self.pose(&scene), ray));
        match point {
            Some(point) => self.camera.focus(point),
            None => self.fit(),
        }
    }

    fn aspect(&self) -> f32 {
        if self.aspect > 0.0 { self.aspect } else { 1.0 }
    }

    /// Sets the aspect of the picture (width divided by height). If the aspect changes, the camera is fitted again,
    /// unless the user has moved it. Turning the camera does not count as a move.
    pub fn set_aspect(&mut self, aspect: f32) {
        let is_fitted = self.fitted == Some((self.camera.target, self.camera.distance));
        let is_other = aspect != self.aspect;
        self.aspect = aspect;
        if is_other && is_fitted {
            self.fit();
        }
    }

    /// Advances the time by a number of seconds. Playback stops at the end of clips that play once.
    pub fn advance(&mut self, seconds: f64) {
        /// The angle of the turntable per second, in radians.
        const TURN: f64 = 0.6;
        if self.options.turntable {
            self.camera.turn((seconds * TURN) as f32, 0.0);
        }
        if !self.playback.playing {
            return;
        }
        let mut moves = false;
        for track in tracks(&mut self.tracks, &mut self.attached) {
            moves |= track.advance(seconds, &self.playback);
        }
        self.playback.playing = moves;
    }

    /// Starts playback, or stops it. A clip that is at its end starts again.
    pub fn toggle_playing(&mut self) {
        self.playback.playing = !self.playback.playing;
        if self.playback.playing && self.playback.repeat == Repeat::Once {
            for track in tracks(&mut self.tracks, &mut self.attached) {
                if track.frame() + 1 == track.frame_count() {
                    track.go_to(0);
                }
            }
        }
    }

    /// Stops playback, and goes to the next or the previous frame in every part.
    pub fn step(&mut self, forwards: bool) {
        self.playback.playing = false;
        tracks(&mut self.tracks, &mut self.attached).for_each(|track| track.step_by(forwards));
    }

    /// Marks the place of a finding, shows its frame, and turns the camera to it.
    pub fn show_place(&mut self, place: FindingTarget) {
        if let (Some(frame), Some(track)) = (place.frame, self.tracks.get_mut(place.part)) {
            self.playback.playing = false;
            if track.select_named("all frames") || track.clips().len() == 1 {
                track.go_to(frame);
            }
        }
        self.marked = Some(place);
        let found = self
            .scene()
            .and_then(|scene| Marks::default().place(&self.view(&scene), &self.pose(&scene), &place, 1.0));
        if let Some(point) = found.filter(|point| point.iter().all(|value| value.is_finite())) {
            self.camera.target = point;
        }
    }
}

/// The clips of the model and of the attached one.
fn tracks<'s>(
    tracks: &'s mut [Track],
    attached: &'s mut Option<Attached>,
) -> impl Iterator<Item = &'s mut Track> {
    tracks.iter_mut().chain(attached.iter_mut().flat_map(|attached| &mut attached.tracks))
}
