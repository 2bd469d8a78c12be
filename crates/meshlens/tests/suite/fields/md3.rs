use meshlens::Model;
use meshlens::md3::layout::Vertex;
use meshlens::md3::write::{Frame, Model as File, Surface, Tag, name};

use super::Fate::{Computed, Kept, Lost};
use super::{check, fields, seen};

/// Two frames of a triangle with a tag.
fn base() -> File {
    let mut file = File::new("flag").unwrap();
    let mut surface = Surface::new("cloth").unwrap();
    surface.add_shader("red").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for (frame, far) in [("a1", 8.0), ("a2", 4.0)] {
        file.frames.push(Frame::named(frame).unwrap());
        let points = [[0.0, 0.0, 0.0], [0.0, far, 0.0], [0.0, 0.0, 8.0]];
        surface.add_frame(&points, &[[1.0, 0.0, 0.0]; 3]).unwrap();
        let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        file.tags.push(Tag { name: name("tag_top").unwrap(), origin: [0.0; 3], axis });
    }
    file.tags_per_frame = 1;
    file.surfaces.push(surface);
    file.recompute_bounds();
    file
}

#[test]
fn every_field_is_kept_or_lost() {
    let mut changes = Vec::new();
    fields!(changes, File {
        name: [base, Kept, |file| file.name = name("banner").unwrap()];
        flags: [base, Lost("FLAGS_LOST"), |file| file.flags = 1];
        skin_count: [base, Computed, |file| file.skin_count = 1];
        wide_frames: [base, Computed, |file| file.wide_frames = true];
        frames: [base, Kept, |file| file.frames[1].name = name("a3").unwrap()];
        tags: [base, Kept, |file| file.tags[0].origin = [1.0; 3]];
        tags_per_frame: [base, Kept, |file| {
            file.tags_per_frame = 0;
            file.tags.clear();
        }];
        surfaces: [base, Kept, |file| file.surfaces.push(Surface::new("empty").unwrap())];
    });
    fields!(changes, Frame {
        name: [base, Kept, |file| file.frames[0].name = name("b1").unwrap()];
        bounds: [base, Lost("FRAME_BOUNDS_LOST"), |file| file.frames[0].bounds.max = [16.0; 3]];
        local_origin: [base, Lost("FRAME_BOUNDS_LOST"), |file| file.frames[1].local_origin = [16.0; 3]];
        radius: [base, Lost("FRAME_BOUNDS_LOST"), |file| file.frames[0].radius = 16.0];
    });
    fields!(changes, Tag {
        name: [base, Kept, |file| file.tags.iter_mut().for_each(|tag| tag.name[0] = b'T')],
            [base, Lost("TAG_NAME_LOST"), |file| file.tags[1].name = name("tag_low").unwrap()];
        origin: [base, Kept, |file| file.tags[1].origin = [1.0; 3]];
        axis: [base, Kept, |file| file.tags[1].axis[0] = [-1.0, 0.0, 0.0]];
    });
    fields!(changes, Surface {
        name: [base, Kept, |file| file.surfaces[0].name = name("rope").unwrap()];
        flags: [base, Lost("FLAGS_LOST"), |file| file.surfaces[0].flags = 1];
        frame_count: [base, Kept, |file| {
            file.surfaces[0].frame_count = 1;
            file.surfaces[0].vertices.truncate(3);
        }];
        shaders: [base, Kept, |file| file.surfaces[0].shaders[0].0 = name("blue").unwrap()],
            [base, Lost("SHADER_LOST"), |file| file.surfaces[0].add_shader("blue").unwrap()],
            // The index of a shader has a meaning only in a running engine.
            [base, Computed, |file| file.surfaces[0].shaders[0].1 = 1];
        triangles: [base, Kept, |file| file.surfaces[0].triangles.push([0, 2, 1])];
        texcoords: [base, Kept, |file| file.surfaces[0].texcoords[0] = [0.5; 2]];
        vertices: [base, Kept, |file| file.surfaces[0].vertices[0].coord = [64; 3]];
    });
    fields!(changes, Vertex {
        coord: [base, Kept, |file| file.surfaces[0].vertices[5].coord[0] += 1];
        normal: [base, Kept, |file| file.surfaces[0].vertices[5].normal = [9; 2]];
    });
    check(changes, |file| {
        let bytes = file.write().unwrap();
        let seen = seen(&Model::parse(&bytes).unwrap());
        (bytes, seen)
    });
}
