//! Programs of calls of the C interface.

use meshlens_testkit::check::calls;

#[test]
fn programs_run_on_no_file_and_on_a_file() {
    let file = std::fs::read("../../corpus/md3/tagged.md3").expect("the corpus is there");
    for seed in 0..400u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        let program: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(200)
        .collect();
        calls(&[&file, &program[..], &[200]].concat());
        calls(&[&program[..], &[200]].concat());
    }
    calls(&[]);
}
