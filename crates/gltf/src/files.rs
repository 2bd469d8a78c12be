//! Files that belong to a model, in the extras of its node (`extras.meshlens.files`). Programs that keep extras keep them:
//! Blender has them as custom properties.

use std::io::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::write::{DeflateDecoder, DeflateEncoder};
use meshlens::scene::{Companion, CompanionKind};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// A file: its text, or its compressed bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct File {
    /// The name of its [`CompanionKind`].
    kind: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The bytes, compressed (RFC 1951), in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    deflate: Option<String>,
    /// The number of bytes that are compressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

/// Reads files, which may be anything: a value of another form is a file without content, which [`File::read`] refuses.
pub(crate) fn any_files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<File>, D::Error> {
    let value = Box::<RawValue>::deserialize(from)?;
    let files: Vec<Box<RawValue>> = match serde_json::from_str(value.get()) {
        Ok(files) => files,
        Err(_) => vec![value],
    };
    Ok(files.iter().map(|file| serde_json::from_str(file.get()).unwrap_or_default()).collect())
}

impl File {
    /// The memory for a companion and its text.
    pub(crate) fn memory(companion: &Companion) -> usize {
        size_of::<File>() + 2 * companion.name.len() + 2 * companion.bytes.len()
    }

    pub(crate) fn new(companion: &Companion) -> File {
        let bytes = &companion.bytes;
        // Programs may end a text at a NUL.
        let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        File {
            kind: companion.kind.name().into(),
            name: companion.name.clone(),
            text: text.map(str::to_owned),
            deflate: text.is_none().then(|| BASE64.encode(deflate(bytes))),
            bytes: text.is_none().then_some(bytes.len()),
        }
    }

    /// The number of bytes that [`read`](Self::read) allocates.
    pub(crate) fn cost(&self) -> usize {
        let packed = self.deflate.as_ref().map_or(0, String::len);
        let len = self.text.as_ref().map_or(0, String::len).max(self.bytes.unwrap_or_default());
        size_of::<Companion>() + self.name.len() + packed + len.saturating_mul(2)
    }

    /// The file of the model `of`.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub(crate) fn read(&self, of: &str) -> Result<Companion, &'static str> {
        let kind = CompanionKind::of_name(&self.kind).ok_or("a known kind")?;
        if !kind.has_name(&self.name) {
            return Err("a name of its kind, without a folder");
        }
        let bytes = match (&self.text, &self.deflate) {
            (Some(text), _) => text.as_bytes().into(),
            (None, Some(packed)) => {
                let packed = BASE64.decode(packed).map_err(|_| "base64")?;
                inflate(&packed, self.bytes.unwrap_or_default())
                    .ok_or("compressed bytes of the stated number")?
            }
            (None, None) => return Err("a text or compressed bytes"),
        };
        Ok(Companion { kind, name: self.name.clone(), of: of.to_owned(), bytes: bytes.into() })
    }

    /// The kind and the name, for findings.
    pub(crate) fn title(&self) -> String {
        let short = |text: &str| text.chars().take(64).collect::<String>();
        format!("{} {}", short(&self.kind), short(&self.name))
    }
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Decompresses exactly `len` bytes.
fn inflate(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    // The stated number may be anything. Deflate packs at most 1032 bytes in one.
    if len / 1032 > packed.len() {
        return None;
    }
    let mut bytes = vec![0; len];
    // A slice takes no more bytes than it has.
    let mut decoder = DeflateDecoder::new(&mut bytes[..]);
    decoder.write_all(packed).ok()?;
    let left = decoder.finish().ok()?.len();
    (left == 0).then_some(bytes)
}
