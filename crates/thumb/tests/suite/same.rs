//! Pictures are the same at every instruction-set level, and equal the recorded ones.

use std::fmt::Write;

use meshlens::Model;
use meshlens::lens::Level;
use meshlens::scene::Scene;
use meshlens::unreal::Unreal;
use meshlens_testkit::corpus;
use meshlens_testkit::share::few_or_all;
use meshlens_thumb::{Options, picture};

/// FNV-1a of 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// A line for each model of the corpus: its path, the hash of its picture of 32 by 32 pixels, and the number of pixels that
/// are not background.
fn lines(threads: usize) -> String {
    let mut lines = String::new();
    let mut add = |path: &str, model: &Model<'_>| {
        let options = Options { size: 32, threads, ..Options::default() };
        let made = picture(&Scene::from(model.clone()), &options).unwrap();
        let empty = Model::empty(None, model.space);
        let background = picture(&Scene::from(empty), &options).unwrap();
        let differ = made.rgba.chunks(4).zip(background.rgba.chunks(4)).filter(|(a, b)| a != b).count();
        writeln!(lines, "{path} {:016x} {differ}", hash(&made.rgba)).unwrap();
    };
    for (path, bytes) in corpus::with_extension(&[".md3", ".u3d", ".mesh", ".anim"]) {
        let Ok(model) = Model::parse(&bytes) else { continue };
        add(&path, &model);
    }
    for (path, geometry, frames) in corpus::unreal_pairs() {
        let model = Model::new(Unreal::parse(&geometry, &frames).unwrap().into()).unwrap();
        add(&path, &model);
    }
    lines
}

#[test]
fn pictures_are_the_same_at_every_level_and_on_every_machine() {
    let golden = include_str!("golden.txt");
    for level in Level::all() {
        Level::force(Some(level));
        let found = lines(1);
        Level::force(None);
        assert!(found == golden, "{}: the pictures are now\n{found}", level.name());
    }
    for threads in [7, 0, 2, 40].into_iter().take(few_or_all(1, 4)) {
        assert_eq!(lines(threads), golden, "{threads} threads");
    }
}
