//! An animation file whose records are proven.

use meshlens_wire::{Data, Limits, Result};

use crate::layout::{Bound, Version};
use crate::locate::{BoundingVolume, read_bound};
use crate::reader::{Budget, LongForms, Reader, file};
use crate::skeleton::SkeletonParts;
use crate::tracks::AnimationsParts;
use crate::{Animation, Skeleton};

/// Where every part of an animation file lies: plain data, proven against the length of the file, bound to no bytes.
///
/// [`Anim`] is this plus the bytes.
#[derive(Clone, Debug)]
pub struct AnimParts {
    pub(crate) version: Version,
    bound: Option<u64>,
    skeleton: SkeletonParts,
    animations: AnimationsParts,
    pub(crate) long_forms: LongForms,
    end: u64,
}

impl AnimParts {
    /// Locates the parts of an animation file of which `prefix` holds the first bytes and `file_len` is the whole
    /// length. Frame records differ in size, so this walks the whole file; it allocates one entry per bone, and as
    /// [`FRAME_BLOCK`](crate::FRAME_BLOCK) says.
    ///
    /// # Errors
    ///
    /// As [`Anim::parse`]; [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) where more of the file is wanted.
    pub fn locate(prefix: &[u8], file_len: u64, limits: &Limits) -> Result<AnimParts> {
        Self::locate_in(file(prefix, file_len), limits)
    }

    fn locate_in(data: Data<'_>, limits: &Limits) -> Result<AnimParts> {
        let mut reader = Reader::at(data, 0)?;
        let version = reader.version(false)?;
        let mut bound = None;
        if version == Version::An10 {
            bound = Some(reader.offset());
            reader.cursor.take(size_of::<Bound>() as u64, "bounds")?;
        }
        let mut skeleton = SkeletonParts::locate_headers(&mut reader, limits)?;
        let mut animations = if version.has_animations() {
            AnimationsParts::locate_names(&mut reader, version, limits)?
        } else {
            AnimationsParts::unnamed()
        };
        reader.magic(version)?;
        skeleton.locate_transforms(&mut reader)?;
        let mut budget = Budget::new(limits);
        animations.locate_tracks(&mut reader, Skeleton::new(data, &skeleton, version), &mut budget)?;
        reader.magic(version)?;
        Ok(AnimParts {
            version,
            bound,
            skeleton,
            animations,
            long_forms: reader.long_forms,
            end: reader.offset(),
        })
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Absolute end: behind the last magic.
    pub const fn end(&self) -> u64 {
        self.end
    }
}

/// A `.anim` over borrowed bytes: the bones it was made for, and animations of them. [`Binding`](crate::Binding) puts
/// one on the bones of a mesh.
#[derive(Clone, Debug)]
pub struct Anim<'a> {
    data: Data<'a>,
    parts: AnimParts,
}

impl<'a> Anim<'a> {
    /// Parses an animation file of any version. O(file): its records are walked once.
    ///
    /// # Errors
    ///
    /// As [`Mesh::parse`](crate::Mesh::parse), as far as an animation has such parts.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_within(bytes, &Limits::DEFAULT)
    }

    /// As [`parse`](Self::parse), within the caller's limits.
    pub fn parse_within(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let data = file(bytes, bytes.len() as u64);
        Ok(Anim { data, parts: AnimParts::locate_in(data, limits)? })
    }

    /// Binds parts located earlier to the whole file's bytes, which must be those they were located in.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) when there are fewer bytes than the animation has.
    pub fn bind(parts: AnimParts, bytes: &'a [u8]) -> Result<Self> {
        let data = file(bytes, bytes.len() as u64);
        data.take(0, parts.end, "animation")?;
        Ok(Anim { data, parts })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &AnimParts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.parts.version
    }

    /// The bounding box and sphere (an10), which are empty in every file seen.
    pub fn bounds(&self) -> Option<BoundingVolume> {
        self.parts.bound.map(|offset| read_bound(self.data, offset))
    }

    /// Absolute offset of the bounding box and sphere (an10).
    pub const fn bounds_offset(&self) -> Option<u64> {
        self.parts.bound
    }

    /// Absolute end: behind the last magic.
    pub const fn end(&self) -> u64 {
        self.parts.end
    }

    /// The bones.
    pub const fn skeleton(&self) -> Skeleton<'_, 'a> {
        Skeleton::new(self.data, &self.parts.skeleton, self.parts.version)
    }

    /// How many animations there are: always 1 in an11.
    pub fn animation_count(&self) -> usize {
        usize::try_from(self.parts.animations.count).unwrap_or(usize::MAX)
    }

    /// Animation `index`, or `None` past the last.
    pub fn animation(&self, index: usize) -> Option<Animation<'_, 'a>> {
        Animation::find(&self.parts.animations, self.skeleton(), index)
    }

    /// The animations, in order.
    pub fn animations(&self) -> impl Iterator<Item = Animation<'_, 'a>> + '_ {
        (0..self.animation_count()).map_while(|index| self.animation(index))
    }
}
