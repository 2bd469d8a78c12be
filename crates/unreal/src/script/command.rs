//! One `#exec` line: its two words, its keys, and the record that they make.

use meshlens_wire::{Error, ErrorKind, Expected, Field, Fields, Name, Result};

use super::SCRIPT;
use super::{
    MeshImport, MeshNotify, MeshOrigin, MeshSequence, Meshmap, MeshmapScale, MeshmapTexture, Script,
    TextureImport,
};

/// The kinds of lines that a script keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    MeshImport,
    MeshOrigin,
    MeshSequence,
    MeshNotify,
    MeshmapNew,
    MeshmapScale,
    MeshmapTexture,
    TextureImport,
}

/// The kind of a line, from its first two words. `None` if they do not begin a known command.
pub(super) fn kind(line: &[u8], offset: u64) -> Option<Kind> {
    let mut fields = Fields::new(line, offset);
    let mut word = || fields.next().filter(|field| field.value.is_none()).map(|field| field.key);
    let (noun, verb) = (word()?, word()?);
    let is = |a: &str, b: &str| noun.eq_ignore_case(a) && verb.eq_ignore_case(b);
    Some(match () {
        () if is("MESH", "IMPORT") => Kind::MeshImport,
        () if is("MESH", "ORIGIN") => Kind::MeshOrigin,
        () if is("MESH", "SEQUENCE") => Kind::MeshSequence,
        () if is("MESH", "NOTIFY") => Kind::MeshNotify,
        () if is("MESHMAP", "NEW") => Kind::MeshmapNew,
        () if is("MESHMAP", "SCALE") => Kind::MeshmapScale,
        () if is("MESHMAP", "SETTEXTURE") => Kind::MeshmapTexture,
        () if is("TEXTURE", "IMPORT") => Kind::TextureImport,
        () => return None,
    })
}

/// Adds the record of a line to a script. Other lines are skipped: sounds, fonts, packages, levels of detail.
pub(super) fn read<'a>(script: &mut Script<'a>, line: &'a [u8], offset: u64) -> Result<()> {
    let Some(kind) = kind(line, offset) else { return Ok(()) };
    let keys = Keys { line, offset };
    let mesh = || keys.name("MESH", "MESH=");
    let meshmap = || keys.name("MESHMAP", "MESHMAP=");
    match kind {
        Kind::MeshImport => script.imports.push(MeshImport {
            offset,
            mesh: mesh()?,
            frames_file: keys.name("ANIVFILE", "ANIVFILE=")?,
            geometry_file: keys.name("DATAFILE", "DATAFILE=")?,
            position: keys.triple(["X", "Y", "Z"], 0.0)?,
            mlod: keys.flag("MLOD"),
            zero_texture: keys.flag("ZEROTEX"),
            unmirror: keys.flag("UNMIRROR"),
            unmirror_texture: keys.number("UNMIRRORTEX")?.filter(|slot| *slot >= 0.0).map(|slot| slot as u32),
        }),
        Kind::MeshOrigin => script.origins.push(MeshOrigin {
            offset,
            mesh: mesh()?,
            origin: keys.triple(["X", "Y", "Z"], 0.0)?,
            rotation: keys.triple(["YAW", "PITCH", "ROLL"], 0.0)?,
        }),
        Kind::MeshSequence => script.sequences.push(MeshSequence {
            offset,
            mesh: mesh()?,
            name: keys.name("SEQ", "SEQ=")?,
            group: keys.text("GROUP").unwrap_or_default(),
            first_frame: keys.count("STARTFRAME", 0)?,
            frame_count: keys.count("NUMFRAMES", 0)?,
            rate: keys.number("RATE")?,
        }),
        Kind::MeshNotify => script.notifies.push(MeshNotify {
            offset,
            mesh: mesh()?,
            sequence: keys.name("SEQ", "SEQ=")?,
            function: keys.text("FUNCTION").unwrap_or_default(),
            time: keys.number("TIME")?.unwrap_or(0.0),
        }),
        Kind::MeshmapNew => script.meshmaps.push(Meshmap { offset, name: meshmap()?, mesh: mesh()? }),
        Kind::MeshmapScale => script.scales.push(MeshmapScale {
            offset,
            meshmap: meshmap()?,
            scale: keys.triple(["X", "Y", "Z"], 1.0)?,
        }),
        Kind::MeshmapTexture => script.slots.push(MeshmapTexture {
            offset,
            meshmap: meshmap()?,
            slot: keys.count("NUM", 0)?,
            texture: keys.name("TEXTURE", "TEXTURE=")?,
        }),
        Kind::TextureImport => script.textures.push(TextureImport {
            offset,
            file: keys.name("FILE", "FILE=")?,
            name: keys.text("NAME").unwrap_or_default(),
            group: keys.text("GROUP").unwrap_or_default(),
            flags: keys.count("FLAGS", 0)?,
        }),
    }
    Ok(())
}

/// The `KEY=VALUE` fields of a line.
struct Keys<'a> {
    line: &'a [u8],
    offset: u64,
}

impl<'a> Keys<'a> {
    /// The first field with this key that has a value.
    fn field(&self, key: &str) -> Option<Field<'a>> {
        // The first two fields are the words of the command.
        let mut fields = Fields::new(self.line, self.offset).skip(2);
        fields.find(|field| field.value.is_some() && field.key.eq_ignore_case(key))
    }

    fn text(&self, key: &str) -> Option<Name<'a>> {
        self.field(key)?.value
    }

    /// A required text. `expected` is the key with its `=`.
    fn name(&self, key: &str, expected: &'static str) -> Result<Name<'a>> {
        let name = self.text(key).filter(|name| !name.is_empty());
        name.ok_or_else(|| Error::new(SCRIPT, self.offset, ErrorKind::Syntax { expected }))
    }

    /// Whether a key is present without a value, or with a value that means true.
    fn flag(&self, key: &str) -> bool {
        let mut fields = Fields::new(self.line, self.offset).skip(2);
        let yes = |value: Name<'_>| ["1", "TRUE", "YES", "ON"].iter().any(|yes| value.eq_ignore_case(yes));
        fields.any(|field| field.key.eq_ignore_case(key) && field.value.is_none_or(yes))
    }

    /// A number, or `None` if the key is missing. Like engines, this ignores the rest of the field after the number.
    fn number(&self, key: &str) -> Result<Option<f32>> {
        let Some(Field { value: Some(value), value_offset, .. }) = self.field(key) else { return Ok(None) };
        let recognized =
            nom::number::complete::recognize_float::<_, nom::error::Error<&[u8]>>(value.as_bytes());
        let text = recognized.ok().and_then(|(_, text)| core::str::from_utf8(text).ok());
        let number = text.and_then(|text| text.parse::<f32>().ok()).filter(|number| number.is_finite());
        let error = || Error::new(SCRIPT, value_offset, ErrorKind::Syntax { expected: "a number" });
        number.ok_or_else(error).map(Some)
    }

    fn triple(&self, [x, y, z]: [&str; 3], default: f32) -> Result<[f32; 3]> {
        let number = |key| Ok(self.number(key)?.unwrap_or(default));
        Ok([number(x)?, number(y)?, number(z)?])
    }

    /// A count. Its fraction is truncated.
    fn count(&self, key: &'static str, default: u32) -> Result<u32> {
        match self.number(key)? {
            None => Ok(default),
            Some(number) if number >= 0.0 => Ok(number as u32),
            Some(number) => {
                let offset = self.field(key).map_or(self.offset, |field| field.value_offset);
                let (expected, found) = (Expected::AtLeast(0), number as i64);
                Err(Error::new(SCRIPT, offset, ErrorKind::Value { what: key, expected, found }))
            }
        }
    }
}
