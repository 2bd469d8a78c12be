//! The arrays of real files and of the corpus: first, middle and last frame, decoded on the GPU and by the scalar decoder.

use std::collections::BTreeMap;

use meshlens::lens::{ArrayFormat, Level, Numbers};
use meshlens_gpu::compute::decode_array;
use meshlens_gpu::wgsl::Decoder;

use crate::{files, gpu};

/// Elements of one format and stride, from many files.
struct Elements {
    format: &'static ArrayFormat,
    bytes: Vec<u8>,
    expected: Vec<f32>,
    count: usize,
}

/// The tolerance for floats: 0 for floats and for integers that are multiplied.
fn tolerance(format: &ArrayFormat) -> f32 {
    match format.numbers() {
        Numbers::Plain | Numbers::Scaled(_) | Numbers::BitFields { .. } => 0.0,
        _ => 1e-6,
    }
}

fn check(paths: &[std::path::PathBuf]) -> usize {
    let mut all: BTreeMap<(String, usize), Elements> = BTreeMap::new();
    for path in paths {
        let Some(files) = files::model_files(path) else { continue };
        let Some(document) = files::document(&files) else { continue };
        let last = document.arrays().map(|array| array.frame).max().unwrap_or(0);
        for array in document.arrays().filter(|array| [0, last / 2, last].contains(&array.frame)) {
            let (lens, format) = (array.lens, array.lens.format());
            if Decoder::of(format).is_none() || lens.is_empty() {
                continue;
            }
            let mut bytes = lens.as_bytes().to_vec();
            bytes.resize(lens.len() * lens.stride(), 0);
            let mut expected = vec![0f32; lens.len() * format.value().components];
            let out = bytemuck::cast_slice_mut(&mut expected);
            lens.decode_bytes_into_with(Level::SCALAR, out).unwrap();
            let key = (format.name().to_string(), lens.stride());
            let empty = || Elements { format, bytes: Vec::new(), expected: Vec::new(), count: 0 };
            let elements = all.entry(key).or_insert_with(empty);
            elements.bytes.extend(bytes);
            elements.expected.extend(expected);
            elements.count += lens.len();
        }
    }
    for ((name, stride), Elements { format, bytes, expected, count }) in &all {
        let floats = expected.len() / count;
        // The elements are split into parts that are smaller than the largest binding of lavapipe.
        let part = 1 << 20;
        for start in (0..*count).step_by(part) {
            let end = (start + part).min(*count);
            let found =
                decode_array(gpu(), format, &bytes[start * stride..end * stride], *stride, end - start)
                    .unwrap();
            let expected = &expected[start * floats..end * floats];
            assert_eq!(found.len(), expected.len());
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                let near = found == expected
                    || (found - expected).abs() <= tolerance(format)
                    || found.is_nan() && expected.is_nan();
                let element = start + index / floats;
                assert!(
                    near,
                    "{name}, stride {stride}, element {element}: {found} on the GPU, {expected} on the CPU"
                );
            }
        }
        println!("{name}, stride {stride}: {count} elements");
    }
    all.len()
}

#[test]
fn arrays_of_the_corpus_equal_the_scalar_decoder() {
    let kinds = check(&files::corpus());
    assert!(kinds >= 12, "{kinds} formats and strides");
}

#[test]
fn arrays_of_real_files_equal_the_scalar_decoder() {
    check(&files::real());
}
