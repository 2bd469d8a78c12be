//! The checkers. Each calls every public function on some bytes and asserts the invariants. For bytes that do not
//! parse, it checks the error and returns.

mod archive;
mod assets;
mod buffers;
#[cfg(feature = "capi")]
mod capi;
mod carriers;
mod convert;
mod encodings;
mod fix;
mod glb;
mod material;
mod md3;
mod model;
mod plan_table;
mod prefix;
mod statements;
mod stored;
mod stream;
mod structured;
mod thumb;
mod u3d;
mod unigine;
mod unreal;
mod walk;

use core::fmt::{Debug, Display};
use std::io;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Error, Finding, Report};
use meshlens_lens::{Array, Encoding, Lens, Level};
use meshlens_wire::Data;
use serde::Serialize;

use crate::meter::{bounded, bounded_by};

pub use archive::archive;
pub use assets::assets;
pub use buffers::vertex_buffers;
#[cfg(feature = "capi")]
pub use capi::calls;
pub use carriers::{skeleton, usd, vat};
pub use convert::{convert, gltf};
pub use encodings::encodings;
pub use fix::fix;
pub use material::{image, shader};
pub use md3::{animation_config, md3, skin};
pub use meshlens_mutate::split_pair;
pub use model::model;
pub use plan_table::{plan_table, small_plan_table};
pub use prefix::prefixes;
pub use statements::{wire, wire_statements};
pub use stored::{pack, range_cache};
pub use stream::stream_plan;
pub use structured::{md3_model, u3d_model, unigine_anim_model, unigine_mesh_model, unreal_model};
pub use thumb::thumb;
pub use u3d::{u3d, u3d_chunks, u3d_decrypt, u3d_v1, u3d_v2};
pub use unigine::{compact_int, unigine, unigine_anim, unigine_mesh};
pub use unreal::{uc_script, unreal_files, unreal_frames, unreal_geometry, unreal_pair};
pub use walk::{md3_walk, u3d_walk, unigine_anim_walk, unigine_mesh_walk, unreal_walk};

/// Checks an error: it has a message, and its offset is in the file or at its end.
pub fn error(error: &Error, bytes: &[u8]) {
    assert!(error.offset() <= bytes.len() as u64, "{error} is past the end of the file");
    let text = error.to_string();
    assert!(text.starts_with(error.format()) && text.len() > error.format().len() + 2, "{text}");
}

/// The value of a result. For an error, checks it like [`error`], and returns `None`.
fn checked<T>(result: Result<T, Error>, bytes: &[u8]) -> Option<T> {
    result.inspect_err(|found| error(found, bytes)).ok()
}

/// Parses bytes, with limits for memory and work. `None` if they do not parse, after a check of the error.
fn parsed<'b, T>(bytes: &'b [u8], parse: impl FnOnce(&'b [u8]) -> Result<T, Error>) -> Option<T> {
    checked(bounded(bytes.len(), "parse", || parse(bytes)), bytes)
}

/// The value of a result; `None` for an error, which must have a message.
fn explained<T, E: Display>(result: Result<T, E>) -> Option<T> {
    result.inspect_err(|error| assert!(!error.to_string().is_empty())).ok()
}

/// Checks findings: their offsets are in the file, and their counts are right.
pub fn report(found: &Report, bytes: &[u8]) {
    report_of(found, |_| bytes);
}

/// Like [`report`], for a document of several files: `file` returns the file that a finding is about.
pub fn report_of<'b>(report: &Report, file: impl Fn(&Finding) -> &'b [u8]) {
    let kept = report.findings().count() as u64;
    assert!(kept <= report.total() && (report.total() == 0 || report.worst().is_some()));
    let mut last = None;
    for finding in report.findings() {
        assert!(finding.offset <= Some(file(finding).len() as u64), "{finding} is past the end of the file");
        assert!(!finding.message.is_empty());
        assert!(
            finding
                .code
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit())
        );
        assert!(last <= Some(finding.severity), "{finding} follows a less severe one");
        last = Some(finding.severity);
    }
}

/// Checks a lens: its bytes are at its offset in the file, and all ways of reading return the same values.
pub fn lens<E: Encoding + Debug + 'static>(lens: Lens<'_, E>, bytes: &[u8]) {
    let range = lens.byte_range();
    if !lens.is_empty() {
        let window = &bytes[range.start as usize..range.end as usize];
        assert!(core::ptr::eq(window, lens.as_bytes()), "{lens:?} is not at {range:?}");
    }
    let values: Vec<E::Value> = lens.iter().collect();
    assert_eq!(values.len(), lens.len());
    let mut decoded = values.clone();
    decoded.fill(bytemuck::Zeroable::zeroed());
    lens.decode_into(&mut decoded).expect("one value per element");
    assert!(agree::<E>(Level::current(), &decoded, &values));
    // Decoding values one by one uses the scalar kernel.
    for level in Level::all() {
        decoded.fill(bytemuck::Zeroable::zeroed());
        lens.decode_into_with(level, &mut decoded).expect("one value per element");
        assert!(agree::<E>(level, &decoded, &values), "{level} does not give what {lens:?} holds");
    }
    let stride = size_of::<E::Value>() + 4;
    let mut strided = vec![0xeeu8; lens.len() * stride + 4];
    lens.decode_strided(&mut strided, 4, stride).expect("room for every element");
    for (chunk, value) in strided.chunks_exact(stride).zip(&mut decoded) {
        assert_eq!(chunk[..4], [0xee; 4]);
        *value = bytemuck::pod_read_unaligned(&chunk[4..]);
    }
    assert!(agree::<E>(Level::current(), &decoded, &values));
    assert_eq!(lens.batches::<16>().count(), lens.len().div_ceil(16));
    assert!(lens.get(lens.len()).is_none() && lens.slice(0..lens.len() + 1).is_none());
}

/// Whether the output of a level equals single elements: bit for bit, where a NaN equals itself, or within the
/// tolerance of the encoding if the level needs it.
fn agree<E: Encoding>(level: Level, found: &[E::Value], wanted: &[E::Value]) -> bool {
    if E::TOLERANCE == 0.0 || !is_near(level) {
        return bytemuck::cast_slice::<_, u8>(found) == bytemuck::cast_slice::<_, u8>(wanted);
    }
    let (found, wanted): (&[f32], &[f32]) = (bytemuck::cast_slice(found), bytemuck::cast_slice(wanted));
    found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= E::TOLERANCE)
}

/// Whether a level uses the tolerance of encodings that have one.
fn is_near(level: Level) -> bool {
    Level::avx2().is_some_and(|avx2| level >= avx2)
}

/// Checks an array of any format: it decodes like its scalar kernel, and all its bytes are in its window.
fn array(array: &Array<'_>) {
    let lens = array.lens;
    let (size, range) = (lens.format().value().size(), lens.byte_range());
    assert_eq!(range.end - range.start, lens.as_bytes().len() as u64, "{array:?}");
    assert!(
        lens.is_empty() || lens.as_bytes().len() == (lens.len() - 1) * lens.stride() + lens.format().size()
    );
    let [mut scalar, mut current] = [(); 2].map(|()| vec![0u8; lens.len() * size]);
    lens.decode_bytes_into_with(Level::SCALAR, &mut scalar).expect("room for every value");
    lens.decode_bytes_into(&mut current).expect("room for every value");
    let near = lens.format().tolerance() > 0.0 && is_near(Level::current());
    assert!(near || scalar == current, "{} does not give what {array:?} holds", Level::current());
    assert!(lens.slice(0..lens.len() + 1).is_none());
    if let Some(accessor) = lens.format().gltf() {
        assert!(accessor.scale != 0.0 && accessor.components <= 4, "{accessor:?}");
    }
}

/// Checks that each array can be bound to its own bytes, and equals the array that the document lists.
fn array_parts(document: &Document<'_>) {
    let mut listed = document.arrays();
    for parts in document.array_parts() {
        let found = listed.find(|array| {
            let key = (array.semantic, array.mesh, array.set, array.frame, array.lod, array.bone, array.file);
            let is_same = key
                == (parts.semantic, parts.mesh, parts.set, parts.frame, parts.lod, parts.bone, parts.file);
            // Morph targets after the first are only found with the bytes of the earlier ones.
            assert!(is_same || array.frame > 0, "{array:?} comes before {parts:?}");
            is_same
        });
        let array = found.unwrap_or_else(|| panic!("{parts:?} is not listed"));
        let (range, bytes) = (array.lens.byte_range(), array.lens.as_bytes());
        assert!(parts.is_empty() || parts.byte_range() == range, "{parts:?} is at {range:?}");
        let alone = parts.bind(Data::part("alone", bytes, range.start, range.end)).expect("all its bytes");
        assert!(core::ptr::eq(alone.lens.as_bytes(), bytes) || bytes.is_empty());
        assert_eq!((alone.lens.len(), alone.lens.stride()), (array.lens.len(), array.lens.stride()));
        assert_eq!((alone.lens.format(), alone.is_part), (array.lens.format(), array.is_part));
        if let Some((_, short)) = bytes.split_last() {
            assert!(parts.bind(Data::part("short", short, range.start, range.end)).is_err());
            assert!(parts.bind(Data::part("late", &bytes[1..], range.start + 1, range.end)).is_err());
        }
    }
}

/// Checks a document of any format: counts, arrays, validator and dump.
pub fn document(found: &Document<'_>, bytes: &[u8]) {
    document_of(found, &[bytes], |_| bytes);
}

/// The memory of a validation for each byte of a file. An empty surface of 105 bytes takes 1,300 in the model whose normals are
/// compared with its triangles.
const VALIDATE_PER_BYTE: u64 = 24;

/// The bytes of the content of a document whose files have `len` bytes: geometry is unpacked, up to 255 times as large.
fn content_len(document: &Document<'_>, len: usize) -> usize {
    let Document::UnigineMesh(mesh) = document else { return len };
    let blocks = mesh.surfaces().filter_map(|surface| surface.geometry_block());
    blocks.filter(|block| block.is_packed()).fold(len, |len, block| len + block.unpacked_len() as usize)
}

/// Like [`document`], for several files: `file` returns the file that a finding is about.
///
/// The bytes of an input determine the capacity for its validation and the form of its dump. Dumps take most of the
/// time, and the damaged copies of a file use all forms.
pub fn document_of<'b>(document: &Document<'_>, files: &[&[u8]], file: impl Fn(&Finding) -> &'b [u8]) {
    let len = files.iter().copied().map(<[u8]>::len).sum();
    let choice = files.iter().copied().flatten().map(|byte| usize::from(*byte)).sum::<usize>() % 3;
    assert!(!document.version().is_empty());
    let _ = document.summary();
    for found in document.arrays() {
        array(&found);
    }
    array_parts(document);
    let mut findings = Report::with_capacity([0, 3, Report::DEFAULT_CAPACITY][choice]);
    bounded_by(VALIDATE_PER_BYTE, content_len(document, len), "validate", || {
        document.validate(&mut findings)
    });
    report_of(&findings, &file);
    if choice == 0 {
        fix::mended(document, len);
    }
    let dump = Dump::new(document, [Arrays::None, Arrays::Stats, Arrays::Full][choice]);
    let mut json = serde_json::Serializer::with_formatter(std::io::sink(), NoDigits);
    bounded(len, "dump", || dump.serialize(&mut json)).expect("a sink takes everything");
}

/// Writes no digits. Formatting numbers takes most of the time of a dump, and is not our code.
struct NoDigits;

impl serde_json::ser::Formatter for NoDigits {
    fn write_f32<W: ?Sized + io::Write>(&mut self, _: &mut W, _: f32) -> io::Result<()> {
        Ok(())
    }

    fn write_f64<W: ?Sized + io::Write>(&mut self, _: &mut W, _: f64) -> io::Result<()> {
        Ok(())
    }
}
