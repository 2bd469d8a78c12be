//! Reads files with this library, in the order and the space of assimp, and with assimp.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use meshlens::Result;
use meshlens_md3::Md3;
use meshlens_unreal::Unreal;

use super::Mesh;

/// The name of an error: its code, and its message up to the first number.
fn named(error: &meshlens::Error) -> String {
    let message = error.to_string();
    let message = message.split_once(": ").map_or("", |(_, message)| message);
    let end = message.find(|character: char| character.is_ascii_digit()).unwrap_or(message.len());
    format!("{} ({})", error.code(), message[..end].trim().replace('|', "/"))
}

/// The surfaces of frame 0 of an MD3 model. assimp keeps the last surface first, leaves out empty surfaces, reverses
/// the winding, and counts v from the bottom.
pub(crate) fn ours_md3(bytes: &[u8]) -> Result<Vec<Mesh>, String> {
    read_md3(bytes).map_err(|error| named(&error))
}

fn read_md3(bytes: &[u8]) -> Result<Vec<Mesh>> {
    let md3 = Md3::parse(bytes)?;
    let mut meshes = Vec::new();
    for surface in md3.surfaces() {
        let triangles = surface.checked_triangles()?;
        let (positions, texcoords) = (surface.positions(0)?, surface.texcoords());
        let corner = |index: u32| {
            let at = index as usize;
            let (position, texcoord) = positions.get(at).zip(texcoords.get(at)).expect("a checked index");
            let ([x, y, z], [u, v]) = (position, texcoord);
            [x, y, z, u, 1.0 - v]
        };
        let turned = |[a, b, c]: [u32; 3]| [a, c, b].map(corner);
        let mesh: Mesh = triangles.iter().map(turned).collect();
        if !mesh.is_empty() {
            meshes.insert(0, mesh);
        }
    }
    Ok(meshes)
}

/// Frame 0 of an Unreal mesh, one mesh for each texture. assimp inverts z, reverses the winding, and counts v from the
/// bottom. If `is_assimp` is set, vertices whose index is at least the number of triangles are replaced by vertex 0,
/// like in assimp.
pub(crate) fn ours_unreal(geometry: &[u8], frames: &[u8], is_assimp: bool) -> Result<Vec<Mesh>, String> {
    read_unreal(geometry, frames, is_assimp).map_err(|error| named(&error))
}

fn read_unreal(geometry: &[u8], frames: &[u8], is_assimp: bool) -> Result<Vec<Mesh>> {
    let unreal = Unreal::parse(geometry, frames)?;
    let triangles = unreal.checked_triangles()?;
    let positions = unreal.positions(0)?;
    let mut meshes = Vec::<(u8, Mesh)>::new();
    for (record, vertices) in unreal.geometry().records().zip(triangles.iter()) {
        let corner = |corner: usize| {
            let vertex = usize::from(vertices[corner]);
            let vertex = if is_assimp && vertex >= triangles.len() { 0 } else { vertex };
            let [x, y, z] = positions.get(vertex).expect("a checked index");
            let [u, v] = record.texcoords[corner].map(|code| f32::from(code) / 255.0);
            [x, y, -z, u, 1.0 - v]
        };
        let turned = [2, 1, 0].map(corner);
        match meshes.iter_mut().find(|(texture, _)| *texture == record.texture) {
            Some((_, mesh)) => mesh.push(turned),
            None => meshes.push((record.texture, vec![turned])),
        }
    }
    Ok(meshes.into_iter().map(|(_, mesh)| mesh).collect())
}

/// The result of assimp for a file.
#[derive(Debug)]
pub(crate) enum Theirs {
    Imported(Vec<Mesh>),
    /// The message.
    Refused(String),
    /// The signal.
    Crashed(u32),
    Hangs,
    IsInconsistent,
}

/// A running reader, and a folder for the files that it reads.
pub(crate) struct Assimp {
    process: Child,
    paths: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl Assimp {
    /// Starts the reader with its own folder.
    pub(crate) fn new(program: &Path, worker: usize) -> Assimp {
        let folder =
            std::env::temp_dir().join(format!("meshlens-differential-{}-{worker}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        let mut command = Command::new(program);
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the reader starts");
        let paths = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Assimp { process, paths, answers, folder }
    }

    /// The folder for its files.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.answers.read_exact(&mut bytes).expect("an answer of the reader");
        bytes
    }

    /// Reads a file with assimp.
    pub(crate) fn read(&mut self, path: &Path) -> Theirs {
        let paths = self.paths.as_mut().expect("a pipe");
        writeln!(paths, "{}", path.display()).and_then(|()| paths.flush()).expect("the reader runs");
        let [outcome] = self.bytes();
        let mut body = vec![0; u32::from_le_bytes(self.bytes()) as usize];
        self.answers.read_exact(&mut body).expect("an answer of the reader");
        match outcome {
            b'O' => Theirs::Imported(meshes(&body)),
            b'R' => Theirs::Refused(String::from_utf8_lossy(&body).replace(['|', '\n'], " ")),
            b'B' => Theirs::IsInconsistent,
            b'C' => Theirs::Crashed(u32::from_le_bytes(*body.first_chunk().expect("the number of a signal"))),
            _ => Theirs::Hangs,
        }
    }
}

impl Drop for Assimp {
    fn drop(&mut self) {
        // The reader exits at the end of its input.
        self.paths = None;
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The meshes of an answer. A missing mesh has no triangles.
fn meshes(mut body: &[u8]) -> Vec<Mesh> {
    let mut word = || {
        let (word, rest) = body.split_first_chunk().expect("a whole answer");
        body = rest;
        u32::from_le_bytes(*word)
    };
    let count = word();
    let mesh = |_| {
        let triangles = word();
        let triangles = if triangles == u32::MAX { 0 } else { triangles };
        (0..triangles).map(|_| [(); 3].map(|()| [(); 5].map(|()| f32::from_bits(word())))).collect()
    };
    (0..count).map(mesh).collect()
}
