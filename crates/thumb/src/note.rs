//! Parts of a model that a picture does not show, or shows differently.

use std::fmt;

/// Something that a picture does not show, or shows in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The model has no triangles, and only some of its joints and tags are drawn ([`Limits::lines`](crate::Limits::lines)).
    JointsAndTags {
        /// The number of joints and tags that are drawn.
        drawn: usize,
        /// The number of joints and tags.
        count: usize,
    },
    /// The model has no triangles, and its points are drawn as dots.
    Points {
        /// The number of points that are drawn.
        drawn: usize,
        /// The number of points.
        count: usize,
    },
    /// The triangles are so thin that they cover almost no pixel. Their longest edges are drawn as lines.
    Needles {
        /// The number of edges that are drawn.
        drawn: usize,
        /// The number of triangles.
        count: usize,
    },
    /// Nothing can be seen in the picture.
    Nothing,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = |drawn: &usize, count: &usize| match drawn < count {
            true => format!("{drawn} of {count}"),
            false => count.to_string(),
        };
        match self {
            Note::JointsAndTags { drawn, count } => {
                write!(f, "no triangles: {} joints and tags are drawn", some(drawn, count))
            }
            Note::Points { drawn, count } => {
                write!(f, "no triangles: {} points are drawn as dots", some(drawn, count))
            }
            Note::Needles { drawn, count } => {
                write!(f, "triangles too thin to be seen: {} are drawn as lines", some(drawn, count))
            }
            Note::Nothing => f.write_str("nothing can be seen in the picture"),
        }
    }
}
