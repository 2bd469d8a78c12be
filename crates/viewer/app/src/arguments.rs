//! The arguments of the command.

use std::ffi::OsString;
use std::path::PathBuf;

use eframe::egui;
use meshlens_viewer::{Look, State};

pub(crate) const HELP: &str = "\
Shows models: MD3, Unreal, Ultimate 3D, UNIGINE and glTF.

Usage: meshlens-view [OPTIONS] [PATH]...

Arguments:
  [PATH]...  Models, folders, PK3 archives, or ARCHIVE!ENTRY

Options:
      --clip NAME        Select a clip
      --frame N          Go to a frame of the clip, counted from 0
      --play             Start playback
      --show LIST        Show what is listed, separated by commas: tags, skeleton, bounds, normals, wireframe
      --theme THEME      dark or light; by default that of the desktop
      --size WxH         The size of the window, such as 1280x800
      --export FILE      Write what is shown, and quit: the model if the name ends with .glb, its picture for .png
      --screenshot FILE  Write a picture of the window (PNG), and quit
      --numbers          Print counts, sizes and times of the model when it has been drawn, and quit
  -h, --help             Print help
  -V, --version          Print version
";

/// The task of the command.
pub(crate) enum Start {
    Help,
    Version,
    View(Box<Arguments>),
}

/// The arguments of the viewer.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) theme: Option<egui::Theme>,
    pub(crate) size: [f32; 2],
    pub(crate) screenshot: Option<PathBuf>,
    pub(crate) export: Option<PathBuf>,
    pub(crate) numbers: bool,
    clip: Option<String>,
    frame: Option<usize>,
    play: bool,
    show: Vec<String>,
}

impl Arguments {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Start, String> {
        let mut parsed = Arguments { size: [1280.0, 800.0], ..Arguments::default() };
        let mut only_paths = false;
        while let Some(argument) = arguments.next() {
            let text = argument.to_str().unwrap_or_default();
            if only_paths || !text.starts_with('-') || text == "-" {
                parsed.paths.push(argument.into());
                continue;
            }
            let (name, given) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            let mut value =
                || given.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{name} needs a value"));
            let mut word = || {
                let value = value()?;
                value.into_string().map_err(|value| format!("{name}: {} is not UTF-8", value.display()))
            };
            match name {
                "--" => only_paths = true,
                "-h" | "--help" => return Ok(Start::Help),
                "-V" | "--version" => return Ok(Start::Version),
                "--clip" => parsed.clip = Some(word()?),
                "--frame" => {
                    let frame = word()?;
                    let number = frame.parse().map_err(|_| format!("--frame: {frame} is not a frame"))?;
                    parsed.frame = Some(number);
                }
                "--play" => parsed.play = true,
                "--show" => parsed.show.extend(word()?.split(',').map(str::to_owned)),
                "--theme" => {
                    parsed.theme = Some(match word()?.as_str() {
                        "dark" => egui::Theme::Dark,
                        "light" => egui::Theme::Light,
                        other => return Err(format!("--theme: {other} is not dark or light")),
                    });
                }
                "--size" => {
                    let size = word()?;
                    parsed.size = parse_size(&size)
                        .ok_or_else(|| format!("--size: {size} is not a size such as 1280x800"))?;
                }
                "--numbers" => parsed.numbers = true,
                "--export" => parsed.export = Some(export_path(value()?.into())?),
                "--screenshot" => parsed.screenshot = Some(value()?.into()),
                _ => return Err(format!("unexpected argument {name}")),
            }
        }
        Ok(Start::View(Box::new(parsed)))
    }

    /// Applies the options to the opened model.
    pub(crate) fn apply(&self, state: &mut State) -> Result<(), String> {
        for name in &self.show {
            let options = &mut state.options;
            match name.as_str() {
                "tags" => options.tags = true,
                "skeleton" => options.skeleton = true,
                "bounds" => options.bounds = true,
                "normals" => options.normals = true,
                "wireframe" => options.look = Look::Wires,
                other => {
                    return Err(format!(
                        "--show: {other} is not tags, skeleton, bounds, normals or wireframe"
                    ));
                }
            }
        }
        if let Some(clip) = &self.clip {
            let found = state.tracks.iter_mut().fold(false, |found, track| track.select_named(clip) | found);
            if !found && state.model().is_some() {
                return Err(format!("--clip: the model has no clip {clip}"));
            }
        }
        if let Some(frame) = self.frame {
            state.tracks.iter_mut().for_each(|track| track.go_to(frame));
            state.fit();
        }
        state.playback.playing = self.play;
        Ok(())
    }
}

fn export_path(path: PathBuf) -> Result<PathBuf, String> {
    let extension = path.extension().unwrap_or_default();
    if ["glb", "png"].iter().any(|known| extension.eq_ignore_ascii_case(known)) {
        return Ok(path);
    }
    Err(format!("--export: {} ends neither with .glb nor with .png", path.display()))
}

fn parse_size(size: &str) -> Option<[f32; 2]> {
    let (width, height) = size.split_once('x')?;
    let side = |text: &str| text.parse::<u16>().ok().filter(|side| (64..=8192).contains(side)).map(f32::from);
    Some([side(width)?, side(height)?])
}
