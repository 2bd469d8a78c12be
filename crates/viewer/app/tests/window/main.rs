//! The application in a real window, on the display that `DISPLAY` names: `.ci/view` starts one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(name)
}

/// Whether a display is available. Without one, these tests are skipped.
fn has_display() -> bool {
    let has = std::env::var_os("DISPLAY").is_some();
    if !has {
        eprintln!("skipped: there is no DISPLAY");
    }
    has
}

fn shoot(out: &Path, arguments: &[&str], models: &[PathBuf]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens-view"));
    command.args(["--size", "960x600", "--screenshot"]).arg(out).args(arguments).arg("--").args(models);
    command.output().unwrap()
}

struct Picture {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn read(path: &Path) -> Picture {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (960, 600, png::ColorType::Rgb));
        let (pixels, _) = bytes.as_chunks::<3>();
        Picture { width: info.width as usize, pixels: pixels.to_vec() }
    }

    /// The pixels of the picture between the panels.
    fn middle(&self) -> Vec<[u8; 3]> {
        (100..480).flat_map(|y| (260..600).map(move |x| self.pixels[y * self.width + x])).collect()
    }
}

/// The number of pixels that differ.
fn differing(a: &Picture, b: &Picture) -> usize {
    a.middle()
        .iter()
        .zip(b.middle())
        .filter(|(a, b)| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 24))
        .count()
}

/// Takes a picture, which must succeed.
fn picture(arguments: &[&str], name: &str) -> Picture {
    picture_of(arguments, corpus(name))
}

fn picture_of(arguments: &[&str], model: PathBuf) -> Picture {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.png");
    let output = shoot(&out, arguments, &[model]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Picture::read(&out)
}

#[test]
fn the_picture_shows_the_lit_model_and_its_frame() {
    if !has_display() {
        return;
    }
    let dark = picture(&["--theme", "dark"], "md3/tagged.md3");
    let background = [38, 42, 49];
    let near = |pixel: &[u8; 3]| pixel.iter().zip(background).all(|(a, b)| a.abs_diff(b) < 3);
    let middle = dark.middle();
    let seen = middle.iter().filter(|pixel| !near(pixel)).count();
    // The figure covers a part of the picture, and the background the rest.
    assert!(seen > middle.len() / 50 && seen < middle.len() * 9 / 10, "{seen} of {} pixels", middle.len());
    // The light comes from one side, so faces differ in brightness.
    let bright = middle.iter().filter(|pixel| pixel[0] > 150).count();
    let dim = middle.iter().filter(|pixel| (80..140).contains(&pixel[0])).count();
    assert!(bright > 500 && dim > 500, "{bright} bright and {dim} dim pixels");

    let later = picture(&["--theme", "dark", "--frame", "1"], "md3/tagged.md3");
    assert!(differing(&dark, &later) > 1000);
    let again = picture(&["--theme", "dark"], "md3/tagged.md3");
    assert_eq!(differing(&dark, &again), 0);
    let light = picture(&["--theme", "light"], "md3/tagged.md3");
    assert!(differing(&dark, &light) > middle.len() / 4);
    let tags = picture(&["--theme", "dark", "--show", "tags,bounds"], "md3/tagged.md3");
    assert!(differing(&dark, &tags) > 200);
}

#[test]
fn a_black_model_gets_light() {
    if !has_display() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("crate.md3");
    std::fs::copy(corpus("gallery/crate.md3"), &model).unwrap();
    // An image of one black pixel.
    let image = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 0, 0, 0];
    std::fs::write(folder.path().join("crate.tga"), image).unwrap();
    let middle = picture_of(&["--theme", "light"], model).middle();
    let largest = |pixel: &[u8; 3]| pixel.iter().copied().max().unwrap();
    // 0.32 of white. The ambient part is 0.35 of it.
    let dimmest = middle.iter().map(largest).min().unwrap();
    assert!((24..60).contains(&dimmest), "{dimmest}");
    assert!(middle.iter().filter(|pixel| largest(pixel) < 90).count() > 2000);
}

#[test]
fn a_broken_file_does_not_close_the_window() {
    if !has_display() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (broken, out) = (folder.path().join("broken.md3"), folder.path().join("out.png"));
    std::fs::write(&broken, b"IDP3\x0f\0\0\0<script>").unwrap();
    let output = shoot(&out, &["--theme", "dark"], &[broken]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The error is drawn in place of the model.
    let text = Picture::read(&out).middle().iter().filter(|pixel| pixel[0] > 120).count();
    assert!(text > 100, "{text} bright pixels");
}

#[test]
fn wrong_arguments_are_refused_before_a_window_opens() {
    for (arguments, message) in [
        (&["--size", "1x1"][..], "--size"),
        (&["--theme", "blue"], "--theme"),
        (&["--frame", "x"], "--frame"),
        (&["--show", "everything"], "--show"),
        (&["--nonsense"], "--nonsense"),
        (&["--clip"], "--clip"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_meshlens-view")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{arguments:?}");
    }
    let help = Command::new(env!("CARGO_BIN_EXE_meshlens-view")).arg("--help").output().unwrap();
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("--screenshot"));
}

/// The largest file with this extension below a folder.
fn largest(folder: &Path, extension: &str) -> Option<(u64, PathBuf)> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let found = entries.filter_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return largest(&path, extension);
        }
        let is_one = path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
        is_one.then(|| Some((entry.metadata().ok()?.len(), path))).flatten()
    });
    found.max()
}

#[test]
fn all_frames_take_at_most_a_tenth_more_video_memory_than_the_file() {
    if !has_display() {
        return;
    }
    let mut models = vec![corpus("md3/wide_frames.md3"), corpus("gallery/flag.md3")];
    let real = std::env::var_os("MESHLENS_REAL").and_then(|folder| largest(Path::new(&folder), "md3"));
    models.extend(real.map(|(_, path)| path));
    for model in models {
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshlens-view"));
        let output = command.arg("--numbers").arg(&model).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let bytes = |name: &str| -> u64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split(' ').next().unwrap().parse().unwrap()
        };
        let (file, video) = (bytes("files: "), bytes("video memory: "));
        assert_eq!(file, std::fs::metadata(&model).unwrap().len());
        // Every frame takes 8 bytes for each vertex, and there are fewer vertices than corners.
        assert!(video > file / 2 && video <= file + file / 10, "{}: {text}", model.display());
    }
}
