//! Work whose instructions `.ci/instructions` counts: every encoding of the corpus on pseudorandom bytes, and the files of each
//! format, opened and decoded.

use std::hint::black_box;

use meshlens::{Document, Format};
use meshlens_benches::ratio::{as_in_file, from_a_line, noise};
use meshlens_benches::{count, counted_levels};
use meshlens_lens::{AnyLens, ArrayFormat, Level, Numbers};
use meshlens_testkit::corpus;
use meshlens_wire::Data;

/// The number of elements of each encoding.
const COUNT: usize = 4096;

fn open(file: &[Vec<u8>]) -> Option<Document<'_>> {
    match file {
        [geometry, frames] => Document::parse_pair(geometry, frames).ok(),
        [file] => Document::parse(file).ok(),
        _ => None,
    }
}

/// The number of bytes of the decoded array.
fn decoded_size(array: &AnyLens<'_>) -> usize {
    array.len() * array.format().value().size()
}

fn decode(array: &AnyLens<'_>, level: Level, out: &mut [u8]) {
    let out = &mut out[..decoded_size(array)];
    array.decode_bytes_into_with(level, black_box(out)).expect("room, and indices that are not negative");
}

fn main() {
    let pairs = corpus::unreal_pairs().into_iter().map(|(_, geometry, frames)| vec![geometry, frames]);
    let files = corpus::files().into_iter().map(|(_, file)| vec![file]).chain(pairs);
    let mut files: Vec<Vec<Vec<u8>>> = files.collect();
    files.retain(|file| open(file).is_some());
    let documents: Vec<Document<'_>> = files.iter().filter_map(|file| open(file)).collect();
    let mut formats: Vec<&ArrayFormat> = Vec::new();
    for array in documents.iter().flat_map(|document| document.arrays()) {
        let format = array.lens.format();
        // Others are copied, by the C library.
        let has_kernel = format.numbers() != Numbers::Plain
            || format.value().component != format.component()
            || format.is_indices();
        if has_kernel && !formats.iter().any(|known| known.name() == format.name()) {
            formats.push(format);
        }
    }
    let sizes =
        documents.iter().flat_map(|document| document.arrays()).map(|array| decoded_size(&array.lens));
    // The lines that stores cross must not depend on the allocator.
    let mut out = vec![0; sizes.max().unwrap_or_default().max(64 * COUNT) + 64];
    let out = from_a_line(&mut out);
    for format in formats {
        let words = noise(COUNT * format.size() + 128);
        // Zeros are indices of a vertex.
        let zeros = vec![0; words.len()];
        let words = if format.is_indices() { &zeros } else { &words };
        let bytes = as_in_file(bytemuck::cast_slice(words));
        let data = Data::new("noise", bytes);
        let span = data.span(0, COUNT as u64, format.size() as u32, "elements").expect("enough bytes");
        let array = AnyLens::bind(data, span, 0, format).expect("a span of elements");
        for level in counted_levels() {
            count(&format!("{}, {level}", format.name()), || decode(&array, level, out));
        }
    }
    for format in Format::ALL {
        let of_format =
            || files.iter().filter(|file| open(file).is_some_and(|document| document.format() == *format));
        let files: Vec<_> = of_format().collect();
        count(&format!("{format}, open"), || files.iter().for_each(|file| drop(black_box(open(file)))));
        for level in counted_levels() {
            count(&format!("{format}, open and decode, {level}"), || {
                for array in files
                    .iter()
                    .filter_map(|file| open(file))
                    .flat_map(|document| document.arrays().collect::<Vec<_>>())
                {
                    decode(&array.lens, level, out);
                }
            });
        }
    }
}
