//! Validates every model below a folder, as the build script of a game does. The body of `main` can stand in a
//! `build.rs`: cargo shows the warnings, and an error stops the build.
//!
//! ```sh
//! cargo run -p meshlens-assets --example build_script -- corpus/md3
//! ```

use std::error::Error;

use meshlens::{Report, Severity};
use meshlens_assets::{AssetPath, Assets, FindOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "corpus/md3".into());
    println!("cargo::rerun-if-changed={folder}");

    let mut assets = Assets::new();
    assets.mount_folder(&folder)?;
    let options = FindOptions { archives: true, ..FindOptions::default() };
    let found = assets.find_models(&AssetPath::root(), &options);
    for fault in &found.faults {
        println!("cargo::error={fault}");
    }
    let mut is_broken = !found.faults.is_empty();
    for located in &found.models {
        let files = located.load(None)?;
        let mut report = Report::default();
        match files.document() {
            Ok(document) => files.validate(&document, &mut report),
            Err(error) => report.add_error(&error),
        }
        for finding in report.findings() {
            match finding.severity {
                Severity::Error => println!("cargo::error={}: {finding}", files.files()),
                Severity::Warning => println!("cargo::warning={}: {finding}", files.files()),
                Severity::Info | Severity::Hint => {}
            }
        }
        is_broken |= report.worst() == Some(Severity::Error);
    }
    if is_broken { Err("some models are broken".into()) } else { Ok(()) }
}
