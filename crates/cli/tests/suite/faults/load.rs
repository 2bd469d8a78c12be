//! Many files, and large files.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use meshlens_testkit::share::few_or_all;
use meshlens_testkit::sparse;

use super::archives::{archive, stored};
use super::{assert_code, folder, json, model, shell, stderr};

#[test]
fn many_files_with_sixty_four_descriptors() {
    let (_keep, path) = folder();
    fs::write(path.join("model.md3"), model()).unwrap();
    sparse::md3(&path.join("large.md3"), 16, 8192, 0).unwrap();
    archive(&path.join("one.pk3"), |zip| {
        zip.start_file("model.md3", stored()).unwrap();
        zip.write_all(&model()).unwrap();
    });
    let folders = few_or_all(4, 100);
    for number in 0..folders {
        let folder = path.join(format!("{number:02}"));
        fs::create_dir(&folder).unwrap();
        for number in 0..100 {
            let (target, name) = match number {
                50 => ("large.md3", "50.md3".to_owned()),
                // An archive stays open until its last model is converted.
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
    assert_eq!((&totals["files"], &totals["invalid"]), (&(100 * folders + 3).into(), &0.into()));
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

    // If this much memory cannot even be reserved, the error says so.
    let output = shell(r#"ulimit -d 65536; "$meshlens" dump --arrays none "$1""#, &table);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("table.md3: cannot read: "), "{}", stderr(&output));

    let padded = path.join("padded.md3");
    sparse::md3(&padded, 1, 3, 4 << 30).unwrap();
    let output = shell(r#""$meshlens" inspect -j 1 --max-memory 8G --format json "$1""#, &padded);
    assert_code(&output, 0);
    assert_eq!(json(&output)["totals"]["vertices"], 3);
}

/// Text files are limited to 16 MiB: larger scripts, skins and animation configurations are refused before they are
/// read.
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

/// A model of 300 surfaces, each with its own texture.
fn many_textures(path: &std::path::Path) {
    use meshlens::md3::write::{Model, Surface};

    let mut many = Model::new("many").unwrap();
    for number in 0..300u16 {
        let name = format!("t{number:03}");
        // Each texture is one pixel of a different color.
        let mut tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0];
        tga.extend([number.to_le_bytes(), [7, 0]].concat().iter().take(3));
        fs::write(path.join(format!("{name}.tga")), tga).unwrap();
        let mut surface = Surface::new(&name).unwrap();
        surface.add_shader(&name).unwrap();
        surface.texcoords = vec![[0.0; 2]; 3];
        surface.triangles = vec![[0, 1, 2]];
        let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        surface.add_frame(&positions, &[[0.0, 0.0, 1.0]; 3]).unwrap();
        many.surfaces.push(surface);
    }
    many.recompute_bounds();
    fs::write(path.join("many.md3"), many.write().unwrap()).unwrap();
}

/// A texture is closed when it is written.
#[test]
fn three_hundred_textures_with_sixty_four_descriptors() {
    let (_keep, path) = folder();
    many_textures(&path);
    fs::create_dir(path.join("out")).unwrap();
    let line = r#"ulimit -n 64; "$meshlens" convert --textures beside -o "$1/out/many.glb" "$1/many.md3""#;
    let output = shell(line, &path);
    assert_code(&output, 0);
    assert_eq!(stderr(&output), "");
    let names = fs::read_dir(path.join("out")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.filter(|name| name.to_string_lossy().ends_with(".png")).count(), 300);
}

/// If a texture cannot be read, its model is not written.
#[test]
fn an_unreadable_texture_fails_the_model() {
    let (_keep, path) = folder();
    many_textures(&path);
    fs::create_dir(path.join("out")).unwrap();
    for (name, mode) in [("t007.tga", 0o000), ("out", 0o777), ("", 0o755)] {
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut line = r#""$meshlens" convert -q -o "$1/out/many.glb" "$1/many.md3""#.to_owned();
    if fs::File::open(path.join("t007.tga")).is_ok() {
        // Root can read every file, so the test runs as the user nobody.
        let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
        line.insert_str(0, nobody);
        if !shell(&format!("{nobody} \"$meshlens\" --version"), &path).status.success() {
            println!("skipped: whoever runs the tests may read everything, and cannot be anybody else");
            return;
        }
    }
    let output = shell(&line, &path);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("t007.tga"), "{}", stderr(&output));
    assert_eq!(fs::read_dir(path.join("out")).unwrap().count(), 0);
}

#[test]
fn files_of_inspect_and_validate_are_charged_to_the_memory_limit() {
    let (_keep, path) = folder();
    sparse::md3(&path.join("large.md3"), 64, 65_536, 0).unwrap();
    fs::write(path.join("small.md3"), model()).unwrap();
    for verb in ["inspect", "validate"] {
        let output = shell(&format!(r#""$meshlens" {verb} --max-memory 1M --format json "$1""#), &path);
        assert_code(&output, 2);
        let told = stderr(&output);
        assert!(told.contains("large.md3: the") && told.contains("the limit is 1048576"), "{verb}: {told}");
        assert!(told.contains("--max-memory allows more"), "{verb}: {told}");
        let small = String::from_utf8(output.stdout).unwrap();
        assert!(small.contains("small.md3") && small.contains("\"md3\""), "{verb}: {small}");
    }
}
