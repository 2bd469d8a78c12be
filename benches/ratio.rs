//! Rates next to the limit of the machine. Both are measured in turns, so that other load on the machine slows both of
//! them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use meshlens_lens::Level;

/// A function that is measured in turns with others.
pub type Run<'a> = Box<dyn FnMut() + 'a>;

/// The location of the data of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataLocation {
    /// The second-level cache: 320 KiB of input and output.
    L2,
    /// Memory: 768 MiB, or the number of MiB in `MESHLENS_BENCH_MIB`. It should be larger than the last-level cache.
    Dram,
}

impl DataLocation {
    /// The number of elements that fill the place, with `bytes` bytes of input and output per element.
    pub fn elements(self, bytes: usize) -> usize {
        let all = match self {
            DataLocation::L2 => 320 << 10,
            DataLocation::Dram => {
                let wish = std::env::var("MESHLENS_BENCH_MIB").ok().and_then(|text| text.parse().ok());
                wish.unwrap_or(768usize) << 20
            }
        };
        all / bytes / 64 * 64
    }

    /// The short name.
    pub fn name(self) -> &'static str {
        match self {
            DataLocation::L2 => "L2",
            DataLocation::Dram => "DRAM",
        }
    }
}

/// The median rates of functions that were measured in turns, in elements per second.
#[derive(Clone, Debug)]
pub struct Rates {
    /// The rate of each function, in the given order.
    pub rates: Vec<f64>,
    /// The rate of the first function divided by each rate, as the median of the ratios of single turns.
    pub shares: Vec<f64>,
}

/// Runs each function in turn for about `slice`, `turns` times.
pub fn in_turns(elements: usize, slice: Duration, turns: usize, runs: &mut [Run<'_>]) -> Rates {
    let time = |run: &mut Run<'_>, times: u32| {
        let start = Instant::now();
        for _ in 0..times {
            run();
        }
        start.elapsed().as_secs_f64() / f64::from(times)
    };
    let times: Vec<u32> = runs
        .iter_mut()
        .map(|run| {
            run();
            let once = (0..3).map(|_| time(run, 1)).fold(f64::INFINITY, f64::min);
            ((slice.as_secs_f64() / once) as u32).clamp(1, 10_000)
        })
        .collect();
    let mut seconds = vec![Vec::with_capacity(turns); runs.len()];
    for _ in 0..turns {
        for ((run, times), seconds) in runs.iter_mut().zip(&times).zip(&mut seconds) {
            seconds.push(time(run, *times));
        }
    }
    let shares = seconds
        .iter()
        .map(|other| median(other.iter().zip(&seconds[0]).map(|(other, first)| other / first).collect()));
    let shares = shares.collect();
    let rates = seconds.into_iter().map(|seconds| elements as f64 / median(seconds)).collect();
    Rates { rates, shares }
}

/// Runs the same work at every level in turns. Returns the levels that are slower than a lower level by more than 5 %.
pub fn slower(name: &str, elements: usize, turns: usize, work: &dyn Fn(Level)) -> Vec<String> {
    let levels: Vec<Level> = Level::all().collect();
    let mut runs: Vec<Run<'_>> = Vec::with_capacity(levels.len());
    for level in &levels {
        runs.push(Box::new(|| work(*level)));
    }
    let rates = in_turns(elements, Duration::from_micros(300), turns, &mut runs).rates;
    let found: Vec<(&Level, f64)> = levels.iter().zip(rates).collect();
    let pairs =
        found.iter().enumerate().flat_map(|(at, high)| found.iter().take(at).map(move |low| (low, high)));
    let slower = pairs.filter(|((_, low), (_, high))| *high < 0.95 * low);
    let line = |((low, rate), (high, slower)): (&(&Level, f64), &(&Level, f64))| {
        format!("{name}: {high} {:.0} M/s, {low} {:.0} M/s", slower / 1e6, rate / 1e6)
    };
    slower.map(line).collect()
}

/// Prints the result of [`slower`].
pub fn print_slower(pairs: &[String]) {
    println!("Levels that are slower than a lower one: {}.", if pairs.is_empty() { "none" } else { "" });
    for pair in pairs {
        println!("- {pair}");
    }
    println!();
}

/// The median of `values`.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A Markdown table.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Makes a table with these columns.
    pub fn new(columns: &[&str]) -> Table {
        Table { rows: vec![columns.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Prints the table, with columns as wide as their widest cell.
    pub fn print(&self) {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (index, row) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            println!("| {} |", cells.collect::<Vec<_>>().join(" | "));
            if index == 0 {
                let lines = widths.iter().enumerate().map(|(column, width)| {
                    if column == 0 { "-".repeat(*width) } else { format!("{}:", "-".repeat(*width - 1)) }
                });
                println!("| {} |", lines.collect::<Vec<_>>().join(" | "));
            }
        }
        println!();
    }
}

/// The name of the processor, and its levels.
pub fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map_or("?", |(_, value)| value.trim()).to_owned()
    };
    let levels: Vec<&str> = Level::all().map(Level::name).collect();
    if let Ok(name) = std::env::var("MESHLENS_MACHINE") {
        return format!("{name}, levels {}", levels.join(" "));
    }
    // The number of processors of the machine. This process may be limited to fewer.
    let cores = text.lines().filter(|line| line.starts_with("processor")).count().max(1);
    format!(
        "{} (model {}), {cores} cores, levels {}",
        value("model name"),
        value("model\t"),
        levels.join(" ")
    )
}

/// The part of `bytes` that begins four bytes after the start of a cache line, like an array in a file. Otherwise, the
/// allocator would determine how many loads cross lines at each level.
pub fn as_in_file(bytes: &[u8]) -> &[u8] {
    bytes.get(bytes.as_ptr().align_offset(64) + 4..).unwrap_or_default()
}

/// The part of `bytes` that begins with a cache line.
pub fn from_a_line(bytes: &mut [u8]) -> &mut [u8] {
    let start = bytes.as_ptr().align_offset(64);
    bytes.get_mut(start..).unwrap_or_default()
}

/// Page-aligned memory of `len` bytes that has been written to.
pub fn touched(len: usize) -> Vec<u64> {
    black_box(vec![0x0101_0101_0101_0101u64; len.div_ceil(8)])
}

/// Pseudorandom bytes, the same in every run.
pub fn noise(len: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..len.div_ceil(8)).map(next).collect()
}
