//! `docs/findings.md` contains the text of `meshlens explain`.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use meshlens_testkit::real;

fn explain(codes: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_meshlens")).arg("explain").args(codes).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The expected page, from the output of the command.
fn page() -> String {
    let list = explain(&[]);
    let codes: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut page = String::from(
        "# Findings and losses\n\n`meshlens explain CODE` prints the same text. `docs/renew` writes this page.\n\nA finding is \
         reported by `meshlens validate`, a loss by `meshlens convert`. Errors: some reader fails, or shows the\ncontent \
         incorrectly. Warnings: a known engine refuses the content or shows it differently. Infos need no change, and\nhints \
         make no difference to readers.\n",
    );
    for code in codes {
        let text = explain(&[code]);
        let mut lines = text.lines();
        let heading = lines.next().unwrap();
        let (name, rest) = heading.split_once(" (").unwrap();
        let (severity, plural) = rest.split_once("): ").unwrap();
        write!(page, "\n## {name}\n\n*{severity}*: {plural}\n").unwrap();
        for line in lines.filter(|line| !line.is_empty()) {
            match line.strip_prefix("What to do: ") {
                Some(remedy) => write!(page, "\n**What to do:** {remedy}\n").unwrap(),
                None => write!(page, "\n{line}\n").unwrap(),
            }
        }
    }
    page
}

#[test]
fn every_code_has_a_section() {
    let path = real::workspace_root().join("docs/findings.md");
    let page = page();
    if std::env::var_os("MESHLENS_WRITE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(written == page, "docs/findings.md differs from `meshlens explain`: run docs/renew");
}
