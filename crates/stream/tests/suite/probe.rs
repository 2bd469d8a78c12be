//! Probes: from the first bytes to a plan, with the number of rounds and bytes, and errors.

use meshlens::Document;
use meshlens_md3::write;
use meshlens_stream::{FileRange, Plan, Probe, ProbeOptions, Step};
use meshlens_testkit::share::few_or_all;
use meshlens_testkit::{check, mutate, real};

use crate::common::{file, models, probe, slices};

#[test]
fn every_model_of_the_corpus_in_portions_of_any_size() {
    for (_, files) in models() {
        check::stream_plan(&files.concat());
    }
}

#[test]
fn damaged_models_of_the_corpus() {
    for (_, files) in models() {
        mutate::random(&files.concat(), few_or_all(5, 20), check::stream_plan);
    }
}

/// A model whose surfaces are far apart.
pub(crate) fn large_md3(surfaces: usize) -> Vec<u8> {
    let mut model = write::Model::new("large").unwrap();
    model.frames = vec![write::Frame::named("frame").unwrap(); 8];
    for index in 0..surfaces {
        let mut surface = write::Surface::new(&format!("surface {index}")).unwrap();
        surface.texcoords = vec![[0.0; 2]];
        surface.add_frame(&[[1.0, 2.0, 3.0]], &[[0.0, 0.0, 1.0]]).unwrap();
        // All vertices are equal, so that one normal is encoded.
        surface.texcoords = vec![[0.0; 2]; 1000 + 100 * index];
        surface.vertices = vec![surface.vertices[0]; 8 * surface.texcoords.len()];
        surface.frame_count = 8;
        model.surfaces.push(surface);
    }
    model.write().unwrap()
}

#[test]
fn an_md3_takes_one_round_for_each_surface_and_reads_only_headers() {
    let bytes = large_md3(6);
    assert!(bytes.len() > 500_000);
    let (plan, rounds, read) = probe(std::slice::from_ref(&bytes), ProbeOptions::default());
    // The header of the first surface is in the first read.
    assert_eq!((rounds, read), (6, 6 * 4096));
    assert_eq!(plan.unwrap(), Plan::of(&[&bytes]).unwrap());
}

#[test]
fn requests_grow_after_the_patience() {
    let bytes = large_md3(40);
    let options = ProbeOptions { patience: 4, ..ProbeOptions::default() };
    let (plan, rounds, _) = probe(std::slice::from_ref(&bytes), options);
    assert_eq!(plan.unwrap().mesh_count(), 40);
    let most = Probe::max_rounds(bytes.len() as u64, options);
    assert!(rounds <= most && rounds < 30, "{rounds} of at most {most}");
}

#[test]
fn small_files_from_a_server_take_two_rounds_and_larger_ones_few() {
    for (surfaces, most) in [(6, 2), (14, 3), (40, 8)] {
        let bytes = large_md3(surfaces);
        let (plan, rounds, read) = probe(std::slice::from_ref(&bytes), ProbeOptions::REMOTE);
        assert_eq!(plan.unwrap(), Plan::of(&[&bytes]).unwrap());
        let len = bytes.len() as u64;
        assert!(rounds <= most && read <= len, "{rounds} rounds, {read} of {len} bytes");
        let without = ProbeOptions { whole: 0, ..ProbeOptions::REMOTE };
        let (_, slower, _) = probe(std::slice::from_ref(&bytes), without);
        assert!(slower > rounds, "{slower} rounds without the option");
    }
}

#[test]
fn bounds_are_known_before_surfaces() {
    let bytes = large_md3(3);
    let mut probe = Probe::new(&[bytes.len() as u64], ProbeOptions::default());
    assert_eq!(probe.step().unwrap(), Step::Wants(vec![FileRange { file: 0, start: 0, end: 4096 }]));
    probe.feed(0, 0, bytes[..4096].to_vec());
    assert!(matches!(probe.step().unwrap(), Step::Wants(_)));
    assert_eq!(probe.front_bounds(), Document::parse(&bytes).unwrap().bounds());
}

#[test]
fn frames_at_equal_distances_are_predicted() {
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

/// A file of custom chunks with bodies of these sizes, after a model header. Only the headers are stored.
struct Chunks {
    head: Vec<u8>,
    /// The offset of each chunk.
    offsets: Vec<u64>,
    len: u64,
}

/// The header of a custom chunk: its identifier, and the size of its body.
const CHUNK: &[u8; 8] = b"$U3DC_X\0";

impl Chunks {
    fn new(bodies: impl IntoIterator<Item = u32>) -> (Chunks, Vec<u32>) {
        let mut head = file("u3d/v2_static.u3d");
        let second = head.windows(6).enumerate().filter(|(_, bytes)| bytes == b"$U3D_M").nth(1).unwrap().0;
        head.truncate(second);
        let (mut offsets, mut len, sizes) =
            (Vec::new(), head.len() as u64, bodies.into_iter().collect::<Vec<_>>());
        for size in &sizes {
            offsets.push(len);
            len += 12 + u64::from(*size);
        }
        (Chunks { head, offsets, len }, sizes)
    }

    fn read(&self, sizes: &[u32], range: std::ops::Range<u64>) -> Vec<u8> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let mut put = |at: u64, content: &[u8]| {
            for (at, byte) in (at..).zip(content).filter(|(at, _)| range.contains(at)) {
                bytes[(at - range.start) as usize] = *byte;
            }
        };
        put(0, &self.head);
        let first = self.offsets.partition_point(|offset| offset + 12 <= range.start);
        for (offset, size) in
            self.offsets.iter().zip(sizes).skip(first).take_while(|(at, _)| **at < range.end)
        {
            put(*offset, CHUNK);
            put(offset + 8, &size.to_le_bytes());
        }
        bytes
    }

    /// The outcome of a probe, the number of its rounds, and the bytes that it read.
    fn probe(&self, sizes: &[u32], options: ProbeOptions) -> (meshlens::Result<Plan>, u32, u64) {
        let mut probe = Probe::new(&[self.len], options);
        let mut read = 0;
        loop {
            match probe.step() {
                Ok(Step::Plan(plan)) => return (Ok(plan), probe.rounds(), read),
                Err(error) => return (Err(error), probe.rounds(), read),
                Ok(Step::Wants(wanted)) => {
                    for range in wanted {
                        read += range.len();
                        probe.feed(0, range.start, self.read(sizes, range.range()));
                    }
                }
            }
        }
    }
}

#[test]
fn many_chunks_are_read_by_their_headers() {
    // All are 4 GB, with 400 KB of headers.
    let (chunks, sizes) = Chunks::new(vec![128 << 10; few_or_all(4_000, 33_333)]);
    let (plan, rounds, read) = chunks.probe(&sizes, ProbeOptions::default());
    assert_eq!(plan.unwrap().mesh_count(), 0);
    assert!(read < 4 << 20 && rounds < 100, "{read} bytes in {rounds} rounds");
}

#[test]
fn headers_at_uneven_distances_have_a_limit() {
    // Distances between 64 and 192 KiB, in an order that a probe cannot predict.
    let (chunks, sizes) =
        Chunks::new((0u32..33_333).map(|at| (64 << 10) + at.wrapping_mul(0x9E37_79B1) % (128 << 10)));
    let options = ProbeOptions { max_bytes: 16 << 20, ..ProbeOptions::default() };
    let (plan, rounds, read) = chunks.probe(&sizes, options);
    let error = plan.unwrap_err().to_string();
    assert!(
        error.starts_with("u3d: bytes to read for the headers: the limit is 16777216, found 1"),
        "{error}"
    );
    assert!(
        read <= 16 << 20 && rounds <= Probe::max_rounds(read, options),
        "{read} bytes in {rounds} rounds"
    );
}

#[test]
fn chunks_far_apart_are_not_read_ahead() {
    // Even a request of 1 MiB would not reach another header.
    let (chunks, sizes) = Chunks::new((0..500).map(|at| (2 << 20) + at * at));
    let (plan, _, read) = chunks.probe(&sizes, ProbeOptions::default());
    assert!(plan.is_ok() && read < 3 << 20, "{read} bytes");
}

#[test]
fn a_limit_below_the_headers_is_an_error() {
    let bytes = large_md3(6);
    let limited = |max_bytes| {
        probe(std::slice::from_ref(&bytes), ProbeOptions { max_bytes, ..ProbeOptions::default() })
    };
    assert!(limited(6 * 4096).0.is_ok());
    let (plan, _, read) = limited(3 * 4096 - 1);
    let error = plan.unwrap_err().to_string();
    assert!(
        error.starts_with("md3: bytes to read for the headers: the limit is 12287, found 12288"),
        "{error}"
    );
    assert_eq!(read, 2 * 4096);
}

#[test]
fn a_pair_takes_one_round() {
    for (name, files) in models().into_iter().filter(|(_, files)| files.len() == 2) {
        let (plan, rounds, _) =
            probe(&files, ProbeOptions { read: 64, patience: 12, ..ProbeOptions::default() });
        let is_certain = plan.unwrap().version().chars().last() < Some('5');
        assert!(rounds == 1 || !is_certain, "{name}: {rounds} rounds");
    }
}

#[test]
fn errors_equal_those_of_the_whole_file() {
    let encrypted = file("u3d/v2_static_aes.u3d");
    let (plan, ..) = probe(std::slice::from_ref(&encrypted), ProbeOptions::default());
    assert_eq!(plan.unwrap_err().to_string(), Plan::of(&[&encrypted]).unwrap_err().to_string());
    let (plan, ..) = probe(&[b"RIFF".repeat(100)], ProbeOptions::default());
    assert!(plan.unwrap_err().to_string().contains("a known mesh format"));
    let (plan, rounds, _) = probe(&[Vec::new()], ProbeOptions::default());
    assert!(plan.is_err() && rounds == 1);
    let mut cut = file("md3/animated.md3");
    cut.truncate(cut.len() - 1);
    let (plan, ..) =
        probe(std::slice::from_ref(&cut), ProbeOptions { read: 64, patience: 12, ..ProbeOptions::default() });
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
