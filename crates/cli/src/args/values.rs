//! The values of options.

pub(super) fn frames(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parsed
        .filter(|(a, b)| a <= b)
        .ok_or_else(|| "expected the first and the last frame, such as 10..24".into())
}

pub(super) fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number".into())
}

pub(super) fn positive(text: &str) -> Result<f32, String> {
    let parsed: Option<f32> = text.parse().ok();
    parsed.filter(|value| *value > 0.0 && value.is_finite()).ok_or_else(|| "expected a number above 0".into())
}

/// A factor for lengths: with it, every length remains a finite number.
pub(super) fn scale(text: &str) -> Result<f32, String> {
    within(text, 1e-6, 1e6)
}

/// A number of frames per second.
pub(super) fn rate(text: &str) -> Result<f32, String> {
    within(text, 1e-3, 1e3)
}

fn within(text: &str, least: f32, most: f32) -> Result<f32, String> {
    let value = text.parse().ok().filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

pub(super) fn simd(text: &str) -> Result<meshlens::lens::Level, String> {
    text.parse().map_err(|_| {
        let names: Vec<&str> = meshlens::lens::Level::all().map(meshlens::lens::Level::name).collect();
        format!("this machine has {}", names.join(", "))
    })
}

pub(super) fn seconds(text: &str) -> Result<f32, String> {
    positive(text).and_then(|seconds| {
        if seconds <= 3600.0 { Ok(seconds) } else { Err("expected an hour at most".into()) }
    })
}
