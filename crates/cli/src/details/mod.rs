//! The output of `inspect --details` for one model: one table for each part of its format.

/// The cells of a row, from values that can be displayed.
macro_rules! cells {
    ($($value:expr),* $(,)?) => { [$($value.to_string()),*] };
}

pub(crate) mod gltf;
mod md3;
mod u3d;
mod unigine;
mod unreal;

use meshlens::Document;
use meshlens::lens::Array;

use crate::table::{self, Column};
pub(crate) use crate::terminal::escape as printable;

/// The details of a model as text, one section after another.
pub(crate) fn text(document: &Document<'_>) -> String {
    match document {
        Document::Md3(md3) => md3::text(md3),
        Document::UnigineMesh(mesh) => unigine::mesh(mesh),
        Document::UnigineAnim(anim) => unigine::anim(anim),
        Document::Unreal(mesh) => unreal::text(mesh),
        Document::U3d(u3d) => u3d::text(u3d),
        _ => arrays(document),
    }
}

/// The arrays of a model in a format without specific tables.
fn arrays(document: &Document<'_>) -> String {
    section(
        "arrays",
        ["mesh", "frame", "level", "array", "set", "offset", "count", "stride"],
        document.arrays().map(|Array { mesh, frame, lod, semantic, set, lens, .. }| {
            let offset = format!("{:#x}", lens.byte_range().start);
            cells![mesh, frame, lod, semantic, set, offset, lens.len(), lens.stride()]
        }),
    )
}

/// A table with a title, or nothing if it has no rows. Columns of numbers are aligned to the right.
fn section<const N: usize>(
    title: &str,
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    table(title, &columns, rows.into_iter().map(Vec::from).collect())
}

fn table(title: &str, columns: &[&'static str], mut rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    for cell in rows.iter_mut().flatten() {
        *cell = printable(cell);
    }
    let is_number = |index: usize| rows.iter().all(|row| row[index].parse::<f64>().is_ok());
    let column =
        |(index, name): (usize, &&'static str)| Column { name, is_number: is_number(index), rank: None };
    let columns: Vec<Column> = columns.iter().enumerate().map(column).collect();
    let lines = table::lines(&columns, &rows, None);
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!("{title}\n{}", lines.concat())
}

/// Three numbers, formatted for reading.
fn vector(value: [f32; 3]) -> String {
    let [x, y, z] = value;
    format!("{x:.3} {y:.3} {z:.3}")
}
