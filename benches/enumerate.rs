//! Every code of every encoding, where they can be enumerated: compares each level of instructions with the decoding of
//! single elements, and measures the effect of decoding and encoding again.
//!
//! `cargo bench -p meshlens-benches --bench enumerate` prints a table. Names or parts of names choose rows. With `--test`,
//! only a part of each domain is decoded.

use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use meshlens_lens::{
    Encode, Lens, Level, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
};
use meshlens_md3::encoding::*;
use meshlens_u3d::encoding::*;
use meshlens_unigine::encoding::*;
use meshlens_unreal::encoding::*;

/// The number of codes that are decoded at once.
const BLOCK: u64 = 1 << 14;

/// The codes of an encoding, as numbers from 0.
#[derive(Clone, Copy)]
enum Domain {
    /// All bit patterns of elements with this number of bits.
    Patterns(u32),
    /// All 16-bit codes in each component. The components of an element are independent of each other and have
    /// different codes.
    Components,
    /// All pairs of 16-bit codes in the first two components, and in components 1 and 2, 2 and 3, and 3 and 0.
    Pairs,
}

impl Domain {
    fn bits(self) -> u32 {
        match self {
            Domain::Patterns(bits) => bits,
            Domain::Components => 16,
            Domain::Pairs => 32,
        }
    }

    fn name(self) -> String {
        let bits = self.bits();
        match self {
            Domain::Patterns(_) => format!("all 2^{bits} elements"),
            Domain::Components => format!("all 2^{bits} codes of each component"),
            Domain::Pairs => format!("all 2^{bits} pairs of neighboring components"),
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
struct Found {
    /// The number of values whose bits differ at some level.
    different: u64,
    /// The largest difference between a level and the decoding of single elements.
    largest_difference: f32,
    /// The number of values that change when they are encoded again.
    not_restored: u64,
    /// The largest change of such a value.
    largest_change: f32,
    /// The number of such values that change once more when they are encoded a second time.
    unsettled: u64,
}

impl Found {
    fn add(&mut self, other: Found) {
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
fn block<E: Encode>(encoding: E, domain: Domain, first: u64, count: u64) -> Found {
    let mut bytes = vec![0; E::SIZE * count as usize];
    bytes.chunks_exact_mut(E::SIZE).zip(first..).for_each(|(element, number)| domain.write(number, element));
    let lens =
        Lens::new(encoding, &bytes, 0, E::SIZE, count as usize).expect("the elements lie in the bytes");
    let one = |index| lens.get(index).expect("an index below the number of elements");
    let wanted: Vec<E::Value> = (0..lens.len()).map(one).collect();
    let mut found = Found::default();
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
fn on_all_cores(codes: u64, block: impl Fn(u64, u64) -> Found + Sync) -> Found {
    let (next, sum) = (AtomicU64::new(0), Mutex::new(Found::default()));
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

/// The effect of encoding values again.
enum Again<'a> {
    /// Values are not encoded again.
    Never,
    /// The reason why some values change.
    Why(&'a str),
}

struct Table {
    wanted: Vec<String>,
    is_test: bool,
}

impl Table {
    fn has(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.wanted.is_empty() || self.wanted.iter().any(|wanted| name.contains(&wanted.to_lowercase()))
    }

    fn codes(&self, bits: u32) -> u64 {
        1 << if self.is_test { bits.min(16) } else { bits }
    }

    fn row(
        &self,
        name: &str,
        domain: &str,
        bits: u32,
        again: Again,
        work: impl Fn(u64, u64) -> Found + Sync,
    ) -> Found {
        let start = Instant::now();
        let found = on_all_cores(self.codes(bits), work);
        let levels: Vec<&str> = Level::all().map(|level| level.name()).collect();
        let equal = match (found.different, found.largest_difference) {
            (0, _) => "the same bits".into(),
            (count, difference) => format!("{count} values differ by up to {difference:e}"),
        };
        let again = match (again, found.not_restored) {
            (Again::Never, _) => "-".into(),
            (Again::Why(_), 0) => "every value is restored".into(),
            (Again::Why(why), count) => format!(
                "{count} values change by up to {:.1e}, {} of them a second time: {why}",
                found.largest_change, found.unsettled
            ),
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("| {name} | {domain} | {} | {equal} | {again} | {seconds:.1} |", levels.join(", "));
        found
    }

    /// `slack` is the largest change of a component that encoding and decoding may cause. `why` describes the codes
    /// that no encoder writes, or the values that are rounded.
    fn encoding<E: Encode + Debug + Sync>(
        &self,
        name: &str,
        encoding: E,
        domain: Domain,
        slack: f32,
        why: &str,
    ) {
        if !self.has(name) {
            return;
        }
        let work = |first, count| block(encoding, domain, first, count);
        let found = self.row(name, &domain.name(), domain.bits(), Again::Why(why), work);
        assert!(found.largest_difference <= E::TOLERANCE, "{name}: {}", found.largest_difference);
        assert!(E::TOLERANCE > 0.0 || found.different == 0, "{name}: {} values differ", found.different);
        assert!(found.largest_change <= slack, "{name}: {}", found.largest_change);
        assert!(slack > 0.0 || found.not_restored == 0, "{name}: {} values change", found.not_restored);
    }

    /// All floats, in both components, as one attribute of a vertex buffer.
    fn floats(&self, format: VertexFormat) {
        let name = format!("f32 to {format:?}");
        if !self.has(&name) {
            return;
        }
        let work = |first: u64, count: u64| {
            // The product with an odd number also has every value.
            let pair = |number: u32| [number, number.wrapping_mul(0x9e37_79b9)].map(u32::to_le_bytes);
            let bytes: Vec<[[u8; 4]; 2]> = (first..first + count).map(|number| pair(number as u32)).collect();
            let bytes = bytes.as_flattened().as_flattened();
            let lens = Lens::new(F32::<2>, bytes, 0, 8, count as usize).expect("the floats lie in the bytes");
            let attributes = [VertexAttribute::new(&lens, 0, format)];
            let decode = |level| {
                let layout = VertexBufferLayout::new(format.size()).with_level(level);
                let mut out = vec![0; format.size() * count as usize];
                decode_interleaved(&attributes, layout, &mut out).expect("a layout that fits");
                out
            };
            let wanted = decode(Level::SCALAR);
            let mut found = Found::default();
            for level in Level::all() {
                let out = decode(level);
                let pairs = out.chunks_exact(format.size()).zip(wanted.chunks_exact(format.size()));
                found.different += pairs.filter(|(a, b)| a != b).count() as u64;
            }
            found
        };
        let found = self.row(&name, "all 2^32 floats", 32, Again::Never, work);
        assert_eq!(found.different, 0, "{name}");
    }

    /// The float of every half float, by the definition of IEEE 754, is converted back to it.
    fn halves(&self) {
        if !self.has("halves") {
            return;
        }
        let float = |half: u16| {
            let (sign, exponent, fraction) = (half >> 15, i32::from(half >> 10 & 31), f32::from(half & 1023));
            let magnitude = match exponent {
                0 => fraction * 2f32.powi(-24),
                31 if fraction == 0.0 => f32::INFINITY,
                31 => f32::NAN,
                _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
            };
            if sign == 1 { -magnitude } else { magnitude }
        };
        let work = |first: u64, count: u64| {
            let halves: Vec<u16> = (first..first + count).map(|half| half as u16).collect();
            let floats: Vec<u8> =
                halves.iter().flat_map(|half| [float(*half), 0.0]).flat_map(f32::to_le_bytes).collect();
            let lens = Lens::new(F32::<2>, &floats, 0, 8, halves.len()).expect("the floats lie in the bytes");
            let mut found = Found::default();
            for level in Level::all() {
                let mut out = vec![0; 4 * halves.len()];
                let layout = VertexBufferLayout::new(4).with_level(level);
                let attributes = [VertexAttribute::new(&lens, 0, VertexFormat::Float16x2)];
                decode_interleaved(&attributes, layout, &mut out).expect("a layout that fits");
                let stored = out.chunks_exact(4).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
                // For NaN, only the sign must be preserved.
                let is_nan = |half: u16| half & 0x7fff > 0x7c00;
                let is_same = |(a, b): &(u16, u16)| a == b || is_nan(*a) && is_nan(*b);
                found.different +=
                    stored.zip(halves.iter().copied()).filter(|pair| !is_same(pair)).count() as u64;
            }
            found
        };
        let found = self.row("halves", "all 2^16 halves", 16, Again::Never, work);
        assert_eq!(found.different, 0, "halves");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let wanted = arguments.into_iter().filter(|argument| !argument.starts_with("--")).collect();
    let table = Table { wanted, is_test };
    println!("| encoding | domain | levels | beside one element | encoded again | seconds |");
    println!("|---|---|---|---|---|---:|");

    // The slack of `meshlens_testkit::check::encodings`: angles and truncated numbers are restored within one or two
    // steps.
    const ANGLE: f32 = 0.05;
    const CUT: f32 = 2.5 / 32767.0;
    const ONE_OF_MANY: &str =
        "several codes are the same direction, but for the last bits, and the encoder writes one";
    const LEAST: &str = "-32768 becomes -32767";
    use Domain::{Components, Pairs, Patterns};
    table.encoding("MD3 position", Md3Position, Components, 0.0, "");
    table.encoding("MD3 normal", Md3Normal, Patterns(16), 1e-6, ONE_OF_MANY);
    table.encoding(
        "MD3 normal, inverse",
        Md3NormalInverse,
        Patterns(16),
        ANGLE,
        "no encoder writes a zenith past 127, or an azimuth of -128",
    );
    table.encoding(
        "Ultimate 3D normal, 8 bits",
        U3dNormal8,
        Patterns(16),
        ANGLE,
        "no encoder writes a latitude past 31",
    );
    table.encoding("Ultimate 3D normal, 8 bits, full", U3dNormal8Full, Patterns(16), ANGLE, ONE_OF_MANY);
    table.encoding("Ultimate 3D normal, 16 bits", U3dNormal16, Patterns(32), 0.001, ONE_OF_MANY);
    table.encoding("Unreal packed", UnrealPacked, Patterns(32), 0.0, "");
    table.encoding("Unreal packed, integers", UnrealPackedInteger, Patterns(32), 0.0, "");
    table.encoding("Unreal packed, units of tools", UnrealPackedUnits, Patterns(32), 0.0, "");
    table.encoding("Unreal wide", UnrealWide, Components, 0.0, "");
    table.encoding("Unreal texcoord", UnrealTexcoord, Patterns(16), 0.0, "");
    table.encoding("three 8-bit codes, unsigned", U8::<3>, Patterns(24), 0.0, "");
    table.encoding("three 8-bit codes, signed", I8::<3>, Patterns(24), 0.0, "");
    table.encoding("three 8-bit codes, normalized", Unorm8::<3>, Patterns(24), 0.0, "");
    table.encoding("UNIGINE rotation", UnigineRotation, Components, CUT, LEAST);
    table.encoding(
        "UNIGINE normal",
        UnigineNormal,
        Components,
        CUT,
        "the document says that a fraction is cut off, which happens each time",
    );
    table.encoding("UNIGINE weight", UnigineWeight, Components, CUT, "");
    table.encoding(
        "UNIGINE tangent",
        UnigineTangent,
        Pairs,
        0.002,
        "-32768 becomes -32767; a w of less than 0.001 becomes 0.001, which shortens the others, each time",
    );
    table.encoding("UNIGINE tangent, ms10", UnigineTangentMs10, Pairs, 0.02, LEAST);
    table.halves();
    for format in
        [VertexFormat::Float16x2, VertexFormat::Snorm16x2, VertexFormat::Unorm16x2, VertexFormat::Unorm8x2]
    {
        table.floats(format);
    }
}
