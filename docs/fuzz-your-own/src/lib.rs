//! Compares a parser with meshlens: the positions of all frames, and the corners of all triangles in frame 0.

use libfuzzer_sys::fuzzer_mutate;
use meshlens::lens::{Array, Semantic};
use meshlens::{Document, Result};
use meshlens_mutate::{Kind, Mutator};

/// The vertices of a mesh in a frame, or in a morph target.
pub struct Frame {
    /// The index of the mesh.
    pub mesh: usize,
    /// The frame or morph target.
    pub frame: usize,
    /// The position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// In frame 0, three indices for each triangle.
    pub indices: Vec<u32>,
}

/// Why a parser does not read a file.
pub enum Refusal {
    /// The file is invalid.
    Invalid,
    /// It is of another format or version.
    Unknown,
}

fn floats(positions: &[[f32; 3]]) -> Vec<u32> {
    positions.as_flattened().iter().map(|number| number.to_bits()).collect()
}

/// Panics if the two do not read the same.
pub fn compare(mine: Result<Vec<Frame>, Refusal>, theirs: Result<Document<'_>>) {
    // A parser that checks less than meshlens reads more files: tags and shaders may lie outside of them. Panic here for
    // one that claims to check everything.
    let Ok(theirs) = theirs else { return };
    let mine = match mine {
        Ok(mine) => mine,
        Err(Refusal::Unknown) => return,
        Err(Refusal::Invalid) => panic!("only meshlens reads the file"),
    };
    let arrays: Vec<Array<'_>> = theirs.arrays().collect();
    for Frame { mesh, frame, positions, indices } in mine.iter().filter(|frame| !frame.positions.is_empty()) {
        let of_mesh = || arrays.iter().filter(|array| array.mesh == *mesh);
        let found = of_mesh().find(|array| array.semantic == Semantic::Position && array.frame == *frame);
        let found = found.unwrap_or_else(|| panic!("only one has frame {frame} of mesh {mesh}"));
        let bits: Vec<u32> = found.lens.to_floats().iter().map(|number| number.to_bits()).collect();
        assert_eq!(floats(positions), bits, "positions of mesh {mesh} in frame {frame}");
        if !indices.is_empty() {
            let is_triangles = |semantic| matches!(semantic, Semantic::Triangles | Semantic::PointIndices);
            let found = of_mesh().find(|array| is_triangles(array.semantic)).expect("only one has triangles");
            let mut theirs = vec![0; indices.len()];
            found.lens.widen_into(&mut theirs).expect("as many triangles");
            assert_eq!(*indices, theirs, "triangles of mesh {mesh}");
        }
    }
}

/// Changes the input for libFuzzer, by its own ways or by the structure of the format.
pub fn mutate(kind: Kind, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed % 8 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let file = Mutator::new(kind).mutate(&data[..size], max_size, seed.into());
    data[..file.len()].copy_from_slice(&file);
    file.len()
}

/// Puts a part of one input into another.
pub fn cross_over(kind: Kind, first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let file = Mutator::new(kind).cross_over(first, second, out.len(), seed.into());
    out[..file.len()].copy_from_slice(&file);
    file.len()
}

/// Defines a target: a parser, the parser of meshlens, and the kind of files.
#[macro_export]
macro_rules! target {
    ($mine:expr, $theirs:expr, $kind:expr) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::compare($mine(bytes), $theirs(bytes)));
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate($kind, data, size, max_size, seed)
        });
        libfuzzer_sys::fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
            $crate::cross_over($kind, first, second, out, seed)
        });
    };
}

/// The bytes that the small parsers of this folder read.
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    /// All bytes.
    pub all: &'a [u8],
    /// The offset of the next one.
    pub at: usize,
}

impl<'a> Bytes<'a> {
    /// The next `count` elements of `N` bytes.
    pub fn take<const N: usize>(&mut self, count: usize) -> Result<&'a [[u8; N]], Refusal> {
        let size = count.checked_mul(N).ok_or(Refusal::Invalid)?;
        let taken = self.all.get(self.at..).and_then(|rest| rest.get(..size)).ok_or(Refusal::Invalid)?;
        self.at += size;
        Ok(taken.as_chunks().0)
    }

    /// The next number of 2 bytes.
    pub fn u16(&mut self) -> Result<usize, Refusal> {
        self.take(1).map(|bytes| u16::from_le_bytes(bytes[0]).into())
    }

    /// The next number of 4 bytes.
    pub fn u32(&mut self) -> Result<usize, Refusal> {
        self.take(1).map(|bytes| u32::from_le_bytes(bytes[0]) as usize)
    }

    /// The next `count` vectors.
    pub fn vectors(&mut self, count: usize) -> Result<Vec<[f32; 3]>, Refusal> {
        let vectors = self.take::<12>(count)?.iter();
        Ok(vectors
            .map(|bytes| [0, 4, 8].map(|at| f32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]))))
            .collect())
    }

    /// The next `count` indices of `width` bytes.
    pub fn indices(&mut self, count: usize, width: usize) -> Result<Vec<u32>, Refusal> {
        let bytes = self.take::<1>(count.checked_mul(width).ok_or(Refusal::Invalid)?)?.as_flattened();
        let index = |bytes: &[u8]| bytes.iter().rev().fold(0, |index, byte| index << 8 | u32::from(*byte));
        Ok(bytes.chunks(width).map(index).collect())
    }
}
