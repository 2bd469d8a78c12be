//! Mended files: nobody sees a difference, there are no new errors, and nothing is left to mend.

use meshlens::fix::{FixOptions, fix as mend};
use meshlens::{Document, Model, Report, Severity};

use super::content_len;
use super::model::with_document;
use crate::displayed;
use crate::meter::bounded_by;

/// The most frames of a file whose triangles are compared.
const FRAMES: usize = 64;

/// The memory for each byte of a file: the model, and triangles with 32-bit indices, of the file and of the mended one. An empty
/// surface of 55 bytes takes 1,300 in each model.
const MEMORY_PER_BYTE: u64 = 48;

/// Mends a file of any format.
pub fn fix(bytes: &[u8]) {
    with_document(bytes, |document| mended(&document, bytes.len()));
}

/// Mends a document of `len` bytes.
pub(super) fn mended(document: &Document<'_>, len: usize) {
    // A file that states more meshes than it has exchanges one error for another when it is written, and is refused.
    let content = content_len(document, len);
    let Ok(first) = bounded_by(MEMORY_PER_BYTE, content, "fix", || mend(document, &FixOptions::default()))
    else {
        return;
    };
    let again = match &first.files[..] {
        [geometry, frames] => Document::parse_pair(geometry, frames),
        files => Document::parse_as(document.format(), &files[0]),
    };
    let again = again.expect("a mended file");
    let errors = |document: &Document<'_>| {
        let mut report = Report::default();
        document.validate(&mut report);
        report.count(Severity::Error)
    };
    assert!(errors(&again) <= errors(document), "a mended file has more errors");
    assert_eq!(corners(document), corners(&again), "triangles of a mended file");
    let twice = mend(&again, &FixOptions::default()).expect("a mended file");
    assert!(twice.mended.is_empty(), "{:?}", twice.mended);
    assert_eq!(twice.files, first.files);
}

/// The bits of the positions of all corners in each frame, in the order of the file; `None` if it has no model. Joints do not
/// move them: a rotation that is mended to length 1 is another one, in its last bits.
fn corners(document: &Document<'_>) -> Option<Vec<Vec<[u32; 3]>>> {
    let mut model = Model::new(document.clone()).ok().filter(|model| model.frame_count() <= FRAMES)?;
    // An empty surface may have no frame, and is left out of the mended file.
    model.meshes.retain(|mesh| mesh.frame_count() > 0);
    model.meshes.iter_mut().for_each(|mesh| mesh.skin = None);
    let frames = displayed::triangles(&model, &model.space).ok()?.into_iter();
    let bits = |frame: Vec<[meshlens::lens::PositionNormal; 3]>| {
        frame.as_flattened().iter().map(|corner| corner.position.map(f32::to_bits)).collect()
    };
    Some(frames.map(bits).collect())
}
