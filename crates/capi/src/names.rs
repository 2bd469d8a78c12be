//! Texts for C: each is NUL-terminated, and all texts of a model are in one piece of memory.

use std::ffi::c_char;

use meshlens::Model;
use meshlens::wire::Reservation;

use crate::memory::{Limited, Memory};
use crate::result::Result;

/// Collects texts.
#[derive(Default)]
pub(crate) struct TextBuilder(Vec<u8>);

/// The position of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextAt(usize);

impl TextBuilder {
    pub(crate) fn add(&mut self, text: &str) -> TextAt {
        let at = self.0.len();
        // A NUL would end the text early.
        self.0.extend(text.bytes().map(|byte| if byte == 0 { b' ' } else { byte }));
        self.0.push(0);
        TextAt(at)
    }

    pub(crate) fn finish(self, memory: &Limited) -> Result<Texts> {
        let reservation = memory.reserve(self.0.len(), "names and texts")?;
        Ok(Texts { memory: Memory::copy_of(&memory.allocator, &self.0)?, _held: reservation })
    }
}

/// NUL-terminated texts.
pub(crate) struct Texts {
    memory: Memory,
    _held: Reservation,
}

impl Texts {
    pub(crate) fn get(&self, at: TextAt) -> *const c_char {
        self.memory.as_slice().get(at.0..).map_or(c"".as_ptr(), |text| text.as_ptr().cast())
    }

    /// An optional text: NULL if there is none.
    pub(crate) fn get_if(&self, at: Option<TextAt>) -> *const c_char {
        at.map_or(std::ptr::null(), |at| self.get(at))
    }
}

/// The names of a model.
pub(crate) struct Names {
    pub(crate) texts: Texts,
    pub(crate) model: TextAt,
    pub(crate) meshes: Vec<TextAt>,
    /// The names, the textures and the height maps.
    pub(crate) materials: Vec<(TextAt, [Option<TextAt>; 2])>,
    pub(crate) tags: Vec<TextAt>,
    pub(crate) joints: Vec<TextAt>,
    pub(crate) animations: Vec<TextAt>,
    pub(crate) clips: Vec<TextAt>,
}

impl Names {
    pub(crate) fn new(model: &Model<'_>, memory: &Limited) -> Result<Names> {
        let mut texts = TextBuilder::default();
        let name = texts.add(&model.name);
        let meshes = model.meshes.iter().map(|mesh| texts.add(&mesh.name)).collect();
        let materials = model.materials.iter().map(|material| {
            let name = texts.add(&material.name);
            let height_map = material.height_map.as_ref().map(|map| &*map.texture);
            (name, [material.texture.as_deref(), height_map].map(|path| path.map(|path| texts.add(path))))
        });
        let materials = materials.collect();
        let tags = model.tags.iter().map(|tag| texts.add(&tag.name)).collect();
        let joints = model.joints.iter().map(|joint| texts.add(&joint.name)).collect();
        let animations = model.animations.iter().map(|animation| texts.add(&animation.name)).collect();
        let clips = model.clips.iter().map(|clip| texts.add(&clip.name)).collect();
        let texts = texts.finish(memory)?;
        Ok(Names { texts, model: name, meshes, materials, tags, joints, animations, clips })
    }

    /// The text of a list at an index that is already checked.
    pub(crate) fn of(&self, list: &[TextAt], index: usize) -> *const c_char {
        list.get(index).map_or(c"".as_ptr(), |at| self.texts.get(*at))
    }
}
