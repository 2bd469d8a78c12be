//! The C interface gives what the interface in Rust gives.

use core::ffi::{c_uint, c_void};
use core::ptr;

use meshlens_mutate::{Kind, Mutator};

// SAFETY: these are the functions of `door.rs`, with the same arguments.
unsafe extern "C" {
    fn ml_mutate(data: *mut u8, size: usize, max_size: usize, seed: u64) -> usize;
    fn ml_cross_over(
        first: *const u8,
        first_size: usize,
        second: *const u8,
        second_size: usize,
        out: *mut u8,
        max_size: usize,
        seed: u64,
    ) -> usize;
    fn afl_custom_init(afl: *mut c_void, seed: c_uint) -> *mut c_void;
    fn afl_custom_fuzz(
        state: *mut c_void,
        file: *mut u8,
        size: usize,
        out: *mut *const u8,
        other: *const u8,
        other_size: usize,
        max_size: usize,
    ) -> usize;
    fn afl_custom_deinit(state: *mut c_void);
}

const MAX_LEN: usize = 5000;

#[test]
fn files_are_changed_in_place_as_in_rust() {
    let (first, second) =
        (Mutator::new(Kind::Md3).make(MAX_LEN, 1), Mutator::new(Kind::Md3).make(MAX_LEN, 2));
    for seed in 0..20 {
        let mut file = first.clone();
        file.resize(MAX_LEN, 0);
        // SAFETY: there are as many bytes as the sizes say.
        let len = unsafe { ml_mutate(file.as_mut_ptr(), first.len(), MAX_LEN, seed) };
        assert_eq!(file[..len], Mutator::detecting().mutate(&first, MAX_LEN, seed));
        let mut out = vec![0; MAX_LEN];
        let (a, b) = (first.as_ptr(), second.as_ptr());
        // SAFETY: there are as many bytes as the sizes say.
        let len = unsafe { ml_cross_over(a, first.len(), b, second.len(), out.as_mut_ptr(), MAX_LEN, seed) };
        assert_eq!(out[..len], Mutator::detecting().cross_over(&first, &second, MAX_LEN, seed));
    }
}

#[test]
fn nothing_becomes_a_file_and_no_room_gives_nothing() {
    let is_file = |seed: &u64| {
        let mut file = vec![0; MAX_LEN];
        // SAFETY: no bytes are read, and there is room for as many as the sizes say.
        let (some, none) = unsafe {
            (ml_mutate(file.as_mut_ptr(), 0, MAX_LEN, *seed), ml_mutate(ptr::null_mut(), 0, 0, *seed))
        };
        assert_eq!(none, 0);
        Kind::detect(&file[..some]).is_some()
    };
    assert!((0..30).filter(is_file).count() > 15);
}

#[test]
fn two_runs_of_afl_with_one_seed_give_the_same_files() {
    let mut file = Mutator::new(Kind::UnigineMesh).make(MAX_LEN, 1);
    let other = Mutator::new(Kind::UnigineMesh).make(MAX_LEN, 2);
    let mut run = |seed| {
        // SAFETY: AFL++ passes its state, which is not read.
        let state = unsafe { afl_custom_init(ptr::null_mut(), seed) };
        let files: Vec<Vec<u8>> = (0..16)
            .map(|_| {
                let mut out = ptr::null();
                let (data, size) = (file.as_mut_ptr(), file.len());
                // SAFETY: the state is that of `afl_custom_init`, and there are as many bytes as the sizes say. The result has
                // `len` bytes until the next call.
                unsafe {
                    let len =
                        afl_custom_fuzz(state, data, size, &mut out, other.as_ptr(), other.len(), MAX_LEN);
                    core::slice::from_raw_parts(out, len).to_vec()
                }
            })
            .collect();
        // SAFETY: the state is not used any more.
        unsafe { afl_custom_deinit(state) };
        files
    };
    let files = run(7);
    assert!(files.iter().all(|file| file.len() <= MAX_LEN) && files == run(7) && files != run(8));
}
