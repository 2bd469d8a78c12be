//! The encoding of vertices and the stride of frames. No field of either file contains them; five rules derive them.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Error, ErrorKind, Result};

use crate::FORMAT;

/// The encoding of a vertex.
///
/// ```
/// use meshlens_unreal::VertexEncoding;
///
/// assert_eq!("i16x4".parse(), Ok(VertexEncoding::Wide));
/// assert_eq!(VertexEncoding::Packed.to_string(), "packed32");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexEncoding {
    /// 4 bytes: X in 11 bits, Y in 11 and Z in 10 (Unreal: Appendix C).
    Packed,
    /// 8 bytes: `i16` x, y, z and 2 bytes of padding, as in Deus Ex.
    Wide,
}

impl VertexEncoding {
    /// The size of a vertex in bytes.
    pub const fn size(self) -> u32 {
        match self {
            VertexEncoding::Packed => 4,
            VertexEncoding::Wide => 8,
        }
    }

    /// `packed32` or `i16x4`.
    pub const fn as_str(self) -> &'static str {
        match self {
            VertexEncoding::Packed => "packed32",
            VertexEncoding::Wide => "i16x4",
        }
    }
}

impl fmt::Display for VertexEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for VertexEncoding {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found =
            [VertexEncoding::Packed, VertexEncoding::Wide].into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Error::of_call(FORMAT, ErrorKind::Syntax { expected: "packed32 or i16x4" }))
    }
}

/// The rule that determined the layout of a pair. Rules are tried in this order, and the first one that applies is
/// used.
///
/// ```
/// use meshlens_unreal::LayoutRule;
///
/// assert_eq!("3".parse(), Ok(LayoutRule::Padded));
/// assert_eq!(LayoutRule::Padded.to_string(), "rule 3: frame size > 4 x vertices");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LayoutRule {
    /// 1: the frame size is 4 bytes for each vertex. Vertices are packed.
    Packed = 1,
    /// 2: the frame size is 8 bytes for each vertex. Vertices have 16 bits for each axis.
    Wide = 2,
    /// 3: the frame size is a multiple of 4, and larger than 4 bytes for each vertex. Vertices are packed, and each
    /// frame has other bytes after its vertices.
    Padded = 3,
    /// 4: the frame size is 3 bytes for each vertex, a mistake of one exporter, and the file contains frames of packed
    /// vertices.
    MistakenFrameSize = 4,
    /// 5: the frame size fits fewer packed vertices than the geometry file specifies, but all vertices that its
    /// triangles use.
    MistakenVertexCount = 5,
}

impl LayoutRule {
    /// All rules, in the order in which they are tried.
    pub const ALL: [LayoutRule; 5] = [
        LayoutRule::Packed,
        LayoutRule::Wide,
        LayoutRule::Padded,
        LayoutRule::MistakenFrameSize,
        LayoutRule::MistakenVertexCount,
    ];

    /// The number of the rule, from 1 to 5.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The condition of the rule as a formula.
    pub const fn as_str(self) -> &'static str {
        match self {
            LayoutRule::Packed => "frame size = 4 x vertices",
            LayoutRule::Wide => "frame size = 8 x vertices",
            LayoutRule::Padded => "frame size > 4 x vertices",
            LayoutRule::MistakenFrameSize => "frame size = 3 x vertices, stored 4 x",
            LayoutRule::MistakenVertexCount => "vertices = frame size / 4",
        }
    }
}

impl fmt::Display for LayoutRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}: {}", self.number(), self.as_str())
    }
}

impl FromStr for LayoutRule {
    type Err = Error;

    /// Parses the number of a rule, or the text that [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self> {
        let rest = text.strip_prefix("rule ").unwrap_or(text);
        let (number, formula) =
            rest.split_once(": ").map_or((rest, None), |(number, text)| (number, Some(text)));
        let found = LayoutRule::ALL.into_iter().find(|rule| {
            number.parse() == Ok(rule.number()) && formula.is_none_or(|formula| formula == rule.as_str())
        });
        found.ok_or_else(|| Error::of_call(FORMAT, ErrorKind::Syntax { expected: "a rule from 1 to 5" }))
    }
}

/// The result of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) rule: LayoutRule,
    pub(crate) format: VertexEncoding,
    /// The number of vertices in each frame.
    pub(crate) vertices: u16,
    /// The number of bytes from one frame to the next.
    pub(crate) stride: u32,
}

/// The numbers that the rules compare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// The number of vertices in the header of the geometry file.
    pub(crate) vertices: u16,
    pub(crate) frames: u16,
    pub(crate) frame_size: u16,
    /// The number of bytes after the header of the frames file.
    pub(crate) frame_bytes: u64,
}

/// The sizes of vertices of 3, 4 and 8 bytes.
#[allow(clippy::arithmetic_side_effects, reason = "products of 16 bits and 4 bits")]
const fn sizes(vertices: u16) -> [u64; 3] {
    let vertices = vertices as u64;
    [vertices * 3, vertices * 4, vertices * 8]
}

/// The layout of a pair, or `None` if no rule applies. `largest_index` is only called if rules 1 to 4 do not apply.
pub(crate) fn resolve(
    counts: Counts,
    largest_index: impl FnOnce() -> Result<Option<u16>>,
) -> Result<Option<Layout>> {
    let frame_size = u64::from(counts.frame_size);
    let [triple, packed, wide] = sizes(counts.vertices);
    // Two numbers of 16 bits and a factor of 4.
    let all_frames = u64::from(counts.frames).saturating_mul(packed);
    let is_words = frame_size.is_multiple_of(4);
    let stride = u32::from(counts.frame_size);
    let layout = |rule, format, stride| Layout { rule, format, vertices: counts.vertices, stride };

    Ok(if frame_size == packed {
        Some(layout(LayoutRule::Packed, VertexEncoding::Packed, stride))
    } else if frame_size == wide {
        Some(layout(LayoutRule::Wide, VertexEncoding::Wide, stride))
    } else if frame_size > packed && is_words {
        Some(layout(LayoutRule::Padded, VertexEncoding::Packed, stride))
    } else if frame_size == triple && counts.frame_bytes >= all_frames {
        Some(layout(LayoutRule::MistakenFrameSize, VertexEncoding::Packed, packed as u32))
    } else if is_words && largest_index()?.is_none_or(|index| index < counts.frame_size >> 2) {
        let format = VertexEncoding::Packed;
        let vertices = counts.frame_size >> 2;
        Some(Layout { rule: LayoutRule::MistakenVertexCount, format, vertices, stride })
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(vertices: u16, frame_size: u16, frame_bytes: u64, largest: Option<u16>) -> Option<Layout> {
        resolve(Counts { vertices, frames: 2, frame_size, frame_bytes }, || Ok(largest)).unwrap()
    }

    #[test]
    fn the_first_matching_rule_is_used() {
        use LayoutRule as R;
        let told = |layout: Option<Layout>| layout.map(|l| (l.rule, l.vertices, l.stride));
        assert_eq!(told(rule(10, 40, 80, None)), Some((R::Packed, 10, 40)));
        assert_eq!(told(rule(10, 80, 160, None)), Some((R::Wide, 10, 80)));
        assert_eq!(told(rule(10, 48, 96, None)), Some((R::Padded, 10, 48)));
        assert_eq!(told(rule(10, 84, 168, None)), Some((R::Padded, 10, 84)));
        assert_eq!(told(rule(10, 30, 80, None)), Some((R::MistakenFrameSize, 10, 40)));
        assert_eq!(told(rule(10, 30, 79, Some(1))), None, "one byte short, and 30 is not divisible by 4");
        assert_eq!(told(rule(12, 36, 96, Some(1))), Some((R::MistakenFrameSize, 12, 48)), "before rule 5");
        assert_eq!(told(rule(12, 36, 95, Some(8))), Some((R::MistakenVertexCount, 9, 36)));
        assert_eq!(told(rule(12, 36, 95, Some(9))), None, "vertex 9 of 9");
        assert_eq!(told(rule(10, 36, 72, None)), Some((R::MistakenVertexCount, 9, 36)));
        assert_eq!(told(rule(10, 41, 82, Some(0))), None);
        assert_eq!(told(rule(0, 0, 0, None)), Some((R::Packed, 0, 0)));
        assert_eq!(told(rule(0, 8, 16, None)), Some((R::Padded, 0, 8)));
        assert_eq!(told(rule(u16::MAX, u16::MAX, u64::MAX, Some(0))), None);
    }

    #[test]
    fn rules_are_numbered_in_order() {
        assert_eq!(LayoutRule::ALL.map(LayoutRule::number), [1, 2, 3, 4, 5]);
        assert!(LayoutRule::ALL.is_sorted());
        for rule in LayoutRule::ALL {
            assert_eq!(alloc::string::ToString::to_string(&rule).parse(), Ok(rule));
        }
        for wrong in ["", "0", "6", "rule 2: frame size = 4 x vertices"] {
            assert!(wrong.parse::<LayoutRule>().is_err(), "{wrong}");
        }
    }
}
