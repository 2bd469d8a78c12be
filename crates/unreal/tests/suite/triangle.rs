//! Types of triangles.

use meshlens_unreal::{TriangleKind, TriangleType};

#[test]
fn kind_and_effects_restore_every_byte() {
    let mut unknown = 0;
    for bits in 0..=255u8 {
        let triangle_type = TriangleType(bits);
        assert_eq!(TriangleType::new(triangle_type.kind(), bits), triangle_type);
        unknown += u32::from(matches!(triangle_type.kind(), TriangleKind::Unknown(_)));
    }
    assert_eq!(unknown, 10 * 16);
}

#[test]
fn kinds_determine_sides_and_visibility() {
    let sides = |bits: u8| (TriangleType(bits).is_two_sided(), TriangleType(bits).is_visible());
    assert_eq!([0, 1, 4, 5].map(sides), [(false, true), (true, true), (true, true), (false, true)]);
    assert_eq!(sides(8 + 16), (false, false));
    assert_eq!(TriangleType(8 + 128).to_string(), "weapon, no smoothing");
    assert_eq!(TriangleType(5).to_string(), "unknown kind 5");
}
