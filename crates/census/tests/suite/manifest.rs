//! Lists of files that users give.

use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel};
use parquet::file::properties::WriterProperties;

use crate::table::{corpus, run, states};

#[test]
fn broken_rows_of_a_list_are_rows_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let (list, table) = (folder.path().join("list.csv"), folder.path().join("table"));
    let model = corpus().join("md3/static.md3");
    let (model, size) = (model.to_str().unwrap(), model.metadata().unwrap().len());
    let mut text = format!("uri,size,etag\n{model},{size},\n{model},{},\n", size + 1).into_bytes();
    text.extend(b"/nowhere.md3,,\nbad\xff.md3,,\n,1,\nftp://host/a.md3,,\nc.md3,-4,\n");
    text.extend(format!("{model},,mtime:1\n{model},,other\n").bytes());
    fs::write(&list, text).unwrap();
    let path = table.to_str().unwrap();
    run(&["census", "--manifest", list.to_str().unwrap(), "-o", path, "--part-rows", "2"], 0);
    let found = states(&table);
    let found: Vec<_> = found.iter().map(|[_, _, status, code]| (status.as_str(), code.as_str())).collect();
    let expected = [
        ("ok", ""),
        ("changed", "CHANGED"),
        ("unread", "NOT_FOUND"),
        ("unread", "MANIFEST"),
        ("unread", "MANIFEST"),
        ("unread", "URL"),
        ("unread", "MANIFEST"),
        ("changed", "CHANGED"),
        ("ok", ""),
    ];
    assert_eq!(found, expected);
    run(&["census", "verify", path], 0);
    run(&["census", "verify", path, "--manifest", list.to_str().unwrap()], 0);
}

#[test]
fn a_list_of_any_compression_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let model = corpus().join("md3/static.md3");
    let row = |name: &'static str, text: String| (name, Arc::new(StringArray::from(vec![text])) as ArrayRef);
    let size = Arc::new(Int64Array::from(vec![model.metadata().unwrap().len() as i64])) as ArrayRef;
    let columns = [row("uri", model.display().to_string()), ("size", size), row("etag", String::new())];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    // pyarrow and Spark write Snappy by default.
    for compression in [Compression::SNAPPY, Compression::GZIP(GzipLevel::default()), Compression::LZ4_RAW] {
        let (list, table) = (folder.path().join("list.parquet"), folder.path().join(compression.to_string()));
        let properties = WriterProperties::builder().set_compression(compression).build();
        let file = fs::File::create(&list).unwrap();
        let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        run(&["census", "--manifest", list.to_str().unwrap(), "-o", table.to_str().unwrap()], 0);
        assert_eq!(states(&table)[0][2], "ok", "{compression}");
    }
}

#[test]
fn errors_name_the_missing_columns_of_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let (list, table) = (folder.path().join("list.csv"), folder.path().join("table"));
    fs::write(&list, "uri,length\na.md3,1\n").unwrap();
    let arguments = ["census", "--manifest", list.to_str().unwrap(), "-o", table.to_str().unwrap()];
    assert!(run(&arguments, 2).contains("missing: size, etag; found: uri, length"));
    // The plan was not made, so the next run makes it.
    fs::write(&list, "uri,size,etag\n").unwrap();
    assert!(run(&arguments, 0).contains("no rows; the table is complete"));
}
