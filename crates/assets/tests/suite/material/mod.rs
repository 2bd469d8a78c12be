//! Materials: shaders, textures by name, images.

mod apply;
mod blocks;
mod image;
mod names;
mod openarena;
mod png;
mod shader;
mod skins;
mod texture;
mod unigine;
mod unreal;

use std::collections::BTreeMap;
use std::io::{ErrorKind, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use meshlens::md3::write;
use meshlens_assets::{AssetPath, Assets, Entry, FilePart, FileSystem};

/// Files in memory, and the names of the files that were read.
#[derive(Clone, Default)]
struct Memory {
    files: BTreeMap<String, Bytes>,
    read: Arc<Mutex<Vec<String>>>,
}

impl Memory {
    fn new<B: AsRef<[u8]>>(files: impl IntoIterator<Item = (&'static str, B)>) -> Memory {
        let bytes = |bytes: B| Bytes::copy_from_slice(bytes.as_ref());
        let files = files.into_iter().map(|(name, content)| (name.to_owned(), bytes(content))).collect();
        Memory { files, read: Arc::default() }
    }

    fn with(mut self, name: &str, bytes: impl Into<Bytes>) -> Memory {
        self.files.insert(name.into(), bytes.into());
        self
    }

    fn mounted(&self) -> Assets {
        let mut assets = Assets::new();
        assets.mount("", self.clone());
        assets
    }

    fn take_read(&self) -> Vec<String> {
        std::mem::take(&mut self.read.lock().unwrap())
    }
}

impl FileSystem for Memory {
    fn read(&self, path: &AssetPath, limit: u64) -> Result<Bytes> {
        self.read.lock().unwrap().push(path.as_str().into());
        let bytes = self.files.get(path.as_str()).ok_or(ErrorKind::NotFound)?;
        if bytes.len() as u64 > limit { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.clone()) }
    }

    fn read_range(&self, path: &AssetPath, range: Range<u64>) -> Result<FilePart> {
        Ok(FilePart::of(&self.read(path, u64::MAX)?, range))
    }

    fn list(&self, folder: &AssetPath) -> Result<Vec<Entry>> {
        let mut entries = BTreeMap::new();
        for name in self.files.keys() {
            let rest =
                if folder.is_root() { Some(name.as_str()) } else { name.strip_prefix(folder.as_str()) };
            let Some(rest) = rest.filter(|rest| folder.is_root() || rest.starts_with('/')) else { continue };
            let rest = rest.trim_start_matches('/');
            let (first, is_folder) = rest.split_once('/').map_or((rest, false), |(first, _)| (first, true));
            entries.insert(first.to_owned(), is_folder);
        }
        if entries.is_empty() && !folder.is_root() {
            return Err(ErrorKind::NotFound.into());
        }
        Ok(entries
            .into_iter()
            .map(|(name, is_folder)| if is_folder { Entry::folder(name) } else { Entry::file(name) })
            .collect())
    }
}

/// An MD3 file with a surface for each name of a shader. A surface of an empty name has no shader.
fn md3(shaders: &[&str]) -> Vec<u8> {
    let mut file = write::Model::new("model").unwrap();
    file.frames.push(write::Frame::named("idle").unwrap());
    for (number, shader) in shaders.iter().enumerate() {
        let mut surface = write::Surface::new(&format!("surface{number}")).unwrap();
        if !shader.is_empty() {
            surface.add_shader(shader).unwrap();
        }
        surface.triangles.push([0, 1, 2]);
        surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        let positions = [[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).unwrap();
        file.surfaces.push(surface);
    }
    file.write().unwrap()
}

/// A TGA file without runs, top row first. Pixels are blue, green, red, and alpha if they have 32 bits.
fn tga(width: u8, height: u8, bits: u8, pixels: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 18];
    (file[2], file[12], file[14], file[16], file[17]) = (2, width, height, bits, 0x20);
    file.extend(pixels);
    file
}

fn codes(report: &meshlens::Report) -> Vec<&'static str> {
    report.groups().map(|group| group.code.name).collect()
}
