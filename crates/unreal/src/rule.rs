//! How wide vertices are and how far apart frames: nothing in either file says so, five rules in order do.

use core::fmt;

use meshlens_wire::Result;

/// How one vertex is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexFormat {
    /// 4 bytes: X in 11 bits, Y in 11, Z in 10 (Unreal: Appendix C).
    Packed,
    /// 8 bytes: `i16` x, y, z and a pad, as Deus Ex has them.
    Wide,
}

impl VertexFormat {
    /// Bytes of one vertex.
    pub const fn size(self) -> u32 {
        match self {
            VertexFormat::Packed => 4,
            VertexFormat::Wide => 8,
        }
    }

    /// `packed32` or `i16x4`.
    pub const fn as_str(self) -> &'static str {
        match self {
            VertexFormat::Packed => "packed32",
            VertexFormat::Wide => "i16x4",
        }
    }
}

impl fmt::Display for VertexFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The rule that told the layout of a pair. They are tried in this order, and the first one that holds is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayoutRule {
    /// 1: the frame size is 4 times the vertices, which are packed.
    Packed = 1,
    /// 2: the frame size is 8 times the vertices, which are 16-bit ones.
    Wide = 2,
    /// 3: the frame size is more than that of packed vertices, by whole ones: each frame holds more behind them.
    Padded = 3,
    /// 4: the frame size is 3 times the vertices, an exporter's mistake: the file holds frames of packed ones.
    MistakenFrameSize = 4,
    /// 5: the frame size holds fewer packed vertices than the geometry counts, but all that its triangles name.
    MistakenVertexCount = 5,
}

impl LayoutRule {
    /// All rules, in the order they are tried.
    pub const ALL: [LayoutRule; 5] = [
        LayoutRule::Packed,
        LayoutRule::Wide,
        LayoutRule::Padded,
        LayoutRule::MistakenFrameSize,
        LayoutRule::MistakenVertexCount,
    ];

    /// 1 to 5.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What held, as a formula.
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

/// What a rule tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) rule: LayoutRule,
    pub(crate) format: VertexFormat,
    /// Vertices of one frame.
    pub(crate) vertices: u16,
    /// Bytes from one frame to the next.
    pub(crate) stride: u32,
}

/// The numbers the rules look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// Vertices, as the geometry counts them.
    pub(crate) vertices: u16,
    pub(crate) frames: u16,
    pub(crate) frame_size: u16,
    /// Bytes of the frames file behind its header.
    pub(crate) frame_bytes: u64,
}

/// The layout of a pair, or `None` where no rule holds. `largest_index` is only called where rules 1 to 4 do not.
pub(crate) fn resolve(
    counts: Counts,
    largest_index: impl FnOnce() -> Result<Option<u16>>,
) -> Result<Option<Layout>> {
    let (vertices, frame_size) = (u64::from(counts.vertices), u64::from(counts.frame_size));
    let packed = vertices.saturating_mul(4);
    let all_frames = u64::from(counts.frames).saturating_mul(packed);
    let is_words = frame_size.is_multiple_of(4);
    let stride = u32::from(counts.frame_size);
    let layout = |rule, format, stride| Layout { rule, format, vertices: counts.vertices, stride };

    Ok(if frame_size == packed {
        Some(layout(LayoutRule::Packed, VertexFormat::Packed, stride))
    } else if frame_size == vertices.saturating_mul(8) {
        Some(layout(LayoutRule::Wide, VertexFormat::Wide, stride))
    } else if frame_size > packed && is_words {
        Some(layout(LayoutRule::Padded, VertexFormat::Packed, stride))
    } else if frame_size == vertices.saturating_mul(3) && counts.frame_bytes >= all_frames {
        let stride = u32::from(counts.vertices).saturating_mul(4);
        Some(layout(LayoutRule::MistakenFrameSize, VertexFormat::Packed, stride))
    } else if is_words && largest_index()?.is_none_or(|index| index < counts.frame_size >> 2) {
        let format = VertexFormat::Packed;
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
    fn the_first_rule_that_holds_is_taken() {
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
    }
}
