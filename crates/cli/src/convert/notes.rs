//! Notes on a valid result: its size, a better scale, and assumptions that were made.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use glam::Vec3;
use meshlens::Model;
use meshlens::model::{Clip, DEFAULT_RATE, Space};
use meshlens::scene::Scene;

use crate::args::{Convert, Target};

/// The usual sizes of figures, objects and vehicles, in meters.
const PLAUSIBLE: RangeInclusive<f32> = 0.1..=10.0;
/// The accepted sizes if the unit of the source is unknown.
const POSSIBLE: RangeInclusive<f32> = 0.05..=30.0;

/// The space and the unit name of the target.
fn space(target: Target) -> (Space, &'static str) {
    match target {
        Target::Glb | Target::Gltf => (Space::GLTF, "m"),
        Target::Unigine | Target::UnigineAnim => (Space::UNIGINE, "m"),
        Target::Md3 => (Space::MD3, "units"),
        Target::Unreal => (Space::UNREAL, "units"),
        Target::U3d => (Space::U3D, "units"),
        #[cfg(feature = "carriers")]
        Target::Vat => (Space::GLTF, "m"),
        #[cfg(feature = "carriers")]
        Target::Usda => (Space::GLTF, "units"),
    }
}

/// The width, height and depth of the finest level of a scene at rest, in units of the result; `None` if there is no
/// geometry. O(points).
pub(super) fn size(scene: &Scene<'_>, scale: f32) -> Option<Vec3> {
    let bounds = scene.view(&Space::GLTF).scaled(scale).bounds(&scene.rest_pose()).ok()??;
    Some(Vec3::from(bounds.max) - Vec3::from(bounds.min))
}

/// The size as text, such as `24.1 x 56.2 x 20.3 m`: width, height and depth.
pub(super) fn size_text(size: Vec3, target: Target) -> String {
    let [width, height, depth] = size.to_array().map(number);
    format!("{width} x {height} x {depth} {}", space(target).1)
}

/// Formats a length with three significant digits.
fn number(value: f32) -> String {
    digits(value, 3)
}

/// Formats a number with `count` significant digits, without trailing zeros and without an exponent.
fn digits(value: f32, count: i32) -> String {
    let magnitude = value.abs().max(1e-9).log10().floor() as i32;
    if !(-5..7).contains(&magnitude) {
        return if value == 0.0 { "0".into() } else { format!("{value:.2e}") };
    }
    let text = format!("{value:.*}", usize::try_from(count - 1 - magnitude).unwrap_or_default());
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// Suggests a scale if the size of the result is implausible; `None` if it is plausible.
pub(super) fn scale_hint(size: Vec3, source: &Space, target: Target, scale: f32) -> Option<String> {
    #[cfg(feature = "carriers")]
    if target == Target::Usda {
        // The file states the usual size of its unit.
        return None;
    }
    let (space, unit) = space(target);
    let meters = space.usual_meters()?;
    let largest = size.max_element();
    let expected = if source.usual_meters().is_some() { PLAUSIBLE } else { POSSIBLE };
    if largest <= 0.0 || expected.contains(&(largest * meters)) {
        return None;
    }
    let (better, why) = match source.usual_meters() {
        Some(from) => (from / meters, from.recip()),
        // If the unit is unknown, the power of ten that makes the size half a meter to five meters.
        None => (scale * 10f32.powf((5.0 / (largest * meters)).log10().floor()), 0.0),
    };
    if (better / scale - 1.0).abs() < 0.05 {
        return None;
    }
    let made = largest * better / scale;
    // If the usual unit would make the size less plausible, it is not suggested.
    let distance = |size: f32| {
        let size = size * meters;
        (expected.start() / size).max(size / expected.end())
    };
    if !made.is_finite() || distance(made) >= distance(largest) {
        return None;
    }
    let shown = number(made);
    let reason = match () {
        () if source.usual_meters() == space.usual_meters() => String::new(),
        () if *source == Space::MD3 => " (a unit of MD3 is about an inch)".into(),
        () if *source == Space::UNREAL => format!(" (about {} units of Unreal are one meter)", number(why)),
        () if *source == Space::U3D => String::new(),
        () => format!(" (about {} units are one meter)", digits(better, 4)),
    };
    let large = number(largest);
    Some(format!(
        "the result measures {large} {unit}: --scale {} makes it {shown} {unit}{reason}",
        digits(better, 4)
    ))
}

/// A note on clips that are written and whose frame rate was assumed; `None` if there are none or the target does not
/// store rates.
pub(super) fn assumed_rates(arguments: &Convert, model: &Model<'_>, target: Target) -> Option<String> {
    // Options that select frames are for glTF only.
    let is_written = |clip: &Clip| match (arguments.frames, &arguments.clip, arguments.frame) {
        _ if !matches!(target, Target::Glb | Target::Gltf) => true,
        (Some((first, last)), ..) => clip.first <= last && first < clip.first.saturating_add(clip.count),
        (_, Some(name), _) => clip.name.eq_ignore_ascii_case(name),
        (_, _, frame) => frame.is_none(),
    };
    if !target.takes_scenes() && target != Target::Unreal {
        return None;
    }
    let clips = model.clips.iter().filter(|clip| clip.is_rate_assumed && clip.count > 1 && is_written(clip));
    let mut known = HashSet::new();
    let assumed: Vec<&str> =
        clips.map(|clip| clip.name.as_str()).filter(|name| known.insert(*name)).collect();
    let which = match assumed.as_slice() {
        [] => return None,
        [name] => format!("clip {name}"),
        [first, ..] => format!("{} clips, starting with {first}", assumed.len()),
    };
    Some(format!(
        "{which}: no file states the rate; {DEFAULT_RATE} frames per second are assumed (--fps sets it)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        let texts = [54.0, 1.25, 0.02344, 1234.4, 0.0, 1e9].map(number);
        assert_eq!(texts, ["54", "1.25", "0.0234", "1234", "0", "1.00e9"]);
        assert_eq!(size_text(Vec3::new(0.5, 1.8, 0.25), Target::Glb), "0.5 x 1.8 x 0.25 m");
        assert_eq!(size_text(Vec3::new(24.0, 56.0, 12.5), Target::Md3), "24 x 56 x 12.5 units");
    }

    #[test]
    fn a_scale_is_suggested_for_giants_and_dwarfs() {
        let hint = |height: f32, source: Space, target, scale| {
            scale_hint(Vec3::new(1.0, height, 1.0), &source, target, scale)
        };
        assert_eq!(
            hint(54.0, Space::MD3, Target::Glb, 1.0).as_deref(),
            Some("the result measures 54 m: --scale 0.0254 makes it 1.37 m (a unit of MD3 is about an inch)")
        );
        assert_eq!(hint(1.37, Space::MD3, Target::Glb, 0.0254), None);
        // The usual unit would make it even smaller.
        assert_eq!(scale_hint(Vec3::splat(0.02), &Space::UNREAL, Target::Glb, 1.0), None);
        assert_eq!(hint(f32::INFINITY, Space::MD3, Target::Glb, 1.0), None);
        assert_eq!(
            hint(1.8, Space::GLTF, Target::Md3, 1.0).as_deref(),
            Some(
                "the result measures 1.8 units: --scale 39.37 makes it 70.9 units (about 39.37 units are one meter)"
            )
        );
        let unreal = hint(80.0, Space::UNREAL, Target::Glb, 1.0).unwrap();
        assert!(unreal.contains("--scale 0.01905 makes it 1.52 m"), "{unreal}");
        // The unit of Ultimate 3D is not documented.
        let unknown = hint(54.0, Space::U3D, Target::Glb, 1.0).unwrap();
        assert_eq!(unknown, "the result measures 54 m: --scale 0.01 makes it 0.54 m");
        // There is no hint if both sides use meters, because large buildings exist, or if the target has no unit.
        assert_eq!(hint(54.0, Space::UNIGINE, Target::Glb, 1.0), None);
        assert_eq!(hint(54.0, Space::MD3, Target::U3d, 1.0), None);
        assert_eq!(hint(54.0, Space::MD3, Target::Md3, 1.0), None);
    }
}
