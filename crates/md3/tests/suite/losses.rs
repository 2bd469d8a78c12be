//! Content that conversions do not preserve.

use meshlens_md3::{Md3, lens::Bounds, losses, write};
use meshlens_wire::Report;

/// The losses for a triangle from (4, 4, 4) to (8, 8, 4) whose frame has these bounds.
fn lost(min: [f32; 3], max: [f32; 3]) -> Vec<String> {
    let mut file = write::Model::new("m").unwrap();
    file.frames.push(write::Frame { bounds: Bounds { min, max }, ..write::Frame::named("idle").unwrap() });
    let mut surface = write::Surface::new("s").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords = vec![[0.0; 2]; 3];
    surface.add_frame(&[[4.0, 4.0, 4.0], [8.0, 4.0, 4.0], [4.0, 8.0, 4.0]], &[[0.0, 0.0, 1.0]; 3]).unwrap();
    file.surfaces.push(surface);
    let bytes = file.write().unwrap();
    let mut report = Report::default();
    losses(&Md3::parse(&bytes).unwrap(), &mut report);
    report.findings().map(|finding| finding.code.to_owned()).collect()
}

#[test]
fn only_enlarged_bounds_are_lost() {
    assert_eq!(lost([4.0; 3], [8.0, 8.0, 4.0]), [""; 0]);
    // Enlarged by less than a tenth of the largest side, which is not visible.
    assert_eq!(lost([3.7; 3], [8.3, 8.3, 4.3]), [""; 0]);
    // Bounds of exporters that include the origin.
    assert_eq!(lost([0.0; 3], [8.0, 8.0, 4.0]), [""; 0]);
    assert_eq!(lost([0.0; 3], [8.0, 8.0, 9.0]), ["FRAME_BOUNDS_LOST"]);
    assert_eq!(lost([-1.0, 0.0, 0.0], [8.0, 8.0, 4.0]), ["FRAME_BOUNDS_LOST"]);
}
