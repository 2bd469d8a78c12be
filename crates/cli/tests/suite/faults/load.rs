//! Many files, and large ones.

use std::fs;
use std::io::Write;

use meshlens_testkit::sparse;

use super::archives::{archive, stored};
use super::{assert_code, folder, json, model, shell, stderr};

#[test]
fn ten_thousand_files_with_sixty_four_descriptors() {
    let (_keep, path) = folder();
    fs::write(path.join("model.md3"), model()).unwrap();
    sparse::md3(&path.join("large.md3"), 16, 8192, 0).unwrap();
    archive(&path.join("one.pk3"), |zip| {
        zip.start_file("model.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    for number in 0..100 {
        let folder = path.join(format!("{number:02}"));
        fs::create_dir(&folder).unwrap();
        for number in 0..100 {
            let (target, name) = match number {
                50 => ("large.md3", "50.md3".to_owned()),
                // Archives are open as long as there are models in them to come.
                60 => ("one.pk3", "60.pk3".to_owned()),
                _ => ("model.md3", format!("{number:02}.md3")),
            };
            fs::hard_link(path.join(target), folder.join(name)).unwrap();
        }
    }
    let output = shell(r#"ulimit -n 64; "$meshlens" inspect -j 8 --format json "$1""#, &path);
    assert_code(&output, 0);
    assert_eq!(stderr(&output), "");
    let totals = &json(&output)["totals"];
    assert_eq!((&totals["files"], &totals["invalid"]), (&10_003.into(), &0.into()));
}

#[test]
fn four_gibibytes_of_holes_take_no_memory() {
    let (_keep, path) = folder();
    let table = path.join("table.md3");
    let len = sparse::md3(&table, 8192, 65_536, 0).unwrap();
    assert!(len > 4 << 30);
    let output = shell(r#""$meshlens" dump --arrays none "$1""#, &table);
    assert_code(&output, 0);
    assert_eq!(json(&output)["surfaces"][0]["positions"]["shape"], serde_json::json!([8192, 65_536, 3]));

    // Where that much may not even be reserved, the error says so.
    let output = shell(r#"ulimit -d 65536; "$meshlens" dump --arrays none "$1""#, &table);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("table.md3: cannot read: "), "{}", stderr(&output));

    let padded = path.join("padded.md3");
    sparse::md3(&padded, 1, 3, 4 << 30).unwrap();
    let output = shell(r#""$meshlens" inspect -j 1 --format json "$1""#, &padded);
    assert_code(&output, 0);
    assert_eq!(json(&output)["totals"]["vertices"], 3);
}

/// No text has more than 16 MiB: scripts, skins and animation configurations are refused before they are read.
#[test]
fn texts_of_any_size_are_refused() {
    let (_keep, path) = folder();
    let hole = |name: &str| fs::File::create(path.join(name)).unwrap().set_len(4 << 30).unwrap();
    fs::write(path.join("upper.md3"), model()).unwrap();
    let refused =
        |name: &str| format!("{}: larger than the limit of 16777216 bytes", path.join(name).display());

    hole("a.uc");
    for given in [&path, &path.join("a.uc")] {
        let output = shell(r#"ulimit -d 65536; "$meshlens" inspect -j 1 "$1""#, given);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(&refused("a.uc")), "{}", stderr(&output));
    }
    for (name, options) in [("animation.cfg", ""), ("upper_red.skin", "--skin red")] {
        hole(name);
        let line = format!(r#"ulimit -d 65536; "$meshlens" convert --force {options} "$1/upper.md3""#);
        let output = shell(&line, &path);
        assert!(stderr(&output).contains(&refused(name)), "{}", stderr(&output));
    }
}
