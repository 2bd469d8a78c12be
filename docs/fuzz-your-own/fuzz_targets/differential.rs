//! Compares your parser with meshlens: both read the same bytes, and their results are compared.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshlens::md3::Md3;

/// The results of both parsers: the positions of frame 0 and the indices of each surface.
type Surfaces = Vec<(Vec<[f32; 3]>, Vec<[i32; 3]>)>;

/// Replace this module with your parser.
mod mine {
    use super::Surfaces;

    fn int(bytes: &[u8], at: usize) -> Option<usize> {
        let field = bytes.get(at..)?.first_chunk::<4>()?;
        usize::try_from(i32::from_le_bytes(*field)).ok()
    }

    fn vertex(record: &[u8; 8]) -> [f32; 3] {
        [0, 2, 4].map(|at| f32::from(i16::from_le_bytes([record[at], record[at + 1]])) / 64.0)
    }

    fn triangle(record: &[u8; 12]) -> [i32; 3] {
        [0, 4, 8].map(|at| i32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
    }

    /// A small MD3 reader.
    pub fn parse(bytes: &[u8]) -> Option<Surfaces> {
        if !bytes.starts_with(b"IDP3\x0f\0\0\0") {
            return None;
        }
        if int(bytes, 76)? == 0 {
            return None; // no frame, so no position
        }
        let (count, mut start) = (int(bytes, 84)?, int(bytes, 100)?);
        let mut surfaces = Vec::new();
        for _ in 0..count {
            let surface = bytes.get(start..)?;
            let (vertices, triangles) = (int(surface, 80)?, int(surface, 84)?);
            let positions = surface.get(int(surface, 100)?..)?.get(..vertices.checked_mul(8)?)?;
            let indices = surface.get(int(surface, 88)?..)?.get(..triangles.checked_mul(12)?)?;
            surfaces.push((
                positions.as_chunks().0.iter().map(vertex).collect(),
                indices.as_chunks().0.iter().map(triangle).collect(),
            ));
            let size = int(surface, 104)?;
            if size < 108 {
                return None; // smaller than its header: the loop would not end
            }
            start = start.checked_add(size)?;
        }
        Some(surfaces)
    }
}

fn theirs(bytes: &[u8]) -> meshlens::Result<Surfaces> {
    let md3 = Md3::parse(bytes)?;
    let mut surfaces = Vec::new();
    for surface in md3.surfaces() {
        let mut positions = vec![[0.0; 3]; surface.vertex_count()];
        surface.positions(0)?.decode_into(&mut positions)?;
        surfaces.push((positions, surface.triangles().iter().collect()));
    }
    Ok(surfaces)
}

fuzz_target!(|bytes: &[u8]| {
    match (mine::parse(bytes), theirs(bytes)) {
        (Some(mine), Ok(theirs)) => {
            assert_eq!(mine.len(), theirs.len(), "surfaces");
            for (number, (mine, theirs)) in mine.iter().zip(&theirs).enumerate() {
                let bits = |positions: &[[f32; 3]]| -> Vec<_> {
                    positions.iter().map(|position| position.map(f32::to_bits)).collect()
                };
                assert_eq!(bits(&mine.0), bits(&theirs.0), "positions of surface {number}");
                assert_eq!(mine.1, theirs.1, "triangles of surface {number}");
            }
        }
        // This reader checks less than meshlens: frames, tags and shaders may lie outside the file. Make this a panic
        // for a parser that claims to check everything.
        (Some(_), Err(_)) => {}
        (None, _) => {}
    }
});
