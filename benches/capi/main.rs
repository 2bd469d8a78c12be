//! The functions of the C interface next to the Rust functions that they call, on small models, so that the difference
//! is the cost of the interface: checks of arguments, catching panics, and writing structs.
//!
//! Every pair is compared once before it is measured. `-- --test` runs everything once, without measuring.

mod cases;

use std::fmt::Debug;
use std::hint::black_box;
use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::time::Duration;

use meshlens_benches::ratio::{Run, Table, in_turns, machine};
use meshlens_capi::*;
use meshlens_testkit::corpus;

/// The maximum difference between a call and the Rust function, in nanoseconds.
const GOAL: f64 = 1000.0;

/// The rows of the table.
struct Calls {
    is_test: bool,
    table: Table,
    slow: Vec<String>,
}

impl Calls {
    /// Checks that both calls write the same value to an output, which is `initial` before, and measures them in turns.
    fn pair<T: Clone + Debug + PartialEq>(
        &mut self,
        name: &str,
        initial: T,
        mut c: impl FnMut(&mut T),
        mut rust: impl FnMut(&mut T),
    ) {
        let (mut of_c, mut of_rust) = (initial.clone(), initial.clone());
        c(&mut of_c);
        rust(&mut of_rust);
        assert_eq!(of_c, of_rust, "{name}");
        assert_ne!(of_c, initial, "{name} writes something");
        if self.is_test {
            return;
        }
        let runs: &mut [Run<'_>] =
            &mut [Box::new(|| c(black_box(&mut of_c))), Box::new(|| rust(black_box(&mut of_rust)))];
        let found = in_turns(1, Duration::from_micros(200), 101, runs);
        let [c, rust] = [found.rates[0], found.rates[1]].map(|rate| 1e9 / rate);
        let above = c - rust;
        self.table.row(vec![name.to_owned(), format!("{c:.0}"), format!("{rust:.0}"), format!("{above:.0}")]);
        let count = 1 + name.matches(", ml_").count();
        if above > GOAL * count as f64 {
            self.slow.push(format!("{name} ({above:.0})"));
        }
    }

    /// Like [`pair`](Self::pair), for a C function that fills a struct. Compares the value that `of` extracts from it.
    fn getter<S, T: Clone + Debug + PartialEq>(
        &mut self,
        name: &str,
        get: impl Fn(*mut S, *mut ml_error) -> ml_result,
        of: impl Fn(&S) -> T,
        mut rust: impl FnMut() -> T,
    ) {
        let mut error = error();
        let c = |found: &mut Option<T>| {
            // SAFETY: structs of the interface are plain numbers and pointers, so zeros are valid.
            let mut value: S = unsafe { zeroed() };
            done(get(&raw mut value, &raw mut error));
            *found = Some(of(&value));
        };
        self.pair(name, None, c, |found| *found = Some(rust()));
    }
}

/// Panics unless the call succeeded. An error is passed to each call, as programs do.
fn done(result: ml_result) {
    assert_eq!(result, ml_result::ML_OK);
}

fn bytes_of(name: &str) -> Vec<u8> {
    let found = corpus::files().into_iter().find(|(path, _)| path == name);
    found.map(|(_, bytes)| bytes).expect("a file of the corpus")
}

fn error() -> ml_error {
    // SAFETY: the struct is plain numbers, and zeros are how programs in C initialize it.
    unsafe { zeroed() }
}

/// An open file of C.
struct File(*mut ml_asset);

impl File {
    fn open(bytes: &[u8]) -> File {
        let mut file = null_mut();
        // SAFETY: the bytes outlive the file, which is closed by `drop` before they are.
        unsafe { done(ml_open_memory(bytes.as_ptr().cast(), bytes.len(), null(), &mut file, &mut error())) };
        File(file)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: it is open, and nothing uses it any more.
        unsafe { done(ml_close(self.0)) };
    }
}

/// A scene of a file, and a pose of it.
struct CScene {
    scene: *mut ml_scene,
    pose: *mut ml_pose,
}

impl CScene {
    fn open(file: &File) -> CScene {
        let (mut scene, mut pose) = (null_mut(), null_mut());
        // SAFETY: the file is open.
        unsafe {
            done(ml_open_scene(file.0, null(), 0, &raw mut scene, null_mut()));
            done(ml_new_pose(scene, &raw mut pose, null_mut()));
        }
        CScene { scene, pose }
    }
}

impl Drop for CScene {
    fn drop(&mut self) {
        // SAFETY: both are open, and nothing uses them.
        unsafe {
            done(ml_close_pose(self.pose));
            done(ml_close_scene(self.scene));
        }
    }
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let columns = ["call", "C ns", "Rust ns", "difference ns"];
    let mut calls = Calls { is_test, table: Table::new(&columns), slow: Vec::new() };
    let player = bytes_of("md3/player/lower.md3");
    let skinned = bytes_of("u3d/v2_skinned.u3d");
    cases::open(&mut calls, &player);
    cases::file(&mut calls, &player);
    cases::arrays(&mut calls, &player);
    cases::meshes(&mut calls, &player);
    cases::vertices(&mut calls, &player);
    cases::frames(&mut calls, &player);
    cases::joints(&mut calls, &skinned);
    if is_test {
        return;
    }
    println!("\n{}\n", machine());
    calls.table.print();
    let slow = if calls.slow.is_empty() { "none".to_owned() } else { calls.slow.join(", ") };
    println!("Functions that cost more than {GOAL:.0} ns above the Rust function: {slow}.");
}
