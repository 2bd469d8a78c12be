//! One bone of a model: the meshes it carries and its animation keys.

use meshlens_lens::encoding::{F32, U16, U32};
use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Data, Name, Span};

use crate::Matrix;
use crate::document::{field_at, lens_at, name_at, some};
use crate::matrix::{lerp, slerp};
use crate::parts::BoneParts;

/// Bytes of a key before its value: the frame, of which version 1.0 leaves two bytes unused.
const VALUE_OFFSET: usize = 4;

/// Ultimate 3D: The bone chunk.
#[derive(Clone, Copy, Debug)]
pub struct Bone<'a> {
    data: Data<'a>,
    parts: BoneParts,
}

impl<'a> Bone<'a> {
    pub(crate) const fn new(data: Data<'a>, parts: BoneParts) -> Self {
        Bone { data, parts }
    }

    /// Where the parts lie.
    pub const fn parts(&self) -> &BoneParts {
        &self.parts
    }

    /// Absolute offset of the chunk.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// iBone: the number that children and weights name. Version 1.0 counts bones in file order.
    pub const fn index(&self) -> u32 {
        self.parts.index
    }

    /// The bone's name.
    pub fn name(&self) -> Name<'a> {
        name_at(self.data, self.parts.name)
    }

    /// The number of the bone this one hangs on; `None` for a root, of which there may be several.
    pub const fn parent(&self) -> Option<u32> {
        some(self.parts.parent)
    }

    /// BoneFrame: the frame this bone is always at, where it is not negative; usually -1.
    pub const fn bone_frame(&self) -> f32 {
        self.parts.bone_frame
    }

    /// PassOnBoneFrame: whether children inherit the frame this bone is at, instead of the one it inherits itself.
    pub const fn passes_on_bone_frame(&self) -> bool {
        self.parts.pass_on
    }

    /// Meshes appended to the bone.
    pub const fn mesh_count(&self) -> usize {
        self.parts.mesh_count as usize
    }

    /// The number of appended mesh `index`, or `None` past the last.
    pub fn mesh(&self, index: usize) -> Option<u32> {
        Frames::new(self.data, self.parts.meshes(), self.parts.width).get(index)
    }

    /// The numbers of the appended meshes.
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        Frames::new(self.data, self.parts.meshes(), self.parts.width).iter()
    }

    /// The mesh to bone space matrix of appended mesh `index`, or `None` past the last.
    pub fn mesh_to_bone(&self, index: usize) -> Option<Matrix> {
        let first = index.checked_mul(4)?;
        let rows = self.mesh_to_bone_rows().slice(first..first.checked_add(4)?)?;
        let mut matrix = Matrix::IDENTITY;
        rows.decode_into(&mut matrix.rows).ok()?;
        Some(matrix)
    }

    /// The rows of the mesh to bone space matrices, four of each appended mesh.
    pub fn mesh_to_bone_rows(&self) -> Lens<'a, F32<4>> {
        let span = self.parts.matrices();
        let rows = self.data.span(span.offset(), span.count().saturating_mul(4), 16, "matrix rows");
        lens_at(self.data, rows.unwrap_or_default(), F32::<4>)
    }

    fn keys<E: Encoding>(&self, span: Span, encoding: E) -> Keys<'a, E> {
        let values = field_at(self.data, span, VALUE_OFFSET, encoding);
        Keys { frames: Frames::new(self.data, span, self.parts.width), values }
    }

    /// The scaling keys: a factor along each axis of bone space.
    pub fn scaling_keys(&self) -> VectorKeys<'a> {
        self.keys(self.parts.scaling_keys(), F32::<3>)
    }

    /// The translation keys, in parent bone space.
    pub fn translation_keys(&self) -> VectorKeys<'a> {
        self.keys(self.parts.translation_keys(), F32::<3>)
    }

    /// The rotation keys: quaternions x, y, z, w, in parent bone space.
    pub fn rotation_keys(&self) -> RotationKeys<'a> {
        self.keys(self.parts.rotation_keys(), F32::<4>)
    }

    /// The scaling at any frame, blended linearly between keys; 1 without keys. O(keys).
    pub fn scaling_at(&self, frame: f32) -> [f32; 3] {
        self.scaling_keys().sample(frame, lerp).unwrap_or([1.0; 3])
    }

    /// The translation at any frame, blended linearly between keys; 0 without keys. O(keys).
    pub fn translation_at(&self, frame: f32) -> [f32; 3] {
        self.translation_keys().sample(frame, lerp).unwrap_or([0.0; 3])
    }

    /// The rotation at any frame, blended spherically along the shorter way between keys; none without keys. O(keys).
    pub fn rotation_at(&self, frame: f32) -> [f32; 4] {
        self.rotation_keys().sample(frame, slerp).unwrap_or([0.0, 0.0, 0.0, 1.0])
    }

    /// The bone to parent bone space matrix at any frame: scaling, then rotation, then translation. O(keys).
    pub fn bone_to_parent(&self, frame: f32) -> Matrix {
        Matrix::from_parts(self.scaling_at(frame), self.rotation_at(frame), self.translation_at(frame))
    }
}

/// Scaling or translation keys.
pub type VectorKeys<'a> = Keys<'a, F32<3>>;
/// Rotation keys.
pub type RotationKeys<'a> = Keys<'a, F32<4>>;

/// Keys of an animation: frames and what holds at each of them.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a, E> {
    /// The frame of each key.
    pub frames: Frames<'a>,
    /// The value of each key.
    pub values: Lens<'a, E>,
}

impl<E: Encoding> Keys<'_, E> {
    /// Number of keys.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no key, which stands for no scaling, translation or rotation.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether no key stands behind one of a later frame, as in every sane file. O(keys).
    pub fn is_sorted(&self) -> bool {
        self.frames.iter().is_sorted()
    }

    /// The value at any frame: that of the only key on that side before the first and behind the last, else `blend`
    /// of the two keys around it. `None` without keys. Keys may stand in any order, so all are looked at.
    pub fn sample(
        &self,
        frame: f32,
        blend: impl FnOnce(E::Value, E::Value, f32) -> E::Value,
    ) -> Option<E::Value> {
        let (mut before, mut after) = (None::<(u32, usize)>, None::<(u32, usize)>);
        for (index, at) in self.frames.iter().enumerate() {
            if at as f32 <= frame {
                // Of several keys at one frame the last one holds from there on.
                before = before.filter(|(best, _)| *best > at).or(Some((at, index)));
            } else {
                after = after.filter(|(best, _)| *best <= at).or(Some((at, index)));
            }
        }
        self.between(before, after, frame, blend)
    }

    /// [`sample`](Self::sample) by binary search, for keys that are known to be [sorted](Self::is_sorted).
    pub fn sample_sorted(
        &self,
        frame: f32,
        blend: impl FnOnce(E::Value, E::Value, f32) -> E::Value,
    ) -> Option<E::Value> {
        let (mut low, mut high) = (0usize, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.frames.get(middle)? as f32 <= frame {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        let key = |index: usize| Some((self.frames.get(index)?, index));
        self.between(low.checked_sub(1).and_then(key), key(low), frame, blend)
    }

    fn between(
        &self,
        before: Option<(u32, usize)>,
        after: Option<(u32, usize)>,
        frame: f32,
        blend: impl FnOnce(E::Value, E::Value, f32) -> E::Value,
    ) -> Option<E::Value> {
        match (before, after) {
            (Some((start, before)), Some((end, after))) => {
                let (start, end) = (start as f32, end as f32);
                let t = (frame - start) / (end - start);
                Some(blend(self.values.get(before)?, self.values.get(after)?, t))
            }
            (Some((_, key)), None) | (None, Some((_, key))) => self.values.get(key),
            (None, None) => None,
        }
    }
}

/// Frame numbers, or numbers of meshes, of 16 bits in version 1.0 and 32 in version 2.0.
#[derive(Clone, Copy, Debug)]
pub enum Frames<'a> {
    /// 16 bits.
    Short(Lens<'a, U16<1>>),
    /// 32 bits.
    Long(Lens<'a, U32<1>>),
}

impl<'a> Frames<'a> {
    fn new(data: Data<'a>, span: Span, width: u8) -> Self {
        match width {
            2 => Frames::Short(lens_at(data, span, U16::<1>)),
            _ => Frames::Long(lens_at(data, span, U32::<1>)),
        }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        match self {
            Frames::Short(lens) => lens.len(),
            Frames::Long(lens) => lens.len(),
        }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `index`, or `None` past the last.
    pub fn get(&self, index: usize) -> Option<u32> {
        match self {
            Frames::Short(lens) => lens.get(index).map(u32::from),
            Frames::Long(lens) => lens.get(index),
        }
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let frames = *self;
        // Every index below the length has an element, so the default never shows.
        (0..self.len()).map(move |index| frames.get(index).unwrap_or_default())
    }
}
