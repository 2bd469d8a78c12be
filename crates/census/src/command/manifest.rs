//! Lists of files: the columns `uri`, `size` and `etag`, as Parquet or as CSV.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use csv::{ByteRecord, ReaderBuilder};
use meshlens_source::{AtomicFile, open_regular};
use parquet::arrow::ArrowWriter;

use crate::parquet_columns::{Cell, ParquetFile};
use crate::part;
use crate::stop::{Result, Stop};

/// The columns of a list.
const COLUMNS: [&str; 3] = ["uri", "size", "etag"];
/// The number of rows that are passed on together.
const TOGETHER: usize = 1 << 12;
/// The largest number of rows of a list. A small Parquet file can state any number of equal rows.
const MOST_ROWS: u64 = 1 << 28;
/// The largest number of bytes of a row of a text file, and of the header.
const LONGEST_ROW: usize = 1 << 20;
/// The largest number of bytes of a field that is kept: more than any path or URL that can be read.
pub(crate) const LONGEST_FIELD: usize = 8 << 10;

/// A file in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) uri: String,
    pub(crate) size: Option<u64>,
    pub(crate) etag: Option<String>,
    /// The reason why the row of the list is invalid.
    pub(crate) fault: Option<String>,
}

/// The start of a field.
fn cut(field: &[u8]) -> &[u8] {
    field.get(..LONGEST_FIELD).unwrap_or(field)
}

impl Listed {
    /// A row of three fields. An invalid row becomes a row with a fault.
    fn new(
        uri: Option<&[u8]>,
        size: std::result::Result<Option<u64>, String>,
        etag: Option<&[u8]>,
    ) -> Listed {
        let text = |bytes: &[u8]| String::from_utf8_lossy(cut(bytes)).into_owned();
        let is_long = |bytes: Option<&[u8]>| bytes.is_some_and(|bytes| bytes.len() > LONGEST_FIELD);
        let is_text = |bytes: Option<&[u8]>| bytes.is_none_or(|bytes| str::from_utf8(bytes).is_ok());
        let fault = match (uri, &size) {
            (None | Some([]), _) => Some("the uri is missing".into()),
            (uri, _) if is_long(uri) || is_long(etag) => {
                Some(format!("the uri or the etag has more than {LONGEST_FIELD} bytes"))
            }
            (uri, _) if !is_text(uri) => Some("the uri is not UTF-8".into()),
            _ if !is_text(etag) => Some("the etag is not UTF-8".into()),
            (_, Err(error)) => Some(error.clone()),
            _ => None,
        };
        Listed {
            uri: uri.map(text).unwrap_or_default(),
            size: size.unwrap_or_default(),
            etag: etag.filter(|etag| !etag.is_empty()).map(text),
            fault,
        }
    }
}

/// Calls `each` with the rows of a list, in order, several at a time. If the name of the list ends in `.parquet`, it is
/// read as Parquet; otherwise as CSV with a header, separated by commas or tabs.
pub(crate) fn read(path: &Path, mut each: impl FnMut(Vec<Listed>) -> Result<()>) -> Result<()> {
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet")) {
        return read_text(path, &mut each);
    }
    let file = ParquetFile::open(path)?;
    check(path, &file.names())?;
    let groups = file.groups();
    let count = groups.iter().fold(0, |sum: u64, rows| sum.saturating_add(*rows));
    if count > MOST_ROWS {
        return Err(Stop(format!(
            "{}: a list has at most {MOST_ROWS} rows, and this has {count}",
            path.display()
        )));
    }
    for group in 0..groups.len() {
        let mut rows = read_group(&file, group)?;
        loop {
            let some = rows.by_ref().take(TOGETHER).collect::<Result<Vec<Listed>>>()?;
            if some.is_empty() {
                break;
            }
            each(some)?;
        }
    }
    Ok(())
}

/// The rows of one row group.
pub(crate) fn read_group(
    file: &ParquetFile,
    group: usize,
) -> Result<impl Iterator<Item = Result<Listed>> + use<>> {
    let rows = file.rows(group, ["uri", "size", "etag", "fault"])?;
    Ok(rows.map(|row| {
        let [uri, size, etag, fault] = row?;
        let size = match size {
            Cell::Number(size) => u64::try_from(size).map(Some).map_err(|_| format!("the size is {size}")),
            Cell::Null => Ok(None),
            Cell::Text(_) => Err("the size is not a number".to_owned()),
        };
        let listed = Listed::new(uri.text(), size, etag.text());
        let known = fault.text().map(|fault| String::from_utf8_lossy(cut(fault)).into_owned());
        Ok(Listed { fault: known.or(listed.fault), ..listed })
    }))
}

/// Fails if columns are missing.
fn check(path: &Path, names: &[impl AsRef<str>]) -> Result<()> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let missing: Vec<&str> = COLUMNS.into_iter().filter(|name| !names.contains(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Stop(format!(
        "{}: a list of files has the columns uri, size and etag; missing: {}; found: {}",
        path.display(),
        missing.join(", "),
        names.join(", ")
    )))
}

/// A text file, of which a row has a limit: a quoted field would otherwise be as long as the file.
struct Lines {
    file: File,
    /// The number of bytes that may be read for this row.
    left: usize,
}

impl Read for Lines {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!("a row has more than {LONGEST_ROW} bytes")));
        }
        let len = self.file.read(out)?;
        self.left = self.left.saturating_sub(len);
        Ok(len)
    }
}

fn read_text(path: &Path, each: &mut dyn FnMut(Vec<Listed>) -> Result<()>) -> Result<()> {
    let mut start = Vec::new();
    open_regular(path)?.take(4096).read_to_end(&mut start).map_err(Stop::at(path))?;
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let delimiter = if header.contains(&b'\t') { b'\t' } else { b',' };
    let lines = Lines { file: open_regular(path)?, left: LONGEST_ROW };
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(lines);
    let header = reader.byte_headers().map_err(Stop::at(path))?;
    let names: Vec<String> =
        header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
    check(path, &names)?;
    let [uri, size, etag] = COLUMNS.map(|column| names.iter().position(|name| name == column));
    let mut rows = Vec::new();
    let mut record = ByteRecord::new();
    loop {
        reader.get_mut().left = LONGEST_ROW;
        if !reader.read_byte_record(&mut record).map_err(Stop::at(path))? {
            break;
        }
        let field = |index: Option<usize>| index.and_then(|index| record.get(index));
        let mut listed = Listed::new(field(uri), number(field(size)), field(etag));
        if record.len() != names.len() && listed.fault.is_none() {
            listed.fault =
                Some(format!("the row has {} fields, and the header {}", record.len(), names.len()));
        }
        rows.push(listed);
        if rows.len() == TOGETHER {
            each(std::mem::take(&mut rows))?;
        }
    }
    each(rows)
}

/// A size in a text file; `None` if the field is empty.
fn number(field: Option<&[u8]>) -> std::result::Result<Option<u64>, String> {
    let text = field.map(String::from_utf8_lossy).unwrap_or_default();
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("the size is {text:?}, not a number")),
    }
}

/// Writes a list as Parquet, whose row groups have the same number of rows.
pub(crate) struct Writer {
    writer: ArrowWriter<AtomicFile>,
    rows: u64,
}

fn schema() -> SchemaRef {
    let text = |name, nullable| Field::new(name, DataType::Utf8, nullable);
    let size = Field::new("size", DataType::Int64, true);
    Arc::new(Schema::new(vec![text("uri", false), size, text("etag", true), text("fault", true)]))
}

impl Writer {
    /// Starts a list.
    pub(crate) fn create(path: &Path, group_rows: usize, overwrite: bool) -> Result<Writer> {
        let file = AtomicFile::create(path, overwrite)?;
        Ok(Writer { writer: part::writer(file, schema(), group_rows)?, rows: 0 })
    }

    pub(crate) fn write(&mut self, rows: &[Listed]) -> Result<()> {
        let text = |cell: fn(&Listed) -> Option<&str>| -> ArrayRef {
            Arc::new(rows.iter().map(cell).collect::<StringArray>())
        };
        let size = |row: &Listed| row.size.and_then(|size| i64::try_from(size).ok());
        let columns = vec![
            text(|row| Some(&row.uri)),
            Arc::new(rows.iter().map(size).collect::<Int64Array>()),
            text(|row| row.etag.as_deref()),
            text(|row| row.fault.as_deref()),
        ];
        self.rows += rows.len() as u64;
        let batch = RecordBatch::try_new(schema(), columns).map_err(Stop::new)?;
        let path = self.writer.inner().path().to_owned();
        self.writer.write(&batch).map_err(Stop::at(&path))
    }

    /// Moves the list to its final path, and returns the number of its rows.
    pub(crate) fn finish(self) -> Result<u64> {
        part::finish(self.writer)?;
        Ok(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(name: &str, content: &[u8]) -> Result<Vec<Listed>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut rows = Vec::new();
        read(&path, |more| {
            rows.extend(more);
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn invalid_rows_of_a_text_file_have_a_reason() {
        let text = b"etag,uri,size\n\"\"\"1\"\"\",a.md3,12\n,b.md3,\nx,,1\nx,c.md3,many\nx,d\xff.md3,1\nx\n";
        let rows = rows_of("list.csv", text).unwrap();
        let row = |uri: &str, size, etag: Option<&str>| Listed {
            uri: uri.into(),
            size,
            etag: etag.map(str::to_owned),
            fault: None,
        };
        assert_eq!(rows[..2], [row("a.md3", Some(12), Some("\"1\"")), row("b.md3", None, None)]);
        let faults: Vec<_> = rows[2..].iter().map(|row| row.fault.as_deref().unwrap()).collect();
        let expected = [
            "the uri is missing",
            "the size is \"many\", not a number",
            "the uri is not UTF-8",
            "the uri is missing",
        ];
        assert_eq!(faults, expected);
        assert_eq!(rows[4].uri, "d\u{fffd}.md3");
        assert_eq!(rows_of("list.txt", b"uri\tsize\tetag\na,b.md3\t1\t2\n").unwrap()[0].uri, "a,b.md3");
    }

    #[test]
    fn missing_columns_are_named() {
        let error = rows_of("list.csv", b"uri,length\na.md3,1\n").unwrap_err().to_string();
        assert!(error.ends_with("missing: size, etag; found: uri, length"), "{error}");
        assert!(rows_of("list.parquet", b"PAR1").unwrap_err().to_string().contains("list.parquet: "));
    }

    #[test]
    fn a_written_list_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.parquet");
        let row = |number: u64| Listed {
            uri: format!("{number}.md3"),
            size: (number != 1).then_some(number),
            etag: (number == 2).then(|| "2".into()),
            fault: (number == 3).then(|| "broken".into()),
        };
        let rows: Vec<Listed> = (0..5).map(row).collect();
        let mut writer = Writer::create(&path, 2, false).unwrap();
        writer.write(&rows[..3]).unwrap();
        writer.write(&rows[3..]).unwrap();
        assert_eq!(writer.finish().unwrap(), 5);
        let file = ParquetFile::open(&path).unwrap();
        assert_eq!(file.groups(), [2, 2, 1]);
        assert_eq!(read_group(&file, 1).unwrap().map(Result::unwrap).collect::<Vec<_>>(), rows[2..4]);
    }

    #[test]
    fn damaged_lists_are_rows_or_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.parquet");
        let mut writer = Writer::create(&path, 40, false).unwrap();
        let row = |number: u64| Listed {
            uri: format!("{}.md3", number % 7),
            size: Some(number),
            ..Listed::default()
        };
        writer.write(&(0..64).map(row).collect::<Vec<_>>()).unwrap();
        writer.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        let text = b"uri,size,etag\na.md3,1,\"x\"\n\"b\",2,\n".to_vec();
        for (name, bytes) in [("list.parquet", whole), ("list.csv", text)] {
            let mut outcomes = [0, 0];
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                outcomes[usize::from(rows_of(name, &damaged).is_ok())] += 1;
                outcomes[usize::from(rows_of(name, &bytes[..at]).is_ok())] += 1;
            }
            assert!(outcomes.iter().all(|count| *count > 5), "{name}: {outcomes:?}");
        }
    }
}
