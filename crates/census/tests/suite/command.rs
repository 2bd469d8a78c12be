//! `meshlens census` with files.

use std::fs;
use std::path::Path;

use arrow_array::cast::AsArray;

use crate::table::{batches, census, corpus, counts, finish, integers, is_null, run, states, texts};

/// Makes a census of a folder of the corpus with a few rows per part.
fn made(folder: &Path, more: &[&str]) -> String {
    let (input, output) = (corpus().join("md3"), folder.to_str().unwrap());
    let arguments = [&["census", input.to_str().unwrap(), "-o", output, "--part-rows", "4"], more].concat();
    run(&arguments, 0)
}

#[test]
fn a_folder_becomes_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let text = made(folder.path(), &[]);
    assert!(text.contains("the table is complete") && folder.path().join("_SUCCESS").exists(), "{text}");
    let rows = states(folder.path());
    let files = rows.iter().filter(|[_, entry, ..]| entry.is_empty()).count();
    // The models, the models of the player, and the archive. Shaders and settings are not models.
    assert_eq!((files, rows.len()), (12, 15), "{rows:?}");
    assert!(
        rows.iter().any(|[uri, entry, status, _]| uri.ends_with("models.pk3")
            && !entry.is_empty()
            && status == "ok")
    );
    let text = run(&["census", "verify", folder.path().to_str().unwrap()], 0);
    assert!(
        text.starts_with(&format!("{files} files, {} rows: every file of the list once", rows.len())),
        "{text}"
    );
    let batch = &batches(folder.path())[0];
    assert!(texts(batch, "etag")[0].as_ref().unwrap().starts_with("mtime:"));
    assert!(integers(batch, "triangles").iter().any(|count| count.is_some_and(|count| count > 0)));
}

#[test]
fn existing_parts_are_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), &[]);
    let (before, path) = (batches(folder.path()), folder.path().to_str().unwrap());
    assert!(made(folder.path(), &[]).contains("no rows; "));
    fs::remove_file(folder.path().join("part-00001.parquet")).unwrap();
    fs::remove_file(folder.path().join("_SUCCESS")).unwrap();
    assert!(run(&["census", "verify", path], 1).contains("part-00001.parquet: missing"));
    assert!(made(folder.path(), &[]).contains("files were done before; the table is complete"));
    assert_eq!(batches(folder.path()), before);
    // The content of another part, and a file that is not a part.
    fs::copy(folder.path().join("part-00000.parquet"), folder.path().join("part-00001.parquet")).unwrap();
    fs::copy(folder.path().join("part-00000.parquet"), folder.path().join("part-00009.parquet")).unwrap();
    let text = run(&["census", "verify", path], 1);
    assert!(text.contains("part-00001.parquet: 4 files, but not those of the list"), "{text}");
    assert!(text.contains("part-00009.parquet: not a part of the census"), "{text}");
}

#[test]
fn damaged_parts_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), &[]);
    let (before, path) = (batches(folder.path()), folder.path().to_str().unwrap());
    let part = folder.path().join("part-00001.parquet");
    let whole = fs::read(&part).unwrap();
    // The first column chunk is the one of `uri`; what follows is compared by its pages.
    let zeroed = [&whole[..whole.len() / 2], &[0; 64][..], &whole[whole.len() / 2 + 64..]].concat();
    for damaged in [&[][..], &whole[..whole.len() - 1], &zeroed] {
        fs::write(&part, damaged).unwrap();
        assert!(run(&["census", "verify", path], 1).contains("part-00001.parquet: "));
        let text = made(folder.path(), &[]);
        assert!(text.contains("8 files were done before; the table is complete"), "{text}");
        assert_eq!(batches(folder.path()), before);
    }
}

#[test]
fn no_files_are_a_table_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (input, table) = (folder.path().join("models"), folder.path().join("table"));
    fs::create_dir(&input).unwrap();
    run(&["census", input.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
    let file = fs::File::open(table.join("part-00000.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    assert_eq!(reader.schema().fields(), meshlens_census::schema().fields());
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    let text = run(&["census", "verify", table.to_str().unwrap()], 0);
    assert!(text.starts_with("0 files, 0 rows"), "{text}");
}

#[test]
fn tables_of_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("sales.parquet");
    fs::write(&other, "PAR1").unwrap();
    let (input, path) = (corpus().join("md3"), folder.path().to_str().unwrap());
    let arguments = ["census", input.to_str().unwrap(), "-o", path, "--part-rows", "4"];
    assert!(run(&arguments, 2).contains("sales.parquet exists, and is not a part of a census"));
    fs::remove_file(&other).unwrap();
    run(&arguments, 0);
    fs::write(&other, "PAR1").unwrap();
    assert!(run(&arguments, 2).contains("sales.parquet exists, and is not a part of a census"));
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_followed_or_have_a_row() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let (input, table) = (folder.path().join("models"), folder.path().join("table"));
    // As in a cache of Hugging Face: the content has the name of its hash.
    for folder in ["blobs", "snapshots"] {
        fs::create_dir_all(input.join(folder)).unwrap();
    }
    fs::copy(corpus().join("md3/static.md3"), input.join("blobs/5f1c")).unwrap();
    symlink("../blobs/5f1c", input.join("snapshots/a.md3")).unwrap();
    symlink("../blobs/gone", input.join("snapshots/b.md3")).unwrap();
    symlink("../blobs/gone", input.join("snapshots/readme.txt")).unwrap();
    symlink("snapshots", input.join("latest")).unwrap();
    symlink("..", input.join("snapshots/loop")).unwrap();
    run(&["census", input.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
    let found = states(&table);
    let found: Vec<_> =
        found.iter().map(|[uri, _, status, _]| (&uri[input.to_str().unwrap().len()..], &**status)).collect();
    let expected = [
        ("/latest/a.md3", "ok"),
        ("/latest/b.md3", "unread"),
        ("/latest/loop", "unread"),
        ("/snapshots/a.md3", "ok"),
        ("/snapshots/b.md3", "unread"),
        ("/snapshots/loop", "unread"),
    ];
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn frames_that_cannot_be_read_have_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let (input, table) = (folder.path().join("models"), folder.path().join("table"));
    fs::create_dir(&input).unwrap();
    for name in ["x", "y"] {
        fs::copy(corpus().join("gallery/crate_d.3d"), input.join(format!("{name}_d.3d"))).unwrap();
    }
    std::os::unix::fs::symlink("x_a.3d", input.join("x_a.3d")).unwrap();
    let [x, y] = ["x_d.3d", "y_d.3d"].map(|name| input.join(name));
    run(&["census", x.to_str().unwrap(), y.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
    let found: Vec<_> = states(&table).into_iter().map(|[_, _, status, code]| (status, code)).collect();
    assert_eq!(found, [("incomplete", "IO"), ("half", "")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    let message = texts(&batches(&table)[0], "message").remove(0).unwrap();
    assert!(message.contains("x_a.3d"), "{message}");
}

#[test]
fn a_folder_has_one_census() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), &[]);
    let path = folder.path().to_str().unwrap();
    let other = corpus().join("u3d");
    let text = run(&["census", other.to_str().unwrap(), "-o", path, "--part-rows", "4"], 2);
    assert!(text.contains("the folder has another census"), "{text}");
}

#[test]
fn only_requested_columns_are_filled() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), &["--columns", "format,triangles"]);
    assert!(!is_null(folder.path(), "triangles") && is_null(folder.path(), "hash"));
    let text = run(&["census", "x.md3", "-o", folder.path().to_str().unwrap(), "--columns", "colour"], 2);
    assert!(text.contains("there is no column \"colour\"; columns: uri, entry"), "{text}");
}

#[test]
fn shards_make_their_parts() {
    let folder = tempfile::tempdir().unwrap();
    let (list, table) = (folder.path().join("list.parquet"), folder.path().join("table"));
    let (list, path) = (list.to_str().unwrap(), table.to_str().unwrap());
    run(&["list", corpus().to_str().unwrap(), "-o", list], 0);
    let shard = |shard| ["census", "--manifest", list, "-o", path, "--part-rows", "9", "--shard", shard];
    let text = run(&shard("1/2"), 0);
    assert!(
        text.contains("parts of other shards are missing") && !table.join("part-00000.parquet").exists(),
        "{text}"
    );
    assert!(run(&shard("0/2"), 0).contains("the table is complete"));
    run(&["census", "verify", path], 0);
    run(&["census", "verify", path, "--manifest", list], 0);
    assert!(counts(&table)["ok"] > 50);
    assert!(run(&shard("2/2"), 2).contains("write 0/4 for the first of four"));
}

#[test]
fn unreal_meshes_have_the_counts_of_both_files() {
    let folder = tempfile::tempdir().unwrap();
    let (input, path) = (corpus().join("gallery"), folder.path().to_str().unwrap());
    run(&["census", input.to_str().unwrap(), "-o", path, "--columns", "headers"], 0);
    let batch = &batches(folder.path())[0];
    let (uris, statuses) = (texts(batch, "uri"), texts(batch, "status"));
    let (frames, triangles) = (integers(batch, "frames"), integers(batch, "triangles"));
    let find = |name: &str| uris.iter().position(|uri| uri.as_ref().unwrap().ends_with(name)).unwrap();
    let (geometry, other) = (find("/crate_d.3d"), find("/crate_a.3d"));
    assert!(frames[geometry].unwrap() >= 1 && triangles[geometry].unwrap() > 0);
    assert_eq!(
        [&statuses[geometry], &statuses[other]].map(|status| status.as_deref().unwrap()),
        ["ok", "half"]
    );
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_finished_parts_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (input, path) = (corpus(), folder.path().to_str().unwrap().to_owned());
    let arguments = ["census", input.to_str().unwrap(), "-o", &path, "--part-rows", "9"];
    run(&arguments, 0);
    let before = batches(folder.path());
    fs::remove_file(folder.path().join("part-00002.parquet")).unwrap();
    fs::remove_file(folder.path().join("_SUCCESS")).unwrap();
    // Files may have at most one block, so the part does not fit.
    for ignored in ["", "trap '' XFSZ;"] {
        let mut shell = std::process::Command::new("sh");
        let line = format!("{ignored} ulimit -f 1; exec \"$0\" \"$@\"");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_meshlens-census")]);
        let text = finish(shell.args(arguments).output().unwrap(), 2);
        assert!(text.contains("part-00002.parquet: "), "{text}");
    }
    assert!(!folder.path().join("_SUCCESS").exists() && !folder.path().join("part-00002.parquet").exists());
    run(&arguments, 0);
    assert_eq!(batches(folder.path()), before);
}

#[test]
fn wrong_arguments() {
    for (arguments, expected) in [
        (&["census"][..], "required arguments"),
        (&["census", "a.md3"], "--output <DIR>"),
        (&["census", "a.md3", "--manifest", "b", "-o", "c"], "cannot be used with"),
        (&["census", "a.md3", "--shard", "0/2", "-o", "c"], "--shard needs --manifest"),
        (&["census", "verify", "/nowhere/at/all"], "/nowhere/at/all: No such file"),
    ] {
        let text = finish(census(arguments).output().unwrap(), 2);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for (input, expected) in [
        ("/nowhere/a.md3", "/nowhere/a.md3: "),
        ("ftp://host/a.md3", "only file, http, https and s3 URLs are read"),
        ("http://localhost/models/", "a web server has no list of its files"),
    ] {
        let text = run(&["census", input, "-o", path], 2);
        assert!(text.contains(expected), "{input}: {text}");
    }
}

#[test]
fn packs_that_are_missing_or_damaged_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["md3/static.md3", "md3/tagged.md3"].map(|name| corpus().join(name));
    for pack in ["zip", "tar"] {
        let table = folder.path().join(pack);
        let [path, one, two] = [&table, &inputs[0], &inputs[1]].map(|path| path.to_str().unwrap());
        let arguments = ["census", "convert", one, two, "-o", path, "--pack", pack, "--part-rows", "1"];
        run(&arguments, 0);
        let file = table.join(format!("part-00000.{pack}"));
        let whole = fs::read(&file).unwrap();
        let other = fs::read(table.join(format!("part-00001.{pack}"))).unwrap();
        let mut flipped = whole.clone();
        // Inside the product.
        flipped[whole.len() / 2] ^= 0xff;
        let damages = [None, Some(&whole[..whole.len() / 2]), Some(&other), Some(&flipped)];
        // A tar file has checksums of names and sizes only.
        for damage in &damages[..if pack == "tar" { 3 } else { 4 }] {
            match damage {
                None => fs::remove_file(&file).unwrap(),
                Some(damaged) => fs::write(&file, damaged).unwrap(),
            }
            let text = run(&["census", "verify", path], 1);
            assert!(text.contains(&format!("part-00000.{pack}: ")), "{text}");
            assert!(run(&arguments, 0).contains("files were done before; the table is complete"));
            assert_eq!(fs::read(&file).unwrap(), whole);
            run(&["census", "verify", path], 0);
        }
    }
}

#[test]
fn products_are_packed_and_have_rows() {
    let folder = tempfile::tempdir().unwrap();
    let input = corpus().join("md3");
    let input = input.to_str().unwrap();
    let make = |what: &str, pack: &str| {
        let table = folder.path().join(format!("{what}-{pack}"));
        let path = table.to_str().unwrap();
        run(&["census", what, input, "-o", path, "--pack", pack, "--part-rows", "6"], 0);
        run(&["census", "verify", path], 0);
        table
    };
    let contents = |table: &Path| -> Vec<Vec<u8>> {
        let columns =
            batches(table).into_iter().map(|batch| batch.column_by_name("content").unwrap().clone());
        columns
            .flat_map(|column| {
                column.as_binary::<i32>().iter().flatten().map(<[u8]>::to_vec).collect::<Vec<_>>()
            })
            .collect()
    };
    let (table, zipped) = (make("convert", "parquet"), make("convert", "zip"));
    let models = contents(&table);
    assert!(models.len() > 10 && models.iter().all(|bytes| bytes.starts_with(b"glTF")));
    assert!(contents(&zipped).is_empty());
    let names: Vec<String> =
        batches(&zipped).iter().flat_map(|batch| texts(batch, "product")).flatten().collect();
    let mut unpacked = Vec::new();
    for part in 0.. {
        let Ok(file) = fs::File::open(zipped.join(format!("part-{part:05}.zip"))) else { break };
        let mut archive = zip::ZipArchive::new(file).unwrap();
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).unwrap();
            assert_eq!(entry.name().unwrap(), names[unpacked.len()]);
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            unpacked.push(bytes);
        }
    }
    assert_eq!(unpacked, models);
    let pictures = contents(&make("thumb", "parquet"));
    assert!(pictures.len() == models.len() && pictures.iter().all(|bytes| bytes.starts_with(b"\x89PNG")));
    let tarred = make("thumb", "tar");
    assert!(fs::read(tarred.join("part-00000.tar")).unwrap().starts_with(b"000000-"));
}
