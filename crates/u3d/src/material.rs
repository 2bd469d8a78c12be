//! One material of a model, and its textures.

use meshlens_wire::{Chunks, Cursor, Data, Limits, Name};
use zerocopy::little_endian::{F32, U32};

use crate::document::name_at;
use crate::header::Version;
use crate::layout::{self, STAGES};
use crate::parts::MaterialParts;

/// Ultimate 3D: The material chunk. Colors are r, g, b, a.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    data: Data<'a>,
    parts: MaterialParts,
    version: Version,
}

impl<'a> Material<'a> {
    pub(crate) const fn new(data: Data<'a>, parts: MaterialParts, version: Version) -> Self {
        Material { data, parts, version }
    }

    /// Where the parts lie.
    pub const fn parts(&self) -> &MaterialParts {
        &self.parts
    }

    /// Absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// iMaterial: the number that triangles name. Version 1.0 counts materials in file order.
    pub const fn index(&self) -> u32 {
        self.parts.index
    }

    /// The material's name.
    pub fn name(&self) -> Name<'a> {
        name_at(self.data, self.parts.name)
    }

    /// Version 1.0: whether the material embeds resources, or has textures or effects that are not documented. What
    /// follows its texture stages is then [`opaque_bytes`](Self::opaque_bytes), and it shows no textures.
    pub const fn is_opaque(&self) -> bool {
        self.parts.is_opaque
    }

    /// What follows the texture stages of an [opaque](Self::is_opaque) material, from ExportResources on; empty for
    /// others.
    pub fn opaque_bytes(&self) -> &'a [u8] {
        if !self.parts.is_opaque {
            return &[];
        }
        let start = self.stages_offset().saturating_add(size_of::<layout::Stages>() as u64);
        self.data.take(start, self.parts.end.saturating_sub(start), "opaque bytes").unwrap_or_default()
    }

    fn colors(&self) -> Option<&'a layout::Colors> {
        self.data.record(self.parts.colors, "material colors").ok()
    }

    fn color(&self, which: fn(&layout::Colors) -> [F32; 4]) -> [f32; 4] {
        self.colors().map(|colors| which(colors).map(F32::get)).unwrap_or_default()
    }

    /// The color of ambient light.
    pub fn ambient(&self) -> [f32; 4] {
        self.color(|colors| colors.ambient)
    }

    /// The color of diffuse light.
    pub fn diffuse(&self) -> [f32; 4] {
        self.color(|colors| colors.diffuse)
    }

    /// The color of specular light.
    pub fn specular(&self) -> [f32; 4] {
        self.color(|colors| colors.specular)
    }

    /// The color it shines with by itself.
    pub fn emissive(&self) -> [f32; 4] {
        self.color(|colors| colors.emissive)
    }

    /// The exponent of the specular highlights.
    pub fn specular_power(&self) -> f32 {
        self.colors().map(|colors| colors.specular_power.get()).unwrap_or_default()
    }

    fn after_colors(&self) -> u64 {
        self.parts.colors.saturating_add(size_of::<layout::Colors>() as u64)
    }

    fn v2_float(&self, skip: u64) -> Option<f32> {
        if self.version.is_v1() {
            return None;
        }
        let offset = self.after_colors().saturating_add(skip);
        self.data.record::<F32>(offset, "material").ok().map(|value| value.get())
    }

    /// MaterialDepth in mesh space, for parallax mapping; `None` in version 1.0.
    pub fn depth(&self) -> Option<f32> {
        self.v2_float(0)
    }

    /// ParallaxQuality, 1.0 by default; `None` in version 1.0.
    pub fn parallax_quality(&self) -> Option<f32> {
        self.v2_float(4)
    }

    /// Version 1.0, nTexture: how many texture stages are used; `None` in version 2.0.
    pub fn texture_count(&self) -> Option<u16> {
        let count = self.data.record::<zerocopy::little_endian::U16>(self.after_colors(), "nTexture");
        self.version.is_v1().then_some(count.ok()?.get())
    }

    pub(crate) fn stages_offset(&self) -> u64 {
        self.after_colors().saturating_add(if self.version.is_v1() { 2 } else { 8 })
    }

    fn stages(&self) -> Option<&'a layout::Stages> {
        self.data.record(self.stages_offset(), "texture stages").ok()
    }

    /// pColorOp: the color operation of each texture stage, a D3DTEXTUREOP.
    pub fn color_ops(&self) -> [u32; STAGES] {
        self.stages().map(|stages| stages.color_op.map(U32::get)).unwrap_or_default()
    }

    /// piTexCoordSet: the texture coordinate set of each stage, or a D3DTSS_TCI value.
    pub fn texcoord_sets(&self) -> [u32; STAGES] {
        self.stages().map(|stages| stages.tex_coord_set.map(U32::get)).unwrap_or_default()
    }

    /// The textures of the stages that have one, in order; none for an [opaque](Self::is_opaque) material.
    pub fn textures(&self) -> impl Iterator<Item = Texture<'a>> + use<'a> {
        let (material, mut offset) = (*self, self.parts.textures);
        let stages = if self.parts.textures == 0 { 0 } else { STAGES };
        (0..stages).filter_map(move |stage| {
            let (texture, next) = match material.version.is_v1() {
                true => material.texture_v1(stage, offset)?,
                false => material.texture_v2(stage, offset)?,
            };
            offset = next;
            texture
        })
    }

    /// The texture record at `offset`, and where the next one begins.
    fn texture_v1(&self, stage: usize, offset: u64) -> Option<(Option<Texture<'a>>, u64)> {
        let mut cursor = Cursor::at(self.data, offset).ok()?;
        if cursor.u8("texture used").ok()? == 0 {
            return Some((None, cursor.offset()));
        }
        cursor.u32("texture type").ok()?;
        let identifier = cursor.nul_terminated("texture identifier").ok()?;
        let width = cursor.u16("texture width").ok()?.into();
        let height = cursor.u16("texture height").ok()?.into();
        let files = cursor.offset();
        cursor.nul_terminated("texture file").ok()?;
        let texture = Texture {
            data: self.data,
            offset,
            stage,
            identifier: Some(identifier),
            width,
            height,
            is_cube: false,
            is_normal_map: false,
            height_scalar: 0.0,
            files,
        };
        Some((Some(texture), cursor.offset()))
    }

    /// The texture chunk at `offset`, and where the next one begins.
    fn texture_v2(&self, stage: usize, offset: u64) -> Option<(Option<Texture<'a>>, u64)> {
        let chunk = Chunks::new(self.data, offset, &Limits::DEFAULT).next()?.ok()?;
        let data = self.data.within(chunk.end());
        let mut cursor = Cursor::at(data, chunk.body().offset()).ok()?;
        if cursor.u8("HoldsTexture").ok()? == 0 {
            return Some((None, chunk.end()));
        }
        let texture = Texture {
            data,
            offset,
            stage,
            identifier: None,
            width: cursor.u32("Width").ok()?,
            height: cursor.u32("Height").ok()?,
            is_cube: cursor.u8("IsCubeTexture").ok()? != 0,
            is_normal_map: cursor.u8("IsNormalMap").ok()? != 0,
            height_scalar: cursor.f32("HeightScalar").ok()?,
            files: cursor.offset(),
        };
        Some((Some(texture), chunk.end()))
    }
}

/// A texture of one stage of a material (Ultimate 3D 2.0: The texture chunk; 1.0: pTextureData).
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    data: Data<'a>,
    /// Absolute offset of the record or chunk.
    pub offset: u64,
    /// The stage: 0 to 7.
    pub stage: usize,
    /// Version 1.0: a unique identifier, usually the path. `None` in version 2.0.
    pub identifier: Option<Name<'a>>,
    /// The width to load it with; 0 for its own.
    pub width: u32,
    /// The height to load it with; 0 for its own. Cube textures ignore it.
    pub height: u32,
    /// Whether it is made of six square textures.
    pub is_cube: bool,
    /// Whether it is a height map that is to become a normal map.
    pub is_normal_map: bool,
    /// The height of the height map, for a texture of 1 by 1.
    pub height_scalar: f32,
    /// Absolute offset of the first path.
    files: u64,
}

impl<'a> Texture<'a> {
    /// The files: one, or six for a cube (right, left, top, bottom, back, front).
    pub fn files(&self) -> impl Iterator<Item = TexturePath<'a>> + use<'a> {
        let mut cursor = Cursor::at(self.data, self.files).ok();
        let count = if self.is_cube { 6 } else { 1 };
        (0..count).map_while(move |_| cursor.as_mut()?.nul_terminated("texture file").ok().map(TexturePath))
    }
}

/// The path of a texture. Version 1.0 looks for a name without folder in the engine's texture folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexturePath<'a>(Name<'a>);

impl<'a> TexturePath<'a> {
    /// The path as it lies.
    pub const fn name(&self) -> Name<'a> {
        self.0
    }

    /// Whether it begins with `*`, which stands for a folder the program knows, `gfx/` in Ultimate 3D.
    pub fn is_in_default_folder(&self) -> bool {
        self.0.raw().first() == Some(&b'*')
    }

    /// The path without the `*`.
    pub fn relative(&self) -> Name<'a> {
        match self.0.raw().split_first() {
            Some((b'*', rest)) => Name::new(rest),
            _ => self.0,
        }
    }
}
