//! Draws the tables of `benches/results` as SVG files in `docs/figures`, and lists them in `docs/figures.md`; and draws the
//! chart of the README. `docs/renew` runs it.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use meshlens_testkit::real;
use plotters::prelude::*;

/// The height of a bar, and the space for the name of a group, in pixels.
const BAR: i32 = 12;
const GAP: i32 = 10;
const LEFT: i32 = 190;
const WIDTH: i32 = 860;

/// A table of results: its date and conditions, its command, the machine, and its rows as cells.
struct Table {
    conditions: String,
    command: String,
    machine: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

impl Table {
    fn read(path: &Path) -> Result<Table, Box<dyn Error>> {
        let text = fs::read_to_string(path)?;
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        // The first table. Some files have more tables below it.
        let is_row = |line: &&str| line.starts_with('|');
        let mut table = text.lines().skip_while(|line| !is_row(line)).take_while(is_row).map(cells);
        let columns = table.next().ok_or("no table")?;
        Ok(Table {
            conditions: lines().next().unwrap_or_default().to_owned(),
            command: lines().find(|line| line.starts_with('`')).unwrap_or_default().to_owned(),
            machine: lines().find(|line| line.contains("levels ")).unwrap_or_default().to_owned(),
            rows: table.skip(1).collect(),
            columns,
        })
    }

    fn column(&self, name: &str) -> Result<usize, String> {
        let found = self.columns.iter().position(|column| column == name);
        found.ok_or_else(|| format!("no column {name}"))
    }

    /// The values of a column, in groups of rows with the same name: the name, then a label and a value for each row.
    fn groups(&self, name: &str, label: &str, value: &str) -> Result<Vec<Group>, Box<dyn Error>> {
        let (name, label, value) = (self.column(name)?, self.column(label)?, self.column(value)?);
        let mut groups: Vec<Group> = Vec::new();
        for row in &self.rows {
            if groups.last().is_none_or(|group| group.name != row[name]) {
                groups.push(Group { name: row[name].clone(), bars: Vec::new() });
            }
            if let Some(group) = groups.last_mut() {
                group.bars.push((row[label].clone(), row[value].parse()?));
            }
        }
        Ok(groups)
    }
}

struct Group {
    name: String,
    bars: Vec<(String, f64)>,
}

/// The palette of Okabe and Ito, which also works for color-blind readers.
fn color(level: &str) -> RGBColor {
    match level {
        "scalar" => RGBColor(120, 120, 120),
        "sse" => RGBColor(230, 159, 0),
        "avx2" => RGBColor(0, 158, 115),
        _ => RGBColor(0, 114, 178),
    }
}

fn draw(path: &Path, title: &str, groups: &[Group]) -> Result<(), Box<dyn Error>> {
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = 40 + bars as i32 * BAR + groups.len() as i32 * GAP;
    let most = groups.iter().flat_map(|group| &group.bars).map(|(_, value)| *value).fold(0.0, f64::max);
    let root = SVGBackend::new(path, (WIDTH as u32, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    root.draw(&Text::new(title.to_owned(), (12, 10), ("sans-serif", 16)))?;
    let mut y = 36;
    for group in groups {
        root.draw(&Text::new(group.name.clone(), (12, y), ("sans-serif", 12)))?;
        for (label, value) in &group.bars {
            let end = LEFT + (value / most * f64::from(WIDTH - LEFT - 130)) as i32;
            root.draw(&Rectangle::new([(LEFT, y), (end, y + BAR - 2)], color(label).filled()))?;
            root.draw(&Text::new(format!("{value} {label}"), (end + 4, y), ("sans-serif", 10)))?;
            y += BAR;
        }
        y += GAP;
    }
    root.present()?;
    Ok(())
}

/// The machine of the chart of the README, and the bars: a row and a column of its table of decoders, and a label.
const DECODERS: (&str, [(&str, &str, &str); 4]) = (
    "amd-epyc-model-17",
    [
        ("walk", "meshlens ms", "meshlens, every frame"),
        ("walk", "ms", "a decoder in C, every frame"),
        ("naive", "ms", "a simple decoder, every frame"),
        ("assimp", "ms", "assimp, the first frame alone"),
    ],
);

/// The chart of the README: milliseconds of each decoder for all files, and a copy of the bytes as a line.
fn draw_loaders(root: &Path) -> Result<(), Box<dyn Error>> {
    let (machine, bars) = DECODERS;
    let path = root.join("benches/results").join(machine).join("decoders.md");
    let files = fs::read_to_string(&path)?;
    let files = files.lines().find(|line| line.contains(" files, ")).unwrap_or_default();
    let table = Table::read(&path)?;
    let milliseconds = |name: &str, column: &str| -> Result<f64, Box<dyn Error>> {
        let row = table.rows.iter().find(|row| row[0] == name).ok_or("no such row")?;
        Ok(row[table.column(column)?].parse()?)
    };
    let (left, unit) = (230, 18.0);
    let x = |value: f64| left + (value * unit) as i32;
    let path = root.join("docs/figures/loaders.svg");
    let area = SVGBackend::new(&path, (WIDTH as u32, 184)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = format!("Milliseconds for {files}; shorter is better");
    area.draw(&Text::new(title, (12, 10), ("sans-serif", 14)))?;
    for ((name, column, label), y) in bars.into_iter().zip((40..).step_by(26)) {
        let value = milliseconds(name, column)?;
        let level = if label.starts_with("meshlens") { "avx512" } else { "scalar" };
        area.draw(&Text::new(label, (12, y + 3), ("sans-serif", 13)))?;
        area.draw(&Rectangle::new([(left, y), (x(value), y + 18)], color(level).filled()))?;
        area.draw(&Text::new(format!("{value:.1}"), (x(value) + 5, y + 3), ("sans-serif", 13)))?;
    }
    let limit = milliseconds("memcpy", "ms")?;
    area.draw(&PathElement::new([(x(limit), 34), (x(limit), 150)], color("sse").stroke_width(2)))?;
    let text = format!("the limit: a copy of the stored bytes, {limit:.1}");
    area.draw(&Text::new(text, (x(limit) - 4, 156), ("sans-serif", 12)))?;
    area.present()?;
    Ok(())
}

/// How the figures are biased.
const BIAS: &str = "
## What the figures leave out

- Files are in the page cache, and buffers are reused. The first decoding into fresh memory takes several times as long
  (`--bench interleave -- --table --memory`): the operating system maps each page when it is first written.
- Scenes, kernels and vertex buffers are measured on bytes in the second-level cache or in memory. Scenes are what programs call:
  a node in a pose, in the space of the caller; kernels explain them. Opening and reading a file is part of
  the tables of whole files and of `assets` alone.
- The elements are pseudorandom. Real normals repeat, which changes nothing for kernels without branches; files with many
  truncated normals at the poles take a second pass over 16 elements.
- Rates are medians of runs in turns. Other programs on a shared machine slow all rows of a run: the load stands next to each
  table, and shares, which are measured against a copy in the same turns, change less.
- The simple decoder and the one written by hand (`benches/c`) were written for this comparison. Assimp gives the corners of the
  first frame alone, and builds its own scene from it: it does less decoding and more allocation than the other rows. Decoders
  start at bytes in memory. The time of meshlens contains its parser and the list of all arrays of a file, which takes more
  than half of it; decoding alone is among the whole files of `meshlens bench`.
- Where meshlens loses: a walk in C over the headers of mapped files was up to a tenth faster; mapping many small files on all
  cores is slower than on one; on an AMD Zen 4, two blended frames with octahedral normals reach 0.09 of a copy with AVX2 and 0.14
  with AVX-512, and directions that are stored as angles 0.20 to 0.44.
- Levels for which there is no table here (NEON, SIMD128) are tested for their results, not for their speed.
";

/// The tables that are drawn: the file, the heading, the column of groups, the columns of the labels and the values of
/// bars, and a description of the figure.
const FIGURES: [(&str, &str, [&str; 3], &str); 4] = [
    (
        "scenes",
        "Scenes",
        ["scene", "vertex buffer", "Mvertices/s"],
        "Vertices of scenes written to buffers, in millions per second, by the place of a node and the layout",
    ),
    (
        "l2",
        "Kernels, from cache",
        ["kernel", "level", "Melements/s"],
        "Elements decoded from the second-level cache, in millions per second, by level",
    ),
    (
        "dram",
        "Kernels, from memory",
        ["kernel", "level", "Melements/s"],
        "Elements decoded from memory, in millions per second, by level",
    ),
    (
        "interleave",
        "Vertex buffers",
        ["vertex buffer", "level", "Mvertices/s"],
        "Vertices of MD3 written to buffers, in millions per second, by format and level",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = real::workspace_root();
    let mut page = String::from(
        "# Figures\n\nOne thread. `benches/README.md` has all tables, with the commands, and explains them. `docs/renew` draws \
         these figures from\n`benches/results`, which `benches/table.sh` measures.\n",
    );
    page.push_str(BIAS);
    let mut machines: Vec<_> = fs::read_dir(root.join("benches/results"))?
        .map(|entry| Ok(entry?.file_name().into_string().map_err(|_| "a name that is not UTF-8")?))
        .collect::<Result<_, Box<dyn Error>>>()?;
    // Results from before changes to the code are listed last.
    let is_old = |machine: &String| {
        let table = root.join("benches/results").join(machine).join("l2.md");
        fs::read_to_string(table)
            .is_ok_and(|text| text.lines().next().unwrap_or_default().contains("before the changes"))
    };
    machines.sort_by_cached_key(|machine| (is_old(machine), machine.clone()));
    fs::create_dir_all(root.join("docs/figures"))?;
    draw_loaders(&root)?;
    for (name, heading, [group, label, value], title) in FIGURES {
        for machine in &machines {
            let path = root.join("benches/results").join(machine).join(format!("{name}.md"));
            if !path.exists() {
                continue;
            }
            let table = Table::read(&path)?;
            let file = format!("{machine}-{name}.svg");
            draw(&root.join("docs/figures").join(&file), title, &table.groups(group, label, value)?)?;
            let Table { conditions, command, machine, .. } = table;
            write!(page, "\n## {heading}: {machine}\n\n{title}. Measured: {conditions}.\n\n{command}\n\n")?;
            writeln!(page, "![{title}](figures/{file})")?;
        }
    }
    fs::write(root.join("docs/figures.md"), page)?;
    Ok(())
}
