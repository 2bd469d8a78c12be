//! `.skin` files.

use meshlens_md3::wire::Report;
use meshlens_md3::{Skin, skin};

#[test]
fn lines_of_every_kind() {
    let text = b"\xef\xbb\xbf// red\n\n u_torso , \"a b.tga\" \r\ntag_head,\r\ntag_weapon\nblank,";
    let skin = Skin::parse(text).unwrap();
    let names: Vec<_> =
        skin.entries.iter().map(|e| (e.surface.as_str(), e.path.as_str(), e.offset)).collect();
    assert_eq!(
        names,
        [("u_torso", "a b.tga", 11), ("tag_head", "", 34), ("tag_weapon", "", 45), ("blank", "", 56)]
    );
    assert_eq!(skin.path("U_TORSO"), Some("a b.tga"));
    assert_eq!(skin.path("u_torso_2"), Some("a b.tga"));
    assert_eq!(skin.path("u_torso_22"), None);
    assert_eq!(skin.path("blank"), Some(""));
    assert_eq!(skin.path("tag_head"), None);
}

#[test]
fn first_lines_and_complete_names_win() {
    let skin = Skin::parse(b"a,1\nA,2\na_1,3").unwrap();
    assert_eq!((skin.path("a"), skin.path("a_1"), skin.path("a_2")), (Some("1"), Some("3"), Some("1")));
}

#[test]
fn written_files_are_read_back() {
    let skin = Skin::parse(b"a,1\ntag_x\nb c,d/e.jpg").unwrap();
    assert_eq!(skin.write(), "a,1\ntag_x,\nb c,d/e.jpg\n");
    let again = Skin::parse(skin.write().as_bytes()).unwrap();
    let pairs = |skin: &Skin| -> Vec<_> {
        skin.entries.iter().map(|e| (e.surface.clone(), e.path.clone())).collect()
    };
    assert_eq!(pairs(&again), pairs(&skin));
}

#[test]
fn unpaired_quotes_are_kept() {
    let skin = Skin::parse(b"a\"\",b\"c d").unwrap();
    assert_eq!((skin.entries[0].surface.as_str(), skin.entries[0].path.as_str()), ("a\"\"", "b\"c"));
}

#[test]
fn a_path_without_a_surface_is_an_error() {
    let error = Skin::parse(b"a,b\n,c").unwrap_err();
    assert_eq!((error.offset(), error.code()), (4, "SYNTAX"));
}

#[test]
fn a_list_of_lines_is_limited() {
    let error = Skin::parse("a\n".repeat((1 << 16) + 1).as_bytes()).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("LIMIT", 2 << 16));
}

#[test]
fn a_path_ends_at_a_blank_or_a_quote() {
    let path = |line: &str| Skin::parse(line.as_bytes()).unwrap().path("a").map(String::from);
    for (line, wanted) in [
        ("a,x/red.tga // the red one", "x/red.tga"),
        ("a, x/blue.tga /* blue */", "x/blue.tga"),
        ("a\t,\t\"x/my legs.tga\" // theirs", "x/my legs.tga"),
        ("a,// none", ""),
        ("replace \"a\" \"x/helmet 1.tga\" // of DarkPlaces", "x/helmet 1.tga"),
    ] {
        assert_eq!(path(line).as_deref(), Some(wanted), "{line}");
        let skin = Skin::parse(line.as_bytes()).unwrap();
        assert_eq!(Skin::parse(skin.write().as_bytes()).unwrap().path("a"), Some(wanted), "{line}");
    }
}

#[test]
fn columns_are_skins() {
    let skin = Skin::parse(b"body,red,\"dark, blue\", green\narm,x\n").unwrap();
    let path = |column: usize, surface: &str| skin.column(column).path(surface).map(String::from);
    assert_eq!([0, 1, 2].map(|column| path(column, "body").unwrap()), ["red", "dark, blue", "green"]);
    assert_eq!((path(0, "arm").as_deref(), path(1, "arm"), path(3, "body")), (Some("x"), None, None));
    assert_eq!(Skin::parse(skin.write().as_bytes()).unwrap().column(1), skin.column(1));
}

/// The findings about a text: code, offset and count.
fn findings(text: &[u8]) -> Vec<(&'static str, u64, u64)> {
    let mut report = Report::default();
    skin::validate(text, &mut report).unwrap();
    report.findings().map(|found| (found.code, found.offset.unwrap(), found.count)).collect()
}

#[test]
fn line_ends_are_mended() {
    for (text, found, mended) in [
        (&b"a,1\nb,2\n"[..], vec![], &b"a,1\nb,2\n"[..]),
        (b"a,1\r\nb,2\r\n", vec![], b"a,1\r\nb,2\r\n"),
        (b"", vec![], b""),
        // For Quake 3, this is one comment.
        (b"// red\ra,1\r", vec![("SKIN_LINE_END", 0, 2)], b"// red\na,1\n"),
        (b"a,1\nb,2", vec![("SKIN_LINE_ENDS_MIXED", 7, 1)], b"a,1\nb,2\n"),
        (b"a,1\r\nb,2\nc,3\r\n", vec![("SKIN_LINE_ENDS_MIXED", 5, 1)], b"a,1\r\nb,2\r\nc,3\r\n"),
        (b"a,1\nb,2\nc,3\r\n", vec![("SKIN_LINE_ENDS_MIXED", 8, 1)], b"a,1\nb,2\nc,3\n"),
        (
            b"\xef\xbb\xbfa,1\r\nb,2\rc,3",
            vec![("SKIN_BYTE_ORDER_MARK", 0, 1), ("SKIN_LINE_END", 8, 1), ("SKIN_LINE_ENDS_MIXED", 15, 1)],
            b"a,1\r\nb,2\r\nc,3\r\n",
        ),
    ] {
        let name = text.escape_ascii();
        assert_eq!(findings(text), found, "{name}");
        assert_eq!(skin::mend(text), mended, "{name}");
        assert_eq!(findings(mended), [], "{name}");
    }
}

#[test]
fn a_surface_without_a_path_is_a_finding() {
    // Engines find "tag_" anywhere in a name, in lower case.
    let text = b"head,\ntag_head,\nmy_tag_x\nTAG_HEAD,\n";
    assert_eq!(findings(text), [("SKIN_PATH_MISSING", 0, 1), ("SKIN_PATH_MISSING", 25, 1)]);
    assert_eq!(skin::mend(text), text);
}
