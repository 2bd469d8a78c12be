//! The statements about `wire`, with every combination of boundary values.

use meshlens_testkit::statements::{Inputs, all};

/// Goes through all combinations of choices, starting with changes of the last choice. Values that were chosen earlier
/// are repeated until all later choices are exhausted.
#[derive(Default)]
struct Choices {
    /// Each choice that was made, and the number of possibilities.
    made: Vec<(usize, usize)>,
    next: usize,
}

impl Choices {
    fn choose(&mut self, possibilities: usize) -> usize {
        if self.next == self.made.len() {
            self.made.push((0, possibilities));
        }
        let (choice, known) = self.made[self.next];
        assert_eq!(known, possibilities, "a statement asks for the same values again");
        self.next += 1;
        choice
    }

    /// Prepares the next combination. Returns whether it exists.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((choice, possibilities)) = self.made.pop() {
            if choice + 1 < possibilities {
                self.made.push((choice + 1, possibilities));
                return true;
            }
        }
        false
    }
}

const NUMBERS: [u64; 9] = [0, 1, 8, 9, 1 << 31, (1 << 32) - 1, 1 << 33, u64::MAX - 1, u64::MAX];
const SMALL_NUMBERS: [u32; 7] = [0, 1, 2, 8, 1 << 31, u32::MAX - 1, u32::MAX];
/// Patterns that are repeated: starts of chunks, texts with and without an end, and limits of numbers.
const PATTERNS: [&[u8]; 14] = [
    &[0],
    &[0xff],
    &[0x80],
    &[0x40],
    &[1, 0],
    &[0, 1],
    b"A",
    b"A\0",
    b"\0\x01\0\0\0",
    b"\0\0\0\0\0A\0\x05\0\0\0",
    b"AB\0\x09\0\0\0\0\0\0\0\0",
    b"\0\xff\xff\xff\xff",
    &[0xff, 0xff, 0xff, 0xff, 0x07],
    &[0xc1, 0x80, 0],
];

impl Inputs for Choices {
    fn u64(&mut self) -> u64 {
        NUMBERS[self.choose(NUMBERS.len())]
    }

    fn u32(&mut self) -> u32 {
        SMALL_NUMBERS[self.choose(SMALL_NUMBERS.len())]
    }

    fn below(&mut self, end: usize) -> usize {
        // All values if there are few; otherwise the limits, and the lengths around one and two headers of chunks.
        let some: Vec<usize> =
            (0..end).filter(|number| end < 10 || [0, 5, 6, 10, end - 2, end - 1].contains(number)).collect();
        some[self.choose(some.len())]
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let pattern = PATTERNS[self.choose(PATTERNS.len())];
        std::array::from_fn(|index| pattern[index % pattern.len()])
    }
}

#[test]
fn statements_about_wire_hold_for_all_boundary_values() {
    for (name, statement) in all::<Choices>() {
        let (mut choices, mut count) = (Choices::default(), 0u64);
        loop {
            statement(&mut choices);
            count += 1;
            if !choices.advance() {
                break;
            }
        }
        println!("{name}: {count} combinations");
        assert!(count > 100, "{name}: {count} combinations");
    }
}
