//! Findings about normals that do not fit the triangles, for every format that stores normals.

use alloc::vec::Vec;

use glam::DVec3;
use meshlens_wire::Report;

use crate::codes;
use crate::model::{Handedness, Mesh, Model, Winding};

/// The part of the surface whose normals point against the faces from which on all of them are wrong.
const MOST: f64 = 0.9;

/// What is wrong with the normals of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// All normals are equal, but the faces are not.
    Equal,
    /// The normals point to the back of the faces, and into what these enclose.
    Inwards,
    /// The normals point to the back of the faces, whose corners are in the wrong order.
    InsideOut,
}

/// What is wrong with the normals of a mesh in its first frame; `None` if nothing is, or if the mesh has no normals.
/// O(vertices + triangles).
pub(crate) fn fault(model: &Model<'_>, mesh: &Mesh<'_>) -> Option<Fault> {
    let is_front =
        (model.space.winding == Winding::CounterClockwise) == (model.space.handedness() == Handedness::Right);
    let mut normals = Vec::new();
    let Ok(true) = mesh.normals_into(0, &mut normals) else { return None };
    let found = Fit::of(mesh, &normals, is_front)?;
    if found.are_equal && found.faces_differ {
        Some(Fault::Equal)
    } else if found.against > MOST * found.area {
        Some(if found.volume > 0.0 { Fault::Inwards } else { Fault::InsideOut })
    } else {
        None
    }
}

/// Adds findings about the normals of the first frame. O(vertices + triangles).
pub(super) fn validate(model: &Model<'_>, report: &mut Report) {
    let list = if model.format.is_some_and(|format| format.name() == "u3d") { "meshes" } else { "surfaces" };
    for (index, mesh) in model.meshes.iter().enumerate() {
        let Some(fault) = fault(model, mesh) else { continue };
        let offset = mesh.normals(0).ok().flatten().map_or(0, |normals| normals.byte_range().start);
        let (pointer, name) = (format_args!("/{list}/{index}/normals"), &mesh.name);
        let what = match fault {
            Fault::Equal => {
                let count = mesh.normals(0).ok().flatten().map_or(0, |normals| normals.len());
                let message = format_args!("{name}: all {count} normals are equal, but the faces are not");
                report.add(&codes::NORMALS_EQUAL, offset, pointer, message);
                continue;
            }
            Fault::Inwards => "the normals point inwards",
            Fault::InsideOut => "the triangles are inside out",
        };
        let message = format_args!("{name}: normals point to the back of the faces: {what}");
        report.add(&codes::NORMALS_REVERSED, offset, pointer, message);
    }
}

/// How the normals of a mesh fit its faces.
struct Fit {
    are_equal: bool,
    faces_differ: bool,
    /// The area of all faces, and of the corners whose normals point to the back.
    area: f64,
    against: f64,
    /// The volume that the faces enclose. It is negative if a closed surface is inside out.
    volume: f64,
}

impl Fit {
    /// `None` if the mesh has no triangles with an area.
    fn of(mesh: &Mesh<'_>, normals: &[[f32; 3]], is_front: bool) -> Option<Fit> {
        let topology = mesh.topology().ok()?;
        let positions: Vec<[f32; 3]> = mesh.positions(0).ok()?.iter().collect();
        let (points, corners) = (topology.points(), topology.corners());
        let mapped = |map: Option<&[u32]>, vertex: u32| {
            map.map_or(Some(vertex), |map| map.get(vertex as usize).copied()).map(|index| index as usize)
        };
        let position = |vertex| Some(DVec3::from(positions.get(mapped(points, vertex)?)?.map(f64::from)));
        let normal = |vertex| Some(DVec3::from(normals.get(mapped(corners, vertex)?)?.map(f64::from)));
        let mut found = Fit { are_equal: true, faces_differ: false, area: 0.0, against: 0.0, volume: 0.0 };
        let mut first: Option<(DVec3, DVec3, DVec3)> = None;
        for triangle in topology.triangles() {
            let [Some(a), Some(b), Some(c)] = triangle.map(position) else { continue };
            let [Some(of_a), Some(of_b), Some(of_c)] = triangle.map(normal) else { continue };
            let normals = [of_a, of_b, of_c];
            let face = (b - a).cross(c - a) * if is_front { 1.0 } else { -1.0 };
            let area = face.length();
            if !(area > 0.0 && area.is_finite()) {
                continue;
            }
            let (place, one, direction) = *first.get_or_insert((a, of_a, face / area));
            found.faces_differ |= direction.dot(face / area) < MOST;
            found.are_equal &= normals.iter().all(|normal| one.distance_squared(*normal) < 1e-6);
            found.area += area;
            found.volume += (a - place).dot(face);
            let against = normals.iter().filter(|normal| normal.dot(face) < 0.0).count();
            found.against += area * against as f64 / 3.0;
        }
        first.map(|_| found)
    }
}
