//! `.uc` scripts: the `#exec` lines with the files of a mesh, its sequences, its placement and its textures (Unreal:
//! Appendix B).

mod command;
mod lines;
mod mesh;
mod records;
mod transform;

use alloc::vec::Vec;

use meshlens_wire::{Error, ErrorKind, Limits, Result};

use crate::{ParseOptions, Strictness};
use command::Kind;
use lines::ExecLines;
pub use mesh::Mesh;
pub use records::{
    MeshImport, MeshNotify, MeshOrigin, MeshSequence, Meshmap, MeshmapScale, MeshmapTexture, TextureImport,
};
use records::{of_name, sort_by_name};
pub use transform::Transform;

/// The name of the format in errors of a script.
pub const SCRIPT: &str = "uc";
/// The rate in frames per second at which engines play a sequence without RATE.
pub const DEFAULT_RATE: f32 = 30.0;
/// The largest number of faulty lines whose errors a lenient parse keeps. Further lines are only counted.
pub const MAX_FAULTS: usize = 16;

/// The `#exec` lines of a `.uc` file about meshes and textures. It borrows the text.
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
/// let gun = script.mesh("GUN").ok_or("no such mesh")?;
/// assert_eq!(gun.import().geometry_file, r"MODELS\gun_d.3d");
/// let fire = gun.sequence("fire").ok_or("no such sequence")?;
/// assert_eq!((fire.frames(), fire.frames_per_second()), (3..8, 12.0));
/// assert_eq!((gun.scale(), gun.sequences().len()), ([0.1, 0.1, 0.2], 1));
/// assert!(gun.texture(1).is_some_and(|texture| texture.texture == "Jgun"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script<'a> {
    // Imports are in the order of the file. Other lines are sorted by the name of their mesh, meshmap or texture, then
    // by that order.
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
    /// Everything except `#exec` lines is skipped, as are comments, commands other than those about meshes and textures, and
    /// unknown keys. Words and keys match in any case, lines end in LF or CRLF, values may have quotes, and a `//` comment
    /// may follow.
    ///
    /// One pass counts the lines, and another pass reads them. Each line takes one small entry.
    ///
    /// # Errors
    ///
    /// A line lacks a required key, a value is not a number, a count is negative, or there are more lines or bytes than
    /// [`Limits::DEFAULT`] allows. The offset of the error is the offset of the value, or of the line if there is no
    /// value.
    pub fn parse(text: &'a [u8]) -> Result<Self> {
        Self::parse_with(text, &ParseOptions::default())
    }

    /// Parses a script that may have faulty lines, or within other limits. Lenient options skip faulty lines;
    /// [`faults`](Self::faults) lists them.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse). With lenient options, only if there are more lines or bytes than the limits
    /// allow.
    pub fn parse_with(text: &'a [u8], options: &ParseOptions) -> Result<Self> {
        let ParseOptions { strictness, limits } = options;
        limits.check_text(SCRIPT, text.len())?;
        let mut script = Script::default();
        script.reserve(text, limits)?;
        for (line, offset) in ExecLines::new(text) {
            match command::read(&mut script, line, offset) {
                Ok(()) => {}
                Err(error) if *strictness == Strictness::Strict => return Err(error),
                Err(error) => {
                    script.fault_count += 1;
                    if script.faults.len() < MAX_FAULTS {
                        script.faults.push(error);
                    }
                }
            }
        }
        script.sort();
        Ok(script)
    }

    /// Reserves memory for exactly the lines of each kind.
    fn reserve(&mut self, text: &[u8], limits: &Limits) -> Result<()> {
        let mut counts = [0usize; 8];
        let mut total = 0u64;
        for (line, offset) in ExecLines::new(text) {
            let Some(kind) = command::kind(line, offset) else { continue };
            total += 1;
            if total > limits.count {
                let kind = ErrorKind::Limit { what: "#exec lines", limit: limits.count, found: total };
                return Err(Error::new(SCRIPT, offset, kind));
            }
            if let Some(count) = counts.get_mut(kind as usize) {
                *count += 1;
            }
        }
        let count = |kind: Kind| counts.get(kind as usize).copied().unwrap_or(0);
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

    /// Sorts lines by mesh, so that a binary search finds the lines of a mesh.
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

    /// The mesh with this name, `None` if there is none, or the last one of several, as in engines. ASCII letters match
    /// in any case.
    pub fn mesh(&self, name: &str) -> Option<Mesh<'_, 'a>> {
        self.meshes().rfind(|mesh| mesh.import().mesh.eq_ignore_case(name))
    }

    /// The sequences of all meshes, including meshes that another script imports: by mesh, then in the order of the file.
    pub fn sequences(&self) -> &[MeshSequence<'a>] {
        &self.sequences
    }

    /// The import of the texture with this name, `None` if there is none, or the last one of several. ASCII letters
    /// match in any case. If the name has a package or group (`Package.Group.Name`), only its last part is compared.
    pub fn texture_import(&self, name: &str) -> Option<&TextureImport<'a>> {
        let last = name.rsplit('.').next().unwrap_or(name);
        of_name(&self.textures, last.as_bytes()).last()
    }

    /// The texture imports, sorted by name.
    pub fn texture_imports(&self) -> &[TextureImport<'a>] {
        &self.textures
    }

    /// The errors of the first [`MAX_FAULTS`] faulty lines that a lenient parse skipped, in order.
    pub fn faults(&self) -> &[Error] {
        &self.faults
    }

    /// The number of faulty lines that a lenient parse skipped.
    pub const fn fault_count(&self) -> u64 {
        self.fault_count
    }
}
