//! Shapes to make models from, the same on every machine.

use core::f32::consts::TAU;

/// A triangle mesh with a single frame, in a right-handed space with Z up, with counter-clockwise triangles.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Positions, in any unit.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates; the origin is at the top left.
    pub texcoords: Vec<[f32; 2]>,
    /// Triangles with three vertex indices each, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// A torus around the Z axis. It has `(rings + 1) * (sides + 1)` vertices and `2 * rings * sides` triangles;
    /// vertices on the seams are duplicated for their texture coordinates.
    pub fn torus(radius: f32, thickness: f32, rings: u32, sides: u32) -> Shape {
        let mut shape = Shape::default();
        for ring in 0..=rings {
            for side in 0..=sides {
                let (u, v) = (ring as f32 / rings as f32, side as f32 / sides as f32);
                let (around, about) =
                    ((ring % rings) as f32 / rings as f32, (side % sides) as f32 / sides as f32);
                let (sin_around, cos_around) = (libm::sinf(TAU * around), libm::cosf(TAU * around));
                let (sin_about, cos_about) = (libm::sinf(TAU * about), libm::cosf(TAU * about));
                let reach = radius + thickness * cos_about;
                shape.positions.push([reach * cos_around, reach * sin_around, thickness * sin_about]);
                shape.normals.push([cos_about * cos_around, cos_about * sin_around, sin_about]);
                shape.texcoords.push([u, 1.0 - v]);
            }
        }
        shape.triangles = grid(rings, sides);
        shape
    }

    /// A box from `min` to `max` with a flat face on each side: 24 vertices, 12 triangles.
    pub fn cuboid(min: [f32; 3], max: [f32; 3]) -> Shape {
        let mut shape = Shape::default();
        for axis in 0..3 {
            for side in [-1.0f32, 1.0] {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let first = shape.positions.len() as u32;
                for (s, t) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                    let mut position = [0.0; 3];
                    position[axis] = if side < 0.0 { min[axis] } else { max[axis] };
                    position[u] = if s == 0 { min[u] } else { max[u] };
                    position[v] = if t == 0 { min[v] } else { max[v] };
                    let mut normal = [0.0; 3];
                    normal[axis] = side;
                    shape.positions.push(position);
                    shape.normals.push(normal);
                    shape.texcoords.push([s as f32, 1.0 - t as f32]);
                }
                for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                    let (b, c) = if side < 0.0 { (c, b) } else { (b, c) };
                    shape.triangles.push([first + a, first + b, first + c]);
                }
            }
        }
        shape
    }

    /// Reverses the winding of all triangles.
    #[must_use]
    pub fn flipped(mut self) -> Shape {
        for [_, b, c] in &mut self.triangles {
            core::mem::swap(b, c);
        }
        self
    }

    /// Appends another shape.
    #[must_use]
    pub fn joined(mut self, other: &Shape) -> Shape {
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.texcoords.extend(&other.texcoords);
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|index| index + first)));
        self
    }

    /// A figure of boxes that differs from its mirror image. It faces +X, its left is +Y, and it only has a left arm,
    /// which reaches to (0, 10, 14).
    pub fn one_armed() -> Shape {
        Shape::cuboid([-2.0, -3.0, 0.0], [2.0, 3.0, 16.0])
            .joined(&Shape::cuboid([-1.0, 3.0, 13.0], [1.0, 10.0, 15.0]))
            .joined(&Shape::cuboid([2.0, -1.0, 13.0], [3.0, 1.0, 14.0]))
    }

    /// Positions and normals, rotated around Z by `turns` full turns and translated by `offset`.
    pub fn turned(&self, turns: f32, offset: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
        let (sine, cosine) = (libm::sinf(TAU * turns), libm::cosf(TAU * turns));
        let turn = |[x, y, z]: [f32; 3]| [cosine * x - sine * y, sine * x + cosine * y, z];
        let moved = |point: [f32; 3]| {
            let [x, y, z] = turn(point);
            [x + offset[0], y + offset[1], z + offset[2]]
        };
        (self.positions.iter().map(|p| moved(*p)).collect(), self.normals.iter().map(|n| turn(*n)).collect())
    }
}

/// The triangles of a grid of vertices, which are numbered row by row. It has `columns + 1` vertices in each of `rows + 1` rows.
pub(crate) fn grid(rows: u32, columns: u32) -> Vec<[u32; 3]> {
    let square = |row: u32, column: u32| {
        let a = row * (columns + 1) + column;
        let b = a + columns + 1;
        [[a, b, b + 1], [a, b + 1, a + 1]]
    };
    (0..rows).flat_map(|row| (0..columns).flat_map(move |column| square(row, column))).collect()
}
