//! A small reader of UNIGINE meshes of the versions ms10 to ms13, beside that of meshlens.
#![no_main]

use fuzz_your_own::{Bytes, Frame, Refusal, target};
use meshlens::{Document, Format};
use meshlens_mutate::Kind;

target!(read, |bytes| Document::parse_as(Format::Unigine, bytes), Kind::UnigineMesh);

/// Replace this function with your parser.
fn read(bytes: &[u8]) -> Result<Vec<Frame>, Refusal> {
    let Some(version @ b'0'..=b'3') = bytes.strip_prefix(b"ms1").and_then(|rest| rest.first()) else {
        return Err(Refusal::Unknown);
    };
    let mut bytes = Bytes { all: bytes, at: 4 };
    bytes.take::<40>(1)?;
    let bones = count(&mut bytes)?;
    for _ in 0..bones {
        text(&mut bytes)?;
        bytes.u16()?;
    }
    let animations = if *version < b'3' { count(&mut bytes)? } else { 0 };
    for _ in 0..animations {
        text(&mut bytes)?;
    }
    let surfaces = count(&mut bytes)?;
    let mut targets = Vec::new();
    for _ in 0..surfaces {
        text(&mut bytes)?;
        bytes.take::<2>(if *version < b'2' { 0 } else { 1 })?;
        bytes.take::<40>(1)?;
        targets.push(count(&mut bytes)?);
        for _ in 0..targets[targets.len() - 1] {
            text(&mut bytes)?;
        }
    }
    bytes.take::<4>(1)?;
    bytes.take::<40>(bones)?;
    for _ in 0..animations {
        animation(&mut bytes)?;
    }
    let mut found = Vec::new();
    for (mesh, targets) in targets.into_iter().enumerate() {
        surface(&mut bytes, mesh, targets, *version == b'0', &mut found)?;
    }
    Ok(found)
}

/// A compact integer that is a count.
fn count(bytes: &mut Bytes<'_>) -> Result<usize, Refusal> {
    let mut value = 0;
    let mut is_negative = false;
    for shift in [0, 6, 13, 20, 27] {
        let byte = bytes.take::<1>(1)?[0][0];
        if shift == 0 {
            is_negative = byte & 0x40 != 0;
        }
        value |= usize::from(byte & if shift == 0 { 0x3f } else { 0x7f }) << shift;
        if byte & 0x80 == 0 {
            let is_count = value == 0 || !is_negative && value <= i32::MAX as usize;
            return if is_count { Ok(value) } else { Err(Refusal::Invalid) };
        }
    }
    Err(Refusal::Invalid)
}

fn text(bytes: &mut Bytes<'_>) -> Result<(), Refusal> {
    let len = count(bytes)?;
    bytes.take::<1>(len).map(|_| ())
}

/// The records of an animation: flags, and the components that they name.
fn animation(bytes: &mut Bytes<'_>) -> Result<(), Refusal> {
    let bones = count(bytes)?;
    bytes.take::<2>(bones)?;
    bytes.take::<1>(1)?;
    // A frame without bones has no bytes.
    for _ in 0..count(bytes)?.checked_mul(bones).ok_or(Refusal::Invalid)? {
        let flags = bytes.take::<1>(1)?[0][0];
        for bit in (0..7).filter(|bit| flags >> bit & 1 == 1) {
            bytes.take::<4>(if bit == 3 { 2 } else { 1 })?;
        }
    }
    Ok(())
}

fn surface(
    bytes: &mut Bytes<'_>,
    mesh: usize,
    targets: usize,
    is_ms10: bool,
    found: &mut Vec<Frame>,
) -> Result<(), Refusal> {
    let (start, mut first) = (found.len(), (0, 0));
    for frame in 0..targets {
        let vertices = count(bytes)?;
        let positions = bytes.vectors(vertices)?;
        let spaces = count(bytes)?;
        if is_ms10 {
            bytes.take::<7>(spaces).map(|_| ())?
        } else {
            bytes.take::<8>(spaces).map(|_| ())?
        }
        if frame == 0 {
            first = (vertices, spaces);
        }
        found.push(Frame { mesh, frame, positions, indices: Vec::new() });
    }
    for _ in 0..count(bytes)? {
        let bones = bytes.take::<1>(1)?[0][0];
        bytes.take::<4>(bones.into())?;
    }
    for _ in 0..2 {
        let texcoords = count(bytes)?;
        bytes.take::<8>(texcoords)?;
    }
    let colors = count(bytes)?;
    bytes.take::<4>(colors)?;
    let width = |count| {
        if count < 256 {
            1
        } else if count < 65536 {
            2
        } else {
            4
        }
    };
    let corners = count(bytes)?;
    let indices = bytes.indices(corners, width(first.0))?;
    let corners = count(bytes)?;
    bytes.indices(corners, width(first.1))?;
    if let Some(frame) = found.get_mut(start) {
        frame.indices = indices;
    }
    Ok(())
}
