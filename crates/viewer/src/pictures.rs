//! Small pictures of models, for the list. A thread draws them, so that the list does not wait; browsers have no threads,
//! and draw one picture with each call.

use std::collections::VecDeque;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use meshlens_assets::OpenOptions;
use meshlens_assets::material::ImageLimits;
use meshlens_thumb::{Background, Options, Picture, Texture, picture};

pub use meshlens_thumb::surface_color;

use crate::content::{self, Failure};
use crate::library::Item;
use crate::text;

/// The largest number of pictures that are drawn and have not been taken.
const MOST: usize = 256;

/// A picture of the model with this [`Item::id`], or the reason why it could not be drawn.
pub type Drawn = (u64, Result<Picture, String>);

/// Draws pictures of the models in a list.
#[derive(Debug)]
pub struct Pictures {
    side: u32,
    #[cfg(not(target_arch = "wasm32"))]
    shared: Arc<Shared>,
    #[cfg(target_arch = "wasm32")]
    drawn: VecDeque<Drawn>,
}

/// The state that the thread and the list share.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Default)]
struct Shared {
    work: Mutex<Work>,
    changed: Condvar,
}

#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Default)]
struct Work {
    /// The models to draw, the next one first.
    wanted: VecDeque<Item>,
    /// The model that is being drawn.
    current: Option<u64>,
    drawn: VecDeque<Drawn>,
    is_closed: bool,
}

impl Item {
    /// Draws a picture of the model, `side` pixels wide and high, with a transparent background.
    ///
    /// # Errors
    ///
    /// The reason why the model cannot be drawn.
    pub fn picture(&self, side: u32) -> Result<Picture, String> {
        let failed = |failure: Failure| failure.message;
        let located = self.located().map_err(failed)?;
        let loaded = content::load(&located, self.password()).map_err(failed)?;
        let options = OpenOptions { lods: false, ..OpenOptions::default() };
        let asset = content::open(located, loaded, &options).map_err(failed)?;
        let limits = ImageLimits { side: 1 << 12, ..ImageLimits::DEFAULT };
        let texture = |material: &meshlens::model::Material| {
            let image = asset.assets().texture_pixels(material, &limits).ok()??;
            Texture::new(image.width, image.height, &image.rgba)
        };
        let options = Options {
            size: side,
            background: Background::Transparent,
            textures: Some(&texture),
            ..Options::default()
        };
        picture(asset.scene(), &options).map_err(|error| text::line(&error.to_string()))
    }
}

impl Pictures {
    /// The side of the pictures in pixels.
    pub fn side(&self) -> u32 {
        self.side
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Pictures {
    /// Makes a painter of pictures that are `side` pixels wide and high. It draws on its own thread. `notify` is called
    /// from that thread after each picture.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(side: u32, notify: impl Fn() + Send + 'static) -> std::io::Result<Pictures> {
        let shared = Arc::new(Shared::default());
        let worker = Arc::clone(&shared);
        let name = "pictures".into();
        std::thread::Builder::new().name(name).spawn(move || worker.run(side, notify))?;
        Ok(Pictures { side, shared })
    }

    /// Sets the models whose pictures are missing. Models of an earlier call that are not drawn yet are removed.
    pub fn want<'i>(&mut self, items: impl Iterator<Item = &'i Item>) {
        let mut work = self.shared.lock();
        work.wanted.clear();
        for item in items {
            let is_known = work.current == Some(item.id) || work.drawn.iter().any(|(id, _)| *id == item.id);
            if !is_known {
                work.wanted.push_back(item.clone());
            }
        }
        drop(work);
        self.shared.changed.notify_one();
    }

    /// The next picture that was drawn.
    pub fn take(&mut self) -> Option<Drawn> {
        let drawn = self.shared.lock().drawn.pop_front();
        self.shared.changed.notify_one();
        drawn
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Drop for Pictures {
    /// The thread ends after the picture that it draws.
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_one();
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Shared {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread.
    fn run(&self, side: u32, notify: impl Fn()) {
        while let Some(item) = self.next() {
            let (id, picture) = (item.id, item.picture(side));
            let mut work = self.lock();
            work.current = None;
            work.drawn.push_back((id, picture));
            drop(work);
            notify();
        }
    }

    /// Waits for a model to draw. `None` if the list was dropped.
    fn next(&self) -> Option<Item> {
        let mut work = self.lock();
        loop {
            if work.is_closed {
                return None;
            }
            if work.drawn.len() < MOST
                && let Some(item) = work.wanted.pop_front()
            {
                work.current = Some(item.id);
                return Some(item);
            }
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(target_arch = "wasm32")]
impl Pictures {
    /// Draws pictures that are `side` pixels wide and high.
    ///
    /// # Errors
    ///
    /// Never fails on this system.
    pub fn new(side: u32, _: impl Fn() + Send + 'static) -> std::io::Result<Pictures> {
        Ok(Pictures { side, drawn: VecDeque::new() })
    }

    /// Draws the picture of the first of the models.
    pub fn want<'i>(&mut self, mut items: impl Iterator<Item = &'i Item>) {
        if self.drawn.len() < MOST
            && let Some(item) = items.next()
        {
            self.drawn.push_back((item.id, item.picture(self.side)));
        }
    }

    /// The next picture that was drawn.
    pub fn take(&mut self) -> Option<Drawn> {
        self.drawn.pop_front()
    }
}
