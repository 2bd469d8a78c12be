//! Version 1.0: materials, some of them without a documented size, and the bones after them.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use meshlens_wire::{Cursor, Data, ErrorKind, Place, Result};

use super::records::{BONE_SIZE, MATERIAL_SIZE, bone, capacity, material};
use crate::header::Header;
use crate::layout::{STAGES, v1};
use crate::parts::{BoneParts, MaterialContent, MaterialParts, MaterialVersion};

/// How many times the bytes of the file may be read while possible ends of opaque materials are tried.
const MAX_READS: u64 = 64;

/// Materials and bones. A material with embedded resources, a texture of an undocumented type or a shader effect is
/// opaque: it ends at a later offset that looks like the next section. The first such offset from which the rest of the
/// file can be read is used.
pub(super) struct Rest<'h> {
    header: &'h Header,
    materials: Vec<MaterialParts>,
    /// The number of bytes read so far. Bytes that are read again count again.
    work: u64,
}

impl<'h> Rest<'h> {
    /// The numbers of parts in the header, which are read from `cursor` on.
    pub(super) fn new(header: &'h Header, cursor: &Cursor<'_>) -> Self {
        let materials = Vec::with_capacity(capacity(cursor, header.materials, MATERIAL_SIZE));
        Rest { header, materials, work: 0 }
    }

    pub(super) fn locate<'a>(
        mut self,
        mut cursor: Cursor<'a>,
    ) -> Result<(Vec<MaterialParts>, Vec<BoneParts>, Cursor<'a>)> {
        let data = cursor.data();
        let mut first_error = None;
        let limit = data.file_len().saturating_mul(MAX_READS);
        loop {
            let error = match self.read_on(&mut cursor) {
                Ok(bones) => return Ok((self.materials, bones, cursor)),
                Err(error) if matches!(error.kind(), ErrorKind::Incomplete { .. }) => return Err(error),
                Err(error) => *first_error.get_or_insert(error),
            };
            // The end of the last opaque material was wrong, so the next possible end is tried.
            while self.materials.pop_if(|material| material.opaque().is_none()).is_some() {}
            let Some(mut material) = self.materials.pop() else { return Err(error) };
            if self.work > limit {
                let (what, found) = ("bytes read for the ends of opaque materials", self.work);
                return Err(data.error(material.offset, ErrorKind::Limit { what, limit, found }));
            }
            // An end that saturates is after the file, where nothing is found.
            let next = material.end.saturating_add(1);
            match opaque_end(data, next, material.index, self.header) {
                Ok(Some(end)) => {
                    self.add_work(material.end, end);
                    end_at(data, &mut material, end)?;
                    self.materials.push(material);
                    cursor = Cursor::at(data, end)?;
                }
                // The end of an earlier material may also be wrong. In that case, this material is read again.
                Ok(None) => {
                    self.add_work(material.end, data.file_len());
                    cursor = Cursor::at(data, data.file_len())?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Counts bytes as read. Past `u64::MAX` they stay above any limit.
    fn add_work(&mut self, from: u64, to: u64) {
        self.work = self.work.saturating_add(to.saturating_sub(from));
    }

    /// Reads all materials and bones. Each opaque material ends at the first offset that looks like the next section.
    fn read_on(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<BoneParts>> {
        for number in (0..self.header.materials).skip(self.materials.len()) {
            let material = self.material(cursor, number);
            self.materials.push(material.map_err(|error| error.at(Place::new("material", number.into())))?);
        }
        let mut bones = Vec::with_capacity(capacity(cursor, self.header.bones, BONE_SIZE));
        for number in 0..self.header.bones {
            let bone = bone(cursor, number);
            let bone = bone.map_err(|error| error.at(Place::new("bone", number.into())))?;
            self.add_work(bone.offset, bone.end);
            bones.push(bone);
        }
        Ok(bones)
    }

    fn material(&mut self, cursor: &mut Cursor<'_>, number: u32) -> Result<MaterialParts> {
        let mut material = material(cursor, number)?;
        if material.opaque().is_some() {
            let data = cursor.data();
            let end = opaque_end(data, cursor.offset(), number, self.header)?;
            let end = end.ok_or_else(|| cursor.error(ErrorKind::Syntax { expected: self.wanted(number) }))?;
            end_at(data, &mut material, end)?;
            *cursor = Cursor::at(data, end)?;
        }
        self.add_work(material.offset, material.end);
        Ok(material)
    }

    fn wanted(&self, number: u32) -> &'static str {
        if is_last(number, self.header) {
            "the \"$U3D_BONE\" after an opaque material"
        } else {
            "the \"$U3D_MAT\" after an opaque material"
        }
    }
}

fn is_last(number: u32, header: &Header) -> bool {
    number >= header.materials.saturating_sub(1)
}

/// Lets an opaque material end at `end`.
fn end_at(data: Data<'_>, material: &mut MaterialParts, end: u64) -> Result<()> {
    if let MaterialContent::Opaque(span) = &mut material.content {
        // The search for an end begins after the start.
        let size = end.saturating_sub(span.offset());
        *span = data.span(span.offset(), size, 1, "opaque bytes")?;
    }
    (material.used, material.end) = (end, end);
    Ok(())
}

/// Finds a possible end of an opaque material: the first offset from `offset` on that looks like the next section.
fn opaque_end(data: Data<'_>, mut offset: u64, number: u32, header: &Header) -> Result<Option<u64>> {
    let is_last = is_last(number, header);
    let magic = match (is_last, header.bones) {
        (true, 0) => return Ok(Some(data.file_len()).filter(|end| offset <= *end)),
        (true, _) => v1::BONE,
        (false, _) => v1::MATERIAL,
    };
    // Nothing is found after the end of the file.
    let mut rest = data.rest(offset);
    let available = offset.saturating_add(rest.len() as u64);
    while let Some(skip) = find(rest, magic) {
        offset = offset.saturating_add(skip as u64);
        if is_section(data, offset, number.saturating_add(1), is_last, header)? {
            return Ok(Some(offset));
        }
        offset = offset.saturating_add(1);
        rest = rest.get(skip.saturating_add(1)..).unwrap_or_default();
    }
    if available < data.file_len() {
        return Err(data.incomplete(offset, available.saturating_add(1)));
    }
    Ok(None)
}

/// The first place of `magic`.
fn find(bytes: &[u8], magic: &[u8]) -> Option<usize> {
    bytes.windows(magic.len()).position(|window| window == magic)
}

/// Whether a section can be read at `offset` and, if its end is known, is followed by the expected section. The amount
/// of reading is bounded, because embedded data may contain many identifiers.
fn is_section(data: Data<'_>, offset: u64, number: u32, is_bone: bool, header: &Header) -> Result<bool> {
    let mut cursor = Cursor::at(data, offset)?;
    let read = if is_bone {
        bone(&mut cursor, 0).map(|_| (header.bones > 1).then_some(v1::BONE))
    } else {
        let material = material(&mut cursor, number);
        if let Ok(material) = &material
            && !looks_sane(data, material)?
        {
            return Ok(false);
        }
        material.map(|material| match (material.opaque(), is_last(number, header), header.bones) {
            (Some(_), _, _) => Some(&[][..]),
            (None, false, _) => Some(v1::MATERIAL),
            (None, true, 0) => None,
            (None, true, _) => Some(v1::BONE),
        })
    };
    match read {
        // If no section is expected, the file must end.
        Ok(None) => Ok(cursor.remaining() == 0),
        Ok(Some(magic)) if magic.len() as u64 > cursor.remaining() => Ok(false),
        Ok(Some(magic)) => Ok(cursor.take(magic.len() as u64, "identifier")? == magic),
        Err(error) if matches!(error.kind(), ErrorKind::Incomplete { .. }) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Whether the fields of a material have valid values. The end of an opaque material is not known, so no following
/// section can confirm that it is a material.
fn looks_sane(data: Data<'_>, material: &MaterialParts) -> Result<bool> {
    let colors = &material.colors;
    let all = [colors.ambient, colors.diffuse, colors.specular, colors.emissive];
    let is_finite = all.as_flattened().iter().all(|value| value.is_finite());
    let is_bool = match material.opaque() {
        Some(span) => data.record::<u8>(span.offset(), "ExportResources")? <= 1,
        None => true,
    };
    let MaterialVersion::V1 { texture_count } = material.version else { return Ok(false) };
    Ok(is_finite && is_bool && usize::from(texture_count) <= STAGES)
}
