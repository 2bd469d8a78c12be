//! The names of formats.

use meshlens_lens::encoding::*;
use meshlens_lens::{ArrayFormat, Described};

#[test]
fn names_contain_the_parameters() {
    let name = |format: &'static ArrayFormat| format.name();
    assert_eq!(name(Scaled::<i16, 3, 64>::FORMAT), "i16x3 / 64");
    assert_eq!(name(Scaled::<u8, 2, 1>::FORMAT), "u8x2 to f32");
    assert_eq!(name(PositionZenithAzimuth8::<64>::FORMAT), "i16x3 / 64, u8x2 angles");
    assert_eq!(name(Packed::<11, 11, 10>::FORMAT), "11-11-10 bits");
    assert_eq!(name(Packed::<11, 11, 10, 3, 3, 2>::FORMAT), "11-11-10 bits / 8, 8, 4");
    assert_eq!(name(PackedInteger::<16, 1, 15>::FORMAT), "16-1-15 bits to i16");
}
