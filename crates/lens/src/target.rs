//! The formats of a vertex buffer's attributes, and floats to them.

use crate::simd::convert;
use crate::{Error, Level, Result};

/// How one attribute of a vertex buffer is stored, under the names graphics interfaces have for it.
///
/// Components that the source does not have are 0, and a fourth one 1, as graphics processors have it. Integers are
/// rounded to the nearest, ties to even, and what lies outside their range stops at its end; NaN becomes 0. Every
/// level gives the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// One float.
    F32,
    /// Two floats.
    F32x2,
    /// Three floats.
    F32x3,
    /// Four floats.
    F32x4,
    /// Two half floats.
    F16x2,
    /// Four half floats.
    F16x4,
    /// Two signed shares of 32767.
    Snorm16x2,
    /// Four signed shares of 32767.
    Snorm16x4,
    /// Four signed shares of 127.
    Snorm8x4,
    /// Two shares of 65535.
    Unorm16x2,
    /// Four shares of 65535.
    Unorm16x4,
    /// Four shares of 255.
    Unorm8x4,
    /// A direction on the octahedron, unfolded to a square: two signed shares of 32767. Needs three components.
    Octahedral16x2,
    /// A direction on the octahedron in two signed shares of 127, and two zeros.
    Octahedral8x4,
}

impl Target {
    /// Bytes of the attribute.
    pub const fn size(self) -> usize {
        match self {
            Target::F32x4 => 16,
            Target::F32x3 => 12,
            Target::F32x2 | Target::F16x4 | Target::Snorm16x4 | Target::Unorm16x4 => 8,
            _ => 4,
        }
    }

    /// What the attribute's offset and the stride must be multiples of: the size of one component.
    pub const fn align(self) -> usize {
        match self {
            Target::F32 | Target::F32x2 | Target::F32x3 | Target::F32x4 => 4,
            Target::Snorm8x4 | Target::Unorm8x4 | Target::Octahedral8x4 => 1,
            _ => 2,
        }
    }

    /// How many components of the source are stored.
    pub const fn components(self) -> usize {
        match self {
            Target::F32 => 1,
            Target::F32x2 | Target::F16x2 | Target::Snorm16x2 | Target::Unorm16x2 => 2,
            Target::F32x3 | Target::Octahedral16x2 | Target::Octahedral8x4 => 3,
            _ => 4,
        }
    }

    /// Whether a source of so many components can be stored so: it must not have more, and a direction has three.
    pub(crate) fn check(self, components: usize) -> Result<()> {
        let exact = matches!(self, Target::Octahedral16x2 | Target::Octahedral8x4);
        if components > self.components() || exact && components != 3 {
            return Err(Error::Components { target: self, found: components });
        }
        Ok(())
    }
}

/// Elements converted at a time.
pub(crate) const BLOCK: usize = 128;

/// Room for the conversion of a block.
pub(crate) struct Scratch {
    floats: [f32; 4 * BLOCK],
    packed: [u32; 2 * BLOCK],
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Scratch { floats: [0.0; 4 * BLOCK], packed: [0; 2 * BLOCK] }
    }
}

/// `values`, `components` to the element and at most a block, packed as `target` has them.
pub(crate) fn pack<'s>(
    level: Level,
    target: Target,
    values: &'s [f32],
    components: usize,
    scratch: &'s mut Scratch,
) -> &'s [u8] {
    let Scratch { floats, packed } = scratch;
    let count = values.len().checked_div(components).unwrap_or_default();
    if let Target::Octahedral16x2 | Target::Octahedral8x4 = target {
        let (squares, _) = floats.as_chunks_mut::<2>();
        let squares = squares.get_mut(..count).unwrap_or_default();
        convert::octahedrals(level, values.as_chunks::<3>().0, squares);
        let squares = squares.as_flattened();
        if target == Target::Octahedral16x2 {
            let out = cast(packed, squares.len());
            convert::snorm16(level, squares, out);
            return bytemuck::cast_slice(out);
        }
        let out: &mut [[i8; 4]] = cast(packed, count);
        for (out, square) in out.iter_mut().zip(squares.as_chunks::<2>().0) {
            let [u, v] = square.map(|value| convert::share(value, -1.0, 127.0) as i8);
            *out = [u, v, 0, 0];
        }
        return bytemuck::cast_slice(out);
    }
    let values = widen(values, components, target.components(), floats);
    let len = values.len();
    match target {
        Target::F16x2 | Target::F16x4 => {
            let out = cast(packed, len);
            convert::halves(level, values, out);
            bytemuck::cast_slice(out)
        }
        Target::Snorm16x2 | Target::Snorm16x4 => {
            let out = cast(packed, len);
            convert::snorm16(level, values, out);
            bytemuck::cast_slice(out)
        }
        Target::Unorm16x2 | Target::Unorm16x4 => {
            let out = cast(packed, len);
            convert::unorm16(level, values, out);
            bytemuck::cast_slice(out)
        }
        Target::Snorm8x4 => {
            let out = cast(packed, len);
            convert::snorm8(level, values, out);
            bytemuck::cast_slice(out)
        }
        Target::Unorm8x4 => {
            let out = cast(packed, len);
            convert::unorm8(level, values, out);
            bytemuck::cast_slice(out)
        }
        _ => bytemuck::cast_slice(values),
    }
}

/// The first `len` values that the words have room for.
fn cast<T: bytemuck::Pod>(words: &mut [u32], len: usize) -> &mut [T] {
    bytemuck::cast_slice_mut(words).get_mut(..len).unwrap_or_default()
}

/// The same elements with `to` components instead of `from`.
fn widen<'s>(values: &'s [f32], from: usize, to: usize, room: &'s mut [f32]) -> &'s [f32] {
    if from == to {
        return values;
    }
    let mut len: usize = 0;
    for (wide, narrow) in room.chunks_exact_mut(to).zip(values.chunks_exact(from)) {
        for (at, value) in wide.iter_mut().enumerate() {
            *value = narrow.get(at).copied().unwrap_or(if at == 3 { 1.0 } else { 0.0 });
        }
        len = len.saturating_add(to);
    }
    room.get(..len).unwrap_or_default()
}
