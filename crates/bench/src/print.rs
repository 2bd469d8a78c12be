//! The report as text: a line and a bar for each rate.

use std::io::{self, Write};

use meshlens_terminal::Output;

use crate::report::{ArrayReport, DecoderReport, GivenArrays, Rate, Report};

/// The length of the longest bar, in columns.
const BAR: f64 = 6.0;

pub(crate) fn text(report: &Report, out: &mut Output) -> io::Result<()> {
    let Report { bytes, parse_microseconds, whole, .. } = report;
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let load = report.load.map(|load| format!(", load {load}")).unwrap_or_default();
    let built = match report.build.opt_level {
        "3" => String::new(),
        level => format!(", built with opt-level {level}"),
    };
    let (files, cores) = (count(report.files, "file"), count(report.cores, "core"));
    writeln!(out, "{files}, {}, {cores}{load}{built}", megabytes(*bytes))?;
    let open = report.open_microseconds;
    writeln!(out, "open: {open:.1} us each, including {parse_microseconds:.1} us to parse")?;
    for ArrayReport { format, name, elements, bytes, kernel, levels, memcpy, .. } in &report.arrays {
        writeln!(out)?;
        let copied = if *kernel { "" } else { ", copied, no kernel" };
        writeln!(out, "{format} {name}: {elements} elements, {}{copied}", megabytes(*bytes))?;
        let levels = levels.iter().map(|level| (level.level.to_owned(), level.rate));
        rates(levels.chain([("memcpy".to_owned(), *memcpy)]).collect(), out)?;
    }
    writeln!(out)?;
    writeln!(out, "whole files: {} elements, {}", whole.elements, megabytes(whole.bytes))?;
    let levels = whole.levels.iter().flat_map(|rates| {
        let name = |cores: &str| format!("{}, {cores}", rates.level);
        let all = (name(&format!("{} cores", whole.workers)), rates.all_cores);
        [(name("one core"), rates.one_core), all].into_iter().take(whole.workers)
    });
    rates(levels.chain([("memcpy, one core".to_owned(), whole.memcpy)]).collect(), out)?;
    report.decoders.iter().try_for_each(|of_one| decoder(of_one, report.files, out))
}

/// A row for each rate, with the machine and the build in each row, so that files of several machines can be joined.
pub(crate) fn csv(report: &Report, out: &mut Output) -> io::Result<()> {
    let Report { whole, build, machine, .. } = report;
    writeln!(
        out,
        "schema,processor,gigahertz,rustc,profile,commit,time,files_crc32,array,level,cores,elements,bytes,seconds,spread,\
         of_copy,cycles_per_element,bytes_per_cycle"
    )?;
    let text = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let start = [
        text(report.schema),
        text(machine.processor.as_deref().unwrap_or_default()),
        format!("{:.3}", machine.gigahertz),
        text(build.rustc),
        text(build.profile),
        text(report.commit.unwrap_or_default()),
        report.time.to_string(),
        report.files_crc32.to_string(),
    ]
    .join(",");
    let mut row = |name: &str, level: &str, cores: usize, counts: (u64, u64), rate: &Rate| {
        let Rate { seconds, spread, of_copy, cycles_per_element, bytes_per_cycle, .. } = rate;
        let of_copy = of_copy.map(|share| share.median.to_string()).unwrap_or_default();
        let (name, (elements, bytes)) = (text(name), counts);
        writeln!(
            out,
            "{start},{name},{level},{cores},{elements},{bytes},{seconds},{spread},{of_copy},{cycles_per_element},{bytes_per_cycle}"
        )
    };
    for ArrayReport { format, name, elements, bytes, levels, memcpy, .. } in &report.arrays {
        let (name, counts) = (format!("{format} {name}"), (*elements, *bytes));
        levels.iter().try_for_each(|level| row(&name, level.level, 1, counts, &level.rate))?;
        row(&name, "memcpy", 1, counts, memcpy)?;
    }
    let counts = (whole.elements, whole.bytes);
    for rates in &whole.levels {
        row("whole files", rates.level, 1, counts, &rates.one_core)?;
        row("whole files", rates.level, whole.workers, counts, &rates.all_cores)?;
    }
    row("whole files", "memcpy", 1, counts, &whole.memcpy)
}

fn decoder(report: &DecoderReport, files: usize, out: &mut Output) -> io::Result<()> {
    let DecoderReport { name, arrays, difference, rate, meshlens, .. } = report;
    writeln!(out)?;
    if let Some(difference) = difference {
        writeln!(out, "decoder {name}: not measured")?;
        return writeln!(out, "  {difference}");
    }
    writeln!(out, "decoder {name}: reads {} of {files} files; these arrays are equal:", report.files)?;
    for GivenArrays { name, given, of } in arrays {
        writeln!(out, "  {given} of {of} {name}")?;
    }
    let rows = [(name.clone(), rate), ("meshlens".to_owned(), meshlens)];
    rates(rows.into_iter().filter_map(|(name, rate)| Some((name, (*rate)?))).collect(), out)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

fn rates(rates: Vec<(String, Rate)>, out: &mut Output) -> io::Result<()> {
    let width = rates.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let fastest = rates.iter().map(|(_, rate)| rate.melements_per_second).fold(f64::MIN_POSITIVE, f64::max);
    for (name, Rate { seconds, spread, melements_per_second, gigabytes_per_second, of_copy, .. }) in rates {
        let of_copy = of_copy.map(|share| format!("{:.2}x", share.median)).unwrap_or_default();
        // Bars have a resolution of one eighth of a column, so that short bars can be compared.
        let eighths = (melements_per_second / fastest * BAR * 8.0).round() as usize;
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        writeln!(
            out,
            "  {name:<width$} {melements_per_second:>9.1} M/s {gigabytes_per_second:>7.2} GB/s {:>9.3} ms ±{:>3.0} % {of_copy:>5} {}{part}",
            seconds * 1e3,
            spread * 50.0,
            "█".repeat(eighths / 8)
        )?;
    }
    Ok(())
}
