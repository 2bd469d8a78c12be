//! The checkers: everything public is called on some bytes, and what must always hold is asserted. They return
//! normally for bytes that do not parse, after looking at the error.

mod archive;
mod buffers;
mod convert;
mod encodings;
mod md3;
mod model;
mod prefix;
mod structured;
mod u3d;
mod unigine;
mod unreal;

use core::fmt::Debug;
use std::io;

use meshlens::dump::{Arrays, Dump};
use meshlens::{Document, Error, Finding, Report};
use meshlens_lens::{Encoding, Lens, Level};
use serde::Serialize;

use crate::meter::bounded;

pub use archive::archive;
pub use buffers::vertex_buffers;
pub use convert::{convert, gltf};
pub use encodings::encodings;
pub use md3::{animation_config, md3, skin};
pub use model::model;
pub use prefix::prefixes;
pub use structured::{md3_model, u3d_model, unigine_anim_model, unigine_mesh_model, unreal_model};
pub use u3d::{u3d, u3d_chunks, u3d_decrypt, u3d_v1, u3d_v2};
pub use unigine::{compact_int, unigine, unigine_anim, unigine_mesh};
pub use unreal::{split_pair, uc_script, unreal_files, unreal_frames, unreal_geometry, unreal_pair};

/// An error must say something, and speak of a place in the file or at its end.
pub fn error(error: &Error, bytes: &[u8]) {
    assert!(error.offset() <= bytes.len() as u64, "{error} lies behind the file");
    let text = error.to_string();
    assert!(text.starts_with(error.format()) && text.len() > error.format().len() + 2, "{text}");
}

/// Findings must lie in the file, and be counted.
pub fn report(found: &Report, bytes: &[u8]) {
    report_of(found, |_| bytes);
}

/// As [`report`], for a document of several files: `file` gives the one a finding speaks of.
pub fn report_of<'b>(report: &Report, file: impl Fn(&Finding) -> &'b [u8]) {
    let kept = report.findings().count() as u64;
    assert!(kept <= report.total() && (report.total() == 0 || report.worst().is_some()));
    let mut last = None;
    for finding in report.findings() {
        assert!(finding.offset <= file(finding).len() as u64, "{finding} lies behind the file");
        assert!(!finding.message.is_empty());
        assert!(
            finding
                .code
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit())
        );
        assert!(last <= Some(finding.severity), "{finding} stands behind a lesser one");
        last = Some(finding.severity);
    }
}

/// A lens must lie in the file where it says, and give the same values whichever way it is read.
pub fn lens<E: Encoding + Debug>(lens: Lens<'_, E>, bytes: &[u8]) {
    let range = lens.byte_range();
    if !lens.is_empty() {
        let window = &bytes[range.start as usize..range.end as usize];
        assert!(core::ptr::eq(window, lens.as_bytes()), "{lens:?} does not lie at {range:?}");
    }
    // Values are compared as bytes, so that a NaN equals itself.
    fn as_bytes<V: meshlens_lens::Value>(values: &[V]) -> &[u8] {
        bytemuck::cast_slice(values)
    }
    let values: Vec<E::Value> = lens.iter().collect();
    assert_eq!(values.len(), lens.len());
    let mut decoded = values.clone();
    decoded.fill(bytemuck::Zeroable::zeroed());
    lens.decode_into(&mut decoded).expect("one value per element");
    assert_eq!(as_bytes(&decoded), as_bytes(&values));
    // One value at a time is the scalar kernel; every level gives the same bits.
    for level in Level::all() {
        decoded.fill(bytemuck::Zeroable::zeroed());
        lens.decode_into_with(level, &mut decoded).expect("one value per element");
        assert!(as_bytes(&decoded) == as_bytes(&values), "{level} does not give what {lens:?} holds");
    }
    let stride = size_of::<E::Value>() + 4;
    let mut strided = vec![0xeeu8; lens.len() * stride + 4];
    lens.decode_strided(&mut strided, 4, stride).expect("room for every element");
    for (chunk, value) in strided.chunks_exact(stride).zip(&values) {
        assert_eq!(chunk[..4], [0xee; 4]);
        assert_eq!(&chunk[4..], bytemuck::bytes_of(value));
    }
    assert_eq!(lens.batches::<16>().count(), lens.len().div_ceil(16));
    assert!(lens.get(lens.len()).is_none() && lens.slice(0..lens.len() + 1).is_none());
}

/// What holds for a document of any format: the counts, the validator and the dump.
pub fn document(found: &Document<'_>, bytes: &[u8]) {
    document_of(found, bytes.len(), |_| bytes);
}

/// As [`document`], for one of several files of `len` bytes in all: `file` gives the one a finding speaks of.
pub fn document_of<'b>(document: &Document<'_>, len: usize, file: impl Fn(&Finding) -> &'b [u8]) {
    assert!(!document.version().is_empty());
    let _ = document.summary();
    for capacity in [0, 3, Report::DEFAULT_CAPACITY] {
        let mut findings = Report::with_capacity(capacity);
        bounded(len, "validate", || document.validate(&mut findings));
        report_of(&findings, &file);
    }
    for arrays in [Arrays::None, Arrays::Stats, Arrays::Full] {
        let dump = Dump::new(document, arrays);
        let mut json = serde_json::Serializer::with_formatter(std::io::sink(), NoDigits);
        bounded(len, "dump", || dump.serialize(&mut json)).expect("a sink takes everything");
    }
}

/// Writes no digits: most of the time of a dump is spent on them, and they are not ours.
struct NoDigits;

impl serde_json::ser::Formatter for NoDigits {
    fn write_f32<W: ?Sized + io::Write>(&mut self, _: &mut W, _: f32) -> io::Result<()> {
        Ok(())
    }

    fn write_f64<W: ?Sized + io::Write>(&mut self, _: &mut W, _: f64) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of any format.
pub fn any(bytes: &[u8]) {
    match Document::parse(bytes) {
        Ok(Document::Md3(_)) => md3(bytes),
        Ok(Document::U3d(_)) => u3d(bytes),
        Ok(Document::UnigineMesh(_)) => unigine_mesh(bytes),
        Ok(Document::UnigineAnim(_)) => unigine_anim(bytes),
        Ok(_) => unreachable!("every format has a checker"),
        Err(found) => error(&found, bytes),
    }
}
