//! The plan of a vertex layout: for each output register, the sources of its bytes in the columns.

use arrayvec::ArrayVec;

use crate::simd::Level;
use crate::simd::level::Kind;

/// The number of columns that are assembled at a time.
pub(crate) const MAX_COLUMNS: usize = 8;

/// The location of a column in a vertex. A plan only depends on these locations.
#[derive(Clone, Copy, Default)]
pub(crate) struct Field {
    pub(crate) step: usize,
    pub(crate) size: usize,
    pub(crate) offset: usize,
}

/// The bytes of one column for one register of the period.
#[derive(Clone, Copy)]
pub(super) struct Merge {
    pub(super) column: u8,
    pub(super) register: u8,
    /// The first byte of the column that is loaded, in the first period.
    pub(super) base: usize,
    /// For each byte of the register, the index of its loaded byte, or [`NONE`].
    pub(super) from: [u8; 32],
}

/// The index of a byte that is not in a column.
pub(super) const NONE: u8 = 0x80;
/// The maximum number of merges of a period.
const MAX_MERGES: usize = 48;

/// The plan to assemble vertices of one layout.
pub(crate) struct Plan {
    pub(super) width: usize,
    /// The number of vertices of a period.
    pub(super) vertices: usize,
    pub(super) registers: usize,
    pub(super) merges: ArrayVec<Merge, MAX_MERGES>,
    /// For each column, the end of the furthest load of a period.
    pub(super) reach: [usize; MAX_COLUMNS],
    /// Whether there are bytes that belong to no column.
    pub(super) has_gaps: bool,
}

/// The width of the registers that a level shuffles. Wider registers of AVX-512 gain less than 5 % in every row.
fn width(level: Level) -> usize {
    match level.kind() {
        Kind::Scalar => 0,
        Kind::Neon | Kind::Simd128 | Kind::Sse41 => 16,
        Kind::Avx2 | Kind::Avx512 => 32,
    }
}

impl Plan {
    /// An empty plan, with which vertices are copied one by one.
    pub(crate) const fn new() -> Self {
        Plan {
            width: 0,
            vertices: 1,
            registers: 0,
            merges: ArrayVec::new_const(),
            reach: [0; MAX_COLUMNS],
            has_gaps: false,
        }
    }

    /// Makes this the plan for vertices of `stride` bytes. If vertices are copied one by one, it stays empty.
    pub(crate) fn make(&mut self, level: Level, fields: &[Field], stride: usize) {
        let mut width = width(level);
        let words = |field: &Field| (field.step | field.size | field.offset).is_multiple_of(4);
        if width == 32 && !(stride.is_multiple_of(4) && fields.iter().all(words)) {
            width = 16;
        }
        if width == 0 || stride == 0 || fields.len() > MAX_COLUMNS {
            return;
        }
        let registers = stride >> stride.trailing_zeros().min(width.trailing_zeros());
        // A register must not need more bytes of a column than one load provides.
        if registers * fields.len() > MAX_MERGES || fields.iter().any(|field| field.step > stride) {
            return;
        }
        let mut covered = 0;
        for register in 0..registers {
            for (column, field) in fields.iter().enumerate() {
                covered += self.merge(register, column, *field, stride, width);
            }
        }
        self.has_gaps = covered < registers * width;
        (self.width, self.registers, self.vertices) = (width, registers, registers * width / stride);
    }

    /// Adds the bytes of a column for a register. Returns their number.
    fn merge(&mut self, register: usize, column: usize, field: Field, stride: usize, width: usize) -> usize {
        let (start, end) = (register * width, (register + 1) * width);
        let mut base = None;
        let mut from = [NONE; 32];
        let mut covered = 0;
        // The vertices with bytes in this register.
        for vertex in start / stride..end.div_ceil(stride) {
            let place = vertex * stride + field.offset;
            let (first, last) = (start.max(place), end.min(place + field.size));
            if first >= last {
                continue;
            }
            let source = vertex * field.step + first - place;
            let base = *base.get_or_insert(source);
            for (at, from) in from[first - start..last - start].iter_mut().enumerate() {
                *from = (source - base + at) as u8;
            }
            covered += last - first;
        }
        if let Some(base) = base {
            self.merges.push(Merge { column: column as u8, register: register as u8, base, from });
            self.reach[column] = self.reach[column].max(base + width);
        }
        covered
    }
}
