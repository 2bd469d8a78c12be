//! Every code of every encoding, where they can be enumerated: compares each level of instructions with the decoding of
//! single elements, and measures the effect of decoding and encoding again.
//!
//! `cargo bench -p meshlens-benches --bench enumerate` prints a table. Names or parts of names choose rows. With `--test`,
//! only a part of each domain is decoded.

mod codes;

use std::fmt::Debug;
use std::time::Instant;

use codes::{Differences, Domain, block, on_all_cores};
use meshlens_lens::{
    Encode, Lens, Level, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
};
use meshlens_md3::encoding::*;
use meshlens_u3d::encoding::*;
use meshlens_unigine::encoding::*;
use meshlens_unreal::encoding::*;

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

    /// `why` is the reason why some values change when they are encoded again; `None` if they are not encoded again.
    fn row(
        &self,
        name: &str,
        domain: &str,
        bits: u32,
        why: Option<&str>,
        work: impl Fn(u64, u64) -> Differences + Sync,
    ) -> Differences {
        let start = Instant::now();
        let found = on_all_cores(self.codes(bits), work);
        let levels: Vec<&str> = Level::all().map(|level| level.name()).collect();
        let equal = match (found.different, found.largest_difference) {
            (0, _) => "the same bits".into(),
            (count, difference) => format!("{count} values differ by up to {difference:e}"),
        };
        let again = match (why, found.not_restored) {
            (None, _) => "-".into(),
            (Some(_), 0) => "every value is restored".into(),
            (Some(why), count) => format!(
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
        let found = self.row(name, &domain.name(), domain.bits(), Some(why), work);
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
            let mut found = Differences::default();
            for level in Level::all() {
                let out = decode(level);
                let pairs = out.chunks_exact(format.size()).zip(wanted.chunks_exact(format.size()));
                found.different += pairs.filter(|(a, b)| a != b).count() as u64;
            }
            found
        };
        let found = self.row(&name, "all 2^32 floats", 32, None, work);
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
            let mut found = Differences::default();
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
        let found = self.row("halves", "all 2^16 halves", 16, None, work);
        assert_eq!(found.different, 0, "halves");
    }
}

/// Every encoding, with the largest change of a component that encoding and decoding may cause, and its reason.
fn encodings(table: &Table) {
    // The slack of `meshlens_testkit::check::encodings`: angles and truncated numbers are restored within one or two
    // steps.
    const ANGLE: f32 = 0.05;
    const CUT: f32 = 2.5 / 32767.0;
    const ONE_OF_MANY: &str =
        "several codes are the same direction, but for the last bits, and the encoder writes one";
    const LEAST: &str = "-32768 is less than -1, so it becomes -32767";
    use Domain::{Components, Factors, Pairs, Patterns};
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
    table.encoding("Ultimate 3D normal, 16 bits", U3dNormal16, Factors, 0.001, "the sign of a zero changes");
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
        "the document gives the encoder, which cuts off a fraction each time",
    );
    table.encoding("UNIGINE weight", UnigineWeight, Components, CUT, "");
    table.encoding(
        "UNIGINE tangent",
        UnigineTangent,
        Pairs,
        0.002,
        "-32768 is less than -1, so it becomes -32767; a w below 32 becomes 32, so that its sign is kept, and shortens the others",
    );
    table.encoding("UNIGINE tangent, ms10", UnigineTangentMs10, Pairs, 0.02, LEAST);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let wanted = arguments.into_iter().filter(|argument| !argument.starts_with("--")).collect();
    let table = Table { wanted, is_test };
    println!("| encoding | domain | levels | beside one element | encoded again | seconds |");
    println!("|---|---|---|---|---|---:|");
    encodings(&table);
    table.halves();
    for format in
        [VertexFormat::Float16x2, VertexFormat::Snorm16x2, VertexFormat::Unorm16x2, VertexFormat::Unorm8x2]
    {
        table.floats(format);
    }
}
