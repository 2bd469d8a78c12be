//! `meshlens fix`: what it writes, and what it leaves.

use std::fs;
use std::io::Write;
use std::path::Path;

use meshlens::md3::Md3;
use meshlens::md3::write::Model;
use meshlens_testkit::real;

use crate::shared::{meshlens, stderr, stdout, utf8};

/// A copy of a model of the corpus whose frame 0 has no radius.
fn broken(path: &Path) -> Vec<u8> {
    let bytes = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    let mut model = Model::try_from(&Md3::parse(&bytes).unwrap()).unwrap();
    model.frames[0].radius = 0.0;
    let bytes = model.write().unwrap();
    fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn a_mended_file_is_written_beside_the_model_or_over_it_after_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let model = path("x.md3");
    let before = broken(&model);

    let dry = meshlens(&["fix", "-n", utf8(&model)]);
    assert_eq!(dry.status.code(), Some(0));
    assert!(stdout(&dry).starts_with(&format!("{}: 1 finding would be mended\n", utf8(&model))));
    assert!(stdout(&dry).contains("[FRAME_RADIUS_EXCEEDED]"), "{}", stdout(&dry));
    assert!(!path("x.fixed.md3").exists());

    let beside = meshlens(&["fix", utf8(&model)]);
    assert_eq!(beside.status.code(), Some(0), "{}", stderr(&beside));
    assert_eq!(fs::read(&model).unwrap(), before);
    let after = fs::read(path("x.fixed.md3")).unwrap();
    // Nothing is overwritten without --force.
    let again = meshlens(&["fix", utf8(&model)]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("x.fixed.md3: exists already"), "{}", stderr(&again));

    assert_eq!(meshlens(&["fix", "--in-place", utf8(&model)]).status.code(), Some(0));
    assert_eq!(fs::read(&model).unwrap(), after);
    assert_eq!(fs::read(path("x.md3.bak")).unwrap(), before);
    let clean = meshlens(&["fix", "--in-place", utf8(&model)]);
    assert!(stdout(&clean).contains("x.md3: nothing to mend"), "{}", stdout(&clean));
    // The first copy stays, and so does the file.
    let before = broken(&model);
    let second = meshlens(&["fix", "--in-place", "--force", utf8(&model)]);
    assert_eq!(second.status.code(), Some(2));
    assert!(
        stderr(&second).contains("x.md3.bak: exists already, and a copy is never"),
        "{}",
        stderr(&second)
    );
    assert_eq!(fs::read(&model).unwrap(), before);
}

/// The copies are no models, so that a second run and `validate` find nothing.
#[test]
fn a_folder_that_was_mended_in_place_has_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    broken(&folder.path().join("x.md3"));
    for mended in ["1 file, 1 mended\n", "1 file, 0 mended\n"] {
        let output = meshlens(&["fix", "--in-place", utf8(folder.path())]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).ends_with(mended), "{}", stdout(&output));
    }
    let valid = meshlens(&["validate", utf8(folder.path())]);
    assert_eq!(stdout(&valid), "1 file: no findings\n");
    // Who names a copy means it.
    let copy = meshlens(&["validate", utf8(&folder.path().join("x.md3.bak"))]);
    assert!(stdout(&copy).contains("FRAME_RADIUS_EXCEEDED"), "{}", stdout(&copy));
}

/// Two meshes of a script have the same geometry file.
#[test]
fn a_file_that_meshes_share_is_mended_once_with_any_number_of_workers() {
    let corpus = real::workspace_root().join("corpus/unreal");
    for jobs in ["1", "2", "8"] {
        let keep = tempfile::tempdir().unwrap();
        // The script names the folder.
        let folder = keep.path().join("unreal");
        for name in
            ["Classes/Crates.uc", "Models/crate_d.3d", "Models/crate_walk_a.3d", "Models/crate_run_a.3d"]
        {
            fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            fs::copy(corpus.join(name), folder.join(name)).unwrap();
        }
        let shared = folder.join("Models/crate_d.3d");
        let before = fs::read(&shared).unwrap();
        fs::write(&shared, [&before[..], b"JUNK!"].concat()).unwrap();
        let output = meshlens(&["fix", "--in-place", "-j", jobs, utf8(&folder)]);
        assert_eq!(output.status.code(), Some(0), "{jobs}: {}", stderr(&output));
        assert_eq!(fs::read(&shared).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let before = broken(&path("x.md3"));
    fs::set_permissions(path("x.md3"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("x.md3", path("link.md3")).unwrap();
    let output = meshlens(&["fix", "--in-place", utf8(&path("link.md3"))]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(path("link.md3").is_symlink());
    assert_ne!(fs::read(path("x.md3")).unwrap(), before);
    assert_eq!(fs::read(path("x.md3.bak")).unwrap(), before);
    for name in ["x.md3", "x.md3.bak"] {
        assert_eq!(fs::metadata(path(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn what_would_be_mended_is_said_without_a_path_for_it() {
    let archive = real::workspace_root().join("corpus/md3/models.pk3");
    let output = meshlens(&["fix", "-n", utf8(&archive)]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    zip.start_file("a/x.md3", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&broken(&folder.path().join("x.md3"))).unwrap();
    zip.finish().unwrap();
    let output = meshlens(&["fix", "-n", utf8(&path)]);
    assert!(stdout(&output).contains("a/x.md3: 1 finding would be mended"), "{}", stdout(&output));
    let output = meshlens(&["validate", "--format", "json", &format!("{}!a", utf8(&path))]);
    let reports: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reports.len(), 1);
}

#[test]
fn a_mended_file_on_standard_output_has_no_report_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    broken(&path("x.md3"));
    let mended = meshlens(&["fix", utf8(&path("x.md3")), "-o", "-"]);
    assert_eq!(mended.status.code(), Some(0));
    assert!(stderr(&mended).contains(" -> -: 1 finding mended"), "{}", stderr(&mended));
    fs::write(path("y.md3"), &mended.stdout).unwrap();
    let valid = meshlens(&["validate", utf8(&path("y.md3"))]);
    assert!(stdout(&valid).ends_with("y.md3: no findings\n"), "{}", stdout(&valid));
    // A file without anything to mend is passed on.
    let again = meshlens(&["fix", utf8(&path("y.md3")), "-o", "-"]);
    assert_eq!((again.status.code(), &again.stdout), (Some(0), &mended.stdout));
    assert!(stderr(&again).ends_with("nothing to mend\n"), "{}", stderr(&again));
    let pair = real::workspace_root().join("corpus/unreal/Models/padded_d.3d");
    let refused = meshlens(&["fix", utf8(&pair), "-o", "-"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(stderr(&refused).contains("-o - takes one file"), "{}", stderr(&refused));
}

#[test]
fn one_output_of_several_models_is_refused_before_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [first, second, out] = ["a.md3", "b.md3", "out.md3"].map(path);
    broken(&first);
    broken(&second);
    let refused = meshlens(&["fix", utf8(&first), utf8(&second), "-o", utf8(&out)]);
    assert_eq!((refused.status.code(), refused.stdout.len(), out.exists()), (Some(2), 0, false));
    assert!(stderr(&refused).contains("-o takes one model, and 2 were named"), "{}", stderr(&refused));
    fs::remove_file(&second).unwrap();
    let folder = meshlens(&["fix", utf8(folder.path()), "-o", utf8(&out)]);
    assert_eq!((folder.status.code(), out.exists()), (Some(0), true), "{}", stderr(&folder));
}

#[test]
fn vertices_of_sprites_are_kept_where_the_shader_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bytes = fs::read(real::workspace_root().join("corpus/md3/static.md3")).unwrap();
    let mut model = Model::try_from(&Md3::parse(&bytes).unwrap()).unwrap();
    model.surfaces.truncate(1);
    let surface = &mut model.surfaces[0];
    surface.shaders.clear();
    surface.add_shader("models/gun/flare.tga").unwrap();
    surface.texcoords.push([0.0; 2]);
    surface.vertices.push(surface.vertices[0]);
    let (bytes, name) = (model.write().unwrap(), surface_name(&bytes));
    fs::create_dir_all(path("models/gun")).unwrap();
    fs::create_dir(path("scripts")).unwrap();
    let file = path("models/gun/flare.md3");
    fs::write(&file, bytes).unwrap();
    let mended = || {
        let output = meshlens(&["fix", "-n", utf8(&file)]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).contains("[VERTEX_UNUSED]")
    };
    assert!(mended());
    let shader = |name: &str, deform: &str| {
        format!("{name}\n{{\n\tdeformVertexes {deform}\n\t{{\n\t\tmap a.tga\n\t}}\n}}\n")
    };
    let (script, beside) = (path("scripts/guns.shader"), path("models/gun/flare.shader"));
    for (file, deform, removes) in
        [(&script, "wave", true), (&script, "AutoSprite2", false), (&beside, "autosprite", false)]
    {
        fs::write(file, shader("models/gun/flare", deform)).unwrap();
        assert_eq!(mended(), removes, "{deform}");
        fs::remove_file(file).unwrap();
    }
    // A skin may name another shader.
    fs::write(path("models/gun/flare_red.skin"), format!("{name},models/gun/red\n")).unwrap();
    assert!(mended());
    fs::write(&script, shader("models/gun/red", "autosprite")).unwrap();
    assert!(!mended());
}

/// The name of the first surface.
fn surface_name(bytes: &[u8]) -> String {
    Md3::parse(bytes).unwrap().surfaces().next().unwrap().name().to_text().into_owned()
}

#[test]
fn both_files_of_an_unreal_mesh_are_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for half in ["_d.3d", "_a.3d"] {
        let name = format!("padded{half}");
        fs::copy(real::workspace_root().join("corpus/unreal/Models").join(&name), path(&name)).unwrap();
    }
    let output = meshlens(&["fix", utf8(&path("padded_d.3d"))]);
    assert!(stdout(&output).contains("[FRAME_PADDED]"), "{}", stdout(&output));
    let valid = meshlens(&["validate", utf8(&path("padded.fixed_d.3d"))]);
    assert!(stdout(&valid).ends_with("no findings\n"), "{}", stdout(&valid));
    let named = path("other_d.3d.2.3d");
    assert_eq!(meshlens(&["fix", utf8(&path("padded_d.3d")), "-o", utf8(&named)]).status.code(), Some(0));
    for half in ["_d.3d", "_a.3d"] {
        assert_eq!(
            fs::read(path(&format!("other_d.3d.2{half}"))).unwrap(),
            fs::read(path(&format!("padded.fixed{half}"))).unwrap()
        );
    }
}

#[test]
fn what_cannot_be_mended_is_said_and_the_others_are_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bytes = broken(&path("b.md3"));
    fs::write(path("a.md3"), &bytes[..bytes.len() / 2]).unwrap();
    fs::copy(real::workspace_root().join("corpus/u3d/v2_static_aes.u3d"), path("c.u3d")).unwrap();
    let output = meshlens(&["fix", "--format", "json", "--password", "meshlens", utf8(folder.path())]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("a.md3: cannot be mended: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("c.u3d: cannot be mended: "), "{}", stderr(&output));
    let rows: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["mended"][0]["code"], "FRAME_RADIUS_EXCEEDED");
    assert!(rows[0]["outputs"][0].as_str().unwrap().ends_with("b.fixed.md3"));
}

#[test]
fn explain_says_what_is_mended() {
    assert!(stdout(&meshlens(&["explain", "FRAME_RADIUS_EXCEEDED"])).ends_with("`meshlens fix` mends it.\n"));
    assert!(!stdout(&meshlens(&["explain", "INDEX_OUT_OF_RANGE"])).contains("fix"));
    let surface = meshlens(&["explain", "SURFACE_EMPTY"]);
    assert!(stdout(&surface).ends_with("`meshlens fix` mends it in md3 files.\n"), "{}", stdout(&surface));
}

#[test]
fn skins_are_mended_beside_their_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(real::workspace_root().join("corpus/md3/static.md3"), path("x.md3")).unwrap();
    fs::write(path("x_red.skin"), "// red\rbody,red.tga\r").unwrap();
    let valid = meshlens(&["validate", utf8(folder.path())]);
    assert!(stdout(&valid).contains("x_red.skin: 1 warning\n"), "{}", stdout(&valid));
    assert!(
        stdout(&valid).ends_with("2 files, 1 of them without findings: 1 warning\n"),
        "{}",
        stdout(&valid)
    );
    let output = meshlens(&["fix", "--in-place", utf8(folder.path())]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("[SKIN_LINE_END]"), "{}", stdout(&output));
    assert_eq!(fs::read(path("x_red.skin")).unwrap(), b"// red\nbody,red.tga\n");
    assert_eq!(fs::read(path("x_red.skin.bak")).unwrap(), b"// red\rbody,red.tga\r");
    // A skin that is named itself.
    fs::write(path("y.skin"), "a,\n").unwrap();
    let valid = meshlens(&["validate", utf8(&path("y.skin"))]);
    assert!(stdout(&valid).contains("SKIN_PATH_MISSING"), "{}", stdout(&valid));
    assert!(stdout(&meshlens(&["fix", utf8(&path("y.skin"))])).contains("nothing to mend"));
}
