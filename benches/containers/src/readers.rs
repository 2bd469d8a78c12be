//! The readers: from the bytes of a container to buffers that can be drawn.

use std::ffi::c_int;

use meshlens::lens::{IndexFormat, VertexFormat};
use meshlens::model::{Blend, Model, Semantic, Space, VertexLayout};
use meshlens::scene::Scene;
// Links the decoders of meshoptimizer for `glb.cpp`.
use meshopt as _;
use serde::{Deserialize, Serialize};

/// What is read: the first frame, every frame, or the two frames in the middle, blended by halves.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[repr(i32)]
pub enum Task {
    First,
    All,
    Blend,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// Nothing after the bytes: the limit.
    None,
    Meshlens,
    /// cgltf, with meshoptimizer and draco.
    Cgltf,
    /// The crate `gltf`.
    Gltf,
    Assimp,
}

/// A mesh of the output: its frames, one after the other, and its indices.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Mesh {
    pub first_vertex: usize,
    pub vertices: usize,
    pub frames: usize,
    pub first_index: usize,
    pub indices: usize,
}

/// The output. A vertex is eight floats: position, normal and texture coordinate, in the space of glTF.
#[derive(Default)]
pub struct Buffers {
    pub vertices: Vec<[f32; 8]>,
    pub indices: Vec<u32>,
    pub meshes: Vec<Mesh>,
    mesh_count: usize,
}

/// `struct buffers` of `readers.h`.
#[repr(C)]
struct Raw {
    vertices: *mut f32,
    indices: *mut u32,
    meshes: *mut Mesh,
    rooms: [usize; 3],
    counts: [usize; 3],
}

unsafe extern "C" {
    fn glb_read(bytes: *const u8, len: usize, task: c_int, out: *mut Raw) -> c_int;
    #[cfg(has_assimp)]
    fn assimp_read(bytes: *const u8, len: usize, task: c_int, out: *mut Raw) -> c_int;
}

type Foreign = unsafe extern "C" fn(*const u8, usize, c_int, *mut Raw) -> c_int;

/// Why a file was not read.
pub type Refused = Box<dyn std::error::Error>;

impl Buffers {
    /// Memory for so many vertices and indices, which has been written to.
    pub fn with_room(vertices: usize, indices: usize) -> Buffers {
        Buffers {
            vertices: vec![[1.0; 8]; vertices],
            indices: vec![1; indices],
            meshes: vec![Mesh::default(); 256],
            mesh_count: 0,
        }
    }

    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes[..self.mesh_count]
    }

    fn add(&mut self, vertices: usize, frames: usize, indices: usize) -> Mesh {
        let last = self.meshes().last().copied().unwrap_or_default();
        let first_vertex = last.first_vertex + last.vertices * last.frames;
        let mesh =
            Mesh { first_vertex, vertices, frames, first_index: last.first_index + last.indices, indices };
        self.meshes[self.mesh_count] = mesh;
        self.mesh_count += 1;
        mesh
    }

    fn foreign(&mut self, read: Foreign, bytes: &[u8], task: Task) -> Result<(), Refused> {
        let mut raw = Raw {
            vertices: self.vertices.as_mut_ptr().cast(),
            indices: self.indices.as_mut_ptr(),
            meshes: self.meshes.as_mut_ptr(),
            rooms: [self.vertices.len(), self.indices.len(), self.meshes.len()],
            counts: [0; 3],
        };
        // SAFETY: the pointers and rooms are those of vectors that live until the call returns.
        if unsafe { read(bytes.as_ptr(), bytes.len(), task as c_int, &mut raw) } != 0 {
            return Err("refused".into());
        }
        self.mesh_count = raw.counts[2];
        Ok(())
    }
}

/// Reads the bytes of a container into `out`.
pub fn read(reader: Reader, bytes: &[u8], task: Task, out: &mut Buffers) -> Result<(), Refused> {
    out.mesh_count = 0;
    match reader {
        Reader::None => Ok(()),
        Reader::Meshlens => ours(bytes, task, out),
        Reader::Gltf => gltf_crate(bytes, task, out),
        Reader::Cgltf => out.foreign(glb_read, bytes, task),
        #[cfg(has_assimp)]
        Reader::Assimp => out.foreign(assimp_read, bytes, task),
        #[cfg(not(has_assimp))]
        Reader::Assimp => Err("this program was built without assimp".into()),
    }
}

/// The blends of a mesh with so many frames that a task needs.
fn blends(task: Task, frames: usize) -> impl ExactSizeIterator<Item = Blend> {
    let middle = (frames - 1) / 2;
    let (first, count) = match task {
        Task::First => (0, 1),
        Task::All => (0, frames),
        Task::Blend => (middle, 1),
    };
    let is_blend = task == Task::Blend && frames > 1;
    (0..count).map(move |at| {
        let a = first + at;
        if is_blend { Blend { a, b: a + 1, weight: 0.5 } } else { Blend::from(a) }
    })
}

fn ours(bytes: &[u8], task: Task, out: &mut Buffers) -> Result<(), Refused> {
    let layout = VertexLayout::packed(&[
        (Semantic::Position, 0, VertexFormat::Float32x3),
        (Semantic::Normal, 0, VertexFormat::Float32x3),
        (Semantic::Texcoord, 0, VertexFormat::Float32x2),
    ]);
    let scene = Scene::from(Model::parse(bytes)?);
    let mut pose = scene.rest_pose();
    for mesh in scene.view(&Space::GLTF).meshes() {
        let mesh = mesh?;
        let frames = blends(task, mesh.mesh().frame_count().max(1));
        let made = out.add(mesh.vertex_count(), frames.len(), 3 * mesh.triangle_count());
        for (at, blend) in frames.enumerate() {
            pose.node_mut(0).ok_or("no node")?.frames = blend;
            let first = made.first_vertex + at * made.vertices;
            let vertices = out.vertices[first..][..made.vertices].as_flattened_mut();
            mesh.fill_vertex_buffer(&pose, &layout, bytes_of(vertices))?;
        }
        let indices = &mut out.indices[made.first_index..][..made.indices];
        mesh.write_indices(IndexFormat::Uint32, bytes_of(indices))?;
    }
    Ok(())
}

/// The bytes of numbers.
fn bytes_of<T: Copy>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: it is called for `f32` and `u32`: they have no padding, and all bytes are valid.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

fn gltf_crate(bytes: &[u8], task: Task, out: &mut Buffers) -> Result<(), Refused> {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes)?;
    let blob = blob.ok_or("no binary chunk")?;
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives()) {
        let reader = primitive.reader(|_| Some(&blob));
        let indices = reader.read_indices().ok_or("no indices")?.into_u32();
        let positions = reader.read_positions().ok_or("no positions")?;
        let frames = reader.read_morph_targets().len() + 1;
        let mut wanted = blends(task, frames);
        let made = out.add(positions.len(), wanted.len(), indices.len());
        out.indices[made.first_index..][..made.indices]
            .iter_mut()
            .zip(indices)
            .for_each(|(to, from)| *to = from);
        let (vertices, mut others) = out.vertices[made.first_vertex..].split_at_mut(made.vertices);
        let normals = reader.read_normals().ok_or("no normals")?;
        let texcoords = reader.read_tex_coords(0).ok_or("no texture coordinates")?.into_f32();
        for (((out, p), n), t) in vertices.iter_mut().zip(positions).zip(normals).zip(texcoords) {
            *out = [p[0], p[1], p[2], n[0], n[1], n[2], t[0], t[1]];
        }
        let middle = wanted.next().ok_or("no frames")?;
        for (at, (positions, normals, _)) in reader.read_morph_targets().enumerate() {
            let add = |vertices: &mut [[f32; 8]], weight: f32| -> Result<(), Refused> {
                for (out, p) in vertices.iter_mut().zip(positions.clone().ok_or("no positions")?) {
                    (0..3).for_each(|axis| out[axis] += weight * p[axis]);
                }
                for (out, n) in vertices.iter_mut().zip(normals.clone().ok_or("no normals")?) {
                    (0..3).for_each(|axis| out[3 + axis] += weight * n[axis]);
                }
                Ok(())
            };
            match task {
                Task::First => break,
                Task::All => {
                    let (frame, rest) = others.split_at_mut(made.vertices);
                    frame.copy_from_slice(vertices);
                    add(frame, 1.0)?;
                    others = rest;
                }
                Task::Blend if middle.a == at + 1 || middle.b == at + 1 => add(vertices, 0.5)?,
                Task::Blend => {}
            }
        }
        if task == Task::Blend && frames > 1 {
            for vertex in vertices {
                let length = vertex[3..6].iter().map(|n| n * n).sum::<f32>().sqrt();
                vertex[3..6].iter_mut().for_each(|n| *n /= length);
            }
        }
    }
    Ok(())
}
