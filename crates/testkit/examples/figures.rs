//! Draws the tables of `benches/results` as SVG files in `docs/figures`, and lists them in `docs/figures.md`. `docs/renew`
//! runs it.

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
        // The first table; some files have others below it.
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

/// The palette of Okabe and Ito, for readers with any color vision.
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

/// The tables that are drawn: file, heading, name of a group, label and value of a bar, and what the figure shows.
const FIGURES: [(&str, &str, [&str; 3], &str); 3] = [
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
    let mut machines: Vec<_> = fs::read_dir(root.join("benches/results"))?
        .map(|entry| Ok(entry?.file_name().into_string().map_err(|_| "a name that is not UTF-8")?))
        .collect::<Result<_, Box<dyn Error>>>()?;
    // Results from before changes to the code come last.
    let is_old = |machine: &String| {
        let table = root.join("benches/results").join(machine).join("l2.md");
        fs::read_to_string(table)
            .is_ok_and(|text| text.lines().next().unwrap_or_default().contains("before the changes"))
    };
    machines.sort_by_cached_key(|machine| (is_old(machine), machine.clone()));
    fs::create_dir_all(root.join("docs/figures"))?;
    for machine in machines {
        for (name, heading, [group, label, value], title) in FIGURES {
            let path = root.join("benches/results").join(&machine).join(format!("{name}.md"));
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
