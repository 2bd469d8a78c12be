//! The geometry of surfaces, stored or unpacked.

use meshlens_lens::encoding::{F32, IndexU8, IndexU16, U32};
use meshlens_unigine::encoding::{
    UnigineTangent, UnigineTangentFrame, UnigineTangentFrameMs10, UnigineTangentMs10,
};
use meshlens_unigine::{Geometry, Influence, Welded, Welder, lens::TangentFrame};

use super::{checked, lens};

/// Lenses of unpacked geometry refer to the buffer with the unpacked bytes.
pub(super) fn shape(geometry: &Geometry<'_>, bytes: &[u8]) {
    let in_file = |lens_check: &dyn Fn(&[u8])| {
        if !geometry.is_unpacked() {
            lens_check(bytes);
        }
    };
    in_file(&|bytes| {
        lens(geometry.positions(), bytes);
        lens(geometry.texcoords(0).expect("a set"), bytes);
        lens(geometry.texcoords(1).expect("a set"), bytes);
        lens(geometry.colors(), bytes);
    });
    assert!(geometry.texcoords(2).is_err());
    for array in geometry.arrays() {
        assert!(!array.lens.is_empty() && array.mesh == geometry.surface());
    }
    let mut count = 0;
    for target in geometry.targets() {
        count += 1;
        let mut frames = vec![TangentFrame::default(); target.tangents.len()];
        target.tangent_frames.decode_into(&mut frames).expect("one frame per tangent space");
        for (index, frame) in frames.iter().enumerate().take(8) {
            assert_eq!(target.tangent_frames.get(index), Some(*frame));
        }
        assert_eq!(target.tangents.len(), frames.len());
        in_file(&|bytes| {
            lens(target.positions, bytes);
            match target.tangents.downcast::<UnigineTangent>() {
                Some(quaternions) => lens(quaternions, bytes),
                None => lens(target.tangents.downcast::<UnigineTangentMs10>().expect("ms10"), bytes),
            }
            match target.tangent_frames.downcast::<UnigineTangentFrame>() {
                Some(frames) => lens(frames, bytes),
                None => {
                    lens(target.tangent_frames.downcast::<UnigineTangentFrameMs10>().expect("ms10"), bytes)
                }
            }
        });
    }
    assert_eq!(count, geometry.target_count());
    assert!(geometry.target(geometry.target_count()).is_none());
    let weights = geometry.weights();
    let mut influences = vec![Influence::default(); weights.len()];
    weights.decode_into(&mut influences).expect("one influence per record");
    assert!(influences.iter().all(|influence| influence.count <= 4));
    let index = geometry.weights().index();
    assert_eq!((index.len(), index.get(index.len())), (influences.len(), None));
    for (at, influence) in influences.iter().enumerate().step_by(7).take(40) {
        assert_eq!(index.get(at), Some(*influence));
    }
    for indices in [geometry.coordinate_indices(), geometry.triangle_indices()] {
        let mut out = vec![0; indices.len()];
        indices.decode_into(&mut out).expect("one number per index");
        assert!(
            indices.iter().eq(out.iter().copied())
                && indices.as_any().max_index() == Ok(out.iter().copied().max())
        );
        in_file(&|bytes| match indices.stride() {
            1 => lens(indices.downcast::<IndexU8<1>>().expect("bytes"), bytes),
            2 => lens(indices.downcast::<IndexU16<1>>().expect("16 bits"), bytes),
            _ => lens(indices.downcast::<U32<1>>().expect("32 bits"), bytes),
        });
    }
}

pub(super) fn drawing(
    geometry: &Geometry<'_>,
    welder: &mut Welder,
    welded: &mut Welded,
    matrices: &[[[f32; 4]; 4]],
    bytes: &[u8],
) {
    let mut positions = vec![[0.0; 3]; geometry.vertex_count()];
    checked(geometry.morph_positions_into(&[0.5, -1.0], &mut positions), bytes);
    checked(geometry.skin_positions_into(matrices, &mut positions), bytes);
    if checked(welder.weld_into(geometry, welded), bytes).is_none() {
        return assert!(geometry.checked_indices().is_err());
    }
    let (coordinates, triangles) = geometry.checked_indices().expect("welding checks the indices");
    assert_eq!(welded.indices.len(), coordinates.len());
    let mut next = 0;
    for (corner, vertex) in welded.indices.iter().enumerate() {
        let pair = welded.vertices[*vertex as usize];
        assert_eq!(
            (Some(pair.coordinate), Some(pair.triangle)),
            (coordinates.get(corner), triangles.get(corner))
        );
        assert!(*vertex <= next, "vertices are numbered as corners first use them");
        next += u32::from(*vertex == next);
    }
    assert_eq!(next as usize, welded.vertices.len());
    let unique: std::collections::BTreeSet<_> =
        welded.vertices.iter().map(|vertex| (vertex.coordinate, vertex.triangle)).collect();
    assert_eq!(unique.len(), welded.vertices.len(), "two vertices are the same");

    let count = welded.vertices.len();
    let (mut positions, mut frames) = (vec![[0.0; 3]; count], vec![TangentFrame::default(); count]);
    welded.positions_into(geometry.positions(), &mut positions).expect("every index was checked");
    welded.frames_into(geometry.tangent_frames(), &mut frames).expect("every index was checked");
    let mut texcoords = vec![[0.0; 2]; count];
    let texcoord_lens = geometry.texcoords(0).expect("a set");
    let has_all = texcoord_lens.len() >= geometry.tangent_count();
    let gathered = welded.attributes_into::<F32<2>>(texcoord_lens, &mut texcoords);
    assert!(gathered.is_ok() || !has_all);
    let influences: Vec<Influence> = geometry.weights().collect();
    let skinned = geometry.skin_vertices_into(matrices, &influences, welded, &mut positions, &mut frames);
    checked(skinned, bytes);
}
