//! The timeline: the percentage of the models in the first view whose bounds, or whose buffers, are loaded, over time.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use plotters::prelude::*;

use crate::run::{Mode, Run};

fn color(mode: Mode) -> RGBColor {
    // The palette of Okabe and Ito, for readers with any color vision.
    match mode {
        Mode::Whole => RGBColor(213, 94, 0),
        Mode::Parts => RGBColor(0, 114, 178),
    }
}

/// Where the time axis starts, in milliseconds: within the first frame.
const START: f64 = 10.0;

/// The percentage of models that are loaded, over the time in milliseconds.
fn steps(times: &[Duration], end: f64) -> Vec<(f64, f64)> {
    let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_unstable_by(f64::total_cmp);
    let percent = |count: usize| 100.0 * count as f64 / times.len().max(1) as f64;
    let mut points = vec![(START, 0.0)];
    for (count, time) in times.iter().enumerate() {
        let time = time.max(START);
        points.extend([(time, percent(count)), (time, percent(count + 1))]);
    }
    points.push((end, 100.0));
    points
}

pub(crate) fn draw(path: &Path, latencies: &[(u64, Vec<Run>)]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (960, 300 * latencies.len() as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let runs = latencies.iter().flat_map(|(_, runs)| runs);
    let all = runs.flat_map(|run| [run.first_bounds, run.near_buffers]);
    // The same axis for all latencies, with room for the legend.
    let end = all.max().unwrap_or_default().as_secs_f64() * 1e3 * 7.0;
    for (area, (latency, runs)) in root.split_evenly((latencies.len(), 1)).iter().zip(latencies) {
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{latency} ms of latency for each request"), ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(60)
            .build_cartesian_2d((START..end).log_scale(), 0.0..105.0)?;
        chart
            .configure_mesh()
            .x_desc("milliseconds after the first frame (logarithmic)")
            .y_desc("loaded, in percent")
            .x_label_formatter(&|value| format!("{value:.0}"))
            .y_label_formatter(&|value| format!("{value:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        for run in runs {
            let style = color(run.mode).stroke_width(2);
            let name = run.mode.name();
            chart
                .draw_series(LineSeries::new(steps(&run.bounds_at, end), style))?
                .label(format!("{name}: bounds"))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
            if run.mode != Mode::Whole {
                let style = color(run.mode).mix(0.5).stroke_width(2);
                chart
                    .draw_series(LineSeries::new(steps(&run.near_at, end), style))?
                    .label(format!("{name}: buffers of near models"))
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
            }
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .legend_area_size(30)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
    }
    root.present()?;
    Ok(())
}
