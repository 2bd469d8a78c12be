//! One material of a model, and its textures.

use core::fmt;

use meshlens_wire::{Chunks, Complete, Cursor, Data, Limits, Name};

use crate::layout::{CAMERA_SPACE_NORMAL, STAGES};
use crate::parts::{MaterialParts, MaterialVersion};
use crate::text::{bytes_at, name_at};

/// Values of D3DTEXTUREOP.
const MODULATE: u32 = 4;
const MODULATE_2X: u32 = 5;
const MODULATE_4X: u32 = 6;

/// One material (Ultimate 3D: The material chunk). Colors are r, g, b, a.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    data: Data<'a>,
    parts: MaterialParts,
}

impl<'a> Material<'a> {
    pub(crate) const fn new(data: Data<'a>, parts: MaterialParts) -> Self {
        Material { data, parts }
    }

    /// The locations of the parts of the material.
    pub const fn parts(&self) -> &MaterialParts {
        &self.parts
    }

    /// The absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// iMaterial: the number that triangles refer to. In version 1.0 it is the index in file order.
    pub const fn index(&self) -> u32 {
        self.parts.index
    }

    /// The name of the material.
    pub fn name(&self) -> Name<'a> {
        name_at::<Complete>(self.data, self.parts.name)
    }

    /// Version 1.0: whether the material embeds resources, or has textures or effects that are not documented. The
    /// bytes after its texture stages are then [`opaque_bytes`](Self::opaque_bytes), and it has no
    /// [`textures`](Self::textures).
    pub const fn is_opaque(&self) -> bool {
        self.parts.opaque().is_some()
    }

    /// The bytes after the texture stages of an [opaque](Self::is_opaque) material, from ExportResources on; empty for
    /// other materials.
    pub fn opaque_bytes(&self) -> &'a [u8] {
        self.parts.opaque().map_or(&[], |span| bytes_at::<Complete>(self.data, span))
    }

    /// The color of ambient light.
    pub fn ambient(&self) -> [f32; 4] {
        self.parts.colors.ambient
    }

    /// The color of diffuse light.
    pub fn diffuse(&self) -> [f32; 4] {
        self.parts.colors.diffuse
    }

    /// The color of specular light.
    pub fn specular(&self) -> [f32; 4] {
        self.parts.colors.specular
    }

    /// The color of emitted light.
    pub fn emissive(&self) -> [f32; 4] {
        self.parts.colors.emissive
    }

    /// The exponent of the specular highlights.
    pub fn specular_power(&self) -> f32 {
        self.parts.colors.specular_power
    }

    /// MaterialDepth in mesh space, for parallax mapping; `None` in version 1.0.
    pub const fn depth(&self) -> Option<f32> {
        match self.parts.version {
            MaterialVersion::V1 { .. } => None,
            MaterialVersion::V2 { depth, .. } => Some(depth),
        }
    }

    /// ParallaxQuality, 1.0 by default; `None` in version 1.0.
    pub const fn parallax_quality(&self) -> Option<f32> {
        match self.parts.version {
            MaterialVersion::V1 { .. } => None,
            MaterialVersion::V2 { parallax_quality, .. } => Some(parallax_quality),
        }
    }

    /// Version 1.0, nTexture: the number of texture stages in use; `None` in version 2.0.
    pub const fn texture_count(&self) -> Option<u16> {
        match self.parts.version {
            MaterialVersion::V1 { texture_count } => Some(texture_count),
            MaterialVersion::V2 { .. } => None,
        }
    }

    /// pColorOp: the color operation of each texture stage, a D3DTEXTUREOP.
    pub fn color_ops(&self) -> [u32; STAGES] {
        self.parts.stages.color_op
    }

    /// piTexCoordSet: the texture coordinate set of each stage, or a D3DTSS_TCI value.
    pub fn texcoord_sets(&self) -> [u32; STAGES] {
        self.parts.stages.tex_coord_set
    }

    fn color_op(&self, stage: usize) -> u32 {
        self.color_ops().get(stage).copied().unwrap_or(MODULATE)
    }

    fn coordinates(&self, stage: usize) -> u32 {
        self.texcoord_sets().get(stage).copied().unwrap_or(0)
    }

    /// The textures of the stages that have one, in order; empty for an [opaque](Self::is_opaque) material.
    pub fn textures(&self) -> impl Iterator<Item = Texture<'a>> + use<'a> {
        let (material, mut next) = (*self, self.parts.textures().map(|span| span.offset()));
        (0..STAGES).filter_map(move |stage| {
            let (texture, after) = match material.parts.version {
                MaterialVersion::V1 { .. } => material.texture_v1(stage, next?)?,
                MaterialVersion::V2 { .. } => material.texture_v2(stage, next?)?,
            };
            next = Some(after);
            texture
        })
    }

    /// The texture that is the color of the surface: the first flat image that is no height map. Images with stored texture
    /// coordinates come before environment maps.
    pub fn color_texture(&self) -> Option<Texture<'a>> {
        let mut flat = self.textures().filter(|texture| !texture.is_cube && !texture.is_normal_map);
        let first = flat.next()?;
        Some(flat.find(|next| first.is_environment() && !next.is_environment()).unwrap_or(first))
    }

    /// The first height map.
    pub fn height_map(&self) -> Option<Texture<'a>> {
        self.textures().find(|texture| texture.is_normal_map)
    }

    /// The diffuse color, multiplied as the color operation of the color's texture says (MODULATE2X, MODULATE4X).
    /// Components may be above 1.
    pub fn texture_color(&self) -> [f32; 4] {
        let factor = match self.color_texture().map(|texture| texture.color_op) {
            Some(MODULATE_2X) => 2.0,
            Some(MODULATE_4X) => 4.0,
            _ => 1.0,
        };
        let [r, g, b, a] = self.diffuse();
        [r * factor, g * factor, b * factor, a]
    }

    /// The texture record at `offset`, and the offset of the next one.
    fn texture_v1(&self, stage: usize, offset: u64) -> Option<(Option<Texture<'a>>, u64)> {
        // Parsing has read the same fields, so this is `None` only if the bytes have changed.
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
            color_op: self.color_op(stage),
            coordinates: self.coordinates(stage),
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

    /// The texture chunk at `offset`, and the offset of the next one.
    fn texture_v2(&self, stage: usize, offset: u64) -> Option<(Option<Texture<'a>>, u64)> {
        // Parsing has read the same fields, so this is `None` only if the bytes have changed.
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
            color_op: self.color_op(stage),
            coordinates: self.coordinates(stage),
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
#[non_exhaustive]
pub struct Texture<'a> {
    data: Data<'a>,
    /// The absolute offset of the record or chunk.
    pub offset: u64,
    /// The stage: 0 to 7.
    pub stage: usize,
    /// pColorOp: the color operation of the stage, a D3DTEXTUREOP.
    pub color_op: u32,
    /// piTexCoordSet: the texture coordinate set of the stage, or a D3DTSS_TCI value.
    pub coordinates: u32,
    /// Version 1.0: a unique identifier, usually the path. `None` in version 2.0.
    pub identifier: Option<Name<'a>>,
    /// The width to which the texture is scaled when it is loaded; 0 keeps the width of the image.
    pub width: u32,
    /// The height to which the texture is scaled when it is loaded; 0 keeps the height of the image. It is ignored for
    /// cube textures.
    pub height: u32,
    /// Whether this is a cube texture of six square files.
    pub is_cube: bool,
    /// Whether the file is a height map, from which the engine makes a normal map.
    pub is_normal_map: bool,
    /// The height of the highest point of the height map if the texture has a size of 1 by 1.
    pub height_scalar: f32,
    /// The absolute offset of the first path.
    files: u64,
}

impl<'a> Texture<'a> {
    /// Whether the engine computes the texture coordinates, as it does for environment maps.
    pub const fn is_environment(&self) -> bool {
        self.coordinates >= CAMERA_SPACE_NORMAL
    }

    /// The files: one, or six for a cube texture (right, left, top, bottom, back, front).
    pub fn files(&self) -> impl Iterator<Item = TexturePath<'a>> + use<'a> {
        // Parsing has read the same names, so there are fewer only if the bytes have changed.
        let mut cursor = Cursor::at(self.data, self.files).ok();
        let count = if self.is_cube { 6 } else { 1 };
        (0..count).map_while(move |_| cursor.as_mut()?.nul_terminated("texture file").ok().map(TexturePath))
    }
}

/// The path of a texture. The engine of version 1.0 looks for a name without a folder in its texture folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexturePath<'a>(Name<'a>);

impl<'a> TexturePath<'a> {
    /// The path as it is stored.
    pub const fn name(&self) -> Name<'a> {
        self.0
    }

    /// Whether the path begins with `*`, which means a folder that the program chooses, `gfx/` in Ultimate 3D.
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

impl AsRef<[u8]> for TexturePath<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0.raw()
    }
}

impl fmt::Display for TexturePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
