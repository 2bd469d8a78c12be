//! The textures of a glTF output: embedded in it, or in files that it refers to.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use meshlens::model::Material;
use meshlens_assets::material::{ImageLimits, TextureFile};
use meshlens_assets::{AssetPath, Assets, Bytes};
use meshlens_gltf::Texture;
use meshlens_source::Source;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::args::Textures;
use crate::errors;
use crate::failure::{Failure, folder_of};
use crate::sink::Sink;
use crate::terminal;

/// Writes the textures of one output.
pub(super) struct TextureWriter<'a> {
    assets: &'a Assets,
    mode: Textures,
    /// The folder of the output.
    folder: PathBuf,
    overwrite: bool,
    made: RefCell<Made>,
}

/// The results for all textures so far.
#[derive(Default)]
struct Made {
    /// The written files and their content.
    files: Vec<(PathBuf, Bytes, Sink)>,
    /// Warnings about textures that exist but cannot be used.
    warnings: Vec<String>,
    failure: Option<Failure>,
}

impl<'a> TextureWriter<'a> {
    pub(super) fn new(assets: &'a Assets, mode: Textures, output: &Path, overwrite: bool) -> Self {
        let folder = folder_of(output);
        TextureWriter { assets, mode, folder, overwrite, made: RefCell::default() }
    }

    /// The texture of a material, if one exists and can be used.
    pub(super) fn find(&self, material: &Material) -> Option<Texture> {
        if self.mode == Textures::None {
            return None;
        }
        let file = match self.assets.texture_file(material, &ImageLimits::DEFAULT) {
            Ok(file) => file?,
            Err(error) => {
                let warning = format!("material {}: {}", material.name, errors::asset(&error));
                self.made.borrow_mut().warnings.push(warning);
                return None;
            }
        };
        match self.mode {
            Textures::Embed => {
                Some(Texture::Embedded { mime_type: file.mime_type, bytes: file.bytes.to_vec() })
            }
            Textures::Beside => self.beside(material, &file).map(Texture::File),
            Textures::None => None,
        }
    }

    /// The URI of a texture, which names the game's file or a new file in the folder of the output.
    fn beside(&self, material: &Material, file: &TextureFile) -> Option<String> {
        let found = self.assets.find_texture(material)?;
        if let Some(path) = found.os_path().filter(|_| file.is_unchanged)
            && let Some(uri) = relative(&self.folder, &path)
        {
            return Some(uri);
        }
        let mut made = self.made.borrow_mut();
        for number in 1..=99 {
            let name = self.name(found.path(), file, number);
            let path = self.folder.join(&name);
            let written = made.files.iter().find(|(known, ..)| *known == path);
            match written.map(|(_, bytes, _)| *bytes == file.bytes) {
                // Another material uses the same image with another alpha.
                Some(false) => continue,
                Some(true) => {}
                None => match Source::read_limited(&path, file.bytes.len() as u64) {
                    Ok(there) if there[..] == file.bytes[..] => {}
                    Err(error) if error.is_not_found() => self.write(&path, file, &mut made),
                    _ if self.overwrite => self.write(&path, file, &mut made),
                    _ => {
                        let error = meshlens_source::Error::Exists { path: path.into() };
                        made.failure.get_or_insert(Failure::file(error));
                    }
                },
            }
            let components = name.components().map(|part| escape(&part.as_os_str().to_string_lossy()));
            return Some(components.collect::<Vec<_>>().join("/"));
        }
        None
    }

    /// The path of a new file, relative to the folder of the output: the game's path with the new extension.
    fn name(&self, path: &AssetPath, file: &TextureFile, number: u32) -> PathBuf {
        let number = if number > 1 { format!("_{number}") } else { String::new() };
        let name = format!("{}{number}.{}", path.stem(), file.extension());
        let folder = path.folder();
        let folders = folder.as_str().split('/').filter(|name| !name.is_empty());
        folders.chain([name.as_str()]).map(terminal::file_name).collect()
    }

    fn write(&self, path: &Path, file: &TextureFile, made: &mut Made) {
        let written = || -> Result<Sink, Failure> {
            let folder = folder_of(path);
            std::fs::create_dir_all(&folder).map_err(|error| {
                Failure::system(format!("{}: cannot create the folder: {error}", folder.display()))
            })?;
            // Another job may write the same texture.
            let mut sink = Sink::create(path, true).map_err(Failure::file)?;
            let written = sink.write_all(&file.bytes);
            written.map_err(|error| Failure::system(format!("{}: {error}", path.display())))?;
            Ok(sink)
        };
        match written() {
            Ok(sink) => made.files.push((path.into(), file.bytes.clone(), sink)),
            Err(failure) => {
                made.failure.get_or_insert(failure);
            }
        }
    }

    /// The files to commit, and the warnings about other textures.
    pub(super) fn finish(self) -> Result<(Vec<Sink>, Vec<String>), Failure> {
        let Made { files, warnings, failure } = self.made.into_inner();
        match failure {
            Some(failure) => Err(failure),
            None => Ok((files.into_iter().map(|(.., sink)| sink).collect(), warnings)),
        }
    }
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
