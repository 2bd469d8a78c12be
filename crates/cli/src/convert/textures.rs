//! The textures of an output: embedded in it, or in files that it refers to.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use meshlens::model::{Alpha, ImageBytes, ImageSource, Material, TextureAlpha, TextureCoordinates};
use meshlens::{Format, Model};
use meshlens_assets::material::{ImageLimits, TextureFile};
use meshlens_assets::{AssetPath, Assets, Bytes, Error, FoundFile};
use meshlens_gltf::Texture;
use meshlens_source::Source;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Work;
use super::job::Job;
use crate::args::{Target, Textures};
use crate::errors;
use crate::failure::{Failure, folder_of};
use crate::sink::{Sink, create_folder, is_stdout};
use crate::terminal;

/// Writes the textures of one output.
pub(super) struct TextureWriter<'a> {
    assets: &'a Assets,
    mode: Textures,
    job: &'a Job,
    /// The folder of the output.
    folder: PathBuf,
    overwrite: bool,
    made: RefCell<TextureResults>,
}

/// The key of a texture that is kept unchanged.
type KeptKey = (Option<String>, Option<ImageSource>, TextureAlpha);

/// The results for all textures so far.
#[derive(Default)]
struct TextureResults {
    /// The textures that are kept unchanged, which materials can use with or without alpha.
    kept: HashMap<KeptKey, Texture>,
    /// The written files and their content. They are closed, and named when the model is committed.
    files: Vec<(PathBuf, Bytes, Sink)>,
    /// Warnings about textures that exist but cannot be used, or only in part.
    warnings: Vec<String>,
    failure: Option<Failure>,
}

impl TextureResults {
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }
}

impl<'a> TextureWriter<'a> {
    pub(super) fn new(work: &Work<'a>) -> Self {
        let Work { arguments, job, assets, .. } = *work;
        let mode = arguments.textures(job.target, is_stdout(&job.output));
        let (folder, overwrite) = (folder_of(&job.output), arguments.force);
        TextureWriter { assets, mode, job, folder, overwrite, made: RefCell::default() }
    }

    /// The texture of a material, if one exists and can be used.
    pub(super) fn find(&self, material: &Material) -> Option<Texture> {
        if self.mode == Textures::None || self.made.borrow().failure.is_some() {
            return None;
        }
        if material.texture_coordinates == TextureCoordinates::Environment {
            return self.reflection(material);
        }
        let key = (material.texture.clone(), material.image.clone(), material.texture_alpha);
        if let Some(kept) = self.made.borrow().kept.get(&key) {
            return Some(kept.clone());
        }
        let file = self.file(material)?;
        let texture = match self.mode {
            Textures::Embed => {
                Texture::Embedded { mime_type: file.mime_type, bytes: ImageBytes::new(file.bytes) }
            }
            _ => Texture::File(self.uri(material, &file)?),
        };
        if file.is_unchanged {
            self.made.borrow_mut().kept.insert(key, texture.clone());
        }
        Some(texture)
    }

    /// The texture of a material as a file of glTF.
    fn file(&self, material: &Material) -> Option<TextureFile> {
        let mut made = self.made.borrow_mut();
        let name = &material.name;
        match self.assets.texture_file(material, &ImageLimits::DEFAULT) {
            Ok(file) => {
                if file.as_ref().is_some_and(|file| file.is_damaged) {
                    let found = self.assets.find_texture(material);
                    let found = found.map_or_else(|| "embedded image".into(), |found| found.to_string());
                    let text = "cut off or damaged; what could be read of it is written as PNG";
                    made.warnings.push(format!("material {name}: {found}: {text}"));
                }
                return file;
            }
            Err(Error::Memory { over, .. }) => made.fail(Failure::memory(&self.job.item.uri, &over)),
            Err(error) if is_of_system(&error) => made.fail(Failure::asset(&error)),
            Err(error) => made.warnings.push(format!("material {name}: {}", errors::asset(&error))),
        }
        None
    }

    /// The average color of an environment map.
    fn reflection(&self, material: &Material) -> Option<Texture> {
        let (mut made, name) = (self.made.borrow_mut(), &material.name);
        match self.assets.texture_image(material, &ImageLimits::DEFAULT) {
            Ok(image) => return Some(Texture::Reflection(image?.average(material.alpha == Alpha::Opaque))),
            Err(Error::Memory { over, .. }) => made.fail(Failure::memory(&self.job.item.uri, &over)),
            Err(error) => made.warnings.push(format!("material {name}: {}", errors::asset(&error))),
        }
        None
    }

    /// The URI of a texture, which names the game's file or a new file in the folder of the output.
    fn uri(&self, material: &Material, file: &TextureFile) -> Option<String> {
        let found = self.assets.find_texture(material);
        if let Some(path) = found.as_ref().and_then(FoundFile::os_path).filter(|_| file.is_unchanged)
            && let Some(uri) = relative(&self.folder, &path)
        {
            return Some(uri);
        }
        let name = self.beside(material, found.as_ref(), file)?;
        let components = name.components().map(|part| escape(&part.as_os_str().to_string_lossy()));
        Some(components.collect::<Vec<_>>().join("/"))
    }

    /// Writes a texture to a file in the folder of the output, unless it is there. Returns its path in the folder.
    fn beside(&self, material: &Material, found: Option<&FoundFile>, file: &TextureFile) -> Option<PathBuf> {
        self.first_of((1..=99).map(|number| self.name(material, found, file, number)), found, file)
    }

    /// Writes a texture to the first path in the folder of the output where no other file is, unless it is there.
    fn first_of(
        &self,
        names: impl Iterator<Item = PathBuf>,
        found: Option<&FoundFile>,
        file: &TextureFile,
    ) -> Option<PathBuf> {
        let mut made = self.made.borrow_mut();
        let source = found.and_then(FoundFile::os_path).and_then(|path| path.canonicalize().ok());
        for name in names {
            let path = self.folder.join(&name);
            let written = made.files.iter().find(|(known, ..)| *known == path);
            match written.map(|(_, bytes, _)| *bytes == file.bytes) {
                // Another material uses the same image with another alpha.
                Some(false) => continue,
                Some(true) => {}
                None => match Source::read_limited(&path, file.bytes.len() as u64) {
                    Ok(there) if there[..] == file.bytes[..] => {}
                    Err(error) if error.is_not_found() => self.write(&path, file, &mut made),
                    // The game's own file is never replaced.
                    _ if source.is_some() && path.canonicalize().ok() == source => continue,
                    _ if self.overwrite => self.write(&path, file, &mut made),
                    _ => {
                        let error = meshlens_source::Error::Exists { path: path.into() };
                        made.fail(Failure::file(error));
                    }
                },
            }
            return Some(name);
        }
        None
    }

    /// The path of a new file, relative to the folder of the output: the path of the texture with the new extension. A
    /// name without a folder follows the name of the output, because other models may contain an image with that name.
    fn name(
        &self,
        material: &Material,
        found: Option<&FoundFile>,
        file: &TextureFile,
        number: u32,
    ) -> PathBuf {
        let named = || AssetPath::new(&material.texture.as_deref()?.replace('\\', "/")).ok();
        let path = found.map(|found| found.path().clone()).or_else(named);
        let folder = path.as_ref().map(|path| path.folder().as_str().to_owned()).unwrap_or_default();
        let mut name = path.as_ref().map_or("", |path| path.stem()).to_owned();
        let output = self.job.output.file_stem().unwrap_or_default().to_string_lossy();
        if found.is_none() && folder.is_empty() && !name.starts_with(&*output) {
            name = if name.is_empty() { output.into_owned() } else { format!("{output}_{name}") };
        }
        if number > 1 {
            name += &format!("_{number}");
        }
        let name = format!("{name}.{}", file.extension());
        let folders = folder.split('/').filter(|name| !name.is_empty());
        folders.chain([name.as_str()]).map(terminal::file_name).collect()
    }

    /// Writes the images that a model of another program contains or names, for a format that names its textures. Returns
    /// the model with their names, which in a folder of a game are paths in it.
    pub(super) fn carried<'m, 'f>(&self, model: &'m Model<'f>) -> Cow<'m, Model<'f>> {
        let folder = game_folder(self.job);
        let takes_all = folder.is_some() && model.format != Some(Format::Md3);
        let is_carried = |material: &Material| {
            material.image.is_some() || (takes_all && self.assets.find_texture(material).is_some())
        };
        if self.mode == Textures::None || !model.materials.iter().any(is_carried) {
            return Cow::Borrowed(model);
        }
        let mut model = model.clone();
        for material in model.materials.iter_mut().filter(|material| is_carried(material)) {
            if self.made.borrow().failure.is_some() {
                break;
            }
            let Some(file) = self.file(material) else { continue };
            let found = self.assets.find_texture(material);
            let Some(path) = self.beside(material, found.as_ref(), &file) else { continue };
            self.carry_normals(material, &path);
            let path = path.to_string_lossy().replace('\\', "/");
            let path = folder.as_ref().map_or_else(|| path.clone(), |folder| format!("{folder}/{path}"));
            // A game finds an image by its name with any extension.
            let stem = |path: &str| path.rsplit_once('.').map_or(path, |(stem, _)| stem).replace('\\', "/");
            if material.texture.as_deref().map(stem) != Some(stem(&path)) {
                material.texture = Some(path);
            }
        }
        Cow::Owned(model)
    }

    /// Writes the normal map of a material of an MD3 beside the image `color`, as `x_n`, where the renderer opengl2 of ioquake3 looks
    /// for it. A stage of a shader would stop the renderer opengl1, which knows none of these.
    fn carry_normals(&self, material: &mut Material, color: &Path) {
        let Some(map) = material.normal_map.as_ref().filter(|_| self.job.target == Target::Md3) else {
            return;
        };
        let normals = Material { name: material.name.clone(), ..map.material(true) };
        let Some(file) = self.file(&normals) else { return };
        let stem = color.file_stem().unwrap_or_default().to_string_lossy();
        let name = color.with_file_name(format!("{stem}_n.{}", file.extension()));
        if self.first_of(std::iter::once(name), None, &file).is_some() {
            material.normal_map = None;
        }
    }

    fn write(&self, path: &Path, file: &TextureFile, made: &mut TextureResults) {
        // Another job may write the same texture at the same time.
        let written = create_folder(&folder_of(path)).and_then(|()| Sink::written(path, &file.bytes, true));
        match written {
            Ok(sink) => made.files.push((path.into(), file.bytes.clone(), sink)),
            Err(failure) => made.fail(failure),
        }
    }

    /// The files to commit, and the warnings about other textures.
    pub(super) fn finish(self) -> Result<(Vec<Sink>, Vec<String>), Failure> {
        let TextureResults { files, warnings, failure, .. } = self.made.into_inner();
        match failure {
            Some(failure) => Err(failure),
            None => Ok((files.into_iter().map(|(.., sink)| sink).collect(), warnings)),
        }
    }
}

/// The path, in its game, of the folder that an MD3 is written to: from the last folder `models` on. The names of images are paths
/// in the game, whatever the folder of the model is.
pub(super) fn game_folder(job: &Job) -> Option<String> {
    let folder = std::path::absolute(folder_of(&job.output)).ok().filter(|_| job.target == Target::Md3)?;
    let names: Vec<_> = folder.iter().map(|name| name.to_string_lossy()).collect();
    let models = names.iter().rposition(|name| name.eq_ignore_ascii_case("models"))?;
    Some(names.get(models..)?.join("/"))
}

/// Whether the operating system caused an error, and not the content of a file.
fn is_of_system(error: &meshlens_assets::Error) -> bool {
    use meshlens_assets::Error::{List, Read, Source};

    matches!(error, Source(meshlens_source::Error::Io { .. }) | Read { .. } | List { .. })
}

/// The relative path from a folder to a file, as a URI.
fn relative(from: &Path, to: &Path) -> Option<String> {
    let (from, to) = (from.canonicalize().ok()?, to.canonicalize().ok()?);
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|part| escape(&part.as_os_str().to_string_lossy()));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// All bytes except the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes the characters that the path of a URI must not contain.
pub(super) fn escape(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
