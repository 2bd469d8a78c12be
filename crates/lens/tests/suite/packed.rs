//! Integers packed in 32 bits.

use meshlens_lens::encoding::*;
use zerocopy::little_endian::U32;

type Integers = PackedInteger<11, 11, 10>;
const INTEGERS: Integers = PackedInteger;
const WHOLE: Packed<11, 11, 10> = Packed;
const UNITS: Packed<11, 11, 10, 3, 3, 2> = Packed;

/// The fields, computed bit by bit, without the tricks of `unpack`.
fn by_the_book(bits: u32, widths: [u32; 3]) -> [i32; 3] {
    let field = |shift: u32, width: u32| {
        let value = (bits >> shift) as i32 & ((1 << width) - 1);
        if value >= 1 << (width - 1) { value - (1 << width) } else { value }
    };
    [field(0, widths[0]), field(widths[0], widths[1]), field(widths[0] + widths[1], widths[2])]
}

#[test]
fn codes_of_every_axis_agree_with_the_document_and_survive_encoding() {
    for code in 0..2048u32 {
        for bits in [code, code << 11, code << 22, code | !code << 11, code.wrapping_mul(0x9e37_79b9)] {
            let raw = U32::new(bits);
            let want = by_the_book(bits, [11, 11, 10]);
            assert_eq!(INTEGERS.decode(raw).map(i32::from), want, "{bits:#x}");
            assert_eq!(WHOLE.decode(raw), want.map(|v| v as f32));
            let [x, y, z] = want.map(|v| v as f32);
            assert_eq!(UNITS.decode(raw), [x / 8.0, y / 8.0, z / 4.0]);
            assert_eq!(INTEGERS.encode(INTEGERS.decode(raw)), raw);
            assert_eq!(WHOLE.encode(WHOLE.decode(raw)), raw);
            assert_eq!(UNITS.encode(UNITS.decode(raw)), raw);
        }
    }
}

#[test]
fn fields_may_have_any_width_up_to_16_bits() {
    for bits in (0..4096u32).map(|code| code.wrapping_mul(0x9e37_79b9)) {
        let narrow = PackedInteger::<10, 10, 10>;
        assert_eq!(narrow.decode(U32::new(bits)).map(i32::from), by_the_book(bits, [10, 10, 10]));
        assert_eq!(narrow.encode(narrow.decode(U32::new(bits))).get(), bits & 0x3fff_ffff);
        let uneven = PackedInteger::<16, 1, 15>;
        assert_eq!(uneven.decode(U32::new(bits)).map(i32::from), by_the_book(bits, [16, 1, 15]));
        assert_eq!(uneven.encode(uneven.decode(U32::new(bits))).get(), bits);
    }
}

#[test]
fn the_formula_of_unreals_appendix_c() {
    // (int(1.5 * 8) & 0x7ff) | (int(-2.3 * 8) & 0x7ff) << 11 | (int(3.9 * 4) & 0x3ff) << 22
    let want = 12 | (-18i32 as u32 & 0x7ff) << 11 | 15 << 22;
    assert_eq!(UNITS.encode([1.5, -2.3, 3.9]).get(), want);
    assert_eq!(UNITS.quantize([1.5, -2.3, 3.9]), [1.5, -2.25, 3.75]);
}

#[test]
fn values_out_of_range_are_clamped() {
    let (low, high) = ([-1024.0, -1024.0, -512.0], [1023.0, 1023.0, 511.0]);
    assert_eq!(WHOLE.quantize([-1e9, -1025.0, -513.0]), low);
    assert_eq!(WHOLE.quantize([f32::INFINITY, 1024.0, 512.0]), high);
    assert_eq!(WHOLE.quantize([f32::NAN, 0.9, -0.9]), [0.0; 3]);
    assert_eq!(UNITS.quantize([128.0, -1e30, 1e30]), [127.875, -128.0, 127.75]);
    assert_eq!(INTEGERS.quantize([i16::MIN, i16::MAX, i16::MAX]), [-1024, 1023, 511]);
}
