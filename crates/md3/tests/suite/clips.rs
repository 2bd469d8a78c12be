//! Named clips, and names of files with levels of detail.

use meshlens_md3::animation::Animation;
use meshlens_md3::clips::{self, NamedAnimation};
use meshlens_md3::lod;

#[test]
fn only_rows_with_names_are_clips() {
    let text = b"// first frame, num frames, looping frames, frames per second\r\n\
        0 10 -3 15 // walk cycle \r\n\
        10 5 0 20\n\
        10 5 0 20 //\n\
        10 5 0 // three numbers\n\
        10 5 0 20 1 // five numbers\n\
        10 five 0 20 // a word\n\
        10 5 0 inf // not finite\n\
        10.9 -5.9 1e99 0.5 // m\xff";
    let found = clips::parse(text).unwrap();
    let clip = |name: &str, numbers: [i32; 3], frames_per_second| {
        let [first_frame, frame_count, loop_frames] = numbers;
        let animation = Animation { first_frame, frame_count, loop_frames, frames_per_second };
        NamedAnimation { name: name.into(), animation }
    };
    let wanted = [clip("walk cycle", [0, 10, -3], 15.0), clip("m\u{fffd}", [10, -5, i32::MAX], 0.5)];
    assert_eq!(found, wanted);
    assert_eq!(clips::parse(clips::write(&found).as_bytes()).unwrap(), found);
    let fastest = clips::parse(b"0 1 0 1e39 // a\n0 1 0 -1e300 // b").unwrap();
    assert_eq!(fastest, [clip("a", [0, 1, 0], f32::MAX), clip("b", [0, 1, 0], f32::MIN)]);
    assert_eq!(clips::parse(clips::write(&fastest).as_bytes()).unwrap(), fastest);
    let renamed = [clip(" a\nb ", [0, 1, 0], 1.0)];
    assert!(clips::write(&renamed).ends_with("\n0\t1\t0\t1\t// a b\n"));
}

#[test]
fn a_list_of_clips_is_limited() {
    let row = b"0 1 0 1//a\n";
    let most = meshlens_md3::wire::Limits::DEFAULT.count as usize;
    assert_eq!(clips::parse(&row.repeat(most)).unwrap().len(), most);
    let error = clips::parse(&row.repeat(most + 1)).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("LIMIT", (most * row.len()) as u64));
}

#[test]
fn the_level_of_detail_is_in_the_name() {
    let cases = [
        ("head_2.md3", (2, "head")),
        ("head_1.MD3", (1, "head")),
        ("head.md3", (0, "head")),
        ("head_0.md3", (0, "head_0")),
        ("head_x.md3", (0, "head_x")),
        ("gun_12.md3", (0, "gun_12")),
        ("_1.md3", (0, "_1")),
        ("head_1", (1, "head")),
        ("md3", (0, "md3")),
    ];
    for (name, level) in cases {
        assert_eq!(lod::level(name), level, "{name}");
    }
    let beside = ["gun.md3", "Head_2.md3", "head.md3", "a", "head_1.md3", "head.skin", "headless_1.md3"];
    assert_eq!(lod::siblings("head_1.md3", beside), ["head.md3", "head_1.md3", "Head_2.md3"]);
}
