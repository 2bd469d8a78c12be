//! The codes of encodings, each decoded at every level, and encoded and decoded again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use meshlens_lens::{Encode, Lens, Level};

/// The number of codes that are decoded at once.
const BLOCK: u64 = 1 << 14;

/// The codes of an encoding, as numbers from 0.
#[derive(Clone, Copy)]
pub(crate) enum Domain {
    /// All bit patterns of elements with this number of bits.
    Patterns(u32),
    /// All 16-bit codes in each component. The components of an element are independent of each other and have
    /// different codes.
    Components,
    /// All pairs of 16-bit codes in the first two components, and in components 1 and 2, 2 and 3, and 3 and 0.
    Pairs,
    /// All 16-bit codes in each of two components, beside 0 in the other. That is every code if each number is a
    /// product of functions of one component.
    Factors,
}

impl Domain {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Domain::Patterns(bits) => bits,
            Domain::Components => 16,
            Domain::Pairs => 32,
            Domain::Factors => 17,
        }
    }

    pub(crate) fn name(self) -> String {
        let bits = self.bits();
        match self {
            Domain::Patterns(_) => format!("all 2^{bits} elements"),
            Domain::Components => format!("all 2^{bits} codes of each component"),
            Domain::Pairs => format!("all 2^{bits} pairs of neighboring components"),
            Domain::Factors => "all 2^16 codes of each component, beside 0 in the other".into(),
        }
    }

    /// Writes the element with this number.
    fn write(self, number: u64, element: &mut [u8]) {
        let codes = element.chunks_exact_mut(2).zip(0u16..);
        let (low, high) = (number as u16, (number >> 16) as u16);
        match self {
            Domain::Patterns(_) => element.copy_from_slice(&number.to_le_bytes()[..element.len()]),
            Domain::Components => codes.for_each(|(code, index)| {
                code.copy_from_slice(&low.wrapping_add(index * 0x5555).to_le_bytes())
            }),
            Domain::Factors => codes.for_each(|(code, index)| {
                code.copy_from_slice(&(if index == high { low } else { 0 }).to_le_bytes());
            }),
            Domain::Pairs => codes.for_each(|(code, index)| {
                // Components 2 and 3 differ from components 0 and 1, but each of them has every code.
                let number = if index % 2 == 0 { low } else { high };
                code.copy_from_slice(&(number ^ (0x5a5a * (index / 2))).to_le_bytes());
            }),
        }
    }
}

/// The results for the codes of an encoding.
#[derive(Clone, Copy, Default)]
pub(crate) struct Differences {
    /// The number of values whose bits differ at some level.
    pub(crate) different: u64,
    /// The largest difference between a level and the decoding of single elements.
    pub(crate) largest_difference: f32,
    /// The number of values that change when they are encoded again.
    pub(crate) not_restored: u64,
    /// The largest change of such a value.
    pub(crate) largest_change: f32,
    /// The number of such values that change once more when they are encoded a second time.
    pub(crate) unsettled: u64,
}

impl Differences {
    fn add(&mut self, other: Differences) {
        self.different += other.different;
        self.not_restored += other.not_restored;
        self.unsettled += other.unsettled;
        self.largest_difference = self.largest_difference.max(other.largest_difference);
        self.largest_change = self.largest_change.max(other.largest_change);
    }
}

/// The largest difference of the components. NaN counts as equal to NaN.
fn difference<V: bytemuck::Pod>(a: V, b: V) -> f32 {
    let floats = |value: &V| bytemuck::pod_collect_to_vec::<u8, f32>(bytemuck::bytes_of(value));
    let each = |(a, b): (f32, f32)| if a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() };
    floats(&a).into_iter().zip(floats(&b)).map(each).fold(0.0, f32::max)
}

fn same<V: bytemuck::Pod>(a: &V, b: &V) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}

/// Decodes the elements from `first` at every level.
pub(crate) fn block<E: Encode>(encoding: E, domain: Domain, first: u64, count: u64) -> Differences {
    let mut bytes = vec![0; E::SIZE * count as usize];
    bytes.chunks_exact_mut(E::SIZE).zip(first..).for_each(|(element, number)| domain.write(number, element));
    let lens =
        Lens::new(encoding, &bytes, 0, E::SIZE, count as usize).expect("the elements lie in the bytes");
    let one = |index| lens.get(index).expect("an index below the number of elements");
    let wanted: Vec<E::Value> = (0..lens.len()).map(one).collect();
    let mut found = Differences::default();
    let mut decoded = wanted.clone();
    for level in Level::all() {
        decoded.fill(bytemuck::Zeroable::zeroed());
        lens.decode_into_with(level, &mut decoded).expect("as many values as elements");
        for (a, b) in decoded.iter().zip(&wanted).filter(|(a, b)| !same(*a, *b)) {
            found.different += 1;
            found.largest_difference = found.largest_difference.max(difference(*a, *b));
        }
    }
    for value in wanted {
        let again = encoding.quantize(value);
        if !same(&again, &value) {
            found.not_restored += 1;
            found.largest_change = found.largest_change.max(difference(again, value));
            found.unsettled += u64::from(!same(&encoding.quantize(again), &again));
        }
    }
    found
}

/// Calls `block` with the first number and the count of each block, on all cores.
pub(crate) fn on_all_cores(codes: u64, block: impl Fn(u64, u64) -> Differences + Sync) -> Differences {
    let (next, sum) = (AtomicU64::new(0), Mutex::new(Differences::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if first >= codes {
                        break;
                    }
                    let found = block(first, BLOCK.min(codes - first));
                    sum.lock().expect("no thread panics").add(found);
                }
            });
        }
    });
    sum.into_inner().expect("no thread panics")
}
