//! A small reader of MD3 models, beside that of meshlens.
#![no_main]

use fuzz_your_own::{Bytes, Frame, Refusal, target};
use meshlens::{Document, Format};
use meshlens_mutate::Kind;

target!(read, |bytes| Document::parse_as(Format::Md3, bytes), Kind::Md3);

/// Replace this function with your parser.
fn read(bytes: &[u8]) -> Result<Vec<Frame>, Refusal> {
    if !bytes.starts_with(b"IDP3\x0f\0\0\0") {
        return Err(Refusal::Unknown);
    }
    let number = |bytes: &[u8], at| {
        let number = Bytes { all: bytes, at }.u32()?;
        if number > i32::MAX as usize { Err(Refusal::Invalid) } else { Ok(number) }
    };
    let (frames, surfaces, mut start) = (number(bytes, 76)?, number(bytes, 84)?, number(bytes, 100)?);
    if number(bytes, 104)? > bytes.len() {
        return Err(Refusal::Invalid);
    }
    let mut found = Vec::new();
    for mesh in 0..surfaces {
        let surface = bytes.get(start..).ok_or(Refusal::Invalid)?;
        // Engines use the number of frames of the model where a surface has none.
        let frames = if number(surface, 72)? == 0 { frames } else { number(surface, 72)? };
        let (vertices, triangles) = (number(surface, 80)?, number(surface, 84)?);
        let mut indices = Bytes { all: surface, at: number(surface, 88)? }.indices(triangles * 3, 4)?;
        let mut positions = Bytes { all: surface, at: number(surface, 100)? };
        for frame in 0..if vertices > 0 { frames } else { 0 } {
            let vertex = |bytes: &[u8; 8]| {
                [0, 2, 4].map(|at| f32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])) / 64.0)
            };
            let positions = positions.take(vertices)?.iter().map(vertex).collect();
            found.push(Frame { mesh, frame, positions, indices: std::mem::take(&mut indices) });
        }
        // A surface that is smaller than its header: the surfaces have no end.
        start += Some(number(surface, 104)?).filter(|size| *size >= 108).ok_or(Refusal::Invalid)?;
    }
    Ok(found)
}
