//! `meshlens-view`: the viewer as an application of the desktop.

use std::process::ExitCode;
use std::time::Instant;

use eframe::egui;
use eframe::egui_wgpu::{WgpuSetup, wgpu};
use meshlens_view::App;
use meshlens_viewer::State;

mod arguments;
mod once;

use arguments::{Arguments, Start};
use once::{Once, Outcome, OutputRequest};

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(Start::Help) => {
            print!("{}", arguments::HELP);
            return ExitCode::SUCCESS;
        }
        Ok(Start::Version) => {
            println!("meshlens-view {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Ok(Start::View(arguments)) => arguments,
        Err(why) => {
            eprintln!("meshlens-view: {why}\n\nFor more information, try '--help'.");
            return ExitCode::from(2);
        }
    };
    match run(*arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("meshlens-view: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, String> {
    let start = Instant::now();
    let mut state = State::of_paths(&arguments.paths);
    arguments.apply(&mut state)?;
    let open_seconds = start.elapsed().as_secs_f64();
    let [width, height] = arguments.size;
    let viewport = egui::ViewportBuilder::default()
        .with_app_id("meshlens-view")
        .with_title("meshlens")
        .with_inner_size([width, height])
        .with_min_inner_size([320.0, 400.0])
        .with_icon(egui::IconData::default());
    let mut options = eframe::NativeOptions { viewport, ..eframe::NativeOptions::default() };
    if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_options.wgpu_setup {
        // Large models exceed the limits that every device supports.
        setup.device_descriptor = std::sync::Arc::new(|adapter| wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        });
    }
    let theme = arguments.theme;
    let Arguments { screenshot, export, numbers, .. } = arguments;
    let wanted = OutputRequest { screenshot, export, numbers, open_seconds };
    let is_once = wanted.is_any();
    let outcome = Outcome::default();
    let reached = Outcome::clone(&outcome);
    let creator: eframe::AppCreator<'_> = Box::new(move |context| {
        if let Some(theme) = theme {
            context.egui_ctx.set_theme(theme);
        }
        let app = App::new(context, state);
        Ok(if is_once {
            Box::new(Once::new(app, wanted, reached)) as Box<dyn eframe::App>
        } else {
            Box::new(app)
        })
    });
    eframe::run_native("meshlens-view", options, creator).map_err(|error| error.to_string())?;
    let outcome = outcome.lock().map_err(|error| error.to_string())?.take();
    match outcome {
        Some(Err(why)) => Err(why),
        None if is_once => Err("the window was closed before the picture was drawn".into()),
        Some(Ok(())) | None => Ok(ExitCode::SUCCESS),
    }
}
