//! Tests of the crate.

mod companions;
mod faults;
mod hostile;
mod material;
mod names;
mod openarena;
mod unlisted;
mod user_path;

/// A file of the corpus.
fn corpus(name: &str) -> Vec<u8> {
    let path = meshlens_testkit::real::workspace_root().join("corpus").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
