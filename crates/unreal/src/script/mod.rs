//! `.uc` scripts: the `#exec` lines that say which two files make a mesh, which frames make which sequence, where the
//! mesh stands and what it wears (Unreal: Appendix B).

mod command;
mod lines;
mod mesh;
mod transform;

use alloc::vec::Vec;

use meshlens_wire::{Error, ErrorKind, Limits, Name, Result};

use crate::Mode;
use crate::pairing::compare_ignore_case;
use command::{Command, Kind};
use lines::ExecLines;
pub use mesh::Mesh;
pub use transform::Transform;

/// What errors of a script call it.
pub const SCRIPT: &str = "uc";
/// Frames per second of a sequence whose line gives no RATE, as engines play it.
pub const DEFAULT_RATE: f32 = 30.0;
/// Faulty lines that a lenient parse keeps; it counts them all.
pub const MAX_FAULTS: usize = 16;

/// `MESH IMPORT`: a mesh and the two files it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshImport<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESH: the mesh's name.
    pub mesh: Name<'a>,
    /// ANIVFILE: the frames file, with backslashes, relative to the package's folder.
    pub frames_file: Name<'a>,
    /// DATAFILE: the geometry file.
    pub geometry_file: Name<'a>,
    /// X, Y, Z.
    pub position: [f32; 3],
    /// Whether MLOD is set: the engine makes levels of detail.
    pub mlod: bool,
    /// Whether ZEROTEX is set, which speaks of texture slots.
    pub zero_texture: bool,
    /// Whether UNMIRROR is set: the mesh is mirrored.
    pub unmirror: bool,
}

/// `MESH ORIGIN`: where a mesh's own origin lies, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOrigin<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESH.
    pub mesh: Name<'a>,
    /// X, Y, Z: subtracted from positions as they are stored, before they are scaled.
    pub origin: [f32; 3],
    /// YAW, PITCH, ROLL: 256 is a full turn.
    pub rotation: [f32; 3],
}

/// `MESH SEQUENCE`: a name for some frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshSequence<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESH.
    pub mesh: Name<'a>,
    /// SEQ: the sequence's name.
    pub name: Name<'a>,
    /// GROUP; empty where there is none.
    pub group: Name<'a>,
    /// STARTFRAME.
    pub first_frame: u32,
    /// NUMFRAMES.
    pub frame_count: u32,
    /// RATE: frames per second, where the line gives it.
    pub rate: Option<f32>,
}

impl MeshSequence<'_> {
    /// Frames per second as engines play it: [`DEFAULT_RATE`] where the line gives none.
    pub fn frames_per_second(&self) -> f32 {
        self.rate.unwrap_or(DEFAULT_RATE)
    }

    /// The frames, in order.
    pub const fn frames(&self) -> core::ops::Range<u64> {
        let first = self.first_frame as u64;
        first..first.saturating_add(self.frame_count as u64)
    }
}

/// `MESH NOTIFY`: a function that is called while a sequence plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshNotify<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESH.
    pub mesh: Name<'a>,
    /// SEQ: the sequence's name.
    pub sequence: Name<'a>,
    /// FUNCTION; empty where there is none.
    pub function: Name<'a>,
    /// TIME: 0 at the start of the sequence, 1 at its end.
    pub time: f32,
}

/// `MESHMAP NEW`: the name by which scale and textures speak of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meshmap<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESHMAP.
    pub name: Name<'a>,
    /// MESH.
    pub mesh: Name<'a>,
}

/// `MESHMAP SCALE`: what positions are multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshmapScale<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESHMAP.
    pub meshmap: Name<'a>,
    /// X, Y, Z.
    pub scale: [f32; 3],
}

/// `MESHMAP SETTEXTURE`: what a texture slot holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshmapTexture<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// MESHMAP.
    pub meshmap: Name<'a>,
    /// NUM: the slot, as triangles name it.
    pub slot: u32,
    /// TEXTURE: the texture's name, with its package and group where it has them.
    pub texture: Name<'a>,
}

/// `TEXTURE IMPORT`: a texture and its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureImport<'a> {
    /// Absolute offset of the line, behind `#exec`.
    pub offset: u64,
    /// NAME; empty where there is none, and the file's name stands for it.
    pub name: Name<'a>,
    /// FILE, with backslashes, relative to the package's folder.
    pub file: Name<'a>,
    /// GROUP; empty where there is none.
    pub group: Name<'a>,
    /// FLAGS: 2 is masked, 4 is translucent.
    pub flags: u32,
}

/// The `#exec` lines of a `.uc` file that speak of meshes and textures. It borrows the text.
///
/// ```
/// use meshlens_unreal::script::Script;
///
/// let text = br"class Gun expands Actor;
/// #exec MESH IMPORT MESH=gun ANIVFILE=MODELS\gun_a.3d DATAFILE=MODELS\gun_d.3d X=0 Y=0 Z=0
/// #exec mesh sequence mesh=Gun seq=Fire startframe=3 numframes=5 rate=12
/// //#exec MESH SEQUENCE MESH=gun SEQ=??? STARTFRAME=0 NUMFRAMES=30
/// #exec MESHMAP SCALE MESHMAP=gun X=0.1 Y=0.1 Z=0.2
/// #exec MESHMAP SETTEXTURE MESHMAP=gun NUM=1 TEXTURE=Jgun";
/// let script = Script::parse(text)?;
/// let gun = script.mesh("GUN").unwrap();
/// assert_eq!(gun.import().geometry_file, r"MODELS\gun_d.3d");
/// let fire = gun.sequence("fire").unwrap();
/// assert_eq!((fire.frames(), fire.frames_per_second()), (3..8, 12.0));
/// assert_eq!((gun.scale(), gun.sequences().len()), ([0.1, 0.1, 0.2], 1));
/// assert_eq!(gun.texture(1).unwrap().texture, "Jgun");
/// # Ok::<(), meshlens_wire::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script<'a> {
    // Imports in the order of the file; the others by the mesh, meshmap or texture they speak of, then in that order.
    imports: Vec<MeshImport<'a>>,
    origins: Vec<MeshOrigin<'a>>,
    sequences: Vec<MeshSequence<'a>>,
    notifies: Vec<MeshNotify<'a>>,
    meshmaps: Vec<Meshmap<'a>>,
    scales: Vec<MeshmapScale<'a>>,
    slots: Vec<MeshmapTexture<'a>>,
    textures: Vec<TextureImport<'a>>,
    faults: Vec<Error>,
    fault_count: u64,
}

impl<'a> Script<'a> {
    /// Parses the text of a `.uc` file.
    ///
    /// Everything but `#exec` lines is skipped, with comments of both kinds, and so are commands that speak of neither
    /// meshes nor textures, and keys that are not known. Words and keys come in any case, lines end in LF or CRLF,
    /// values may have quotes, a `//` comment may follow.
    ///
    /// One pass counts the lines and another reads them; each takes one small entry.
    ///
    /// # Errors
    ///
    /// A line without a key it needs, a number that is none, a negative count; more lines than [`Limits::DEFAULT`]
    /// allows. The offset is that of the value, or of the line where there is none.
    pub fn parse(text: &'a [u8]) -> Result<Self> {
        Self::parse_with(text, Mode::Strict, &Limits::DEFAULT)
    }

    /// As [`parse`](Self::parse), with a choice of what faulty lines are: in lenient mode they are skipped, and
    /// [`faults`](Self::faults) tells of them.
    ///
    /// # Errors
    ///
    /// Those of [`parse`](Self::parse) in strict mode; in lenient mode only more lines than `limits` allows.
    pub fn parse_with(text: &'a [u8], mode: Mode, limits: &Limits) -> Result<Self> {
        let mut script = Script::default();
        script.reserve(text, limits)?;
        for (line, offset) in ExecLines::new(text) {
            match command::parse(line, offset) {
                Ok(command) => script.push(command),
                Err(error) if mode == Mode::Strict => return Err(error),
                Err(error) => {
                    script.fault_count = script.fault_count.saturating_add(1);
                    if script.faults.len() < MAX_FAULTS {
                        script.faults.push(error);
                    }
                }
            }
        }
        script.sort();
        Ok(script)
    }

    /// Makes room for exactly the lines there are.
    fn reserve(&mut self, text: &[u8], limits: &Limits) -> Result<()> {
        let mut counts = [0usize; 8];
        let mut total = 0u64;
        for (line, offset) in ExecLines::new(text) {
            let Some(kind) = command::kind(line, offset) else { continue };
            total = total.saturating_add(1);
            if total > limits.count {
                let kind = ErrorKind::Limit { what: "#exec lines", limit: limits.count, found: total };
                return Err(Error::new(SCRIPT, offset, kind));
            }
            if let Some(count) = counts.get_mut(kind as usize) {
                *count = count.saturating_add(1);
            }
        }
        let count = |kind: Kind| counts.get(kind as usize).copied().unwrap_or_default();
        self.imports.reserve_exact(count(Kind::MeshImport));
        self.origins.reserve_exact(count(Kind::MeshOrigin));
        self.sequences.reserve_exact(count(Kind::MeshSequence));
        self.notifies.reserve_exact(count(Kind::MeshNotify));
        self.meshmaps.reserve_exact(count(Kind::MeshmapNew));
        self.scales.reserve_exact(count(Kind::MeshmapScale));
        self.slots.reserve_exact(count(Kind::MeshmapTexture));
        self.textures.reserve_exact(count(Kind::TextureImport));
        Ok(())
    }

    fn push(&mut self, command: Command<'a>) {
        match command {
            Command::MeshImport(record) => self.imports.push(record),
            Command::MeshOrigin(record) => self.origins.push(record),
            Command::MeshSequence(record) => self.sequences.push(record),
            Command::MeshNotify(record) => self.notifies.push(record),
            Command::MeshmapNew(record) => self.meshmaps.push(record),
            Command::MeshmapScale(record) => self.scales.push(record),
            Command::MeshmapTexture(record) => self.slots.push(record),
            Command::TextureImport(record) => self.textures.push(record),
            Command::Other => {}
        }
    }

    /// Brings the lines of one mesh together, so that none has to be sought among those of all others.
    fn sort(&mut self) {
        sort_by_name(&mut self.origins);
        sort_by_name(&mut self.sequences);
        sort_by_name(&mut self.notifies);
        sort_by_name(&mut self.meshmaps);
        sort_by_name(&mut self.scales);
        sort_by_name(&mut self.slots);
        sort_by_name(&mut self.textures);
    }

    /// The meshes, one for each MESH IMPORT line, in order.
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = Mesh<'_, 'a>> + DoubleEndedIterator {
        self.imports.iter().map(|import| Mesh::new(self, import))
    }

    /// The mesh of this name, in any case; the last of them where there are several, as engines have it.
    pub fn mesh(&self, name: &str) -> Option<Mesh<'_, 'a>> {
        self.meshes().rfind(|mesh| mesh.import().mesh.eq_ignore_case(name))
    }

    /// The sequences of all meshes, also of such as another script imports: by mesh, then in the order of the file.
    pub fn sequences(&self) -> &[MeshSequence<'a>] {
        &self.sequences
    }

    /// The import of the texture of this name, in any case; the last of them where there are several. A name with a
    /// package or group before it (`Package.Group.Name`) is found by its last part.
    pub fn texture_import(&self, name: &str) -> Option<&TextureImport<'a>> {
        let last = name.rsplit('.').next().unwrap_or(name);
        of_name(&self.textures, last.as_bytes()).last()
    }

    /// The texture imports, by name.
    pub fn texture_imports(&self) -> &[TextureImport<'a>] {
        &self.textures
    }

    /// The first [`MAX_FAULTS`] faulty lines that a lenient parse skipped, in order.
    pub fn faults(&self) -> &[Error] {
        &self.faults
    }

    /// How many faulty lines a lenient parse skipped.
    pub const fn fault_count(&self) -> u64 {
        self.fault_count
    }
}

/// A record that lies among others of its kind by name, in any case, and then by offset.
trait Named {
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
    /// NAME, or the file's name without folder and extension where there is none.
    pub fn texture_name(&self) -> &'a [u8] {
        if !self.name.is_empty() {
            return self.name.as_bytes();
        }
        let file =
            self.file.as_bytes().rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or_default();
        let dot = file.iter().rposition(|byte| *byte == b'.').unwrap_or(file.len());
        file.get(..dot).unwrap_or_default()
    }
}

fn sort_by_name<T: Named>(records: &mut [T]) {
    records
        .sort_unstable_by(|a, b| compare_ignore_case(a.name(), b.name()).then(a.offset().cmp(&b.offset())));
}

/// The records of this name, in any case, in the order of the file.
fn of_name<'r, T: Named>(records: &'r [T], name: &[u8]) -> &'r [T] {
    let start = records.partition_point(|record| compare_ignore_case(record.name(), name).is_lt());
    let behind = records.get(start..).unwrap_or_default();
    let len = behind.partition_point(|record| compare_ignore_case(record.name(), name).is_eq());
    behind.get(..len).unwrap_or_default()
}
