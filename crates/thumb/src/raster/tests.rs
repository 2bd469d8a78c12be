//! Coverage, culling and depth on canvases that can be counted by hand.

use super::*;
use crate::camera::{Camera, View};

/// A camera that sees x and y from -1 to 1 at `size` by `size` samples.
fn lens(size: u32) -> Lens {
    let camera = Camera::fit([[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]].into_iter(), View::Front, 1.0);
    Camera { half_height: 1.0, ..camera }.lens(size, size)
}

fn vertex([x, y, z]: [f32; 3]) -> Vertex {
    Vertex { position: [x, y, z], light: 1.0, texcoord: [0.0; 2], reflected: [0.5; 2], color: [1.0; 4] }
}

fn paint(color: [f32; 4]) -> Paint<'static> {
    Paint {
        texture: None,
        wrap: [Wrap::Repeat; 2],
        color,
        emissive: [0.0; 3],
        alpha: Alpha::Opaque,
        blend: TextureAlpha::Stored,
        nearest: false,
        is_environment: false,
        fill: 0.0,
        cutoff: 128,
        two_sided: false,
        unlit: false,
        has_colors: false,
        wire: None,
    }
}

/// Draws a triangle whose vertices have finite positions.
fn draw(
    band: &mut Band<'_>,
    lens: &Lens,
    corners: [&Vertex; 3],
    paint: &Paint<'_>,
) -> Result<(), TooMuchWork> {
    let corners = corners.map(|vertex| (vertex, ScreenVertex::new(lens, vertex.position).unwrap()));
    band.triangle(lens, corners, paint)
}

/// All rows of a canvas.
fn whole(canvas: &mut Canvas) -> Band<'_> {
    canvas.bands(1, 10_000).next().unwrap()
}

fn count(canvas: &Canvas, color: [u8; 4]) -> usize {
    canvas.colors.iter().filter(|found| **found == color).count()
}

#[test]
fn two_triangles_of_a_square_cover_each_sample_once() {
    let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(vertex);
    let mut canvas = Canvas::new(64, 64);
    let lens = lens(64);
    let half = Paint { alpha: Alpha::Blend, ..paint([1.0, 0.0, 0.0, 0.5]) };
    let [a, b, c, d] = &corners;
    // One band, two equal bands, and five bands, the last of which is shorter.
    for (count, rows) in [(1, 64), (2, 32), (5, 13)] {
        canvas.clear();
        let bands: Vec<_> = canvas.bands(count, 64 * rows).collect();
        assert_eq!(bands.len(), count);
        for (number, mut band) in bands.into_iter().enumerate() {
            draw(&mut band, &lens, [a, b, c], &half).unwrap();
            draw(&mut band, &lens, [a, c, d], &half).unwrap();
            if number == 0 {
                assert_eq!(band.work(), 0);
                assert_eq!(draw(&mut band, &lens, [a, b, c], &half), Err(TooMuchWork));
            }
        }
        // A sample that is covered twice would have a larger alpha.
        assert_eq!(self::count(&canvas, [128, 0, 0, 128]), 64 * 64);
    }
}

#[test]
fn half_a_square_covers_the_samples_below_the_diagonal() {
    let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]].map(vertex);
    let mut canvas = Canvas::new(10, 10);
    let [a, b, c] = &corners;
    draw(&mut whole(&mut canvas), &lens(10), [a, b, c], &paint([0.0, 1.0, 0.0, 1.0])).unwrap();
    // 45 samples are below the diagonal. The 10 samples on the diagonal would only count if it were a left edge.
    assert_eq!(count(&canvas, [0, 255, 0, 255]), 45);
    assert_eq!((canvas.colors[0], canvas.colors[90]), ([0; 4], [0, 255, 0, 255]));
}

#[test]
fn back_faces_are_left_out_and_near_surfaces_hide_far_ones() {
    let [a, b, c] = &[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(vertex);
    let [d, e, f] = &[[-1.0, -1.0, 0.5], [1.0, -1.0, 0.5], [0.0, 1.0, 0.5]].map(vertex);
    let (lens, mut canvas) = (lens(16), Canvas::new(16, 16));
    draw(&mut whole(&mut canvas), &lens, [a, c, b], &paint([1.0; 4])).unwrap();
    assert!(canvas.colors.iter().all(|color| *color == [0; 4]));
    let red = paint([1.0, 0.0, 0.0, 1.0]);
    let green = paint([0.0, 1.0, 0.0, 1.0]);
    draw(&mut whole(&mut canvas), &lens, [d, e, f], &red).unwrap();
    draw(&mut whole(&mut canvas), &lens, [a, b, c], &green).unwrap();
    assert_eq!(count(&canvas, [0, 255, 0, 255]), 0);
    assert_eq!(count(&canvas, [255, 0, 0, 255]), 128);
    // The back of a two-sided surface has the opposite normal, which faces away from the light.
    canvas.clear();
    draw(&mut whole(&mut canvas), &lens, [a, c, b], &Paint { two_sided: true, ..red }).unwrap();
    assert_eq!(count(&canvas, [89, 0, 0, 255]), 128);
    for position in [[f32::NAN, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0]] {
        assert_eq!(ScreenVertex::new(&lens, position), None);
    }
}
