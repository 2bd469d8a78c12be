//! Where the arrays of a file are. A fuzzer changes one file again and again, and finding its arrays takes longer than a change of
//! values in them, so that each thread remembers the layouts of recent files.

use core::cell::RefCell;
use core::ops::Range;
use std::rc::Rc;

use meshlens::Document;

/// An array of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its bytes. Bytes that are not in the file are ignored.
    pub range: Range<usize>,
    /// The number of elements.
    pub count: usize,
    /// The distance of elements, in bytes.
    pub stride: usize,
    /// The size of a number of an element, in bytes.
    pub number: usize,
    /// Whether the numbers are floats.
    pub is_float: bool,
}

/// The arrays of a document; those of its file with this index begin at `starts[index]`.
pub(crate) fn tables(document: &Document<'_>, starts: &[usize]) -> Vec<Table> {
    let arrays = document.arrays().filter(|array| !array.lens.is_empty());
    let tables = arrays.map(|array| {
        let (lens, start) = (array.lens, starts.get(array.file).copied().unwrap_or_default());
        let component = lens.format().component();
        let range = lens.byte_range();
        Table {
            range: range.start as usize + start..range.end as usize + start,
            count: lens.len(),
            stride: lens.stride(),
            number: component.size(),
            is_float: component.numpy() == "<f4",
        }
    });
    tables.collect()
}

/// The arrays of a file that parses, and what is between them.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The arrays, by their beginning.
    pub(crate) tables: Vec<Table>,
    /// The bytes between arrays, in order.
    pub(crate) gaps: Vec<Range<usize>>,
}

impl Layout {
    fn new(mut tables: Vec<Table>, len: usize) -> Layout {
        tables.sort_by_key(|table| table.range.start);
        let mut start = 0;
        let mut gaps = Vec::new();
        for range in tables.iter().map(|table| table.range.clone()).chain(core::iter::once(len..len)) {
            let end = range.start.min(len);
            if start < end {
                gaps.push(start..end);
            }
            start = start.max(range.end);
        }
        Layout { tables, gaps }
    }
}

/// The layout of a file, or `None` if it does not parse.
type Found = Option<Rc<Layout>>;

/// The number of files whose layouts a thread remembers, and the number of arrays after which it forgets all.
const FILES: usize = 2048;
const MOST_TABLES: usize = 1 << 18;

/// Layouts by hashes. A layout depends on the file alone, so that results do not depend on which ones are remembered.
struct Known {
    found: Vec<(u64, Found)>,
    tables: usize,
}

thread_local! {
    static KNOWN: RefCell<Known> = const { RefCell::new(Known { found: Vec::new(), tables: 0 }) };
}

impl Known {
    fn remember(&mut self, key: u64, found: Found) {
        if self.tables > MOST_TABLES || self.found.is_empty() {
            *self = Known { found: vec![(0, None); FILES], tables: 0 };
        }
        if let Some(place) = self.found.get_mut(slot(key)) {
            *place = (key, found);
        }
    }
}

const fn slot(key: u64) -> usize {
    (key >> 32) as usize % FILES
}

/// A hash of a file and its format.
fn key(format: &str, file: &[u8]) -> u64 {
    let add = |hash: u64, word: [u8; 8]| {
        (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let mut hash = 0;
    for bytes in [format.as_bytes(), file] {
        let (words, rest) = bytes.as_chunks();
        hash = words.iter().fold(hash, |hash, word| add(hash, *word));
        hash = rest.iter().fold(hash, |hash, byte| add(hash, [*byte; 8]));
        hash = add(hash, (bytes.len() as u64).to_le_bytes());
    }
    hash
}

/// The layout of a file of the format with this name, whose arrays `tables` finds.
pub(crate) fn of(format: &str, file: &[u8], tables: impl FnOnce() -> Option<Vec<Table>>) -> Found {
    let key = key(format, file);
    let known = KNOWN.with_borrow(|known| {
        known.found.get(slot(key)).filter(|(other, _)| *other == key).map(|(_, found)| found.clone())
    });
    known.unwrap_or_else(|| {
        let found = tables().map(|tables| Rc::new(Layout::new(tables, file.len())));
        KNOWN.with_borrow_mut(|known| {
            known.tables += found.as_ref().map_or(0, |layout| layout.tables.len());
            known.remember(key, found.clone());
        });
        found
    })
}

/// Remembers the layout of a file in whose arrays values were changed.
pub(crate) fn keep(format: &str, file: &[u8], layout: &Rc<Layout>) {
    KNOWN.with_borrow_mut(|known| known.remember(key(format, file), Some(layout.clone())));
}
