//! UNIGINE meshes and animations, and their compact integers.

mod geometry;

use meshlens::{Document, Report, Severity};
use meshlens_unigine::{
    Anim, Animation, Binding, FRAME_BLOCK, GeometryPlace, Interpolation, Mesh, ParseOptions, Parts, Skeleton,
    Surface, Transform, Version, Welded, Welder, lens::AnyLens, skin_matrices_into, write,
};
use meshlens_wire::{Compact, ErrorKind, Limits};

use super::{checked, document, error, lens, parsed};
use geometry::{drawing, shape};

/// Checks a file of either kind.
pub fn unigine(bytes: &[u8]) {
    match Version::of(bytes) {
        Some(version) if !version.is_mesh() => unigine_anim(bytes),
        _ => unigine_mesh(bytes),
    }
}

/// Checks bytes as a `.mesh` file.
pub fn unigine_mesh(bytes: &[u8]) {
    let Some(mesh) = parsed(bytes, Mesh::parse) else { return };
    assert!(mesh.end() <= bytes.len() as u64 && mesh.version().is_mesh());
    let matrices = skeleton(mesh.skeleton(), bytes);
    for index in 0..mesh.animation_count() {
        let found = mesh.animation(index).expect("the animation is below the count");
        assert_eq!(found.index(), index);
        animation(&found, bytes);
    }
    assert!(mesh.animation(mesh.animation_count()).is_none());
    let (mut buffer, mut welder, mut welded) = (Vec::new(), Welder::default(), Welded::default());
    for surface in mesh.surfaces() {
        header(&mesh, &surface, bytes);
        match surface.geometry(&mut buffer) {
            Ok(geometry) => {
                assert_eq!(geometry.is_unpacked(), surface.is_packed());
                assert_eq!(geometry.vertex_count(), surface.vertex_count().min(geometry.vertex_count()));
                shape(&geometry, bytes);
                drawing(&geometry, &mut welder, &mut welded, &matrices, bytes);
            }
            Err(found) => {
                assert!(surface.is_packed(), "{found}");
                error(&found, bytes);
            }
        }
    }
    assert!(mesh.surface(mesh.surface_count()).is_none());
    prefixes_ask_for_more(bytes);
    assert!(Mesh::bind(mesh.parts(), bytes).is_ok() && Anim::bind(mesh.parts(), bytes).is_err());
    located(&mesh, bytes);
    if let Ok(model) = write::Model::try_from(&mesh) {
        rewrite(&model, write::Model::write, |bytes| {
            let mesh = Mesh::parse(bytes).expect("what was written parses");
            write::Model::try_from(&mesh).expect("and unpacks")
        });
    }
    let volumes = mesh.surfaces().map(|surface| surface.bounds()).chain([mesh.bounds()]);
    let broken = volumes.filter(|volume| !volume.is_finite()).count() as u64;
    let mut found = Report::with_capacity(0);
    meshlens_unigine::validate(&mesh, &mut found);
    assert!(found.count(Severity::Error) >= broken, "NaN bounds are not reported");
    // Dumping geometry that cannot be unpacked is an error.
    if mesh.surfaces().all(|surface| surface.geometry(&mut buffer).is_ok()) {
        document(&Document::UnigineMesh(mesh), bytes);
    }
}

/// Checks bytes as an `.anim` file.
pub fn unigine_anim(bytes: &[u8]) {
    let Some(anim) = parsed(bytes, Anim::parse) else { return };
    assert!(anim.end() <= bytes.len() as u64 && !anim.version().is_mesh());
    skeleton(anim.skeleton(), bytes);
    let mut local = vec![Transform::IDENTITY; anim.skeleton().len()];
    let binding = Binding::by_name(anim.skeleton(), anim.skeleton());
    assert!(binding.mismatches().missing_in_mesh.is_empty());
    for index in 0..anim.animation_count() {
        let found = anim.animation(index).expect("the animation is below the count");
        animation(&found, bytes);
        let pose = found.sampler().pose().to_vec();
        binding.apply_pose(&found, &pose, &mut local).expect("both poses are long enough");
    }
    assert!(anim.animation(anim.animation_count()).is_none());
    prefixes_ask_for_more(bytes);
    assert!(Anim::bind(anim.parts(), bytes).is_ok() && Mesh::bind(anim.parts(), bytes).is_err());
    let copy = |anim: &Anim<'_>| write::Anim::from(anim);
    rewrite(&copy(&anim), write::Anim::write, |bytes| {
        copy(&Anim::parse(bytes).expect("what was written parses"))
    });
    document(&Document::UnigineAnim(anim), bytes);
}

/// Decoding, encoding and decoding again returns the same value, and the number of bytes never increases.
pub fn compact_int(bytes: &[u8]) {
    let Some(read) = Compact::decode(bytes) else { return };
    assert!(bytes.starts_with(read.as_bytes()));
    let written = Compact::new(read.value()).expect("what can be read can be written");
    assert!(written.is_minimal() && written.as_bytes().len() <= read.as_bytes().len());
    assert_eq!(written == read, read.is_minimal());
    assert_eq!(Compact::decode(written.as_bytes()), Some(written));
}

fn skeleton(skeleton: Skeleton<'_, '_>, bytes: &[u8]) -> Vec<[[f32; 4]; 4]> {
    let count = skeleton.len();
    let mut seen = vec![false; count];
    for bone in skeleton.parents_first() {
        let bone = *bone as usize;
        let parent = skeleton.bone(bone).expect("every bone is below the count").parent;
        assert!(parent.is_none_or(|parent| seen[parent]), "bone {bone} comes before its parent");
        seen[bone] = true;
    }
    assert!(seen.iter().all(|seen| *seen) && skeleton.bones().len() == count);
    assert!(skeleton.bone(count).is_none() && skeleton.transform(count).is_none());
    let mut local = vec![Transform::IDENTITY; count];
    skeleton.bind_pose_into(&mut local).expect("one transform per bone");
    let (mut world, mut inverse) = (vec![[[0.0; 4]; 4]; count], vec![[[0.0; 4]; 4]; count]);
    skeleton.world_into(&local, &mut world).expect("one matrix per bone");
    checked(skeleton.inverse_bind_into(&mut inverse), bytes);
    let mut matrices = vec![[[0.0; 4]; 4]; count];
    skin_matrices_into(&world, &inverse, &mut matrices);
    matrices
}

/// The bits of a transform, so that a NaN equals itself.
fn bits(transform: &Transform) -> [u32; 10] {
    let mut bits = [0; 10];
    let Transform { position, rotation, scale } = transform;
    for (bits, value) in bits.iter_mut().zip(position.iter().chain(rotation).chain(scale)) {
        *bits = value.to_bits();
    }
    bits
}

fn animation(animation: &Animation<'_, '_>, bytes: &[u8]) {
    lens(animation.bones(), bytes);
    let (bones, frames) = (animation.bone_count(), animation.frame_count());
    assert_eq!(animation.records().count(), if bones == 0 { 0 } else { bones * frames });
    let sampler = || animation.sampler();
    let (mut player, mut random) = (sampler(), sampler());
    let mut pose = vec![Transform::IDENTITY; bones];
    assert_eq!(player.pose().len(), bones);
    // Without bones, frames take no bytes and there may be many, so only a few are checked.
    let looked_at = if bones == 0 { frames.min(3) } else { frames };
    for frame in 0..looked_at {
        let found = player.next().expect("the frame is below the count").to_vec();
        if frame < 4 || frame % FRAME_BLOCK < 2 || frame + 2 > frames {
            animation.frame_into(frame, &mut pose).expect("the frame is below the count");
            assert!(pose.iter().map(bits).eq(found.iter().map(bits)), "frame {frame} is not what was played");
            let back = frames - 1 - frame;
            random.seek(back).expect("the frame is below the count");
            let again = random.seek(frame).expect("the frame is below the count");
            assert!(
                again.iter().map(bits).eq(found.iter().map(bits)),
                "frame {frame} is not what was played"
            );
        }
        assert_eq!(player.frame(), Some(frame));
    }
    for past in [frames, usize::MAX] {
        error(&animation.frame_into(past, &mut pose).expect_err("there is no such frame"), bytes);
        error(&player.seek(past).map(|_| ()).expect_err("there is no such frame"), bytes);
    }
    for time in [0.0, 0.25, frames as f32 / 2.0 + 0.5, -1.0, f32::NAN, f32::INFINITY] {
        for interpolation in [Interpolation::Normalized, Interpolation::Spherical] {
            match checked(random.sample(time, interpolation), bytes) {
                Some(pose) => assert!(frames > 0 && pose.len() == bones),
                None => assert_eq!(frames, 0),
            }
        }
    }
    let mut local = vec![Transform::IDENTITY; animation.skeleton().len()];
    checked(animation.apply_pose(&pose, &mut local), bytes);
}

fn header(mesh: &Mesh<'_>, surface: &Surface<'_>, bytes: &[u8]) {
    assert!(mesh.find_surface(&surface.name().to_text()).is_some() || !surface.name().to_text().is_ascii());
    assert_eq!(surface.lightmap().is_some(), mesh.version() >= Version::Ms12);
    let blocks = [surface.geometry_block(), surface.edge_block()];
    assert!(blocks.iter().all(|block| block.is_some() == (mesh.version() == Version::Ms14)));
    let mut content = Vec::new();
    for block in blocks.into_iter().flatten() {
        let range = block.byte_range();
        assert_eq!(block.as_bytes(), &bytes[range.start as usize..range.end as usize]);
        if checked(block.unpack_into(&mut content, &Limits::DEFAULT), bytes).is_some() {
            assert_eq!(content.len() as u64, block.unpacked_len());
        }
        let limits = Limits { output: block.unpacked_len().saturating_sub(1), ..Limits::DEFAULT };
        if block.unpacked_len() > 0 {
            assert_eq!(block.unpack_into(&mut content, &limits).map_err(|error| error.code()), Err("LIMIT"));
        }
    }
}

/// Lenses are at the offsets of the parts, and arrays follow each other in the file.
fn located(mesh: &Mesh<'_>, bytes: &[u8]) {
    let proven = "every table was proven";
    for (surface, parts) in mesh.surfaces().zip(mesh.parts().surfaces()) {
        assert_eq!((surface.offset(), surface.bounds_offset()), (parts.offset(), parts.bounds().offset()));
        let GeometryPlace::InFile(parts) = parts.geometry() else { continue };
        let geometry = surface.geometry_in_place().expect("it is in the file");
        let [first, second] = parts.texcoords();
        let tables: [(_, AnyLens<'_>); 7] = [
            (parts.positions(), geometry.positions().into()),
            (parts.tangents(), geometry.tangents().into()),
            (first, geometry.texcoords(0).expect(proven).into()),
            (second, geometry.texcoords(1).expect(proven).into()),
            (parts.colors(), geometry.colors().into()),
            (parts.coordinate_indices(), geometry.coordinate_indices().into()),
            (parts.triangle_indices(), geometry.triangle_indices().into()),
        ];
        for (span, lens) in tables {
            assert_eq!((span.byte_range(), span.count()), (lens.byte_range(), lens.len() as u64));
        }
        assert_eq!(parts.weights().offset(), geometry.weights().offset());
    }
    let mut end = 0;
    for array in mesh.arrays() {
        let range = array.lens.byte_range();
        assert_eq!(array.lens.as_bytes(), &bytes[range.start as usize..range.end as usize]);
        assert!(array.is_part || range.start >= end, "{array:?} overlaps the array before it");
        end = end.max(range.end);
    }
}

/// Locating parts in a prefix has the same result as in the whole file, or requests bytes after the prefix.
fn prefixes_ask_for_more(bytes: &[u8]) {
    let locate =
        |prefix: &[u8], len| Parts::locate(prefix, len, &ParseOptions::default()).map(|parts| parts.end());
    let file_len = bytes.len() as u64;
    let mut here = 0u64;
    // Each record may be requested separately. The step limits the number of prefixes of a long file.
    let step = file_len / 64;
    loop {
        match locate(&bytes[..here as usize], file_len) {
            Ok(end) => break assert!(end <= file_len),
            Err(found) => match found.kind() {
                ErrorKind::Incomplete { needed, available } => {
                    assert!(*available == here && *needed > here && *needed <= file_len, "{found}");
                    here = (*needed).max(here + step).min(file_len);
                }
                _ => panic!("a prefix of {here} bytes of a file that parses: {found}"),
            },
        }
    }
}

/// A written model equals the original when it is read back. It can be written unless its counts contradict each other.
fn rewrite<M: PartialEq + std::fmt::Debug>(
    model: &M,
    write: impl Fn(&M) -> meshlens_wire::Result<Vec<u8>>,
    read: impl Fn(&[u8]) -> M,
) {
    let Ok(bytes) = write(model) else { return };
    let copy = read(&bytes);
    // Compared as text, so that a NaN equals itself.
    assert!(copy == *model || format!("{copy:?}") == format!("{model:?}"), "a rewrite changed the model");
    assert_eq!(write(&copy).as_deref(), Ok(&bytes[..]), "a canonical file is not rewritten byte for byte");
}
