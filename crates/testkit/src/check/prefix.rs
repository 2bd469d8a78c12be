//! Whole against part: what is located from the first bytes of a file is what is located from all of it.

use core::fmt::Debug;

use meshlens::{Error, Format};
use meshlens_md3::{ParseOptions as Md3Options, Parts};
use meshlens_u3d::{ParseOptions as U3dOptions, Parts as U3dParts};
use meshlens_unigine::{ParseOptions as UnigineOptions, Parts as UnigineParts};
use meshlens_wire::ErrorKind;

/// For a model of any format: whatever prefix is there, locating its parts either gives what the whole file gives, or
/// asks for more bytes.
pub fn prefixes(bytes: &[u8]) {
    // Every length for a small file.
    any_format(bytes, bytes.len().div_ceil(SAMPLES).max(1));
}

/// As [`prefixes`], for no more prefixes than those that are asked for, one after the other.
pub(super) fn wanted_prefixes(bytes: &[u8]) {
    any_format(bytes, usize::MAX);
}

fn any_format(bytes: &[u8], step: usize) {
    match Format::detect(bytes) {
        Some(Format::Md3) => {
            ask_for_more(bytes, step, |prefix, len| Parts::locate(prefix, len, &Md3Options::default()));
        }
        Some(Format::U3d) => {
            ask_for_more(bytes, step, |prefix, len| U3dParts::locate(prefix, len, &U3dOptions::default()));
        }
        Some(Format::Unigine) => {
            let options = UnigineOptions::default();
            ask_for_more(bytes, step, |prefix, len| UnigineParts::locate(prefix, len, &options));
        }
        _ => {}
    }
}

/// Prefixes looked at when there are too many to look at all.
const SAMPLES: usize = 256;

/// `locate` takes a prefix and the length of the file.
fn ask_for_more<P: Debug>(bytes: &[u8], step: usize, locate: impl Fn(&[u8], u64) -> Result<P, Error>) {
    let len = bytes.len() as u64;
    let whole = locate(bytes, len).map(|parts| format!("{parts:?}"));
    for here in (0..=bytes.len()).step_by(step) {
        check(&locate, bytes, here, &whole);
    }
    let mut here = 0;
    while let Some(needed) = check(&locate, bytes, here, &whole) {
        for near in [needed - 1, needed + 1].into_iter().filter(|near| *near < bytes.len()) {
            check(&locate, bytes, near, &whole);
        }
        here = needed;
    }
}

/// Locates from the first `here` bytes; gives how many are asked for, if more are.
fn check<P: Debug>(
    locate: &impl Fn(&[u8], u64) -> Result<P, Error>,
    bytes: &[u8],
    here: usize,
    whole: &Result<String, Error>,
) -> Option<usize> {
    let len = bytes.len() as u64;
    match (locate(&bytes[..here], len), whole) {
        (Ok(parts), Ok(whole)) => assert_eq!(&format!("{parts:?}"), whole, "from {here} bytes"),
        (Err(found), whole) => match found.kind() {
            ErrorKind::Incomplete { needed, available } => {
                assert_eq!(*available, here as u64);
                assert!(*needed > here as u64 && *needed <= len, "{here} bytes: {found}");
                return Some(*needed as usize);
            }
            // A prefix may not know that a later header is broken, but must not find another error first.
            _ => match whole {
                Ok(_) => panic!("a prefix of {here} bytes of a file that parses: {found}"),
                Err(whole) => assert_eq!(found.to_string(), whole.to_string(), "from {here} bytes"),
            },
        },
        (Ok(parts), Err(whole)) => panic!("{parts:?} from {here} bytes of a file with an error: {whole}"),
    }
    None
}
