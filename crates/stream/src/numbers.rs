//! Tables by numbers that the streamer assigns itself, which nobody else chooses: a multiplication is hash enough.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<NumberHasher>>;
pub(crate) type HashSet<K> = std::collections::HashSet<K, BuildHasherDefault<NumberHasher>>;

/// The hash of a few numbers.
#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        // Tables use the lowest and the highest bits, and only the highest are mixed.
        self.0.rotate_left(26)
    }
}
