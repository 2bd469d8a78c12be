//! Compares reading and mapping, to find the sizes at which `meshlens_source` should change between them.
//!
//! The page cache is warm: each file is written here and read once before it is measured, so its pages are the result
//! of ordinary writes (4 KiB, unless the file system makes larger folios). The folder is temporary, so `TMPDIR` selects
//! the file system. "Touch" adds up the bytes as 64-bit words, at about the speed of memory.

use std::path::PathBuf;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group};
use meshlens_source::{Source, read_into};

const KIB: usize = 1 << 10;
const PAGE: usize = 4 * KIB;

/// The sizes of the files in KiB.
const SIZES: [usize; 12] = [4, 16, 32, 64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 16 << 10, 64 << 10];

/// The sum of the words in `bytes`, whose length is a multiple of 8.
fn touch(bytes: &[u8]) -> u64 {
    let words = bytes.as_chunks::<8>().0.iter();
    words.fold(0, |sum: u64, &word| sum.wrapping_add(u64::from_le_bytes(word)))
}

/// Writes a file whose pages all differ, and returns the sum of its words.
fn warm_file(folder: &tempfile::TempDir, size: usize) -> (PathBuf, u64) {
    let path = folder.path().join(size.to_string());
    let words = (0..size as u64 / 8).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    std::fs::write(&path, words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>()).expect("a writable folder");
    let sum = touch(&std::fs::read(&path).expect("the file just written"));
    (path, sum)
}

fn source(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for size in SIZES.map(|size| size * KIB) {
        let id = |name| BenchmarkId::new(name, size / KIB);
        // The first benchmark that needs this size makes the file.
        let file = std::cell::OnceCell::new();
        let warm = || file.get_or_init(|| warm_file(&folder, size));
        let mut group = c.benchmark_group("source/KiB");
        group.throughput(Throughput::Bytes(size as u64));

        group.bench_function(id("read into a reused buffer, touch all"), |b| {
            let (path, sum) = warm();
            let mut buffer = Vec::new();
            b.iter(|| {
                read_into(path, &mut buffer).expect("a readable file");
                assert_eq!(touch(&buffer), *sum);
            });
        });
        // Sources that stay open: their memory cannot be reused for the next one.
        group.bench_function(id("read and keep, touch all"), |b| {
            let (path, sum) = warm();
            let read = || {
                let source = Source::read(path).expect("a readable file");
                assert_eq!(touch(&source), *sum);
                source
            };
            b.iter_batched(|| (), |()| read(), BatchSize::NumIterations(8));
        });
        group.bench_function(id("map, touch all"), |b| {
            let (path, sum) = warm();
            b.iter(|| {
                // SAFETY: nobody writes to the file after it was made.
                let source = unsafe { Source::map(path).expect("a readable file") };
                assert_eq!(touch(&source), *sum);
            });
        });
        group.bench_function(id("map, touch the first 4 KiB"), |b| {
            let (path, _) = warm();
            let sum = touch(&std::fs::read(path).expect("a readable file")[..PAGE]);
            b.iter(|| {
                // SAFETY: nobody writes to the file after it was made.
                let source = unsafe { Source::map(path).expect("a readable file") };
                assert_eq!(touch(&source[..PAGE]), sum);
            });
        });
        group.finish();
        let _ = std::fs::remove_file(folder.path().join(size.to_string()));
    }
}

criterion_group!(benches, source);
