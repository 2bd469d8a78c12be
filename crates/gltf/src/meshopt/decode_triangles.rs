//! Decodes triangles (appendix A, mode 1).
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::reader::{Reader, push};
use super::{Fault, TRIANGLES};

/// The bytes of the table at the end.
const TABLE: usize = 16;

/// The last 16 values.
struct Fifo<T> {
    values: [T; 16],
    /// The number of values so far.
    count: usize,
}

impl<T: Copy + Default> Fifo<T> {
    fn new() -> Self {
        Fifo { values: [T::default(); 16], count: 0 }
    }

    fn push(&mut self, value: T) {
        if let Some(slot) = self.values.get_mut(self.count % 16) {
            *slot = value;
        }
        self.count += 1;
    }

    /// The value before the last `ago` values; `None` if there is none.
    fn get(&self, ago: u8) -> Option<T> {
        let index = self.count.checked_sub(usize::from(ago) + 1)?;
        self.values.get(index % 16).copied()
    }
}

/// The state of the decoder.
struct Decoder<'b> {
    data: Reader<'b>,
    edges: Fifo<[u32; 2]>,
    vertices: Fifo<u32>,
    next: u32,
    last: u32,
}

impl Decoder<'_> {
    fn new_vertex(&mut self) -> u32 {
        let vertex = self.next;
        self.next = vertex.wrapping_add(1);
        vertex
    }

    fn spelled(&mut self) -> Result<u32, Fault> {
        let code = self.data.varint()?;
        self.last = self.last.wrapping_add(code >> 1 ^ (code & 1).wrapping_neg());
        Ok(self.last)
    }

    fn seen<T>(&self, found: Option<T>) -> Result<T, Fault> {
        found.ok_or(Fault { offset: self.data.at, expected: "a recent vertex or edge" })
    }

    /// A triangle that shares a recent edge.
    fn beside(&mut self, edge: u8, corner: u8) -> Result<[u32; 3], Fault> {
        let [a, b] = self.seen(self.edges.get(edge))?;
        let c = match corner {
            0 => self.new_vertex(),
            13 | 14 => {
                self.last = if corner == 13 { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                self.last
            }
            15 => self.spelled()?,
            ago => self.seen(self.vertices.get(ago))?,
        };
        if corner == 0 || corner > 12 {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok([a, b, c])
    }

    /// A triangle without a recent edge. Corners of kind 0 are new vertices, corners of kind 15 are numbers, and other
    /// corners are recent vertices.
    fn alone(&mut self, kinds: [u8; 3]) -> Result<[u32; 3], Fault> {
        let mut corners = [0; 3];
        for (corner, kind) in corners.iter_mut().zip(kinds) {
            *corner = match kind {
                0 => self.new_vertex(),
                15 => self.spelled()?,
                ago => self.seen(self.vertices.get(ago - 1))?,
            };
        }
        for (corner, kind) in corners.into_iter().zip(kinds) {
            if kind == 0 || kind == 15 {
                self.vertices.push(corner);
            }
        }
        let [a, b, c] = corners;
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok(corners)
    }
}

/// The indices of `count / 3` triangles.
pub(super) fn triangles(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Fault> {
    let mut data = Reader::new(bytes, TRIANGLES, "0xe1", TABLE)?;
    let table = bytes.last_chunk::<TABLE>().copied().unwrap_or_default();
    let codes = data.take(count / 3)?;
    let mut out = Vec::with_capacity(count * stride);
    let (edges, vertices) = (Fifo::new(), Fifo::new());
    let mut decoder = Decoder { data, edges, vertices, next: 0, last: 0 };
    for code in codes {
        let (high, low) = (code >> 4, code & 15);
        let corners = match (high, low) {
            (0..15, _) => decoder.beside(high, low)?,
            (_, 0..14) => {
                let kinds = table.get(usize::from(low)).copied().unwrap_or_default();
                // Entries of the table cannot refer to numbers.
                if kinds >> 4 == 15 || kinds & 15 == 15 {
                    let offset = bytes.len().saturating_sub(TABLE) + usize::from(low);
                    return Err(Fault { offset, expected: "codes below 15" });
                }
                decoder.alone([0, kinds >> 4, kinds & 15])?
            }
            _ => {
                let kinds = decoder.data.byte()?;
                if kinds == 0 {
                    decoder.next = 0;
                }
                decoder.alone([if low == 14 { 0 } else { 15 }, kinds >> 4, kinds & 15])?
            }
        };
        corners.into_iter().for_each(|corner| push(&mut out, corner, stride));
    }
    decoder.data.finish()?;
    Ok(out)
}
