//! From first bytes to plans: rounds, bytes, errors.

use meshlens_md3::write;
use meshlens_stream::{FileRange, Part, Plan, Probe, ProbeOptions, Step};
use meshlens_testkit::{check, mutate, real};

use crate::common::{file, models, probe, slices};

#[test]
fn every_model_of_the_corpus_whatever_the_portions() {
    for (_, files) in models() {
        check::stream_plan(&files.concat());
    }
}

#[test]
fn damaged_models_of_the_corpus() {
    for (_, files) in models() {
        mutate::random(&files.concat(), 20, check::stream_plan);
    }
}

/// A model of surfaces that lie far apart.
fn large_md3(surfaces: usize) -> Vec<u8> {
    let mut model = write::Model::new("large").unwrap();
    model.frames = vec![write::Frame::named("frame").unwrap(); 8];
    for index in 0..surfaces {
        let mut surface = write::Surface::new(&format!("surface {index}")).unwrap();
        surface.texcoords = vec![[0.0; 2]; 1000 + 100 * index];
        for _ in 0..8 {
            let vertices = vec![[1.0, 2.0, 3.0]; surface.texcoords.len()];
            surface.add_frame(&vertices, &vec![[0.0, 0.0, 1.0]; vertices.len()]).unwrap();
        }
        model.surfaces.push(surface);
    }
    model.write().unwrap()
}

#[test]
fn an_md3_takes_a_round_for_each_surface_and_reads_headers_alone() {
    let bytes = large_md3(6);
    assert!(bytes.len() > 500_000);
    let (plan, rounds, read) = probe(std::slice::from_ref(&bytes), ProbeOptions::default());
    // The header of the first surface lies in the first read.
    assert_eq!((rounds, read), (6, 6 * 4096));
    assert_eq!(plan.unwrap(), Plan::of(&[&bytes]).unwrap());
}

#[test]
fn patience_ends() {
    let bytes = large_md3(40);
    let options = ProbeOptions { patience: 4, ..ProbeOptions::default() };
    let (plan, rounds, _) = probe(std::slice::from_ref(&bytes), options);
    assert_eq!(plan.unwrap().mesh_count(), 40);
    let most = Probe::max_rounds(bytes.len() as u64, options);
    assert!(rounds <= most && most <= 20, "{rounds} of at most {most}");
}

#[test]
fn bounds_are_known_before_surfaces_are() {
    let bytes = large_md3(3);
    let mut probe = Probe::new(&[bytes.len() as u64], ProbeOptions::default());
    assert_eq!(probe.step().unwrap(), Step::Wants(vec![FileRange { file: 0, start: 0, end: 4096 }]));
    probe.feed(0, 0, bytes[..4096].to_vec());
    assert!(matches!(probe.step().unwrap(), Step::Wants(_)));
    let bounds = &probe.front()[0];
    assert_eq!((bounds.part(), bounds.ranges()[0].range()), (Part::Bounds, 108..164));
}

#[test]
fn frames_at_equal_distances_are_guessed() {
    use meshlens_u3d::{Version, write};

    let mut model = write::Model::new(Version::V2_0_0);
    model.frames = 100;
    for frame in 0..100 {
        let mut mesh = write::Mesh::new("mesh");
        mesh.frame = frame;
        mesh.set_vertices(&vec![[0.0; 3]; 1000], &vec![[0.0, 0.0, 1.0]; 1000], Version::V2_0_0).unwrap();
        model.meshes.push(mesh);
    }
    let bytes = model.write().unwrap();
    assert!(bytes.len() > 1_000_000);
    let options = ProbeOptions { read: 512, ..ProbeOptions::default() };
    let (plan, rounds, read) = probe(std::slice::from_ref(&bytes), options);
    assert_eq!(plan.unwrap(), Plan::of(&[&bytes]).unwrap());
    assert!(rounds < 20 && read < bytes.len() as u64 / 8, "{rounds} rounds, {read} of {} bytes", bytes.len());
}

#[test]
fn a_pair_takes_one_round() {
    for (name, files) in models().into_iter().filter(|(_, files)| files.len() == 2) {
        let (plan, rounds, _) = probe(&files, ProbeOptions { read: 64, patience: 12 });
        let is_certain = plan.unwrap().version().chars().last() < Some('5');
        assert!(rounds == 1 || !is_certain, "{name}: {rounds} rounds");
    }
}

#[test]
fn errors_are_those_of_the_whole_file() {
    let encrypted = file("u3d/v2_static_aes.u3d");
    let (plan, ..) = probe(std::slice::from_ref(&encrypted), ProbeOptions::default());
    assert_eq!(plan.unwrap_err().to_string(), Plan::of(&[&encrypted]).unwrap_err().to_string());
    let (plan, ..) = probe(&[b"RIFF".repeat(100)], ProbeOptions::default());
    assert!(plan.unwrap_err().to_string().contains("a known mesh format"));
    let (plan, rounds, _) = probe(&[Vec::new()], ProbeOptions::default());
    assert!(plan.is_err() && rounds == 1);
    let mut cut = file("md3/animated.md3");
    cut.truncate(cut.len() - 1);
    let (plan, ..) = probe(std::slice::from_ref(&cut), ProbeOptions { read: 64, patience: 12 });
    assert_eq!(plan.unwrap_err(), Plan::of(&[&cut]).unwrap_err());
}

#[test]
fn a_model_of_no_or_three_files_is_an_error() {
    assert!(Probe::new(&[], ProbeOptions::default()).step().is_err());
    let (plan, ..) = probe(&[vec![1], vec![1], vec![1]], ProbeOptions::default());
    assert!(plan.is_err());
}

#[test]
fn real_files() {
    let Some(folder) = real::folder() else { return };
    let (mut models, mut read, mut total) = (0u32, 0, 0);
    for path in real::files_below(&folder) {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        if !["md3", "u3d", "mesh", "anim"].iter().any(|known| extension == *known) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let whole = Plan::of(&[&bytes]);
        let len = bytes.len() as u64;
        let (found, rounds, bytes) = probe(&[bytes], ProbeOptions::default());
        match (found, whole) {
            (Ok(found), Ok(whole)) => assert_eq!(found, whole, "{}", path.display()),
            (found, whole) => assert_eq!(
                found.map(|_| ()).map_err(|error| error.to_string()),
                whole.map(|_| ()).map_err(|error| error.to_string())
            ),
        }
        assert!(rounds <= Probe::max_rounds(len, ProbeOptions::default()));
        (models, read, total) = (models + 1, read + bytes, total + len);
    }
    assert!(models > 0);
    println!("{models} models: {read} of {total} bytes read");
}

#[test]
fn slices_of_any_model_are_probed() {
    let (_, files) = &models()[0];
    assert!(Plan::of(&slices(files)).is_ok());
}
