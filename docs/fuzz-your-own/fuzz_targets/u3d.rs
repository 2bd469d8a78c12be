//! A small reader of Ultimate 3D models of version 2.0, beside that of meshlens.
#![no_main]

use fuzz_your_own::{Bytes, Frame, Refusal, target};
use meshlens::{Document, Format};
use meshlens_mutate::Kind;

target!(read, |bytes| Document::parse_as(Format::U3d, bytes), Kind::U3d);

/// Replace this function with your parser.
fn read(bytes: &[u8]) -> Result<Vec<Frame>, Refusal> {
    let mut bytes = Bytes { all: bytes, at: 0 };
    if !bytes.all.starts_with(b"$U3D_FILE_HEADER\0") {
        return Err(Refusal::Unknown);
    }
    let number = |at| Bytes { at, ..bytes }.u32();
    if number(21)? != 2 || number(33)? != 0 {
        return Err(Refusal::Unknown);
    }
    let (mut found, mut layout) = (Vec::new(), (0, 0));
    while bytes.at < bytes.all.len() {
        let name = text(&mut bytes)?;
        let size = bytes.u32()?;
        let chunk = Bytes { all: bytes.take::<1>(size)?.as_flattened(), at: 0 };
        match name {
            b"$U3D_MODEL_HEADER" => layout = header(chunk)?,
            b"$U3D_MESH" => found.push(mesh(chunk, found.len(), layout)?),
            _ => {}
        }
    }
    Ok(found)
}

fn text<'a>(bytes: &mut Bytes<'a>) -> Result<&'a [u8], Refusal> {
    let rest = bytes.all.get(bytes.at..).ok_or(Refusal::Invalid)?;
    let len = rest.iter().position(|byte| *byte == 0).ok_or(Refusal::Invalid)?;
    bytes.at += len + 1;
    Ok(&rest[..len])
}

/// The number of floats of texture coordinates and of weights of a vertex.
fn header(mut bytes: Bytes<'_>) -> Result<(usize, usize), Refusal> {
    let lods = Bytes { at: 12, ..bytes }.u32()?;
    bytes.take::<25>(1)?;
    bytes.take::<4>(lods)?;
    let mut floats = 0;
    for _ in 0..8 {
        floats += bytes.u32()?;
    }
    let weights = bytes.u32()?;
    // More than any file has, and small enough that no size of a vertex overflows.
    if floats > 32 || weights > 255 { Err(Refusal::Invalid) } else { Ok((floats, weights)) }
}

fn mesh(mut bytes: Bytes<'_>, mesh: usize, (floats, weights): (usize, usize)) -> Result<Frame, Refusal> {
    bytes.take::<8>(1)?;
    let frame = bytes.u32()?;
    text(&mut bytes)?;
    bytes.take::<5>(1)?;
    let vertices = bytes.u32()?;
    let positions = bytes.vectors(vertices)?;
    // Early files have normals of 2 bytes: triangles are then not read.
    let indices = triangles(bytes, vertices, 4 + 4 * floats + if weights > 0 { 4 * weights + 4 } else { 0 });
    Ok(Frame { mesh, frame, positions, indices: indices.unwrap_or_default() })
}

fn triangles(mut bytes: Bytes<'_>, vertices: usize, size: usize) -> Result<Vec<u32>, Refusal> {
    bytes.take::<1>(vertices.checked_mul(size).ok_or(Refusal::Invalid)?)?;
    let (triangles, width) = (bytes.u32()?, if vertices > 65536 { 4 } else { 2 });
    let is_owned = bytes.take::<1>(1)?[0][0] & 1 == 1;
    if !is_owned {
        return Ok(Vec::new());
    }
    let indices = bytes.indices(triangles.checked_mul(3).ok_or(Refusal::Invalid)?, width)?;
    bytes.take::<2>(triangles)?;
    // Whether there is a shadow.
    if bytes.at + 1 == bytes.all.len() { Ok(indices) } else { Err(Refusal::Unknown) }
}
