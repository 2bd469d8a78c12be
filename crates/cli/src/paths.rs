//! The list of paths of `--files-from`.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use meshlens_source::{RandomAccessFile, ReadAt};

use crate::errors;

/// The largest size of a list that is kept in memory, in bytes.
const LIMIT: usize = 256 << 20;
/// The largest size of one path, in bytes.
const LONGEST: usize = 1 << 16;

/// A list of paths, one per line, or separated by NUL if its start contains one. It is read only as far as paths are
/// requested. The default is an empty list.
#[derive(Default)]
pub(crate) struct List {
    names: Option<Box<dyn BufRead + Send>>,
    separator: u8,
    /// The name of the list in errors.
    shown: String,
}

impl List {
    /// Opens the list at `path`, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<List, String> {
        let mut reader: Box<dyn Read + Send> = if path.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            let file = RandomAccessFile::open(path).map_err(|error| errors::file(&error))?;
            Box::new(ListFile { file, offset: 0 })
        };
        let shown = path.display().to_string();
        let mut start = Vec::new();
        // This does not wait for data that is not yet written to a pipe.
        while start.len() < LONGEST && !start.iter().any(|byte| [0, b'\n'].contains(byte)) {
            let mut more = [0; 4096];
            match reader.read(&mut more) {
                Ok(0) => break,
                Ok(len) => start.extend_from_slice(more.get(..len).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("{shown}: {error}")),
            }
        }
        if meshlens::Format::detect(&start).is_some()
            || start.starts_with(b"glTF")
            || start.starts_with(b"PK\x03\x04")
        {
            return Err(format!("{shown}: a model or an archive, not a list of paths"));
        }
        // The byte order mark of UTF-8, which some editors write, or of UTF-16, as Windows PowerShell 5 writes text.
        if start.starts_with(b"\xef\xbb\xbf") {
            start.drain(..3);
        } else if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            let rest = reader.by_ref().take(LIMIT as u64).read_to_end(&mut start);
            rest.map_err(|error| format!("{shown}: {error}"))?;
            if start.len() > LIMIT {
                return Err(too_long(&shown));
            }
            start =
                utf8(&start).ok_or_else(|| format!("{shown}: begins as UTF-16, and is not"))?.into_bytes();
        }
        let separator = if start.contains(&0) { 0 } else { b'\n' };
        let names: Box<dyn BufRead + Send> =
            Box::new(BufReader::with_capacity(LONGEST, io::Cursor::new(start).chain(reader)));
        Ok(List { names: Some(names), separator, shown })
    }

    /// All paths, for commands that walk through them twice: `convert` and `thumb` name every output before they write the first,
    /// because two models may have the same name. 100,000 paths of 49 bytes take 26 MB.
    pub(crate) fn read_all(self) -> Result<Vec<PathBuf>, String> {
        let shown = self.shown.clone();
        let (mut paths, mut bytes) = (Vec::new(), 0);
        for path in self {
            let path = path?;
            bytes += path.as_os_str().len();
            if bytes > LIMIT {
                return Err(too_long(&shown));
            }
            paths.push(path);
        }
        Ok(paths)
    }

    /// The next name; `None` at the end.
    fn name(&mut self) -> Result<Option<PathBuf>, String> {
        while let Some(names) = &mut self.names {
            let mut name = Vec::new();
            let read = names.take(LONGEST as u64 + 1).read_until(self.separator, &mut name);
            if read.map_err(|error| format!("{}: {error}", self.shown))? == 0 {
                return Ok(None);
            }
            if name.last() == Some(&self.separator) {
                name.pop();
            } else if name.len() > LONGEST {
                return Err(format!(
                    "{}: a path of more than {LONGEST} bytes, which is the limit",
                    self.shown
                ));
            }
            if self.separator == b'\n' && name.last() == Some(&b'\r') {
                name.pop();
            }
            if !name.is_empty() {
                return os_string(name).map(|name| Some(name.into()));
            }
        }
        Ok(None)
    }
}

impl Iterator for List {
    type Item = Result<PathBuf, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.name().transpose();
        // The list ends after an error or after its last path.
        if !matches!(name, Some(Ok(_))) {
            self.names = None;
        }
        name
    }
}

fn too_long(shown: &str) -> String {
    format!("{shown}: a list of more than {LIMIT} bytes, which is the limit")
}

/// UTF-16 with a byte order mark as UTF-8.
fn utf8(bytes: &[u8]) -> Option<String> {
    let (pairs, []) = bytes.as_chunks() else { return None };
    let (mark, text) = pairs.split_first()?;
    let unit: fn([u8; 2]) -> u16 =
        if *mark == [0xFF, 0xFE] { u16::from_le_bytes } else { u16::from_be_bytes };
    char::decode_utf16(text.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok()
}

/// A file that is read from its start to its end.
struct ListFile {
    file: RandomAccessFile,
    offset: u64,
}

impl Read for ListFile {
    fn read(&mut self, mut buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read_at(self.offset, buffer.len() as u64).map_err(io::Error::other)?;
        self.offset += bytes.len() as u64;
        buffer.write(&bytes)
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have names that bytes cannot be")]
fn os_string(bytes: Vec<u8>) -> Result<OsString, String> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Result<OsString, String> {
    String::from_utf8(bytes)
        .map(OsString::from)
        .map_err(|error| format!("the list of files has a name that is not UTF-8: {}", error.to_string()))
}
