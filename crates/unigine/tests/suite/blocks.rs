//! Blocks of ms14: packed and raw.

use meshlens_unigine::write::Model;
use meshlens_unigine::{Mesh as MeshFile, Version};
use meshlens_wire::Limits;

use super::limits::{codes, error, mesh};

/// An ms14 mesh with packed geometry, and the offset of its block.
fn packed() -> (Vec<u8>, usize) {
    let mut model = mesh(Version::Ms14);
    model.pack = true;
    let bytes = model.write().unwrap();
    let mesh = MeshFile::parse(&bytes).unwrap();
    assert!(mesh.surface(0).unwrap().is_packed());
    let at = mesh.surface(0).unwrap().geometry_block().unwrap().offset() as usize;
    (bytes, at)
}

#[test]
fn packed_blocks_unpack_to_the_same_bytes_within_the_limit() {
    let (bytes, at) = packed();
    let parsed = MeshFile::parse(&bytes).unwrap();
    let surface = parsed.surface(0).unwrap();
    let mut buffer = Vec::new();
    assert!(surface.geometry_in_place().is_none());
    assert_eq!((surface.vertex_count(), surface.triangle_count()), (3, 1));
    let model = Model::try_from(&parsed).unwrap();
    assert_eq!(model.surfaces, mesh(Version::Ms14).surfaces);
    let size = surface.geometry_block().unwrap().unpacked_len();
    let limits = |output| Limits { output, ..Limits::DEFAULT };
    assert!(surface.geometry_with(&mut buffer, &limits(size)).is_ok());
    let error = surface.geometry_with(&mut buffer, &limits(size - 1)).map(|_| ()).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("LIMIT", at as u64));

    // One byte more than LZ4 can produce from the stored bytes.
    let stored = surface.geometry_block().unwrap().as_bytes().len() as u64;
    let claim = |size: u64| {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&size.to_le_bytes());
        bytes
    };
    assert!(MeshFile::parse(&claim(255 * stored)).is_ok());
    let (offset, code, text) = self::error(&claim(255 * stored + 1));
    assert_eq!((offset, code), (at as u64, "VALUE"), "{text}");
    assert_eq!(codes(&claim(size + 1)), ["SYNTAX"], "a size that is not the block's");
    assert_eq!(self::error(&claim(1 << 63)).1, "VALUE");
    let mut bytes = bytes.clone();
    bytes[at + 8..at + 16].copy_from_slice(&u64::to_le_bytes(1 << 40));
    assert_eq!(self::error(&bytes).1, "OUT_OF_BOUNDS");
}

#[test]
fn raw_blocks_are_in_the_file_and_contain_their_tables() {
    let bytes = mesh(Version::Ms14).write().unwrap();
    let parsed = MeshFile::parse(&bytes).unwrap();
    let surface = parsed.surface(0).unwrap();
    let block = surface.geometry_block().unwrap();
    let positions = surface.geometry_in_place().unwrap().positions();
    assert_eq!(positions.byte_range().start, block.byte_range().start);
    assert!(core::ptr::eq(&bytes[positions.byte_range().start as usize], &positions.as_bytes()[0]));
    assert_eq!(surface.block_entry().unwrap().0, block.offset() as i64);

    // The block is one byte shorter, so its last index is outside of it.
    let at = block.offset() as usize;
    let mut short = bytes.clone();
    for size in [at, at + 8] {
        short[size] -= 1;
    }
    short.remove(block.byte_range().end as usize - 1);
    let (_, code, text) = error(&short);
    assert_eq!(code, "OUT_OF_BOUNDS", "{text}");
    // The block is one byte longer, so one byte remains.
    let mut long = bytes.clone();
    for size in [at, at + 8] {
        long[size] += 1;
    }
    long.insert(block.byte_range().end as usize, 0);
    assert_eq!(codes(&long), ["BLOCK_TRAILING_BYTES"]);
    let mut wrong = bytes.clone();
    let entry = surface.block_entry().unwrap().1 as usize;
    wrong[entry] += 1;
    assert_eq!(codes(&wrong), ["BLOCK_OFFSET"]);
}
