//! Damages a file: cuts it at every length, changes every byte, every number and every pair of counts, and appends
//! bytes.

use std::ops::Range;

/// Calls `check` with every proper prefix of `bytes`, each in a buffer of its exact size.
pub fn prefixes(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    for len in 0..bytes.len() {
        let prefix: Box<[u8]> = bytes[..len].into();
        check(&prefix);
    }
}

/// Calls `check` with `bytes` in which one byte is incremented, decremented, set to 0 or set to 0xFF, for every byte.
pub fn bytes(bytes: &[u8], check: impl FnMut(&[u8])) {
    bytes_except(bytes, &[], check);
}

/// Like [`bytes`], but a byte whose offset is in one of `alike` is changed in one way only: its bits are inverted.
pub fn bytes_except(bytes: &[u8], alike: &[Range<usize>], mut check: impl FnMut(&[u8])) {
    let is_alike = mask(bytes.len(), alike);
    let mut damaged = bytes.to_vec();
    for index in 0..bytes.len() {
        let sane = bytes[index];
        let every = [sane.wrapping_add(1), sane.wrapping_sub(1), 0, 0xff];
        let values = if is_alike[index] { &[!sane][..] } else { &every };
        for (number, value) in values.iter().enumerate() {
            if *value != sane && !values[..number].contains(value) {
                damaged[index] = *value;
                check(&damaged);
            }
        }
        damaged[index] = sane;
    }
}

/// The values that numbers are changed to: the limits of signed and unsigned integers.
pub const WORDS: [u32; 5] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/// Calls `check` with `bytes` in which one aligned `u32` is replaced by each of [`WORDS`], for every one.
pub fn words(bytes: &[u8], check: impl FnMut(&[u8])) {
    words_except(bytes, &[], check);
}

/// Like [`words`], but a number whose first byte is in one of `alike` is not changed.
pub fn words_except(bytes: &[u8], alike: &[Range<usize>], mut check: impl FnMut(&[u8])) {
    let is_alike = mask(bytes.len(), alike);
    let mut damaged = bytes.to_vec();
    for at in (0..bytes.len().saturating_sub(3)).step_by(4).filter(|at| !is_alike[*at]) {
        for word in WORDS.map(u32::to_le_bytes) {
            if bytes[at..at + 4] != word {
                damaged[at..at + 4].copy_from_slice(&word);
                check(&damaged);
            }
        }
        damaged[at..at + 4].copy_from_slice(&bytes[at..at + 4]);
    }
}

/// For each of `len` bytes, whether one of `ranges` contains it.
fn mask(len: usize, ranges: &[Range<usize>]) -> Vec<bool> {
    let mut mask = vec![false; len];
    ranges.iter().for_each(|range| mask[range.clone()].fill(true));
    mask
}

/// A number that determines the structure of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The offset of its first byte.
    pub at: usize,
    /// Its size in bytes: 2 or 4.
    pub size: usize,
}

/// Finds the counts, offsets and sizes of a file: the aligned 32-bit numbers, or else 16-bit numbers, whose change
/// changes `shape`. The caller decides what the shape is; a parse error is useful. Bytes of text also change the shape,
/// but are no counts.
pub fn fields<S: PartialEq>(bytes: &[u8], shape: impl Fn(&[u8]) -> S) -> Vec<Field> {
    let sane = shape(bytes);
    let mut damaged = bytes.to_vec();
    let mut decides = |field: Field| {
        let range = field.at..field.at + field.size;
        if range.end > bytes.len() {
            return false;
        }
        let is_text = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'$' | b'_');
        if bytes[field.at & !3..].iter().take(4).filter(|byte| is_text(byte)).count() >= 3 {
            return false;
        }
        let value = number(&bytes[range.clone()]);
        let decides = [value.wrapping_add(1), 0x7fff_ffff, 0x7fff].into_iter().any(|value| {
            damaged[range.clone()].copy_from_slice(&value.to_le_bytes()[..field.size]);
            shape(&damaged) != sane
        });
        damaged[range.clone()].copy_from_slice(&bytes[range]);
        decides
    };
    let mut fields = Vec::new();
    for at in (0..bytes.len()).step_by(4) {
        let halves = [at, at + 2].map(|at| Field { at, size: 2 });
        let [first, second] = halves.map(&mut decides);
        let whole = Field { at, size: 4 };
        // Two small 16-bit numbers are two fields; a number whose upper half is zero is one.
        match (first, second) {
            (true, true) if bytes.get(at + 2..at + 4).is_some_and(|upper| upper != [0, 0]) => {
                fields.extend(halves);
            }
            (false, false) if !decides(whole) => {}
            _ if at + 4 <= bytes.len() => fields.push(whole),
            _ => fields.push(halves[0]),
        }
    }
    fields
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Calls `check` with `bytes` in which two of `fields` are changed: both to the limits of their range, and one up while
/// the other goes down. For every pair.
pub fn pairs(bytes: &[u8], fields: &[Field], mut check: impl FnMut(&[u8])) {
    type Change = fn(u32) -> u32;
    const CHANGES: [(Change, Change); 7] = [
        (|_| 0, |_| 0),
        (|_| 0x7fff_ffff, |_| 0x7fff_ffff),
        (|_| u32::MAX, |_| u32::MAX),
        (|_| 0, |_| 0x7fff_ffff),
        (|_| 0x7fff_ffff, |_| 0),
        (|value| value.wrapping_add(1), |value| value.wrapping_sub(1)),
        (|value| value.wrapping_mul(2), |value| value / 2),
    ];
    let mut damaged = bytes.to_vec();
    for (index, first) in fields.iter().enumerate() {
        for second in &fields[index + 1..] {
            for (change_first, change_second) in CHANGES {
                for (field, change) in [(first, change_first), (second, change_second)] {
                    let range = field.at..field.at + field.size;
                    let value = change(number(&bytes[range.clone()]));
                    damaged[range].copy_from_slice(&value.to_le_bytes()[..field.size]);
                }
                check(&damaged);
            }
            for field in [first, second] {
                let range = field.at..field.at + field.size;
                damaged[range.clone()].copy_from_slice(&bytes[range]);
            }
        }
    }
}

/// Calls `check` with `bytes` and something appended: a byte, a word, and a copy of their own beginning.
pub fn trailing(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    let head = &bytes[..bytes.len().min(128)];
    for tail in [&[0][..], &[0xff], &[0; 3], &[0xff; 4], b"IDP3", head, bytes] {
        check(&[bytes, tail].concat());
    }
}

/// Calls `check` `rounds` times with `bytes` changed in a few random places, the same on every machine.
pub fn random(bytes: &[u8], rounds: u32, mut check: impl FnMut(&[u8])) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes.len() as u64;
    // xorshift64 (Marsaglia).
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for _ in 0..rounds {
        let mut damaged = bytes.to_vec();
        for _ in 0..=next(8) {
            let (at, size) = (next(damaged.len()), next(8) + 1);
            let value = next(256) as u8;
            match next(4) {
                0 => damaged.truncate(at),
                1 => damaged.splice(at..at, vec![value; size]).for_each(drop),
                2 => damaged.iter_mut().skip(at).take(size).for_each(|byte| *byte = value),
                _ => damaged.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (value % 8)),
            }
        }
        check(&damaged);
    }
}
