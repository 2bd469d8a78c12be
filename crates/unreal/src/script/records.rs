//! The records of `#exec` lines, and their order by name.

use meshlens_wire::Name;

use super::DEFAULT_RATE;
use crate::pairing::compare_ignore_case;

/// `MESH IMPORT`: a mesh and its two files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshImport<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESH: the name of the mesh.
    pub mesh: Name<'a>,
    /// ANIVFILE: the path of the frames file, with backslashes, relative to the folder of the package.
    pub frames_file: Name<'a>,
    /// DATAFILE: the path of the geometry file.
    pub geometry_file: Name<'a>,
    /// X, Y, Z: the position.
    pub position: [f32; 3],
    /// Whether MLOD is set: the engine generates levels of detail.
    pub mlod: bool,
    /// Whether ZEROTEX is set, a flag about texture slots.
    pub zero_texture: bool,
    /// Whether UNMIRROR is set: engines negate X of the stored positions, and swap two corners of each triangle, so that
    /// front faces remain outside. One pair of files then gives a weapon for either hand. Inferred from public scripts.
    pub unmirror: bool,
    /// UNMIRRORTEX: the texture slot whose texture coordinates engines mirror along U with UNMIRROR, so that text on it is
    /// readable.
    pub unmirror_texture: Option<u32>,
}

/// `MESH ORIGIN`: the origin and the rotation of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOrigin<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESH.
    pub mesh: Name<'a>,
    /// X, Y, Z: subtracted from stored positions before they are scaled.
    pub origin: [f32; 3],
    /// YAW, PITCH, ROLL, in units of 1/256 of a full turn.
    pub rotation: [f32; 3],
}

/// `MESH SEQUENCE`: a range of frames with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshSequence<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESH.
    pub mesh: Name<'a>,
    /// SEQ: the name of the sequence.
    pub name: Name<'a>,
    /// GROUP. Empty if there is none.
    pub group: Name<'a>,
    /// STARTFRAME.
    pub first_frame: u32,
    /// NUMFRAMES.
    pub frame_count: u32,
    /// RATE: the rate in frames per second; `None` if the line does not set it.
    pub rate: Option<f32>,
}

impl MeshSequence<'_> {
    /// The rate in frames per second at which engines play the sequence: [`DEFAULT_RATE`] if the line does not set
    /// RATE.
    pub fn frames_per_second(&self) -> f32 {
        self.rate.unwrap_or(DEFAULT_RATE)
    }

    /// The frames, in order.
    pub const fn frames(&self) -> core::ops::Range<u64> {
        let first = self.first_frame as u64;
        // Both have 32 bits.
        first..first + self.frame_count as u64
    }
}

/// `MESH NOTIFY`: a function that is called while a sequence plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshNotify<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESH.
    pub mesh: Name<'a>,
    /// SEQ: the name of the sequence.
    pub sequence: Name<'a>,
    /// FUNCTION. Empty if there is none.
    pub function: Name<'a>,
    /// TIME: the time of the call, from 0 at the start of the sequence to 1 at its end.
    pub time: f32,
}

/// `MESHMAP NEW`: the name by which lines about scale and textures refer to a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meshmap<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESHMAP.
    pub name: Name<'a>,
    /// MESH.
    pub mesh: Name<'a>,
}

/// `MESHMAP SCALE`: the factors for positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshmapScale<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESHMAP.
    pub meshmap: Name<'a>,
    /// X, Y, Z.
    pub scale: [f32; 3],
}

/// `MESHMAP SETTEXTURE`: the texture of a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshmapTexture<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// MESHMAP.
    pub meshmap: Name<'a>,
    /// NUM: the slot, which triangles refer to.
    pub slot: u32,
    /// TEXTURE: the name of the texture, with its package and group if it has them.
    pub texture: Name<'a>,
}

/// `TEXTURE IMPORT`: a texture and its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureImport<'a> {
    /// The absolute offset of the rest of the line after `#exec`.
    pub offset: u64,
    /// NAME. Empty if there is none: see [`texture_name`](Self::texture_name).
    pub name: Name<'a>,
    /// FILE: the path of the file, with backslashes, relative to the folder of the package.
    pub file: Name<'a>,
    /// GROUP. Empty if there is none.
    pub group: Name<'a>,
    /// FLAGS: 2 for masked, 4 for translucent.
    pub flags: u32,
}

/// A record that is sorted by its name, in any case, and then by its offset.
pub(super) trait Named {
    fn name(&self) -> &[u8];
    fn offset(&self) -> u64;
}

macro_rules! named {
    ($($type:ident: $field:ident),*) => {$(
        impl Named for $type<'_> {
            fn name(&self) -> &[u8] {
                self.$field.as_bytes()
            }
            fn offset(&self) -> u64 {
                self.offset
            }
        }
    )*};
}

named! {
    MeshOrigin: mesh, MeshSequence: mesh, MeshNotify: mesh, Meshmap: mesh,
    MeshmapScale: meshmap, MeshmapTexture: meshmap
}

impl Named for TextureImport<'_> {
    fn name(&self) -> &[u8] {
        self.texture_name()
    }
    fn offset(&self) -> u64 {
        self.offset
    }
}

impl<'a> TextureImport<'a> {
    /// NAME, or if there is none, the name of the file without its folder and extension.
    pub fn texture_name(&self) -> &'a [u8] {
        if !self.name.is_empty() {
            return self.name.as_bytes();
        }
        let file = self.file.as_bytes().rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or(&[]);
        let dot = file.iter().rposition(|byte| *byte == b'.').unwrap_or(file.len());
        file.get(..dot).unwrap_or(file)
    }
}

pub(super) fn sort_by_name<T: Named>(records: &mut [T]) {
    records
        .sort_unstable_by(|a, b| compare_ignore_case(a.name(), b.name()).then(a.offset().cmp(&b.offset())));
}

/// The records with this name, in any case, in the order of the file. O(log records).
pub(super) fn of_name<'r, T: Named>(records: &'r [T], name: &[u8]) -> &'r [T] {
    let start = records.partition_point(|record| compare_ignore_case(record.name(), name).is_lt());
    let (_, rest) = records.split_at(start);
    let len = rest.partition_point(|record| compare_ignore_case(record.name(), name).is_eq());
    rest.split_at(len).0
}
