//! Pictures as sixel graphics (VT330/VT340 Programmer Reference Manual, volume 2, chapter 14): a palette of up to 256
//! colors, and bands of six rows, in which each color has a run-length encoded line.

use std::collections::HashMap;
use std::fmt::Write as _;

use meshlens_thumb::Picture;

/// The number of colors of the palette. Terminals with sixel graphics have at least as many registers.
const COLORS: usize = 256;

/// Encodes a picture. Pixels whose alpha is less than one half keep the background of the terminal.
pub(super) fn encode(picture: &Picture) -> String {
    let (palette, index_of) = palette(picture);
    // P2 = 1: pixels that are not set keep their color. Raster attributes: square pixels, width and height.
    let mut text = format!("\x1bP0;1;0q\"1;1;{};{}", picture.width, picture.height);
    for (index, color) in palette.iter().enumerate() {
        // Colors are percentages.
        let [r, g, b] = color.map(|channel| (u32::from(channel) * 100 + 127) / 255);
        // Writing to a string does not fail.
        let _ = write!(text, "#{index};2;{r};{g};{b}");
    }
    let mut lines: Vec<Vec<u8>> = vec![Vec::new(); palette.len()];
    for top in (0..picture.height).step_by(6) {
        for (row, bit) in (top..picture.height.min(top + 6)).zip(0..6u32) {
            for column in 0..picture.width {
                let color = picture.pixel(column, row).filter(is_opaque);
                let index = color.and_then(|color| index_of.get(&bin(&color)));
                let Some(line) = index.and_then(|index| lines.get_mut(*index)) else { continue };
                line.resize(picture.width as usize, 0);
                if let Some(sixel) = line.get_mut(column as usize) {
                    *sixel |= 1 << bit;
                }
            }
        }
        let used = lines.iter_mut().enumerate().filter(|(_, line)| !line.is_empty());
        for (place, (index, line)) in used.enumerate() {
            // $ returns to the start of the band.
            let _ = write!(text, "{}#{index}", if place == 0 { "" } else { "$" });
            for run in line.chunk_by(|a, b| a == b) {
                let sixel = char::from(b'?' + run.first().unwrap_or(&0));
                match run.len() {
                    // "!4x" is as long as three characters.
                    1..=3 => text.extend(run.iter().map(|_| sixel)),
                    count => _ = write!(text, "!{count}{sixel}"),
                }
            }
            line.clear();
        }
        text.push('-');
    }
    text + "\x1b\\"
}

fn is_opaque(color: &[u8; 4]) -> bool {
    color[3] >= 128
}

/// A color with five bits in each channel.
fn bin([r, g, b, _]: &[u8; 4]) -> [u8; 3] {
    [r >> 3, g >> 3, b >> 3]
}

/// The pixels of one bin: their number, and the sums of their channels.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    channels: [u64; 3],
}

/// The palette, and the index in it of each bin: median cut over the bins of the opaque pixels.
fn palette(picture: &Picture) -> (Vec<[u8; 3]>, HashMap<[u8; 3], usize>) {
    let mut sums: HashMap<[u8; 3], Sum> = HashMap::new();
    for color in picture.rgba.as_chunks().0.iter().filter(|color| is_opaque(color)) {
        let sum = sums.entry(bin(color)).or_default();
        sum.count += 1;
        for (sum, channel) in sum.channels.iter_mut().zip(color) {
            *sum += u64::from(*channel);
        }
    }
    let mut bins: Vec<([u8; 3], Sum)> = sums.into_iter().collect();
    // The order of a map is random.
    bins.sort_unstable_by_key(|(bin, _)| *bin);
    let mut boxes = vec![bins];
    while boxes.len() < COLORS {
        // The box with the most pixels on its longest side is cut.
        let weighed = boxes.iter().enumerate().map(|(index, bins)| (weight(bins), index));
        let Some((weight, index)) = weighed.max() else { break };
        if weight == 0 {
            break;
        }
        let Some(bins) = boxes.get_mut(index) else { break };
        let upper = cut(bins);
        boxes.push(upper);
    }
    let mut index_of = HashMap::new();
    let mut colors = Vec::new();
    for bins in boxes.iter().filter(|bins| !bins.is_empty()) {
        let mut all = Sum::default();
        for (bin, sum) in bins {
            index_of.insert(*bin, colors.len());
            all.count += sum.count;
            for (all, sum) in all.channels.iter_mut().zip(sum.channels) {
                *all += sum;
            }
        }
        colors.push(all.channels.map(|sum| ((sum + all.count / 2) / all.count.max(1)) as u8));
    }
    (colors, index_of)
}

/// The longest side of a box: the channel, and the difference of its ends.
fn longest(bins: &[([u8; 3], Sum)]) -> (usize, u8) {
    let side = |channel: usize| {
        let values = bins.iter().map(|(bin, _)| bin[channel]);
        (channel, values.clone().max().unwrap_or(0) - values.min().unwrap_or(0))
    };
    [side(0), side(1), side(2)].into_iter().max_by_key(|(_, side)| *side).unwrap_or((0, 0))
}

fn weight(bins: &[([u8; 3], Sum)]) -> u64 {
    bins.iter().map(|(_, sum)| sum.count).sum::<u64>() * u64::from(longest(bins).1)
}

/// Cuts a box at the median of its longest side. Returns the upper part; neither is empty if the side is not 0.
fn cut(bins: &mut Vec<([u8; 3], Sum)>) -> Vec<([u8; 3], Sum)> {
    let (channel, _) = longest(bins);
    bins.sort_by_key(|(bin, _)| bin[channel]);
    let half = bins.iter().map(|(_, sum)| sum.count).sum::<u64>() / 2;
    let mut below = 0;
    let median = bins.iter().position(|(_, sum)| {
        below += sum.count;
        below > half
    });
    // Bins are at least one in each part.
    bins.split_off(median.unwrap_or(0).clamp(1, bins.len().saturating_sub(1).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pixels of sixel graphics, red, green, blue and alpha.
    fn decode(text: &str) -> (usize, usize, Vec<[u8; 4]>) {
        let body = text.strip_prefix("\x1bP0;1;0q\"1;1;").unwrap().strip_suffix("\x1b\\").unwrap();
        let numbers_end = body.find('#').unwrap_or(body.len());
        let (width, height) = body[..numbers_end].split_once(';').unwrap();
        let height = height.trim_end_matches('-');
        let (width, height): (usize, usize) = (width.parse().unwrap(), height.parse().unwrap());
        let mut pixels = vec![[0; 4]; width * height];
        let mut colors: HashMap<u32, [u8; 4]> = HashMap::new();
        let (mut x, mut top, mut color, mut repeat) = (0, 0, [0; 4], 1);
        let mut rest = &body[numbers_end..];
        while let Some(c) = rest.chars().next() {
            rest = &rest[1..];
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(rest.len());
            match c {
                '#' => {
                    let numbers: Vec<u32> = rest[..end].split(';').map(|n| n.parse().unwrap()).collect();
                    if let [index, 2, r, g, b] = numbers[..] {
                        colors.insert(index, [r, g, b, 100].map(|n| ((n * 255 + 50) / 100) as u8));
                    } else {
                        color = colors[&numbers[0]];
                    }
                    rest = &rest[end..];
                }
                '!' => {
                    repeat = rest[..end].parse().unwrap();
                    rest = &rest[end..];
                }
                '$' => x = 0,
                '-' => (x, top) = (0, top + 6),
                '?'..='~' => {
                    for _ in 0..std::mem::replace(&mut repeat, 1) {
                        for bit in (0..6).filter(|bit| (c as u8 - b'?') & (1 << bit) != 0) {
                            pixels[(top + bit) * width + x] = color;
                        }
                        x += 1;
                    }
                    assert!(x <= width);
                }
                c => panic!("{c:?} is not sixel graphics"),
            }
        }
        (width, height, pixels)
    }

    #[test]
    fn runs_bands_and_colors() {
        // Five red pixels above seven rows. Only the last of these is set, to blue.
        let mut rgba = [255, 0, 0, 255].repeat(5);
        rgba.extend([9; 4].repeat(5 * 5));
        rgba.extend([0, 0, 255, 128].repeat(5));
        let picture = Picture { width: 5, height: 7, rgba };
        let expected = "\x1bP0;1;0q\"1;1;5;7#0;2;100;0;0#1;2;0;0;100#0!5@-#1!5@-\x1b\\";
        assert_eq!(encode(&picture), expected);
    }

    #[test]
    fn nothing_is_drawn_of_a_transparent_picture() {
        let picture = Picture { width: 2, height: 1, rgba: vec![0; 8] };
        assert_eq!(encode(&picture), "\x1bP0;1;0q\"1;1;2;1-\x1b\\");
        assert_eq!(decode(&encode(&picture)).2, [[0; 4]; 2]);
    }

    #[test]
    fn the_colors_of_a_gradient_are_near() {
        let (width, height) = (128u32, 64u32);
        let color = |at: u32| {
            [(at % width * 2) as u8, (at / width * 4) as u8, 77, if at.is_multiple_of(5) { 0 } else { 255 }]
        };
        let rgba: Vec<u8> = (0..width * height).flat_map(color).collect();
        let (w, h, pixels) = decode(&encode(&Picture { width, height, rgba: rgba.clone() }));
        assert_eq!((w, h), (128, 64));
        let mut worst = 0;
        for (found, expected) in pixels.iter().zip(rgba.as_chunks::<4>().0) {
            assert_eq!(found[3], expected[3]);
            if expected[3] > 0 {
                let far = found.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).max();
                worst = worst.max(far.unwrap_or(0));
            }
        }
        // 256 boxes over 256 by 256 colors: sides of 16.
        assert!(worst <= 16, "{worst}");
    }
}
