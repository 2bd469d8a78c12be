//! Names of entries: how they are compared, and which names are refused.

use crate::NameFault;

/// Replaces the content of `out` by the form in which names are compared: with ASCII letters in lower case, and with
/// `/` between folders.
pub(crate) fn fold_into(name: &str, out: &mut Vec<u8>) {
    out.clear();
    out.extend(name.bytes().map(|byte| if byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() }));
}

/// Checks whether a name leads out of a folder, by the rules of every operating system.
pub(crate) fn name_fault(name: &str) -> Option<NameFault> {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if name.is_empty() {
        Some(NameFault::Empty)
    } else if name.contains('\0') {
        Some(NameFault::Nul)
    } else if drive || name.starts_with(['/', '\\']) {
        Some(NameFault::Absolute)
    } else if name.split(['/', '\\']).any(|component| component == "..") {
        Some(NameFault::Parent)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_compare_without_case_and_with_either_slash() {
        let mut folded = b"before".to_vec();
        fold_into("Models\\PLAYERS/Ä.md3", &mut folded);
        assert_eq!(folded, "models/players/Ä.md3".as_bytes());
    }

    #[test]
    fn names_outside_the_folder_are_refused() {
        let cases = [
            ("", Some(NameFault::Empty)),
            ("a\0b", Some(NameFault::Nul)),
            ("/a", Some(NameFault::Absolute)),
            ("\\a", Some(NameFault::Absolute)),
            ("\\\\server\\a", Some(NameFault::Absolute)),
            ("C:\\a", Some(NameFault::Absolute)),
            ("c:a", Some(NameFault::Absolute)),
            ("..", Some(NameFault::Parent)),
            ("../a", Some(NameFault::Parent)),
            ("a/../b", Some(NameFault::Parent)),
            ("a\\..\\b", Some(NameFault::Parent)),
            ("a/..", Some(NameFault::Parent)),
            ("a/..b", None),
            ("a../b", None),
            ("...", None),
            ("a/b.md3", None),
        ];
        for (name, fault) in cases {
            assert_eq!(name_fault(name), fault, "{name:?}");
        }
    }
}
