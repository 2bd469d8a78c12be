//! `meshlens bench --decoder`: libraries in C that give the same values, other values, or nothing that can be read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use meshlens_fixtures::real;
use serde_json::Value;

use crate::{command, measured, stderr, stdout};

/// Compiles a library. `None`, after a line that says it, if there is no C compiler.
fn compile(source: &Path, arguments: &[&str], library: &Path) -> Option<()> {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args(["-shared", "-fPIC", "-I"]).arg(real::workspace_root().join("crates/bench/include"));
    command.arg("-o").arg(library).args(arguments).arg(source).arg("-lm");
    let Ok(output) = command.output() else {
        println!("skipped: decoders of `meshlens bench`: there is no C compiler");
        return None;
    };
    assert!(output.status.success(), "{}", stderr(&output));
    Some(())
}

fn bench(format: &str, decoders: &[&Path]) -> std::process::Output {
    let mut arguments = vec!["--level", "scalar", "--format", format, "corpus/md3/tagged.md3"];
    arguments.extend(decoders.iter().flat_map(|decoder| ["--decoder", decoder.to_str().expect("UTF-8")]));
    measured(&arguments)
}

#[test]
fn decoders_with_equal_values_are_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = ["walk", "naive"].map(|name| folder.path().join(format!("lib{name}.so")));
    for (name, library) in ["walk", "naive"].iter().zip(&libraries) {
        let source = real::workspace_root().join(format!("benches/c/{name}.c"));
        let Some(()) = compile(&source, &["-O2"], library) else { return };
    }
    let decoders = [libraries[0].as_path(), &libraries[1]];
    let output = bench("json", &decoders);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [walk, naive] = report["decoders"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!((&walk["name"], &naive["name"], &walk["files"]), (&"walk".into(), &"naive".into(), &1.into()));
    // 36 triangles, and 3 frames of 72 vertices.
    assert_eq!((&walk["elements"], &walk["bytes"]), (&324.into(), &(36 * 12 + 72 * 8 + 216 * 8).into()));
    assert_eq!(walk["crc32"], naive["crc32"]);
    let arrays = [("normals", 3), ("positions", 3), ("texcoords", 1), ("triangles", 1)];
    for (found, (name, count)) in walk["arrays"].as_array().unwrap().iter().zip(arrays) {
        assert_eq!(*found, serde_json::json!({"name": name, "given": count, "of": count}));
    }
    for rate in [walk, &walk["meshlens"], naive, &naive["meshlens"]] {
        assert!(rate["seconds"].as_f64().unwrap() > 0.0 && rate["spread"].is_f64(), "{rate}");
    }
    let text = bench("text", &decoders);
    let text = stdout(&text);
    assert!(
        text.contains("\ndecoder naive: reads 1 of 1 files; these arrays are equal:\n  3 of 3 normals\n")
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// A decoder that gives one array of 72 pairs: 0 and 1.
const PAIRS: &str = r#"
#include "meshlens_decoder.h"
int meshlens_decode_v1(const struct meshlens_file *files, size_t count, meshlens_give *give, void *to) {
    static float pairs[144];
    for (int pair = 0; pair < 72; pair++) pairs[2 * pair + 1] = 1;
    struct meshlens_array array = {.name = "texcoords", .first = pairs, .count = 72, .stride = 8};
    CHANGE;
    if (count == 1 && files->len) give(to, &array);
    return RESULT;
}
"#;

#[test]
fn other_values_are_reported_instead_of_a_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("pairs.c");
    fs::write(&source, PAIRS).unwrap();
    let cases = [
        // The first pair of the file is 0 and 1, the second 1 and 1.
        ("", "texcoords of mesh 0, frame 0: element 1 of 72 is different"),
        ("array.count = 71", "texcoords of mesh 0, frame 0: not 72 elements of 8 bytes"),
        ("array.count = (size_t)-1", "texcoords of mesh 0, frame 0: not 72 elements of 8 bytes"),
        ("array.stride = 7", "texcoords of mesh 0, frame 0: not 72 elements of 8 bytes"),
        ("array.stride = (size_t)-1", "texcoords of mesh 0, frame 0: not 72 elements of 8 bytes"),
        ("array.first = 0", "texcoords of mesh 0, frame 0: not 72 elements of 8 bytes"),
        ("array.frame = 1", "texcoords of mesh 0, frame 1: the file has no such array"),
        ("array.name = 0", "(no name) of mesh 0, frame 0: the file has no such array"),
        (
            "array.name = \"corner_positions\"",
            "corner_positions of mesh 0, frame 0: not 108 elements of 12 bytes",
        ),
        ("give = give; return 0", ""),
    ];
    for (change, wanted) in cases {
        let library = folder.path().join("pairs.so");
        let change = format!("-DCHANGE={change}");
        let Some(()) = compile(&source, &[&change, "-DRESULT=0"], &library) else { return };
        let output = bench("json", &[&library]);
        assert_eq!((output.status.code(), stderr(&output)), (Some(1), ""), "{change}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let decoder = &report["decoders"][0];
        let wanted = match wanted {
            "" => "it gives no array of any file".to_owned(),
            _ => format!("corpus/md3/tagged.md3: {wanted}"),
        };
        assert_eq!(decoder["difference"], wanted);
        assert_eq!((&decoder["seconds"], &decoder["meshlens"]), (&Value::Null, &Value::Null));
    }
    let library = folder.path().join("refuses.so");
    compile(&source, &["-DCHANGE=", "-DRESULT=3"], &library).expect("as before");
    let output = bench("text", &[&library]);
    assert_eq!(output.status.code(), Some(1));
    let wanted = "decoder refuses: not measured\n  it gives no array of any file\n";
    assert!(stdout(&output).ends_with(wanted), "{}", stdout(&output));
}

/// Decoders that never return. Each waits for what never happens, so that no machine is too slow or too fast.
#[cfg(unix)]
#[test]
fn a_decoder_that_does_not_end_ends_the_program() {
    const WAITS: &str = "#include <unistd.h>\nstatic int ends[2]; static char byte;\n\
        static void stay(void) { if (!pipe(ends)) for (;;) read(ends[0], &byte, 1); }\n";
    const PRINTS: &str =
        "#include <unistd.h>\nstatic void stay(void) { for (;;) write(1, \"hello\\n\", 6); }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("waits.c");
    for (waits, attribute, result) in [
        (WAITS, "", "(stay(), 0)"),
        // Nobody reads what it prints.
        (PRINTS, "", "(stay(), 0)"),
        (WAITS, "__attribute__((constructor))", "0"),
        (WAITS, "__attribute__((destructor))", "0"),
    ] {
        let at_load =
            format!("{attribute} static void at(void) {{ if (sizeof(\"{attribute}\") > 1) stay(); }}\n");
        fs::write(&source, [waits, &*at_load, PAIRS].concat()).unwrap();
        let library = folder.path().join("waits.so");
        let arguments = ["-DCHANGE=(void)at", &*format!("-DRESULT={result}")];
        let Some(()) = compile(&source, &arguments, &library) else { return };
        let arguments = ["--decoder", library.to_str().expect("UTF-8"), "--decoder-limit", "0.01"];
        let mut command =
            command(&[&["--seconds", "0.01", "corpus/md3/tagged.md3"], &arguments[..]].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the program runs");
        let _stdout = child.stdout.take();
        let output = child.wait_with_output().expect("it ends");
        let wanted = "meshlens: a decoder runs for more than 0.01 s (--decoder-limit)\n";
        assert_eq!((output.status.code(), stderr(&output)), (Some(2), wanted), "{attribute}");
    }
}

#[test]
fn files_that_are_no_decoders_are_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fails = |library: &PathBuf, reason: &str| {
        let output = bench("text", &[library]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        let wanted = format!("meshlens: cannot load {}: ", library.display());
        assert!(
            stderr(&output).starts_with(&wanted) && stderr(&output).contains(reason),
            "{}",
            stderr(&output)
        );
    };
    fails(&folder.path().join("missing.so"), "");
    let (text, library) = (folder.path().join("text.so"), folder.path().join("empty.so"));
    fs::write(&text, "no library").unwrap();
    fails(&text, "text.so");
    if cfg!(unix) {
        fails(&PathBuf::from("/dev/zero"), "is a device");
    }
    let source = folder.path().join("empty.c");
    fs::write(&source, "int other;").unwrap();
    if compile(&source, &[], &library).is_some() {
        fails(&library, "meshlens_decode_v1");
    }
}
