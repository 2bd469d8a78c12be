//! `cargo run -p meshlens-testkit -- corpus`: writes `corpus/` anew.

use std::process::ExitCode;

use meshlens_testkit::{corpus, real};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments != ["corpus"] {
        eprintln!("usage: meshlens-testkit corpus");
        return ExitCode::from(2);
    }
    let root = real::workspace_root().join("corpus");
    match corpus::write(&root) {
        Ok(written) => {
            println!("{written} files in {}", root.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", root.display());
            ExitCode::from(2)
        }
    }
}
