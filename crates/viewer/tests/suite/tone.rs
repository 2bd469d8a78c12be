//! Dark models get the same light as in `meshlens-thumb`.

use std::fs;

use meshlens_viewer::State;
use meshlens_viewer::tone::{Background, Samples, Tone};

use crate::corpus;

/// An image of 600 by 2 pixels of one color.
fn tga([red, green, blue]: [u8; 3]) -> Vec<u8> {
    let header = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x58, 2, 2, 0, 24, 0];
    header.into_iter().chain([blue, green, red].repeat(1200)).collect()
}

/// The tone of a box with a texture of one color, and the brightness of its lit side in the picture of the list.
fn tone(color: [u8; 3]) -> (Tone, u8) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(corpus("gallery/crate.md3"), folder.path().join("crate.md3")).unwrap();
    fs::write(folder.path().join("crate.tga"), tga(color)).unwrap();
    let state = State::of_paths([folder.path().join("crate.md3")]);
    let (opened, scene) = (state.model().unwrap(), state.scene().unwrap());
    let mut samples = Samples::default();
    for material in &scene.nodes[0].model.materials {
        let image = opened.texture(material, 1024).unwrap();
        assert_eq!([image.width, image.height], [600, 2]);
        samples.add(material, &image);
    }
    let picture = state.library.items()[0].picture(64).unwrap();
    let brightest = picture.rgba.as_chunks::<4>().0.iter().filter(|pixel| pixel[3] == 255);
    (samples.tone(&scene), brightest.map(|[r, g, b, _]| *r.max(g).max(b)).max().unwrap())
}

#[test]
fn only_dark_models_get_light() {
    let (black, brightest) = tone([0; 3]);
    assert_eq!((black.fill, black.background), (0.32, Background::Light));
    // The brightest side gets all or most of the light: 0.32 of 255 is 82.
    assert!((60..=82).contains(&brightest), "{brightest}");
    let (brown, _) = tone([60, 30, 20]);
    assert!(brown.fill > 0.02 && brown.fill < 0.2, "{brown:?}");
    assert_eq!(tone([200, 120, 40]).0, Tone { fill: 0.0, background: Background::Light });
    let (white, _) = tone([255; 3]);
    assert_eq!(white.fill, 0.0);
}
