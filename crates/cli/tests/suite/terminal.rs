//! The output on a terminal of 80 columns.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use meshlens_testkit::real;

/// The lines that a command prints on a terminal, without the lines of the progress bar.
fn on_a_terminal(folder: &Path, columns: usize, arguments: &str) -> Vec<String> {
    let line =
        format!("stty rows 24 cols {columns}; {} {arguments} 2>/dev/null", env!("CARGO_BIN_EXE_meshlens"));
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(folder)
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

#[test]
fn inspect_fits_the_terminal_and_wide_shows_every_column() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let deep = path.join("models/players/with_a_long_name/and_a_deep_folder/of_models");
    fs::create_dir_all(&deep).unwrap();
    let model = fs::read(real::workspace_root().join("corpus/md3/multi_surface.md3")).unwrap();
    fs::write(deep.join("multi_surface.md3"), &model).unwrap();
    fs::write(path.join("short.md3"), &model).unwrap();

    for columns in [80, 60, 40] {
        let lines = on_a_terminal(&path, columns, &format!("inspect {}", path.display()));
        assert!(lines.iter().all(|line| line.chars().count() <= columns), "{columns}: {lines:#?}");
        assert!(lines[0].starts_with("file") && lines[0].ends_with("findings"), "{lines:#?}");
        assert!(lines[1].starts_with("mode") && lines[1].contains('…'), "{lines:#?}");
        // Paths in the current folder are shown relative to it.
        assert!(lines[2].starts_with("short.md3 "), "{lines:#?}");
    }
    let at_80 = on_a_terminal(&path, 80, "inspect .");
    assert!(at_80[0].contains("triangles") && !at_80[0].contains("version"), "{at_80:#?}");
    assert!(at_80[1].ends_with("  1 warning, …"), "{at_80:#?}");
    let wide = on_a_terminal(&path, 80, "inspect --wide .");
    assert!(
        wide[0].contains("version") && wide[1].starts_with("./models/players/with_a_long_name/"),
        "{wide:#?}"
    );
    assert_eq!(on_a_terminal(&path, 80, "convert short.md3 -o -").len(), 0, "a GLB is nothing to look at");
}

#[test]
fn help_fits_80_columns() {
    for verb in ["", "inspect", "validate", "dump", "convert", "completions", "man"] {
        for help in ["-h", "--help"] {
            let arguments = [verb, help].into_iter().filter(|argument| !argument.is_empty());
            let output = Command::new(env!("CARGO_BIN_EXE_meshlens"))
                .args(arguments)
                .env("COLUMNS", "80")
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0));
            let text = String::from_utf8(output.stdout).unwrap();
            let too_long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(too_long, None, "{verb} {help}");
        }
    }
}

fn has_script() -> bool {
    let is_there = Command::new("script").arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: there is no script(1) to make a terminal with");
    }
    is_there
}

#[test]
fn pictures_use_the_graphics_of_the_terminal() {
    if !has_script() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    let meshlens = env!("CARGO_BIN_EXE_meshlens");
    // Cells of 8 by 16 pixels: 22 rows are 352 pixels.
    let sized = ["thumb", "corpus/md3/static.md3", "--background", "none", "--size", "352", "-o"];
    let made = Command::new(meshlens).args(sized).arg(&path).current_dir(real::workspace_root()).output();
    assert!(made.unwrap().status.success());
    let png = fs::read(&path).unwrap();
    let thumb = format!("{meshlens} thumb corpus/md3/static.md3 2>/dev/null");
    let drawn = |variables: &[(&str, &str)]| {
        let mut script = Command::new("script");
        script.args(["-qec", &format!("stty rows 24 cols 80 -opost; {thumb}"), "/dev/null"]);
        for name in ["TMUX", "STY", "KITTY_WINDOW_ID", "TERM_PROGRAM", "LC_TERMINAL", "NO_COLOR"] {
            script.env_remove(name);
        }
        script.env("TERM", "xterm-256color").envs(variables.iter().copied());
        let output = script.current_dir(real::workspace_root()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };

    let kitty = drawn(&[("TERM", "xterm-kitty")]);
    let chunks: Vec<&str> = kitty.trim_end().split_inclusive("\x1b\\").collect();
    let mut data = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let body = chunk.strip_prefix("\x1b_G").and_then(|chunk| chunk.strip_suffix("\x1b\\")).unwrap();
        let (keys, body) = body.split_once(';').unwrap();
        let more = u8::from(index + 1 < chunks.len());
        let first = if index == 0 { "a=T,f=100,q=2," } else { "" };
        assert_eq!(keys, format!("{first}m={more}"));
        assert!(body.len() <= 4096);
        data.extend(STANDARD.decode(body).unwrap());
    }
    assert!(chunks.len() > 1 && data == png, "{} chunks, {} bytes", chunks.len(), data.len());

    let iterm = drawn(&[("TERM_PROGRAM", "iTerm.app")]);
    let head = format!("\x1b]1337;File=inline=1;size={};width=auto;height=auto:", png.len());
    let body = iterm.trim_end().strip_prefix(&head).and_then(|body| body.strip_suffix('\x07')).unwrap();
    assert!(STANDARD.decode(body).unwrap() == png);

    // Any other terminal shows block characters.
    let blocks = drawn(&[]);
    assert!(blocks.starts_with(' ') && blocks.contains('\u{2580}'));
    let kitty_in_tmux = drawn(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")]);
    assert_eq!(kitty_in_tmux, blocks);
}
