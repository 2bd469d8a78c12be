//! Bones: names, parents in any order, bind transforms, and poses from local to world.

use alloc::vec::Vec;

use meshlens_wire::{
    Data, ErrorKind, Expected, Limits, Name, Place, Record, Result, SmallSpan, Span, parents_first,
};

use crate::Transform;
use crate::layout::{BoneTransform, NO_PARENT, Version};
use crate::reader::Reader;
use crate::transform::{affine, columns};

/// The smallest number of bytes of a bone in the header: the length of an empty name and the parent.
const LEAST_HEADER: u32 = 3;
const TRANSFORM_SIZE: u32 = BoneTransform::SIZE as u32;

/// The names and parents of the bones, which come before their transforms.
#[derive(Clone, Debug)]
pub(crate) struct BoneHeaders {
    count: u32,
    end: u64,
    offsets: Vec<u64>,
    order: Vec<u32>,
}

/// The locations of the bones. Plain data, without the bytes.
#[derive(Clone, Debug)]
pub struct SkeletonParts {
    headers: Vec<u64>,
    headers_end: u64,
    order: Vec<u32>,
    transforms: SmallSpan,
}

impl BoneHeaders {
    /// Reads names and parents. Parents that do not exist or that form a cycle are errors. O(bones).
    pub(crate) fn locate(reader: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let count_offset = reader.offset();
        let count = reader.parts("bones", LEAST_HEADER, limits)?;
        // The transforms of the bones follow later. Their bytes must exist before anything is allocated.
        reader.data().span(reader.offset(), count.into(), TRANSFORM_SIZE + LEAST_HEADER, "bones")?;
        let mut offsets = Vec::new();
        offsets.reserve_exact(count as usize);
        let mut parents = Vec::new();
        parents.reserve_exact(count as usize);
        for index in 0..u64::from(count) {
            let offset = reader.offset();
            let (_, parent) =
                read_header(reader, count).map_err(|error| error.at(Place::new("bone", index)))?;
            offsets.push(offset);
            parents.push(parent);
        }
        let end = reader.offset();
        let parent_of = |bone: usize| parents.get(bone).copied().flatten().map(|parent: u32| parent as usize);
        let order = parents_first(parents.len(), parent_of).map_err(|bone| {
            let offset = offsets.get(bone).copied().unwrap_or(count_offset);
            let expected = Expected::Text("a bone that is not a descendant");
            let found = parent_of(bone).map_or(NO_PARENT.into(), |parent| parent as i64);
            let kind = ErrorKind::Value { what: "parent", expected, found };
            reader.data().error(offset, kind).at(Place::new("bone", bone as u64))
        })?;
        Ok(BoneHeaders { count, end, offsets, order })
    }
}

impl SkeletonParts {
    /// Locates the transforms.
    pub(crate) fn locate(reader: &mut Reader<'_>, headers: BoneHeaders) -> Result<Self> {
        let BoneHeaders { count, end: headers_end, offsets: headers, order } = headers;
        let transforms = reader.cursor.small_span(count, TRANSFORM_SIZE, "bone transforms")?;
        Ok(SkeletonParts { headers, headers_end, order, transforms })
    }

    /// The number of bones.
    pub fn len(&self) -> usize {
        self.headers.len()
    }

    /// Whether there are no bones.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// The absolute offset of the name and the parent of bone `index`, or `None` if it is out of range.
    pub fn header_offset(&self, index: usize) -> Option<u64> {
        self.headers.get(index).copied()
    }

    /// The names and parents of all bones, as elements of one byte, because their records vary in size.
    pub fn headers(&self) -> Span {
        let start = self.headers.first().copied().unwrap_or(self.headers_end);
        Span::of_bytes(start..self.headers_end)
    }

    /// The bind transforms, 40 bytes each.
    pub const fn transforms(&self) -> Span {
        self.transforms.span()
    }

    /// The indices of all bones, parents before their children.
    pub fn parents_first(&self) -> &[u32] {
        &self.order
    }
}

/// The name and the parent of a bone. The parent must be below `count`, or -1.
fn read_header<'a>(reader: &mut Reader<'a>, count: u32) -> Result<(Name<'a>, Option<u32>)> {
    let name = reader.string("bone name")?;
    let offset = reader.offset();
    let parent = reader.cursor.i16("parent")?;
    if parent < NO_PARENT {
        let (expected, found) = (Expected::AtLeast(NO_PARENT.into()), parent.into());
        return Err(reader.data().error(offset, ErrorKind::Value { what: "parent", expected, found }));
    }
    match u32::try_from(parent) {
        Ok(parent) if parent >= count => {
            let kind = ErrorKind::Index { what: "bone", index: parent.into(), count: count.into() };
            Err(reader.data().error(offset, kind))
        }
        // A negative number means no parent.
        parent => Ok((name, parent.ok())),
    }
}

/// The bones of a mesh or an animation.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton<'d, 'a> {
    data: Data<'a>,
    parts: &'d SkeletonParts,
    version: Version,
}

/// One bone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bone<'a> {
    /// The absolute offset of its name, which is followed by its parent.
    pub offset: u64,
    /// The name, by which animations refer to the bone.
    pub name: Name<'a>,
    /// The index of the parent; `None` for a root. A parent may come after its child.
    pub parent: Option<usize>,
    /// The bind transform, local to the parent.
    pub transform: Transform,
}

impl<'d, 'a> Skeleton<'d, 'a> {
    pub(crate) const fn new(data: Data<'a>, parts: &'d SkeletonParts, version: Version) -> Self {
        Skeleton { data, parts, version }
    }

    /// The number of bones.
    pub fn len(&self) -> usize {
        self.parts.headers.len()
    }

    /// Whether there are no bones.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bone `index`, or `None` if it is out of range.
    pub fn bone(&self, index: usize) -> Option<Bone<'a>> {
        let offset = self.parts.header_offset(index)?;
        let count = u32::try_from(self.len()).ok()?;
        // Parsing has read every header, so this is `None` only if the bytes have changed.
        let (name, parent) = read_header(&mut Reader::at(self.data, offset).ok()?, count).ok()?;
        let parent = parent.map(|parent| parent as usize);
        Some(Bone { offset, name, parent, transform: self.transform(index)? })
    }

    /// The bones, in file order.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Bone<'a>> + use<'d, 'a> {
        let skeleton = *self;
        // The default is only used if the bytes have changed.
        (0..skeleton.len()).map(move |index| skeleton.bone(index).unwrap_or_default())
    }

    /// The bind transform of bone `index`, local to its parent; `None` if it is out of range.
    pub fn transform(&self, index: usize) -> Option<Transform> {
        let span = self.parts.transforms().slice(index as u64, 1)?;
        let BoneTransform { position, rotation, scale } =
            self.data.record(span.offset(), "bone transform").ok()?;
        Some(Transform { position, rotation, scale })
    }

    /// Checks that all bones are loaded, which need not be the case while the parts of a partial file are located.
    pub(crate) fn check_loaded(&self) -> Result<()> {
        let spans = [self.parts.headers(), self.parts.transforms()];
        spans.into_iter().try_for_each(|span| self.data.bind(span).map(|_| ()))
    }

    /// The locations of the bones.
    pub const fn parts(&self) -> &'d SkeletonParts {
        self.parts
    }

    /// The index of the first bone with this name, compared byte for byte; `None` if there is none.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bones().position(|bone| bone.name == name)
    }

    /// The indices of all bones, parents before their children.
    pub fn parents_first(&self) -> &'d [u32] {
        &self.parts.order
    }

    fn check(&self, what: &'static str, found: usize) -> Result<()> {
        if found == self.len() {
            return Ok(());
        }
        Err(self.data.length_error(self.parts.transforms().offset(), what, self.len(), found))
    }

    /// Writes the bind transform of every bone to `out`, local to its parent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have one transform for each bone.
    pub fn bind_pose_into(&self, out: &mut [Transform]) -> Result<()> {
        self.check("transforms of the output", out.len())?;
        for (out, bone) in out.iter_mut().zip(self.bones()) {
            *out = bone.transform;
        }
        Ok(())
    }

    /// Computes column-major matrices in the space of the model from transforms local to their parents. O(bones). Parents may come
    /// after their children.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `local` or `out` does not have one element for each bone.
    pub fn world_into(&self, local: &[Transform], out: &mut [[[f32; 4]; 4]]) -> Result<()> {
        self.check("transforms of the pose", local.len())?;
        self.check("matrices of the output", out.len())?;
        for bone in self.parents_first() {
            let bone = *bone as usize;
            let Some(matrix) = local.get(bone).map(|transform| transform.to_affine()) else { continue };
            let parent = self.bone(bone).and_then(|bone| bone.parent);
            let parent = parent.and_then(|parent| out.get(parent)).map(affine);
            if let Some(out) = out.get_mut(bone) {
                *out = columns(parent.map_or(matrix, |parent| parent * matrix));
            }
        }
        Ok(())
    }

    /// Computes the inverse of the bind pose in the space of the model: for each bone, the column-major matrix that
    /// converts a vertex of the bind pose to the space of the bone.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have one matrix for each bone; [`ErrorKind::Unsupported`] if the bind
    /// pose of a bone has no inverse, for example because its scale is 0.
    pub fn inverse_bind_into(&self, out: &mut [[[f32; 4]; 4]]) -> Result<()> {
        let mut local = alloc::vec![Transform::IDENTITY; self.len()];
        self.bind_pose_into(&mut local)?;
        self.world_into(&local, out)?;
        for (index, matrix) in (0u64..).zip(out) {
            let inverse = affine(matrix).inverse();
            if !inverse.is_finite() {
                let kind = ErrorKind::Unsupported { what: "skinning by a bind transform without an inverse" };
                let error = self.data.error(self.parts.transforms().offset(), kind);
                return Err(error.at(Place::new("bone", index)));
            }
            *matrix = columns(inverse);
        }
        Ok(())
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The version of the file.
    pub const fn version(&self) -> Version {
        self.version
    }
}
