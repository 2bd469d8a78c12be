//! Tangent spaces: normal, tangent and binormal from one quaternion.

use meshlens_lens::encoding::{I8, UnigineTangent, UnigineTangentFrame, UnigineTangentMs10};
use meshlens_lens::{Error, Lens, Result, TangentFrame};

/// The tangent spaces of one morph target, one for each triangle index.
#[derive(Clone, Copy, Debug)]
pub enum Tangents<'a> {
    /// ms11 and later: a quaternion whose w carries the binormal's sign.
    Quaternions(Lens<'a, UnigineTangent>),
    /// ms10: a quaternion without w, and the binormal's sign.
    Signed {
        /// The quaternions; w is found from the others and never negative.
        quaternions: Lens<'a, UnigineTangentMs10>,
        /// 127 or -127.
        signs: Lens<'a, I8<1>>,
    },
}

impl<'a> Tangents<'a> {
    /// How many there are.
    pub const fn len(&self) -> usize {
        match self {
            Tangents::Quaternions(quaternions) => quaternions.len(),
            Tangents::Signed { quaternions, .. } => quaternions.len(),
        }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Quaternion `index` as the file gives it, or `None` past the end.
    pub fn quaternion(&self, index: usize) -> Option<[f32; 4]> {
        match self {
            Tangents::Quaternions(quaternions) => quaternions.get(index),
            Tangents::Signed { quaternions, .. } => quaternions.get(index),
        }
    }

    /// The quaternions as the file gives them, one after another.
    pub fn quaternions(&self) -> impl ExactSizeIterator<Item = [f32; 4]> + use<'a> {
        let tangents = *self;
        (0..tangents.len()).map(move |index| tangents.quaternion(index).unwrap_or_default())
    }

    /// Tangent space `index`, or `None` past the end.
    pub fn frame(&self, index: usize) -> Option<TangentFrame> {
        match self {
            Tangents::Quaternions(quaternions) => quaternions.get(index).map(TangentFrame::from_quaternion),
            Tangents::Signed { quaternions, signs } => {
                let sign = if signs.get(index)? < 0 { -1.0 } else { 1.0 };
                Some(TangentFrame::with_sign(quaternions.get(index)?, sign))
            }
        }
    }

    /// Decodes every quaternion, turns it into a tangent space and writes it, in one pass.
    ///
    /// # Errors
    ///
    /// An output that does not hold one frame for each tangent space.
    pub fn frames_into(&self, out: &mut [TangentFrame]) -> Result<()> {
        if out.len() != self.len() {
            return Err(Error::Length { expected: self.len(), found: out.len() });
        }
        match self {
            Tangents::Quaternions(quaternions) => {
                let (bytes, start) = (quaternions.as_bytes(), quaternions.byte_range().start);
                Lens::field(UnigineTangentFrame, bytes, start, quaternions.stride(), quaternions.len(), 0)
                    .decode_into(out)?;
            }
            Tangents::Signed { quaternions, signs } => {
                for ((out, quaternion), sign) in out.iter_mut().zip(*quaternions).zip(*signs) {
                    *out = TangentFrame::with_sign(quaternion, if sign < 0 { -1.0 } else { 1.0 });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

    #[test]
    fn the_quaternion_turns_the_axes_and_w_signs_the_binormal() {
        let frame = TangentFrame::from_quaternion([0.0, 0.0, 0.0, 1.0]);
        assert_eq!(frame.normal, [0.0, 0.0, 1.0]);
        assert_eq!((frame.tangent, frame.binormal), ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
        let mirrored = TangentFrame::from_quaternion([-0.0, -0.0, -0.0, -1.0]);
        assert_eq!((mirrored.normal, mirrored.tangent), (frame.normal, frame.tangent));
        assert_eq!(mirrored.binormal, [-0.0, -1.0, -0.0]);
        // A quarter turn around X: Z goes to -Y, Y to Z.
        let turned = TangentFrame::from_quaternion([HALF, 0.0, 0.0, HALF]);
        let close = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(close(turned.normal, [0.0, -1.0, 0.0]) && close(turned.binormal, [0.0, 0.0, 1.0]));
    }

    #[test]
    fn both_kinds_decode_in_one_pass() {
        let bytes = [0, 0, 0, 0, 0, 0, 0x01, 0x80];
        let quaternions = Lens::new(UnigineTangent, &bytes, 0, 8, 1).unwrap();
        let mut out = [TangentFrame::default(); 1];
        Tangents::Quaternions(quaternions).frames_into(&mut out).unwrap();
        assert_eq!((out[0].normal[2], out[0].binormal[1]), (1.0, -1.0));

        let bytes = [0, 0, 0, 0, 0, 0, 0x81];
        let quaternions = Lens::new(UnigineTangentMs10, &bytes, 0, 7, 1).unwrap();
        let signs = Lens::new(I8::<1>, &bytes[6..], 6, 7, 1).unwrap();
        let tangents = Tangents::Signed { quaternions, signs };
        let mut again = [TangentFrame::default(); 1];
        tangents.frames_into(&mut again).unwrap();
        assert_eq!(again, out);
        assert_eq!((tangents.frame(0), tangents.frame(1)), (Some(out[0]), None));
        assert!(tangents.frames_into(&mut []).is_err());
    }
}
