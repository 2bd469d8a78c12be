//! Two frames blended in one pass, without a buffer between decoding and blending.

use crate::{Elements, Encoding, Error, FloatValue, Lens, Lerp, Level, Result};

/// Decodes two lenses and blends them component by component: `a` at `t = 0`, `b` at `t = 1`.
///
/// `t` outside 0 to 1 extrapolates. The lenses and the output must be of one length.
pub fn lerp_into<E>(a: Lens<'_, E>, b: Lens<'_, E>, t: f32, out: &mut [E::Value]) -> Result<()>
where
    E: Encoding<Value: FloatValue>,
{
    decode(Lerp::new(a, b, t)?, a.len(), out)
}

/// As [`lerp_into`], for directions: each result is scaled to length 1, or left as it is where opposite directions
/// cancel out to less than 1e-6.
pub fn lerp_directions_into<E>(a: Lens<'_, E>, b: Lens<'_, E>, t: f32, out: &mut [[f32; 3]]) -> Result<()>
where
    E: Encoding<Value = [f32; 3]>,
{
    decode(Lerp::directions(a, b, t)?, a.len(), out)
}

fn decode<E: Encoding<Value: FloatValue>>(
    lerp: Lerp<'_, E>,
    expected: usize,
    out: &mut [E::Value],
) -> Result<()> {
    if out.len() != expected {
        return Err(Error::Length { expected, found: out.len() });
    }
    lerp.decode_part(Level::current(), 0, bytemuck::cast_slice_mut(out));
    Ok(())
}
