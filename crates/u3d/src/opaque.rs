//! Version 1.0: materials, of which some say nothing of their size, and the bones behind them.

use alloc::vec::Vec;

use meshlens_wire::{Cursor, Data, ErrorKind, Place, Result};

use crate::header::Header;
use crate::layout::{self, STAGES, v1};
use crate::parts::{BoneParts, MaterialParts, NONE};
use crate::v1::{BONE_SIZE, bone, material_fields};

/// How often the file's bytes may be read while ends of opaque materials are tried.
const MAX_READS: u64 = 64;

/// Materials and bones. A material with embedded resources, a texture of an undocumented type or a shader effect is
/// opaque: it ends at some later place that looks like the next section, and the first such place from which all the
/// rest can be read is right.
pub(crate) struct Rest<'h, R> {
    header: &'h Header,
    materials: Vec<MaterialParts>,
    reserve: &'h R,
    /// Bytes read so far, again and again.
    work: u64,
}

impl<'h, R: Fn(&Cursor<'_>, u32, u64) -> usize> Rest<'h, R> {
    /// What is to be read behind the meshes, into `materials`; `reserve` says how many parts there can be.
    pub(crate) fn new(header: &'h Header, materials: Vec<MaterialParts>, reserve: &'h R) -> Self {
        Rest { header, materials, reserve, work: 0 }
    }

    pub(crate) fn locate<'a>(
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
            // The end of the last opaque material was a wrong one: the next place that looks like it is tried.
            while self.materials.pop_if(|material| !material.is_opaque).is_some() {}
            let Some(mut material) = self.materials.pop() else { return Err(error) };
            if self.work > limit {
                let (what, found) = ("bytes read for the ends of opaque materials", self.work);
                return Err(data.error(material.offset, ErrorKind::Limit { what, limit, found }));
            }
            let next = material.end.saturating_add(1);
            match opaque_end(data, next, material.index, self.header) {
                Ok(Some(end)) => {
                    self.work = self.work.saturating_add(end.saturating_sub(material.end));
                    (material.used, material.end) = (end, end);
                    self.materials.push(material);
                    cursor = Cursor::at(data, end)?;
                }
                // A material before this one may have a wrong end too; this one is read again then.
                Ok(None) => {
                    self.work = self.work.saturating_add(data.file_len().saturating_sub(material.end));
                    cursor = Cursor::at(data, data.file_len())?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads materials, each opaque one up to the first place that looks like the next section, and all bones.
    fn read_on(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<BoneParts>> {
        for number in self.materials.len()..self.header.materials as usize {
            let number = u32::try_from(number).unwrap_or(NONE);
            let material = self.material(cursor, number);
            self.materials.push(material.map_err(|error| error.at(Place::new("material", number.into())))?);
        }
        let mut bones = Vec::with_capacity((self.reserve)(cursor, self.header.bones, BONE_SIZE));
        for number in 0..self.header.bones {
            let bone = bone(cursor, number);
            let bone = bone.map_err(|error| error.at(Place::new("bone", number.into())))?;
            self.work = self.work.saturating_add(bone.end.saturating_sub(bone.offset));
            bones.push(bone);
        }
        Ok(bones)
    }

    fn material(&mut self, cursor: &mut Cursor<'_>, number: u32) -> Result<MaterialParts> {
        let mut material = material_fields(cursor, number)?;
        if material.is_opaque {
            let end = opaque_end(cursor.data(), cursor.offset(), number, self.header)?;
            let end = end.ok_or_else(|| cursor.error(ErrorKind::Syntax { expected: self.wanted(number) }))?;
            *cursor = Cursor::at(cursor.data(), end)?;
        }
        material.used = cursor.offset();
        material.end = cursor.offset();
        self.work = self.work.saturating_add(material.end.saturating_sub(material.offset));
        Ok(material)
    }

    fn wanted(&self, number: u32) -> &'static str {
        if number.saturating_add(1) >= self.header.materials {
            "the \"$U3D_BONE\" behind an opaque material"
        } else {
            "the \"$U3D_MAT\" behind an opaque material"
        }
    }
}

/// Where an opaque material may end: the first place from `offset` on that looks like the next section.
fn opaque_end(data: Data<'_>, mut offset: u64, number: u32, header: &Header) -> Result<Option<u64>> {
    let is_last = number.saturating_add(1) >= header.materials;
    let magic = match (is_last, header.bones) {
        (true, 0) => return Ok(Some(data.file_len()).filter(|end| offset <= *end)),
        (true, _) => v1::BONE,
        (false, _) => v1::MATERIAL,
    };
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let mut rest = data.bytes().get(start..).unwrap_or_default();
    while let Some(skip) = find(rest, magic) {
        offset = offset.saturating_add(skip as u64);
        if is_section(data, offset, number.saturating_add(1), is_last, header)? {
            return Ok(Some(offset));
        }
        offset = offset.saturating_add(1);
        rest = rest.get(skip.saturating_add(1)..).unwrap_or_default();
    }
    let available = data.bytes().len() as u64;
    if available < data.file_len() {
        let needed = available.saturating_add(1);
        return Err(data.error(offset, ErrorKind::Incomplete { needed, available }));
    }
    Ok(None)
}

/// The first place of `magic`, which begins with a byte that is rare in it.
fn find(bytes: &[u8], magic: &[u8]) -> Option<usize> {
    bytes.windows(magic.len()).position(|window| window == magic)
}

/// Whether a section reads well at `offset` and, where its end is known, is followed by what must follow it.
/// A bounded amount of reading: identifiers in embedded data may be many.
fn is_section(data: Data<'_>, offset: u64, number: u32, is_bone: bool, header: &Header) -> Result<bool> {
    let mut cursor = Cursor::at(data, offset)?;
    let read = if is_bone {
        bone(&mut cursor, 0).map(|_| (header.bones > 1).then_some(v1::BONE))
    } else {
        let material = material_fields(&mut cursor, number);
        if let Ok(material) = &material
            && !looks_sane(data, material)?
        {
            return Ok(false);
        }
        material.map(|material| {
            let is_last = number.saturating_add(1) >= header.materials;
            match (material.is_opaque, is_last, header.bones) {
                (true, _, _) => Some(&[][..]),
                (false, false, _) => Some(v1::MATERIAL),
                (false, true, 0) => None,
                (false, true, _) => Some(v1::BONE),
            }
        })
    };
    match read {
        // With nothing to follow, the file must end.
        Ok(None) => Ok(cursor.remaining() == 0),
        Ok(Some(magic)) if magic.len() as u64 > cursor.remaining() => Ok(false),
        Ok(Some(magic)) => Ok(cursor.take(magic.len() as u64, "identifier")? == magic),
        Err(error) if matches!(error.kind(), ErrorKind::Incomplete { .. }) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Whether the fields that an opaque material still has are those of a material: where it ends is not known, so that
/// nothing behind it can prove it.
fn looks_sane(data: Data<'_>, material: &MaterialParts) -> Result<bool> {
    let mut cursor = Cursor::at(data, material.colors)?;
    let colors = cursor.record::<layout::Colors>("material colors")?;
    let all = [colors.ambient, colors.diffuse, colors.specular, colors.emissive];
    let textures = cursor.u16("nTexture")?;
    cursor.record::<layout::Stages>("texture stages")?;
    let is_bool = cursor.u8("ExportResources")? <= 1;
    let is_finite = all.as_flattened().iter().all(|value| value.get().is_finite());
    Ok(is_finite && is_bool && usize::from(textures) <= STAGES)
}
