//! Error messages for the user: the problem and the remedy.

use std::io;
use std::iter;
use std::path::Path;

use meshlens::wire::ErrorKind;
use meshlens_assets::{LoadedFiles, ModelFiles, Refused, foreign_format};
use meshlens_source::Error;

/// The message for an error of a file. It begins with the name of the file.
pub(crate) fn file(error: &Error) -> String {
    match error {
        Error::Io { path, error, action: "create" } if error.kind() == io::ErrorKind::NotFound => {
            format!("{}: its folder does not exist", path.display())
        }
        Error::Io { path, error, .. } if error.kind() == io::ErrorKind::NotFound => {
            format!("{}: not found", path.display())
        }
        Error::Exists { .. } => format!("{error} (--force overwrites it)"),
        Error::Io { path, error, action } => {
            format!("{}: cannot {action}: {}", path.display(), system(error))
        }
        _ => error.to_string(),
    }
}

/// The message for an error of opening or reading a model. It begins with the name of a file.
pub(crate) fn asset(error: &meshlens_assets::Error) -> String {
    match error {
        meshlens_assets::Error::Source(error) => file(error),
        meshlens_assets::Error::Read { file, error } if error.kind() == io::ErrorKind::NotFound => {
            format!("{file}: not found")
        }
        meshlens_assets::Error::Read { file, error } => {
            format!("{file}: cannot read: {}", system(error))
        }
        meshlens_assets::Error::List { folder, error } => {
            format!("{folder}: cannot list: {}", system(error))
        }
        // Reports have the name without quotes.
        meshlens_assets::Error::Refused(Refused { name, reason, .. }) => {
            let name: String = name.chars().take(1024).collect();
            format!("{name}: refused: {reason}")
        }
        meshlens_assets::Error::Memory { .. } => format!("{error}; --max-memory allows more"),
        _ => error.to_string(),
    }
}

/// The message for an error of a server, without the name of the file.
pub(crate) fn server(error: &meshlens_stream::Error) -> String {
    use meshlens_stream::Error;

    match error {
        error if error.is_not_found() => "not found".into(),
        Error::Redirect { to, .. } => {
            format!("redirects to {to}, another host; --allow-redirects permits it")
        }
        Error::Read { reason, .. } => reason.to_string(),
        error => error.to_string(),
    }
}

/// The message for an error of a file system, which may be that of a server.
fn system(error: &io::Error) -> String {
    type Cause<'a> = &'a (dyn std::error::Error + 'static);

    let first: Cause<'_> = error;
    let causes = iter::successors(Some(first), |cause| match cause.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().map(|inner| inner as Cause<'_>),
        None => cause.source(),
    });
    let of_server = causes.filter_map(|cause| cause.downcast_ref()).map(server).next();
    of_server.unwrap_or_else(|| error.to_string())
}

/// The message for an error of the file `uri`, without its name.
pub(crate) fn reason(uri: &str, error: &meshlens_assets::Error) -> String {
    let text = asset(error);
    match text.strip_prefix(uri).and_then(|rest| rest.strip_prefix(": ")) {
        Some(rest) => rest.into(),
        None => text,
    }
}

/// The reason why the bytes of the model `uri` do not parse.
pub(crate) fn model(uri: &str, files: &LoadedFiles, error: &meshlens::Error) -> String {
    match error.kind() {
        _ if files.is_empty() => "the file is empty".into(),
        ErrorKind::Magic { .. } if error.offset() == 0 && matches!(files.files(), ModelFiles::Single(_)) => {
            let bytes = files.first();
            if let Some(other) = foreign_format(bytes) {
                return format!("this is {other}");
            }
            match known_extension(uri) {
                // Commands that read glTF never report an error for such a file here.
                _ if files.importer().is_some() => {
                    "glTF files are read only by inspect, convert and thumb".into()
                }
                // The parser has its own message for the other format with this extension.
                Some("Ultimate 3D file") if bytes.starts_with(b"U3D\0") => error.to_string(),
                Some(name) => of_kind(name, bytes, error),
                None => format!("not a mesh of a known format: it begins with {}", beginning(bytes)),
            }
        }
        ErrorKind::Encrypted { .. } => format!("{error} (--password TEXT or MESHLENS_PASSWORD)"),
        _ => error.to_string(),
    }
}

/// The reason why `bytes` do not parse as the expected kind of file, `name`.
pub(crate) fn of_kind(name: &str, bytes: &[u8], error: &meshlens::Error) -> String {
    match error.kind() {
        _ if bytes.is_empty() => "the file is empty".into(),
        ErrorKind::Magic { .. } if error.offset() == 0 => {
            format!("not {} {name}: it begins with {}", article(name), beginning(bytes))
        }
        _ => error.to_string(),
    }
}

/// Whether a file has a name of glTF.
pub(crate) fn has_gltf_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["glb", "gltf"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn known_extension(uri: &str) -> Option<&'static str> {
    let extension = Path::new(uri).extension()?.to_str()?.to_ascii_lowercase();
    let names = [
        ("glb", "glTF file"),
        ("gltf", "glTF file"),
        ("md3", "MD3 file"),
        ("u3d", "Ultimate 3D file"),
        ("mesh", "UNIGINE mesh"),
        ("anim", "UNIGINE animation"),
    ];
    names.into_iter().find_map(|(known, name)| (known == extension).then_some(name))
}

fn article(name: &str) -> &'static str {
    // Names whose pronunciation begins with a vowel: "an em-dee-three", but "a you-nigine".
    if name.starts_with("MD3") || name.starts_with("Ultimate") { "an" } else { "a" }
}

/// Describes the first bytes of a file.
fn beginning(bytes: &[u8]) -> String {
    let head = bytes.get(..bytes.len().min(8)).unwrap_or_default();
    let quoted = format!("\"{}\"", head.escape_ascii());
    let known: [(&[u8], &str); 7] = [
        (b"IDP3", "an MD3 model"),
        (b"glTF", "a binary glTF file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x89PNG", "a PNG image"),
        (b"ms1", "a UNIGINE mesh"),
        (b"an1", "a UNIGINE animation"),
    ];
    if let Some((_, name)) = known.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return (*name).into();
    }
    if head.iter().all(|byte| *byte == 0) {
        return "zeros".into();
    }
    let sample = bytes.get(..bytes.len().min(64)).unwrap_or_default();
    let is_text = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_graphic() || b" \t\r\n".contains(byte));
    if is_text(sample) { format!("text, {quoted}") } else { quoted }
}
