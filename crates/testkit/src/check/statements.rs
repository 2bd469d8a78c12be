//! The statements about `wire`, with values from a fuzzer.

use arbitrary::Unstructured;
use meshlens_fixtures::statements::{Inputs, all};

/// Values from the bytes of a fuzzer. After the end of the bytes, they are 0.
struct Values<'u>(Unstructured<'u>);

impl Values<'_> {
    fn next<T: for<'a> arbitrary::Arbitrary<'a> + Default>(&mut self) -> T {
        self.0.arbitrary().unwrap_or_default()
    }
}

impl Inputs for Values<'_> {
    fn u64(&mut self) -> u64 {
        // Small numbers, numbers around limits, and arbitrary numbers.
        match self.next::<u8>() % 4 {
            0 => self.next::<u8>().into(),
            1 => self.next::<u32>().into(),
            2 => u64::MAX - u64::from(self.next::<u8>()),
            _ => self.next(),
        }
    }

    fn u32(&mut self) -> u32 {
        if self.next() { self.next::<u8>().into() } else { self.next() }
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.int_in_range(0..=end - 1).unwrap_or(0)
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let taken = self.0.len().min(N);
        self.0.fill_buffer(&mut bytes[..taken]).expect("so many bytes are left");
        bytes
    }
}

/// Checks one statement, which the first byte selects, with the values of the other bytes.
pub fn wire(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let statements = all();
    let (_, statement) = statements[usize::from(*first) % statements.len()];
    statement(&mut Values(Unstructured::new(rest)));
}

/// The names of the statements, in the order of the bytes that choose them.
pub fn wire_statements() -> impl Iterator<Item = &'static str> {
    all::<Values<'_>>().into_iter().map(|(name, _)| name)
}
