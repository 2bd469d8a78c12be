//! Hashes of names and contents, within one run.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

pub(crate) fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}
