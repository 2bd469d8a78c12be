//! A model whose tables are proven: meshes, materials, bones and actions.

use meshlens_lens::encoding::F32;
use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Cursor, Data, Limits, Name, Result, Span};

use crate::header::{Header, Version};
use crate::parts::{NONE, Parts, Text};
use crate::{Bone, FORMAT, Material, Mesh, Section, Sections, Skeleton};

/// An Ultimate 3D model over borrowed bytes. See the [crate] for its space and conventions.
#[derive(Clone, Debug)]
pub struct U3d<'a> {
    data: Data<'a>,
    parts: Parts,
}

impl<'a> U3d<'a> {
    /// Parses a model of either version.
    ///
    /// Reads headers and the small fields between arrays, steps over arrays, and allocates one entry for each mesh,
    /// material and bone. Texture paths and actions, whose size varies, are walked once, without an entry for each;
    /// an opaque material of version 1.0 is searched for the next section.
    ///
    /// # Errors
    ///
    /// Bytes of another format, an unknown major version, encryption (see `U3d::decrypt`), a chunk, nested
    /// chunk or array that leaves the file or the chunk around it, no model header, more parts than
    /// [`Limits::DEFAULT`] allows. The error names the field's own offset.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_with(bytes, &Limits::DEFAULT)
    }

    /// Parses a model with limits of the caller's.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_with(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        Ok(U3d { data, parts: Parts::locate_in(data, limits)? })
    }

    /// Binds parts located earlier to the whole file's bytes.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) when `bytes` is not as long as the file the parts were
    /// located in.
    pub fn bind(parts: Parts, bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        data.span(0, parts.file_len, 1, "bytes of the file")?;
        Ok(U3d { data, parts })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// What the headers say of the whole model.
    pub const fn header(&self) -> &Header {
        &self.parts.header
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.parts.header.version
    }

    /// Frames of the animation, whether of meshes or of bones.
    pub fn frame_count(&self) -> usize {
        usize::try_from(self.parts.header.frames).unwrap_or(usize::MAX)
    }

    /// Levels of detail.
    pub fn lod_count(&self) -> usize {
        usize::try_from(self.parts.header.lods).unwrap_or(usize::MAX)
    }

    fn lod_table(&self, table: u64) -> Lens<'a, F32<1>> {
        let count = u64::from(self.parts.header.lod_entries());
        let offset =
            self.parts.header.lod_offset.saturating_add(count.saturating_mul(4).saturating_mul(table));
        lens_at(self.data, self.data.span(offset, count, 4, "levels of detail").unwrap_or_default(), F32::<1>)
    }

    /// Version 1.0, pLODLevelOfDetail: the share of triangles, 0 to 1, of each level of detail but the highest.
    /// Empty in version 2.0.
    pub fn lod_levels(&self) -> Lens<'a, F32<1>> {
        if self.version().is_v1() { self.lod_table(0) } else { Lens::empty(F32) }
    }

    /// The distances of the levels of detail. Version 1.0, pLODCameraDistanceSq: the squared distance at which each
    /// level but the highest begins. Version 2.0, pLODMaxCameraDistance: the distance at which each level ends.
    pub fn lod_distances(&self) -> Lens<'a, F32<1>> {
        self.lod_table(if self.version().is_v1() { 1 } else { 0 })
    }

    /// Number of meshes in the file, of all frames and levels of detail.
    pub fn mesh_count(&self) -> usize {
        self.parts.meshes.len()
    }

    /// Mesh `index`, in file order, or `None` past the last.
    pub fn mesh(&self, index: usize) -> Option<Mesh<'_, 'a>> {
        self.parts.meshes.get(index).map(|parts| Mesh::new(self, parts, index))
    }

    /// The meshes, in file order.
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = Mesh<'_, 'a>> + DoubleEndedIterator {
        let meshes = self.parts.meshes.iter().enumerate();
        meshes.map(|(index, parts)| Mesh::new(self, parts, index))
    }

    /// The mesh with this level of detail, number in its frame, and frame; of several the first. O(log meshes).
    pub fn find_mesh(&self, lod: u32, mesh_in_frame: u32, frame: u32) -> Option<Mesh<'_, 'a>> {
        self.mesh(self.parts.find_mesh(lod, mesh_in_frame, frame)? as usize)
    }

    /// Number of materials.
    pub fn material_count(&self) -> usize {
        self.parts.materials.len()
    }

    /// Material `index`, or `None` past the last. In a sound file this is the one a triangle means by `index`.
    pub fn material(&self, index: usize) -> Option<Material<'a>> {
        self.parts.materials.get(index).map(|parts| Material::new(self.data, *parts, self.version()))
    }

    /// The materials, by number.
    pub fn materials(&self) -> impl ExactSizeIterator<Item = Material<'a>> + DoubleEndedIterator + '_ {
        self.parts.materials.iter().map(|parts| Material::new(self.data, *parts, self.version()))
    }

    /// Number of bones.
    pub fn bone_count(&self) -> usize {
        self.parts.bones.len()
    }

    /// Bone `index`, or `None` past the last. In a sound file this is the one that parents and weights mean by
    /// `index`.
    pub fn bone(&self, index: usize) -> Option<Bone<'a>> {
        self.parts.bones.get(index).map(|parts| Bone::new(self.data, *parts))
    }

    /// The bones, by number.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Bone<'a>> + DoubleEndedIterator + '_ {
        self.parts.bones.iter().map(|parts| Bone::new(self.data, *parts))
    }

    /// The first bone of this name, in any case.
    pub fn find_bone(&self, name: &str) -> Option<usize> {
        self.bones().position(|bone| bone.name().eq_ignore_case(name))
    }

    /// The bones as a hierarchy that can be posed. O(bones and keys).
    ///
    /// # Errors
    ///
    /// Bones whose numbers are not 0, 1, 2 and so on; a parent that is no bone, or among the bone's own children.
    pub fn skeleton(&self) -> Result<Skeleton<'a>> {
        Skeleton::new(self)
    }

    /// Number of actions; none in version 1.0.
    pub fn action_count(&self) -> usize {
        usize::try_from(self.parts.actions.count).unwrap_or(usize::MAX)
    }

    /// The actions, in order.
    pub fn actions(&self) -> impl Iterator<Item = Action<'a>> + use<'a> {
        let data = self.data.within(self.parts.actions.end);
        let mut cursor = Cursor::at(data, self.parts.actions.records).ok();
        (0..self.action_count()).map_while(move |_| {
            let cursor = cursor.as_mut()?;
            let offset = cursor.offset();
            let name = cursor.nul_terminated("action name").ok()?;
            let (first, last) = (cursor.u32("first frame").ok()?, cursor.u32("last frame").ok()?);
            Some(Action { offset, name, first, last })
        })
    }

    /// The sections of the file as they lie: of version 2.0 every chunk, nested ones included, of version 1.0 the
    /// header, meshes, materials and bones.
    pub fn sections(&self) -> Sections<'_, 'a> {
        Sections::new(self)
    }

    /// Chunks that are not part of the format: those of other programs (`$U3DC_`) and of later versions.
    pub fn unknown_chunks(&self) -> impl Iterator<Item = Section<'a>> + '_ {
        self.sections().filter(|section| section.depth == 0 && !section.is_known())
    }
}

/// A named range of frames (Ultimate 3D 2.0: The action range chunk).
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Absolute offset of the record.
    pub offset: u64,
    /// The action's name.
    pub name: Name<'a>,
    /// The first frame.
    pub first: u32,
    /// The last frame, which belongs to the action.
    pub last: u32,
}

/// A lens onto a table that was proven when it was located.
pub(crate) fn lens_at<'a, E: Encoding>(data: Data<'a>, span: Span, encoding: E) -> Lens<'a, E> {
    field_at(data, span, 0, encoding)
}

/// A lens onto one field of a table of records, `skip` bytes into each.
pub(crate) fn field_at<'a, E: Encoding>(data: Data<'a>, span: Span, skip: usize, encoding: E) -> Lens<'a, E> {
    let bytes = data.bind(span).unwrap_or_default();
    let count = usize::try_from(span.count()).unwrap_or_default();
    let stride = usize::try_from(span.stride()).unwrap_or_default();
    Lens::field(encoding, bytes, span.offset(), stride, count, skip)
}

/// A string that was found when it was located.
pub(crate) fn name_at<'a>(data: Data<'a>, text: Text) -> Name<'a> {
    Name::new(data.take(text.offset, text.len.into(), "name").unwrap_or_default())
}

/// A number, unless it stands for none.
pub(crate) const fn some(number: u32) -> Option<u32> {
    if number == NONE { None } else { Some(number) }
}
