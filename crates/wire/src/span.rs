//! Tables of a file that have been checked against its length.

use core::ops::Range;

/// A table of a file: `count` elements, `stride` bytes from one to the next, the first at absolute `offset`.
///
/// [`Data::span`](crate::Data::span) checks it against the length of the file. It is plain data, so that a document can be
/// located from its headers, kept, and bound to bytes later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(crate) offset: u64,
    pub(crate) count: u64,
    pub(crate) stride: u32,
}

impl Span {
    /// The absolute offset of the first element.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of elements.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The number of elements as a `usize`; `usize::MAX` if the table is larger than the address space.
    pub const fn len(&self) -> usize {
        if self.count > usize::MAX as u64 { usize::MAX } else { self.count as usize }
    }

    /// Whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of bytes from one element to the next.
    pub const fn stride(&self) -> u32 {
        self.stride
    }

    /// The size of the whole table in bytes.
    pub const fn size(&self) -> u64 {
        // Checked when the span was made, so this does not saturate.
        self.count.saturating_mul(self.stride as u64)
    }

    /// The absolute byte range of the whole table.
    pub const fn byte_range(&self) -> Range<u64> {
        // Checked when the span was made, like the size.
        self.offset..self.offset.saturating_add(self.size())
    }

    /// A table of the bytes of an absolute range, with elements of one byte. It is empty if the range ends before it
    /// starts. [`Data::bind`](crate::Data::bind) checks that it lies inside the file.
    pub const fn of_bytes(range: Range<u64>) -> Span {
        Span { offset: range.start, count: range.end.saturating_sub(range.start), stride: 1 }
    }

    /// The elements, in order, each as a table of one element.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = Span> + DoubleEndedIterator + use<> {
        let Span { offset, stride, .. } = *self;
        // Checked when the span was made, so neither product saturates.
        let skip = move |index: usize| (index as u64).saturating_mul(stride.into());
        (0..self.len()).map(move |index| Span {
            offset: offset.saturating_add(skip(index)),
            count: 1,
            stride,
        })
    }

    /// Elements `first..first + count` of this table, or `None` if they are out of range.
    pub const fn slice(&self, first: u64, count: u64) -> Option<Span> {
        let Some(end) = first.checked_add(count) else { return None };
        if end > self.count {
            return None;
        }
        // The elements are inside this table, so this is never `None`.
        let Some(skip) = first.checked_mul(self.stride as u64) else { return None };
        let Some(offset) = self.offset.checked_add(skip) else { return None };
        Some(Span { offset, count, stride: self.stride })
    }

    /// The same bytes as elements of `stride` bytes, or `None` if that is not a whole number of elements.
    ///
    /// ```
    /// # let data = meshlens_wire::Data::new("test", &[0; 64]);
    /// let matrices = data.span(0, 1, 64, "matrices")?;
    /// assert_eq!(matrices.restride(16).map(|rows| rows.count()), Some(4));
    /// assert_eq!(matrices.restride(24), None);
    /// # Ok::<(), meshlens_wire::Error>(())
    /// ```
    pub const fn restride(&self, stride: u32) -> Option<Span> {
        let Some(size) = self.count.checked_mul(self.stride as u64) else { return None };
        match (size.checked_div(stride as u64), size.checked_rem(stride as u64)) {
            (Some(count), Some(0)) => Some(Span { offset: self.offset, count, stride }),
            _ => None,
        }
    }

    /// A table of `count` elements of `stride` bytes at the start of element `index` of this table; `None` if the index is out
    /// of range, or if they do not all lie inside the element.
    pub const fn inside(&self, index: u64, count: u64, stride: u32) -> Option<Span> {
        let Some(element) = self.slice(index, 1) else { return None };
        match count.checked_mul(stride as u64) {
            Some(size) if size <= self.stride as u64 => Some(Span { offset: element.offset, count, stride }),
            _ => None,
        }
    }
}

/// A [`Span`] of at most `u32::MAX` elements in 16 bytes instead of 24, for documents that keep many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmallSpan {
    pub(crate) offset: u64,
    pub(crate) count: u32,
    pub(crate) stride: u32,
}

impl SmallSpan {
    /// The number of elements.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The same table as a [`Span`].
    pub const fn span(&self) -> Span {
        Span { offset: self.offset, count: self.count as u64, stride: self.stride }
    }
}

/// The number of bytes from the start of the first element to the end of the last one, for `count` elements of `size` bytes that
/// begin `stride` bytes apart; `None` if it is larger than `u64::MAX`. All extents are computed here.
pub const fn extent(count: u64, stride: u64, size: u64) -> Option<u64> {
    match count.checked_sub(1) {
        None => Some(0),
        Some(last) => match last.checked_mul(stride) {
            Some(before) => before.checked_add(size),
            None => None,
        },
    }
}
