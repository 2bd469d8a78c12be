//! A single entry point for exports: writes a model as the files of a format that is chosen at run time.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use meshlens_u3d::{U3d, write};
use meshlens_unreal::VertexEncoding;
use meshlens_wire::{Report, Result};

use super::{PositionFit, to_md3_measured, to_u3d, to_unigine, to_unigine_anim, to_unreal, to_unreal_as};
use crate::model::{Clip, Model};

/// A game format that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// Quake 3 MD3.
    Md3,
    /// An Unreal mesh: two files, and the script that imports them.
    Unreal,
    /// Ultimate 3D 2.0.
    U3d,
    /// A UNIGINE mesh.
    Unigine,
    /// A UNIGINE file of the joint animations only.
    UnigineAnim,
}

impl Target {
    /// Every target and its name.
    pub const ALL: [(Target, &'static str); 5] = [
        (Target::Md3, "md3"),
        (Target::Unreal, "unreal"),
        (Target::U3d, "u3d"),
        (Target::Unigine, "unigine"),
        (Target::UnigineAnim, "unigine-anim"),
    ];

    /// The target with this name, such as `unigine-anim`.
    pub fn of_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|(_, known)| *known == name).map(|(target, _)| target)
    }
}

/// The files of a model in a game format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelFiles {
    /// The name and the content of each file. The first one is the model.
    pub files: Vec<(String, Vec<u8>)>,
    /// The clips of an MD3, for a companion file: see [`Md3File::clips`](super::Md3File::clips).
    pub clips: Vec<Clip>,
    /// The shaders of an MD3: see [`Md3File::shaders`](super::Md3File::shaders).
    pub shaders: Vec<(String, usize)>,
    /// The content of the model that the format does not keep.
    pub losses: Report,
    /// How well the positions fit the integers of an MD3. All zeros for other formats.
    pub fit: PositionFit,
}

impl ModelFiles {
    fn new(files: Vec<(String, Vec<u8>)>, losses: Report) -> ModelFiles {
        ModelFiles { files, clips: Vec::new(), shaders: Vec::new(), losses, fit: PositionFit::default() }
    }

    fn single(name: String, bytes: Vec<u8>, losses: Report) -> ModelFiles {
        ModelFiles::new(vec![(name, bytes)], losses)
    }

    /// Rewrites an Ultimate 3D file as version 2.0, which stores more of it than a [`Model`]: see
    /// [`upgrade`](write::Model::upgrade). `None` for other files, and for one of version 1.0 whose meshes have different sets
    /// of texture coordinates. O(file), in time and memory.
    pub fn rewritten_u3d(bytes: &[u8], name: &str) -> Option<ModelFiles> {
        let u3d = U3d::parse(bytes).ok()?;
        let (mut model, mut losses) = (write::Model::try_from(&u3d).ok()?, Report::default());
        model.upgrade(&mut losses);
        Some(ModelFiles::single(format!("{name}.u3d"), model.write().ok()?, losses))
    }
}

/// Writes a model in a game format, with lengths multiplied by `scale`. `name` is the name of the model in its files,
/// and their names without an extension. `vertices` is the encoding of an Unreal mesh, as for [`to_unreal_as`]; `None`
/// uses the encoding of [`to_unreal`]. O(vertices x frames), in time and memory.
///
/// ```
/// use meshlens::model::{Model, export};
///
/// # let md3_bytes = meshlens::md3::write::sample(&[8.0])?;
/// let model = Model::parse(&md3_bytes)?;
/// let made = export::to_files(&model, export::Target::Unreal, "flag", 1.0, None)?;
/// let names: Vec<&str> = made.files.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["flag_d.3d", "flag_a.3d", "flag.uc"]);
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// # Errors
///
/// A vertex index is out of range, or the format cannot store as much.
pub fn to_files(
    model: &Model<'_>,
    target: Target,
    name: &str,
    scale: f32,
    vertices: Option<VertexEncoding>,
) -> Result<ModelFiles> {
    let single =
        |extension: &str, (bytes, losses)| ModelFiles::single(format!("{name}.{extension}"), bytes, losses);
    Ok(match target {
        Target::Md3 => {
            let made = to_md3_measured(model, name, scale)?;
            let (clips, shaders, fit) = (made.clips, made.shaders, made.fit);
            ModelFiles { clips, shaders, fit, ..single("md3", (made.bytes, made.losses)) }
        }
        Target::Unreal => {
            let (made, losses) = match vertices {
                None => to_unreal(model, name, scale)?,
                Some(encoding) => to_unreal_as(model, name, scale, encoding)?,
            };
            let files = vec![
                (format!("{name}_d.3d"), made.files.geometry),
                (format!("{name}_a.3d"), made.files.frames),
                (format!("{name}.uc"), made.script.into_bytes()),
            ];
            ModelFiles::new(files, losses)
        }
        Target::U3d => single("u3d", to_u3d(model, scale)?),
        Target::Unigine => single("mesh", to_unigine(model, scale)?),
        Target::UnigineAnim => single("anim", to_unigine_anim(model, scale)?),
    })
}
