//! The arguments of `convert`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use meshlens::model::{Axis, export};
use meshlens_gltf::PORTABLE_MORPH_TARGETS;

use super::inputs::Inputs;
use super::values::{axis, engine, frames, rate, scale, since, whole};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnrealVertices {
    /// 11, 11 and 10 bits for X, Y and Z, which every engine reads
    Packed32,
    /// 16 bits for each of X, Y and Z, which Deus Ex reads
    I16x4,
}

/// Convert models to glTF 2.0, or from one format to another
///
/// Each model becomes one file: x.md3 becomes x.glb, in the same folder or in --out-dir. Data that the target cannot
/// hold is listed, one loss per line.
///
/// A Quake 3 player is a folder with lower.md3, upper.md3, head.md3 and animation.cfg, or such a folder in an archive
/// (pak0.pk3!models/players/sarge). It becomes one glTF file if the folder itself is named. glTF files in folders are
/// converted only if the target is another format.
#[derive(Args)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Output file for one model; - for standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    pub(crate) output: Option<PathBuf>,
    /// Write the outputs to this folder; input folders and archives are mirrored in it
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Leave out models whose output exists, so that a run that was interrupted can be resumed
    #[arg(long, conflicts_with = "force")]
    pub(crate) skip_existing: bool,
    /// Leave out models that have not changed since the last change of FILE, or since TIME, such as 2026-11-24 or
    /// 2026-11-24T08:30:00 in UTC. The time of an archive counts for all models in it. With --force, the outputs of
    /// models that have changed are replaced
    #[arg(long, value_name = "FILE|TIME", value_parser = since, conflicts_with = "skip_existing")]
    pub(crate) changed_since: Option<SystemTime>,
    /// Output format [default: by the extension of -o, else glb]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Target>,
    /// Write a .gltf file and its buffer as a .bin file, instead of one .glb file
    #[arg(long, conflicts_with = "to")]
    pub(crate) separate: bool,
    /// Keep the integer positions of MD3 and Unreal, and write normals as bytes (needs KHR_mesh_quantization)
    #[arg(long)]
    pub(crate) quantize: bool,
    /// Normals to write for models with frames: of all frames, or only of the base frame, which takes less than half
    /// the size
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) normals: Normals,
    /// The most morph targets of a mesh. A model with more frames has several meshes in place of one, which animations show
    /// in turn. Bevy draws 256, and browsers on some devices
    #[arg(long, default_value_t = PORTABLE_MORPH_TARGETS, value_name = "N", value_parser = whole)]
    pub(crate) max_targets: usize,
    /// Write a skeleton with weights and rigid keys instead of vertex frames, for glTF, USD, UNIGINE and Ultimate 3D. The parts
    /// of a player get one skeleton
    #[cfg(feature = "carriers")]
    #[arg(long)]
    pub(crate) skeleton: bool,
    /// How far a skeleton may move vertices from where the frames have them, in units of the model: the root mean square;
    /// the largest distance may be eight times as large [default: 0.0625 for MD3, else 0.25 % of the height]
    #[cfg(feature = "carriers")]
    #[arg(long, value_name = "UNITS", value_parser = scale, requires = "skeleton", allow_negative_numbers = true)]
    pub(crate) skeleton_error: Option<f32>,
    /// Compress arrays without loss, by the extension khr (KHR_meshopt_compression, the default) or ext (its older
    /// name); smallest with --quantize
    #[arg(long, value_enum, value_name = "EXTENSION", num_args = 0..=1, require_equals = true, default_missing_value = "khr")]
    pub(crate) meshopt: Option<Meshopt>,
    /// Vertex encoding of an Unreal mesh [default: i16x4 if the input has 16-bit vertices, else packed32]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) vertices: Option<UnrealVertices>,
    /// Convert only frames A to B, both included; the first frame is 0
    #[arg(long, value_name = "A..B", value_parser = frames, group = "which_frames")]
    pub(crate) frames: Option<(usize, usize)>,
    /// Convert only the clip with this name
    #[arg(long, value_name = "NAME", group = "which_frames")]
    pub(crate) clip: Option<String>,
    /// Convert only this frame, without animation
    #[arg(long, value_name = "N", group = "which_frames", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) frame: Option<usize>,
    /// Levels of detail to write: the highest, or all (MSFT_lod)
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) lod: Lod,
    /// Files that belong to the model and travel in the extras of glTF: all (animation.cfg, skins, shaders, levels of detail,
    /// scripts, materials, and what makes an MD3 equal again), or none
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) carry: Carry,
    /// Also write the other skins of an MD3, as variants of the materials (KHR_materials_variants)
    #[arg(long)]
    pub(crate) variants: bool,
    /// Frames per second of clips whose files do not state a rate [default: 10]
    #[arg(long, value_name = "RATE", value_parser = rate, allow_negative_numbers = true)]
    pub(crate) fps: Option<f32>,
    /// Interpolation between frames
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) interpolation: Interpolation,
    /// Factor for all lengths, such as 0.0254 for inches to meters
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = scale, allow_negative_numbers = true)]
    pub(crate) scale: f32,
    /// Axis along which the model looks, as its file stores it, such as -y for a UNIGINE character that shows its back
    /// [default: the forward axis of the format]
    #[arg(long, value_name = "AXIS", value_parser = axis, allow_hyphen_values = true)]
    pub(crate) forward: Option<Axis>,
    /// Where to put textures; TGA, PCX, BMP, DDS, WebP and PPM become PNG [default: embed for glb, beside for gltf; images of
    /// a glTF file go beside files of other formats, and images of any model beside an MD3 in a folder models of a game]
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(crate) textures: Option<Textures>,
    /// Same as --textures embed
    #[arg(long, conflicts_with = "textures")]
    pub(crate) embed: bool,
    /// Memory that all workers may use together for conversions, such as 512M or 2G; a model that needs more is refused
    /// [default: half of the machine's memory, and 512M for one glTF file]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size)]
    pub(crate) max_memory: Option<usize>,
    /// Add the clips of a UNIGINE .anim file, whose bones are matched by name; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) anim: Vec<PathBuf>,
    /// Write what this engine reads: surfaces are split, and what it refuses or ignores is a warning
    #[arg(long, value_name = "NAME", value_parser = engine())]
    pub(crate) engine: Option<String>,
    /// Exit with 1 if a result has a warning, such as merged or clamped positions; the result is written nevertheless
    #[arg(long)]
    pub(crate) strict: bool,
    /// Take the textures of MD3 surfaces from x_NAME.skin in the folder of x.md3
    #[arg(long, value_name = "NAME")]
    pub(crate) skin: Option<String>,
}

impl Convert {
    /// Whether the files of an output are replaced. A resumed run replaces the files of incomplete outputs.
    pub(crate) const fn replaces(&self) -> bool {
        self.force || self.skip_existing
    }

    /// Whether vertex frames become a skeleton.
    pub(crate) const fn makes_skeleton(&self) -> bool {
        #[cfg(feature = "carriers")]
        return self.skeleton;
        #[cfg(not(feature = "carriers"))]
        false
    }

    /// Where the textures of an output are put.
    pub(crate) fn textures(&self, target: Target, is_stdout: bool) -> Textures {
        let usual = match target {
            Target::Glb => Textures::Embed,
            #[cfg(feature = "carriers")]
            Target::Vat => Textures::Embed,
            Target::Gltf if is_stdout => Textures::Embed,
            // An animation has no materials.
            Target::UnigineAnim => return Textures::None,
            _ if is_stdout => Textures::None,
            _ => Textures::Beside,
        };
        let asked = self.textures.or(self.embed.then_some(Textures::Embed));
        match (asked, target) {
            (Some(Textures::Embed), target) if target.writes_gltf() => Textures::Embed,
            // Other formats contain no images.
            (None | Some(Textures::Embed), _) => usual,
            (Some(asked), _) => asked,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Meshopt {
    /// KHR_meshopt_compression
    Khr,
    /// EXT_meshopt_compression, for older readers
    Ext,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// One binary glTF file
    Glb,
    /// A glTF file with its buffer in a second file
    Gltf,
    /// Quake 3 MD3
    Md3,
    /// An Unreal mesh: x_d.3d, x_a.3d and x.uc
    Unreal,
    /// Ultimate 3D 2.0
    U3d,
    /// A UNIGINE mesh (ms11)
    Unigine,
    /// A UNIGINE .anim with the joint animations only
    UnigineAnim,
    /// Vertex animation textures in the layout of OpenVAT: x_vat.png, x_vnrm.png, x-remap_info.json, and the mesh as x.glb
    #[cfg(feature = "carriers")]
    Vat,
    /// USD as text, with a time sample for every frame
    #[cfg(feature = "carriers")]
    Usda,
}

impl Target {
    /// The game format; `None` for the formats of other programs.
    pub(crate) fn game_format(self) -> Option<export::Target> {
        match self {
            Target::Md3 => Some(export::Target::Md3),
            Target::Unreal => Some(export::Target::Unreal),
            Target::U3d => Some(export::Target::U3d),
            Target::Unigine => Some(export::Target::Unigine),
            Target::UnigineAnim => Some(export::Target::UnigineAnim),
            _ => None,
        }
    }

    /// Whether the model is written as glTF: alone, or as the mesh of vertex animation textures.
    pub(crate) fn writes_gltf(self) -> bool {
        #[cfg(feature = "carriers")]
        if self == Target::Vat {
            return true;
        }
        matches!(self, Target::Glb | Target::Gltf)
    }

    /// Whether the target stores joints.
    pub(crate) fn takes_joints(self) -> bool {
        #[cfg(feature = "carriers")]
        if self == Target::Vat {
            return false;
        }
        !matches!(self, Target::Md3 | Target::Unreal)
    }

    /// Whether the target takes scenes of several models, and materials with their textures resolved.
    pub(crate) fn takes_scenes(self) -> bool {
        #[cfg(feature = "carriers")]
        if self == Target::Usda {
            return true;
        }
        self.writes_gltf()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Textures {
    /// In the output file
    Embed,
    /// In separate files: the files of the game, or else new files in the folder of the output
    Beside,
    /// No textures; materials keep the names of their textures
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Normals {
    /// The normals of every frame
    #[default]
    All,
    /// The normals of the base frame; lighting does not follow the movement
    Base,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Carry {
    /// All of them
    #[default]
    All,
    /// None of them
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lod {
    #[default]
    Highest,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Interpolation {
    /// Interpolate linearly between frames
    #[default]
    Linear,
    /// Hold each frame until the next one
    Step,
}
