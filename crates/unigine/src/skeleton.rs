//! Bones: names, parents in any order, bind transforms, and poses from local to world.

use alloc::vec::Vec;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Limits, Name, Place, Result};
use zerocopy::little_endian::F32;

use crate::layout::{BoneTransform, Version};
use crate::reader::{Reader, Table};
use crate::{Matrix, Transform};

/// Bytes of a bone in the header at least: an empty name's length and the parent.
const LEAST_HEADER: u32 = 3;
const TRANSFORM_SIZE: u32 = size_of::<BoneTransform>() as u32;

/// Where the bones lie: plain data.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkeletonParts {
    /// Offset of each bone's name.
    headers: Vec<u64>,
    /// Every bone, parents before their children.
    order: Vec<u32>,
    transforms: Table,
}

impl SkeletonParts {
    /// Reads names and parents, and refuses parents that do not exist or that go around in a circle. O(bones).
    pub(crate) fn locate_headers(reader: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let count_offset = reader.offset();
        let count = reader.parts("bones", LEAST_HEADER, limits)?;
        // Each bone's transform comes later: bytes must stand behind those too before anything is allocated.
        reader.data().span(
            reader.offset(),
            count.into(),
            TRANSFORM_SIZE.saturating_add(LEAST_HEADER),
            "bones",
        )?;
        let mut parts = SkeletonParts::default();
        let count_usize = usize::try_from(count).unwrap_or(usize::MAX);
        parts.headers.reserve_exact(count_usize);
        let mut parents = Vec::new();
        parents.reserve_exact(count_usize);
        for index in 0..u64::from(count) {
            let header = reader.offset();
            let parent = read_header(reader, count).map_err(|error| error.at(Place::new("bone", index)))?.1;
            parts.headers.push(header);
            parents.push(u32::try_from(parent).unwrap_or(u32::MAX));
        }
        parts.order = parents_first(&parents).map_err(|bone| {
            let header = parts.headers.get(bone).copied().unwrap_or(count_offset);
            let expected = Expected::Text("no circle of parents");
            let found = parents.get(bone).copied().map_or(-1, i64::from);
            let kind = ErrorKind::Value { what: "parent", expected, found };
            reader.data().error(header, kind).at(Place::new("bone", bone as u64))
        })?;
        Ok(parts)
    }

    /// Reads the second part: the transforms.
    pub(crate) fn locate_transforms(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let count = u32::try_from(self.headers.len()).unwrap_or(u32::MAX);
        self.transforms = reader.table(count, TRANSFORM_SIZE, "bone transforms")?;
        Ok(())
    }
}

/// A bone's name and parent. With `count`, a parent must be one of so many bones, or -1.
fn read_header<'a>(reader: &mut Reader<'a>, count: u32) -> Result<(Name<'a>, i16)> {
    let name = reader.string("bone name")?;
    let offset = reader.offset();
    let parent = reader.cursor.i16("parent")?;
    if i64::from(parent) >= i64::from(count) {
        let kind = ErrorKind::Index { what: "bone", index: parent.into(), count: count.into() };
        return Err(reader.data().error(offset, kind));
    }
    if parent < -1 {
        let (expected, found) = (Expected::AtLeast(-1), parent.into());
        return Err(reader.data().error(offset, ErrorKind::Value { what: "parent", expected, found }));
    }
    Ok((name, parent))
}

/// The bones in an order that has parents before their children, or a bone of a circle. Roots have parents that do
/// not exist. O(bones).
fn parents_first(parents: &[u32]) -> Result<Vec<u32>, usize> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut states = alloc::vec![NEW; parents.len()];
    let mut order = Vec::new();
    order.reserve_exact(parents.len());
    let mut climb = Vec::new();
    for start in 0..parents.len() {
        let mut bone = start;
        while let Some(state) = states.get_mut(bone) {
            match *state {
                NEW => *state = OPEN,
                OPEN => return Err(bone),
                _ => break,
            }
            climb.push(u32::try_from(bone).unwrap_or(u32::MAX));
            bone = parents.get(bone).map_or(usize::MAX, |parent| *parent as usize);
        }
        while let Some(bone) = climb.pop() {
            if let Some(state) = states.get_mut(bone as usize) {
                *state = DONE;
            }
            order.push(bone);
        }
    }
    Ok(order)
}

/// The bones of a mesh or an animation.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton<'d, 'a> {
    data: Data<'a>,
    parts: &'d SkeletonParts,
    version: Version,
}

/// One bone.
#[derive(Clone, Copy, Debug)]
pub struct Bone<'a> {
    /// Absolute offset of its header: its name, then its parent.
    pub offset: u64,
    /// Its name, by which animations find it.
    pub name: Name<'a>,
    /// The bone it hangs on; `None` for a root. A parent may come after its child.
    pub parent: Option<usize>,
    /// Its bind transform, local to the parent.
    pub transform: Transform,
}

impl<'d, 'a> Skeleton<'d, 'a> {
    pub(crate) const fn new(data: Data<'a>, parts: &'d SkeletonParts, version: Version) -> Self {
        Skeleton { data, parts, version }
    }

    /// How many bones there are.
    pub fn len(&self) -> usize {
        self.parts.headers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bone `index`, or `None` past the last.
    pub fn bone(&self, index: usize) -> Option<Bone<'a>> {
        let offset = *self.parts.headers.get(index)?;
        let mut reader = Reader::at(self.data, offset).ok()?;
        let name = reader.string("bone name").ok()?;
        let parent = reader.cursor.i16("parent").ok()?;
        let parent = usize::try_from(parent).ok().filter(|parent| *parent < self.len());
        Some(Bone { offset, name, parent, transform: self.transform(index)? })
    }

    /// The bones, in file order.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Bone<'a>> + use<'d, 'a> {
        let skeleton = *self;
        (0..skeleton.len()).map(move |index| {
            // Every index below the count has a record; a default shows only in a mapped file that changes.
            skeleton.bone(index).unwrap_or(Bone {
                offset: 0,
                name: Name::default(),
                parent: None,
                transform: Transform::IDENTITY,
            })
        })
    }

    /// The bind transform of bone `index`, local to its parent; `None` past the last.
    pub fn transform(&self, index: usize) -> Option<Transform> {
        let index = u64::try_from(index).ok()?;
        let span = self.parts.transforms.span(self.data, TRANSFORM_SIZE).slice(index, 1)?;
        let record = self.data.record::<BoneTransform>(span.offset(), "bone transform").ok()?;
        Some(Transform {
            position: record.position.map(F32::get),
            rotation: record.rotation.map(F32::get),
            scale: record.scale.map(F32::get),
        })
    }

    /// Absolute offset of the first bone's transform; the others follow, 40 bytes each.
    pub const fn transforms_offset(&self) -> u64 {
        self.parts.transforms.offset
    }

    /// The first bone of this name, byte for byte.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bones().position(|bone| bone.name == name)
    }

    /// Every bone's number, parents before their children.
    pub fn parents_first(&self) -> &'d [u32] {
        &self.parts.order
    }

    fn length_error(&self, what: &'static str, found: usize) -> Error {
        let expected = Expected::Exactly(i64::try_from(self.len()).unwrap_or(i64::MAX));
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        self.data.error(self.transforms_offset(), ErrorKind::Value { what, expected, found })
    }

    fn check(&self, what: &'static str, found: usize) -> Result<()> {
        if found == self.len() { Ok(()) } else { Err(self.length_error(what, found)) }
    }

    /// Every bone's bind transform, local to its parent: where an animation begins that moves only some.
    ///
    /// # Errors
    ///
    /// An output that does not hold one transform for each bone.
    pub fn bind_pose_into(&self, out: &mut [Transform]) -> Result<()> {
        self.check("output length", out.len())?;
        for (index, out) in out.iter_mut().enumerate() {
            *out = self.transform(index).unwrap_or_default();
        }
        Ok(())
    }

    /// From transforms local to their parents to matrices of the model's space. O(bones), whatever their order.
    ///
    /// # Errors
    ///
    /// A pose or an output that does not hold one element for each bone.
    pub fn world_into(&self, local: &[Transform], out: &mut [Matrix]) -> Result<()> {
        self.check("pose length", local.len())?;
        self.check("output length", out.len())?;
        for bone in self.parents_first() {
            let bone = *bone as usize;
            let Some(matrix) = local.get(bone).map(Transform::to_matrix) else { continue };
            let parent = self.bone(bone).and_then(|bone| bone.parent);
            let parent = parent.and_then(|parent| out.get(parent).copied());
            if let Some(out) = out.get_mut(bone) {
                *out = parent.map_or(matrix, |parent| parent.after(&matrix));
            }
        }
        Ok(())
    }

    /// What takes a vertex of the bind pose into each bone's space: the inverse of the bind pose in world space.
    ///
    /// # Errors
    ///
    /// An output that does not hold one matrix for each bone, or a bind pose that has no inverse, as with a scale of 0.
    pub fn inverse_bind_into(&self, out: &mut [Matrix]) -> Result<()> {
        let mut local = alloc::vec![Transform::IDENTITY; self.len()];
        self.bind_pose_into(&mut local)?;
        self.world_into(&local, out)?;
        for (index, out) in (0u64..).zip(out) {
            *out = out.inverse().ok_or_else(|| {
                let kind = ErrorKind::Unsupported { what: "skinning by a bind transform without an inverse" };
                self.data.error(self.transforms_offset(), kind).at(Place::new("bone", index))
            })?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: u32 = u32::MAX;

    #[test]
    fn parents_come_first_whatever_their_order() {
        assert_eq!(parents_first(&[ROOT, 0, 1, ROOT]), Ok(alloc::vec![0, 1, 2, 3]));
        assert_eq!(parents_first(&[2, 0, ROOT, 1]), Ok(alloc::vec![2, 0, 1, 3]));
        assert_eq!(parents_first(&[]), Ok(alloc::vec![]));
    }

    #[test]
    fn circles_are_refused() {
        assert_eq!(parents_first(&[0]), Err(0));
        assert_eq!(parents_first(&[ROOT, 2, 3, 1]), Err(1));
        assert_eq!(parents_first(&[1, 2, 1]), Err(1), "a tail that leads into a circle");
    }
}
