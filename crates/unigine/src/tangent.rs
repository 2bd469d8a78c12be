//! Tangent frames: normal, tangent and bitangent, stored as one quaternion.

use crate::encoding::{I8, UnigineTangent, UnigineTangentFrame, UnigineTangentFrameMs10, UnigineTangentMs10};
use meshlens_lens::{Lens, TangentFrame, ValueLens};
use meshlens_wire::{Data, Result, SmallSpan};

use crate::layout::Version;

/// The offset of the sign of the bitangent in a tangent frame of ms10.
pub(crate) const SIGN: usize = 6;

/// The lenses onto the tangent frames of one morph target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tangents<'a> {
    pub(crate) quaternions: ValueLens<'a, [f32; 4]>,
    pub(crate) frames: ValueLens<'a, TangentFrame>,
    pub(crate) signs: Option<Lens<'a, I8<1>>>,
}

impl<'a> Tangents<'a> {
    pub(crate) fn bind(data: Data<'a>, version: Version, table: SmallSpan) -> Result<Self> {
        let table = table.span();
        Ok(match version {
            Version::Ms10 => Tangents {
                quaternions: Lens::bind(data, table, 0, UnigineTangentMs10)?.into(),
                frames: Lens::bind(data, table, 0, UnigineTangentFrameMs10)?.into(),
                signs: Some(Lens::bind(data, table, SIGN, I8::<1>)?),
            },
            _ => Tangents {
                quaternions: Lens::bind(data, table, 0, UnigineTangent)?.into(),
                frames: Lens::bind(data, table, 0, UnigineTangentFrame)?.into(),
                signs: None,
            },
        })
    }

    pub(crate) fn empty() -> Self {
        let (quaternions, frames) = (Lens::empty(UnigineTangent), Lens::empty(UnigineTangentFrame));
        Tangents { quaternions: quaternions.into(), frames: frames.into(), signs: None }
    }
}
