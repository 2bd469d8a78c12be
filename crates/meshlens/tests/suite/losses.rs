//! Losses of conversions by value.

use meshlens::model::Model;

use super::model::messages;

/// One triangle with two frames, whose values MD3 stores exactly.
fn flag(far: f32) -> Vec<u8> {
    use meshlens::md3::write;
    let mut file = write::Model::new("flag").unwrap();
    let mut surface = write::Surface::new("flag").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for name in ["wave1", "wave2"] {
        file.frames.push(write::Frame::named(name).unwrap());
        let points = [[0.0, 0.0, 0.0], [0.0, far, 0.0], [0.0, 0.0, 8.0]];
        surface.add_frame(&points, &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    file.surfaces.push(surface);
    file.recompute_bounds();
    file.write().unwrap()
}

#[test]
fn unchanged_values_are_not_a_loss() {
    let bytes = flag(8.0);
    let model = Model::parse(&bytes).unwrap();
    let (written, losses) = meshlens::model::export::to_md3(&model, "flag", 1.0).unwrap();
    // A rate that the file does not state is not lost, and precision that is not needed is not lost, either.
    assert_eq!(messages(&losses), [""; 0]);
    assert_eq!(Model::parse(&written).unwrap().frame_count(), 2);
}

#[test]
fn losses_state_how_many_values_changed_and_by_how_much() {
    let bytes = flag(8.0);
    let mut model = Model::parse(&bytes).unwrap();
    // 8 x 0.01 is 5.12 steps of 1/64, which is 0.12 / 64 away from the nearest step. Two points in two frames move by
    // this distance.
    let (_, losses) = meshlens::model::export::to_md3(&model, "flag", 0.01).unwrap();
    assert_eq!(messages(&losses), ["4 of 6 positions moved by up to 0.0019 units"]);
    let group = losses.groups().next().unwrap();
    assert_eq!((group.code.name, group.count), ("POSITION_ROUNDED", 4));
    // 8 x 100 is greater than 512 for two points in both frames.
    let (_, losses) = meshlens::model::export::to_md3(&model, "flag", 100.0).unwrap();
    assert_eq!(messages(&losses), ["4 positions outside -512 to 512 units, the range of MD3"]);
    // A rate is lost if it differs from the rate that readers assume.
    model.set_rate(15.0);
    let (_, losses) = meshlens::model::export::to_md3(&model, "flag", 1.0).unwrap();
    assert_eq!(messages(&losses), ["clip all: its 15 frames per second"]);
}
