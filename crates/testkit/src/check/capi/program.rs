//! The bytes that choose the calls and their arguments.

/// Bytes of a program; zeros after their end.
pub(super) struct Program<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Program<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Program<'a> {
        Program { bytes: bytes.iter() }
    }

    /// The next call; `None` at the end of the program.
    pub(super) fn next(&mut self) -> Option<u8> {
        self.bytes.next().copied()
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// True for about one in `of` bytes, and never after the end.
    pub(super) fn chance(&mut self, of: u8) -> bool {
        self.byte() % of == of.wrapping_sub(1)
    }

    /// Usually a small number, sometimes an impossible one.
    pub(super) fn index(&mut self) -> usize {
        match self.byte() {
            255 => usize::MAX,
            254 => usize::MAX / 2,
            253 => 1 << 31,
            byte => usize::from(byte % 8),
        }
    }

    /// The size of an output of at most `room` bytes.
    pub(super) fn size(&mut self, room: usize) -> usize {
        let size = match self.byte() {
            byte @ 0..128 => usize::from(byte),
            byte => usize::from(byte).wrapping_mul(usize::from(self.byte())),
        };
        size.min(room)
    }

    /// A number of an enumeration, or sometimes an invalid number.
    pub(super) fn number(&mut self) -> i32 {
        match self.byte() {
            255 => i32::MIN,
            254 => i32::MAX,
            byte => i32::from(byte % 36).wrapping_sub(1),
        }
    }

    /// Floats of every kind.
    pub(super) fn float(&mut self) -> f32 {
        match self.byte() {
            255 => f32::NAN,
            254 => f32::INFINITY,
            253 => -1e30,
            byte => f32::from(byte) / 16.0,
        }
    }
}
