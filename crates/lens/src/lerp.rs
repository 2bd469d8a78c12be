//! Two frames blended in one pass, without a buffer between decoding and blending.

use crate::{Encoding, Error, Lens, Result};

fn check<E: Encoding>(a: &Lens<'_, E>, b: &Lens<'_, E>, found: usize) -> Result<()> {
    if a.len() != b.len() {
        return Err(Error::Lengths { first: a.len(), second: b.len() });
    }
    if found != a.len() {
        return Err(Error::Length { expected: a.len(), found });
    }
    Ok(())
}

fn blend<const D: usize>(a: [f32; D], b: [f32; D], t: f32) -> [f32; D] {
    let mut mixed = a;
    for (mixed, b) in mixed.iter_mut().zip(b) {
        // Exact at both ends: t = 0 gives a, t = 1 gives b.
        *mixed = *mixed * (1.0 - t) + b * t;
    }
    mixed
}

/// Decodes two lenses and blends them component by component: `a` at `t = 0`, `b` at `t = 1`.
///
/// `t` outside 0 to 1 extrapolates. The lenses and the output must be of one length.
pub fn lerp_into<E, const D: usize>(
    a: Lens<'_, E>,
    b: Lens<'_, E>,
    t: f32,
    out: &mut [[f32; D]],
) -> Result<()>
where
    E: Encoding<Value = [f32; D]>,
{
    check(&a, &b, out.len())?;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = blend(a, b, t);
    }
    Ok(())
}

/// As [`lerp_into`], for directions: each result is scaled to length 1, or left as it is where opposite directions
/// cancel out to less than 1e-6.
pub fn lerp_directions_into<E>(a: Lens<'_, E>, b: Lens<'_, E>, t: f32, out: &mut [[f32; 3]]) -> Result<()>
where
    E: Encoding<Value = [f32; 3]>,
{
    check(&a, &b, out.len())?;
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        let [x, y, z] = blend(a, b, t);
        let length = libm::sqrtf(x * x + y * y + z * z);
        let scale = if length > 1e-6 { 1.0 / length } else { 1.0 };
        *out = [x * scale, y * scale, z * scale];
    }
    Ok(())
}
