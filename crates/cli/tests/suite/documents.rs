//! `docs/findings.md` and `docs/engines.md` contain the text of `meshlens explain`.

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
         make no difference to readers. `meshlens fix` leaves a finding where nothing else is said.\n",
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

/// The expected page about engines: a table of the limits in their files, and the output of the command.
fn engines() -> String {
    let folder = real::workspace_root().join("crates/cli/engines");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let columns = ["vertices", "triangles", "surfaces", "frames", "textures", "name-bytes", "vertex-bytes"];
    let mut page = String::from(
        "# Engines\n\n`validate --engine NAME` and `convert --engine NAME` obey these profiles. `meshlens explain NAME` prints the same \
         facts. `docs/renew` writes\nthis page from the files in `crates/cli/engines`, which are the place to correct a fact or to \
         add one with its source.\n\nThe largest numbers that an engine reads: vertices and triangles of a surface, surfaces, frames, \
         textures, bytes in a name\nand bytes in a vertex. A number in parentheses is not refused: what is beyond it is ignored or drawn \
         wrongly. A dash\nmeans that the program has no limit of its own. No program has one for tags or for shaders.\n\n| engine | format |",
    );
    columns.iter().for_each(|column| write!(page, " {} |", column.replace('-', " ")).unwrap());
    page += "\n|---|---|";
    columns.iter().for_each(|_| page += "---:|");
    page += "\n";
    let mut sections = String::new();
    for file in files {
        let profile: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let name = profile["name"].as_str().unwrap();
        for (format, reads) in profile["formats"].as_object().unwrap() {
            write!(page, "| [{name}](#{name}) | {format} |").unwrap();
            for column in columns {
                let limit = &reads["limits"][column];
                match (limit["most"].as_u64(), limit["then"].is_null()) {
                    (None, _) => page += " - |",
                    (Some(most), true) => write!(page, " {most} |").unwrap(),
                    (Some(most), false) => write!(page, " ({most}) |").unwrap(),
                }
            }
            page += "\n";
        }
        let text = explain(&[name]);
        let (heading, facts) = text.split_once('\n').unwrap();
        let (_, version) = heading.split_once(": ").unwrap();
        write!(sections, "\n## {name}\n\n{version}\n{}", facts.replace(":\n- ", ":\n\n- ")).unwrap();
    }
    page + &sections
}

#[test]
fn every_engine_has_a_section() {
    assert_page("engines.md", &engines());
}

#[test]
fn every_code_has_a_section() {
    assert_page("findings.md", &page());
}

fn assert_page(name: &str, page: &str) {
    let path = real::workspace_root().join("docs").join(name);
    if std::env::var_os("MESHLENS_WRITE_DOCS").is_some() {
        fs::write(&path, page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(written == page, "docs/{name} differs from `meshlens explain`: run docs/renew");
}
