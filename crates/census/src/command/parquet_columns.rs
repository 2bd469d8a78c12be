//! Flat columns of Parquet files, row by row, as bytes and integers, for any types that the file declares. Files are not
//! trusted: pages have a limit, and a panic of the crate `parquet` is an error.

use std::fs::File;
use std::path::Path;
use std::vec;

use meshlens_source::open_regular;
use meshlens_terminal::catch;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};

use crate::stop::{Result, Stop};

/// The number of rows that are decoded at a time. Few, because a value may be as long as its page.
const ROWS: usize = 16;
/// The largest page. DuckDB writes pages of up to 100 MB, and other programs write 1 MiB.
const LARGEST_PAGE: usize = 128 << 20;
/// The largest page of texts that continue the text before them, each of which may be as long as the page.
const LARGEST_CONTINUED: usize = 1 << 20;

/// A Parquet file.
pub(crate) struct ParquetFile {
    reader: SerializedFileReader<Pages>,
    name: String,
}

/// A value of a column.
#[derive(Clone, Debug, Default)]
pub(crate) enum Cell {
    /// Null, or the file has no such column.
    #[default]
    Null,
    Text(ByteArray),
    Number(i64),
}

impl Cell {
    /// The bytes of a text.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        if let Cell::Text(text) = self { Some(text.data()) } else { None }
    }
}

/// The rows of a row group.
pub(crate) struct Rows<const N: usize> {
    name: String,
    columns: [Column; N],
    left: u64,
}

/// A column, and the values that are decoded.
struct Column(Option<ColumnReader>, vec::IntoIter<Cell>);

impl ParquetFile {
    pub(crate) fn open(path: &Path) -> Result<ParquetFile> {
        let (file, name) = (open_regular(path)?, path.display().to_string());
        let reader = guarded(&name, || SerializedFileReader::new(Pages(file)))?;
        Ok(ParquetFile { reader, name })
    }

    /// The number of rows in each row group.
    pub(crate) fn groups(&self) -> Vec<u64> {
        let groups = self.reader.metadata().row_groups().iter();
        groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect()
    }

    /// The names of the columns that have one value for each row.
    pub(crate) fn names(&self) -> Vec<&str> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let flat = schema.columns().iter().filter(|column| column.max_rep_level() == 0);
        flat.filter(|column| column.path().parts().len() == 1).map(|column| column.name()).collect()
    }

    /// The rows of one row group. Only columns of texts and of integers can be read.
    pub(crate) fn rows<const N: usize>(&self, group: usize, names: [&str; N]) -> Result<Rows<N>> {
        let metadata = self.reader.metadata();
        let left = metadata.row_groups().get(group).and_then(|group| u64::try_from(group.num_rows()).ok());
        let mut columns = names.map(|_| Column(None, vec::IntoIter::default()));
        for (column, name) in columns.iter_mut().zip(names) {
            column.0 = guarded(&self.name, || self.column(group, name))?;
        }
        Ok(Rows { name: self.name.clone(), columns, left: left.unwrap_or(0) })
    }

    /// Reads and decompresses the pages of every column of a row group.
    pub(crate) fn check(&self, group: usize) -> Result<()> {
        guarded(&self.name, || {
            let group = self.reader.get_row_group(group)?;
            for column in 0..group.num_columns() {
                let mut pages =
                    Checked { pages: group.get_column_page_reader(column)?, has_dictionary: false };
                pages.try_for_each(|page| page.map(drop))?;
            }
            Ok(())
        })
    }

    fn column(&self, group: usize, name: &str) -> parquet::errors::Result<Option<ColumnReader>> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let found = schema.columns().iter().enumerate().find(|(_, column)| {
            column.path().parts().len() == 1 && column.name() == name && column.max_rep_level() == 0
        });
        let Some((index, column)) = found else { return Ok(None) };
        let pages = self.reader.get_row_group(group)?.get_column_page_reader(index)?;
        let reader = get_column_reader(column.clone(), Box::new(Checked { pages, has_dictionary: false }));
        match reader {
            ColumnReader::ByteArrayColumnReader(_)
            | ColumnReader::Int64ColumnReader(_)
            | ColumnReader::Int32ColumnReader(_) => Ok(Some(reader)),
            _ => Err(error(format!("the column {name} is not one of texts or integers"))),
        }
    }
}

/// Calls a function of `parquet`. Errors and panics name the file.
fn guarded<T>(name: &str, call: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T> {
    let stop = |error: &dyn std::fmt::Display| Stop(format!("{name}: {error}"));
    catch(call).map_err(|panic| stop(&panic))?.map_err(|error| stop(&error))
}

fn error(text: String) -> ParquetError {
    ParquetError::General(text)
}

impl<const N: usize> Iterator for Rows<N> {
    type Item = Result<[Cell; N]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = &self.name;
        let mut cells = [const { Cell::Null }; N];
        for (column, cell) in self.columns.iter_mut().zip(&mut cells) {
            match guarded(name, || column.next()) {
                Ok(value) => *cell = value,
                Err(stop) => {
                    self.left = 0;
                    return Some(Err(stop));
                }
            }
        }
        Some(Ok(cells))
    }
}

impl Column {
    fn next(&mut self) -> parquet::errors::Result<Cell> {
        let Some(reader) = &mut self.0 else { return Ok(Cell::Null) };
        if let Some(cell) = self.1.next() {
            return Ok(cell);
        }
        let cells = match reader {
            ColumnReader::ByteArrayColumnReader(reader) => values(reader, Cell::Text)?,
            ColumnReader::Int64ColumnReader(reader) => values(reader, Cell::Number)?,
            ColumnReader::Int32ColumnReader(reader) => values(reader, |number| Cell::Number(number.into()))?,
            _ => Vec::new(),
        };
        self.1 = cells.into_iter();
        self.1.next().ok_or_else(|| error("a column has fewer rows than its row group".into()))
    }
}

/// The next values of a column.
fn values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    cell: impl Fn(T::T) -> Cell,
) -> parquet::errors::Result<Vec<Cell>> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    reader.read_records(ROWS, Some(&mut levels), None, &mut values)?;
    let mut values = values.into_iter().map(cell);
    if levels.is_empty() {
        // No value is null.
        return Ok(values.collect());
    }
    let cells = levels.into_iter().map(|level| if level > 0 { values.next() } else { None });
    Ok(cells.map(Option::unwrap_or_default).collect())
}

/// The pages of a column, without those at which `parquet` panics or takes much memory.
struct Checked {
    pages: Box<dyn PageReader>,
    has_dictionary: bool,
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> parquet::errors::Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        match &page {
            Some(Page::DictionaryPage { .. }) => self.has_dictionary = true,
            Some(page) => match page.encoding() {
                Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if !self.has_dictionary => {
                    return Err(error("a page needs a dictionary, and there is none".into()));
                }
                Encoding::DELTA_BYTE_ARRAY if page.buffer().len() > LARGEST_CONTINUED => {
                    return Err(error(format!(
                        "a page of continued texts has more than {LARGEST_CONTINUED} bytes"
                    )));
                }
                _ => {}
            },
            None => {}
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> parquet::errors::Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> parquet::errors::Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> parquet::errors::Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for Checked {
    type Item = parquet::errors::Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// A file whose pages have a limit.
struct Pages(File);

impl Length for Pages {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for Pages {
    type T = <File as ChunkReader>::T;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // Only the end of the file is read in this way, beside the headers of pages.
        if start + 8 < self.len() {
            check_header(&mut self.0.get_read(start)?)?;
        }
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        if length > LARGEST_PAGE {
            return Err(error(format!("{length} bytes at {start:#x} exceed the limit of {LARGEST_PAGE}")));
        }
        self.0.get_bytes(start, length)
    }
}

/// Checks the size of a page before it is decompressed: the second field of its header, in Thrift's compact protocol.
fn check_header(header: &mut impl std::io::Read) -> parquet::errors::Result<()> {
    let mut bytes = [0; 12];
    let len = header.read(&mut bytes)?;
    let mut rest = bytes[..len].iter();
    let mut field = || -> Option<u64> {
        // An integer of 32 bits, in the field after the last one.
        rest.next().filter(|byte| **byte == 0x15)?;
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = u64::from(*rest.next()?);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    };
    let size = field().and_then(|_| field());
    match size {
        // Zigzag.
        Some(size) if size / 2 <= LARGEST_PAGE as u64 => Ok(()),
        Some(size) => Err(error(format!("a page of {} bytes exceeds the limit of {LARGEST_PAGE}", size / 2))),
        None => Err(error("the header of a page does not begin with its type and its size".into())),
    }
}
