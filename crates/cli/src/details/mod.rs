//! What `inspect --details` prints for one model: the parts of its format, one table each.

mod md3;
mod u3d;
mod unigine;
mod unreal;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use meshlens::Document;

/// The details of a model as text, one section after another.
pub(crate) fn text(document: &Document<'_>) -> String {
    match document {
        Document::Md3(md3) => md3::text(md3),
        Document::UnigineMesh(mesh) => unigine::mesh(mesh),
        Document::UnigineAnim(anim) => unigine::anim(anim),
        Document::Unreal(mesh) => unreal::text(mesh),
        Document::U3d(u3d) => u3d::text(u3d),
        _ => String::new(),
    }
}

/// A titled table, or nothing where it has no row. Cells that are numbers are flushed to the right.
fn section<const N: usize>(
    title: &str,
    columns: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns);
    for row in rows {
        table.add_row(row.map(|text| {
            let number = text.parse::<f64>().is_ok();
            Cell::new(printable(&text)).set_alignment(if number {
                CellAlignment::Right
            } else {
                CellAlignment::Left
            })
        }));
    }
    if table.row_count() == 0 {
        return String::new();
    }
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    let lines: Vec<String> = table.lines().map(|line| format!("  {}\n", line.trim_end())).collect();
    format!("{title}\n{}", lines.concat())
}

/// Text of a file as a terminal may have it: control characters are escaped.
pub(crate) fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// Three numbers as a reader wants to see them.
fn vector(value: [f32; 3]) -> String {
    let [x, y, z] = value;
    format!("{x:.3} {y:.3} {z:.3}")
}
