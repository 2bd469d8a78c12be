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

/// What the chart of the README shows.
const CONTAINERS: &str = "Microseconds from the name of a model to the buffers of its first frame, by container and reader: MD3 and packs by meshlens, \
                          MD3 by assimp, GLB by cgltf and the crate gltf";

/// The colors of the chart of the README, by the beginning of the name of a row. "read()" is the limit of a container.
fn container_color(row: &str) -> RGBColor {
    color(match row {
        _ if row.ends_with("read()") => "scalar",
        _ if row.contains("meshlens") => "avx512",
        _ if row.contains("assimp") => "sse",
        _ => "avx2",
    })
}

/// The chart of the README: microseconds from the name of a model to the buffers of its first frame, on a logarithmic scale.
fn draw_containers(path: &Path, table: &Table) -> Result<(), Box<dyn Error>> {
    let [row, first, disk] = ["container: reader", "first us", "KB"].map(|name| table.column(name));
    let (row, first, disk) = (row?, first?, disk?);
    let (left, step) = (200, 20);
    let area =
        SVGBackend::new(path, (WIDTH as u32, 84 + step as u32 * table.rows.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = "From the name of a model to the buffers of its first frame: microseconds, shorter is better";
    area.draw(&Text::new(title, (12, 10), ("sans-serif", 15)))?;
    let x = |value: f64| left + (value.max(1.0).log10() * 170.0) as i32;
    let bottom = 40 + step * table.rows.len() as i32;
    for tick in [1.0, 10.0, 100.0, 1000.0] {
        area.draw(&PathElement::new([(x(tick), 36), (x(tick), bottom)], color("scalar").mix(0.4)))?;
        area.draw(&Text::new(tick.to_string(), (x(tick) - 6, bottom + 4), ("sans-serif", 11)))?;
    }
    for (cells, y) in table.rows.iter().zip((40..).step_by(step as usize)) {
        let value: f64 = cells[first].replace(',', "").parse()?;
        area.draw(&Text::new(cells[row].clone(), (12, y + 1), ("sans-serif", 12)))?;
        area.draw(&Rectangle::new([(left, y), (x(value), y + 15)], container_color(&cells[row]).filled()))?;
        let text = format!("{} us, {} KB on disk", cells[first], cells[disk]);
        area.draw(&Text::new(text, (x(value) + 5, y + 1), ("sans-serif", 11)))?;
    }
    let note = "Geometric means, warm cache, one core, logarithmic scale. Gray: read() alone; a mapped file is not read";
    area.draw(&Text::new(note, (12, bottom + 24), ("sans-serif", 12)))?;
    area.present()?;
    Ok(())
}

/// How the figures are biased.
const BIAS: &str = "
## What the figures leave out

- Containers: the models are of one game, at equal ranks by size; a game of static props is the column of one frame. Outputs are floats in the
  space of glTF for all readers: a renderer that uploads quantized arrays as they are does less, with MD3 (`meshlens-gpu`) as with GLB. GLB is what
  `meshlens convert` writes, whose views hold all frames of a mesh. `read` of a pack has new memory for each entry, and its checksum is
  not compared. Other readers of glTF (fastgltf) are in no registry of packages. Each reading follows one of the same row that is not timed.
- Files are in the page cache, except in columns that say cold, and buffers are reused. The first decoding into fresh memory takes several times as long
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
- SIMD128 is measured in Node (`benches/simd128`). NEON has no table: it is tested in an emulator, which has no speed of its own.
- Cycles are those of a chain of multiplications and exclusive ors that is measured once, at the beginning; a core that changes its frequency changes them.
";

/// The reports of `meshlens bench --format json` in `benches/results`, as a table: whole files on one core, by machine and level.
fn write_reports(root: &Path, page: &mut String) -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<_> = fs::read_dir(root.join("benches/results"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    if paths.is_empty() {
        return Ok(());
    }
    page.push_str(
        "\n## Whole files, by machine\n\nEvery array of every file decoded on one core, from bytes in memory: the reports of `meshlens bench \
         --format json` in\n`benches/results`. Compare rows of the same files (their CRC-32). [CONTRIBUTING.md](../CONTRIBUTING.md#measure) says how to \
         add one.\n\n| report | processor | compiler, profile | files | level | ms | spread | GB/s | share of a copy | cycles an element | bytes a cycle |\n\
         | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for path in paths {
        let report: serde_json::Value = serde_json::from_slice(&fs::read(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if report["schema"] != "meshlens-bench 1" {
            return Err(format!(
                "{}: expected the schema meshlens-bench 1, found {}",
                path.display(),
                report["schema"]
            )
            .into());
        }
        let text = |pointer: &str| {
            report.pointer(pointer).and_then(|value| value.as_str()).unwrap_or("unknown").to_owned()
        };
        for level in report["whole"]["levels"].as_array().into_iter().flatten() {
            let number = |pointer: &str| {
                level.pointer(pointer).and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN)
            };
            writeln!(
                page,
                "| {name} | {} | {}, {} | {} files, {:08x} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} |",
                text("/machine/processor"),
                text("/build/rustc"),
                text("/build/profile"),
                report["files"],
                report["files_crc32"].as_u64().unwrap_or_default(),
                level["level"].as_str().unwrap_or_default(),
                number("/one_core/seconds") * 1e3,
                number("/one_core/spread"),
                number("/one_core/gigabytes_per_second"),
                number("/one_core/of_copy/median"),
                number("/one_core/cycles_per_element"),
                number("/one_core/bytes_per_cycle"),
            )?;
        }
    }
    Ok(())
}

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
         these figures from\n`benches/results`, which `benches/table.sh`, `meshlens bench` and `benches/containers/run` measure.\n",
    );
    let mut machines: Vec<_> = fs::read_dir(root.join("benches/results"))?
        .map(|entry| Ok(entry?.file_name().into_string().map_err(|_| "a name that is not UTF-8")?))
        .filter(|name| !name.as_ref().is_ok_and(|name| name.contains('.')))
        .collect::<Result<_, Box<dyn Error>>>()?;
    // Results from before changes to the code are listed last.
    let is_old = |machine: &String| {
        let table = root.join("benches/results").join(machine).join("l2.md");
        fs::read_to_string(table)
            .is_ok_and(|text| text.lines().next().unwrap_or_default().contains("before the changes"))
    };
    machines.sort_by_cached_key(|machine| (is_old(machine), machine.clone()));
    fs::create_dir_all(root.join("docs/figures"))?;
    for machine in &machines {
        let folder = root.join("benches/results").join(machine);
        let path = folder.join("containers.md");
        if !path.exists() {
            continue;
        }
        let table = Table::read(&path)?;
        let file = format!("{machine}-containers.svg");
        draw_containers(&root.join("docs/figures").join(&file), &table)?;
        let Table { conditions, command, machine, .. } = table;
        write!(
            page,
            "\n## The same models in five containers: {machine}\n\nMeasured: {conditions}.\n\n{command}\n\n"
        )?;
        writeln!(page, "![{CONTAINERS}](figures/{file})")?;
        // The table and what follows it: whether the goals are met, and why rows lose.
        let text = fs::read_to_string(&path)?;
        let (_, rows) = text.split_once("\n| ").ok_or("no table")?;
        writeln!(page, "\n| {}", rows.trim_end())?;
    }
    write_reports(&root, &mut page)?;
    page.push_str(BIAS);
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
