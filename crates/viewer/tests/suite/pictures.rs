//! The pictures of the list.

use std::collections::BTreeMap;
use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use meshlens_viewer::State;
use meshlens_viewer::pictures::Pictures;

use crate::{corpus, view};

#[test]
fn a_thread_draws_the_wanted_pictures() {
    let state = view(&["gallery/crate.md3", "md3/static.md3", "md3/tagged.md3", "no such file"]);
    let items = state.library.items();
    let (notify, notified) = mpsc::channel();
    let mut pictures = Pictures::new(48, move || _ = notify.send(())).unwrap();
    let mut drawn = BTreeMap::new();
    // Pictures that are not drawn yet are dropped when a second list of models is requested.
    pictures.want(items.iter().take(2));
    while drawn.len() < items.len() {
        pictures.want(items.iter().filter(|item| !drawn.contains_key(&item.id)));
        while let Some((id, picture)) = pictures.take() {
            drawn.insert(id, picture);
        }
        if drawn.len() < items.len() {
            notified.recv().expect("the thread draws on");
        }
    }
    for item in &items[..3] {
        let picture = drawn[&item.id].as_ref().unwrap();
        assert_eq!((picture.width, picture.height), (48, 48));
        assert!(*picture == item.picture(48).unwrap(), "{}", item.name);
        // The corner is transparent, and the model covers a part of the rest.
        assert_eq!(picture.pixel(0, 0).unwrap()[3], 0);
        let (pixels, _) = picture.rgba.as_chunks::<4>();
        let covered = pixels.iter().filter(|pixel| pixel[3] == 255).count();
        assert!((200..2000).contains(&covered), "{}: {covered} pixels", item.name);
    }
    assert!(drawn[&items[3].id].is_err());
}

#[test]
fn a_changed_file_gets_another_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.md3");
    fs::copy(corpus("md3/static.md3"), &path).unwrap();
    let mut state = State::of_paths([&path]);
    let before = state.library.items()[0].clone();
    let picture = before.picture(32).unwrap();
    fs::copy(corpus("gallery/crate.md3"), &path).unwrap();
    let later = fs::metadata(&path).unwrap().modified().unwrap() + Duration::from_secs(5);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert!(state.reload_if_changed());
    let after = &state.library.items()[0];
    assert_ne!(after.id, before.id);
    assert!(after.picture(32).unwrap() != picture);
}
