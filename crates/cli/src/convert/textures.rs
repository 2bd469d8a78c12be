//! Finding the textures that materials name.

use std::path::{Component, Path, PathBuf};

use meshlens_gltf::Texture;

use super::beside::{Beside, folder_of};

/// The endings glTF takes, and the type of each. Games name one file and ship another: the stem decides.
const ENDINGS: [(&str, &str); 3] = [("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg")];

/// A texture by the path a material gives: beside the model, or where a folder above it has that path.
pub(super) fn find(beside: &Beside, output: &Path, embed: bool, path: &str) -> Option<Texture> {
    let path = path.replace('\\', "/");
    let path = path.trim_start_matches('/');
    let stem = match path.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') => stem,
        _ => path,
    };
    // A path that climbs out of its folder names nothing here.
    if stem.is_empty() || Path::new(stem).components().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let name = stem.rsplit('/').next().unwrap_or(stem);
    for (ending, mime_type) in ENDINGS {
        let file = format!("{name}.{ending}");
        match beside {
            Beside::Folder(folder) => {
                let found = beside.path(&file).or_else(|| above(folder, &format!("{stem}.{ending}")));
                let Some(found) = found else { continue };
                if !embed {
                    return relative(&folder_of(output), &found).map(Texture::File);
                }
                let bytes = meshlens_source::Source::read_limited(&found, 1 << 30).ok()?.into_vec();
                return is_image(&bytes, mime_type).then_some(Texture::Embedded { mime_type, bytes });
            }
            Beside::Archive(archive, _) if embed => {
                let read = |path: &str| archive.read_name(path).ok().map(|bytes| bytes.into_owned());
                let Some(bytes) = beside.read(&file).or_else(|| read(&format!("{stem}.{ending}"))) else {
                    continue;
                };
                return is_image(&bytes, mime_type).then_some(Texture::Embedded { mime_type, bytes });
            }
            // What lies in an archive cannot be referenced.
            Beside::Archive(..) | Beside::Nowhere => return None,
        }
    }
    None
}

/// Whether a file begins as its type does: a TGA of another name would not show.
fn is_image(bytes: &[u8], mime_type: &str) -> bool {
    let magic: &[u8] = if mime_type == "image/png" { b"\x89PNG" } else { b"\xff\xd8\xff" };
    bytes.starts_with(magic)
}

/// The path below the nearest folder above the model that has it.
fn above(folder: &Path, path: &str) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().take(16).map(|ancestor| ancestor.join(path)).find(|found| found.is_file())
}

/// The way from a folder to a file, as a URI.
fn relative(from: &Path, to: &Path) -> Option<String> {
    let (from, to) = (from.canonicalize().ok()?, to.canonicalize().ok()?);
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|part| escape(&part.as_os_str().to_string_lossy()));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// Percent-encodes what a URI's path may not hold.
pub(super) fn escape(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
        escaped
    })
}
