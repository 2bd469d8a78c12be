//! Lenses and vertex buffers. `levels` is a separate program, because it forces levels for a whole process.

mod almost_records;
mod any;
mod described;
mod directions;
mod formats;
mod interleave;
mod latitude_longitude;
mod lens;
mod names;
mod normalized;
mod packed;
mod scaled;
mod sources;
mod tangent_frame;
mod zenith_azimuth;

/// Pseudorandom bytes, the same at each call.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}
