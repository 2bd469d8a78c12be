//! Locating parts in the first bytes of a file has the same result as in the whole file.

use meshlens::{Error, Format, Parts};
use meshlens_wire::ErrorKind;

/// For a model of any format and any prefix, locating its parts has the same result as for the whole file, or requests
/// more bytes.
pub fn prefixes(bytes: &[u8]) {
    // Small files are truncated at every length.
    ask_for_more(bytes, bytes.len().div_ceil(SAMPLES).max(1));
}

/// Like [`prefixes`], only for the requested prefixes, one after the other.
pub(super) fn wanted_prefixes(bytes: &[u8]) {
    ask_for_more(bytes, usize::MAX);
}

/// The number of prefixes that are checked if there are too many to check all of them.
const SAMPLES: usize = 256;

fn ask_for_more(bytes: &[u8], step: usize) {
    if Format::detect(bytes).is_none() {
        return;
    }
    let whole = Parts::locate(bytes, bytes.len() as u64).map(|parts| format!("{parts:?}"));
    for here in (0..=bytes.len()).step_by(step) {
        check(bytes, here, &whole);
    }
    let mut here = 0;
    while let Some(needed) = check(bytes, here, &whole) {
        for near in [needed - 1, needed + 1].into_iter().filter(|near| *near < bytes.len()) {
            check(bytes, near, &whole);
        }
        here = needed;
    }
}

/// Locates parts in the first `here` bytes. Returns the requested number of bytes if it is larger.
fn check(bytes: &[u8], here: usize, whole: &Result<String, Error>) -> Option<usize> {
    let len = bytes.len() as u64;
    match (Parts::locate(&bytes[..here], len), whole) {
        (Ok(parts), Ok(whole)) => assert_eq!(&format!("{parts:?}"), whole, "from {here} bytes"),
        (Err(found), whole) => match found.kind() {
            ErrorKind::Incomplete { needed, available } => {
                assert_eq!(*available, here as u64);
                assert!(*needed > here as u64 && *needed <= len, "{here} bytes: {found}");
                return Some(*needed as usize);
            }
            // A prefix may hide an error in a later header, but must not lead to a different error.
            _ => match whole {
                Ok(_) => panic!("a prefix of {here} bytes of a file that parses: {found}"),
                Err(whole) => assert_eq!(found.to_string(), whole.to_string(), "from {here} bytes"),
            },
        },
        (Ok(parts), Err(whole)) => panic!("{parts:?} from {here} bytes of a file with an error: {whole}"),
    }
    None
}
