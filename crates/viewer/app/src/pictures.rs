//! The pictures of the list, as textures of the interface.

use std::collections::HashMap;

use eframe::egui;
use meshlens_viewer::library::Item;
use meshlens_viewer::pictures::Pictures;

/// The side of a picture in pixels.
const SIDE: u32 = 72;

/// The largest number of pictures that are kept.
const MOST: usize = 1024;

/// The pictures of the list.
#[derive(Default)]
pub(super) struct ListPictures {
    /// `None` before the first picture, and if they cannot be drawn.
    pictures: Option<Pictures>,
    /// By the number of the item; `None` if it has no picture.
    textures: HashMap<u64, Option<egui::TextureHandle>>,
    /// Whether every visible item has its picture.
    pub(super) is_complete: bool,
}

impl std::fmt::Debug for ListPictures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListPictures").field("count", &self.textures.len()).finish_non_exhaustive()
    }
}

impl ListPictures {
    /// Takes the pictures that were drawn, and requests pictures for visible items.
    pub(super) fn update(&mut self, context: &egui::Context, visible: &[&Item]) {
        if self.pictures.is_none() {
            let repainted = context.clone();
            self.pictures = Pictures::new(SIDE, move || repainted.request_repaint()).ok();
        }
        // Without a thread, drawing a picture would delay the reaction to the mouse.
        #[cfg(target_arch = "wasm32")]
        if context.input(|input| input.pointer.any_down()) {
            return;
        }
        self.is_complete = visible.iter().all(|item| self.textures.contains_key(&item.id));
        let Some(pictures) = &mut self.pictures else { return };
        let is_missing = |textures: &HashMap<u64, _>, item: &&&Item| !textures.contains_key(&item.id);
        pictures.want(visible.iter().filter(|item| is_missing(&self.textures, item)).copied());
        while let Some((id, drawn)) = pictures.take() {
            if self.textures.len() >= MOST {
                self.textures.retain(|id, _| visible.iter().any(|item| item.id == *id));
            }
            let texture = drawn.ok().map(|picture| {
                let size = [picture.width as usize, picture.height as usize];
                let image = egui::ColorImage::from_rgba_unmultiplied(size, &picture.rgba);
                context.load_texture("picture of a model", image, egui::TextureOptions::LINEAR)
            });
            self.textures.insert(id, texture);
            // Without a thread, the next picture is drawn with the next frame.
            context.request_repaint();
        }
    }

    /// The picture of an item. `None` if it is not drawn yet, `Some(None)` if it cannot be drawn.
    pub(super) fn get(&self, item: &Item) -> Option<Option<&egui::TextureHandle>> {
        self.textures.get(&item.id).map(Option::as_ref)
    }
}
