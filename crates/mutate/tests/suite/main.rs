//! What the mutators promise, on every file of the corpus and on files that they made.

use meshlens::unreal::Unreal;
use meshlens::{Document, u3d};
#[cfg(feature = "c")]
mod door;

use meshlens_fixtures::corpus;
use meshlens_mutate::{Kind, Mutator, split_pair};

const MAX_LEN: usize = 20_000;

/// Files of one kind: those of the corpus that are not too large, and new ones.
fn files(kind: Kind) -> Vec<Vec<u8>> {
    let mutator = Mutator::new(kind);
    let mut files: Vec<Vec<u8>> = (0..8).map(|seed| mutator.make(MAX_LEN, seed)).collect();
    let pairs = corpus::unreal_pairs().into_iter().map(|(_, geometry, frames)| [geometry, frames].concat());
    let models =
        corpus::with_extension(&[".md3", ".u3d", ".mesh", ".anim"]).into_iter().map(|(_, bytes)| bytes);
    let mut found: Vec<Vec<u8>> = models.chain(pairs).collect();
    found.retain(|bytes| bytes.len() <= MAX_LEN && Kind::detect(bytes) == Some(kind));
    found.truncate(12);
    files.extend(found);
    files
}

fn parses(kind: Kind, file: &[u8]) -> bool {
    match kind {
        Kind::Unreal => {
            let (geometry, frames) = split_pair(file);
            Unreal::parse(geometry, frames).is_ok()
        }
        Kind::EncryptedU3d => {
            u3d::U3d::decrypt(file, "secret").is_ok_and(|plain| Document::parse(&plain).is_ok())
        }
        _ => Document::parse(file).is_ok(),
    }
}

#[test]
fn new_files_parse_and_are_of_their_kind() {
    for kind in Kind::ALL {
        for seed in 0..50 {
            let file = Mutator::new(kind).make(MAX_LEN, seed);
            assert!(parses(kind, &file), "{kind} of seed {seed}");
            assert!(Kind::detect(&file) == Some(kind), "{kind} of seed {seed}");
        }
    }
}

#[test]
fn more_than_half_of_the_changed_files_parse_also_after_many_changes() {
    for kind in Kind::ALL {
        let mutator = Mutator::new(kind);
        let (mut parsed, mut all) = (0, 0);
        for (start, file) in files(kind).into_iter().enumerate() {
            let mut file = file;
            for change in 0..40 {
                file = mutator.mutate(&file, MAX_LEN, (start * 1000 + change) as u64);
                (parsed, all) = (parsed + u32::from(parses(kind, &file)), all + 1);
            }
        }
        println!("{kind}: {parsed} of {all} parse");
        assert!(all >= 320 && parsed * 2 > all, "{kind}: {parsed} of {all}");
    }
}

#[test]
fn the_same_seed_gives_the_same_file_and_other_seeds_others() {
    for kind in Kind::ALL {
        let mutator = Mutator::new(kind);
        let file = mutator.make(MAX_LEN, 1);
        let changed: Vec<Vec<u8>> = (0..40).map(|seed| mutator.mutate(&file, MAX_LEN, seed)).collect();
        assert!((0..40).all(|seed| mutator.mutate(&file, MAX_LEN, seed) == changed[seed as usize]));
        assert!(changed.iter().all(|other| *other != file), "{kind}: a change changes nothing");
        let different: std::collections::BTreeSet<_> = changed.iter().collect();
        assert!(different.len() > 30, "{kind}: {} files", different.len());
    }
}

#[test]
fn results_do_not_depend_on_the_files_that_came_before() {
    for kind in Kind::ALL {
        let mutator = Mutator::new(kind);
        let mut files = files(kind);
        for seed in 0..300 {
            let pair = (files[seed % files.len()].clone(), files[seed * 7 % files.len()].clone());
            let change = |(first, second): &(Vec<u8>, Vec<u8>)| {
                let changed = mutator.mutate(first, MAX_LEN, seed as u64);
                [mutator.cross_over(&changed, second, MAX_LEN, seed as u64), changed]
            };
            let changed = change(&pair);
            // Another thread has seen no files.
            let fresh = std::thread::scope(|scope| scope.spawn(|| change(&pair)).join());
            assert!(fresh.unwrap() == changed, "{kind}, seed {seed}");
            files.extend(changed);
        }
    }
}

#[test]
fn no_file_is_larger_than_the_caller_asks_for() {
    for kind in Kind::ALL {
        let (mutator, files) = (Mutator::new(kind), files(kind));
        for max_len in [0, 1, 3, 16, 17, 100, 1000] {
            for (seed, pair) in (0..).zip(files.windows(2)) {
                assert!(mutator.make(max_len, seed).len() <= max_len);
                assert!(mutator.mutate(&pair[0], max_len, seed).len() <= max_len);
                assert!(mutator.cross_over(&pair[0], &pair[1], max_len, seed).len() <= max_len);
            }
        }
    }
}

#[test]
fn most_joined_files_parse() {
    for kind in Kind::ALL {
        let (mutator, files) = (Mutator::new(kind), files(kind));
        let seeds = (0..).zip(files.windows(2).cycle()).take(60);
        let joined = seeds.map(|(seed, pair)| mutator.cross_over(&pair[0], &pair[1], MAX_LEN, seed));
        let parsed = joined.filter(|file| parses(kind, file)).count();
        assert!(parsed > 40, "{kind}: {parsed} of 60");
    }
}

#[test]
fn a_surface_of_one_model_gets_into_another() {
    let named = |name: &str| {
        let mut model = meshlens::md3::write::Model::new(name).unwrap();
        model.frames.push(meshlens::md3::write::Frame::named("f").unwrap());
        let mut surface = meshlens::md3::write::Surface::new(name).unwrap();
        surface.texcoords.push([0.0; 2]);
        surface.add_frame(&[[1.0, 2.0, 3.0]], &[[0.0, 0.0, 1.0]]).unwrap();
        model.surfaces.push(surface);
        model.write().unwrap()
    };
    let (first, second) = (named("first"), named("second"));
    let has_both = |seed: &u64| {
        let joined = Mutator::new(Kind::Md3).cross_over(&first, &second, MAX_LEN, *seed);
        let Ok(md3) = meshlens::md3::Md3::parse(&joined) else { return false };
        let names: Vec<_> = md3.surfaces().map(|surface| surface.name().to_string()).collect();
        names.contains(&"first".into()) && names.contains(&"second".into())
    };
    assert!((0..200).filter(has_both).count() > 2);
}

#[test]
fn files_of_no_kind_become_files_of_one() {
    let mutator = Mutator::detecting();
    let kinds: std::collections::BTreeSet<_> = (0..100)
        .filter_map(|seed| Kind::detect(&mutator.mutate(b"?", MAX_LEN, seed)))
        .map(Kind::name)
        .collect();
    assert_eq!(kinds.len(), Kind::ALL.len(), "{kinds:?}");
    assert_eq!("unigine-mesh".parse(), Ok(Kind::UnigineMesh));
    assert!("obj".parse::<Kind>().unwrap_err().to_string().contains("unigine-anim"));
}
