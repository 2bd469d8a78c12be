//! Playing, sampling, binding and skinning, with numbers that can be checked by hand.

use glam::Mat4;
use meshlens_unigine::layout::{ROTATION, SCALE, TRANSLATION};
use meshlens_unigine::write::{Anim, Animation, Bone, Model, Surface};
use meshlens_unigine::{
    Anim as AnimFile, Binding, Corner, FRAME_BLOCK, Influence, Interpolation, Mesh as MeshFile, Transform,
    Version, Welder, lens::TangentFrame, skin_matrices_into,
};

const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

/// The identity matrix.
const STILL: [[f32; 4]; 4] = Mat4::IDENTITY.to_cols_array_2d();

/// A point transformed by a matrix.
fn point(matrix: &[[f32; 4]; 4], point: [f32; 3]) -> [f32; 3] {
    Mat4::from_cols_array_2d(matrix).transform_point3(point.into()).to_array()
}

fn at(z: f32) -> Transform {
    Transform { position: [0.0, 0.0, z], ..Transform::IDENTITY }
}

fn close(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
}

/// Bones at 1, 2 and 3 along Z of their parents in the bind pose. The last one is the root.
fn bones() -> Vec<Bone> {
    let mut bones = vec![
        Bone::new("tip", Some(1)).unwrap(),
        Bone::new("middle", Some(2)).unwrap(),
        Bone::new("root", None).unwrap(),
    ];
    for (bone, z) in bones.iter_mut().zip([1.0, 2.0, 3.0]) {
        bone.transform = at(z);
    }
    bones
}

fn file(version: Version, mask: u8, bones: &[i16], frames: &[Transform]) -> Vec<u8> {
    let mut anim = Anim::new(version);
    anim.bones = self::bones();
    anim.animations.push(Animation::new(version, "test", bones, mask, frames).unwrap());
    anim.write().unwrap()
}

#[test]
fn missing_components_come_from_the_previous_frame_or_the_bind_pose() {
    for version in [Version::An10, Version::An11] {
        let mask = if version == Version::An10 { TRANSLATION } else { 0b001 };
        let turned = Transform { rotation: [1.0, 0.0, 0.0, 0.0], ..at(8.0) };
        let bytes = file(version, mask, &[0, 2], &[turned, at(3.0), turned, at(4.0), turned, at(4.0)]);
        let anim = AnimFile::parse(&bytes).unwrap();
        let animation = anim.animation(0).unwrap();
        // The first bone does not move again, and the second bone moves once.
        let flags: Vec<u8> = animation.records().map(|record| record.flags).collect();
        let moved = if version == Version::An10 { 4 } else { 1 };
        assert_eq!(flags, [mask, mask, 0, moved, 0, 0]);
        let mut pose = [Transform::IDENTITY; 2];
        for (frame, z) in [(0, 3.0), (1, 4.0), (2, 4.0)] {
            animation.frame_into(frame, &mut pose).unwrap();
            assert!(close(pose[0].position, [0.0, 0.0, 8.0]) && close(pose[1].position, [0.0, 0.0, z]));
            assert_eq!(pose[0].rotation, [0.0, 0.0, 0.0, 1.0], "rotations are not in the mask");
        }
        assert!(animation.frame_into(0, &mut pose[..1]).is_err());
    }
}

#[test]
fn seeking_and_playing_result_in_the_same_frames() {
    let frames: Vec<Transform> = (0..3 * FRAME_BLOCK as i32 + 7)
        // Each bone only moves in a few frames, so most values of a frame are stored in much earlier frames.
        .flat_map(|frame| [at((frame / 50) as f32), at((frame % 70) as f32)])
        .collect();
    let bytes = file(Version::An11, 0b111, &[0, 1], &frames);
    let anim = AnimFile::parse(&bytes).unwrap();
    let animation = anim.animation(0).unwrap();
    let (mut sampler, mut pose) = (animation.sampler(), [Transform::IDENTITY; 2]);
    for (frame, wanted) in frames.chunks(2).enumerate() {
        assert_eq!(sampler.next().unwrap(), wanted);
        animation.frame_into(frame, &mut pose).unwrap();
        assert_eq!(pose, wanted, "frame {frame}");
    }
    assert_eq!(sampler.next(), None);
    for frame in [198, 0, 64, 63, 127, 128, 5, 191, 192] {
        assert_eq!(sampler.seek(frame).unwrap(), &frames[2 * frame..2 * frame + 2], "frame {frame}");
    }
}

#[test]
fn between_frames_poses_are_blended() {
    let quarter = Transform { rotation: [0.0, 0.0, HALF, HALF], ..at(4.0) };
    let bytes = file(Version::An11, 0b111, &[0], &[at(0.0), quarter, at(8.0)]);
    let anim = AnimFile::parse(&bytes).unwrap();
    let mut sampler = anim.animation(0).unwrap().sampler();
    let mut z = |frame: f32| sampler.sample(frame, Interpolation::Normalized).unwrap()[0].position[2];
    assert_eq!([0.25, 0.75, 1.5, 1.0, 0.25].map(&mut z), [1.0, 3.0, 6.0, 4.0, 1.0]);
    assert_eq!([-3.0, 2.0, 2.5, f32::INFINITY, f32::NAN].map(&mut z), [0.0, 8.0, 8.0, 8.0, 0.0]);
    let third = sampler.sample(1.0 / 3.0, Interpolation::Spherical).unwrap()[0].rotation;
    let angle = core::f32::consts::PI / 12.0;
    assert!((third[2] - angle.sin()).abs() < 1e-6 && (third[3] - angle.cos()).abs() < 1e-6, "{third:?}");

    let bytes = file(Version::An11, 0b111, &[0], &[]);
    let anim = AnimFile::parse(&bytes).unwrap();
    let mut sampler = anim.animation(0).unwrap().sampler();
    assert_eq!(sampler.pose(), [at(1.0)], "before the first frame, the bind pose");
    assert_eq!(sampler.sample(0.0, Interpolation::Normalized).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
}

#[test]
fn world_poses_do_not_depend_on_the_order_of_bones() {
    let mut mesh = Model::new(Version::Ms11);
    mesh.bones = bones();
    mesh.bones[2].transform.rotation = [0.0, HALF, 0.0, HALF];
    mesh.bones[2].transform.scale = [1.0, 1.0, 2.0];
    let bytes = mesh.write().unwrap();
    let mesh = MeshFile::parse(&bytes).unwrap();
    let skeleton = mesh.skeleton();
    assert_eq!(skeleton.parents_first(), [2, 1, 0]);
    let (mut local, mut world) = ([Transform::IDENTITY; 3], [STILL; 3]);
    skeleton.bind_pose_into(&mut local).unwrap();
    skeleton.world_into(&local, &mut world).unwrap();
    // The root maps Z to X and scales by 2: the bones at 2 and 1 along Z are at 4 and 6 along X, at a height of 3.
    let places = world.map(|matrix| point(&matrix, [0.0; 3]));
    assert!(close(places[1], [4.0, 0.0, 3.0]) && close(places[0], [6.0, 0.0, 3.0]), "{places:?}");
    assert!(skeleton.world_into(&local[..2], &mut world).is_err());
    let mut inverse = [STILL; 3];
    skeleton.inverse_bind_into(&mut inverse).unwrap();
    assert!(close(point(&inverse[0], [6.0, 0.0, 3.0]), [0.0; 3]));
}

#[test]
fn bones_bind_by_name_and_mismatches_are_reported() {
    let mut mesh = Model::new(Version::Ms11);
    mesh.bones = vec![
        Bone::new("root", None).unwrap(),
        Bone::new("tip", Some(0)).unwrap(),
        Bone::new("lamp", Some(0)).unwrap(),
        Bone::new("root", Some(2)).unwrap(),
    ];
    let mesh_bytes = mesh.write().unwrap();
    let mesh = MeshFile::parse(&mesh_bytes).unwrap();
    let bytes = file(Version::An11, 0b001, &[0, 1, 2], &[at(10.0), at(20.0), at(30.0)]);
    let anim = AnimFile::parse(&bytes).unwrap();

    let binding = Binding::by_name(mesh.skeleton(), anim.skeleton());
    let mismatches = binding.mismatches();
    assert_eq!(mismatches.missing_in_mesh, [1], "middle");
    assert_eq!(mismatches.missing_in_animation, [2, 3], "lamp and the second root");
    assert_eq!(mismatches.other_parent, [0], "tip hangs on middle there");
    assert!(mismatches.same_name.is_empty() && !mismatches.is_empty());
    assert_eq!([0, 1, 2, 3].map(|bone| binding.mesh_bone(bone)), [Some(1), None, Some(0), None]);

    let animation = anim.animation(0).unwrap();
    let mut pose = [Transform::IDENTITY; 4];
    let mut sampler = animation.sampler();
    binding.apply_pose(&animation, sampler.next().unwrap(), &mut pose).unwrap();
    assert_eq!(pose.map(|transform| transform.position[2]), [30.0, 10.0, 0.0, 0.0]);
    assert!(binding.apply_pose(&animation, &[], &mut pose).is_err());
    assert!(Binding::by_name(anim.skeleton(), anim.skeleton()).mismatches().is_empty());
}

/// A quad of two triangles that share a diagonal. Its left side is bound to bone 0, and its right side to both bones.
fn quad() -> Vec<u8> {
    let mut mesh = Model::new(Version::Ms11);
    mesh.bones = vec![Bone::new("a", None).unwrap(), Bone::new("b", None).unwrap()];
    mesh.bones[1].transform.position = [1.0, 0.0, 0.0];
    let mut surface = Surface::new("quad").unwrap();
    surface.targets[0].positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    surface.targets[0].add_tangents(Version::Ms11, &[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, -1.0]]);
    let both = Influence { count: 2, bones: [0, 1, 0, 0], weights: [32767, 32767, 0, 0] };
    let one = Influence { count: 1, bones: [0; 4], weights: [65535, 0, 0, 0] };
    surface.weights = vec![one, both, both, one];
    surface.add_triangle([[0, 0], [1, 0], [2, 0]]);
    surface.add_triangle([[0, 0], [2, 0], [3, 1]]);
    surface.add_triangle([[0, 1], [2, 0], [3, 1]]);
    mesh.surfaces.push(surface);
    mesh.write().unwrap()
}

#[test]
fn equal_corners_become_one_vertex() {
    let bytes = quad();
    let mesh = MeshFile::parse(&bytes).unwrap();
    let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
    let welded = Welder::default().weld(&geometry).unwrap();
    let corner = |coordinate, triangle| Corner { coordinate, triangle };
    assert_eq!(welded.vertices, [corner(0, 0), corner(1, 0), corner(2, 0), corner(3, 1), corner(0, 1)]);
    assert_eq!(welded.indices, [0, 1, 2, 0, 2, 3, 4, 2, 3]);
    let mut frames = vec![TangentFrame::default(); 5];
    welded.frames_into(geometry.tangent_frames(), &mut frames).unwrap();
    assert_eq!([0, 3, 4].map(|vertex: usize| frames[vertex].binormal[1]), [1.0, -1.0, -1.0]);
    let mut texcoords = vec![[0.0; 2]; 5];
    let error = welded.attributes_into(geometry.texcoords(0).unwrap(), &mut texcoords).unwrap_err();
    assert_eq!(error.code(), "INDEX_OUT_OF_RANGE", "the surface has none");
    assert!(welded.positions_into(geometry.positions(), &mut [[0.0; 3]; 4]).is_err());
}

#[test]
fn vertices_are_moved_by_their_bones_and_weights() {
    let bytes = quad();
    let mesh = MeshFile::parse(&bytes).unwrap();
    let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
    let skeleton = mesh.skeleton();
    let mut inverse = [STILL; 2];
    skeleton.inverse_bind_into(&mut inverse).unwrap();
    // Bone b moves up by 4 from its bind pose and rotates by 90 degrees around X: Z is mapped to -Y.
    let turned = Transform { position: [1.0, 0.0, 4.0], rotation: [HALF, 0.0, 0.0, HALF], scale: [1.0; 3] };
    let (mut world, mut matrices) = ([STILL; 2], [STILL; 2]);
    skeleton.world_into(&[Transform::IDENTITY, turned], &mut world).unwrap();
    skin_matrices_into(&world, &inverse, &mut matrices);

    let mut positions = [[0.0; 3]; 4];
    geometry.skin_positions_into(&matrices, &mut positions).unwrap();
    // Half of (1, 1, 0), and half of its position after b, (1, 0, 5).
    let wanted = [[0.0, 0.0, 0.0], [1.0, 0.0, 2.0], [1.0, 0.5, 2.5], [0.0, 1.0, 0.0]];
    assert!(positions.iter().zip(wanted).all(|(found, wanted)| close(*found, wanted)), "{positions:?}");

    let welded = Welder::default().weld(&geometry).unwrap();
    let influences: Vec<Influence> = geometry.weights().collect();
    let (mut skinned, mut frames) = (vec![[0.0; 3]; 5], vec![TangentFrame::default(); 5]);
    geometry.skin_vertices_into(&matrices, &influences, &welded, &mut skinned, &mut frames).unwrap();
    assert!(skinned.iter().zip([0, 1, 2, 3, 0]).all(|(found, vertex)| close(*found, wanted[vertex])));
    assert!(close(frames[2].normal, [0.0, -HALF, HALF]), "{:?}", frames[2]);
    assert!(close(frames[0].normal, [0.0, 0.0, 1.0]) && close(frames[2].tangent, [1.0, 0.0, 0.0]));

    let error = geometry.skin_positions_into(&matrices[..1], &mut positions).unwrap_err();
    assert_eq!(error.to_string().split(" at ").next(), Some("unigine: surface 0: bone 1; there is 1 (0)"));
    assert!(geometry.skin_positions_into(&matrices, &mut positions[..3]).is_err());
    assert!(
        geometry.skin_vertices_into(&matrices, &influences[..3], &welded, &mut skinned, &mut frames).is_err()
    );
}

#[test]
fn the_bind_pose_does_not_move_vertices() {
    for (path, bytes) in meshlens_fixtures::corpus::with_extension(&[".mesh"]) {
        let mesh = MeshFile::parse(&bytes).unwrap();
        let skeleton = mesh.skeleton();
        let count = skeleton.len();
        let mut local = vec![Transform::IDENTITY; count];
        let [mut world, mut inverse, mut matrices] = [(); 3].map(|()| vec![STILL; count]);
        skeleton.bind_pose_into(&mut local).unwrap();
        skeleton.world_into(&local, &mut world).unwrap();
        skeleton.inverse_bind_into(&mut inverse).unwrap();
        skin_matrices_into(&world, &inverse, &mut matrices);
        let mut buffer = Vec::new();
        for surface in mesh.surfaces() {
            let geometry = surface.geometry(&mut buffer).unwrap();
            let mut positions = vec![[0.0; 3]; geometry.vertex_count()];
            geometry.skin_positions_into(&matrices, &mut positions).unwrap();
            for (found, stored) in positions.iter().zip(geometry.positions()) {
                assert!(close(*found, stored), "{path}: {found:?} {stored:?}");
            }
        }
    }
}

#[test]
fn morph_targets_are_read_again_at_their_locations() {
    let bytes = meshlens_fixtures::corpus::with_extension(&["morph.mesh"]).remove(0).1;
    let mesh = MeshFile::parse(&bytes).unwrap();
    let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
    let targets: Vec<_> = geometry.targets().collect();
    for target in targets.iter().rev() {
        let again = geometry.target_at(target.location()).unwrap();
        assert_eq!(
            (again.offset, again.name, again.location()),
            (target.offset, target.name, target.location())
        );
        assert!(again.positions.iter().eq(target.positions.iter()));
        assert!(again.tangents.iter().eq(target.tangents.iter()));
    }
}

#[test]
fn morph_targets_are_blended_by_their_distance() {
    let bytes = meshlens_fixtures::corpus::with_extension(&["morph.mesh"]).remove(0).1;
    let mesh = MeshFile::parse(&bytes).unwrap();
    let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
    let names: Vec<String> = geometry.targets().map(|target| target.name.to_string()).collect();
    assert_eq!(names, ["", "tall", "flat"]);
    // The first target, twice as tall, has a weight of 1, and the second, half as tall, has 0.5: 1 + 1 * (2 - 1) + 0.5
    // * (0.5 - 1) = 1.75.
    let mut out = vec![[0.0; 3]; geometry.vertex_count()];
    geometry.morph_positions_into(&[1.0, 0.5], &mut out).unwrap();
    for (found, [x, y, z]) in out.iter().zip(geometry.positions()) {
        assert!(close(*found, [x, y, z * 1.75]));
    }
}

#[test]
fn animations_among_many_are_found() {
    let mut anim = Anim::new(Version::An10);
    anim.bones = bones();
    for index in 0..100 {
        let frames = vec![at(index as f32); if index % 7 == 0 { 100 } else { index % 3 }];
        let mask = if index % 2 == 0 { ROTATION } else { SCALE };
        let animation = Animation::new(Version::An10, &format!("{index}"), &[0], mask, &frames).unwrap();
        anim.animations.push(animation);
    }
    let bytes = anim.write().unwrap();
    let parsed = AnimFile::parse(&bytes).unwrap();
    assert_eq!(parsed.animation_count(), 100);
    for index in (0..100).rev() {
        let animation = parsed.animation(index).unwrap();
        assert_eq!(animation.name(), index.to_string().as_str());
        assert_eq!(animation.frame_count(), if index % 7 == 0 { 100 } else { index % 3 });
        let mut pose = [Transform::IDENTITY];
        if let Some(last) = animation.frame_count().checked_sub(1) {
            animation.frame_into(last, &mut pose).unwrap();
            assert_eq!(pose[0].position, [0.0, 0.0, 1.0], "translations are in no mask");
        }
    }
}
