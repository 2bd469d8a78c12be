//! `.skin` files.

use meshlens_md3::Skin;

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
    let skin = Skin::parse(b"a\"\",\"\" b \"\"").unwrap();
    assert_eq!((skin.entries[0].surface.as_str(), skin.entries[0].path.as_str()), ("a\"\"", "b"));
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
