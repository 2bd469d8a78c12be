//! Many files, and large ones.

use std::fs;

use meshlens_testkit::sparse;

use super::{assert_code, folder, json, model, shell, stderr};

#[test]
fn ten_thousand_files_with_sixty_four_descriptors() {
    let (_keep, path) = folder();
    fs::write(path.join("model.md3"), model()).unwrap();
    // As large as it takes to be mapped, so that maps are made and dropped as well.
    sparse::md3(&path.join("mapped.md3"), 16, 8192, 0).unwrap();
    for number in 0..100 {
        let folder = path.join(format!("{number:02}"));
        fs::create_dir(&folder).unwrap();
        for number in 0..100 {
            let target = if number == 50 { "mapped.md3" } else { "model.md3" };
            fs::hard_link(path.join(target), folder.join(format!("{number:02}.md3"))).unwrap();
        }
    }
    let output = shell(r#"ulimit -n 64; "$meshlens" inspect -j 8 --format json "$1""#, &path);
    assert_code(&output, 0);
    assert_eq!(stderr(&output), "");
    let totals = &json(&output)["totals"];
    assert_eq!((&totals["files"], &totals["invalid"]), (&10_002.into(), &0.into()));
}

#[test]
fn four_gibibytes_open_in_flat_memory() {
    let (_keep, path) = folder();
    let table = path.join("table.md3");
    let len = sparse::md3(&table, 8192, 65_536, 0).unwrap();
    assert!(len > 4 << 30);
    // All of the table is one model's: its headers are all that opening reads.
    let output = shell(r#"ulimit -d 65536; "$meshlens" dump --arrays none "$1""#, &table);
    assert_code(&output, 0);
    assert_eq!(json(&output)["surfaces"][0]["positions"]["shape"], serde_json::json!([8192, 65_536, 3]));

    // Reading it does not fit, and says so.
    let output = shell(r#"ulimit -d 65536; "$meshlens" dump --no-mmap --arrays none "$1""#, &table);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("table.md3: cannot read: "), "{}", stderr(&output));

    let behind = path.join("behind.md3");
    sparse::md3(&behind, 1, 3, 4 << 30).unwrap();
    let output = shell(r#"ulimit -d 65536; "$meshlens" inspect -j 1 --format json "$1""#, &behind);
    assert_code(&output, 0);
    assert_eq!(json(&output)["totals"]["vertices"], 3);
}
